"""The least and the most of a ratio when some of the summands are free: exact, and without trying every choice.

Rows are independent. `free` marks the places whose content is open; of a row's places some are taken, and
both what is counted and what it is divided by depend on which. In every function the places are in rank order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools, Index

Value = TypeVar("Value", bound=np.generic)
Sweep = tuple[Index, Array]  # [row, step]: how many free places are taken, and what the row then adds up to

_ENTRIES = 1 << 17  # handed to a function at a time: float64 columns of this size stay in cache


def precision_sums(hit: Bools, free: Bools) -> tuple[Sweep, Sweep]:
    """Sum the precision at every hit as free places become hits one by one: from the bottom, then from the top.

    The j-th hit of a row adds j over its rank, so for a given number of hits the sum is least when they stand
    lowest and most when they stand highest. One more hit adds its own precision, and 1/rank to each hit below.
    """
    rank = np.arange(1.0, hit.shape[1] + 1)
    n_hits = np.cumsum(hit, axis=-1)
    start = np.sum(hit * n_hits / rank, axis=-1, keepdims=True)
    after = _from_below(hit / rank) - hit / rank
    taken_above, taken_below = np.cumsum(free, axis=-1), _from_below(free.astype(np.int64))
    highest = free * ((n_hits + taken_above) / rank + after)
    lowest = free * ((n_hits + 1) / rank + after + _from_below(free / rank) - free / rank)
    none = np.zeros_like(start, dtype=np.int64)
    down = np.concatenate([start, start + np.cumsum(highest, axis=-1)], axis=-1)
    up = np.concatenate([start, start + _from_below(lowest)], axis=-1)
    return (np.concatenate([none, taken_below], -1), up), (np.concatenate([none, taken_above], -1), down)


def _from_below(x: NDArray[Any]) -> NDArray[Any]:
    """Sum each place and all after it."""
    return np.cumsum(x[:, ::-1], axis=-1)[:, ::-1]


def ideal_ratio(
    sure: Array, free: Bools, weight: Array, mass: Array, step: Array, above: Index
) -> tuple[Array, Array]:
    """Bound sum(weight x gain) over that of the best order, where free places may hold any level of gain.

    Levels rise from 0 by `step`; `above` [level, row] counts the sure documents that reach each level, retrieved
    or not; `mass[n]` is the weight of the first n ranks of the best order. Weights must not rise with the rank.

    The best order's sum is convex in the gains, so the ratio is quasi-concave. Its least is therefore at a
    corner: free places hold nothing or the highest level, which for their number stand lowest. Its most comes
    by Dinkelbach's iteration: for a ratio t, maximise sum - t x best, which falls apart into levels: place p
    is worth weight[p], and costs t times the next rank of the best order. Higher levels have fewer sure
    documents, so each of theirs costs more and fewer places pay: the levels nest without being told to.
    """
    start = (sure * weight).sum(-1)
    count = free.sum(-1)
    taken = np.arange(free.shape[1] + 1)
    last = np.minimum(count[:, None], taken)  # [row, taken]: steps beyond the last free place repeat it
    worth = np.zeros(free.shape)  # of the free places, highest first
    worth.reshape(-1)[np.flatnonzero(taken[1:] <= count[:, None])] = weight[np.flatnonzero(free) % free.shape[1]]
    paid = np.zeros(last.shape)
    np.cumsum(worth, axis=-1, out=paid[:, 1:])
    bottom = paid[:, -1:] - along_rows(paid, count[:, None] - last)
    cost = [mass[a[:, None] + last] for a in above]
    best = sum((s * c for s, c in zip(step, cost, strict=True)), np.zeros(last.shape))
    least = share(start[:, None] + step.sum() * bottom, best).min(-1)
    return least, _most_of_ratio(start, step, paid, cost)


def _most_of_ratio(start: Array, step: Array, paid: Array, cost: list[Array]) -> Array:
    """Dinkelbach's iteration; `paid` and, by level, `cost` are those of the first free places. [row, taken]"""
    most = np.zeros(start.size)
    rows = np.arange(start.size)  # of which the most still rises
    while rows.size:
        part, whole = start[rows], np.zeros(rows.size)
        for s, c in zip(step, cost, strict=True):
            chosen = rows, np.argmax(paid[rows] - most[rows, None] * c[rows], axis=-1)
            part = part + s * paid[chosen]
            whole = whole + s * c[chosen]
        better = share(part, whole)
        rises = better > most[rows] + 1e-15
        most[rows] = np.maximum(most[rows], better)
        rows = rows[rises]
    return most


def along_rows(x: NDArray[Value], at: Index) -> NDArray[Value]:
    """Take places of each row, as `np.take_along_axis` does in several times as long. [row, place]"""
    return x.ravel()[x.shape[1] * np.arange(x.shape[0])[:, None] + at]


def share(part: NDArray[Any], whole: NDArray[Any]) -> Array:
    """Divide; nothing by nothing is 0."""
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


ValueOf = Callable[[Index, Bools, Index], Array]
"""Of rows, the places taken in them and the number of places charged for: the value of each."""


def extremes_by_number(low: ValueOf, high: ValueOf, free: Bools) -> tuple[Array, Array]:
    """Find the least `low` over any number of free places, the lowest ones, and the most `high`, the highest ones.

    Neither value may fall as more places are taken, nor rise as more are charged for.
    """
    count = free.sum(-1)
    above = np.cumsum(free, axis=-1)

    def highest(rows: Index, taken: Index, paid: Index) -> Array:
        return high(rows, free[rows] & (above[rows] <= taken[:, None]), paid)

    def lowest(rows: Index, taken: Index, paid: Index) -> Array:
        # the negative rises with what is charged for and falls with what is taken: they change places
        return -low(rows, free[rows] & (above[rows] > (count[rows] - paid)[:, None]), taken)

    return -_search(lowest, count, free.shape[1]), _search(highest, count, free.shape[1])


def _search(value: Callable[[Index, Index, Index], Array], count: Index, width: int) -> Array:
    """Find the largest value(row, n, n) over n = 0 .. count, by branch and bound.

    An interval of n that takes as many as its upper end and is charged for as few as its lower one is worth no
    less than any n in it; if it is worth no more than the best so far, none of it needs a look.
    """

    def at(rows: Index, taken: Index, paid: Index) -> Array:
        parts = [value(rows[part], taken[part], paid[part]) for part in in_portions(rows.size, width)]
        return np.concatenate([np.zeros(0), *parts])

    rows = np.arange(count.size)
    best = np.maximum(at(rows, count, count), at(rows, np.zeros_like(count), np.zeros_like(count)))
    low, high = np.ones_like(count), count - 1
    while True:
        there = np.flatnonzero(low <= high)
        rows, low, high = rows[there], low[there], high[there]
        alive = at(rows, high, low) > best[rows]
        rows, low, high = rows[alive], low[alive], high[alive]
        if not rows.size:
            return best
        middle = (low + high) // 2
        np.maximum.at(best, rows, at(rows, middle, middle))
        rows = np.concatenate([rows, rows])
        low, high = np.concatenate([low, middle + 1]), np.concatenate([middle - 1, high])


def in_portions(size: int, width: int) -> list[slice]:
    """Cut rows of a given width into portions that stay in cache."""
    step = max(1, _ENTRIES // max(1, width))
    return [slice(i, i + step) for i in range(0, size, step)]
