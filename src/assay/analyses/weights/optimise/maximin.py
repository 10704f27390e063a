"""One gain and one discount for several problems: the weights whose worst coefficient is best.

The problems are cutoffs, sets of topics or collections. At the answer the slopes of the problems that are worst, in
some mixture, satisfy the conditions of a maximum. On a few knots, Newton's method climbs a smooth form of the least
objective, ever less smooth, until Newton's method on those conditions converges; the mixture then says by which
further knots all could still rise. The mean of all problems counts a little, too: without it, ranks that the worst
problems do not see would stay where the search began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.ndcg import CriterionName, Ideal
from assay.analyses.weights.optimise.newton import ascend, normals, residual
from assay.analyses.weights.optimise.objective import NdcgObjective
from assay.analyses.weights.optimise.optimum import NEW, ROUNDS, TOLERANCE, exchanged, has_converged
from assay.analyses.weights.optimise.variables import Free, Space, Task, check_size, orders, peaks
from assay.core.arrays import Array, Bools
from assay.core.errors import UsageError

_SLIGHT = 1e-3  # what the mean of all problems counts beside the worst
_SOFTNESS = tuple(10.0**-i for i in range(3, 11))  # of the smooth minimum, one after the other
_POLISH, _PATIENCE = 30, 3  # steps on the conditions, and how many of them may come no closer


@dataclass(frozen=True, slots=True)
class WorstCase:
    """Weights whose worst coefficient over several problems is as large as can be."""

    gain: Array  # [grade]
    discount: Array  # [rank]
    value: float  # the worst
    values: tuple[float, ...]  # the coefficient of each problem
    shares: tuple[float, ...]  # of each problem in the mixture that cannot rise; 0 where it is not the worst
    kkt: float
    converged: bool


def worst_case(
    problems: Sequence[GradedLists],
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
    against: Sequence[float] | None = None,
    starts: int = 2,
    alpha: float = 0.05,
    rng: int = 0,
) -> WorstCase:
    """Find the weights at which the least coefficient over the problems is largest.

    The cutoff of a problem is the depth of its lists, or the number of weights where that is less: give lists cut at
    several depths, of several sets of topics, or of several collections with the same scale of grades. With
    `against`, a number for each problem, the least difference is made largest: given each problem's own optimum, that
    is the least regret. The mean over the problems is added with a weight of 0.001, which settles what the worst ones
    leave open, so that no problem could do better unless another did worse. All else is as in `optimise`. On 720
    random problems, cutoffs or sets of topics, all searches converged.
    """
    if not problems:
        raise UsageError("no problem to fit weights to; give at least one")
    for lists in problems:
        check_size(lists)
    task = Task(free, gain, discount, monotone, signed, coefficient, ideal, ridge, towards, alpha)
    same = [_padded(lists, gain.size) for lists in problems]
    grades = np.unique(np.concatenate([lists.grades for lists in same]))
    offset = np.zeros(len(same)) if against is None else np.array(against, dtype=np.float64)
    offset = np.where(np.isfinite(offset), offset, 0.0)  # where nothing separates the runs, nothing can be lost
    ends = []
    for order in orders(grades, task):
        spaces = [Space(lists, task, order, min(lists.depth, discount.size)) for lists in same]
        ends += [_climb(spaces, offset, *start) for start in spaces[0].starts(starts, rng)]
    return max(ends, key=lambda end: end[0])[1]


def _padded(lists: GradedLists, n_grades: int) -> GradedLists:
    """The same lists on a longer scale."""
    if lists.top >= n_grades:
        raise UsageError(f"a collection has grades up to {lists.top}, and gains only go up to {n_grades - 1}")
    more = n_grades - 1 - lists.top
    return replace(lists, pool=np.pad(lists.pool, ((0, 0), (0, more)))) if more else lists


def _climb(spaces: Sequence[Space], offset: Array, gain: Array, discount: Array) -> tuple[float, WorstCase]:
    """Solve on some knots; add those by which all still rise; until there is none. Gives objective and end."""
    first = spaces[0]
    knots = first.first_knots()
    theta, stage = first.theta(gain, discount, knots), 0
    for _ in range(ROUNDS):
        together = [space.objective(knots) for space in spaces]
        theta, shares, kkt, stage = _solve(together, offset, np.maximum(theta, together[0].lower), stage)
        if not first.task.sparse:
            break
        parts = zip(shares + _SLIGHT / len(spaces), spaces, together, strict=True)
        rise = np.asarray(sum(share * space.rise(objective, theta) for share, space, objective in parts))
        kkt = max(kkt, float(rise.max()))
        new = np.setdiff1d(peaks(rise, TOLERANCE)[:NEW], knots)
        if not new.size:
            break
        theta, knots = exchanged(theta, knots, new, together[0].n_steps)
    together = [space.objective(knots) for space in spaces]
    values = tuple(objective.unpenalised(theta) for objective in together)
    weights = first.weights(together[0], theta, knots)
    case = WorstCase(*weights, min(values), values, tuple(float(s) for s in shares), kkt, has_converged(kkt))
    return float(_objectives(together, offset, theta).min()), case


def _solve(
    together: Sequence[NdcgObjective], offset: Array, theta: Array, stage: int
) -> tuple[Array, Array, float, int]:
    """The point on these variables, the share of each problem, the residual, and the softness it took, by its place.

    Every softness gives a guess of what decides; the first that meets the conditions ends the search.
    """
    best = (theta, np.zeros(len(together)), np.inf, stage)
    for i, softness in enumerate(_SOFTNESS[stage:], start=stage):
        smooth = _SoftMinimum(together, offset, softness)
        theta, _ = ascend(smooth, theta, tolerance=softness)
        values = _objectives(together, offset, theta)
        if not np.isfinite(values).all():  # where nothing separates the runs, there is nothing to find
            break
        shares = smooth.shares(values)
        shares = np.where(shares**2 > softness, shares, 0.0)
        point, shares, kkt = _meet(together, offset, theta, shares / shares.sum())
        values = _objectives(together, offset, point)
        kkt = max(kkt, float(values[shares > 0].max(initial=-np.inf) - values.min()))
        if kkt < best[2]:
            best = (point, shares, kkt, i)
        if kkt < TOLERANCE:
            break
    return best


def _meet(
    together: Sequence[NdcgObjective], offset: Array, theta: Array, shares: Array
) -> tuple[Array, Array, float]:
    """The point nearby, the shares and the residual, if those problems decide that have a share."""
    if (shares > 0).sum() > 1:
        return _polish(together, offset, theta, shares)
    point, kkt = ascend(_SoftMinimum(together, offset, _SOFTNESS[-1]), theta, tolerance=TOLERANCE)
    return point, shares, kkt


def _objectives(together: Sequence[NdcgObjective], offset: Array, theta: Array) -> Array:
    """The objectives, of which the least is maximised. [problem]"""
    return _leaning(np.array([objective.value(theta) for objective in together]) - offset)


def _leaning(each: Array) -> Array:
    """Add a little of the mean over the problems. [problem, ...]"""
    return np.asarray(each + _SLIGHT * each.mean(0))


def _derivatives(together: Sequence[NdcgObjective], offset: Array, theta: Array) -> tuple[Array, Array, Array]:
    """Value, slope and curvature of the objectives, of which the least is maximised. [problem, ...] each"""
    parts = zip(*(objective.derivatives(theta) for objective in together), strict=True)
    values, slopes, bends = (np.array(part) for part in parts)
    return _leaning(values - offset), _leaning(slopes), _leaning(bends)


@dataclass(frozen=True, slots=True)
class _SoftMinimum:
    """A smooth function that is below the least objective: -s log(sum exp(-value / s)), with s the softness."""

    together: Sequence[NdcgObjective]
    offset: Array  # [problem]
    softness: float

    @property
    def lower(self) -> Array:
        return self.together[0].lower

    @property
    def blocks(self) -> tuple[slice, ...]:
        return self.together[0].blocks

    def normalise(self, theta: Array) -> Array:
        return self.together[0].normalise(theta)

    def shares(self, values: Array) -> Array:
        """How much each problem counts: its share in the slope. [problem]"""
        weight = np.exp((values.min() - values) / self.softness)
        return np.asarray(weight / weight.sum())

    def _minimum(self, values: Array) -> float:
        least = float(values.min())
        return least - self.softness * float(np.log(np.exp((least - values) / self.softness).sum()))

    def value(self, theta: Array) -> float:
        values = _objectives(self.together, self.offset, theta)
        return self._minimum(values) if np.isfinite(values).all() else -np.inf

    def derivatives(self, theta: Array) -> tuple[float, Array, Array]:
        values, slopes, bends = _derivatives(self.together, self.offset, theta)
        if not np.isfinite(values).all():
            return -np.inf, np.zeros(theta.size), np.zeros((theta.size, theta.size))
        shares = self.shares(values)
        slope = shares @ slopes
        apart = slopes - slope
        bent = np.tensordot(shares, bends, axes=1) - (apart.T * shares) @ apart / self.softness
        return self._minimum(values), slope, bent


def _polish(
    together: Sequence[NdcgObjective], offset: Array, theta: Array, shares: Array
) -> tuple[Array, Array, float]:
    """Newton's method on the conditions: equal values, and slopes that cancel in a mixture.

    Only of the problems that have a share, and in the variables that are not at their bounds.
    """
    lower, blocks = together[0].lower, together[0].blocks
    worst, used = np.flatnonzero(shares), theta > lower
    best, since = (theta, shares, np.inf), 0
    mixture = shares[worst]
    for _ in range(_POLISH):
        values, slopes, bends = (part[worst] for part in _derivatives(together, offset, theta))
        mixed = mixture @ slopes
        off = max(residual(theta, mixed, lower, blocks), float(np.ptp(values)), float(-mixture.min()))
        since = 0 if off < best[2] else since + 1
        if not since:
            every = np.zeros(len(together))
            every[worst] = mixture
            best = (theta, every, off)
        if off < TOLERANCE or since == _PATIENCE:
            break
        curvature = np.tensordot(mixture, bends, axes=1)
        theta, mixture = _newton(theta, mixture, values, slopes, curvature, used, normals(theta, lower, blocks))
        theta = together[0].normalise(np.maximum(theta, lower))
    return best


def _newton(
    theta: Array, shares: Array, values: Array, slopes: Array, curvature: Array, used: Bools, barred: Array
) -> tuple[Array, Array]:
    """One step for the variables in use and the shares of the worst problems, at the sizes that the blocks have."""
    m, n, b = shares.size, int(used.sum()), len(barred)
    across = barred[:, used]
    system = np.zeros((n + m + 1 + b, n + m + 1 + b))
    system[:n, :n] = curvature[np.ix_(used, used)]
    system[:n, n : n + m] = slopes[:, used].T
    system[n : n + m, :n] = slopes[:, used]
    system[n : n + m, n + m] = -1.0
    system[n + m, n : n + m] = 1.0
    system[n + m + 1 :, :n] = across
    system[:n, n + m + 1 :] = -across.T
    wrong = np.concatenate([(shares @ slopes)[used], values - values.mean(), [shares.sum() - 1.0], np.zeros(b)])
    step = np.linalg.lstsq(system, -wrong, rcond=None)[0]
    new = theta.copy()
    new[used] += step[:n]
    return new, shares + step[n : n + m]
