"""Of which scores the lowest is best: as stated, or as a measure declares it; where a name suggests it, a note asks.

Nothing in a column of another tool's numbers says whether 300 is better than 200: of latency it is worse.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from assay.core.errors import UsageError, suggestion
from assay.core.notes import Note
from assay.core.text import first_few
from assay.measures.grammar import AnyMeasure
from assay.scoring.conditions import recognised_condition
from assay.scoring.scores import STANDARDISED, Scores, spelled_as

DIRECTION = "direction"
"""The code of the note that asks whether lower or higher is better."""

FLAGS = ("lower", "higher")
"""The flags that answer it."""

_WORDS = re.compile(
    "latency|latencies|costs?|prices?|errors?|mistakes|failures|times?|timing|duration|elapsed|runtime|seconds|"
    "milliseconds|msec|delay|loss|losses|perplexity|ppl|[wct]er|rmse|mse|mae|mape|distance|regret|toxicity|"
    "hallucinations?",
    re.IGNORECASE,
)
"""Words in the names of numbers of which mostly the lowest is best."""

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SHOWN = 6  # names listed in a message


def with_direction(
    scores: Scores, *, lower: Iterable[str] = (), higher: Iterable[str] = (), flags: Sequence[str] = FLAGS
) -> Scores:
    """Say under which conditions lower is better: as stated, else as our measures declare it, else nowhere.

    `flags` are those that state it: lower, and higher where there is such a flag.
    """
    down, up = _labels(lower, scores, flags[0]), _labels(higher, scores, flags[-1])
    if both := [label for label in down if label in up]:
        raise UsageError(f"--{flags[0]} {down[both[0]]} and --{flags[-1]} {up[both[0]]}: give one of them")
    directions = tuple(name in down or (name not in up and _declared_lower(name)) for name in scores.conditions)
    other = (note for note in scores.notes if note.code != DIRECTION)
    questions = _questions(scores.conditions, {*down, *up}, flags)
    return replace(scores, lower=directions if any(directions) else (), notes=(*other, *questions))


def _declared_lower(name: str) -> bool:
    condition = recognised_condition(name)
    return condition is not None and condition.measure.declaration.lower


def _labels(names: Iterable[str], scores: Scores, flag: str) -> dict[str, str]:
    """The conditions that names mean, each with its name as it was given."""
    if not isinstance(names, Iterable) or isinstance(names, bytes):
        raise UsageError(f"{flag}: a {type(names).__name__}, expected the names of measures")
    given = [names] if isinstance(names, str) else list(names)
    return {_label(name, scores, flag): name for name in given}


def _label(name: str, scores: Scores, flag: str) -> str:
    if not isinstance(name, AnyMeasure):
        raise UsageError(f"{flag}: a {type(name).__name__}, expected the name of a measure")
    label = spelled_as(name, scores.conditions)
    if label is None:
        there = first_few(scores.conditions, most=_SHOWN)
        raise UsageError(f"--{flag} {name}: no such measure (there is {there}){suggestion(name, scores.conditions)}")
    return label


def _questions(names: Iterable[str], stated: Collection[str], flags: Sequence[str]) -> Iterator[Note]:
    """Ask for the direction of what is none of our measures, where its name suggests that lower is better."""
    for name in names:
        if name not in stated and suggests_lower(name) and recognised_condition(name) is None:
            answers = ", else ".join(f"--{flag} {shlex.quote(name)}" for flag in flags)
            text = f"{name} is taken as higher is better; if lower is better, give {answers}"
            yield Note(DIRECTION, "warning" if len(flags) > 1 else "caution", text, measures=(name,), on_data=True)


def is_unstated(measure: str, notes: Iterable[Note]) -> bool:
    """Whether a note asks for the direction of a measure: which of two runs is better is then not known."""
    own = {measure, measure.removesuffix(STANDARDISED)}
    return any(note.code == DIRECTION and not own.isdisjoint(note.measures) for note in notes)


def suggests_lower(name: str) -> bool:
    """Whether a word in a name mostly stands for what is the better the lower.

    >>> [suggests_lower(name) for name in ("latency_ms", "TotalCost", "p95Latency", "sentiment", "timeliness")]
    [True, True, True, False, False]
    """
    return any(_WORDS.fullmatch(part) for part in _PARTS.findall(name.removesuffix(STANDARDISED)))
