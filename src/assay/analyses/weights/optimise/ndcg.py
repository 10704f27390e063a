"""nDCG as a function of its gains and discounts, and what is maximised of its scores, with its slope by each score.

The stability of the scores is a ratio of two quadratic forms in them: the variance between runs, over that variance
and its error. The other criterion is their power to separate runs, smoothed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, Protocol

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.products import inner_products
from assay.analyses.weights.optimise.smoothed_power import SmoothedPower
from assay.core.arrays import Array, Index
from assay.stats.variance import Coefficient, variance_forms

Ideal = Literal["gain", "grade"]
CriterionName = Literal["phi", "e_rho2", "power"]

_ROUNDING = 1e-26  # a variance below this share of the sum of squares comes of rounding


def ndcg(lists: GradedLists, gain: Array, discount: Array, *, ideal: Ideal = "gain") -> Array:
    """Score every run on every topic with these gains [grade] and discounts [rank]. [run, topic]

    The number of discounts is the cutoff, also where lists are shorter. The ideal ranking sorts all judged documents
    by gain, as the measure nDCG does, or by grade; where gains do not fall with the grade it is the same. A topic
    whose ideal ranking has no gain scores 0.
    """
    return _ratio(_dcg(lists, gain, discount), _sorted_mass(lists, gain, discount, ideal) @ gain)


def stability(
    lists: GradedLists,
    gain: Array,
    discount: Array,
    coefficient: CriterionName = "phi",
    *,
    ideal: Ideal = "gain",
    alpha: float = 0.05,
) -> float:
    """The coefficient of the nDCG scores, as `criterion` has it; NaN where scores differ by rounding only."""
    return criterion(coefficient, alpha=alpha)(ndcg(lists, gain, discount, ideal=ideal)).value


class Criterion(Protocol):
    """What is maximised, at some scores [run, topic]: a smooth function of them."""

    @property
    def value(self) -> float:
        """The function; NaN where scores differ by rounding only."""

    def slope(self) -> Array:
        """Its slope by each score. [run, topic]"""

    def curvature(self, first: Array) -> Array:
        """Its curvature along variables, `first` the slope of the scores by each. [variable, variable]"""


def criterion(of: CriterionName, *, alpha: float = 0.05) -> Callable[[Array], Criterion]:
    """A coefficient at one topic, or smoothed power at these topics, of any run x topic table.

    `phi` is the share of the variance of scores that lies between runs; `e_rho2` leaves out the variance between
    topics, which moves all runs alike; `power` is the share of pairs of runs that a paired t test separates,
    smoothed.
    """
    return partial(SmoothedPower, alpha=alpha) if of == "power" else partial(VarianceRatio, of=of)


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


class VarianceRatio:
    """A coefficient at one topic as the ratio of two forms in the sums of squares of a run x topic table.

    Estimates of components are not clipped at 0, so the coefficient stays smooth.
    """

    def __init__(self, x: Array, *, of: Coefficient = "phi") -> None:
        """Split the squares of the scores: those of runs, of topics, and what remains; `x` is [run, topic]."""
        self.x, (n_runs, n_topics) = x, x.shape
        runs, topics = x @ np.full(n_topics, 1 / n_topics), np.full(n_runs, 1 / n_runs) @ x
        self.mean = float(runs.mean())
        self.runs, self.topics = runs - self.mean, topics - self.mean
        rest = x - self.runs[:, None] - (self.topics + self.mean)
        squares = np.array(
            [n_topics * self.runs @ self.runs, n_runs * self.topics @ self.topics, np.vdot(rest, rest)]
        )
        self.between, self.whole = variance_forms(of, n_runs=n_runs, n_topics=n_topics)
        self.total = float(self.whole @ squares)
        known = self.total > _ROUNDING * float(np.vdot(x, x))
        self.value = float(self.between @ squares) / self.total if known else np.nan

    @property
    def _form(self) -> Array:
        """How the squares enter the slope of the coefficient. [3]"""
        return (self.between - self.value * self.whole) / self.total

    def slope(self) -> Array:
        """The slope by each score. [run, topic]"""
        return self._slope_of(self._form)

    def curvature(self, first: Array) -> Array:
        """The curvature along variables: that of a ratio of two sums of squares. [variable, variable]"""
        (n_runs, n_topics), flat = self.x.shape, first.reshape(len(first), -1)
        runs, topics = first @ np.full(n_topics, 1 / n_topics), np.full(n_runs, 1 / n_runs) @ first
        mean = runs.mean(1)
        runs, topics = runs - mean[:, None], topics - mean[:, None]
        parts = 2 * self._form
        inner = parts[2] * (inner_products(flat, flat) - flat.shape[1] * np.outer(mean, mean))
        inner += (parts[0] - parts[2]) * n_topics * (runs @ runs.T)
        inner += (parts[1] - parts[2]) * n_runs * (topics @ topics.T)
        slope = flat @ self.slope().ravel()
        down = flat @ self._slope_of(self.whole).ravel() / self.total
        across = np.outer(slope, down)
        return np.asarray(inner - across - across.T)

    def _slope_of(self, form: Array) -> Array:
        """The slope of a form [3] in the three sums of squares by each score. [run, topic]"""
        rest, by_run, by_topic = form[2], form[0] - form[2], form[1] - form[2]
        additive = (2 * by_run * self.runs)[:, None] + (2 * (by_topic * self.topics - rest * self.mean))
        return np.asarray(2 * rest * self.x + additive)
