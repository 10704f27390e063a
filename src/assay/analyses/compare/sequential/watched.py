"""A mean, a difference of two, or a share of one, to which every query adds a score: what is known at any time.

Confidence sequences need scores that cannot leave 0 to 1: by their declaration, if the measure is one of ours, else
as far as one can see. A difference relative to the baseline's mean is above r where the mean of a - (1 + r) b is
above 0, and these numbers are bounded, too; its interval holds every r that no bettor has ruled out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.analyses.compare.gate import Gate
from assay.core.arrays import Array, Bools, Index
from assay.scoring.conditions import recognised_condition
from assay.scoring.scores import Scores
from assay.stats.paired.confidence_sequences import Bounds, confidence_sequence, last_ruled_out, p_over_time
from assay.stats.significance.pairs import EPSILON

_ENDLESS = 1e6  # times the baseline's mean, beyond which no end of a share is known


@dataclass(frozen=True, slots=True)
class Watched:
    """What is watched: the scores in their order, and the number that their mean is held against."""

    gate: Gate | None  # None of a pair of systems, which is held against 0
    measure: str
    run_a: str
    run_b: str | None  # None of the mean of one system
    a: Array  # [score]
    b: Array | None  # [score]
    times: Index  # [score], at which each came, as queries of the order that all share
    population: int | None  # queries that the mean is meant of; None of unlimited ones

    @property
    def n(self) -> int:
        """How many scores came so far."""
        return self.a.size

    @property
    def threshold(self) -> float:
        """What the mean, the difference or the share is held against."""
        return 0.0 if self.gate is None else self.gate.threshold

    @property
    def value(self) -> float:
        """The mean so far, or the difference or the share."""
        if not self.n:
            return float("nan")
        if self.b is None:
            return float(self.a.mean())
        if self._is_share and not self.b.mean() > 0:
            return float("nan")
        value = float(self.a.mean() / self.b.mean() - 1) if self._is_share else float((self.a - self.b).mean())
        return 0.0 if abs(value) <= EPSILON else value

    @property
    def named(self) -> tuple[str | None, ...]:
        """What it is about, as its rows begin."""
        return None if self.gate is None else self.gate.text, self.measure, self.run_a, self.run_b

    def __str__(self) -> str:
        if self.gate is not None:
            return f"{self.gate.text} of {self.run_a}" + ("" if self.run_b is None else f" against {self.run_b}")
        return f"{self.run_a} against {self.run_b} by {self.measure}"

    @property
    def numbers(self) -> Array:
        """The scores of one system, or the differences of two, without what only rounding put beyond their bounds."""
        return np.clip(self.a, 0.0, 1.0) if self.b is None else np.clip(self.a - self.b, -1.0, 1.0)

    def p(self) -> tuple[Array, Array]:
        """The p-values of being above the threshold, and below it, after each score. Two of [score]

        A share of nothing is at no threshold.
        """
        inclusive: Literal["above", "below"] | None = None
        if self.gate is not None and not (self._is_share and self.b is not None and not self.b.any()):
            inclusive = "above" if self.gate.above is self.gate.equal else "below"
        sample, at, bounds = self._bet(self.threshold)
        return p_over_time(sample, at, bounds=bounds, population=self.population, inclusive=inclusive)

    def p_within(self, margin: float) -> tuple[Array, Array]:
        """The p-values of a difference above -margin, and below margin, after each score. Two of [score]"""
        ends = max(-margin, -1.0), min(margin, 1.0)
        low, high = (p_over_time(self.numbers, x, bounds=(-1.0, 1.0), population=self.population) for x in ends)
        return low[0], high[1]

    def ends(self, after: Sequence[int], alpha: float) -> tuple[Array, Array]:
        """Both one-sided bounds at alpha after some numbers of scores. Two of [len(after)]"""
        if self._is_share:
            low, high = zip(*(self._share_ends(n, alpha) for n in after), strict=True)
            return np.array(low), np.array(high)
        sample, _, bounds = self._bet(self.threshold)
        return confidence_sequence(sample, after, level=1 - 2 * alpha, bounds=bounds, population=self.population)

    @property
    def _is_share(self) -> bool:
        return self.gate is not None and self.gate.relative

    def _bet(self, threshold: float) -> tuple[Array, float, Bounds]:
        """Numbers, and what their mean is above where this is above its threshold; and the bounds of the numbers."""
        if self.b is None or not self._is_share:
            return self.numbers, threshold, (0.0 if self.b is None else -1.0, 1.0)
        bounds = min(-(1 + threshold), 0.0), max(1.0, -threshold)
        return np.clip(self.a - (1 + threshold) * self.b, *bounds), 0.0, bounds

    def _share_ends(self, n: int, alpha: float) -> tuple[float, float]:
        """The ends of a share after n scores: both means are at least 0, so that it is at least -1."""

        def p(multiple: Array, side: int) -> Array:
            sample, at, bounds = self._bet(float(multiple) - 1)
            return p_over_time(sample[:n], at, bounds=bounds, population=self.population)[side][-1]

        def is_too_low(w: Array) -> Bools:  # w / (1 - w) times the baseline's mean
            return np.asarray(p(w / (1 - w), 0) <= alpha)

        def is_too_high(w: Array) -> Bools:  # (1 - w) / w times the baseline's mean
            return np.asarray(p((1 - w) / w, 1) <= alpha)

        low, high = (float(last_ruled_out(out, np.array(0.0), np.array(1.0))) for out in (is_too_low, is_too_high))
        least, most = min(low / (1 - low), _ENDLESS), (1 - high) / high if high > 0 else np.inf
        return least - 1, (most if most < _ENDLESS else np.inf) - 1


def unbounded(data: Scores, m: int) -> str | None:
    """Why the scores of a measure have no bounds of 0 and 1; nothing where they have."""
    if data.average_of(m) != "mean":
        return "it is no mean over queries"
    condition = recognised_condition(data.conditions[m])
    if condition is not None:
        declared = condition.measure.declaration
        if condition.normalization != "raw" or declared.low < 0 or declared.high > 1:
            return "it is not bounded by 0 and 1"
    value = data.value[m][~np.isnan(data.value[m])]
    return "it has scores beyond 0 and 1" if ((value < -EPSILON) | (value > 1 + EPSILON)).any() else None
