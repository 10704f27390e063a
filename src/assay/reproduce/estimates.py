"""Estimates of published statistics: a value, and an interval over topics at any level where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.numeric.jackknife import jackknife_interval
from assay.numeric.predicting import split_jackknife

Array = NDArray[np.float64]
Interval = tuple[float, float]


class Estimate(Protocol):
    """What a cell or a comparison is told by."""

    @property
    def value(self) -> float:
        """The statistic of all topics."""

    def interval(self, level: float) -> Interval | None:
        """Its interval over topics; None where there is none."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A statistic of all topics, then with each topic left out; or of all topics alone."""

    values: Array  # [replicate]

    @property
    def value(self) -> float:
        """The statistic of all topics."""
        return float(self.values[0])

    def interval(self, level: float) -> Interval | None:
        """Jackknife; none from fewer than two topics left out."""
        if self.values.size < 3 or np.isnan(self.values).any():
            return None
        low, high = jackknife_interval(self.values[0], self.values[1:], level=level)
        return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Moved:
    """A mean over splits of the topics, and by how much leaving out each group of topics moves it on each split.

    Those of the same splits can be added and subtracted, and the result has its interval, too.
    """

    value: float
    moved: Array  # [group, split]
    exact: bool  # these are all the splits there are
    bounds: Callable[[float], Interval] | None = None  # where the statistic has an interval of its own kind

    def __add__(self, other: Moved) -> Moved:
        return Moved(self.value + other.value, self.moved + other.moved, self.exact)

    def __sub__(self, other: Moved) -> Moved:
        return Moved(self.value - other.value, self.moved - other.moved, self.exact)

    def less(self, constant: float) -> Moved:
        """Take off what has no error."""
        return Moved(self.value - constant, self.moved, self.exact)

    def interval(self, level: float) -> Interval | None:
        """Jackknife over topics, the noise of the splits taken off; none below four topics."""
        half = float(split_jackknife(self.moved, level=level, exact=self.exact))
        if np.isnan(half) or np.isnan(self.value):
            return None
        return self.bounds(level) if self.bounds else (self.value - half, self.value + half)


def estimate(found: Estimate | Array | float) -> Estimate:
    """Take a number, or values with each topic left out, for an estimate."""
    if isinstance(found, float | int | np.ndarray):
        return LeftOut(np.atleast_1d(np.asarray(found, dtype=np.float64)))
    return found
