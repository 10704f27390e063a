"""The weights of nDCG as variables of the optimisation: which are free, their constraints, where to start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.mixture import (
    DiscountBasis,
    NdcgMixtures,
    discount_of,
    gain_of,
    shares_of,
    steps_of,
)
from assay.analyses.weights.optimise.ndcg import CriterionName, Ideal, criterion
from assay.analyses.weights.optimise.objective import NdcgObjective, RidgePenalty
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError

Free = Literal["discount", "gain", "both"]

LEAST = 1e-6
"""The lowest gain of a relevant grade, of the highest, and the lowest discount of the first rank, of all together.

Without any, a topic with nothing better, or with one relevant document, would lose its ideal.
"""
_GRID = 14  # knots to start with


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked: which weights are free, what the others are, and the constraints."""

    free: Free
    gain: Array  # [grade]
    discount: Array  # [rank]
    monotone: bool = True
    signed: bool = False
    coefficient: CriterionName = "phi"
    ideal: Ideal = "gain"
    ridge: float = 0.0
    towards: tuple[Array, Array] | None = None  # gain and discount to shrink to; those given where there is none
    alpha: float = 0.05  # of the test whose power is maximised

    @property
    def basis(self) -> DiscountBasis:
        """What a discount is made of."""
        return "means" if self.monotone else "ranks"

    @property
    def sparse(self) -> bool:
        """Whether a few knots are enough."""
        return self.monotone and self.ridge == 0 and self.free != "gain"


def check_size(lists: GradedLists) -> None:
    """Refuse lists in which runs or topics cannot vary."""
    if lists.n_runs < 2 or lists.n_topics < 2:
        raise UsageError(f"stability needs two runs and two topics; there are {lists.n_runs} and {lists.n_topics}")


def orders(grades: Index, task: Task) -> Iterator[tuple[int, ...]]:
    """The orders of the grades by gain that are possible, from the least to the most."""
    if not grades.size:
        raise UsageError("no judged document has a grade above 0: there is no gain to fit")
    ascending = tuple(int(g) for g in grades)
    if task.free == "discount" and task.ideal == "gain":
        yield tuple(sorted(ascending, key=lambda g: float(task.gain[g])))
    elif task.free == "discount" or task.monotone or task.ideal == "grade":
        yield ascending
    else:
        yield from permutations(ascending)


