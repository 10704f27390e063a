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
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools, Codes, Counts, Index
from assay.stats.correlation.coefficients import DenseRanks, dense_ranks

PairBits = Codes  # [..., word]: a bit for every pair of items, those of a place on in the circle in whole bytes
Bits = NDArray[np.uint8]  # [..., place, byte]: the same before they are put into words

_BYTES = 1 << 19  # of comparisons made at a time: what stays in cache
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
    rank = dense_ranks(rows if known.all() else np.where(known[:, None], rows, 0.0))
    rank = rank.astype(np.uint8) if n <= 1 << 8 else rank
    up = _compared(rank, np.less, beyond=np.iinfo(rank.dtype).max)
    tied = np.flatnonzero(rank.max(-1, initial=0) < n - 1)  # ranks have no gaps
    untied, n_untied = np.broadcast_to(_every_pair(n), up.shape), np.full(len(rows), n * (n - 1) // 2)
    if tied.size:
        some = up[tied] | _compared(rank[tied], np.greater, beyond=0)
        untied = untied.copy()
        untied[tied], n_untied[tied] = some, count_bits(some)
    shape = scores.shape[:-1]
    up, untied = up.reshape(*shape, _n_words(n)), untied.reshape(*shape, _n_words(n))
    return PairOrders(up, untied, n_untied.reshape(shape), n)


def _compared(x: DenseRanks, compare: np.ufunc, *, beyond: int) -> PairBits:
    """Compare every item with those that stand 1, 2, ... n // 2 places on in a circle: every pair. [row, word]

    Rows lie end to end, each followed by `beyond` on the one side, which compares as false with all, and by its own
    first items on the other: one sweep for each place compares many rows.
    """
    rows, n = x.shape
    half, width = n // 2, _width(n)
    first = np.full((rows, width), beyond, dtype=x.dtype)
    circle = np.zeros(rows * width + half, dtype=x.dtype)
    second = circle[: rows * width].reshape(rows, width)
    first[:, :n] = second[:, :n] = x
    second[:, n : n + half] = x[:, :half]
    items, partners = first.ravel(), sliding_window_view(circle, rows * width)[1:]
    bits = np.empty((rows, _n_words(n)), dtype=np.uint64)
    step = max(1, _BYTES // max(1, half * width))
    pairs = np.empty((half, min(step, rows) * width), dtype=bool)
    for i in range(0, rows, step):
        part = slice(i * width, (i + step) * width)
        here = pairs[:, : items[part].size]
        bits[i : i + step] = _packed(compare(items[part], partners[:, part], out=here), n)
    return bits


def _every_pair(n: int) -> PairBits:
    """Mark all pairs. [word]"""
    of_items = np.packbits(np.ones(n, dtype=bool))
    return _words(np.broadcast_to(of_items, (n // 2, of_items.size)), n)


def _width(n: int) -> int:
    """The places that a row takes: n, half of it again, and what makes them whole bytes of bits."""
    return -(-(n + n // 2) // 8) * 8


def _n_words(n: int) -> int:
    return -(-(n // 2) * -(-n // 8) // 8)


def _packed(pairs: Bools, n: int) -> PairBits:
    """Lay pairs out as bits. [place, row and item] to [row, word]"""
    bits = np.packbits(pairs, axis=-1).reshape(n // 2, pairs.shape[1] // _width(n), _width(n) // 8)
    return _words(bits[..., : -(-n // 8)].transpose(1, 0, 2), n)


def _words(bits: Bits, n: int) -> PairBits:
    """Put the bits of all places into words. [..., place, byte] to [..., word]"""
    *shape, half, n_bytes = bits.shape
    words = np.zeros((*shape, _n_words(n) * 8), dtype=np.uint8)
    at_places = words[..., : half * n_bytes].reshape(*shape, half, n_bytes)
    at_places[...] = bits
    if n % 2 == 0:
        at_places[..., -1:, :] &= np.packbits(np.arange(n) < half)  # halfway round, each pair would come twice
    return words.view(np.uint64)


def pair_bits(matrix: Bools) -> PairBits:
    """Mark the pairs for which a symmetric matrix of items is true. [..., item, item] to [..., word]"""
    n = matrix.shape[-1]
    item = np.arange(n)
    partner = (item + np.arange(1, n // 2 + 1)[:, None]) % max(n, 1)
    return _words(np.packbits(matrix[..., item, partner], axis=-1), n)


def count_bits(bits: PairBits) -> Counts:
    """Count the pairs that are set."""
    return np.asarray(np.bitwise_count(bits).sum(-1, dtype=np.int64))


def tau_b(x: PairOrders, y: PairOrders) -> Array:
    """Kendall's tau-b; NaN where one side ties everything. Leading axes are broadcast.

    >>> a, b = (pair_orders(np.array(scores)) for scores in ([3.0, 2.0, 1.0], [3.0, 1.0, 1.0]))
    >>> float(tau_b(a, b).round(4))
    0.8165
    """
    opposite = x.up ^ y.up
    if (x.n_untied == x.n_pairs).all() and (y.n_untied == x.n_pairs).all():
        excess = x.n_pairs - 2 * count_bits(opposite)
    else:
        both = x.untied & y.untied
        opposite &= both
        excess = count_bits(both) - 2 * count_bits(opposite)
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
