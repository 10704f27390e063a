"""1-equivalence: the rankings that score exactly as one relevant document alone, at some rank (thomas2011)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from assay.core.arrays import Index
from assay.measures.declare import Measure
from assay.measures.universe.exhaustive import TopicRankings, check_size, dense_ranks, universe
from assay.results.schemas import schema, table

SHOWN = 5  # rankings that are written out

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


def _rows(measures: Sequence[Measure], lists: TopicRankings) -> Iterator[tuple[object, ...]]:
    hits = lists.grade.sum(-1, dtype=np.int64)
    for m in measures:
        score = lists.score(m)
        for rank, equal in one_equivalent(m, lists):
            single = equal[(hits[equal] == 1) & (lists.grade[equal, rank - 1] == 1)]
            others = np.setdiff1d(equal, single)
            shown = others[np.argsort(hits[others], kind="stable")][:SHOWN]
            text = " ".join("".join(map(str, row)) for row in lists.grade[shown].tolist())
            ends = (int(hits[others].min()), int(hits[others].max())) if others.size else (None, None)
            own = float(score[single[0]]) if single.size else None
            yield str(m), lists.k, lists.n_rel, rank, own, int(others.size), *ends, text or None
