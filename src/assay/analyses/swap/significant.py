"""Swaps among pairs of runs that one set of topics calls significantly different (sanderson2005)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Counts, Index
from assay.stats.intervals import t_quantile
from assay.stats.significance.pairs import rounding
from assay.stats.splits import PORTION, end_sets, means

EDGES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
"""Where bins of the relative difference begin; the last has no end."""
_EDGE = 1e-9  # what rounding may do to a relative difference that lies on an edge
_CANCELLED = 1e-12  # of a sum of squares: what is left of it when all differences are the same


@dataclass(frozen=True, slots=True)
class SignificantSwaps:
    """Pairs that are significantly different on the first set, by their relative difference there."""

    n: Counts  # [bin]
    swapped: Counts  # [bin] the opposite order on the second set
    unconfirmed: Counts  # [bin] not significant there, whatever the order
    contradicted: Counts  # [bin] the opposite order, and significant

    def rows(self) -> Iterator[tuple[object, ...]]:
        """The bins that hold a pair: from, to, how many, and shares; then all of them."""
        ends = (*EDGES[1:], None)
        for i in np.flatnonzero(self.n).tolist():
            yield EDGES[i], ends[i], *self._shares(np.array([i]))
        if self.n.any():
            yield 0.0, None, *self._shares(np.arange(self.n.size))

    def _shares(self, bins: Index) -> tuple[int, int, float, float, float]:
        n, swapped, unconfirmed, contradicted = (
            int(counts[bins].sum()) for counts in (self.n, self.swapped, self.unconfirmed, self.contradicted)
        )
        return n, swapped, swapped / n, unconfirmed / n, contradicted / n


def significant_swaps(x: Array, order: Index, size: int, *, alpha: float, logarithmic: bool) -> SignificantSwaps:
    """Count swaps of pairs that a t test on the first set calls different; `x` is [run, topic].

    The relative difference is that of the means on the first set, as a share of the larger; of scores on the scale
    of logarithms, that of geometric means. Where all splits are no more than the orders, each is taken once, either
    set first.
    """
    first, second = end_sets(order, size).both_ways().masks()
    mean, (a, b) = means(x, first).T, np.triu_indices(len(x), 1)
    count = np.zeros((4, len(EDGES)), dtype=np.int64)
    for start in range(0, a.size, step := max(1, PORTION // first.size)):
        one, other = a[start : start + step], b[start : start + step]
        here, there = (_differences(x[one] - x[other], mask, alpha, rounding(x)) for mask in (first, second))
        pair, split = np.nonzero(here.significant)
        relative = _relative(mean[one[pair], split], mean[other[pair], split], logarithmic=logarithmic)
        bins = np.searchsorted(EDGES, relative + _EDGE, side="right") - 1
        again, opposite = (of[pair, split] for of in (there.significant, here.mean * there.mean < 0))
        for row, these in enumerate((np.ones_like(again), opposite, ~again, opposite & again)):
            count[row] += np.bincount(bins[these], minlength=len(EDGES))
    return SignificantSwaps(*count)


@dataclass(frozen=True, slots=True)
class _Differences:
    """The differences of pairs of runs on sets of topics."""

    mean: Array  # [pair, set]
    significant: Bools  # [pair, set] by the t test; a pair without variance is not


def _differences(difference: Array, mask: Array, alpha: float, small: float) -> _Differences:
    """Test every pair on every set; `difference` is [pair, topic], `mask` [set, topic], all of one size."""
    size = int(mask[0].sum())
    centre = difference.mean(-1, keepdims=True)
    rest = difference - centre
    total, square = rest @ mask.T, rest**2 @ mask.T
    mean = centre + total / size
    mean[np.abs(mean) <= small] = 0.0
    within = square - total**2 / size  # of squares
    within[within <= np.maximum(_CANCELLED * square, (size - 1) * small**2)] = 0.0
    t = np.divide(mean * np.sqrt(size * (size - 1)), np.sqrt(within), out=np.zeros_like(mean), where=within > 0)
    return _Differences(mean, np.abs(t) > t_quantile(1 - alpha, size - 1))


def _relative(one: Array, other: Array, *, logarithmic: bool) -> Array:
    """The difference of two means as a share of the larger, sign aside. [...]"""
    apart = np.abs(one - other)
    if logarithmic:
        return np.asarray(-np.expm1(-apart))
    larger = np.maximum(np.abs(one), np.abs(other))
    return np.divide(apart, larger, out=np.zeros_like(larger), where=larger > 0)
