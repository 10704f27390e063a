"""Pairs of ranked lists: on how many of them two measures disagree, and on which of them measures disagree most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Index
from assay.stats.pair_preferences import Sides, preferred_sides


@dataclass(frozen=True, slots=True)
class DisagreementWeights:
    """The weights of the pairs of lists on which two measures disagree. [measure, measure]"""

    differ: Array  # do not prefer the same list
    opposite: Array  # prefer opposite lists
    total: float  # of all pairs


def disagreement_weights(sides: Sides, weight: Array) -> DisagreementWeights:
    """Add up the weights of the pairs on which measures differ, or prefer opposite lists. [measure, pair], [pair]"""
    seen = {state: (sides == state).astype(np.float64) for state in (1, -1, 0)}
    same = sum((one * weight) @ one.T for one in seen.values())
    opposite = (seen[1] * weight) @ seen[-1].T
    total = float(weight.sum())
    return DisagreementWeights(total - np.asarray(same), opposite + opposite.T, total)


@dataclass(frozen=True, slots=True)
class ListPairs:
    """Pairs of lists, and how much measures disagree on each."""

    first: Index  # [pair] list
    second: Index  # [pair] list
    n_opposite: Index  # [pair] pairs of measures that prefer opposite lists
    n_differ: Index  # [pair] pairs of measures that do not prefer the same list
    margin: Array  # [pair] the largest difference of scores, on the side where that is smaller

    def take(self, rows: Index) -> ListPairs:
        """Keep some pairs, in this order."""
        return ListPairs(
            self.first[rows], self.second[rows], self.n_opposite[rows], self.n_differ[rows], self.margin[rows]
        )

    def by_disagreement(self, *, most: int | None = None) -> ListPairs:
        """Put those first on which measures disagree most; keep so many."""
        return self.take(np.lexsort((-self.margin.round(9), -self.n_differ, -self.n_opposite))[:most])

    def with_opposite_preferences(self) -> ListPairs:
        """Keep those on which some measures prefer opposite lists."""
        return self.take(np.flatnonzero(self.n_opposite > 0))


def most_disagreement(score: Array, deviation: Array, *, most: int) -> ListPairs:
    """Find the pairs of lists on which measures disagree most, the list that more of them prefer first.

    Most: most pairs of measures that prefer opposite lists; then most that do not prefer the same; then the largest
    margin, which is the largest difference of scores on the side where that is smaller, in units of each measure's
    `deviation`. `score` is [measure, list].
    """
    first, second = np.triu_indices(score.shape[1], 1)
    ahead, behind = np.zeros((2, first.size), dtype=np.int64)
    surest = np.zeros((2, first.size))  # the largest difference on each side
    for own, unit in zip(score, deviation, strict=True):
        a, b = own[first], own[second]
        sides = preferred_sides(a, b)
        size = np.nan_to_num(np.abs(a - b)) / unit
        ahead += sides == 1
        behind += sides == -1
        surest = np.maximum(surest, [np.where(sides == side, size, 0.0) for side in (1, -1)])
    n_opposite = ahead * behind
    n_differ = n_opposite + (ahead + behind) * (score.shape[0] - ahead - behind)
    swap = behind > ahead
    pairs = ListPairs(
        np.where(swap, second, first), np.where(swap, first, second), n_opposite, n_differ, surest.min(0)
    )
    return pairs.by_disagreement(most=most)


def deviations(score: Array) -> Array:
    """The standard deviation of each measure's scores, those there are; 1 of one that scores all alike. [measure]

    >>> deviations(np.array([[1.0, 3.0, np.nan], [2.0, 2.0, 2.0]])).tolist()
    [1.0, 1.0]
    """
    known = ~np.isnan(score)
    n = known.sum(-1, keepdims=True).clip(1)
    mean = np.where(known, score, 0.0).sum(-1, keepdims=True) / n
    deviation = np.sqrt((np.where(known, score - mean, 0.0) ** 2).sum(-1) / n[:, 0])
    return np.where(deviation > 0, deviation, 1.0)


def concatenated(parts: Sequence[ListPairs]) -> ListPairs:
    """Put the pairs of several groups of lists together."""
    names = ("first", "second", "n_opposite", "n_differ", "margin")
    return ListPairs(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def limited_reuse(key: Index, *, uses: int, most: int) -> Index:
    """Choose pairs from the first on, none of whose keys has been chosen `uses` times already.

    The keys of a pair, such as its two lists, are the numbers in its row. [pair, key]

    >>> limited_reuse(np.array([[0, 1], [0, 2], [0, 3], [3, 4]]), uses=2, most=9).tolist()
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
