"""Estimates: a value, and its interval over the sample at any level where there is one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from assay.core.arrays import Array
from assay.stats.intervals import jackknife_interval
from assay.stats.prediction import split_jackknife

Interval = tuple[float, float]


class Estimate(Protocol):
    """A number with an interval: what a published cell, or a comparison that decides a claim, is computed as."""

    @property
    def value(self) -> float:
        """The statistic of the whole sample."""

    @property
    def sampled(self) -> bool:
        """Whether it is of a sample; a count or a closed form has no error, and no interval."""

    def interval(self, level: float) -> Interval | None:
        """Its interval; None where there is none, or where the sample is too small for one."""


@dataclass(frozen=True, slots=True)
class JackknifeEstimate:
    """A statistic of all topics, then without each group of them (`leave_one_out`); or of all topics alone."""

    replicates: Array  # [replicate]

    @property
    def value(self) -> float:
        """The statistic of all topics."""
        return float(self.replicates[0])

    @property
    def sampled(self) -> bool:
        """Whether topics were left out."""
        return self.replicates.size > 1

    def interval(self, level: float) -> Interval | None:
        """Jackknife over topics; none from fewer than two groups left out."""
        if self.replicates.size < 3 or np.isnan(self.replicates).any():
            return None
        low, high = jackknife_interval(self.replicates[0], self.replicates[1:], level=level)
        return float(low), float(high)


@dataclass(frozen=True, slots=True)
class SplitEstimate:
    """A mean over splits of the topics, and by how much leaving out each group of topics changes it on each split.

    Those of the same splits can be added and subtracted, and the result has its interval, too.
    """

    value: float
    changes: Array  # [group, split]
    exact: bool  # these are all the splits there are
    bounds: Callable[[float], Interval] | None = None  # where the statistic has an interval of its own kind

    @property
    def sampled(self) -> bool:
        """The topics are a sample, even where these are all their splits."""
        return True

    def __add__(self, other: SplitEstimate) -> SplitEstimate:
        return SplitEstimate(self.value + other.value, self.changes + other.changes, self.exact)

    def __sub__(self, other: SplitEstimate) -> SplitEstimate:
        return SplitEstimate(self.value - other.value, self.changes - other.changes, self.exact)

    def __neg__(self) -> SplitEstimate:
        return SplitEstimate(-self.value, -self.changes, self.exact)

    def less(self, constant: float) -> SplitEstimate:
        """Subtract a number that has no error."""
        return SplitEstimate(self.value - constant, self.changes, self.exact)

    def interval(self, level: float) -> Interval | None:
        """Jackknife over topics, the Monte-Carlo error of the splits taken off; none where topics are too few."""
        half = float(split_jackknife(self.changes, level=level, exact=self.exact))
        if np.isnan(half) or np.isnan(self.value):
            return None
        return self.bounds(level) if self.bounds else (self.value - half, self.value + half)


@dataclass(frozen=True, slots=True)
class IndependentDifference:
    """The difference of two estimates whose samples have nothing in common.

    The interval joins those of the two (zou2008): each end is as far from the difference as the ends of both are from
    their estimates, as the root of the sum of squares.
    """

    first: Estimate
    second: Estimate

    @property
    def value(self) -> float:
        """The first less the second."""
        return self.first.value - self.second.value

    @property
    def sampled(self) -> bool:
        """Whether either is of a sample."""
        return self.first.sampled or self.second.sampled

    def interval(self, level: float) -> Interval | None:
        """Both intervals together; none where one of the two lacks its own."""
        one, other = (of.interval(level) if of.sampled else (of.value, of.value) for of in (self.first, self.second))
        if one is None or other is None or not self.sampled:
            return None
        down = math.hypot(self.first.value - one[0], other[1] - self.second.value)
        up = math.hypot(one[1] - self.first.value, self.second.value - other[0])
        return self.value - down, self.value + up


@dataclass(frozen=True, slots=True)
class RoughEstimate:
    """A number of a sample by an approximation whose error is not known: it is shown, and decides nothing."""

    value: float

    @property
    def sampled(self) -> bool:
        """It is of a sample, whatever is known of its error."""
        return True

    def interval(self, level: float) -> Interval | None:  # noqa: ARG002 - as every estimate has it
        """There is none."""
        return None


def estimate(statistic: Estimate | Array | float) -> Estimate:
    """Take a number, or replicates without each group of topics, for an estimate."""
    if isinstance(statistic, float | int | np.ndarray):
        return JackknifeEstimate(np.atleast_1d(np.asarray(statistic, dtype=np.float64)))
    return statistic


def average(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of several estimates of one sample, all of the same replicates or of the same splits.

    >>> float(average([estimate(np.array([1.0, 2.0, 0.0])), estimate(np.array([3.0, 3.0, 3.0]))]).value)
    2.0
    """
    replicates = [one.replicates for one in estimates if isinstance(one, JackknifeEstimate)]
    splits = [one for one in estimates if isinstance(one, SplitEstimate)]
    if len(replicates) == len(estimates):
        return JackknifeEstimate(np.mean(replicates, axis=0))
    if len(splits) == len(estimates):
        changes = np.mean([of.changes for of in splits], axis=0)
        return SplitEstimate(float(np.mean([of.value for of in splits])), changes, splits[0].exact)
    raise TypeError("estimates of different kinds have no interval in common")
