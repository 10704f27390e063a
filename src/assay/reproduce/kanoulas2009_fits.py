"""Variants of nDCG on one collection, fitted or standard, as kanoulas2009 compares them; with topics left out, too.

Every statistic is an array whose first value is of all topics and whose others each leave a topic out (one of 50
groups where there are more); what is fitted is fitted anew without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from assay.numeric.correlation import tau_b
from assay.numeric.held_out import DEALS, FOLDS, hold_out, needed, ratios, topic_folds
from assay.numeric.jackknife import deletions
from assay.numeric.optimum import Optimum, optimise
from assay.numeric.separation import leading, separated
from assay.numeric.variance import coefficient, mean_squares
from assay.numeric.weighing import Ideal, Lists, ndcg
from assay.reproduce.evidence import ALPHA, SEED, Evidence, MissingError
from assay.tables import ABSENT
from assay.weighed import standard_discounts, standard_gains

Array = NDArray[np.float64]
Index = NDArray[np.intp]

OPTIMAL = "optimal"
_STARTS = 4  # of a fit to all topics; one is enough with a topic left out


@dataclass(frozen=True, slots=True)
class Variant:
    """A gain and a discount, each by name; what is called optimal is fitted given the other, or both together."""

    gain: str = "linear"
    discount: str = "log2"

    def __str__(self) -> str:
        return f"{self.gain} gain, {self.discount}"

    @property
    def fitted(self) -> bool:
        """Whether anything is fitted."""
        return OPTIMAL in (self.gain, self.discount)


STANDARD = Variant()
DISCOUNT = Variant(discount=OPTIMAL)
GAIN = Variant(gain=OPTIMAL)
BOTH = Variant(OPTIMAL, OPTIMAL)


class Fits:
    """All that is computed of one collection's lists, each when it is first asked for."""

    def __init__(self, lists: Callable[[int], Lists]) -> None:
        self.lists = lists
        self.weights = cache(self._weights)
        self.scores = cache(self._scores)
        self.phi = cache(self._phi)
        self.power = cache(self._power)
        self.means = cache(self._means)

    @property
    def kept(self) -> list[Index]:
        """The topics of every set: all, then without each group. [set]"""
        n = self.lists(1).n_topics
        return [np.arange(n), *deletions(n)]

    def reaches(self, k: int) -> bool:
        """Whether any list is so deep."""
        return bool((self.lists(k).grade[:, :, k - 1] != ABSENT).any())

    def fit(self, lists: Lists, of: Variant, **more: object) -> Optimum:
        """Fit what a variant calls optimal."""
        gain, discount = (None if name == OPTIMAL else name for name in (of.gain, of.discount))
        free = "both" if gain is None and discount is None else "gain" if gain is None else "discount"
        gains, ways = standard_gains(lists.top), standard_discounts(lists.depth)
        given = {"gain": gains[gain or "linear"], "discount": ways[discount or "log2"]}
        return optimise(lists, free=free, **given, **more)  # type: ignore[arg-type]

    def _weights(self, k: int, of: Variant) -> list[tuple[Array, Array]]:
        """Gain and discount in every set. [set]"""
        lists = self.lists(k)
        if not of.fitted:
            return [(standard_gains(lists.top)[of.gain], standard_discounts(k)[of.discount])] * len(self.kept)
        sets = [
            self.fit(lists.select(topics=kept), of, starts=_STARTS if i == 0 else 1)
            for i, kept in enumerate(self.kept)
        ]
        return [(one.gain, one.discount) for one in sets]

    def _scores(self, k: int, of: Variant) -> list[Array]:
        """nDCG@k in every set. [set] of [run, topic]"""
        lists = self.lists(k)
        if not of.fitted:
            whole = ndcg(lists, *self.weights(k, of)[0])
            return [whole[:, kept] for kept in self.kept]
        every = zip(self.weights(k, of), self.kept, strict=True)
        return [ndcg(lists.select(topics=kept), *weights) for weights, kept in every]

    def _phi(self, k: int, of: Variant, n_topics: int = 1) -> Array:
        """Phi at a number of topics. [set]"""
        found = [mean_squares(x).ratio("phi") for x in self.scores(k, of)]
        return coefficient(np.array(found), n_topics)

    def topics(self, k: int, of: Variant, target: float) -> Array:
        """How many topics bring Phi to a target, not rounded up. [set]"""
        return needed(self.phi(k, of), target)

    def ratio(self, k: int, of: Variant) -> Array:
        """The gain of the top grade over that of the lowest relevant one. [set]"""
        grades = self.lists(k).grades
        if grades.size < 2:
            raise MissingError("judgments with two relevant grades or more")
        return np.array([gain[grades[-1]] / gain[grades[0]] for gain, _ in self.weights(k, of)])

    def free_ratio(self, k: int, ideal: Ideal = "gain") -> float:
        """The ratio of optimal gains that may be below 1, the discount log2; not with topics left out."""
        grades = self.lists(k).grades
        if grades.size < 2:
            raise MissingError("judgments with two relevant grades or more")
        found = self.fit(self.lists(k), GAIN, monotone=False, ideal=ideal, starts=_STARTS)
        return float(found.gain[grades[-1]] / found.gain[grades[0]])

    def mean_rank(self, k: int, of: Variant) -> Array:
        """The mean rank under the discount as a distribution: the higher, the less steep. [set]"""
        rank = np.arange(1.0, k + 1)
        return np.array([rank @ discount / discount.sum() for _, discount in self.weights(k, of)])

    def tail(self, k: int, of: Variant, after: int) -> Array:
        """The share of a discount's weight that lies below a rank. [set]"""
        return np.array([discount[after:].sum() / discount.sum() for _, discount in self.weights(k, of)])

    def apart(self, k: int, one: Variant, other: Variant) -> Array:
        """The share of weight by which two discounts differ: half the sum of absolute differences. [set]"""
        pairs = zip(self.weights(k, one), self.weights(k, other), strict=True)
        return np.array([np.abs(d / d.sum() - e / e.sum()).sum() / 2 for (_, d), (_, e) in pairs])

    def _means(self, k: int, of: Variant) -> Array:
        return np.stack([x.mean(-1) for x in self.scores(k, of)])

    def tau(self, k: int, one: Variant, other: Variant) -> Array:
        """Kendall's tau-b of the rankings of runs. [set]"""
        return tau_b(self.means(k, one), self.means(k, other))

    def _power(self, k: int, of: Variant) -> Array:
        """The share of pairs of the best runs, by the standard, that a paired t test finds different. [set]"""
        best = leading(self.scores(k, STANDARD)[0])
        return np.array([separated(x[best], alpha=ALPHA)[0] for x in self.scores(k, of)])

    def held_out(self, k: int, of: Variant) -> Array:
        """What is gained in Phi over the standard on topics that were not fitted on, as `weights` has it. [set]

        With a topic left out the weights stay as they were fitted.
        """
        lists, standard = self.lists(k), self.scores(k, STANDARD)[0]
        moved = []
        for deal in range(DEALS):
            folds = topic_folds(lists.n_topics, FOLDS, SEED, deal)
            every = [np.arange(lists.n_runs)]
            (found,) = hold_out(lists, lambda some: self.fit(some, of, starts=1), folds=folds, parts=every)
            after, before = (coefficient(ratios(x, folds)["phi"], 1) for x in (found, standard))
            moved.append(after - before)
        return np.asarray(np.mean(moved, axis=0))


@lru_cache(maxsize=4)
def _fits(lists: Callable[[int], Lists]) -> Fits:
    return Fits(lists)


def fits(e: Evidence) -> Fits:
    """What is computed of a collection, once."""
    if e.lists is None:
        raise MissingError("runs and judgments: weights are fitted to ranked lists, not to scores")
    return _fits(e.lists)
