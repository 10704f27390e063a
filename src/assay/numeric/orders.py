"""Kendall's tau-b between many rankings of the same items, with a bit for every pair of items.

Which of a pair is better is one bit, whether they are tied another: pairs in the same order on both sides are then
counted 64 at a time. Ties follow the rule of `correlation.levels`: what differs by rounding only is tied. For the
thousands of short rankings that splits of topics give, this is some eighty times as fast as one at a time
(`python -m bench.predictivity`); from some thousands of items on, counting inversions is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from assay.numeric.correlation import Levels, levels

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bits = NDArray[np.uint64]
Counts = NDArray[np.int64]

_BYTES = 1 << 20  # of comparisons made at a time: what stays in cache
_WORDS = 1 << 17  # of bits compared at a time


@dataclass(frozen=True, slots=True)
class Orders:
    """Rankings of the same items, as bits over pairs of items."""

    up: Bits  # [..., word]: the first of the pair is the better
    untied: Bits  # [..., word]: one of them is
    n_untied: Counts  # [...]
    n_items: int

    def __getitem__(self, index: Any) -> Orders:
        """Choose rankings, as from an array of them."""
        index = index if isinstance(index, tuple) else (index,)
        up, untied = self.up[(*index, ...)], self.untied[(*index, ...)]
        return Orders(up, untied, self.n_untied[index], self.n_items)

    def replaced(self, rows: NDArray[np.intp], other: Orders) -> Orders:
        """Put other rankings in place of some rows."""
        up, untied, n_untied = self.up.copy(), self.untied.copy(), self.n_untied.copy()
        up[rows], untied[rows], n_untied[rows] = other.up, other.untied, other.n_untied
        return Orders(up, untied, n_untied, self.n_items)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array of rankings."""
        return self.n_untied.shape

    @property
    def n_pairs(self) -> int:
        """Pairs of items that there are."""
        return self.n_items * (self.n_items - 1) // 2


def orders(scores: Array) -> Orders:
    """Rank items by their scores, the larger the better; a ranking with a NaN ties everything. [..., item]"""
    rows = scores.reshape(-1, scores.shape[-1])
    known = np.asarray(~np.isnan(rows).any(-1))
    n = rows.shape[1]
    found = levels(np.where(known[:, None], rows, 0.0))
    found = found.astype(np.uint8) if n <= 1 << 8 else found
    up, untied = np.empty((2, len(rows), _n_words(n)), dtype=np.uint64)
    step = max(1, _BYTES // max(1, n * n))
    for i in range(0, len(rows), step):
        first, second = found[i : i + step, None], _partners(found[i : i + step])
        up[i : i + step] = _packed(first < second)
        untied[i : i + step] = _packed(first != second)
    shape = (*scores.shape[:-1], _n_words(n))
    return Orders(up.reshape(shape), untied.reshape(shape), counted(untied).reshape(shape[:-1]), n)


def _partners(x: Levels) -> Levels:
    """Stand the items 1, 2, ... n // 2 places on in a circle beside each: every pair once. [row, place, item]"""
    n = x.shape[1]
    circle = np.concatenate([x, x[:, : n // 2]], axis=1)
    return sliding_window_view(circle, n, axis=1)[:, 1:]


def _n_words(n: int) -> int:
    return -(-(n // 2) * n // 64)


def _packed(pairs: Bools) -> Bits:
    """Lay pairs out as bits. [..., place, item] to [..., word]"""
    *shape, half, n = pairs.shape
    if n % 2 == 0:
        pairs[..., -1, n // 2 :] = False  # halfway round, each pair would come twice
    bits = np.packbits(pairs.reshape(*shape, half * n), axis=-1)
    words = np.zeros((*shape, _n_words(n) * 8), dtype=np.uint8)
    words[..., : bits.shape[-1]] = bits
    return words.view(np.uint64)


def marked(matrix: Bools) -> Bits:
    """Mark the pairs for which a symmetric matrix of items is true. [..., item, item] to [..., word]"""
    n = matrix.shape[-1]
    first = np.broadcast_to(np.arange(n), (n // 2, n))
    return _packed(matrix[..., first, _partners(np.arange(n)[None])[0]])


def counted(bits: Bits) -> Counts:
    """Count the pairs that are set."""
    return np.asarray(np.bitwise_count(bits).sum(-1, dtype=np.int64))


def tau_b(x: Orders, y: Orders) -> Array:
    """Kendall's tau-b; NaN where one side ties everything. Leading axes are broadcast.

    >>> a, b = (orders(np.array(scores)) for scores in ([3.0, 2.0, 1.0], [3.0, 1.0, 1.0]))
    >>> float(tau_b(a, b).round(4))
    0.8165
    """
    both = x.untied & y.untied
    excess = counted(both) - 2 * counted((x.up ^ y.up) & both)
    scale = np.sqrt(x.n_untied.astype(np.float64) * y.n_untied)
    return np.divide(excess, scale, out=np.full(excess.shape, np.nan), where=scale > 0)


def every_tau_b(x: Orders, y: Orders) -> Array:
    """Correlate each ranking of x with each of y, row by row. `x` is [row, a], `y` [row, b]; gives [row, a, b]"""
    (rows, a), b = x.shape, y.shape[1]
    found = np.empty((rows, a, b))
    step = max(1, _WORDS // max(1, a * b * x.up.shape[-1]))
    for i in range(0, rows, step):
        part = slice(i, i + step)
        found[part] = tau_b(x[part, :, None], y[part, None, :])
    return found
