"""Designs of a comparison: the topics that each needs for a size, and the size that so many topics show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import Array
from assay.stats.intervals import grouped
from assay.stats.paired.pair_variances import typical_variances, variance_interval
from assay.stats.paired.sample_size import (
    anova_difference,
    anova_topics,
    detectable_difference,
    interval_topics,
    interval_width,
    paired_topics,
)

Name = Literal["paired", "anova", "interval"]
MOST_TOPICS = 1e7  # beyond any that could be had


@dataclass(frozen=True, slots=True)
class Design:
    """A comparison that is planned: what is asked of it, and by which standards."""

    name: Name
    n_systems: int
    size: float  # the difference to be found, or the width of the interval
    alpha: float
    power: float
    level: float

    def topics(self, variance: Array) -> Array:
        """The fewest topics, where the difference of two systems varies over topics like this. [...]"""
        sd = np.sqrt(variance)
        if self.name == "paired":
            return paired_topics(sd, self.size, alpha=self.alpha, power=self.power)
        if self.name == "interval":
            return interval_topics(sd, self.size, level=self.level)
        return anova_topics(self.n_systems, sd / np.sqrt(2), self.size, alpha=self.alpha, power=self.power)

    def smallest(self, variance: Array, n_topics: int) -> Array:
        """The smallest difference that so many topics find, or how wide their interval is expected to be. [...]"""
        sd = np.sqrt(variance)
        if self.name == "paired":
            return detectable_difference(sd, n_topics, alpha=self.alpha, power=self.power)
        if self.name == "interval":
            return interval_width(sd, n_topics, level=self.level)
        return anova_difference(self.n_systems, sd / np.sqrt(2), n_topics, alpha=self.alpha, power=self.power)


def whole_topics(n: float) -> int | None:
    """A whole number of topics; none where nothing varies, or beyond any that could be had."""
    return int(n) if n <= MOST_TOPICS else None


def pair_variance(x: Array, design: Design) -> Array:
    """The variance of the difference of two runs, with its interval over topics; `x` is [run, topic]. [3]

    Of the median pair, as for one comparison; of all pairs together for an analysis of variance.
    """
    middle = np.mean if design.name == "anova" else np.median
    estimate, left_out = typical_variances(x, grouped(x.shape[1]), middle=middle)
    return np.array([estimate, *variance_interval(estimate, left_out, level=design.level)])
