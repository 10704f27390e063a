"""What a result says in words: each sentence is declared beside its analysis, by a rule that licenses it.

A rule reads the results of the analyses that it names and gives a sentence with its number and interval, or several
where some of it is decided and some is not, or nothing. Its docstring is the rule; `{threshold}` in it stands for the
number that is declared elsewhere.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from assay.core.notes import Note, Severity
from assay.core.text import Row, Shown, between, known
from assay.core.thresholds import OWN, Threshold, mentioned, rendered
from assay.results.error_rates import error_rates

if TYPE_CHECKING:
    from assay.results.result import Result

MANY_RUNS = Threshold(
    "many_runs", 10, unit="runs", meaning="from which on statements about all pairs of runs mean something"
)
EQUIVALENT_TAU = Threshold(
    "equivalent_tau",
    0.9,
    unit="Kendall's tau",
    meaning="from which on two rankings of the runs count as equivalent",
    cite="voorhees2001",
)
Status = Literal["decided", "inconclusive", "beware"]
_LEVEL = 0.95  # where a result does not state it
STANDING = (
    "Separating runs is not measuring what users want: a measure can be stable and yet reward the wrong thing. "
    "Nothing here says which measure is right, only what each can separate on this collection."
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One statement: what to do, why, and the one number with the one interval that it rests on.

    `action` stands for itself, such as "Report AP or nDCG"; `why` is one clause, such as "they separate most pairs of
    these runs". Neither holds an interval: `shown` and `between` are what stands beside them, in the sentence's own
    unit, such as "72% of pairs" and "67 to 77". What the evidence does not decide is `inconclusive`, and `settled_by`
    says what would decide it. `name` is that of the rule, `false_rate` how often such a sentence was false where the
    truth was known, where measured.
    """

    action: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    shown: str = ""
    between: str = ""
    name: str = ""
    false_rate: float | None = None
    status: Status = "decided"
    why: str = ""
    settled_by: str = ""  # of what is inconclusive, such as "about 200 topics"
    severity: Severity = "caution"  # of what to beware of
    measure: str = ""  # the one that it advises by, of what is said by one measure

    @property
    def text(self) -> str:
        """What to do and why, in words."""
        return f"{self.action}: {self.why}." if self.why else self.action

    @property
    def caveat(self) -> bool:
        """Whether it says what to beware of."""
        return self.status == "beware"

    @property
    def number(self) -> str:
        """The number with its interval, as it stands beside the words; empty where there is none."""
        return beside(self.shown, self.between)

    @classmethod
    def of(
        cls,
        action: str,
        row: Row,
        show: Shown,
        *,
        why: str = "",
        ends: tuple[str, str, str] = ("value", "low", "high"),
        shown: str = "{}",
    ) -> Sentence:
        """Rest an action on a number of a row and its interval; `shown` frames how the number is set apart.

        >>> row = {"value": 0.5, "low": 0.4, "high": 0.6}
        >>> said = Sentence.of("Report AP", row, "{:.0%}".format, why="it separates most pairs", shown="{} of pairs")
        >>> said.text, said.number
        ('Report AP: it separates most pairs.', '50% of pairs, 40% to 60%')
        """
        value, low, high = (row[name] if known(row[name]) else None for name in ends)
        framed = "" if value is None else shown.replace("{}", show(value), 1)  # names beside it may hold braces
        return cls(action, value, low, high, framed, between(row, show, *ends[1:]), why=why)

    @classmethod
    def inconclusive(cls, what: str, *, settled_by: str = "") -> Sentence:
        """Say what the evidence leaves open, such as "which of AP and nDCG separates more", and what would settle."""
        return cls(what, status="inconclusive", settled_by=settled_by)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data: name, text, value, low, high, false_rate, status, settled_by."""
        return {name: getattr(self, name) for name in _PLAIN}


_PLAIN = ("name", "text", "value", "low", "high", "false_rate", "status", "settled_by")


def beside(shown: str, interval: str) -> str:
    """Set a number and its interval beside words.

    >>> beside("72.5% of pairs", "67.5% to 77.4%"), beside("3 of 20 runs", "")
    ('72.5% of pairs, 67.5% to 77.4%', '3 of 20 runs')
    """
    return ", ".join(part for part in (shown, interval) if part)


Spoken = Sentence | tuple[Sentence, ...] | None
Function = Callable[..., Spoken]
Declared = TypeVar("Declared", bound=Function)


@dataclass(frozen=True, slots=True)
class Rule:
    """What licenses a sentence: the analyses it reads, its thresholds and citations, and what it says of results."""

    name: str
    of: tuple[str, ...]  # analyses whose results it needs; the first is the section that it points to
    cite: tuple[str, ...]  # keys of references; OWN for a threshold of this project
    caveat: bool  # whether it says what to beware of; caveats are gathered into one line
    function: Function
    own_false_rate: float | None = None  # as declared, of a sentence that the study does not know
    by: Callable[..., str] | None = None  # the measure of these results that it advises by, if it is one

    @property
    def false_rate(self) -> float | None:
        """How often it was false where it was said and the truth was known; None where that was not measured."""
        known = error_rates().get(self.name)
        return self.own_false_rate if known is None else known.rate

    @property
    def says(self) -> str:
        """The rule in prose, as one paragraph, with the thresholds as they are now."""
        return " ".join(rendered(inspect.getdoc(self.function) or "").split())

    @property
    def measured(self) -> str:
        """How often it was said and false where the truth was known; empty of what was not studied."""
        known = error_rates().get(self.name)
        return "" if known is None else known.text

    @property
    def thresholds(self) -> list[Threshold]:
        """The numbers that a reader may disagree with: those that the docstring mentions."""
        return mentioned(inspect.getdoc(self.function) or "")

    def speak(self, *results: Result) -> tuple[Sentence, ...]:
        """Apply the rule; its name and its measure go with every sentence, its error rate with what it claims."""
        spoken = several(self.function(*results))
        measure = self.by(*results) if self.by and spoken else ""
        return tuple(replace(self._named(one), measure=measure) for one in spoken)

    def _named(self, spoken: Sentence) -> Sentence:
        if spoken.status == "inconclusive":
            return replace(spoken, name=self.name)
        status = "beware" if self.caveat else spoken.status
        return replace(spoken, name=self.name, false_rate=self.false_rate, status=status)


def several(spoken: Spoken) -> tuple[Sentence, ...]:
    """What a rule says, as a tuple: nothing, one sentence, or several."""
    if spoken is None:
        return ()
    return (spoken,) if isinstance(spoken, Sentence) else spoken


RULES: dict[str, Rule] = {}
"""Every rule declared so far, by name."""


def first_measure(result: Result) -> str:
    """The first measure asked for."""
    return str(result.table["measure"][0])


def sentence(
    *of: str,
    cite: str = OWN,
    caveat: bool = False,
    false_rate: float | None = None,
    by: Callable[..., str] | None = None,
) -> Callable[[Declared], Declared]:
    """Declare a sentence; the function takes the results of the analyses named, in this order.

    A rule that names no analysis is about the data itself, which every result describes: it gets the first one.
    `cite` names references, separated by commas; "own" among them says that a threshold is this project's choice.
    `false_rate` is for sentences of your own: that of the built-in ones was measured (`results/error_rates.py`).
    `by` reads off the results which one measure it advises by, if it does: a report does not say it of a measure that
    ranks runs by what was judged.
    """

    def declare(function: Declared) -> Declared:
        keys = tuple(key.strip() for key in cite.split(","))
        RULES[function.__name__] = Rule(function.__name__, of, keys, caveat, function, false_rate, by)
        return function

    return declare


def load_sentences(*analyses: str) -> None:
    """Import what the built-in analyses of these names declare; all of them where none is named."""
    from assay.results.analysis import PACKAGE, folders

    for name, folder in folders().items():
        if (not analyses or name in analyses) and (folder / "sentences.py").is_file():
            import_module(f"{PACKAGE}.{name}.sentences")


def sentences_of(analysis: str, result: Result) -> tuple[Sentence, ...]:
    """What the rules say of one result."""
    load_sentences(analysis)
    return tuple(one for rule in list(RULES.values()) if rule.of == (analysis,) for one in rule.speak(result))


def joint_sentences(results: Mapping[str, Result]) -> Iterator[tuple[str, Sentence]]:
    """What the rules say of the data, and of several results at once; with the section that it points to."""
    for rule in list(RULES.values()):
        names = rule.of or tuple(results)[:1]
        if len(rule.of) != 1 and names and all(name in results for name in names):
            yield from ((names[0], one) for one in rule.speak(*(results[name] for name in names)))


def n_runs(*results: Result) -> float:
    """How many runs results rest on, as far as they say; without end where none does."""
    return min((result.basis.runs for result in results if result.basis.runs is not None), default=math.inf)


def level_of(result: Result) -> float:
    """The confidence of a result's intervals."""
    return float(result.settings.get("level", _LEVEL))


