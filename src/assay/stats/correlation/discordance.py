"""Discordant and tied pairs of two rankings of the same items, counted without looking at the pairs.

The module to use where the counts themselves are wanted, in whole numbers: with weights for items that occur many
times, and with items that have no rank. For a coefficient, use `coefficients`.

Knight's method (1966): sort by one ranking, count the inversions of the other by merge sort, correct for ties.
O(n log n) for n items, where looking at every pair takes n^2 / 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Index
from assay.stats.correlation.coefficients import DenseRanks

_BLOCK = 32  # items compared with one another directly, before blocks are merged

COUNTS = ("n_disagree", "n_opposite", "n_tie_only", "n_pairs")
"""The columns of a table of pair counts: all of them fields or properties of `PairCounts`."""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How two rankings differ over all pairs of items."""

    n_opposite: int  # discordant: one ranking prefers one item, the other ranking the other
    n_tie_only: int  # tied in one ranking only
    n_pairs: int

    @property
    def n_disagree(self) -> int:
        """Pairs on which the two rankings disagree."""
        return self.n_opposite + self.n_tie_only


def compare_pairs(x: DenseRanks, y: DenseRanks, weight: Index | None = None) -> PairCounts:
    """Count the pairs of items that two rankings put differently.

    A pair is opposite where one ranking prefers one item and the other ranking the other; tie only where one ranking
    has a preference and the other none. An item without a rank (-1) is tied with every other. With weights a pair
    counts as often as the product of its two weights; an item is never paired with itself.

    >>> compare_pairs(np.array([0, 1, 2]), np.array([1, 0, 1]))
    PairCounts(n_opposite=1, n_tie_only=1, n_pairs=3)
    """
    has_x, has_y = x >= 0, y >= 0
    both = has_x & has_y
    shared = None if weight is None else weight[both]
    a, b = x[both], y[both]
    opposite = discordant(a, b, shared)
    tied_x, tied_y = tied_pairs(a, shared), tied_pairs(b, shared)
    tied = tied_pairs(_joined(a, b), shared) if tied_x and tied_y else 0
    only = tied_x + tied_y - 2 * tied
    for one, has, within in ((x, has_x, tied_x), (y, has_y, tied_y)):
        own = None if weight is None else weight[has]
        only += _pairs(int(has.sum()), own) - tied_pairs(one[has], own) - _pairs(a.size, shared) + within
    return PairCounts(opposite, only, _pairs(x.size, weight))


def discordant(x: DenseRanks, y: DenseRanks, weight: Index | None = None) -> int:
    """Count the discordant pairs of two rankings; a tied pair is not one.

    >>> discordant(np.array([0, 1, 2]), np.array([2, 1, 0]))
    3
    """
    if x.size < 2:
        return 0
    n_x, n_y = int(x.max()) + 1, int(y.max()) + 1
    if n_x * n_y <= 4 * x.size:
        return _from_table(_table(x, y, n_x, n_y, weight))
    order = np.argsort(x.astype(np.int64) * n_y + y)
    return inversions(y[order], None if weight is None else weight[order])


def tied_pairs(x: DenseRanks, weight: Index | None = None) -> int:
    """Count the pairs of equal ranks."""
    size = _sizes(x, weight)
    twice = x.size if weight is None else int((weight * weight).sum())
    return (int((size * size).sum()) - twice) // 2


def inversions(y: DenseRanks, weight: Index | None = None) -> int:
    """Count the pairs of a sequence in which a larger number comes before a smaller one.

    >>> inversions(np.array([3, 1, 2, 1]))
    4
    """
    if weight is not None:
        return _weighted_inversions(y, weight)
    n = y.size
    width = _BLOCK
    length = width
    while length < n:
        length *= 2
    largest = int(y.max(initial=0)) + 1
    kind = np.dtype(np.int32 if largest < 2**30 else np.int64)
    row: DenseRanks = np.full(length, largest, dtype=kind)  # what is added stands last, and is larger than all
    row[:n] = y
    total, row = _within_blocks(row)
    while width < length:
        total += _merged(row, width)
        width *= 2
    return total


def _within_blocks(row: DenseRanks) -> tuple[int, DenseRanks]:
    """Count the inversions inside blocks directly; give the blocks back sorted."""
    blocks = row.reshape(-1, _BLOCK)
    total = sum(int(np.count_nonzero(blocks[:, i : i + 1] > blocks[:, i + 1 :])) for i in range(_BLOCK - 1))
    return total, np.sort(blocks, axis=-1).ravel()


def _merged(row: DenseRanks, width: int) -> int:
    """Count the inversions between neighbouring sorted blocks, and merge these in place."""
    doubled = row.reshape(-1, 2, width) * 2
    doubled[:, 1] += 1  # among equals what stood on the left comes first: it is no inversion
    merged = np.sort(doubled.reshape(-1, 2 * width), axis=-1)
    right = (merged & 1).astype(bool)
    row[:] = (merged >> 1).ravel()
    before = np.cumsum(right, axis=-1, dtype=np.int32)
    return int(before[~right].sum(dtype=np.int64))


def _weighted_inversions(y: DenseRanks, weight: Index) -> int:
    """Count inversions by the product of their weights, halving the range of numbers and keeping the order."""
    total, bit = 0, 1 << max(int(y.max(initial=0)).bit_length() - 1, 0)
    number, mass = y.astype(np.int64), weight.astype(np.int64)
    while bit:
        high = (number & bit) != 0
        block = number // (2 * bit)
        above = np.cumsum(np.where(high, mass, 0))
        first = np.searchsorted(block, block)  # where the block of each begins
        before = above - np.concatenate([[0], above])[first]
        total += int((before * mass)[~high].sum())
        order = np.argsort(number // bit, kind="stable")
        number, mass = number[order], mass[order]
        bit >>= 1
    return total


def _table(x: DenseRanks, y: DenseRanks, n_x: int, n_y: int, weight: Index | None) -> Index:
    """Count the items at each pair of ranks. [rank in x, rank in y]"""
    return _sizes(x.astype(np.int64) * n_y + y, weight, n_x * n_y).reshape(n_x, n_y)


def _from_table(table: Index) -> int:
    """Count opposite pairs: for each cell, what has a higher x and a lower y."""
    higher_x = np.cumsum(table[::-1], axis=0)[::-1][1:]
    lower_y = np.cumsum(higher_x, axis=1)[:, :-1]
    return int((table[:-1, 1:] * lower_y).sum())


def _joined(x: DenseRanks, y: DenseRanks) -> DenseRanks:
    """Number the pairs of ranks that occur."""
    joint = x.astype(np.int64) * (int(y.max(initial=0)) + 1) + y
    if joint.max(initial=0) <= 4 * max(joint.size, 1024):
        return joint
    order = np.argsort(joint)
    new = np.diff(joint[order], prepend=joint[order[:1]]) != 0
    number = np.empty_like(joint)
    number[order] = np.cumsum(new)
    return number


def _sizes(x: DenseRanks, weight: Index | None, n: int = 0) -> Index:
    if weight is None:
        return np.bincount(x, minlength=n)
    size = np.zeros(max(n, int(x.max(initial=-1)) + 1), dtype=np.int64)
    np.add.at(size, x, weight)
    return size


def _pairs(n: int, weight: Index | None) -> int:
    if weight is None:
        return n * (n - 1) // 2
    return (int(weight.sum()) ** 2 - int((weight * weight).sum())) // 2
