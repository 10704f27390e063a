"""Rank correlation coefficients: Kendall's tau, tau_AP and rank-biased overlap, each with its rule for ties.

The module to use unless there is a reason for another: every coefficient, rankings of any length, O(n log n). For
tau-b between thousands of short rankings use `bitwise_tau`; for counts of discordant and tied pairs, with weights or
with items that have no rank, use `discordance`.

Everything works on scores, larger is better, over the last axis; leading axes are broadcast. Scores that differ by
no more than rounding (1e-10 of the largest) are ties, and so are those that a chain of such steps joins.

yilmaz2008: Yilmaz, Aslam, Robertson. A new rank correlation coefficient for information retrieval. SIGIR 2008.
urbano2017: Urbano, Marrero. The treatment of ties in AP correlation. ICTIR 2017.
webber2010rbo: Webber, Moffat, Zobel. A similarity measure for indefinite rankings. ACM TOIS 28(4), 2010.
corsi2024: Corsi, Urbano. The treatment of ties in rank-biased overlap. SIGIR 2024.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Index

DenseRanks = NDArray[np.integer]  # [row, item]: 0 for one end of the ranking, no gaps, equal where tied
Coefficient = Literal["tau-b", "tau-a", "tau-ap-a", "tau-ap-b", "rbo"]

_EPSILON = 1e-10  # of the largest score: closer ones are ties
_PLACE_BITS = 8  # of 52: what they hold is less than 1e-13 of a score
_SORTED = 1 << 13  # items sorted at a time: few enough that the memory of one block serves the next
_ENTRIES = 1 << 16  # items held at a time: what stays in cache


def tau_b(x: Array, y: Array) -> Array:
    """Kendall's tau with ties taken out of the scale on both sides; NaN where one side ties everything.

    >>> float(tau_b(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 1.0])).round(4))
    0.8165
    """
    return correlate(x, y, "tau-b")


def correlate(x: Array, y: Array, coefficient: Coefficient, *, p: float = 0.9, depth: int | None = None) -> Array:
    """Correlate x with y over the last axis by a coefficient's name; of asymmetric ones x is the reference.

    `p` is the persistence of rbo. With `depth`, rbo sees the first ranks only and extrapolates from there.

    >>> x, y = np.array([5.0, 4, 3, 2, 1]), np.array([2.0, 5, 4, 3, 1])
    >>> {name: float(correlate(x, y, name).round(3)) for name in ("tau-b", "tau-ap-a", "rbo")}
    {'tau-b': 0.4, 'tau-ap-a': 0.5, 'rbo': 0.828}
    """
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    return correlate_ranks(dense_ranks(x), dense_ranks(y), coefficient, p=p, depth=depth)


def dense_ranks(x: Array) -> DenseRanks:
    """Rank scores, the best 0, equal ones alike, without gaps: all that a rank correlation looks at. [..., item]"""
    rows = x.reshape(-1, x.shape[-1])
    n = rows.shape[1]
    rank = np.empty(rows.shape, dtype=np.uint16 if n <= 1 << 16 else np.int64)
    step = max(1, _SORTED // max(1, n))
    for i in range(0, len(rows), step):
        _rank(rows[i : i + step], rank[i : i + step])
    return rank.reshape(x.shape)


def _rank(rows: Array, rank: DenseRanks) -> None:
    """Put the ranks of some rows into their places."""
    n = rows.shape[1]
    order = _falling(rows)
    order += n * np.arange(len(rows))[:, None]  # places in all rows laid end to end
    sorted_rows = rows.ravel()[order]
    small = _EPSILON * np.maximum(np.abs(sorted_rows[:, :1]), np.abs(sorted_rows[:, -1:]))
    new = sorted_rows[:, :-1] - sorted_rows[:, 1:] > small
    if new.all():
        rank.ravel()[order] = np.arange(n, dtype=rank.dtype)
    else:
        ranks = np.zeros(rows.shape, dtype=rank.dtype)
        np.cumsum(new, axis=-1, dtype=rank.dtype, out=ranks[:, 1:])
        rank.ravel()[order] = ranks


def _falling(rows: Array) -> Index:
    """Where the largest of every row stands, where the next, and so on. [row, item]

    Of short rows the place takes the last bits of the value, which are far below what makes a tie: numbers are sorted
    several times as fast as places.
    """
    n = rows.shape[1]
    if n > 1 << _PLACE_BITS:
        return np.argsort(-rows, axis=-1)
    key = np.array(rows, dtype=np.float64, order="C").view(np.int64)
    if key.min(initial=0) < 0:  # below 0, the bits of a number fall as it rises
        key ^= (key >> 63) & np.iinfo(np.int64).max
    place = (1 << _PLACE_BITS) - 1
    key &= ~place
    key |= np.arange(n)
    key.sort(axis=-1)
    key &= place
    return key[:, ::-1]


def correlate_ranks(
    x: DenseRanks, y: DenseRanks, coefficient: Coefficient, *, p: float = 0.9, depth: int | None = None
) -> Array:
    """Correlate dense ranks; those of one ranking may serve many comparisons."""
    x, y = np.broadcast_arrays(x, y)
    shape, n = x.shape[:-1], x.shape[-1]
    if n < 2:
        return np.full(shape, np.nan)
    x, y = x.reshape(-1, n), y.reshape(-1, n)
    out = np.empty(x.shape[0])
    step = max(1, _ENTRIES // n)
    for i in range(0, out.size, step):
        part = slice(i, i + step)
        if coefficient == "rbo":
            out[part] = _rbo(x[part], y[part], p, depth or n)
        else:
            out[part] = _KENDALL[coefficient](x[part], y[part])
    return out.reshape(shape)


def _tau_a(x: DenseRanks, y: DenseRanks) -> Array:
    """Kendall's tau over all pairs: a tied pair is neither in order nor out of it."""
    n = x.shape[1]
    return np.asarray(_excess(x, y) / (n * (n - 1) / 2))


