"""Judged runs times measures: the seam behind which another engine could score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, get_args, overload

import numpy as np

from assay.core.arrays import Array, Bools
from assay.core.errors import MeasureError, UsageError
from assay.core.notes import Note
from assay.core.settings import check_choice
from assay.core.text import counted, percent
from assay.data.diagnosis.collection import at_cutoffs
from assay.data.judged import Judged
from assay.data.tables import ABSENT, Qrels, Runs
from assay.measures.declare import Average, Measure
from assay.measures.grammar import AnyMeasure, parse
from assay.scoring.missing import Missing, settle_missing
from assay.scoring.scores import Scores, Undefined

EMPTY_TOPICS = "empty_topics"  # the code of the note on topics without a relevant document


def check_asked(measures: Sequence[object]) -> None:
    """Refuse no measure at all, and one that is asked for twice."""
    if not measures:
        raise UsageError("no measure to score with (-m nDCG@10)")
    if repeated := [str(m) for i, m in enumerate(measures) if m in measures[:i]]:
        raise UsageError(f"measure {repeated[0]} is asked for twice")


def check_means(measures: Sequence[Measure], *, averages: Sequence[Average] = ("mean",)) -> None:
    """Refuse measures that are not averaged over topics in one of these ways."""
    if others := [m for m in measures if m.declaration.average not in averages]:
        raise UsageError(f"{others[0]} has no mean over topics: give a measure that has, such as AP")


Measures = AnyMeasure | Iterable[AnyMeasure]


@overload
def score(
    judged: Judged, measures: Measures, /, *, undefined: Undefined = "zero", missing: Missing = "zero"
) -> Scores: ...


@overload
def score(
    judged: Judged, /, *, measures: Measures, undefined: Undefined = "zero", missing: Missing = "zero"
) -> Scores: ...


@overload
def score(
    runs: Any, /, qrels: Any, measures: Measures, *, undefined: Undefined = "zero", missing: Missing = "zero"
) -> Scores: ...


def score(
    data: Any,
    /,
    qrels: Any = None,
    measures: Any = None,
    *,
    undefined: Undefined = "zero",
    missing: Missing = "zero",
) -> Scores:
    """Score every run on every topic: `score(judged, measures)`, or `score(runs, qrels, measures)`.

    Runs and judgments may be whatever `read_runs` and `read_qrels` take; the measures may then be conditions, such as
    AP/pool=10. Measures of ir_measures will do, too.

    A topic that a run misses scores as an empty list does, as with trec_eval -c (`missing="zero"`); with "pairwise"
    it has no score, and each comparison uses the topics that both runs have; with "common" only topics that every
    run has are there; "fail" refuses. A score that is undefined (nothing relevant) is 0, as in trec_eval; with
    `undefined="skip"` topics without relevant documents have no score.
    """
    check_choice(undefined, "undefined", get_args(Undefined))
    check_choice(missing, "missing", get_args(Missing))
    if isinstance(data, Judged):
        if (qrels is None) == (measures is None):
            raise UsageError("score takes judged runs and measures, as in score(judged, ['AP'])")
        asked = listed_measures(qrels if measures is None else measures)
        scores = score_lists(data, asked, undefined=undefined, missing=missing)
        return settle_missing(scores, missing, lists=data.missing())
    if qrels is None or measures is None:
        what = "judged runs and measures, or runs, judgments and measures"
        raise UsageError(f"score takes {what}: score(judged, ['AP']) or score(runs, qrels, ['AP'])")
    from assay.data.read import read_qrels, read_runs
    from assay.scoring.conditions import score_conditions

    runs = data if isinstance(data, Runs) else read_runs(data)
    judgments = qrels if isinstance(qrels, Qrels) else read_qrels(qrels)
    return score_conditions(runs, judgments, listed_measures(measures), undefined=undefined, missing=missing)


def listed_measures(measures: Any) -> list[Any]:
    """One measure as a list of one; what is no list of measures is refused."""
    if isinstance(measures, AnyMeasure):
        return [measures]
    if not isinstance(measures, Iterable):
        raise MeasureError(f"{measures!r} is not a measure, such as 'nDCG@10', nor a list of them")
    return list(measures)


def score_lists(
    judged: Judged, measures: Sequence[Any], *, undefined: Undefined = "zero", missing: Missing = "zero"
) -> Scores:
    """Score every list; a missing one as an empty list with `missing` zero, else it has no score.

    What else the rule asks for is up to `settle_missing`, once all runs are known that are asked about.
    """
    chosen = [parse(m) for m in measures]
    check_asked(chosen)
    value = np.zeros((len(chosen), len(judged.runs), len(judged.topics)))
    by_cell = value.reshape(len(chosen), -1)
    alike = _by_cutoff(chosen)
    for cell, lists in judged.rankings():
        for m, places in alike:
            if len(places) == 1:
                by_cell[places[0], cell] = chosen[places[0]].compute(lists)
            else:
                depths = [chosen[i].cutoff or 0 for i in places]
                by_cell[np.array(places)[:, None], cell] = m.at_depths(lists, depths).T
    empty = np.stack([judged.n_rel(m.rel) == 0 for m in chosen])
    gone = judged.missing() & (missing != "zero")
    without = np.isnan(value) & ~empty[:, None, :] & ~gone
    zero = np.array([m.declaration.undefined for m in chosen])
    return Scores(
        conditions=tuple(str(m) for m in chosen),
        runs=judged.runs,
        topics=judged.topics,
        value=np.where(gone, np.nan, _settle_undefined(value, empty, zero, undefined)),
        averages=tuple(m.declaration.average for m in chosen),
        lower=tuple(m.declaration.lower for m in chosen),
        basis=replace(judged.basis, undefined=undefined),
        notes=(
            *_on_data(judged, chosen),
            *_notes_on_empty(chosen, empty, undefined),
            *_notes_on_undefined(chosen, without),
            *notes_on_collection_size(judged, chosen),
            *dict.fromkeys(_notes_on_weights(chosen)),
        ),
    )


def _by_cutoff(chosen: Sequence[Measure]) -> list[tuple[Measure, list[int]]]:
    """Put measures that differ in their cutoff alone together, shallow ones first: a measure, and where it stands."""
    groups: dict[object, list[int]] = {}
    for i, m in enumerate(chosen):
        cut = m.cutoff is not None and m.declaration.at == "cutoff"
        groups.setdefault(replace(m, cutoff=None) if cut else i, []).append(i)
    return [(chosen[places[0]], sorted(places, key=lambda i: chosen[i].cutoff or 0)) for places in groups.values()]


def _settle_undefined(value: Array, empty: Bools, zero: Array, undefined: Undefined) -> Array:
    """Apply the one policy for undefined scores. `empty` is [condition, topic]; `zero` [condition]."""
    floor = np.where(np.isnan(value), zero[:, None, None], value)
    return np.where(empty[:, None, :], np.nan, floor) if undefined == "skip" else floor


def _on_data(judged: Judged, chosen: Iterable[Measure]) -> Iterator[Note]:
    """The notes of the join, with what is judged of the ranks that the measures look at."""
    cutoffs = {str(m): m.cutoff for m in chosen if not m.judged_only}
    return at_cutoffs(judged.notes, [block.grade for block in judged.blocks], cutoffs)


def _notes_on_weights(chosen: Iterable[Measure]) -> Iterator[Note]:
    for m in chosen:
        if (weights := dict(m.settings).get("weights")) is not None:
            n = len(weights.discount)
            short = f" for {counted(n, 'rank')}; ranks below count nothing" if (m.cutoff or np.inf) > n else ""
            text = f"{weights}: weights with SHA-256 {weights.sha256[:12]}...{short}"
            yield Note("weight_file", "info", text)


def _notes_on_empty(chosen: list[Measure], empty: Bools, undefined: Undefined) -> Iterator[Note]:
    alike = {(m.rel, _effect(m, undefined)): topics for m, topics in zip(chosen, empty, strict=True)}
    for (rel, effect), topics in alike.items():
        if n := int(topics.sum()):
            yield empty_topics(n, f"undefined scores there {effect}", rel=rel)


def _effect(m: Measure, undefined: Undefined = "zero") -> str:
    """Say what becomes of undefined scores."""
    if undefined == "skip" or np.isnan(m.declaration.undefined):
        return "have no score"
    return f"count as {m.declaration.undefined if m.declaration.lower else 0:g}"


def _notes_on_undefined(chosen: Iterable[Measure], without: Bools) -> Iterator[Note]:
    """Name the measures that are undefined on topics with relevant documents; `without` is [measure, run, topic]."""
    for m, cells in zip(chosen, without, strict=True):
        if n := int(cells.sum()):
            of = f"{n:,} of {cells.size:,} scores undefined, though something is relevant"
            text = f"{m}: {of} ({counted(int(cells.any(0).sum()), 'topic')}); they {_effect(m)}"
            yield Note("undefined_scores", "caution", text)


def notes_on_collection_size(judged: Judged, chosen: Iterable[Measure]) -> Iterator[Note]:
    """Say of measures that count all non-relevant documents that most may be unknown: see `AUC`.

    A warning where most of the ranked ones are unjudged: scores then depend on how long lists are.
    """
    for m in chosen:
        if m.parameters.get("n_docs", 0) is not None or m.judged_only:
            continue
        lists = [block.grade[:, : m.cutoff] for block in judged.blocks]
        unjudged = sum(int(((grade < 0) & (grade != ABSENT)).sum()) for grade in lists)
        ranked = unjudged + sum(int(((grade >= 0) & (grade < m.rel)).sum()) for grade in lists)
        if unjudged:
            sized = str(m(n_docs=1)).replace("n_docs=1", "n_docs=N")
            text = (
                f"{m}: {percent(unjudged / ranked)} of the ranked non-relevant documents are unjudged, and how many "
                f"others the collection has is not known: give {sized}, N being the number of its documents"
            )
            yield Note("collection_size", "warning" if 2 * unjudged > ranked else "caution", text)


def empty_topics(n: int, effect: str, *, rel: int = 1) -> Note:
    """The note on topics without a relevant document; `effect` says what becomes of them."""
    grade = f" of grade {rel} or higher" if rel > 1 else ""
    return Note(EMPTY_TOPICS, "caution", f"{counted(n, 'topic')} without a relevant document{grade}; {effect}")
