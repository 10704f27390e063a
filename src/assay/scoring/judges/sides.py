"""A judge beside the reference: the scores of the same runs under both, where both have judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools
from assay.scoring.judges.judges import Judges

ALL_PAIRS = 10
"""Runs of which all pairs are shown; of more, those that matter most."""


@dataclass(frozen=True, slots=True)
class Side:
    """The scores of runs by one measure under the reference and under a judge, NaN where either has none.

    On the scale of statistics, on which higher is better.
    """

    judge: str
    reference: str
    measure: str
    runs: tuple[str, ...]
    x: Array  # [run, topic] under the reference
    y: Array  # [run, topic] under the judge
    judge_at: int  # of all judges
    measure_at: int  # of all measures
    lower: bool  # is better, by the measure's own scale

    @property
    def sign(self) -> float:
        """What turns differences back to the measure's own scale."""
        return -1.0 if self.lower else 1.0

    def oriented(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Turn the ends of intervals to the measure's own scale, the lower one first."""
        return (-high + 0.0, -low + 0.0) if self.lower else (low, high)

    @property
    def shared(self) -> Bools:
        """Topics on which any run has both scores. [topic]"""
        return np.asarray((~np.isnan(self.x)).any(0))

    @property
    def complete(self) -> Bools:
        """Topics on which every run has both scores: on these, means can be compared. [topic]"""
        return np.asarray((~np.isnan(self.x)).all(0))


def sides(judges: Judges) -> Iterator[Side]:
    """Put every judge beside the reference, by every measure; one that shares no score with it is left out."""
    if not judges.scores:
        return
    first = judges.scores[0]
    for m, measure in enumerate(first.conditions):
        value = judges.values(m)
        for j, judge in enumerate(judges.names[1:], start=1):
            both = ~np.isnan(value[0]) & ~np.isnan(value[j])
            if both.any():
                x, y = (np.where(both, value[i], np.nan) for i in (0, j))
                yield Side(judge, judges.reference, measure, first.runs, x, y, j, m, first.lower_of(m))
