"""Which pair of score distributions is asked for: by name and numbers, or as one run shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import Array, Grades
from assay.core.errors import UsageError, suggestion
from assay.core.notes import Note
from assay.core.ranges import whole_numbers
from assay.core.text import counted
from assay.data.judged import Collection, Judged, judge
from assay.data.tables import ABSENT
from assay.scoring.missing import on_left_out
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
USUAL_HALVINGS = "1-5"
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
    notes = list(on_left_out(judged.notes))
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
    for block in judged.blocks:
        for i in np.flatnonzero(block.cell == t):
            there = block.grade[i] != ABSENT
            if there.any():
                return block.grade[i, there], judged.source.score[judged.rows(block)[i, there]]
    raise UsageError(f"run {judged.runs[0]} has no documents for topic {judged.topics[t]}")


def check_model(
    model: str, data: Collection | None, topic: Setting, thinning: Sequence[Setting], *given: Setting
) -> None:
    """Refuse runs that nothing is done with, a fit without a run, and numbers that a fit takes from it."""
    _none_of(thinning, "goes with --subsample, which thins the documents of runs")
    if model == "empirical":
        if data is None:
            raise UsageError("model empirical takes the scores of a run: give RUN --qrels QRELS")
        _none_of(given, "is not for model empirical, which takes it from the run")
    else:
        if data is not None:
            ways = "--model empirical (their scores), --fit (forms of these) or --subsample (thin their documents)"
            raise UsageError(f"runs go with {ways}")
        _none_of([topic], "goes with --model empirical or --fit, which take the scores of a run on a topic")


def real_documents(data: Collection | None, flag: str, *settings: Setting) -> Collection:
    """Give back the runs that are thinned or fitted; refuse to do so without any, and settings that are not used."""
    if data is None:
        what = {"subsample": "thins real documents", "fit": "fits forms to the scores of runs"}[flag]
        raise UsageError(f"--{flag} {what}: give RUN --qrels QRELS")
    _none_of(settings, f"is of a model; --{flag} has none" if flag == "subsample" else f"does not go with --{flag}")
    return data


def numbers(text: str, what: str, *, such: str) -> list[float]:
    """Read numbers, given with commas between them; `what` names them in messages, `such` is an example."""
    try:
        values = [float(part) for part in str(text).split(",")]
    except ValueError:
        values = []
    if not values or not np.isfinite(values).all():
        raise UsageError(f"{what} '{text}' are not numbers such as {such}")
    return values


def rates_of(rates: str | None, halvings: str) -> list[float]:
    """The shares of documents that are kept, largest first: as given, or 2^-n."""
    if rates is None:
        return [2.0**-n for n in whole_numbers(halvings, "halvings", least=1)]
    if halvings != USUAL_HALVINGS:
        raise UsageError("--rates and --halvings both say how many documents are kept: give one of them")
    values = numbers(rates, "rates", such="0.5,0.1")
    if wrong := [x for x in values if not 0 < x < 1]:
        raise UsageError(f"rate {wrong[0]:g} is not a share of the documents between 0 and 1, such as 0.1")
    return sorted(set(values), reverse=True)


def _none_of(settings: Sequence[Setting], why: str) -> None:
    for name, value in settings:
        if value is not None:
            raise UsageError(f"--{name.replace('_', '-')} {why}")
