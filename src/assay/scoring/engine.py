"""Judged runs times measures: the seam behind which another engine could score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from assay.core.arrays import Array, Bools
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.settings import check_choice
from assay.core.text import counted
from assay.data.judged import MISSING_LISTS, Judged, missing_lists
from assay.data.tables import ABSENT
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.scoring.scores import Scores, Undefined

Missing = Literal["empty", "skip"]


def check_asked(measures: Sequence[object]) -> None:
    """Refuse no measure at all, and one that is asked for twice."""
    if not measures:
        raise UsageError("no measure to score with (-m nDCG@10)")
    if repeated := [str(m) for i, m in enumerate(measures) if m in measures[:i]]:
        raise UsageError(f"measure {repeated[0]} is asked for twice")


def score(
    judged: Judged,
    measures: str | Measure | Iterable[str | Measure],
    *,
    undefined: Undefined = "zero",
    missing: Missing = "empty",
) -> Scores:
    """Score every run on every topic.

    A topic that a run misses scores as an empty list does; with `missing="skip"` it has no score. A score that is
    undefined (nothing relevant) is 0, as in trec_eval; with `undefined="skip"` topics without relevant documents have
    no score.
    """
    check_choice(undefined, "undefined", get_args(Undefined))
    check_choice(missing, "missing", get_args(Missing))
    if not isinstance(judged, Judged):
        raise UsageError(f"score takes Judged, not {type(judged).__name__}; judge(runs, qrels) makes it")
    chosen = [parse(m) for m in ([measures] if isinstance(measures, str | Measure) else measures)]
    check_asked(chosen)
    value = np.zeros((len(chosen), len(judged.runs), len(judged.topics)))
    gone = np.zeros(value.shape[1:], dtype=bool)
    by_cell = value.reshape(len(chosen), -1)
    for cell, lists in judged.rankings():
        gone.flat[cell] = lists.grade[:, 0] == ABSENT
        for i, m in enumerate(chosen):
            by_cell[i, cell] = m.compute(lists)
    empty = np.stack([judged.n_rel(m.rel) == 0 for m in chosen])
    zero = np.array([max(0.0, m.declaration.low) for m in chosen])
    return Scores(
        conditions=tuple(str(m) for m in chosen),
        runs=judged.runs,
        topics=judged.topics,
        value=np.where(gone & (missing == "skip"), np.nan, _settle_undefined(value, empty, zero, undefined)),
        averages=tuple(m.declaration.average for m in chosen),
        basis=replace(judged.basis, undefined=undefined, missing=missing if missing == "skip" else None),
        notes=(
            *(judged.notes if missing == "empty" else _without_scores(judged.notes, gone)),
            *_notes_on_empty(chosen, empty, undefined),
            *dict.fromkeys(_notes_on_weights(chosen)),
        ),
    )


def _settle_undefined(value: Array, empty: Bools, zero: Array, undefined: Undefined) -> Array:
    """Apply the one policy for undefined scores. `empty` is [condition, topic]; `zero`, GMAP's floor, [condition]."""
    floor = np.where(np.isnan(value), zero[:, None, None], value)
    return np.where(empty[:, None, :], np.nan, floor) if undefined == "skip" else floor


def _without_scores(notes: Iterable[Note], gone: Bools) -> Iterator[Note]:
    """The notes of the join, where a missing list has no score; `gone` is [run, topic]."""
    for note in notes:
        yield missing_lists(gone, "without a score") if note.code == MISSING_LISTS else note


def _notes_on_weights(chosen: Iterable[Measure]) -> Iterator[Note]:
    for m in chosen:
        if (weights := dict(m.settings).get("weights")) is not None:
            n = len(weights.discount)
            short = f" for {counted(n, 'rank')}; ranks below count nothing" if (m.cutoff or np.inf) > n else ""
            text = f"{weights}: weights with SHA-256 {weights.sha256[:12]}...{short}"
            yield Note("weight_file", "info", text)


def _notes_on_empty(chosen: list[Measure], empty: Bools, undefined: Undefined) -> Iterator[Note]:
    what = "have no score" if undefined == "skip" else "count as 0"
    for rel, topics in {m.rel: topics for m, topics in zip(chosen, empty, strict=True)}.items():
        if n := int(topics.sum()):
            yield empty_topics(n, f"undefined scores there {what}", rel=rel)


def empty_topics(n: int, effect: str, *, rel: int = 1) -> Note:
    """The note on topics without a relevant document; `effect` says what becomes of them."""
    grade = f" of grade {rel} or higher" if rel > 1 else ""
    return Note("empty_topics", "caution", f"{counted(n, 'topic')} without a relevant document{grade}; {effect}")