def _tau_b(x: DenseRanks, y: DenseRanks) -> Array:
    """Kendall's tau with ties taken out of the scale on both sides; NaN where one side ties everything."""
    n = x.shape[1]
    scale = np.sqrt((n * (n - 1) / 2 - _tied_pairs(x)) * (n * (n - 1) / 2 - _tied_pairs(y)))
    return np.divide(_excess(x, y), scale, out=np.full(scale.shape, np.nan), where=scale > 0)


def _tau_ap_a(reference: DenseRanks, y: DenseRanks) -> Array:
    """AP correlation of y with a reference: tau with weight on the top of y's ranking (yilmaz2008).

    Asymmetric. Ties count as orders not known: this is the mean over all ways to break them (tau_AP,a of
    urbano2017, who allow no ties in the reference; here they are broken at random too).
    """
    n = y.shape[1]
    order, _, in_order = _in_order(reference, y)
    reverse, _, out_of_order = _in_order(_reversed(reference), y)
    excess = np.empty(y.shape)
    np.put_along_axis(excess, order, in_order.astype(np.float64), axis=-1)
    np.put_along_axis(excess, reverse, np.take_along_axis(excess, reverse, -1) - out_of_order, axis=-1)
    harmonic = np.concatenate([[0.0, 0.0], np.cumsum(1 / np.arange(1, n))])  # [k]: 1 + 1/2 + ... + 1/(k - 1)
    # the mean of 1/(rank - 1) over a tie's ranks weighs what stands above the tie; inside it, chance cancels
    above, size = _above(y), np.take_along_axis(_counts(y), y.astype(np.intp), -1)
    weight = (harmonic[above + size] - harmonic[above]) / size
    return np.asarray((excess * weight).sum(-1) / (n - 1))


def _tau_ap_b(x: DenseRanks, y: DenseRanks) -> Array:
    """AP correlation of two rankings of which neither is the reference: tau_AP,b of urbano2017.

    Symmetric: the mean of both directions. Pairs tied on the weighted side are left out; pairs tied only on the
    other are not in order. NaN where one side ties everything.
    """
    return np.asarray((_one_way(x, y) + _one_way(y, x)) / 2)


def _one_way(x: DenseRanks, y: DenseRanks) -> Array:
    """AP correlation over what stands below y's topmost tie, ties of y left out."""
    _, above, in_order = _in_order(x, y)
    share = np.where(above > 0, 2 * in_order / np.maximum(above, 1) - 1, 0.0).sum(-1)
    below = (above > 0).sum(-1)
    return np.divide(share, below, out=np.full(below.shape, np.nan), where=below > 0)


_KENDALL: dict[str, Callable[[DenseRanks, DenseRanks], Array]] = {
    "tau-a": _tau_a,
    "tau-b": _tau_b,
    "tau-ap-a": _tau_ap_a,
    "tau-ap-b": _tau_ap_b,
}


def _rbo(x: DenseRanks, y: DenseRanks, p: float, depth: int) -> Array:
    """Rank-biased overlap of two rankings of the same items, extrapolated (RBO_EXT of webber2010rbo).

    Tied items all stand at the first of their ranks, and agreement divides by what stands there, as that paper has
    it (RBO^w of corsi2024).
    """
    first, second = _above(x), _above(y)
    there = [_reached(a)[:, :depth] for a in (np.maximum(first, second), first, second)]  # [row, depth - 1]
    agreement = 2 * there[0] / (there[1] + there[2])
    weight = (1 - p) * p ** np.arange(agreement.shape[1])
    return np.asarray(agreement @ weight + agreement[:, -1] * p ** agreement.shape[1])


