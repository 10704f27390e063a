"""nDCG as a function of its two choices, what a grade is worth and what a rank counts, with exact slopes.

The stability of the scores is a ratio of two quadratic forms in them: the variance between runs, over that variance
and what disturbs it. Its slope by every gain and by every weight of a rank follows through both halves of nDCG, the
discounted gain and the ideal one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Coefficient = Literal["phi", "e_rho2"]
Ideal = Literal["gain", "grade"]

_ROUNDING = 1e-26  # a variance below this share of the sum of squares comes of rounding


@dataclass(frozen=True, slots=True)
class Lists:
    """Graded lists of all runs on all topics, with what the judgments hold."""

    grade: NDArray[np.int8]  # [run, topic, rank]; below 0 where a document has no grade
    pool: NDArray[np.int64]  # [topic, grade]

    @property
    def n_runs(self) -> int:
        """How many runs there are."""
        return int(self.grade.shape[0])

    @property
    def n_topics(self) -> int:
        """How many topics there are."""
        return int(self.grade.shape[1])

    @property
    def depth(self) -> int:
        """How many ranks there are."""
        return int(self.grade.shape[2])

    @property
    def top(self) -> int:
        """The highest grade of the scale."""
        return int(self.pool.shape[1]) - 1

    @property
    def grades(self) -> Index:
        """The grades above 0 that some document has, in the judgments."""
        return np.flatnonzero(self.pool[:, 1:].sum(0)) + 1

    def head(self, k: int) -> Lists:
        """Cut every list at rank k."""
        return replace(self, grade=self.grade[:, :, :k])

    def select(self, *, runs: Index | None = None, topics: Index | None = None) -> Lists:
        """Keep these runs and topics, by number; a number given twice is there twice, as in a bootstrap."""
        grade = self.grade if runs is None else self.grade[runs]
        if topics is None:
            return replace(self, grade=grade)
        return Lists(grade[:, topics], self.pool[topics])


@dataclass(frozen=True, slots=True)
class Stability:
    """A coefficient at one topic, and how it changes with gain and discount."""

    value: float
    by_gain: Array  # [grade]
    by_discount: Array  # [rank]


def ndcg(lists: Lists, gain: Array, discount: Array, *, ideal: Ideal = "gain") -> Array:
    """Score every run on every topic with these gains [grade] and weights of ranks [rank]. [run, topic]

    The number of weights is the cutoff, also where lists are shorter. The ideal ranking sorts all judged documents by
    gain, as the measure nDCG does, or by grade; where gains do not fall with the grade it is the same. A topic whose
    ideal ranking has no gain scores 0.
    """
    return _ratio(_dcg(lists, gain, discount), _sorted_mass(lists, gain, discount, ideal) @ gain)


def stability(
    lists: Lists, gain: Array, discount: Array, coefficient: Coefficient = "phi", *, ideal: Ideal = "gain"
) -> Stability:
    """The coefficient of the nDCG scores at one topic, with its slopes.

    `phi` is the share of the variance of scores that lies between runs; `e_rho2` leaves out the variance between
    topics, which moves all runs alike. Where two gains are equal and the ideal is sorted by gain, the slope is that
    on the side where the higher grade gains more.
    """
    n = min(lists.depth, discount.size)
    mass = _sorted_mass(lists, gain, discount, ideal)  # [topic, grade]
    best = mass @ gain
    x = _ratio(_dcg(lists, gain, discount), best)
    value, _, slope = spread_of(x).slope(x, coefficient)
    pull = _ratio(slope, best)
    lost = (pull * x).sum(0)  # [topic]
    tally = np.zeros((discount.size, gain.size))
    tally[:n] = _tally(lists.grade[:, :, :n], pull, gain.size)
    ideal_gain = _ideal_gain(lists, gain, discount.size, ideal)  # [topic, rank]
    return Stability(value, discount @ tally - lost @ mass, tally @ gain - lost @ ideal_gain)


def _ratio(part: Array, whole: Array) -> Array:
    """Divide; nothing by nothing is 0, as an undefined score counts."""
    return np.divide(part, whole, out=np.zeros(np.broadcast_shapes(part.shape, whole.shape)), where=whole != 0)


def _by_code(gain: Array) -> Array:
    """Gains by the byte of a grade; whatever has no grade gains nothing. [256]"""
    table = np.zeros(256)
    table[: gain.size] = gain
    return table


def _dcg(lists: Lists, gain: Array, discount: Array) -> Array:
    """The discounted gain. [run, topic]"""
    n = min(lists.depth, discount.size)
    table, weight = _by_code(gain), discount[:n]
    return np.stack([table[run.view(np.uint8)] @ weight for run in lists.grade[:, :, :n]])


def _tally(grade: NDArray[np.int8], pull: Array, n_grades: int) -> Array:
    """Add up a number of each list over its documents of a rank and a grade. [rank, grade]"""
    width = grade.shape[2]
    total = np.zeros(width * n_grades)
    for run, weight in zip(grade, pull, strict=True):
        topic, rank = np.nonzero(run >= 0)
        total += np.bincount(rank * n_grades + run[topic, rank], weights=weight[topic], minlength=total.size)
    return total.reshape(width, n_grades)


def _order(gain: Array, ideal: Ideal) -> list[int]:
    """Grades from the first to the last of an ideal ranking; those without gain are not in it."""
    grades = np.flatnonzero(gain > 0 if ideal == "gain" else gain != 0)[::-1]
    return list(grades[np.argsort(-gain[grades], kind="stable")] if ideal == "gain" else grades)


def _ends(lists: Lists, order: list[int], k: int) -> list[tuple[int, Index, Index]]:
    """Each grade in an ideal ranking cut at k: the ranks after which it starts and ends. [topic]"""
    above = np.zeros(lists.n_topics, dtype=np.int64)
    found = []
    for g in order:
        below = above + lists.pool[:, g]
        found.append((g, np.minimum(above, k), np.minimum(below, k)))
        above = below
    return found


def _sorted_mass(lists: Lists, gain: Array, discount: Array, ideal: Ideal) -> Array:
    """The weight that each grade takes up in the ideal ranking. [topic, grade]"""
    mass = np.concatenate([[0.0], np.cumsum(discount)])
    found = np.zeros((lists.n_topics, gain.size))
    for g, start, end in _ends(lists, _order(gain, ideal), discount.size):
        found[:, g] = mass[end] - mass[start]
    return found


def _ideal_gain(lists: Lists, gain: Array, k: int, ideal: Ideal) -> Array:
    """The gain at each rank of the ideal ranking. [topic, rank]"""
    rank = np.arange(k)
    found = np.zeros((lists.n_topics, k))
    for g, start, end in _ends(lists, _order(gain, ideal), k):
        found += gain[g] * ((rank >= start[:, None]) & (rank < end[:, None]))
    return found


@dataclass(frozen=True, slots=True)
class Spread:
    """The sums of squares of a run x topic table and what each counts for, at one topic.

    Estimates of components are not clipped at 0, so the coefficient stays smooth.
    """

    n_runs: int
    n_topics: int

    def parts(self, coefficient: Coefficient) -> tuple[Array, Array]:
        """How run, topic and remaining squares enter the variance between runs, and the whole. [3] each"""
        s, t = self.n_runs, self.n_topics
        rest = 1 / ((s - 1) * (t - 1))
        between = np.array([1 / (t * (s - 1)), 0.0, -rest / t])
        topics = 1 / (s * (t - 1)) if coefficient == "phi" else 0.0
        others = rest * (1 - 1 / t - (1 / s if coefficient == "phi" else 0.0))
        return between, np.array([between[0], topics, others])

    def squares(self, x: Array) -> Array:
        """Sums of squares of runs, of topics, and what remains; x is [run, topic]. [3]"""
        mean = x.mean()
        runs, topics = x.mean(1) - mean, x.mean(0) - mean
        rest = x - runs[:, None] - (topics + mean)
        return np.array([self.n_topics * runs @ runs, self.n_runs * topics @ topics, np.vdot(rest, rest)])

    def ratio(self, x: Array, coefficient: Coefficient) -> tuple[float, float]:
        """The coefficient, NaN where scores differ by rounding only, and the whole variance below it."""
        between, whole = self.parts(coefficient)
        squares = self.squares(x)
        total = float(whole @ squares)
        return float(between @ squares) / total if total > _ROUNDING * float(np.vdot(x, x)) else np.nan, total

    def slope(self, x: Array, coefficient: Coefficient) -> tuple[float, float, Array]:
        """The coefficient, the whole variance below it, and the coefficient's slope by each score. [run, topic]"""
        value, total = self.ratio(x, coefficient)
        if np.isnan(value):
            return value, total, np.zeros(x.shape)
        between, whole = self.parts(coefficient)
        return value, total, self.pulled(x, (between - value * whole) / total)

    @staticmethod
    def pulled(x: Array, parts: Array) -> Array:
        """The slope of a sum of the three squares, each times its part. [run, topic]"""
        mean = x.mean()
        runs, topics = x.mean(1)[:, None] - mean, x.mean(0) - mean
        rest, by_run, by_topic = parts[2], parts[0] - parts[2], parts[1] - parts[2]
        return np.asarray(2 * (rest * x + by_run * runs + (by_topic * topics - rest * mean)))


def spread_of(x: Array) -> Spread:
    """The spread of a table of this shape."""
    return Spread(*x.shape)
