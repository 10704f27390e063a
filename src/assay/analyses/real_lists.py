"""The rankings that real runs produce, gathered for comparison: by topic, or by run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.catalogue import Measure
from assay.errors import UsageError
from assay.inputs import Collection
from assay.judged import Judged, judge
from assay.numeric.contention import Verdicts, verdicts
from assay.rankings import Array, Rankings
from assay.tables import ABSENT, Bools, Index
from assay.universe import Lists, cut

By = Literal["two runs", "two topics"]

MOST = 1000  # rankings of one group that are compared with each other; more are thinned evenly


@dataclass(frozen=True)
class Real:
    """The first k ranks of every list that was returned, as measures see them."""

    judged: Judged
    depth: int

    @classmethod
    def of(cls, data: Collection, depth: int) -> Real:
        """Judge the runs that are asked about; there must be something to compare."""
        found = cls(judge(data.asked, data.qrels, negative=data.negative), depth)
        if not found.there.any():
            raise UsageError("no run returns anything for a topic with relevant documents")
        return found

    @cached_property
    def grade(self) -> NDArray[np.int8]:
        """Grades by rank. [run, topic, rank]"""
        return self.judged.cube(self.depth)

    @cached_property
    def there(self) -> Bools:
        """Which lists count: returned, on topics that have relevant documents. [run, topic]"""
        return np.asarray((self.grade != ABSENT).any(-1) & (self.judged.n_rel() > 0))

    def score(self, measures: Sequence[Measure]) -> Array:
        """Score every list; NaN where there is none or a measure is undefined. [measure, run, topic]"""
        n_runs, n_topics, _ = self.grade.shape
        pool = np.broadcast_to(self.judged.pool, (n_runs, *self.judged.pool.shape))
        lists = Rankings(self.grade[self.there], pool[self.there], self.judged.top)
        scores = np.full((len(measures), n_runs, n_topics), np.nan)
        for own, m in zip(scores, measures, strict=True):
            own[self.there] = cut(m, self.depth).compute(lists)
        return scores

    def vectors(self) -> tuple[NDArray[np.bool_], Index]:
        """The rows of relevant (of any grade) and other documents that occur, and how often. [row, rank], [row]"""
        rows, n = np.unique(self.grade[self.there] > 0, axis=0, return_counts=True)
        return rows, n

    def weight(self, lists: Lists) -> Index:
        """How often runs produced each ranking of a binary universe of this depth. [list]"""
        rows, n = self.vectors()
        code, places = _codes(rows), _codes(lists.grade > 0)
        at = np.searchsorted(code, places, sorter=(order := np.argsort(code))).clip(max=code.size - 1)
        return np.where(code[order[at]] == places, n[order[at]], 0)


def _codes(hit: Bools) -> Index:
    """Number rankings by which of their documents are relevant: rank i + 1 is bit i. [list]"""
    return np.asarray(hit @ (1 << np.arange(hit.shape[1], dtype=np.int64)))


@dataclass(frozen=True, slots=True)
class Group:
    """Different rankings that are compared with each other, each with how many are like it."""

    run: Index  # [item]
    topic: Index  # [item]
    n: Index  # [item]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Groups of rankings: those that runs give for each topic, or those of each run for its topics."""

    by: By
    groups: list[Group]
    n_thinned: int  # groups of which not all rankings are compared


def gathered(real: Real, scores: Array, by: By) -> Gathered:
    """Gather the rankings that are compared with each other. `scores` is [measure, run, topic]"""
    at = np.argwhere(real.there)
    of = at[:, 1 if by == "two runs" else 0]
    groups = [_distinct(real, scores, at[of == i]) for i in np.unique(of)]
    return Gathered(by, [_thinned(group) for group in groups], sum(group.n.size > MOST for group in groups))


def _distinct(real: Real, scores: Array, at: Index) -> Group:
    """Let rankings that are alike, of topics that are alike, stand as one.

    A document that nobody judged, or none at all, is like one that is not relevant, unless a measure tells them
    apart.
    """
    run, topic = at.T
    own = np.nan_to_num(scores[:, run, topic].T, nan=-1.0)
    looks = np.column_stack([np.maximum(real.grade[run, topic], 0), real.judged.pool[topic], own])
    _, first, n = np.unique(looks, axis=0, return_index=True, return_counts=True)
    return Group(run[first], topic[first], n)


def _thinned(group: Group) -> Group:
    kept = np.unique(np.linspace(0, group.n.size - 1, min(group.n.size, MOST)).round().astype(np.int64))
    return Group(group.run[kept], group.topic[kept], group.n[kept])


def compared(scores: Array, group: Group) -> tuple[Verdicts, Array]:
    """What measures say of every pair of different rankings, and how often each occurs. [measure, pair], [pair]"""
    own = scores[:, group.run, group.topic]
    first, second = np.triu_indices(group.n.size, 1)
    return verdicts(own[:, first], own[:, second]), (group.n[first] * group.n[second]).astype(np.float64)
