"""nDCG as a function of its gains and discounts, and the stability of its scores, with its slope by each score.

The stability of the scores is a ratio of two quadratic forms in them: the variance between runs, over that variance
and its error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists
from assay.core.arrays import Array, Index
from assay.stats.variance import Coefficient, variance_forms

Ideal = Literal["gain", "grade"]

_ROUNDING = 1e-26  # a variance below this share of the sum of squares comes of rounding


def ndcg(lists: GradedLists, gain: Array, discount: Array, *, ideal: Ideal = "gain") -> Array:
    """Score every run on every topic with these gains [grade] and discounts [rank]. [run, topic]

    The number of discounts is the cutoff, also where lists are shorter. The ideal ranking sorts all judged documents
    by gain, as the measure nDCG does, or by grade; where gains do not fall with the grade it is the same. A topic
    whose ideal ranking has no gain scores 0.
    """
    return _ratio(_dcg(lists, gain, discount), _sorted_mass(lists, gain, discount, ideal) @ gain)


def stability(
    lists: GradedLists, gain: Array, discount: Array, coefficient: Coefficient = "phi", *, ideal: Ideal = "gain"
) -> float:
    """The coefficient of the nDCG scores at one topic; NaN where scores differ by rounding only.

    `phi` is the share of the variance of scores that lies between runs; `e_rho2` leaves out the variance between
    topics, which moves all runs alike.
    """
    x = ndcg(lists, gain, discount, ideal=ideal)
    return VarianceRatio(*x.shape).ratio(x, coefficient)[0]


def _ratio(part: Array, whole: Array) -> Array:
    """Divide; nothing by nothing is 0, as an undefined score counts."""
    return np.divide(part, whole, out=np.zeros(np.broadcast_shapes(part.shape, whole.shape)), where=whole != 0)


def _by_code(gain: Array) -> Array:
    """Gains by the byte of a grade; whatever has no grade gains nothing. [256]"""
    table = np.zeros(256)
    table[: gain.size] = gain
    return table


def _dcg(lists: GradedLists, gain: Array, discount: Array) -> Array:
    """The discounted gain. [run, topic]"""
    n = min(lists.depth, discount.size)
    table, weight = _by_code(gain), discount[:n]
    return np.stack([table[run.view(np.uint8)] @ weight for run in lists.grade[:, :, :n]])


def _order(gain: Array, ideal: Ideal) -> list[int]:
    """Grades from the first to the last of an ideal ranking; those without gain are not in it."""
    grades = np.flatnonzero(gain > 0 if ideal == "gain" else gain != 0)[::-1]
    return list(grades[np.argsort(-gain[grades], kind="stable")] if ideal == "gain" else grades)


def _ends(lists: GradedLists, order: list[int], k: int) -> list[tuple[int, Index, Index]]:
    """Each grade in an ideal ranking cut at k: the ranks after which it starts and ends. [topic]"""
    above = np.zeros(lists.n_topics, dtype=np.int64)
    ends = []
    for g in order:
        below = above + lists.pool[:, g]
        ends.append((g, np.minimum(above, k), np.minimum(below, k)))
        above = below
    return ends


def _sorted_mass(lists: GradedLists, gain: Array, discount: Array, ideal: Ideal) -> Array:
    """The discount that each grade takes up in the ideal ranking. [topic, grade]"""
    mass = np.concatenate([[0.0], np.cumsum(discount)])
    by_grade = np.zeros((lists.n_topics, gain.size))
    for g, start, end in _ends(lists, _order(gain, ideal), discount.size):
        by_grade[:, g] = mass[end] - mass[start]
    return by_grade


@dataclass(frozen=True, slots=True)
class VarianceRatio:
    """A coefficient at one topic as the ratio of two forms in the sums of squares of a run x topic table.

    Estimates of components are not clipped at 0, so the coefficient stays smooth.
    """

    n_runs: int
    n_topics: int

    def forms(self, coefficient: Coefficient) -> tuple[Array, Array]:
        """How run, topic and remaining squares enter the variance between runs, and that with its error. [3] each"""
        return variance_forms(coefficient, n_runs=self.n_runs, n_topics=self.n_topics)

    def squares(self, x: Array) -> Array:
        """Sums of squares of runs, of topics, and what remains; x is [run, topic]. [3]"""
        mean = x.mean()
        runs, topics = x.mean(1) - mean, x.mean(0) - mean
        rest = x - runs[:, None] - (topics + mean)
        return np.array([self.n_topics * runs @ runs, self.n_runs * topics @ topics, np.vdot(rest, rest)])

    def ratio(self, x: Array, coefficient: Coefficient) -> tuple[float, float]:
        """The coefficient, NaN where scores differ by rounding only, and the whole variance below it."""
        between, whole = self.forms(coefficient)
        squares = self.squares(x)
        total = float(whole @ squares)
        return float(between @ squares) / total if total > _ROUNDING * float(np.vdot(x, x)) else np.nan, total

    def slope(self, x: Array, coefficient: Coefficient) -> tuple[float, float, Array]:
        """The coefficient, the whole variance below it, and the coefficient's slope by each score. [run, topic]"""
        value, total = self.ratio(x, coefficient)
        if np.isnan(value):
            return value, total, np.zeros(x.shape)
        between, whole = self.forms(coefficient)
        return value, total, self.slope_of_form(x, (between - value * whole) / total)

    @staticmethod
    def slope_of_form(x: Array, form: Array) -> Array:
        """The slope of a form [3] in the three sums of squares by each score. [run, topic]"""
        mean = x.mean()
        runs, topics = x.mean(1)[:, None] - mean, x.mean(0) - mean
        rest, by_run, by_topic = form[2], form[0] - form[2], form[1] - form[2]
        return np.asarray(2 * (rest * x + by_run * runs + (by_topic * topics - rest * mean)))
