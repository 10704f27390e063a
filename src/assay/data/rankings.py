"""Judged lists side by side: all that a measure ever sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools, Counts, Grades, Index
from assay.data.judgments.scale import ABSENT, IN_POOL, UNJUDGED, coded_grades

_T = TypeVar("_T")
Places = tuple[Index, Index]  # list and rank, from 0, of some documents


@dataclass(frozen=True, eq=False)
class Rankings:
    """Grades by rank, with what is known about each list's topic.

    A formula reads grades, `rank`, `cutoff` and the counts below; it never slices. Sums over ranks go through
    `total`, so that the same formula gives one depth, or, after `every_depth`, all depths in one pass. Where some
    grades are fractions, `grade` only numbers them in their order, and `scale` says what each is worth.
    """

    grade: Grades  # [list, rank]: a grade, or UNJUDGED, IN_POOL, ABSENT
    pool: Counts  # [list, grade]: documents of each grade in the judgments
    top: int  # the highest grade of the scale
    depth: int | None = None  # k as asked for, even where lists are shorter; None is the whole list
    cumulative: bool = False
    depths: tuple[int, ...] = ()  # where all depths are asked for at once, but only these are
    fractions: tuple[float, ...] = ()  # [grade] its value; empty where a grade is its own value
    _memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, grades: Sequence[float], *, n_rel: int | None = None, top: int | None = None, **pool: int
    ) -> Rankings:
        """Build one list by hand, for examples and tests.

        `n_rel` is the number of relevant documents there are (in the list or not), those beyond the list taken
        to be of grade 1, or of the lowest fraction; judged non-relevant documents are those in the list, or
        `n_nonrel` of them.
        """
        written = np.array([list(grades) or [ABSENT]])
        there = coded_grades(np.maximum(written, 0), max(1, top or written.max(initial=1)), "grades")
        grade, top = np.where(written < 0, written, there.code).astype(np.int8), there.top
        counts = np.array([[(grade == g).sum() for g in range(top + 1)]], dtype=np.int64)
        counts[0, 1] += max(0, (n_rel or 0) - counts[0, 1:].sum())
        counts[0, 0] = pool.get("n_nonrel", counts[0, 0])
        return cls(grade, counts, top, fractions=there.fractions)

    def memo(self, key: object, make: Callable[[], _T]) -> _T:
        """Compute once what several measures ask of the same lists."""
        if key not in self._memo:
            self._memo[key] = make()
        value: _T = self._memo[key]
        return value

    def head(self, k: int) -> Rankings:
        """Cut the lists at rank k."""
        k = k if self.depth is None else min(k, self.depth)
        return self.memo(("head", k), lambda: replace(self, grade=self.grade[:, :k], depth=k, _memo={}))

    def condensed(self) -> Rankings:
        """Drop unjudged documents and close the gaps."""
        return self.memo("condensed", self._condense)

    def _condense(self) -> Rankings:
        gone = self.grade < 0
        order = np.argsort(gone, axis=-1, kind="stable")
        grade = np.where(gone, np.int8(ABSENT), self.grade)
        return replace(self, grade=np.take_along_axis(grade, order, axis=-1), _memo={})

    def every_depth(self, k: int) -> Rankings:
        """Ask for all depths 1 .. k at once: formulas then return [list, depth]."""
        missing = max(0, k - self.grade.shape[1])
        grade = np.pad(self.grade[:, :k], ((0, 0), (0, missing)), constant_values=ABSENT)
        return replace(self, grade=grade, depth=k, cumulative=True, _memo={})

    def some_depths(self, depths: Sequence[int]) -> Rankings:
        """Ask for some depths at once, in rising order: formulas then return [list, depth]."""
        k = depths[-1]
        return replace(self, grade=self.grade[:, :k], depth=k, cumulative=True, depths=tuple(depths), _memo={})

    @property
    def scale(self) -> Array:
        """What each grade 0 .. top is worth: itself, or the fraction that it stands for. [grade]"""
        return self.memo("scale", lambda: np.array(self.fractions) if self.fractions else np.arange(self.top + 1.0))

    @property
    def highest(self) -> float:
        """The highest grade of the scale."""
        return self.fractions[-1] if self.fractions else self.top

    @property
    def rank(self) -> Array:
        """The ranks 1, 2, ... of the longest list. [rank]"""
        return self.memo("rank", lambda: np.arange(1.0, self.grade.shape[1] + 1))

    @property
    def cutoff(self) -> Any:
        """The depth asked for; infinity where none was. A number, or [depth]."""
        if self.depths:
            return np.array(self.depths, dtype=np.float64)
        if self.cumulative:
            return self.rank
        return np.inf if self.depth is None else self.depth

    def total(self, x: NDArray[Any]) -> Array:
        """Sum over ranks."""
        if self.depths:
            return np.stack([np.sum(x[..., :k], axis=-1, dtype=np.float64) for k in self.depths], axis=-1)
        if self.cumulative:
            return np.cumsum(x, axis=-1, dtype=np.float64)
        return np.sum(x, axis=-1, dtype=np.float64)

    def total_at(self, places: Places, x: NDArray[Any]) -> Array:
        """Sum over ranks what stands at some places, in their order; at all others there is nothing."""
        lists, rank = places
        n, width = self.grade.shape
        if self.depths:
            part = np.searchsorted(self.depths, np.arange(width), side="right")[rank]  # between two depths
            parts = np.bincount(len(self.depths) * lists + part, weights=x, minlength=len(self.depths) * n)
            return np.cumsum(parts.reshape(n, -1), axis=-1)
        if self.cumulative:
            dense = np.zeros((n, width))
            dense[lists, rank] = x
            return np.cumsum(dense, axis=-1)
        return np.asarray(np.bincount(lists, weights=x, minlength=n), dtype=np.float64)

    def peak(self, x: NDArray[Any]) -> Array:
        """Take the largest over ranks; 0 for an empty list."""
        if self.cumulative:
            return self.last(np.maximum.accumulate(x, axis=-1))
        return np.max(x, axis=-1, initial=0)

    def per_list(self, x: NDArray[Any]) -> NDArray[Any]:
        """Shape a number per list so that it meets what `total` returns."""
        return x[:, None] if self.cumulative else x

    def per_rank(self, x: NDArray[Any]) -> NDArray[Any]:
        """Shape a number per list so that it meets the ranks of its list."""
        return x if x.ndim == 2 else x[:, None]

    def last(self, x: NDArray[Any]) -> NDArray[Any]:
        """Read a running value off at the last rank, or at every depth."""
        if self.depths:
            return x[..., np.minimum(self.depths, x.shape[-1]) - 1]
        return x if self.cumulative else x[..., -1]

    def hit(self, rel: int) -> Bools:
        """Which documents are relevant. [list, rank]"""
        return self.memo(("hit", rel), lambda: self.grade >= rel)

    def found(self, rel: int) -> Places:
        """Where the relevant documents stand, list by list and down the ranks; most documents are not relevant."""

        def find() -> Places:
            n, width = self.grade.shape
            place, start = np.flatnonzero(self.hit(rel)), width * np.arange(n + 1)
            count = np.diff(np.searchsorted(place, start))
            return np.repeat(np.arange(n), count), place - np.repeat(start[:-1], count)

        return self.memo(("found", rel), find)

    def precision_found(self, rel: int) -> Array:
        """Precision at every relevant document, in the order of `found`."""

        def find() -> Array:
            lists, rank = self.found(rel)
            ends = np.cumsum(np.bincount(lists, minlength=len(self.grade)))
            above = np.arange(lists.size) - np.concatenate([[0], ends])[lists]
            return (above + 1) / (rank + 1.0)

        return self.memo(("precision found", rel), find)

    def total_gain(self, value: Array, weight: Array) -> Array:
        """Sum gains over ranks, `value` by grade times `weight` by rank, over documents that may have one."""
        lowest = int(np.flatnonzero(value)[0]) if value.any() else value.size
        by_code = np.zeros(1 << 7)
        by_code[: value.size] = value
        lists, rank = self.found(lowest)
        gain = by_code[self.grade[lists, rank]] if lowest < self.top else value[self.top :].sum()
        return self.total_at((lists, rank), gain * weight[rank])

    def n_hits(self, rel: int) -> NDArray[np.int32]:
        """How many are relevant down to each rank. [list, rank]"""
        return self.memo(("n_hits", rel), lambda: np.cumsum(self.hit(rel), axis=-1, dtype=np.int32))

    def precision(self, rel: int) -> Array:
        """Share of relevant documents down to each rank. [list, rank]"""
        return self.memo(("precision", rel), lambda: self.n_hits(rel) / self.rank)

    def n_rel(self, rel: int) -> Counts:
        """How many relevant documents there are. [list]"""
        return self.per_list(self.memo(("n_rel", rel), lambda: self.pool[:, max(rel, 0) :].sum(-1)))

    def n_nonrel(self, rel: int) -> Counts:
        """How many documents were judged and are not relevant. [list]"""
        return self.per_list(self.pool[:, : max(rel, 0)].sum(-1))

    def n_retrieved(self) -> Array:
        """How many documents the list holds. [list]"""
        return self.total(self.grade != ABSENT)

    def gain(self, value: Array) -> Array:
        """Replace grades by gains: value[grade], and 0 for whatever has no grade. [list, rank]"""
        by_code = np.zeros(256)
        by_code[: value.size] = value
        return self.memo(("gain", by_code.tobytes()), lambda: by_code[self.grade.view(np.uint8)])

    def ideal_dcg(self, value: Array, weight: Array, *, cut: bool) -> Array:
        """Weigh the best order of all judged documents, by gain; `weight` covers the longest of them. [list]"""
        count = self.pool[:, : value.size]
        depth = self.cutoff if cut else np.inf
        return self._sorted_dcg([self.per_list(count[:, g]) for g in range(value.size)], value, weight, depth)

    def ideal_total(self, value: Array, weight: Array) -> Array:
        """Weigh the best order of all judged documents down to each rank. [list, rank]"""
        count = [self.pool[:, g, None] for g in range(value.size)]
        return self._sorted_dcg(count, value, weight, self.rank)

    def resorted_dcg(self, value: Array, weight: Array) -> Array:
        """Weigh the best order, by gain, of the documents in the list. [list]"""
        return self._sorted_dcg([self.total(self.grade == g) for g in range(value.size)], value, weight, np.inf)

    @staticmethod
    def _sorted_dcg(count: Sequence[NDArray[Any]], value: Array, weight: Array, depth: Any) -> Array:
        """Add value x weight over documents sorted by value: count[g] of each grade, to a depth."""
        mass = np.concatenate([[0.0], np.cumsum(weight)])
        above, total = np.zeros_like(count[0]), np.float64(0.0)
        for g in sorted(np.flatnonzero(value > 0).tolist(), key=lambda g: -float(value[g])):
            below = above + count[g]
            ends = [np.minimum(np.minimum(n, depth), weight.size).astype(np.intp) for n in (above, below)]
            total = total + value[g] * (mass[ends[1]] - mass[ends[0]])
            above = below
        return np.asarray(total + np.zeros(np.broadcast_shapes(above.shape, np.shape(depth))))

    @property
    def judged(self) -> Bools:
        """Which documents have a grade. [list, rank]"""
        return self.grade >= 0

    @property
    def pooled(self) -> Bools:
        """Which documents are in the pool, judged or not. [list, rank]"""
        return (self.grade >= 0) | (self.grade == IN_POOL)

    @property
    def open(self) -> Bools:
        """Which documents could turn out to be relevant: there, but without a grade. [list, rank]"""
        return self.memo("open", lambda: (self.grade == UNJUDGED) | (self.grade == IN_POOL))


def put_grade(grade: Grades, places: Bools, new: int) -> Grades:
    """Put one grade in some places, as `np.where` does: of millions of places ten times as fast without a branch."""
    return grade + (np.int8(new) - grade) * places


def ratio(part: NDArray[Any], whole: Any) -> Array:
    """Divide; nothing by nothing is NaN, the mark of an undefined score."""
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)
