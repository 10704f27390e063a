"""Tukey's honestly significant difference, blocked by topic: all pairs of runs under one family-wise error.

Its two forms obey the rules of `pairs`: finite scores, and p = 1 for a pair that differs on no topic.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from assay.core.arrays import Array, Bools
from assay.stats.resampling import portions, shuffles
from assay.stats.significance.declare import significance_test
from assay.stats.significance.pairs import check_finite, pairs, rounding, whole

_DIRECT = 20  # pairs up to which the distribution itself is computed
_DEGREE = 256  # of the polynomial that stands for it beyond
_FARTHEST = 12.0  # on the scale of `_depth`: p is about exp(-144), 1e-62, and is not followed further


def _critical_difference(x: Array, *, alpha: float) -> Array:
    """The difference of means that HSD finds significant, the same for every pair; by bisection. [pair]"""
    m, n = x.shape
    dof = (m - 1) * (n - 1)
    low, high = 0.0, 1.0
    while studentised_range(np.array([high]), m, dof)[0] > alpha:
        low, high = high, high * 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if studentised_range(np.array([middle]), m, dof)[0] > alpha else (low, middle)
    return np.full(m * (m - 1) // 2, high * standard_error(x))


@significance_test(
    name="tukey",
    title="Tukey's HSD test",
    caveat="not for runs of which some vary much more than others: all share one residual",
    family_wise=True,
    critical_difference=_critical_difference,
    place=6,
)
def tukey_test(x: Array) -> Array:
    """Test whether all runs have the same mean by Tukey's HSD, topics as blocks.

    The difference of means over the standard error from the run x topic residual, against the studentised range with
    (m - 1)(n - 1) degrees of freedom. Supposes a residual of the same, normal distribution for all runs and topics. A
    p-value is followed down to about 1e-60 and stays there.
    """
    m, n = x.shape
    d = pairs(x)
    dof = (m - 1) * (n - 1)
    if dof <= 0:
        return np.ones(d.mean.size)
    error = standard_error(x)
    if error <= rounding(x):
        return np.ones(d.mean.size)
    return np.where(d.flat, 1.0, _tail(np.abs(d.mean) / error, m, dof))


def standard_error(x: Array) -> float:
    """The standard error of a run's mean, from what is left when runs and topics are taken out."""
    m, n = x.shape
    residual = x - x.mean(0) - x.mean(1, keepdims=True) + x.mean()
    return float(np.sqrt((residual**2).sum() / ((m - 1) * (n - 1)) / n))


def _tail(q: Array, m: int, dof: int) -> Array:
    """Give `studentised_range` of many q."""
    depth = np.minimum(_depth(q, dof), _FARTHEST)
    if q.size <= _DIRECT:
        return studentised_range(_q(depth, dof), m, dof)
    return np.exp(np.minimum(_log_range(m, dof)(depth), 0.0))


@lru_cache(maxsize=64)
def _log_range(m: int, dof: int) -> Callable[[Array], Array]:
    """Interpolate the logarithm of `studentised_range` on the scale of `_depth`, where it is nearly a square."""
    return np.polynomial.Chebyshev.interpolate(
        lambda depth: np.log(studentised_range(_q(depth, dof), m, dof)), _DEGREE, domain=(0.0, _FARTHEST)
    )


def _depth(q: Array, dof: int) -> Array:
    """Say how far out q is: exp(-depth^2) falls off as Student's tail does."""
    return np.sqrt(dof / 2 * np.log1p(q * q / (2 * dof)))


def _q(depth: Array, dof: int) -> Array:
    """Undo `_depth`."""
    return np.sqrt(2 * dof * np.expm1(2 * depth * depth / dof))


def studentised_range(q: Array, m: int, dof: int) -> Array:
    """The chance that the range of m normal means, studentised with dof degrees of freedom, exceeds q.

    By the trapezoidal rule, over the logarithm of the deviation s and over the normal variable z; what is summed
    falls off to nothing at both ends, where that rule is accurate to many digits. Small p keep theirs, too.
    """
    # far out, what is summed peaks below s = 1: where s^dof exp(-s^2 (dof / 2 + q^2 / 4)) does
    low = np.log(dof / (dof + q * q / 2)) / 2 - np.sqrt(30 / dof) - 30 / dof
    high = np.log1p(80 / dof + 2 * np.sqrt(80 / dof)) / 2
    n_steps = int(np.ceil((high - low.min()) / min(0.15, 0.35 / np.sqrt(dof))))
    beyond, whole = np.zeros(q.size), np.zeros(q.size)
    for i in range(1, n_steps):
        log_s = low + i * (high - low) / n_steps
        weight = np.exp(dof * (log_s - np.expm1(2 * log_s) / 2))
        whole += weight
        beyond += weight * _range(q * np.exp(log_s), m)
    return np.minimum(beyond / whole, 1.0)


def _range(w: Array, m: int) -> Array:
    """The chance that the range of m standard normal variables exceeds w: of the largest at z, any below z - w."""
    from scipy.special import ndtr

    t, step = np.linspace(-8.5, 8.5, 131, retstep=True)
    z = t + w[:, None] / 2  # far out, two of them are at z = w / 2 and -w / 2
    below = ndtr(z)
    rest = np.minimum(ndtr(z - w[:, None]) / below, 1.0)
    density = m * np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * below ** (m - 1)
    with np.errstate(divide="ignore"):  # w = 0: nothing is below
        return step * (density * -np.expm1((m - 1) * np.log1p(-rest))).sum(-1)


def _on_subsets(x: Array, subsets: Bools, *, resamples: int, seed: int) -> Array:
    """The randomised test on each of many sets of topics. [subset, pair]

    All share the permutations: a set's sums are the product of what was permuted and the set's members, so that
    fifty sets take little more time than one.
    """
    check_finite(x)
    first, second = np.triu_indices(len(x), 1)
    if not first.size or not len(subsets):
        return np.ones((len(subsets), first.size))
    member = subsets.astype(np.float64)
    largest = np.empty((len(subsets), resamples))
    start = 0
    for shuffled in shuffles(np.ascontiguousarray(x.T), resamples, seed):
        stop = start + len(shuffled)
        for part in portions(len(subsets), x.shape[1], columns=len(x)):
            sums = member[part] @ shuffled  # [resample, subset, run]
            largest[part, start:stop] = np.ptp(sums, axis=-1).T
        start = stop
    largest.sort(axis=-1)
    total = member @ x.T  # [subset, run]
    # what rounding may do to a mean, in a sum
    lost = np.array([rounding(x[:, topics]) * topics.sum() for topics in subsets])
    gap = np.abs(total[:, first] - total[:, second]) - lost[:, None]
    count = np.stack([resamples - np.searchsorted(ranges, own) for ranges, own in zip(largest, gap, strict=True)])
    return (count + 1) / (resamples + 1)


@significance_test(
    name="randomised-tukey",
    title="Tukey's randomised HSD test",
    caveat=(
        "not for runs of which some are known to differ: it controls the family-wise error under the complete null "
        "hypothesis only, that all runs are alike"
    ),
    family_wise=True,
    resamples=10_000,
    on_subsets=_on_subsets,
    constant=True,
    noted=True,
    place=7,
)
def randomised_tukey_test(x: Array, *, resamples: int, seed: int) -> Array:
    """Test whether all runs are exchangeable on every topic: runs are permuted within topics.

    Each observed difference is compared with the largest difference of the permuted runs. One very different run
    widens the range that all pairs are compared with: once some runs do differ, the error of the others is not
    controlled.
    """
    return np.asarray(_on_subsets(x, whole(x), resamples=resamples, seed=seed)[0])
