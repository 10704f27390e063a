"""Estimates: a value, and its interval over the sample at any level where there is one."""

from __future__ import annotations

from collections.abc import Callable
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

    def interval(self, level: float) -> Interval | None:
        """Its interval; None where there is none."""


@dataclass(frozen=True, slots=True)
class JackknifeEstimate:
    """A statistic of all topics, then without each group of them (`leave_one_out`); or of all topics alone."""

    replicates: Array  # [replicate]

    @property
    def value(self) -> float:
        """The statistic of all topics."""
        return float(self.replicates[0])

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


def estimate(statistic: Estimate | Array | float) -> Estimate:
    """Take a number, or replicates without each group of topics, for an estimate."""
    if isinstance(statistic, float | int | np.ndarray):
        return JackknifeEstimate(np.atleast_1d(np.asarray(statistic, dtype=np.float64)))
    return statistic
