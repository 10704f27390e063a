"""How a rule is declared, and how what the rules say becomes a verdict.

A rule reads the results of the analyses that it names and gives a sentence with its number and interval, or nothing.
Its thresholds are keyword parameters with defaults, so that a reader can see them, and disagree.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.analysis import Result
from assay.rules.wording import Row, Shown, between, known

MANY = 10  # runs from which on statements about all pairs of runs mean something
FEW_RELEVANT = 5  # relevant documents below which a topic, if it has any, is a small one
COVERED = 0.9  # share of a pool's documents that must be judged for it to count as a pool of that depth
SENTENCES = 7  # a verdict has at most so many
OWN = "own"  # cited where a threshold is this project's own choice
STANDING = (
    "Separating runs is not measuring what users want: a measure can be stable and yet reward the wrong thing. "
    "Nothing here says which measure is right, only what each can tell apart on this collection."
)
LEADS = "different_runs"  # speaks first where runs are few


@dataclass(frozen=True, slots=True)
class Sentence:
    """One statement of a verdict, with the number it rests on and its interval.

    `shown` and `between` are what a page sets apart, in the sentence's own unit: "72.5%", "67.5% to 77.4%".
    """

    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    shown: str = ""
    between: str = ""

    @classmethod
    def of(
        cls,
        text: str,
        row: Row,
        show: Shown,
        *,
        ends: tuple[str, str, str] = ("value", "low", "high"),
        shown: str = "{}",
        unit: str = "{}",
    ) -> Sentence:
        """Rest a text on a number of a row and its interval; `shown` and `unit` frame how they are set apart.

        >>> Sentence.of("Half.", {"value": 0.5, "low": 0.4, "high": 0.6}, "{:.0%}".format, shown="about {}").shown
        'about 50%'
        """
        value, low, high = (row[name] if known(row[name]) else None for name in ends)
        told = "" if value is None else shown.format(show(value))
        interval = between(row, show, *ends[1:])
        return cls(text, value, low, high, told, interval and unit.format(interval))


Function = Callable[..., Sentence | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A named rule: the analyses it reads, whom it follows, and what it says of their results."""

    name: str
    of: tuple[str, ...]  # analyses whose results it needs; the first is the section that it points to
    cite: tuple[str, ...]  # keys of references; OWN for a threshold of this project
    caveat: bool  # caveats are gathered into one sentence
    function: Function

    @property
    def says(self) -> str:
        """The docstring's prose, as one paragraph."""
        return " ".join((self.function.__doc__ or "").split())

    @property
    def thresholds(self) -> dict[str, Any]:
        """The settings that a reader may disagree with."""
        known = inspect.signature(self.function).parameters.values()
        return {p.name: p.default for p in known if p.kind is inspect.Parameter.KEYWORD_ONLY}

    def reads(self, results: Mapping[str, Result]) -> tuple[str, ...]:
        """Name the results that it is given; none where one is missing.

        A rule that names no analysis is about the data itself, which every result describes: it gets the first.
        """
        names = self.of or tuple(results)[:1]
        return names if all(name in results for name in names) else ()


RULES: dict[str, Rule] = {}
"""Every rule by name, in the order in which a verdict speaks."""


def rule(*of: str, cite: str = OWN, caveat: bool = False) -> Callable[[Function], Function]:
    """Declare a rule; the function takes the results of the analyses named, in this order.

    `cite` names references, parted by commas; "own" among them says that a threshold is this project's choice.
    """

    def declare(function: Function) -> Function:
        keys = tuple(key.strip() for key in cite.split(","))
        RULES[function.__name__] = Rule(function.__name__, of, keys, caveat, function)
        return function

    return declare


def said(results: Mapping[str, Result]) -> Iterator[tuple[Rule, str, Sentence]]:
    """Apply every rule whose evidence is there; hand out the rule, its section and its sentence."""
    for one in RULES.values():
        if names := one.reads(results):
            sentence = one.function(*(results[name] for name in names))
            if sentence is not None:
                yield one, names[0], sentence


def verdict(results: Mapping[str, Result]) -> list[tuple[str, str, Sentence]]:
    """Say what results say together: rules, section, sentence; the last names the caveats, if there are any.

    With fewer than ten runs the differences between runs lead. Of more than seven sentences the first are kept, and
    the caveats.
    """
    every = list(said(results))
    plain = [(one.name, section, sentence) for one, section, sentence in every if not one.caveat]
    beware = [(one.name, section, sentence) for one, section, sentence in every if one.caveat]
    if n_runs(*results.values()) < MANY:
        plain.sort(key=lambda told: told[0] != LEADS)
    if not beware:
        return plain[:SENTENCES]
    clauses = "; ".join(sentence.text for _, _, sentence in beware)
    names = ", ".join(name for name, _, _ in beware)
    return [*plain[: SENTENCES - 1], (names, beware[0][1], Sentence(f"Beware: {clauses}."))]


def n_runs(*results: Result) -> int:
    """How many runs results rest on, as far as they say; many where none does."""
    told = [int(result.basis["runs"]) for result in results if "runs" in result.basis]
    return min(told, default=MANY)


def rules_table() -> list[dict[str, str]]:
    """Lay the rules out: rule, says, thresholds, cite."""
    return [
        {
            "rule": one.name,
            "says": one.says,
            "thresholds": ", ".join(f"{name} = {value}" for name, value in one.thresholds.items()),
            "cite": ", ".join(one.cite),
        }
        for one in RULES.values()
    ]
