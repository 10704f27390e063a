"""1-equivalence: the rankings that score exactly as one relevant document alone, at some rank (thomas2011)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from assay.core.arrays import Grades, Index
from assay.measures.declare import Measure
from assay.measures.universe.exhaustive import TopicRankings, check_size, dense_ranks, universe
from assay.results.schemas import schema, table

SHOWN = 5  # rankings in a row of the table of counts
WRITTEN_OUT = 1 << 14
"""The largest universe whose equivalent rankings are all written out, one row each."""

COLUMNS = schema(
    *("measure", "depth", "n_rel", "rank", "score", "n_vectors", "fewest", "most", "vectors"),
    depth=pl.Int64,
    n_rel=pl.Int64,
    rank=pl.Int64,
    n_vectors=pl.Int64,
    fewest=pl.Int64,
    most=pl.Int64,
    vectors=pl.String,
)

EACH_COLUMNS = schema(
    *("measure", "rank", "vector", "n_relevant"), rank=pl.Int64, vector=pl.String, n_relevant=pl.Int64
)


def one_equivalent(measure: Measure, lists: TopicRankings) -> Iterator[tuple[int, Index]]:
    """For each rank, the rankings that score as a relevant document there and none elsewhere, itself among them."""
    order = dense_ranks(measure, lists).rank
    alone = lists.grade.sum(-1) == 1
    for rank in range(1, lists.k + 1):
        (single,) = np.flatnonzero(alone & (lists.grade[:, rank - 1] == 1))
        yield rank, np.flatnonzero(order == order[single]) if order[single] >= 0 else np.array([], dtype=np.int64)


def one_equivalence(measures: Sequence[Measure], *, depth: int, n_rel: int) -> pl.DataFrame:
    """Count and show the rankings that score as one relevant document alone, by measure and rank."""
    check_size(depth, n_rel)
    lists = universe(depth, n_rel)
    return table(_rows(measures, lists), COLUMNS)


def one_equivalent_rankings(measures: Sequence[Measure], *, depth: int, n_rel: int) -> pl.DataFrame:
    """Write out every ranking that scores as one relevant document alone, those with fewest relevant first."""
    lists = universe(depth, n_rel)
    rows = (
        (str(m), rank, _written(row), int(row.sum()))
        for m in measures
        for rank, equal in one_equivalent(m, lists)
        for row in lists.grade[_others(equal, rank, lists)]
    )
    return table(rows, EACH_COLUMNS)


def _rows(measures: Sequence[Measure], lists: TopicRankings) -> Iterator[tuple[object, ...]]:
    hits = lists.grade.sum(-1, dtype=np.int64)
    for m in measures:
        score = m.declaration.sign * lists.score(m)
        for rank, equal in one_equivalent(m, lists):
            others = _others(equal, rank, lists)
            single = np.setdiff1d(equal, others)
            text = " ".join(map(_written, lists.grade[others[:SHOWN]]))
            ends = (int(hits[others[0]]), int(hits[others[-1]])) if others.size else (None, None)
            own = float(score[single[0]]) if single.size else None
            yield str(m), lists.k, lists.n_rel, rank, own, int(others.size), *ends, text or None


def _others(equal: Index, rank: int, lists: TopicRankings) -> Index:
    """Of equivalent rankings all but the one relevant document alone, those with fewest relevant documents first."""
    hits = lists.grade[equal].sum(-1, dtype=np.int64)
    others = equal[(hits != 1) | (lists.grade[equal, rank - 1] != 1)]
    return np.asarray(others[np.argsort(lists.grade[others].sum(-1, dtype=np.int64), kind="stable")])


def _written(row: Grades) -> str:
    return "".join(map(str, row.tolist()))
