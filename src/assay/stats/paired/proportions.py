"""Proportions: exact intervals of one, and intervals and tests of the difference of two that are paired.

Scores of 0 and 1 (success at 10, an answer that is right or wrong) are counts, and counts have exact methods. Of a
pair of systems only the queries count on which they differ: those that the first wins, and those that it loses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import Array

_HALF = 0.5  # of an observation, which Agresti and Min add to each of the four cells


def clopper_pearson(successes: ArrayLike, n: ArrayLike, *, level: float) -> tuple[Array, Array]:
    """Exact interval of a proportion (clopper1934): it holds the truth at least as often as `level`. [...]

    Each end cuts off half of 1 - level. NaN where n is 0.

    >>> low, high = clopper_pearson(10, 10, level=0.95)
    >>> f"{low:.3f} to {high:.3f}"
    '0.692 to 1.000'
    """
    from scipy.special import betaincinv

    k, n = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64))
    tail = (1 - level) / 2
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def agresti_min(wins: ArrayLike, losses: ArrayLike, n: ArrayLike, *, level: float) -> tuple[Array, Array]:
    """Interval of the difference of two paired proportions: Wald's, with half an observation in each cell. [...]

    `wins` of the n are successes of the first only, `losses` of the second only. The halves make two observations
    more: (b - c) / N -+ z sqrt(b + c - (b - c)^2 / N) / N with b and c half more, and N two more, than counted
    (agresti2005). NaN where n is 0.

    >>> low, high = agresti_min(8, 2, 50, level=0.95)
    >>> f"{low:.3f} to {high:.3f}"
    '-0.006 to 0.236'
    """
    from scipy.special import ndtri

    b, c, n = (np.asarray(count, dtype=np.float64) for count in (wins, losses, n))
    total = np.where(n > 0, n + 4 * _HALF, np.nan)
    difference = (b - c) / total
    half = ndtri((1 + level) / 2) * np.sqrt((b + c + 2 * _HALF) / total - difference**2) / np.sqrt(total)
    return np.maximum(difference - half, -1.0), np.minimum(difference + half, 1.0)


def mcnemar_p(wins: ArrayLike, losses: ArrayLike, *, mid: bool = False) -> Array:
    """Test whether either is as likely to win: the exact binomial test of those that differ, two-sided. [...]

    `mid` counts only half of the probability of what was observed: less conservative, and no longer exact. 1 where
    none differ.

    >>> mcnemar_p([5, 6], 0).tolist(), mcnemar_p([5, 6], 0, mid=True).round(6).tolist()
    ([0.0625, 0.03125], [0.03125, 0.015625])
    """
    from scipy.special import bdtr, gammaln

    won, lost = np.broadcast_arrays(np.asarray(wins, dtype=np.float64), np.asarray(losses, dtype=np.float64))
    n, fewer = won + lost, np.minimum(won, lost)
    p = np.minimum(2 * bdtr(fewer, np.maximum(n, 1).astype(np.int64), 0.5), 1.0)
    if mid:
        observed = np.exp(gammaln(n + 1) - gammaln(won + 1) - gammaln(lost + 1) - n * np.log(2))
        p = np.where(won == lost, 1.0, p - observed)
    return np.where(n == 0, 1.0, p)


def least_differing(alpha: float) -> int:
    """The fewest queries that must differ before an exact, two-sided sign or McNemar test can give p < alpha.

    If one side wins all m of them, p is 2 / 2^m, and nothing gives less.

    >>> least_differing(0.05), least_differing(0.05 / 10)
    (6, 9)
    """
    m = 1
    while 2.0 ** (1 - m) >= alpha:
        m += 1
    return m