def _reached(above: Index) -> Index:
    """Count the items that stand at each rank or higher. [row, rank - 1]"""
    return np.cumsum(_counts(above), axis=-1)


def _counts(x: DenseRanks) -> Index:
    """Count the items of every rank. [row, rank]"""
    rows, n = x.shape
    place = x + np.arange(0, rows * n, n)[:, None]
    return np.bincount(place.ravel(), minlength=rows * n).reshape(rows, n)


def _above(x: DenseRanks) -> Index:
    """Count the items that stand strictly above each. [row, item]"""
    count = _counts(x)
    return np.take_along_axis(np.cumsum(count, axis=-1) - count, x.astype(np.intp), axis=-1)


def _tied_pairs(x: DenseRanks) -> Index:
    count = _counts(x)
    return (count * (count - 1) // 2).sum(-1)


def _reversed(x: DenseRanks) -> DenseRanks:
    return x.max(initial=0) - x


def _excess(x: DenseRanks, y: DenseRanks) -> Array:
    """Pairs in the same order on both sides minus pairs in opposite orders."""
    n = x.shape[1]
    order, _, in_order = _in_order(x, y)
    x, y = np.take_along_axis(x, order, -1), np.take_along_axis(y, order, -1)
    new = np.ones(x.shape, dtype=bool)
    new[:, 1:] = (x[:, 1:] != x[:, :-1]) | (y[:, 1:] != y[:, :-1])
    place = np.arange(n)
    tied_twice = (place - np.maximum.accumulate(np.where(new, place, 0), axis=-1)).sum(-1)
    untied = n * (n - 1) // 2 - _tied_pairs(x) - _tied_pairs(y) + tied_twice
    return np.asarray(2 * in_order.sum(-1) - untied, dtype=np.float64)


def _in_order(x: DenseRanks, y: DenseRanks) -> tuple[Index, Index, Index]:
    """Go down y; of the items strictly above each, count all, and those above it in x too.

    Returns the order, and both counts in that order.
    """
    # inside a tie of y the worse of x comes first, and inside a tie of x the earlier is the worse: so neither counts
    worst_first = np.argsort(_reversed(x), axis=-1, kind="stable")
    order = np.take_along_axis(
        worst_first, np.argsort(np.take_along_axis(y, worst_first, -1), axis=-1, kind="stable"), -1
    )
    by_x = np.argsort(np.take_along_axis(_reversed(x), order, -1), axis=-1, kind="stable")
    return order, np.take_along_axis(_above(y), order, -1), smaller_after(by_x)


def smaller_after(sequence: Index) -> Index:
    """For each number of a permutation of 0 .. n-1: how many smaller ones come after it. [row, number]

    O(n log n): see `_by_bits`. What is beyond the largest power of two is parted off first.

    >>> smaller_after(np.array([[2, 0, 1]])).tolist()
    [[0, 0, 2]]
    """
    rows, n = sequence.shape
    power = 1 << (n.bit_length() - 1)
    if power == n:
        return _by_bits(sequence)
    high = sequence >= power
    rest = sequence[high].reshape(rows, n - power) - power
    seen = np.nonzero(high)[1].reshape(rows, n - power) - np.arange(n - power)  # smaller ones before each
    beyond = smaller_after(rest)
    np.put_along_axis(beyond, rest, np.take_along_axis(beyond, rest, -1) + power - seen, axis=-1)
    return np.concatenate([_by_bits(sequence[~high].reshape(rows, power)), beyond], axis=-1)


def _by_bits(sequence: Index) -> Index:
    """Count the smaller ones after each of 2^b numbers.

    Numbers are parted by their highest bit, then each half by the next, keeping the order: at each step a number
    with the bit set has before it as many smaller ones of its block as there are unset bits there.
    """
    rows, n = sequence.shape
    number, count = sequence.astype(np.int32).ravel(), np.zeros(rows * n, dtype=np.int32)
    half = n >> 1
    while half:
        high = (number & half) != 0
        zeros, ones = np.flatnonzero(~high).reshape(-1, half), np.flatnonzero(high).reshape(-1, half)
        place = np.concatenate([zeros, ones], axis=-1).ravel()
        number, count = number[place], count[place]
        # the k-th set bit of a block, at place z, has z - k unset ones before it
        count.reshape(-1, 2, half)[:, 1] += (half + np.arange(half) - (ones & (2 * half - 1))).astype(np.int32)
        half >>= 1
    return count.reshape(rows, n).astype(np.intp)
