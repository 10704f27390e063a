"""The cheapest mix of topics and pool depth: what it costs to find a difference, by how deep documents are pooled.

A difference is stated in the units of the measure with all judgments of the pilot. A shallower pool shows it by
another size: means of runs in the pool are regressed on their means with all judgments, over all pairs of runs and
through the origin, and the slope is the share of a difference that the pool shows. Its variance over topics is that
in the pool. What must be bought is then the variance over the square of the slope, times what a topic costs; all of
it comes from the same topics, so that a jackknife over these gives intervals, and compares depths topic by topic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.analyses.topics.designs import MOST_TOPICS
from assay.core.arrays import Array, Bools, Index
from assay.stats.intervals import deletion_changes, grouped, skewed_jackknife_interval
from assay.stats.paired.pair_variances import typical_variances
from assay.stats.paired.sample_size import detectable_difference, normal_topics, paired_topics
from assay.stats.subsampling import best_p_values

_STILL = 1e-9  # of a logarithm: rounding
Ends = tuple[float, float, float]
"""An estimate and the ends of its interval."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to be found, and how surely."""

    difference: float  # in the units of the measure with all judgments
    alpha: float
    power: float
    level: float  # of intervals


@dataclass(frozen=True, slots=True)
class Prices:
    """What judging costs, in one unit: a document, and a topic whatever its pool holds."""

    judgment: float
    topic: float = 0.0


@dataclass(frozen=True, slots=True)
class PoolEstimate:
    """What a pool of some depth shows of differences, and what a topic costs there.

    `noise` is the variance of a difference of two runs over topics, in the units of all judgments. Logarithms are
    of all topics first, then without each group of them.
    """

    sd: float  # of a difference over topics, as the pool shows it
    slope: float  # the share of a difference that the pool shows
    n_documents: float  # of a topic, judged or not: the mean
    log_noise: Array  # [1 + group]
    log_price: Array  # [1 + group]

    @classmethod
    def of(cls, full: Array, pooled: Array, n_documents: Array, prices: Prices) -> PoolEstimate:
        """Estimate from scores with all judgments and in the pool, [run, topic], and documents, [topic]."""
        group = grouped(n_documents.size)
        variance, without = typical_variances(pooled, group)
        slope = shown_share(full, pooled, group)
        documents = means_without(n_documents, group)
        enough = without.size > 0
        variances = np.concatenate(([variance], without if enough else np.full(slope.size - 1, np.nan)))
        with np.errstate(divide="ignore", invalid="ignore"):
            log_noise = np.log(variances) - 2 * np.log(np.where(slope > 0, slope, np.nan))
            log_price = np.log(prices.judgment * documents + prices.topic)
        return cls(float(np.sqrt(variance)), float(slope[0]), float(documents[0]), log_noise, log_price)

    def topics(self, aim: Aim) -> Ends:
        """How many topics find the difference, with the interval of the noise."""
        low, high = _ends(self.log_noise, aim.level)
        noise = np.exp(np.array([self.log_noise[0], low, high]))
        n, low, high = paired_topics(np.sqrt(noise), aim.difference, alpha=aim.alpha, power=aim.power).tolist()
        return n, low, high

    def log_cost(self, aim: Aim) -> Array:
        """The logarithm of what so many topics cost, [1 + group]: whole topics first, then as if they had parts."""
        effect = aim.difference / np.exp(self.log_noise / 2)
        smooth = np.log(normal_topics(effect, alpha=aim.alpha, power=aim.power)) + self.log_price
        whole = np.log(self.topics(aim)[0]) + self.log_price[0]
        with np.errstate(invalid="ignore"):  # what no number of topics finds has no cost
            return np.asarray(smooth + (whole - smooth[0]))

    def cost(self, aim: Aim) -> Ends:
        """What so many topics cost: topics and documents vary together."""
        log_cost = self.log_cost(aim)
        low, high = np.exp(_ends(log_cost, aim.level)).tolist()
        return float(np.exp(log_cost[0])), low, high

    def smallest(self, budget: float, aim: Aim) -> tuple[int, Ends]:
        """How many topics a budget pays for, and the smallest difference that they find."""
        n = int(min(budget / np.exp(self.log_price[0]) + 1e-9, MOST_TOPICS))
        size = float(detectable_difference(np.exp(self.log_noise[0] / 2), n, alpha=aim.alpha, power=aim.power))
        low, high = _ends((self.log_noise + self.log_price) / 2, aim.level)  # it goes with the root of both
        centre = (self.log_noise[0] + self.log_price[0]) / 2
        return n, (size, size * float(np.exp(low - centre)), size * float(np.exp(high - centre)))


def _ends(values: Array, level: float) -> tuple[float, float]:
    """The interval of a value, [1 + group], by the jackknife, as of the variance that it rests on."""
    low, high = skewed_jackknife_interval(values[0], values[1:], level=level)
    return float(low), float(high)


def means_without(x: Array, group: Index) -> Array:
    """Means over topics: of all, then without each group of them. `x` is [..., topic]; [..., 1 + group]

    >>> means_without(np.array([1.0, 2.0, 6.0]), np.arange(3)).tolist()
    [3.0, 4.0, 3.5, 1.5]
    """
    member = (group[:, None] == np.arange(group.max(initial=-1) + 1)).astype(np.float64)  # [topic, group]
    rest = np.maximum(group.size - member.sum(0), 1)
    total = x.sum(-1, keepdims=True)
    return np.concatenate([total / group.size, (total - x @ member) / rest], axis=-1)


def shown_share(full: Array, pooled: Array, group: Index) -> Array:
    """The share of a difference that a pool shows: of all topics, then without each group of them. [1 + group]

    The slope of the regression through the origin, over all pairs of runs, of their mean differences in the pool on
    those with all judgments; NaN where no two runs differ. Both are [run, topic].
    """
    x, y = (means_without(scores, group) for scores in (full, pooled))
    x, y = x - x.mean(0), y - y.mean(0)  # of differences of all pairs, the sums of squares are m times those of runs
    square = (x**2).sum(0)
    return np.divide((x * y).sum(0), square, out=np.full(square.shape, np.nan), where=square > 0)


def may_be_cheapest(pools: Sequence[PoolEstimate], aim: Aim) -> Bools:
    """Mark the depths that may cost least: all but those that cost significantly more than another. [depth]

    Multiple comparisons with the best, on the logarithm of the cost, paired over topics; none is excluded where there
    is no interval, and none marked where nothing can be found at any cost.
    """
    log_cost = np.stack([pool.log_cost(aim) for pool in pools], axis=-1)  # [1 + group, depth]
    there = np.isfinite(log_cost[0])
    marked = there.copy()
    left = log_cost[1:, there]
    if left.shape[0] > 1 and np.isfinite(left).all() and there.any():
        changes = deletion_changes(-left)
        p, _ = best_p_values(-log_cost[0, there], changes, np.ones(changes.shape[1]), len(changes))
        marked[there] = ~(p < 1 - aim.level) & ~_surely_more(log_cost[0, there], changes)
    return marked


def _surely_more(log_cost: Array, changes: Array) -> Bools:
    """Which cost more than another whatever the topics: the two vary alike. [depth]; changes are [group, depth]"""
    apart = np.abs(changes[:, :, None] - changes[:, None, :]).max(0)
    return np.asarray(((apart < _STILL) & (log_cost[:, None] > log_cost + _STILL)).any(1))
