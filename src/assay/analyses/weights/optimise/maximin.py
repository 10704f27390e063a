"""One gain and one discount for several problems: the weights whose worst coefficient is best.

The problems are cutoffs, sets of topics or collections. At the answer the slopes of the problems that are worst, in
some mixture, satisfy the conditions of a maximum. Sequential quadratic programming comes near on a few knots,
Newton's method on those conditions converges, and the mixture says by which further knots all could still rise.
The mean of all problems counts a little, too: without it, ranks that the worst problems do not see would stay where
the search began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.ndcg import Ideal
from assay.analyses.weights.optimise.newton import normals, residual
from assay.analyses.weights.optimise.objective import StabilityObjective
from assay.analyses.weights.optimise.optimum import NEW, ROUNDS, TOLERANCE, exchanged, has_converged
from assay.analyses.weights.optimise.variables import Free, Space, Task, check_size, orders, peaks
from assay.core.arrays import Array, Bools, Index
from assay.core.errors import UsageError
from assay.stats.variance import Coefficient

_NEAR = 1e-6  # how close to the worst a coefficient, or to 0 a share, may be after the first phase and count as there
_SLIGHT = 1e-3  # what the mean of all problems counts beside the worst
_POLISH = 30
_ABYSS = -1e3  # stands for minus infinity where numbers must be finite


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
    coefficient: Coefficient = "phi",
    ideal: Ideal = "gain",
    ridge: float = 0.0,
    towards: tuple[Array, Array] | None = None,
    against: Sequence[float] | None = None,
    starts: int = 2,
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
    task = Task(free, gain, discount, monotone, signed, coefficient, ideal, ridge, towards)
    same = [_padded(lists, gain.size) for lists in problems]
    grades = np.unique(np.concatenate([lists.grades for lists in same]))
    offset = np.zeros(len(same)) if against is None else np.array(against, dtype=np.float64)
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
    theta = first.theta(gain, discount, knots)
    for _ in range(ROUNDS):
        together = [space.objective(knots) for space in spaces]
        theta, shares, kkt = _solve(together, offset, np.maximum(theta, together[0].lower))
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
    values = tuple(objective.stability(theta) for objective in together)
    weights = first.weights(together[0], theta, knots)
    case = WorstCase(*weights, min(values), values, tuple(float(s) for s in shares), kkt, has_converged(kkt))
    return float(_objectives(together, offset, theta).min()), case


def _solve(together: Sequence[StabilityObjective], offset: Array, theta: Array) -> tuple[Array, Array, float]:
    """The point on these variables, the share of each problem, and the residual."""
    theta = _approach(together, offset, together[0].normalise(theta))
    values = _objectives(together, offset, theta)
    worst = np.flatnonzero(values < values.min() + _NEAR)
    used = (theta > together[0].lower + _NEAR) | ~np.isfinite(together[0].lower)
    theta, shares, kkt = _polish(together, offset, np.where(used, theta, together[0].lower), used, worst)
    values = _objectives(together, offset, theta)
    return theta, shares, max(kkt, float(values[shares > 0].max() - values.min()))


def _objectives(together: Sequence[StabilityObjective], offset: Array, theta: Array) -> Array:
    """The objectives, of which the least is maximised. [problem]"""
    return _leaning(np.array([objective.value(theta) for objective in together]) - offset)


def _leaning(each: Array) -> Array:
    """Add a little of the mean over the problems. [problem, ...]"""
    return np.asarray(each + _SLIGHT * each.mean(0))


def _approach(together: Sequence[StabilityObjective], offset: Array, theta: Array) -> Array:
    """Come near by sequential quadratic programming; the last variable is the worst value."""
    from scipy.optimize import minimize

    blocks, n = together[0].blocks, theta.size
    last = np.eye(n + 1)[n]

    def above(z: Array) -> Array:
        return np.asarray(np.maximum(_objectives(together, offset, z[:n]), _ABYSS) - z[n])

    def slopes(z: Array) -> Array:
        return np.pad(_slopes(together, z[:n]), ((0, 0), (0, 1)), constant_values=-1.0)

    scale = np.zeros((len(blocks), n + 1))
    for row, block in zip(scale, blocks, strict=True):
        row[block] = 1.0
    size = scale @ np.append(theta, 0.0)
    constraints: list[dict[str, Any]] = [
        {"type": "ineq", "fun": above, "jac": slopes},
        {"type": "eq", "fun": lambda z: scale @ z - size, "jac": lambda _: scale},
    ]
    solution = minimize(
        lambda z: -z[n],
        np.append(theta, _objectives(together, offset, theta).min()),
        jac=lambda _: -last,
        method="SLSQP",
        bounds=[(low if np.isfinite(low) else None, None) for low in together[0].lower] + [(None, None)],
        constraints=constraints,
        options={"ftol": 1e-17, "maxiter": 500},
    )
    return together[0].normalise(np.maximum(solution.x[:n], together[0].lower))


def _slopes(together: Sequence[StabilityObjective], theta: Array) -> Array:
    return _leaning(np.array([objective.slope(theta) for objective in together]))


def _polish(
    together: Sequence[StabilityObjective], offset: Array, theta: Array, used: Bools, worst: Index
) -> tuple[Array, Array, float]:
    """Newton's method on the conditions: equal values, and slopes that cancel in a mixture."""
    lower, blocks = together[0].lower, together[0].blocks
    theta = together[0].normalise(theta)
    best = (theta, np.zeros(len(together)), np.inf)
    shares = _mixture(_slopes(together, theta)[worst], used)
    for _ in range(_POLISH):
        parts = zip(*(objective.derivatives(theta) for objective in together), strict=True)
        values, slopes, bends = (_leaning(np.array(part))[worst] for part in parts)
        values = values - _leaning(offset)[worst]
        spread = float(np.ptp(values))
        mixed = shares @ slopes
        off = max(residual(theta, mixed, lower, blocks), spread, float(-shares.min()))
        if off < best[2]:
            every = np.zeros(len(together))
            every[worst] = shares
            best = (theta, every, off)
        if off < TOLERANCE:
            break
        curvature = np.einsum("i,ijk->jk", shares, bends)
        theta, shares = _newton(theta, shares, values, slopes, curvature, used, normals(theta, lower, blocks))
        theta = together[0].normalise(np.maximum(theta, lower))
    return best


def _mixture(slopes: Array, used: Bools) -> Array:
    """The mixture of slopes [problem, variable] that comes closest to none, or to down at a bound. [problem]"""
    from scipy.optimize import nnls

    n_problems, n = slopes.shape
    size = float(np.abs(slopes).max(initial=0.0))
    if size == 0:
        return np.full(n_problems, 1 / n_problems)
    sum_to_1 = 1e3  # how much that counts, against slopes of at most 1
    slack = np.eye(n)[:, ~used]
    ones = np.concatenate([np.full(n_problems, sum_to_1), np.zeros(slack.shape[1])])
    shares, _ = nnls(np.vstack([np.hstack([slopes.T / size, slack]), ones]), np.append(np.zeros(n), sum_to_1))
    return np.asarray(shares[:n_problems] / shares[:n_problems].sum())


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
