"""Which pair of score distributions is asked for: by name and numbers, or as one run shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import Array, Grades
from assay.core.errors import UsageError, suggestion
from assay.core.notes import Note
from assay.core.text import counted
from assay.data.judged import Collection, Judged, judge
from assay.data.tables import ABSENT
from assay.stats.score_models import Distribution, Exponential, Gamma, Normal, Pair, empirical

Name = Literal["normal-exponential", "normal-normal", "gamma-gamma", "empirical"]

Setting = tuple[str, object]  # its name, and its value; None where it is not set

_KINDS: dict[str, tuple[Callable[..., Distribution], tuple[str, ...]]] = {
    "normal": (Normal, ("mean", "standard deviation")),
    "exponential": (Exponential, ("mean",)),
    "gamma": (Gamma, ("shape", "scale")),
}
_DEFAULTS = {
    "normal-exponential": ("1,0.25", "0.1"),  # robertson2007, section 4.1
    "normal-normal": ("1,0.25", "0,0.25"),
    "gamma-gamma": ("10,0.1", "1,0.1"),
}
_N_RELEVANT, _N_NONRELEVANT = 128, 12_800_000  # robertson2007, section 4.1


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A pair of distributions, how many documents of either kind there are, and where it comes from."""

    pair: Pair
    n_relevant: int
    n_nonrelevant: int
    description: str
    notes: tuple[Note, ...] = ()


def by_name(
    model: Name, relevant: str | None, nonrelevant: str | None, n_rel: int | None, n_nonrel: int | None
) -> ModelChoice:
    """Build a pair of the named kinds, its numbers as given or those of the paper."""
    kinds = model.split("-")
    numbers = [text or default for text, default in zip((relevant, nonrelevant), _DEFAULTS[model], strict=True)]
    sides = ("relevant", "nonrelevant")
    pair = Pair(*(_distribution(kind, text, side) for kind, text, side in zip(kinds, numbers, sides, strict=True)))
    description = " and ".join(f"{kind} {text.replace(' ', '')}" for kind, text in zip(kinds, numbers, strict=True))
    n = _N_RELEVANT if n_rel is None else n_rel, _N_NONRELEVANT if n_nonrel is None else n_nonrel
    return ModelChoice(pair, *n, description)


def _distribution(kind: str, text: str, side: str) -> Distribution:
    """Read the numbers of a distribution."""
    distribution, names = _KINDS[kind]
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != len(names) or not np.isfinite(numbers).all():
        wanted = " and ".join(names)
        example = ",".join(["1", "0.25"][: len(names)])
        article = "an" if kind == "exponential" else "a"
        raise UsageError(
            f"{side} '{text}' does not give the {wanted} of {article} {kind} distribution, as {example} does"
        )
    return distribution(*numbers)


def of_a_run(data: Collection, topic: str | None, n_nonrel: int | None) -> ModelChoice:
    """Take the pair from the scores of one run on one topic."""
    if len(data.asked.names) != 1:
        names = ", ".join(data.asked.names[:3])
        raise UsageError(f"{counted(len(data.asked.names), 'run')} ({names}, ...): --select one to take scores from")
    judged = judge(data.asked, data.qrels, negative=data.negative)
    t = _topic(judged, topic)
    grade, score = _scored(judged, t)
    n_rel = int(judged.n_rel()[t])
    unjudged = int((grade < 0).sum())
    known = np.union1d(data.runs.doc, data.qrels.doc).size - n_rel
    if n_nonrel is not None and n_nonrel < int((grade < 1).sum()):
        raise UsageError(f"n-nonrel {n_nonrel} is less than the {int((grade < 1).sum())} that the run itself has")
    pair = empirical(score[grade > 0], score[grade < 1], n_relevant=n_rel, n_nonrelevant=n_nonrel or known)
    notes = []
    if unjudged:
        text = f"{unjudged} of {grade.size} retrieved documents are not judged, and taken as not relevant"
        notes.append(Note("unjudged_retrieved", "caution", text))
    if n_nonrel is None:
        text = f"non-relevant documents: the {known} that runs and judgments name; --n-nonrel says how many"
        notes.append(Note("known_nonrelevant", "info", text))
    retrieved = f"{int((grade > 0).sum())} of {n_rel} relevant documents retrieved"
    description = f"{judged.runs[0]} on topic {judged.topics[t]}, {retrieved}"
    return ModelChoice(pair, n_rel, n_nonrel or known, description, tuple(notes))


def _topic(judged: Judged, topic: str | None) -> int:
    """Find a topic; where none is named, the one of which most relevant documents are known."""
    if topic is not None and topic not in judged.topics:
        raise UsageError(f"no topic '{topic}'{suggestion(topic, judged.topics)}")
    n_rel = judged.n_rel()
    t = judged.topics.index(topic) if topic is not None else int(np.argmax(n_rel))
    if n_rel[t] == 0:
        raise UsageError(f"topic {judged.topics[t]} has no relevant documents: there is nothing to take scores of")
    return t


def _scored(judged: Judged, t: int) -> tuple[Grades, Array]:
    """The grades and scores of a run's documents for a topic."""
    grade = judged.cube()[0, t]
    grade = grade[grade != ABSENT]
    at = {name: i for i, name in enumerate(judged.source.topics)}.get(judged.topics[t])
    if at is None or not grade.size:
        raise UsageError(f"run {judged.runs[0]} has no documents for topic {judged.topics[t]}")
    start = int(judged.source.start[0, at])
    return grade, judged.source.score[start : start + grade.size]


def check_model(model: str, data: Collection | None, topic: Setting, *numbers: Setting) -> None:
    """Refuse runs that nothing is done with, a fit without a run, and numbers that a fit takes from it."""
    if model == "empirical":
        if data is None:
            raise UsageError("model empirical takes the scores of a run: give --runs RUN --qrels QRELS")
        _none_of(numbers, "is not for model empirical, which takes it from the run")
    else:
        if data is not None:
            raise UsageError("runs go with --model empirical (their scores) or --subsample (thin their documents)")
        _none_of([topic], "goes with --model empirical, which takes the scores of a run on a topic")


def to_thin(data: Collection | None, *settings: Setting) -> Collection:
    """Give back what is to be thinned; refuse to thin nothing, and settings of a model that thinning does not use."""
    if data is None:
        raise UsageError("--subsample thins real documents: give --runs RUN... --qrels QRELS")
    _none_of(settings, "is of a model; --subsample has none")
    return data


def _none_of(settings: Sequence[Setting], why: str) -> None:
    for name, value in settings:
        if value is not None:
            raise UsageError(f"--{name.replace('_', '-')} {why}")
