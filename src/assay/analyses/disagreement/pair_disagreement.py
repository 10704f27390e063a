"""Pairs of ranked lists: on how many of them two measures disagree, and on which of them measures disagree most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Index
from assay.stats.intervals import deletion_changes, grouped, jackknife_interval
from assay.stats.pair_preferences import Sides, preferred_sides
from assay.stats.subsampling import HALVED_TOPICS, best_p_values

_NONE = 1e-12  # a share that is none, but for rounding


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


def preferred_weights(sides: Sides, ahead: Sides, weight: Array) -> Array:
    """Add up the weights of the pairs of which one measure prefers a list that is ahead, and another does not.

    `sides` is [measure, pair], `ahead` the side that has more of something, 0 where neither has. [measure, against]
    """
    prefers = ((sides == ahead) & (ahead != 0)).astype(np.float64)
    shared = (prefers * weight) @ prefers.T
    return np.asarray(np.diagonal(shared)[:, None] - shared)


def differing_pairs(ahead: Index, behind: Index, n_measures: int) -> tuple[Index, Index]:
    """Count the pairs of measures that do not prefer the same ranking, and those that prefer opposite ones.

    `ahead` measures prefer the one ranking and `behind` the other; all others have no preference.
    """
    opposite = ahead * behind
    return opposite + (ahead + behind) * (n_measures - ahead - behind), opposite


def share_over_topics(part: Array, whole: Array, level: float) -> tuple[Array, Array, Array]:
    """The share of the whole, with its interval over topics. Both are [topic, ...]

    A ratio of sums over topics is smooth, so that the delete-one jackknife gives its error. The estimand is its mean
    over samples of as many topics, runs fixed.
    """
    share, *left_out = totals_over_topics(part) / np.maximum(totals_over_topics(whole), 1)
    low, high = jackknife_interval(share, np.array(left_out), level=level)
    return share, *share_interval(share, low, high, (whole > 0).sum(0), level)


def may_be_most(part: Array, whole: Array, level: float) -> list[bool | None]:
    """Say of each share whether it may be the largest: multiple comparisons with the best, paired over topics.

    `part` is [topic, share], `whole` [topic]. The truly largest is marked with at least this confidence. None where
    topics are too few.
    """
    share, *left_out = totals_over_topics(part) / np.maximum(totals_over_topics(whole[:, None]), 1)
    if len(left_out) < HALVED_TOPICS.value or not whole.sum():
        return [None] * share.size
    if share.size == 1:
        return [True]
    p, _ = best_p_values(share, deletion_changes(np.array(left_out)), np.ones(share.size), len(left_out))
    return [not one < 1 - level for one in p]


def share_interval(share: Array, low: Array, high: Array, n: Index, level: float) -> tuple[Array, Array]:
    """Keep the interval of a share within 0 and 1; of a share of 0 or 1 take the exact one of n votes.

    All votes being the same, nothing moves when some are left out, which does not make the share certain. Clopper and
    Pearson's interval bounds the share of topics that have any (or not all) of it, and so the share itself. Without
    votes, or with one, there is no interval.
    """
    end = np.where(n > 1, 1 - ((1 - level) / 2) ** (1 / np.maximum(n, 1)), np.nan)
    none, every = share < _NONE, share > 1 - _NONE
    low = np.where(every, 1 - end, np.where(none, 0.0 * end, np.maximum(low, 0.0)))
    return low, np.where(none, end, np.where(every, 1.0 + 0.0 * end, np.minimum(high, 1.0)))


def totals_over_topics(counts: Array) -> Array:
    """Add up over all topics, then with each group of them left out. [all or left out, ...], from [topic, ...]"""
    group = grouped(len(counts))
    return np.stack([counts.sum(0), *(counts[group != g].sum(0) for g in np.unique(group))])


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
    n_differ, n_opposite = differing_pairs(ahead, behind, score.shape[0])
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
