"""Weightings of nDCG on one collection, fitted or standard, as kanoulas2009 compares them; with topics left out, too.

All is computed by the functions behind `assay weights`. Every statistic is an array of replicates (`leave_one_out`):
of all topics, then without each; what is fitted is fitted again without it. Unlike `weights`, a fit does not also
start from the standard functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists, lists_of
from assay.analyses.weights.optimise.cross_validation import FOLDS, REPEATS, held_out_scores, ratios, topic_folds
from assay.analyses.weights.optimise.ndcg import Ideal, ndcg
from assay.analyses.weights.optimise.optimum import Optimum, optimise
from assay.analyses.weights.power import asl_summary, swept_gain
from assay.analyses.weights.tables import same_first
from assay.analyses.weights.variants import gain_ratio, standard_discounts, standard_gains, variant_name
from assay.core.arrays import Array, Index
from assay.data.tables import ABSENT
from assay.papers.kanoulas2009.curves import distance, levels_off, unevenness
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, judged_lists, per_collection
from assay.stats.best import leading
from assay.stats.correlation.coefficients import tau_b
from assay.stats.leave_one_out import topic_sets
from assay.stats.significance.paired_t import separated
from assay.stats.variance import coefficient, exact_topics, mean_squares, phi, ratio_of

ALPHA = 0.05
SEED = 0
OPTIMAL = "optimal"
GROUPS = 25  # of topics that are left out, where there are many: all is fitted again without each
_ONE_BY_ONE = 30  # topics, at most, that are left out each by itself
_STARTS = 4  # of a fit to all topics; with some left out it starts from there
_SOMEWHAT = 1.25  # times the gain of the lowest relevant grade


@dataclass(frozen=True, slots=True)
class Weighting:
    """A gain and a discount, each by name; what is called optimal is fitted given the other, or both together."""

    gain: str = "linear"
    discount: str = "log2"

    def __str__(self) -> str:
        return variant_name(self.gain, self.discount)

    @property
    def fitted(self) -> bool:
        """Whether anything is fitted."""
        return OPTIMAL in (self.gain, self.discount)


STANDARD = Weighting()
DISCOUNT = Weighting(discount=OPTIMAL)
GAIN = Weighting(gain=OPTIMAL)
BOTH = Weighting(OPTIMAL, OPTIMAL)


class NdcgFits:
    """All that is computed of one collection's lists, each when it is first asked for."""

    def __init__(self, lists: Callable[[int], GradedLists]) -> None:
        self.lists = lists
        self.weights = cache(self._weights)
        self.scores = cache(self._scores)
        self.phi = cache(self._phi)
        self.power = cache(self._power)
        self.means = cache(self._means)
        self.asl = cache(self._asl)
        self.free_discounts = cache(self._free_discounts)

    @property
    def topic_sets(self) -> list[Index]:
        """The topics of every replicate: all, then without each group. [set]"""
        n = self.lists(1).n_topics
        return list(topic_sets(n, groups=n if n <= _ONE_BY_ONE else GROUPS))

    def reaches(self, k: int) -> bool:
        """Whether any list is so deep."""
        return self._longest(k) >= k

    def _longest(self, k: int) -> int:
        """The longest list, to rank k."""
        there = (self.lists(k).grade != ABSENT).any((0, 1))
        return int(np.flatnonzero(there).max(initial=0)) + 1

    def at_most(self, k: int) -> int:
        """A cutoff, or the longest list where that is shorter."""
        return min(k, self._longest(k))

    @property
    def graded(self) -> bool:
        """Whether gains can matter."""
        return self.lists(1).grades.size > 1

    @property
    def optimum(self) -> Weighting:
        """Both fitted together; the discount alone where there is one relevant grade only."""
        return BOTH if self.graded else DISCOUNT

    def fit(self, lists: GradedLists, of: Weighting, **more: object) -> Optimum:
        """Fit what a variant calls optimal."""
        gain, discount = (None if name == OPTIMAL else name for name in (of.gain, of.discount))
        free = "both" if gain is None and discount is None else "gain" if gain is None else "discount"
        gains, ways = standard_gains(lists.top), standard_discounts(lists.depth)
        fixed = {"gain": gains[gain or "linear"], "discount": ways[discount or "log2"]}
        return optimise(lists, free=free, **fixed, **more)  # type: ignore[arg-type]

    def _weights(self, k: int, of: Weighting) -> list[tuple[Array, Array]]:
        """Gain and discount in every set. [set]"""
        lists = self.lists(k) if of.gain == "linear" else self._graded(k)
        if not of.fitted:
            return [(standard_gains(lists.top)[of.gain], standard_discounts(k)[of.discount])] * len(self.topic_sets)
        return [(one.gain, one.discount) for one in self._refitted(lists, of)]

    def _refitted(self, lists: GradedLists, of: Weighting, **more: object) -> list[Optimum]:
        """Fit to every set, from the optimum on all topics where some are left out. [set]"""
        whole, *sets = (lists.select(topics=topics) for topics in self.topic_sets)
        first = self.fit(whole, of, starts=_STARTS, **more)
        return [first, *(self.fit(some, of, near=(first.gain, first.discount), **more) for some in sets)]

    def _free_discounts(self, k: int) -> list[Array]:
        """The discount that may rise from rank to rank, gains linear, in every set. [set]"""
        return [one.discount for one in self._refitted(self.lists(k), DISCOUNT, monotone=False)]

    def _scores(self, k: int, of: Weighting) -> list[Array]:
        """nDCG@k in every set. [set] of [run, topic]"""
        lists = self.lists(k)
        if not of.fitted:
            whole = ndcg(lists, *self.weights(k, of)[0])
            return [whole[:, topics] for topics in self.topic_sets]
        every = zip(self.weights(k, of), self.topic_sets, strict=True)
        return [ndcg(lists.select(topics=topics), *weights) for weights, topics in every]

    def _phi(self, k: int, of: Weighting, n_topics: int = 1) -> Array:
        """Phi at a number of topics. [set]"""
        ratio = [mean_squares(x).ratio("phi") for x in self.scores(k, of)]
        return coefficient(np.array(ratio), n_topics)

    def topics(self, k: int, of: Weighting, target: float) -> Array:
        """How many topics bring Phi to a target, not rounded up. [set]"""
        return exact_topics(ratio_of(self.phi(k, of)), target)

    def ratio(self, k: int, of: Weighting) -> Array:
        """The gain of the top grade over that of the lowest relevant one. [set]"""
        lists = self._graded(k)
        return np.array([gain_ratio(lists, gain) for gain, _ in self.weights(k, of)])

    def free_ratio(self, k: int, ideal: Ideal = "gain") -> float:
        """The ratio of optimal gains that may be below 1, the discount log2; not with topics left out."""
        lists = self._graded(k)
        return gain_ratio(lists, self.fit(lists, GAIN, monotone=False, ideal=ideal, starts=_STARTS).gain)

    def _graded(self, k: int) -> GradedLists:
        lists = self.lists(k)
        if lists.grades.size < 2:
            raise MissingDataError("judgments with two relevant grades or more")
        return lists

    def mean_rank(self, k: int, of: Weighting) -> Array:
        """The mean rank under the discount as a distribution: the higher, the less steep. [set]"""
        rank = np.arange(1.0, k + 1)
        return np.array([rank @ discount / discount.sum() for _, discount in self.weights(k, of)])

    def tail(self, k: int, of: Weighting, after: int) -> Array:
        """The share of a discount's weight that lies below a rank. [set]"""
        return np.array([discount[after:].sum() / discount.sum() for _, discount in self.weights(k, of)])

    def apart(self, k: int, one: Weighting, other: Weighting, first: int | None = None) -> Array:
        """The share of weight by which two discounts differ, at the first ranks or at all. [set]"""
        pairs = zip(self.weights(k, one), self.weights(k, other), strict=True)
        return np.array([distance(d, e, first) for (_, d), (_, e) in pairs])

    def unevenness(self, k: int, of: Weighting, after: int) -> Array:
        """The share of a discount's weight below a rank that would have to move for it to be constant there. [set]"""
        return np.array([unevenness(discount, after) for _, discount in self.weights(k, of)])

    def levels_off(self, k: int, of: Weighting) -> float:
        """The rank at which a discount levels off; not with topics left out: a rank jumps."""
        return float(levels_off(self.weights(k, of)[0][1]))

    def _means(self, k: int, of: Weighting) -> Array:
        return np.stack([x.mean(-1) for x in self.scores(k, of)])

    def tau(self, k: int, one: Weighting, other: Weighting) -> Array:
        """Kendall's tau-b of the rankings of runs. [set]"""
        return tau_b(self.means(k, one), self.means(k, other))

    def _power(self, k: int, of: Weighting) -> Array:
        """The share of pairs of the best runs, by the standard, that a paired t test finds different. [set]"""
        best = leading(self.scores(k, STANDARD)[0])
        return np.array([separated(x[best], alpha=ALPHA)[0] for x in self.scores(k, of)])

    def _asl(self, k: int, of: Weighting, statistic: str) -> Array:
        """A summary of the significance levels of the best runs by the bootstrap, as `weights` has it. [set]"""
        best = leading(self.scores(k, STANDARD)[0])
        every = [asl_summary(x[best], alpha=ALPHA, rng=SEED) for x in self.scores(k, of)]
        return np.array([one[statistic] for one in every])

    def same_first(self, k: int, one: Weighting, other: Weighting) -> float:
        """How many of the best runs stand in exactly the same order; not with topics left out: a count jumps."""
        return float(same_first(self.means(k, one)[0], self.means(k, other)[0]))

    def nearer_the_top(self, k: int, first: int) -> Array:
        """How much more of the top grade's documents than of the lowest relevant one's are at the first ranks. [set]

        Of those that are listed to rank k, by all runs together.
        """
        lists = self._graded(k)
        shares = []
        for grade in (lists.grades[-1], lists.grades[0]):
            n = (lists.grade == grade).sum(0)  # [topic, rank]
            whole = np.array([n[topics].sum() for topics in self.topic_sets])
            if not whole.all():
                raise MissingDataError(f"listed documents of grade {grade}")
            shares.append(np.array([n[topics, :first].sum() for topics in self.topic_sets]) / whole)
        return np.asarray(shares[0] - shares[1])

    def judged_share(self, k: int) -> float:
        """The share of listed documents to rank k that were judged."""
        grade = self.lists(k).grade
        return float((grade >= 0).sum() / max(int((grade != ABSENT).sum()), 1))

    def leaning(self, k: int, *, none_below: int | None = None) -> Array:
        """How much Phi gains by a top grade worth somewhat more than the lowest rather than somewhat less. [set]

        The discount is log2. Above 0 the optimal ratio tends to be above 1. With `none_below`, documents of the top
        grade below that rank count as of the lowest relevant grade.
        """
        lists = self._graded(k)
        if none_below is not None:
            deep = np.arange(lists.depth) >= none_below
            grade = np.where(deep & (lists.grade == lists.grades[-1]), lists.grades[0], lists.grade).astype(np.int8)
            lists = replace(lists, grade=grade)
        log2 = standard_discounts(k)["log2"]
        more, less = (ndcg(lists, swept_gain(lists.top, ratio), log2) for ratio in (_SOMEWHAT, 1 / _SOMEWHAT))
        return np.array([float(phi(more[:, some]) - phi(less[:, some])) for some in self.topic_sets])

    def held_out(self, k: int, of: Weighting, *, monotone: bool = True) -> Array:
        """What is gained in Phi over the standard on topics that were not fitted on, as `weights` has it. [set]

        With a topic left out the weights stay as they were fitted.
        """
        lists, standard = self.lists(k), self.scores(k, STANDARD)[0]
        gains = []
        for repeat in range(REPEATS):
            folds = topic_folds(lists.n_topics, min(FOLDS, lists.n_topics // 2), SEED, repeat)
            every = [np.arange(lists.n_runs)]
            (scores,) = held_out_scores(
                lists, lambda some: self.fit(some, of, monotone=monotone, starts=1), folds=folds, parts=every
            )
            after, before = (coefficient(ratios(x, folds)["phi"], 1) for x in (scores, standard))
            gains.append(after - before)
        return np.asarray(np.mean(gains, axis=0))


@per_collection
def fits(c: ScoredCollection) -> NdcgFits:
    """All fits to a collection."""
    judged = judged_lists(c, "weights are fitted to ranked lists, not to scores")
    return NdcgFits(cache(lambda k: lists_of(judged, k)))
