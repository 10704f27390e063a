"""Judges who rank the same items: on how many pairs two of them differ, and which pairs divide them most.

Judges give scores, larger is better. Scores that differ by no more than rounding are ties, and so are two items of
which a judge has no score for one (NaN): who cannot score it has no preference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Verdicts = NDArray[np.int8]  # 1 the first is better, -1 the second, 0 neither

TIED, SURE = 2.0**-48, 2.0**-45  # of the larger score: equal up to here, surely different from there


def verdicts(a: Array, b: Array) -> Verdicts:
    """Say which of two scores is better.

    >>> verdicts(np.array([0.3, 0.1 + 0.2, np.nan]), np.array([0.2, 0.3, 0.5])).tolist()
    [1, 0, 0]
    """
    difference = a - b
    clear = np.abs(difference) > TIED * np.maximum(np.abs(a), np.abs(b))  # False where there is no score
    return np.where(clear, np.sign(difference), 0.0).astype(np.int8)


def n_doubtful(a: Array, b: Array) -> int:
    """Count differences that are no ties, but so small that rounding might have made them."""
    size, difference = np.maximum(np.abs(a), np.abs(b)), np.abs(a - b)
    return int(((difference > TIED * size) & (difference < SURE * size)).sum())


@dataclass(frozen=True, slots=True)
class Table:
    """How two judges each see the pairs: weights of pairs by whether the judges differ. [judge, judge]"""

    differ: Array
    opposite: Array
    total: float


def cross(found: Verdicts, weight: Array) -> Table:
    """Weigh the pairs on which any two judges differ, or prefer opposite sides. `found` is [judge, pair]"""
    seen = {state: (found == state).astype(np.float64) for state in (1, -1, 0)}
    same = sum((one * weight) @ one.T for one in seen.values())
    opposite = (seen[1] * weight) @ seen[-1].T
    total = float(weight.sum())
    return Table(total - np.asarray(same), opposite + opposite.T, total)


@dataclass(frozen=True, slots=True)
class Divided:
    """Pairs of items, those first that divide the judges most."""

    first: Index  # [pair] item
    second: Index  # [pair] item
    n_opposite: Index  # [pair] pairs of judges who prefer opposite sides
    n_differ: Index  # [pair] pairs of judges whose verdicts differ
    margin: Array  # [pair] how sure the side is that is less so

    def take(self, rows: Index) -> Divided:
        """Keep some pairs, in this order."""
        return Divided(
            self.first[rows], self.second[rows], self.n_opposite[rows], self.n_differ[rows], self.margin[rows]
        )


def divided(score: Array, spread: Array, *, most: int) -> Divided:
    """Find the pairs of items that divide the judges most, with the better side for most judges first.

    Most: most pairs of judges who prefer opposite sides; then most whose verdicts differ; then the largest margin,
    which is the largest difference on the side where that is smaller, in units of `spread`, a number a judge.
    `score` is [judge, item].
    """
    first, second = np.triu_indices(score.shape[1], 1)
    ahead, behind = np.zeros((2, first.size), dtype=np.int64)
    surest = np.zeros((2, first.size))  # the largest difference on each side
    for own, unit in zip(score, spread, strict=True):
        a, b = own[first], own[second]
        found = verdicts(a, b)
        size = np.nan_to_num(np.abs(a - b)) / unit
        ahead += found == 1
        behind += found == -1
        surest = np.maximum(surest, [np.where(found == side, size, 0.0) for side in (1, -1)])
    margin = surest.min(0)
    n_opposite = ahead * behind
    n_differ = n_opposite + (ahead + behind) * (score.shape[0] - ahead - behind)
    turned = behind > ahead
    pairs = Divided(np.where(turned, second, first), np.where(turned, first, second), n_opposite, n_differ, margin)
    return pairs.take(ranked(pairs)[:most])


def spread(score: Array) -> Array:
    """The standard deviation of each judge's scores, those there are; 1 for one who scores all alike. [judge]

    >>> spread(np.array([[1.0, 3.0, np.nan], [2.0, 2.0, 2.0]])).tolist()
    [1.0, 1.0]
    """
    there = ~np.isnan(score)
    n = there.sum(-1, keepdims=True).clip(1)
    mean = np.where(there, score, 0.0).sum(-1, keepdims=True) / n
    deviation = np.sqrt((np.where(there, score - mean, 0.0) ** 2).sum(-1) / n[:, 0])
    return np.where(deviation > 0, deviation, 1.0)


def ranked(pairs: Divided) -> Index:
    """Order pairs by how much they divide the judges."""
    return np.lexsort((-pairs.margin.round(9), -pairs.n_differ, -pairs.n_opposite))


def joined(parts: Sequence[Divided]) -> Divided:
    """Put pairs of several groups of items together."""
    names = ("first", "second", "n_opposite", "n_differ", "margin")
    return Divided(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def seldom(key: Index, *, uses: int, most: int) -> Index:
    """Choose pairs from the first on, none of whose keys has been chosen `uses` times already.

    The keys of a pair, such as its two items, are the numbers in its row. [pair, key]

    >>> seldom(np.array([[0, 1], [0, 2], [0, 3], [3, 4]]), uses=2, most=9).tolist()
    [0, 1, 3]
    """
    used: dict[int, int] = {}
    chosen: list[int] = []
    for row, own in enumerate(key.tolist()):
        if len(chosen) == most:
            break
        if all(used.get(one, 0) < uses for one in own):
            chosen.append(row)
            used |= {one: used.get(one, 0) + 1 for one in own}
    return np.array(chosen, dtype=np.int64)
