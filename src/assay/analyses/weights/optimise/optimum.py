"""The gain and the discount that make nDCG most stable.

A discount that does not rise with the rank is a mixture of averages over the first ranks, and the best one needs only
a few of them. So the search solves for the shares of a few, adds those by which the objective would still rise, and
ends when there is none (column generation): a stationary point among all ranks, at any cutoff. The objective is not
concave, so it searches from several starts, and no proof is given that the best of them is the global maximum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.ndcg import CriterionName, Ideal
from assay.analyses.weights.optimise.newton import ascend
from assay.analyses.weights.optimise.objective import NdcgObjective
from assay.analyses.weights.optimise.variables import Free, Space, Task, check_size, orders, peaks
from assay.core.arrays import Array, Index
from assay.core.thresholds import Threshold

CONVERGED = Threshold("kkt_converged", 1e-8, unit="residual", meaning="below which a fit counts as converged")
TOLERANCE = 1e-11  # what the search aims at
Weights = tuple[Array, Array]  # gain, discount
NEW, ROUNDS = 8, 100  # knots added at a time, and how often at most


def has_converged(kkt: float) -> bool:
    """Whether a residual of the conditions of a maximum is small enough."""
    return kkt < CONVERGED.value


@dataclass(frozen=True, slots=True)
class Optimum:
    """A gain and a discount, and how sure it is that they are the best.

    They are mixtures with shares of 0 or more, so they keep the constraints exactly. Where all scores are the same
    whatever the weights, there is no value.
    """

    gain: Array  # [grade]; the lowest that gains anything has 1
    discount: Array  # [rank]; sums to 1
    value: float  # of the coefficient, at one topic
    kkt: float  # the largest violation of the conditions of a maximum, in the mixtures' shares and steps
    converged: bool
    objective: float  # the value, less the ridge penalty
    values: tuple[float, ...]  # the value that each start ended at
    knots: tuple[int, ...]  # ranks after which the discount falls


def optimise(
    lists: GradedLists,
    *,
    free: Free = "discount",
    gain: Array,
    discount: Array,
    monotone: bool = True,
    signed: bool = False,
    coefficient: CriterionName = "phi",
    ideal: Ideal = "gain",
    ridge: float = 0.0,
    towards: tuple[Array, Array] | None = None,
    starts: int = 4,
    also: Sequence[Weights] = (),
    near: Weights | None = None,
    alpha: float = 0.05,
    rng: int = 0,
) -> Optimum:
    """Find the weights at which the coefficient of nDCG at one topic, or its smoothed power, is largest.

    Parameters
    ----------
    lists
        Graded lists of two runs and two topics or more.
    free
        What is searched for: the discounts of the ranks, the gains of the grades, or both.
    gain, discount
        Used as they are where not free. The length of the discount is the cutoff.
    monotone
        Gains must not fall with the grade, discounts not rise with the rank.
    signed
        Discounts that need not be monotone may be negative too, as long as every topic's ideal gain stays above 0.
        Otherwise they are a distribution over ranks, as in the paper. With hundreds of ranks signed discounts can
        cancel and the coefficient rise without end; the answer then says that it has not converged. Gains whose ideal
        ranking is sorted by gain are never negative.
    coefficient
        `phi`, stability of scores, `e_rho2`, stability of rankings, or `power`, the smoothed share of pairs of runs
        that a paired t test separates.
    ideal
        Whether the ideal ranking is sorted by gain or by grade, where gains need not be monotone.
    ridge, towards
        Subtract ridge x |p - q|^2 / |q|^2, where p are the weights and q those of `towards` (gain, discount), both
        scaled to sum to 1; `towards` is `gain` and `discount` unless it says otherwise.
    starts
        How many points the search starts from.
    also
        Gains and discounts that the answer must not be below.
    near
        A gain and a discount to start from instead, such as the optimum on almost the same topics.
    alpha
        Significance level of the test whose smoothed power is maximised, where that is asked for.
    rng
        The seed of the starts beyond the first few.

    Notes
    -----
    On 1,500 random problems of 2 to 14 runs and topics and up to 29 ranks, the monotone search always converged.
    Without that constraint 37 of 1,500 did not, mostly where a handful of runs can be separated as well as one likes;
    `converged` says so.
    """
    check_size(lists)
    task = Task(free, gain, discount, monotone, signed, coefficient, ideal, ridge, towards, alpha)
    spaces = [Space(lists, task, order) for order in orders(lists.grades, task)]
    optima = [
        _best(space, [near] if near else list(space.starts(starts, rng)), also, near=bool(near)) for space in spaces
    ]
    return max(optima, key=lambda optimum: optimum.objective)


def _best(space: Space, starts: Sequence[Weights], also: Sequence[Weights], *, near: bool) -> Optimum:
    """Climb from all starts; the best end, never below the value at `also`."""
    ends = [_climb(space, gain, discount, space.first_knots(discount if near else None)) for gain, discount in starts]
    best = max(ends, key=lambda end: end.objective)
    for start in also:
        if _value_at(space, *start) > best.objective + TOLERANCE:
            ends.append(_climb(space, *start, space.all_knots()))
            best = max(best, ends[-1], key=lambda end: end.objective)
    return replace(best, values=tuple(end.value for end in ends))


def _value_at(space: Space, gain: Array, discount: Array) -> float:
    """The objective at these weights; minus infinity where they break a constraint."""
    knots = space.all_knots()
    objective = space.objective(knots)
    theta = objective.normalise(space.theta(gain, discount, knots))
    return objective.value(theta) if (theta >= objective.lower).all() else -np.inf


def _climb(space: Space, gain: Array, discount: Array, knots: Index) -> Optimum:
    """Climb on some knots; add those by which it goes on; until there is none."""
    objective = space.objective(knots)
    theta = space.theta(gain, discount, knots)
    for _ in range(ROUNDS):
        theta, kkt = ascend(objective, theta, tolerance=TOLERANCE)
        if not space.task.sparse:
            break
        rise = space.rise(objective, theta)
        kkt = max(kkt, float(rise.max()))
        new = np.setdiff1d(peaks(rise, TOLERANCE)[:NEW], knots)
        if not new.size:
            break
        theta, knots = exchanged(theta, knots, new, objective.n_steps)
        objective = space.objective(knots)
    return _optimum(space, objective, objective.normalise(theta), knots, kkt)


def exchanged(theta: Array, knots: Index, new: Index, n_steps: int) -> tuple[Array, Index]:
    """Drop the knots without a share; add new ones."""
    used = theta[n_steps:] > 0
    shares = np.concatenate([theta[n_steps:][used], np.zeros(new.size)])
    return np.concatenate([theta[:n_steps], shares]), np.concatenate([knots[used], new])


def _optimum(space: Space, objective: NdcgObjective, theta: Array, knots: Index, kkt: float) -> Optimum:
    gain, discount = space.weights(objective, theta, knots)
    climbed = objective.value(theta)
    value = objective.unpenalised(theta) if np.isfinite(climbed) else np.nan
    kkt = kkt if np.isfinite(climbed) else np.inf
    falls = np.flatnonzero(discount > np.append(discount[1:], 0.0)) + 1
    return Optimum(gain, discount, value, kkt, has_converged(kkt), climbed, (value,), tuple(int(j) for j in falls))
