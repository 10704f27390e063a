"""Swaps among pairs of runs that one set of topics calls significantly different (sanderson2005)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Counts, Index
from assay.stats.intervals import t_quantile
from assay.stats.significance.pairs import Pairs, pairs
from assay.stats.splits import end_sets

EDGES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
"""Where bins of the relative difference begin; the last has no end."""
_EDGE = 1e-9  # what rounding may do to a relative difference that lies on an edge


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
    halves = end_sets(order, size)
    sets = [*zip(halves.first, halves.second, strict=True)]
    sets += [(second, first) for first, second in sets] if halves.complete else []
    count = np.zeros((4, len(EDGES)), dtype=np.int64)
    for first, second in sets:
        here, there = pairs(x[:, first]), pairs(x[:, second])
        different = _significant(here, size, alpha)
        relative = _relative(x[:, first].mean(-1), here, logarithmic=logarithmic)[different]
        bins = np.searchsorted(EDGES, relative + _EDGE, side="right") - 1
        again = _significant(there, size, alpha)[different]
        opposite = (here.mean * there.mean < 0)[different]
        for row, these in enumerate((np.ones_like(again), opposite, ~again, opposite & again)):
            count[row] += np.bincount(bins[these], minlength=len(EDGES))
    return SignificantSwaps(*count)


def _significant(of: Pairs, n_topics: int, alpha: float) -> Bools:
    """Whether |t| is beyond its quantile; a pair without variance is not."""
    return np.asarray(np.abs(of.t) > t_quantile(1 - alpha, n_topics - 1))


def _relative(mean: Array, of: Pairs, *, logarithmic: bool) -> Array:
    """The difference of two means as a share of the larger, sign aside. [pair]"""
    if logarithmic:
        return np.asarray(-np.expm1(-np.abs(of.mean)))
    larger = np.maximum(np.abs(mean[of.first]), np.abs(mean[of.second]))
    return np.divide(np.abs(of.mean), larger, out=np.zeros(larger.size), where=larger > 0)
