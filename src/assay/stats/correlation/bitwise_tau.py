"""Kendall's tau-b between many short rankings of the same items, with a bit for every pair of items.

The module to use for thousands of short rankings, such as those that splits of topics give: some eighty times as fast
as one at a time (`python -m bench.predictivity`). From some thousands of items on, `coefficients` is better: the bits
grow with the square of the items.

Which of a pair is better is one bit, whether they are tied another: pairs in the same order on both sides are then
counted 64 at a time. Ties follow the rule of `coefficients.dense_ranks`: what differs by rounding only is tied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from assay.core.arrays import Array, Bools, Codes, Counts, Index
from assay.stats.correlation.coefficients import DenseRanks, dense_ranks

PairBits = Codes  # [..., word]: a bit for every pair of items

_BYTES = 1 << 20  # of comparisons made at a time: what stays in cache
_WORDS = 1 << 17  # of bits compared at a time


@dataclass(frozen=True, slots=True)
class PairOrders:
    """Rankings of the same items: the order of every pair of items, as bits."""

    up: PairBits  # the first of the pair is the better
    untied: PairBits  # one of them is
    n_untied: Counts  # [...]
    n_items: int

    def __getitem__(self, index: Any) -> PairOrders:
        """Choose rankings, as from an array of them."""
        index = index if isinstance(index, tuple) else (index,)
        up, untied = self.up[(*index, ...)], self.untied[(*index, ...)]
        return PairOrders(up, untied, self.n_untied[index], self.n_items)

    def replaced(self, rows: Index, other: PairOrders) -> PairOrders:
        """Put other rankings in place of some rows."""
        up, untied, n_untied = self.up.copy(), self.untied.copy(), self.n_untied.copy()
        up[rows], untied[rows], n_untied[rows] = other.up, other.untied, other.n_untied
        return PairOrders(up, untied, n_untied, self.n_items)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array of rankings."""
        return self.n_untied.shape

    @property
    def n_pairs(self) -> int:
        """Pairs of items that there are."""
        return self.n_items * (self.n_items - 1) // 2


def pair_orders(scores: Array) -> PairOrders:
    """Rank items by their scores, the larger the better; a ranking with a NaN ties everything. [..., item]"""
    rows = scores.reshape(-1, scores.shape[-1])
    known = np.asarray(~np.isnan(rows).any(-1))
    n = rows.shape[1]
    rank = dense_ranks(np.where(known[:, None], rows, 0.0))
    rank = rank.astype(np.uint8) if n <= 1 << 8 else rank
    up, untied = np.empty((2, len(rows), _n_words(n)), dtype=np.uint64)
    untied[:] = _packed(np.ones((n // 2, n), dtype=bool))
    step, partners = max(1, _BYTES // max(1, n * n)), _partners(rank)
    for i in range(0, len(rows), step):
        first, second = rank[i : i + step, None], partners[i : i + step]
        up[i : i + step] = _packed(first < second)
        if (first.max(-1, initial=0) < n - 1).any():  # ranks have no gaps: there are ties
            untied[i : i + step] = _packed(first != second)
    shape = (*scores.shape[:-1], _n_words(n))
    return PairOrders(up.reshape(shape), untied.reshape(shape), count_bits(untied).reshape(shape[:-1]), n)


def _partners(x: DenseRanks) -> DenseRanks:
    """Stand the items 1, 2, ... n // 2 places on in a circle beside each: every pair once. [row, place, item]"""
    n = x.shape[1]
    circle = np.concatenate([x, x[:, : n // 2]], axis=1)
    return sliding_window_view(circle, n, axis=1)[:, 1:]


def _n_words(n: int) -> int:
    return -(-(n // 2) * n // 64)


def _packed(pairs: Bools) -> PairBits:
    """Lay pairs out as bits. [..., place, item] to [..., word]"""
    *shape, half, n = pairs.shape
    if n % 2 == 0:
        pairs[..., -1, n // 2 :] = False  # halfway round, each pair would come twice
    bits = np.packbits(pairs.reshape(*shape, half * n), axis=-1)
    words = np.zeros((*shape, _n_words(n) * 8), dtype=np.uint8)
    words[..., : bits.shape[-1]] = bits
    return words.view(np.uint64)


def pair_bits(matrix: Bools) -> PairBits:
    """Mark the pairs for which a symmetric matrix of items is true. [..., item, item] to [..., word]"""
    n = matrix.shape[-1]
    first = np.broadcast_to(np.arange(n), (n // 2, n))
    return _packed(matrix[..., first, _partners(np.arange(n)[None])[0]])


def count_bits(bits: PairBits) -> Counts:
    """Count the pairs that are set."""
    return np.asarray(np.bitwise_count(bits).sum(-1, dtype=np.int64))


def tau_b(x: PairOrders, y: PairOrders) -> Array:
    """Kendall's tau-b; NaN where one side ties everything. Leading axes are broadcast.

    >>> a, b = (pair_orders(np.array(scores)) for scores in ([3.0, 2.0, 1.0], [3.0, 1.0, 1.0]))
    >>> float(tau_b(a, b).round(4))
    0.8165
    """
    both = x.untied & y.untied
    excess = count_bits(both) - 2 * count_bits((x.up ^ y.up) & both)
    scale = np.sqrt(x.n_untied.astype(np.float64) * y.n_untied)
    return np.divide(excess, scale, out=np.full(excess.shape, np.nan), where=scale > 0)


def every_tau_b(x: PairOrders, y: PairOrders) -> Array:
    """Correlate each ranking of x with each of y, row by row. `x` is [row, a], `y` [row, b]; gives [row, a, b]"""
    (rows, a), b = x.shape, y.shape[1]
    tau = np.empty((rows, a, b))
    step = max(1, _WORDS // max(1, a * b * x.up.shape[-1]))
    for i in range(0, rows, step):
        part = slice(i, i + step)
        tau[part] = tau_b(x[part, :, None], y[part, None, :])
    return tau
