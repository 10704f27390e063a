"""Which pair of score distributions is asked for: by name and numbers, or as one run shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import UsageError, suggestion
from assay.inputs import Collection
from assay.judged import Judged, judge
from assay.numeric.score_models import Array, Distribution, Exponential, Gamma, Normal, Pair, empirical
from assay.tables import ABSENT, counted

Name = Literal["normal-exponential", "normal-normal", "gamma-gamma", "empirical"]

Given = tuple[str, object]  # the name of a setting, and what it is; None where it is not given

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
class Asked:
    """A pair of distributions, how many documents of either kind there are, and what was said of it."""

    pair: Pair
    n_relevant: int
    n_nonrelevant: int
    told: str
    notes: tuple[str, ...] = ()


def by_name(
    model: Name, relevant: str | None, nonrelevant: str | None, n_rel: int | None, n_nonrel: int | None
) -> Asked:
    """Build a pair of the named kinds, its numbers as given or those of the paper."""
    kinds = model.split("-")
    given = [text or default for text, default in zip((relevant, nonrelevant), _DEFAULTS[model], strict=True)]
    sides = ("relevant", "nonrelevant")
    found = [_distribution(kind, text, side) for kind, text, side in zip(kinds, given, sides, strict=True)]
    told = " and ".join(f"{kind} {text.replace(' ', '')}" for kind, text in zip(kinds, given, strict=True))
    n = _N_RELEVANT if n_rel is None else n_rel, _N_NONRELEVANT if n_nonrel is None else n_nonrel
    return Asked(Pair(*found), *n, told)


def _distribution(kind: str, text: str, side: str) -> Distribution:
    """Read the numbers of a distribution."""
    made, names = _KINDS[kind]
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
    return made(*numbers)


def of_a_run(data: Collection, topic: str | None, n_nonrel: int | None) -> Asked:
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
        notes.append(f"{unjudged} of {grade.size} retrieved documents are not judged, and taken as not relevant")
    if n_nonrel is None:
        notes.append(f"non-relevant documents: the {known} that runs and judgments name; --n-nonrel says how many")
    found = f"{int((grade > 0).sum())} of {n_rel} relevant documents retrieved"
    told = f"{judged.runs[0]} on topic {judged.topics[t]}, {found}"
    return Asked(pair, n_rel, n_nonrel or known, told, tuple(notes))


def _topic(judged: Judged, topic: str | None) -> int:
    """Find a topic; where none is named, the one of which most relevant documents are known."""
    if topic is not None and topic not in judged.topics:
        raise UsageError(f"no topic '{topic}'{suggestion(topic, judged.topics)}")
    n_rel = judged.n_rel()
    t = judged.topics.index(topic) if topic is not None else int(np.argmax(n_rel))
    if n_rel[t] == 0:
        raise UsageError(f"topic {judged.topics[t]} has no relevant documents: there is nothing to take scores of")
    return t


def _scored(judged: Judged, t: int) -> tuple[NDArray[np.int8], Array]:
    """The grades and scores of a run's documents for a topic."""
    grade = judged.cube()[0, t]
    grade = grade[grade != ABSENT]
    at = {name: i for i, name in enumerate(judged.source.topics)}.get(judged.topics[t])
    if at is None or not grade.size:
        raise UsageError(f"run {judged.runs[0]} has no documents for topic {judged.topics[t]}")
    start = int(judged.source.start[0, at])
    return grade, judged.source.score[start : start + grade.size]


def check_model(model: str, data: Collection | None, topic: Given, *numbers: Given) -> None:
    """Refuse runs that nothing is done with, a fit without a run, and numbers that a fit takes from it."""
    if model == "empirical":
        if data is None:
            raise UsageError("model empirical takes the scores of a run: give --runs RUN --qrels QRELS")
        _none_of(numbers, "is not for model empirical, which takes it from the run")
    else:
        if data is not None:
            raise UsageError("runs go with --model empirical (their scores) or --subsample (thin their documents)")
        _none_of([topic], "goes with --model empirical, which takes the scores of a run on a topic")


def to_thin(data: Collection | None, *settings: Given) -> Collection:
    """Give back what is to be thinned; refuse to thin nothing, and settings of a model that thinning does not use."""
    if data is None:
        raise UsageError("--subsample thins real documents: give --runs RUN... --qrels QRELS")
    _none_of(settings, "is of a model; --subsample has none")
    return data


def _none_of(given: Sequence[Given], why: str) -> None:
    for name, value in given:
        if value is not None:
            raise UsageError(f"--{name.replace('_', '-')} {why}")
