"""The gain and the discount that make nDCG most stable.

A discount that does not rise with the rank is a mixture of averages over the first ranks, and the best one needs only
a few of them. So the search solves for the shares of a few, adds those by which the coefficient would still rise, and
ends when there is none: a stationary point among all ranks, at any cutoff. The coefficient is not concave, so it
searches from several starts, and no proof is given that the best point found is the best there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.numeric.ascent import ascend
from assay.numeric.steadiness import Steadiness
from assay.numeric.weighing import Array, Coefficient, Ideal, Index, Lists
from assay.numeric.weightspace import Free, Space, Task, check_size, orders, peaks

CONVERGED = 1e-8  # the residual below which a point is stationary
TOLERANCE = 1e-11  # what the search aims at
NEW, ROUNDS = 8, 100  # knots added at a time, and how often at most


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
    objective: float  # the value, less what the ridge costs
    values: tuple[float, ...]  # the value that each start ended at
    knots: tuple[int, ...]  # ranks after which the discount falls

    @property
    def n_starts(self) -> int:
        """How many starts there were."""
        return len(self.values)


def optimise(
    lists: Lists,
    *,
    free: Free = "discount",
    gain: Array,
    discount: Array,
    monotone: bool = True,
    signed: bool = False,
    coefficient: Coefficient = "phi",
    ideal: Ideal = "gain",
    ridge: float = 0.0,
    towards: tuple[Array, Array] | None = None,
    starts: int = 4,
    also: Sequence[tuple[Array, Array]] = (),
    rng: int = 0,
) -> Optimum:
    """Find the weights at which the coefficient of nDCG at one topic is largest.

    Parameters
    ----------
    lists
        Graded lists of two runs and two topics or more.
    free
        What is searched for: the weights of the ranks, the gains of the grades, or both.
    gain, discount
        What is given: used as it is where not free. The length of the discount is the cutoff.
    monotone
        Gains must not fall with the grade, weights not rise with the rank.
    signed
        Weights of ranks that need not be monotone may be negative too, as long as every topic's ideal gain stays
        above 0. Otherwise they are a distribution over ranks, as in the paper. With hundreds of ranks signed weights
        can cancel and the coefficient rise without end; the answer then says that it has not converged. Gains whose
        ideal ranking is sorted by gain are never negative.
    coefficient
        `phi`, stability of scores, or `e_rho2`, stability of rankings.
    ideal
        Whether the ideal ranking is sorted by gain or by grade, where gains need not be monotone.
    ridge, towards
        Subtract ridge x |p - q|^2 / |q|^2, where p are the weights and q those of `towards` (gain, discount), both
        scaled to sum to 1; `towards` is the given gain and discount unless it says otherwise.
    starts
        How many points the search starts from.
    also
        Gains and discounts that the answer must not be below.
    rng
        The seed of the starts beyond the first few.

    Notes
    -----
    On 1,500 random problems of 2 to 14 runs and topics and up to 29 ranks, the monotone search always ended with a
    residual below 1e-8. Without that bond 37 of 1,500 did not, mostly where a handful of runs can be told apart as
    well as one likes; `converged` says so.
    """
    check_size(lists)
    task = Task(free, gain, discount, monotone, signed, coefficient, ideal, ridge, towards)
    found = [_best(Space(lists, task, order), starts, also, rng) for order in orders(lists.grades, task)]
    return max(found, key=lambda optimum: optimum.objective)


def _best(space: Space, starts: int, also: Sequence[tuple[Array, Array]], rng: int) -> Optimum:
    """Climb from all starts; the best end, never below what it must not be below."""
    ends = [_climb(space, *start, space.first_knots()) for start in space.starts(starts, rng)]
    best = max(ends, key=lambda end: end.objective)
    for start in also:
        if _value_at(space, *start) > best.objective + TOLERANCE:
            ends.append(_climb(space, *start, space.all_knots()))
            best = max(best, ends[-1], key=lambda end: end.objective)
    return replace(best, values=tuple(end.value for end in ends))


def _value_at(space: Space, gain: Array, discount: Array) -> float:
    """What the search climbs, at given weights; minus infinity where they are not allowed."""
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


def _optimum(space: Space, objective: Steadiness, theta: Array, knots: Index, kkt: float) -> Optimum:
    gain, discount = space.weights(objective, theta, knots)
    climbed = objective.value(theta)
    value = objective.stability(theta) if np.isfinite(climbed) else np.nan
    kkt = kkt if np.isfinite(climbed) else np.inf
    falls = np.flatnonzero(discount > np.append(discount[1:], 0.0)) + 1
    return Optimum(gain, discount, value, kkt, kkt < CONVERGED, climbed, (value,), tuple(int(j) for j in falls))
