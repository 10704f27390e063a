"""The ranked lists that runs return, grouped for comparison: by topic, or by run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from assay.analyses.disagreement.cases import TWO_RUNS, Origin
from assay.analyses.disagreement.pair_disagreement import disagreement_weights
from assay.core.arrays import Array, Bools, Grades, Index
from assay.core.errors import UsageError
from assay.core.thresholds import Threshold
from assay.data.judged import Collection, Judged, judge
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT
from assay.measures.declare import Measure
from assay.measures.universe.exhaustive import TopicRankings, cut
from assay.stats.pair_preferences import Sides, preferred_sides

COMPARED_LISTS = Threshold(
    "compared_lists",
    1000,
    unit="different rankings",
    meaning="of one topic or run, above which as many are compared with each other, evenly spaced",
)


@dataclass(frozen=True)
class RankedLists:
    """The first k ranks of every list that runs return, as measures see them."""

    judged: Judged
    depth: int

    @classmethod
    def of(cls, data: Collection, depth: int) -> RankedLists:
        """Judge the runs that are asked about; there must be something to compare."""
        lists = cls(judge(data.asked, data.qrels, negative=data.negative), depth)
        if not lists.included.any():
            raise UsageError("no run returns anything for a topic with relevant documents")
        return lists

    @cached_property
    def grade(self) -> Grades:
        """Grades by rank. [run, topic, rank]"""
        return self.judged.cube(self.depth)

    @cached_property
    def included(self) -> Bools:
        """Which lists count: returned, on topics that have relevant documents. [run, topic]"""
        return np.asarray((self.grade != ABSENT).any(-1) & (self.judged.n_rel() > 0))

    def score(self, measures: Sequence[Measure]) -> Array:
        """Score every list so that higher is better; NaN without a list or a score. [measure, run, topic]"""
        n_runs, n_topics, _ = self.grade.shape
        pool = np.broadcast_to(self.judged.pool, (n_runs, *self.judged.pool.shape))
        lists = Rankings(self.grade[self.included], pool[self.included], self.judged.top)
        scores = np.full((len(measures), n_runs, n_topics), np.nan)
        for own, m in zip(scores, measures, strict=True):
            own[self.included] = cut(m, self.depth).quality(lists)
        return scores

    def alike(self, scores: Array, topic: int) -> Index:
        """Number what the lists of a topic look like to measures: equal where two are the same. [run]"""
        run = np.arange(len(self.judged.runs))
        looks = _looks(self, scores, run, np.full(run.size, topic))
        return np.unique(looks, axis=0, return_inverse=True)[1].ravel()

    def vectors(self) -> tuple[Bools, Index]:
        """The relevance vectors that occur, relevant being of any grade, and how often. [vector, rank], [vector]"""
        rows, n = np.unique(self.grade[self.included] > 0, axis=0, return_counts=True)
        return rows, n

    def weight(self, lists: TopicRankings) -> Index:
        """How often runs produced each ranking of a binary universe of this depth. [list]"""
        rows, n = self.vectors()
        code, places = _codes(rows), _codes(lists.grade > 0)
        at = np.searchsorted(code, places, sorter=(order := np.argsort(code))).clip(max=code.size - 1)
        return np.where(code[order[at]] == places, n[order[at]], 0)

    def word(self, run: int, topic: int) -> str:
        """Write a ranking as a word."""
        return ranking_word(g for g in self.grade[run, topic].tolist() if g != ABSENT)


def ranking_word(grades: Iterable[int | None]) -> str:
    """Write a ranking as a row of grades, letters from ten up; ? is a document without one.

    >>> ranking_word([0, 12, -1, None])
    '0C??'
    """
    return "".join("?" if g is None or g < 0 else _sign(g) for g in grades)


@cache
def _sign(grade: int) -> str:
    return np.base_repr(grade, 36)


def word_grades(word: str) -> list[int | None]:
    """Read a ranking written as a word.

    >>> word_grades("0C?")
    [0, 12, None]
    """
    return [None if sign == "?" else int(sign, 36) for sign in word]


def _codes(hit: Bools) -> Index:
    """Number rankings by which of their documents are relevant: rank i + 1 is bit i. [list]"""
    return np.asarray(hit @ (1 << np.arange(hit.shape[1], dtype=np.int64)))


@dataclass(frozen=True, slots=True)
class ListGroup:
    """Different lists that are compared with each other, each with how many are like it."""

    run: Index  # [list]
    topic: Index  # [list]
    n: Index  # [list]
    member: Index  # [every list of the group] run
    like: Index  # [every list of the group] which of the different lists it is like; -1 where that is left out


@dataclass(frozen=True, slots=True)
class GroupedLists:
    """Groups of lists: those that runs return for each topic, or those of each run for its topics."""

    pairs: Origin  # what a pair of lists of one group is: of two runs, or of two topics
    groups: list[ListGroup]
    n_thinned: int  # groups of which not all lists are compared


def group_lists(lists: RankedLists, scores: Array, pairs: Origin) -> GroupedLists:
    """Group the lists that are compared with each other. `scores` is [measure, run, topic]"""
    at = np.argwhere(lists.included)
    of = at[:, 1 if pairs == TWO_RUNS else 0]
    groups = [_distinct(lists, scores, at[of == i]) for i in np.unique(of)]
    most = int(COMPARED_LISTS.value)
    return GroupedLists(pairs, [_thinned(group, most) for group in groups], sum(g.n.size > most for g in groups))


def _distinct(lists: RankedLists, scores: Array, at: Index) -> ListGroup:
    """Let lists that are alike, of topics that are alike, stand as one."""
    run, topic = at.T
    _, first, like, n = np.unique(
        _looks(lists, scores[:, run, topic], run, topic),
        axis=0,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    return ListGroup(run[first], topic[first], n, run, like.ravel())


def _looks(lists: RankedLists, scores: Array, run: Index, topic: Index) -> Array:
    """What measures see of lists. [list, what], from [measure, list]

    A document that nobody judged, or none at all, is like one that is not relevant, unless a measure scores them
    differently.
    """
    own = np.nan_to_num(scores.T, nan=-1.0)
    return np.column_stack([np.maximum(lists.grade[run, topic], 0), lists.judged.pool[topic], own])


def _thinned(group: ListGroup, most: int) -> ListGroup:
    """Keep at most so many lists, evenly spaced in the order in which they are sorted."""
    rows = np.unique(np.linspace(0, group.n.size - 1, min(group.n.size, most)).round().astype(np.int64))
    place = np.full(group.n.size, -1)
    place[rows] = np.arange(rows.size)
    return ListGroup(group.run[rows], group.topic[rows], group.n[rows], group.member, place[group.like])


def distinct_measures(scores: Array, groups: Sequence[ListGroup]) -> list[int]:
    """Choose, of measures that prefer the same list of every pair, the first. `scores` is [measure, run, topic]"""
    none = np.zeros((len(scores), len(scores)))
    differ = sum((disagreement_weights(*sides_of_pairs(scores, group)).differ for group in groups), none)
    return [i for i in range(len(scores)) if not (differ[i, :i] == 0).any()]


def sides_of_pairs(scores: Array, group: ListGroup) -> tuple[Sides, Array]:
    """Which list of every pair measures prefer, and how often the pair occurs. [measure, pair], [pair]"""
    own = scores[:, group.run, group.topic]
    first, second = np.triu_indices(group.n.size, 1)
    return preferred_sides(own[:, first], own[:, second]), (group.n[first] * group.n[second]).astype(np.float64)
