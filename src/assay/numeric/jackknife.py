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


def deletions(n: int, *, groups: int = GROUPS) -> Iterator[Index]:
    """Say which of n to keep, leaving out one at a time, or one of `groups` groups where n is larger."""
    group = np.arange(n) % min(n, groups)
    for g in range(int(group.max(initial=-1)) + 1):
        yield np.flatnonzero(group != g)


def jackknife_interval(estimate: Array, left_out: Array, *, level: float) -> tuple[Array, Array]:
    """Interval of an estimate from its values with each group left out. `left_out` is [group, ...]"""
    g = left_out.shape[0]
    if g < 2:
        nothing = np.full(np.shape(estimate), np.nan)
        return nothing, nothing
    spread = left_out - left_out.mean(0)
    half = t_quantile(level, g - 1) * np.sqrt((g - 1) / g * (spread**2).sum(0))
    return estimate - half, estimate + half
