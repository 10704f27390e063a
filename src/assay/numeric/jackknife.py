"""Jackknife intervals over a sample: leave some out, compute again, see how far the answer moves.

The plain bootstrap will not do for counts of significant pairs: topics drawn twice manufacture significance, and the
interval can exclude its own estimate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from assay.numeric.intervals import t_quantile

Array = NDArray[np.float64]
Index = NDArray[np.intp]

GROUPS = 50  # at most this many times something is left out
_STILL = 1e-12  # a smaller error than this is rounding


def grouped(n: int, *, groups: int = GROUPS) -> Index:
    """Say which of n are left out together: each by itself, or in `groups` groups where n is larger. [n]"""
    return np.arange(n) % min(max(n, 1), groups)


def deletions(n: int, *, groups: int = GROUPS) -> Iterator[Index]:
    """Say which of n to keep, leaving out one group at a time."""
    group = grouped(n, groups=groups)
    for g in range(int(group.max(initial=-1)) + 1):
        yield np.flatnonzero(group != g)


def jackknife_interval(estimate: Array, left_out: Array, *, level: float) -> tuple[Array, Array]:
    """Interval of an estimate from its values with each group left out. `left_out` is [group, ...]"""
    if left_out.shape[0] < 2:
        nothing = np.full(np.shape(estimate), np.nan)
        return nothing, nothing
    half = t_quantile(level, left_out.shape[0] - 1) * jackknife_error(left_out)
    return estimate - half, estimate + half


def jackknife_error(left_out: Array) -> Array:
    """Standard error of an estimate from its values with each group left out. `left_out` is [group, ...]"""
    g = left_out.shape[0]
    spread = left_out - left_out.mean(0)
    return np.asarray(np.sqrt((g - 1) / g * (spread**2).sum(0)))


def jackknife_p(estimate: Array, left_out: Array) -> Array:
    """Two-tailed p-value of an estimate being 0: Student's t with one degree of freedom less than groups.

    NaN below two groups. An estimate that no group moves has p = 1, whatever it is: what does not vary cannot be
    tested. `left_out` is [group, ...]
    """
    from scipy.special import stdtr

    g = left_out.shape[0]
    if g < 2:
        return np.full(np.shape(estimate), np.nan)
    error = jackknife_error(left_out)
    t = np.divide(np.abs(estimate), error, out=np.zeros(np.shape(estimate)), where=error > _STILL)
    return np.asarray(2 * stdtr(g - 1, -t))
