"""Properties on real rankings: how many lists of runs violate them, and how much measures disagree there.

A document that nobody judged takes part in changes as if it were not relevant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.disagreement.cases import TWO_RUNS
from assay.analyses.disagreement.pair_disagreement import disagreement_weights, share_over_topics
from assay.analyses.disagreement.ranked_lists import RankedLists, group_lists, sides_of_pairs
from assay.core.arrays import Array, Bools, Grades, Index
from assay.data.tables import ABSENT, UNJUDGED
from assay.measures.axioms import AXIOMS, Axiom
from assay.measures.declare import PROPERTIES, Measure
from assay.measures.properties import (
    EXPECTED,
    TOLERANCE,
    Change,
    CounterExample,
    Situations,
    Wrong,
    axiom_changes,
    exchanged,
    higher,
    lifted,
    not_lower,
)
from assay.results.schemas import schema, table

VIOLATION_COLUMNS = schema(
    *("measure", "property", "n_lists", "violated", "low", "high", "run", "topic", "example"),
    property=pl.String,
    n_lists=pl.Int64,
    example=pl.String,
)


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """Lists to which a property applies: where they are from, which of them violate it, and an example."""

    at: Index  # [list, 2]: run and topic; -1 for no run
    violated: Bools  # [list]
    example: CounterExample | None = None  # of the first that violates it


def shares_on_runs(lists: RankedLists, measures: Sequence[Measure]) -> Array | None:
    """The percentage of pairs of runs on a topic on which each two measures disagree; None without pairs. [pair]"""
    scores = lists.score(measures)
    groups = group_lists(lists, scores, TWO_RUNS).groups
    weights = [disagreement_weights(*sides_of_pairs(scores, group)) for group in groups]
    total = sum(own.total for own in weights)
    if not total:
        return None
    return np.asarray(100 * sum(own.differ for own in weights) / total)[np.triu_indices(len(measures), 1)]


def violations(lists: RankedLists, measures: Sequence[Measure], *, level: float) -> pl.DataFrame:
    """Try every property of every measure, cut at the depth of the lists, on the lists of runs."""
    return table(_rows(lists, measures, level), VIOLATION_COLUMNS)


def _rows(lists: RankedLists, measures: Sequence[Measure], level: float) -> Iterator[tuple[object, ...]]:
    at = np.argwhere(lists.included)
    here = Situations(lists.depth, lists.grade[lists.included], lists.judged.pool[at[:, 1]])
    declared = {name: list(_axiom_parts(one, here)) for name, one in AXIOMS.items()}
    for m in measures:
        outcomes = {name: _outcomes(name, m, here, at, lists) for name in PROPERTIES}
        outcomes |= {name: _of_axiom(AXIOMS[name], m, parts, at) for name, parts in declared.items()}
        for name, own in outcomes.items():
            yield str(m), name, *_counted(own, lists, level)


def _counted(outcomes: _Outcomes | None, lists: RankedLists, level: float) -> tuple[object, ...]:
    """How many lists, the share of them that violate a property with its interval over topics, and one of them."""
    if outcomes is None or not outcomes.violated.size:
        return 0, None, None, None, None, None, None
    topic = outcomes.at[:, 1]
    n = len(lists.judged.topics)
    whole = np.bincount(topic, minlength=n).astype(np.float64)
    part = np.bincount(topic, weights=outcomes.violated, minlength=n).astype(np.float64)
    some = whole > 0
    share, low, high = share_over_topics(part[some], whole[some], level)
    ends = (100 * float(low), 100 * float(high)) if some.sum() > 1 else (None, None)
    if not outcomes.violated.any():
        return outcomes.violated.size, 0.0, *ends, None, None, None
    run, of = outcomes.at[np.flatnonzero(outcomes.violated)[0]]
    names = (lists.judged.runs[run] if run >= 0 else None), lists.judged.topics[of]
    example = str(outcomes.example) if outcomes.example else None
    return outcomes.violated.size, 100 * float(share), *ends, *names, example


def _outcomes(name: str, m: Measure, here: Situations, at: Index, lists: RankedLists) -> _Outcomes | None:
    if name == "monotone":
        return _steps(m, here, at)
    if name == "convergent":
        return _of_changes(m, here, at, exchanged(here, unjudged=True), higher)
    if name == "top_weighted":
        return _of_changes(m, here, at, lifted(here, unjudged=True), higher)
    if name == "bounded":
        score = here.score(m)
        limit = m.declaration.high
        return _with_example(here, at, score, score > limit + TOLERANCE) if np.isfinite(limit) else None
    if name == "localised":
        return _same_lists(m, here, at)
    return _without_relevant(m, lists) if name == "complete" else _best(m, lists)


def _with_example(here: Situations, at: Index, score: Array, violated: Bools) -> _Outcomes:
    first = np.flatnonzero(violated)[:1]
    return _Outcomes(at, violated, CounterExample((here.case(first[0], score[first[0]]),)) if first.size else None)


def _steps(m: Measure, here: Situations, at: Index) -> _Outcomes:
    """The list at k, and with one document more, for every k that it reaches."""
    violated = np.zeros(len(at), dtype=bool)
    examples: dict[int, CounterExample] = {}
    before = Situations(1, here.grade[:, :1], here.pool)
    old = before.score(m)
    for k in range(2, here.k + 1):
        after = Situations(k, here.grade[:, :k], here.pool)
        new = after.score(m)
        wrong = not_lower(old, new) & (here.grade[:, k - 1] != ABSENT)
        for i in np.flatnonzero(wrong)[:1]:
            examples.setdefault(int(i), CounterExample((before.case(i, old[i]), after.case(i, new[i]))))
        violated |= wrong
        before, old = after, new
    return _Outcomes(at, violated, _first(examples))


def _first(examples: dict[int, CounterExample]) -> CounterExample | None:
    """The example of the first list: of all lists that one change breaks, the first was kept."""
    return examples[min(examples)] if examples else None


def _of_changes(m: Measure, here: Situations, at: Index, changes: Iterable[Change], wrong: Wrong) -> _Outcomes:
    """The list, and the same changed in every way there is; those that can be changed at all."""
    possible, violated = np.zeros((2, len(at)), dtype=bool)
    examples: dict[int, CounterExample] = {}
    score = here.score(m)
    for _, rows, after in changes:
        new = after.score(m)
        possible[rows] = True
        off = np.flatnonzero(wrong(score[rows], new))
        for i in off[:1]:
            pair = here.case(rows[i], score[rows[i]]), after.case(i, new[i])
            examples.setdefault(int(rows[i]), CounterExample(pair))
        violated[rows[off]] = True
    return _Outcomes(at[possible], violated[possible], _first(examples))


def _axiom_parts(axiom: Axiom, here: Situations) -> Iterator[tuple[Index, Situations, list[Change]]]:
    """Lists of one length, cut at it, changed as a user's axiom says: where they stand, they, and their changes.

    What nobody judged is a non-relevant document, and the topic has so many more of these.
    """
    length = (here.grade != ABSENT).sum(-1)
    for k in np.unique(length).tolist():
        rows = np.flatnonzero(length == k)
        grade = here.grade[rows, :k]
        pool = here.pool[rows].copy()
        pool[:, 0] += (grade == UNJUDGED).sum(-1)
        before = Situations(k, np.maximum(grade, np.int8(0)), pool)
        yield rows, before, list(axiom_changes(axiom, before, np.arange(rows.size)))


def _of_axiom(
    axiom: Axiom, m: Measure, parts: Sequence[tuple[Index, Situations, list[Change]]], at: Index
) -> _Outcomes:
    wrong = EXPECTED[axiom.expects]
    outcomes = [_of_changes(m, before, at[rows], changes, wrong) for rows, before, changes in parts]
    examples = [own.example for own in outcomes if own.example is not None]
    return _Outcomes(
        np.concatenate([own.at for own in outcomes]),
        np.concatenate([own.violated for own in outcomes]),
        examples[0] if examples else None,
    )


def _same_lists(m: Measure, here: Situations, at: Index) -> _Outcomes:
    """Lists that are the same for two topics, beside the first of them."""
    score = here.score(m)
    _, first, which = np.unique(here.grade, axis=0, return_index=True, return_inverse=True)
    first = first[which.ravel()]
    shared = np.flatnonzero(at[:, 1] != at[first, 1])
    one, other = score[first[shared]], score[shared]
    same = np.isclose(one, other, rtol=0, atol=TOLERANCE, equal_nan=True)
    example = None
    for i in np.flatnonzero(~same)[:1]:
        example = CounterExample((here.case(first[shared[i]], one[i]), here.case(shared[i], other[i])))
    return _Outcomes(at[shared], ~same, example)


def _without_relevant(m: Measure, lists: RankedLists) -> _Outcomes | None:
    """Lists of topics without relevant documents."""
    at = np.argwhere((lists.grade != ABSENT).any(-1) & (lists.judged.n_rel() == 0))
    if not len(at):
        return None
    here = Situations(lists.depth, lists.grade[at[:, 0], at[:, 1]], lists.judged.pool[at[:, 1]])
    score = here.score(m)
    return _with_example(here, at, score, np.isnan(score))


def _best(m: Measure, lists: RankedLists) -> _Outcomes | None:
    """The best ranking of each topic, by the measure: does it reach the highest score?

    All documents from the most to the least relevant down to the depth, the relevant ones alone, or none: which of
    them is best depends on whether a measure asks for recall, for precision, or for silence.
    """
    topics = np.flatnonzero(lists.judged.n_rel() > 0)
    pool = lists.judged.pool[topics]
    full = _ideal(pool, lists.depth)
    rankings = full, np.where(full == 0, np.int8(ABSENT), full), np.full_like(full, ABSENT)
    every = [Situations(lists.depth, grade, pool) for grade in rankings]
    scores = np.nan_to_num([here.score(m) for here in every], nan=-np.inf)  # [ranking, topic]
    best = scores.argmax(0)
    here = Situations(lists.depth, np.stack(rankings)[best, np.arange(topics.size)], pool)
    at = np.column_stack([np.full(topics.size, -1), topics])
    score = here.score(m)
    return _with_example(here, at, score, ~(score >= m.declaration.high - TOLERANCE))


def _ideal(pool: Index, depth: int) -> Grades:
    """All documents of each topic from the most to the least relevant, cut. [topic, rank]"""
    top = pool.shape[1] - 1
    ends = np.cumsum(pool[:, ::-1], axis=-1)[:, None, :]  # where each grade, the highest first, ends
    below = (np.arange(depth)[None, :, None] >= ends).sum(-1)
    return np.where(below > top, ABSENT, top - below).astype(np.int8)