class Space:
    """The variables under one order of the grades."""

    def __init__(self, lists: GradedLists, task: Task, order: tuple[int, ...], k: int | None = None) -> None:
        """Prepare; the cutoff is the number of weights, unless it is less."""
        self.lists, self.task, self.order = lists, task, order
        self.mixtures = NdcgMixtures(lists, k or task.discount.size, order)
        self.gain_steps = steps_of(task.gain, order)

    def starts(self, n: int, rng: int) -> Iterator[tuple[Array, Array]]:
        """Gains and discounts to start from: a few shapes, then at random."""
        k, grades = self.task.discount.size, np.arange(self.lists.top + 1.0)
        rank = np.arange(1.0, k + 1)
        shapes = [(1.0, 0.5), (0.1, 1.0), (2.0, 0.1), (0.5, 2.0)]
        random = np.random.default_rng([rng, k])
        for i in range(n):
            power, fall = shapes[i] if i < len(shapes) else (random.gamma(1.0), random.gamma(1.0))
            yield self._ordered(grades**power * (grades > 0)), rank**-fall

    def _ordered(self, gain: Array) -> Array:
        """Hand the gains of a start to the grades in their order."""
        sorted_gain = gain.copy()
        sorted_gain[list(self.order)] = np.sort(gain[list(self.order)])
        return sorted_gain

    def first_knots(self, near: Array | None = None) -> Index:
        """The ranks to start with, where a few are enough: a few, ever further apart, or where `near` falls."""
        if self.task.sparse:
            k = self.task.discount.size
            if near is not None:
                return np.flatnonzero(near > np.append(near[1:], 0.0)) + 1
            return np.unique(np.geomspace(1, k, min(k, _GRID)).round().astype(np.intp))
        return self.all_knots()

    def all_knots(self) -> Index:
        """All ranks that can matter; none where the discount is given."""
        if self.task.free == "gain":
            return np.zeros(0, dtype=np.intp)
        knots = np.arange(1, self.task.discount.size + 1)
        if self.task.monotone:
            return knots
        top, bottom = self.mixtures.columns(knots, "ranks")
        return knots[top.any((0, 2)) | bottom.any((0, 2))]

    def objective(self, knots: Index) -> NdcgObjective:
        """The objective function on these knots."""
        task, mixtures = self.task, self.mixtures
        n_steps = 0 if task.free == "discount" else mixtures.n_levels
        if task.free == "gain":
            top, bottom = (part[:, None] for part in mixtures.discounted(task.discount))
        else:
            top, bottom = mixtures.columns(knots, task.basis)
        if task.free == "discount":
            top, bottom = (np.einsum("h,hjx->jx", self.gain_steps, part)[None] for part in (top, bottom))
        maximised = criterion(task.coefficient, alpha=task.alpha)
        lower = np.concatenate([self._step_bounds(n_steps), self._share_bounds(knots.size)])
        penalties = self._penalties(knots) if task.ridge else (None, None)
        return NdcgObjective(top, bottom, maximised, n_steps, knots.size, lower, penalties)

    def _step_bounds(self, n: int) -> Array:
        if not self.task.monotone and self.task.ideal == "grade":
            return np.full(n, -np.inf)
        return np.concatenate([np.full(min(n, 1), LEAST), np.zeros(max(n - 1, 0))])

    def _share_bounds(self, n: int) -> Array:
        if self.task.monotone or not n:
            return np.zeros(n)
        if self.task.signed:
            return np.full(n, -np.inf)
        return np.concatenate([[LEAST], np.zeros(n - 1)])

    def _penalties(self, knots: Index) -> tuple[RidgePenalty | None, RidgePenalty | None]:
        """The penalties for leaving the standard functions."""
        task = self.task
        gain, discount = task.towards or (task.gain, task.discount)
        on_steps = on_shares = None
        if task.free != "discount":
            by_step = np.tri(len(self.order))  # [level, step]
            on_steps = _penalty(task.ridge, by_step, gain[list(self.order)])
        if task.free != "gain":
            rank = np.arange(1, discount.size + 1)[:, None]
            by_share = (rank <= knots) / knots if task.monotone else (rank == knots).astype(np.float64)
            on_shares = _penalty(task.ridge, by_share, discount)
        return on_steps, on_shares

    def theta(self, gain: Array, discount: Array, knots: Index) -> Array:
        """The variables nearest to a gain and a discount."""
        steps = np.zeros(0) if self.task.free == "discount" else steps_of(gain, self.order)
        return np.concatenate([steps, shares_of(discount, knots, self.task.basis)])

    def rise(self, objective: NdcgObjective, theta: Array) -> Array:
        """The slope by the share of every average over the first ranks. [rank]"""
        steps = self.gain_steps if self.task.free == "discount" else objective.split(theta)[0]
        slope = np.zeros(self.task.discount.size)
        slope[: self.mixtures.k] = self.mixtures.slopes(*objective.gain_slopes(theta), steps)
        return np.cumsum(slope) / np.arange(1, slope.size + 1)

    def weights(self, objective: NdcgObjective, theta: Array, knots: Index) -> tuple[Array, Array]:
        """The gain [grade], 1 for the least that gains anything, and the discount [rank], which sums to 1."""
        task = self.task
        steps, shares = objective.split(theta)
        gain, discount = task.gain, task.discount
        if task.free != "discount":
            gain = gain_of(steps, self.order, self.lists.top)
            gain = gain / np.abs(gain[gain != 0]).min()
        if task.free != "gain":
            discount = discount_of(knots, shares, task.basis, discount.size)
            discount = discount / discount.sum()
        return gain, discount


def _penalty(strength: float, basis: Array, towards: Array) -> RidgePenalty:
    """Shrink towards a function; `basis` is what each variable stands for. [place, variable]"""
    goal = towards / towards.sum()
    return RidgePenalty(strength, basis.T @ basis, goal @ basis, basis.sum(0), float(goal @ goal))


def peaks(rise: Array, least: float) -> Index:
    """The ranks, from 1 up, of the highest peaks above a bound."""
    padded = np.concatenate([[-np.inf], rise, [-np.inf]])
    peak = np.flatnonzero((rise > least) & (rise >= padded[:-2]) & (rise >= padded[2:]))
    return peak[np.argsort(-rise[peak])] + 1
