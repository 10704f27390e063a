"""Random splits of a sample into two disjoint sets, shared by everything that is compared on them.

Splits come from streams keyed by block (`resampling`): the same seed gives the same splits, a longer series begins
like a shorter one, and a smaller set is part of the larger set of the same split. Where there are no more splits than
asked for, each is taken once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from assay.core.arrays import Array, Index
from assay.core.thresholds import Threshold
from assay.stats.resampling import shuffles, streams

SPLIT_TOPICS = Threshold(
    "split_topics", 4, unit="topics", meaning="that two halves of two take: fewer are not split, or have no interval"
)
PORTION = 1 << 18  # multiplications in one product: larger ones OpenBLAS hands to threads, which then wait in a loop


@dataclass(frozen=True, slots=True)
class Splits:
    """Pairs of disjoint sets of the same size, out of `n`."""

    n: int
    first: Index  # [split, member]
    second: Index  # [split, member]
    complete: bool = False  # every split there is, once; which of the two sets comes first makes no difference

    def __len__(self) -> int:
        return len(self.first)

    @property
    def size(self) -> int:
        """How many members a set has."""
        return self.first.shape[1]

    def both_ways(self) -> Splits:
        """Take either set first, where these are all splits there are; random ones stay as they are."""
        if not self.complete:
            return self
        first, second = (np.concatenate(both) for both in ((self.first, self.second), (self.second, self.first)))
        return Splits(self.n, first, second, complete=True)

    def head(self, n_splits: int) -> Splits:
        """Keep the first splits."""
        if n_splits >= len(self):
            return self
        return Splits(self.n, self.first[:n_splits], self.second[:n_splits])

    def blocks(self, step: int) -> Iterator[Splits]:
        """Hand out some splits at a time."""
        for i in range(0, len(self), step):
            yield Splits(self.n, self.first[i : i + step], self.second[i : i + step])

    def masks(self) -> tuple[Array, Array]:
        """Say who is in which set, as 1 and 0. Two of [split, n]"""
        return masked(self.first, self.n), masked(self.second, self.n)


def splits(n: int, size: int, n_splits: int, seed: int) -> Splits:
    """Draw disjoint sets of `size` out of n; all there are, in random order, if these are no more than `n_splits`.

    >>> every = splits(4, 2, 100, seed=0)
    >>> len(every), every.complete, len(splits(40, 20, 100, seed=0))
    (3, True, 100)
    """
    if not 1 <= size <= n // 2:
        raise ValueError(f"no two disjoint sets of {size} out of {n}")
    if n_different(n, size) <= n_splits:
        pairs = np.random.default_rng(seed).permutation(np.array(list(_all(n, size))))
        exchanged = np.random.default_rng(seed).integers(2, size=len(pairs)).astype(bool)
        pairs[exchanged] = pairs[exchanged, ::-1]
        return Splits(n, pairs[:, 0], pairs[:, 1], complete=True)
    blocks = [rng.permuted(np.tile(np.arange(n), (k, 1)), axis=1) for k, rng in streams(n_splits, seed)]
    order = np.concatenate(blocks)
    return Splits(n, order[:, :size], order[:, n - size :])


def random_orders(n: int, n_splits: int, seed: int) -> Index:
    """Shuffle 0 .. n-1, once for every split: the first and the last of an order are its two sets. [split, n]"""
    row = np.arange(n, dtype=np.float64)[None]
    return np.concatenate([part[:, 0] for part in shuffles(row, n_splits, seed)]).astype(np.intp)


def among(order: Index, members: Index) -> Index:
    """Leave all but `members` out of every order, and number those 0, 1, ...

    Splits with and without some topics are then alike but for these topics, and differences between them are not
    drowned in the noise of another resample.
    """
    place = np.full(order.shape[1], -1, dtype=np.intp)
    place[members] = np.arange(members.size)
    places = place[order]
    return places[places >= 0].reshape(len(order), members.size)


def end_sets(order: Index, size: int) -> Splits:
    """Split every order into its first and its last members; where all splits are no more, take each once."""
    n = order.shape[1]
    if n_different(n, size) <= len(order):
        return splits(n, size, len(order), seed=0)
    return Splits(n, order[:, :size], order[:, n - size :])


def n_different(n: int, size: int) -> int:
    """Count the splits there are, whichever of the two sets comes first."""
    return comb(n, size) * comb(n - size, size) // 2


def _all(n: int, size: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for first in combinations(range(n), size):
        rest = sorted(set(range(n)) - set(first))
        yield from ((first, second) for second in combinations(rest, size) if first[0] < second[0])


def masked(chosen: Index, n: int) -> Array:
    """Say who of n is in each set, as 1 and 0. `chosen` is [split, member]; gives [split, n]"""
    mask = np.zeros((len(chosen), n))
    np.put_along_axis(mask, chosen, 1.0, axis=-1)
    return mask


def means(x: Array, mask: Array) -> Array:
    """Average over the members of each set; NaN over an empty one. `x` is [..., n]; gives [split, ...]

    By matrix products: another order of adding up, so what is equal comes out equal to rounding only.
    """
    count = mask.sum(-1)
    weight = np.divide(mask, count[:, None], out=np.full(mask.shape, np.nan), where=count[:, None] > 0)
    rows = x.reshape(-1, x.shape[-1])
    mean = np.empty((len(mask), len(rows)))
    step = max(1, PORTION // max(1, mask.size))
    for i in range(0, len(rows), step):
        mean[:, i : i + step] = weight @ rows[i : i + step].T
    return mean.reshape(len(mask), *x.shape[:-1])