def rules_table() -> list[dict[str, str]]:
    """Lay the rules out: rule, says, measured, thresholds, cite."""
    return [
        {
            "rule": one.name,
            "says": one.says,
            "measured": one.measured,
            "thresholds": ", ".join(f"{threshold.name} = {threshold}" for threshold in one.thresholds),
            "cite": ", ".join(one.cite),
        }
        for one in RULES.values()
    ]


def few_runs(n_runs: int, what: str) -> Iterator[Note]:
    """Caution that runs are too few for `what`, such as a correlation, to say much, as the rule of this name does.

    >>> [note.text for note in few_runs(3, "a correlation")], list(few_runs(30, "a correlation"))
    (['3 runs are too few for a correlation to say much'], [])
    """
    if n_runs < MANY_RUNS.value:
        yield Note("few_runs", "caution", f"{n_runs} runs are too few for {what} to say much")


def one_topic(n_topics: int) -> Iterator[Note]:
    """Caution that there are no intervals over topics where there is one topic, or none."""
    if n_topics < 2:
        yield Note("one_topic", "caution", "one topic is no sample: no intervals")


def unshared_topics(*n_left: int, n_topics: int) -> Iterator[Note]:
    """Say that topics were left out on which no two runs can be compared, where fewer are left than there are."""
    if min(n_left, default=n_topics) < n_topics:
        yield Note("incomplete_topics", "info", "topics on which fewer than two runs have a score were left out")


def untested_pairs(n: Mapping[str, int]) -> Iterator[Note]:
    """Say by which measure how many pairs of runs could not be tested."""
    if shown := ", ".join(f"{n_pairs} by {measure}" for measure, n_pairs in n.items() if n_pairs):
        text = f"pairs of runs with fewer than 2 topics in common were not tested and do not count: {shown}"
        yield Note("untested_pairs", "warning", text)


def incomplete_topics(*n_left: int, n_topics: int) -> Iterator[Note]:
    """Say that topics without a score for some run were left out, where fewer are left than there are."""
    if min(n_left, default=n_topics) < n_topics:
        yield Note("incomplete_topics", "info", "topics without a score for some run were left out")
