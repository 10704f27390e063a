"""One published figure: the interval it supports, and what the number of queries could have shown.

Nothing is known but a mean, a number of queries and perhaps a deviation. So the interval is one that holds for every
set of scores with that mean, and a claimed difference is given its best case: the outcome of the queries that makes p
smallest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.stats.intervals import t_quantile
from assay.stats.paired.proportions import clopper_pearson, least_differing, mcnemar_p
from assay.stats.paired.sample_size import detectable_difference, paired_topics

Kind = Literal["binary", "graded", "any"]
Verdict = Literal["supported", "unsupported", "possible", "impossible"]
_HALVINGS = 60
_ROUNDING = 1e-9
_COARSE = 0.001  # half a unit of the second digit is more


@dataclass(frozen=True, slots=True)
class Standards:
    """By what the figures are judged."""

    alpha: float
    power: float
    level: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over some queries, as it was published, and what it was compared with; NaN where nothing is stated."""

    name: str
    n: int
    mean: float
    against: float
    sd: float  # of the scores
    sd_difference: float  # of the differences, query by query
    kind: Kind

    @property
    def difference(self) -> float:
        """The difference that is claimed."""
        return self.mean - self.against

    @property
    def can_be(self) -> bool:
        """Whether there are scores with these figures."""
        if self.kind == "binary":
            return fits_binary(self.mean, self.n) and (math.isnan(self.against) or fits_binary(self.against, self.n))
        return (
            math.isnan(self.sd) or self.kind == "any" or self.sd - _half_unit(self.sd) <= _widest(self.mean, self.n)
        )

    def interval(self, level: float) -> tuple[float, float]:
        """Exact for scores of 0 and 1, Student's where the deviation is known, else the widest possible."""
        if not self.can_be:
            return math.nan, math.nan
        if self.kind == "binary":
            low, high = clopper_pearson(round(self.mean * self.n), self.n, level=level)
            return float(low), float(high)
        if self.n > 1 and self.sd > 0:
            half = t_quantile(level, self.n - 1) * self.sd / math.sqrt(self.n)
            least, most = (0.0, 1.0) if self.kind == "graded" else (-math.inf, math.inf)
            return max(self.mean - half, least), min(self.mean + half, most)
        return bounded_interval(self.mean, self.n, level=level) if self.kind == "graded" else (math.nan, math.nan)

    @property
    def differing(self) -> int:
        """On how many queries the two differ, if all of them are won by one side."""
        if self.difference == 0:
            return 0
        return abs(round(self.mean * self.n) - round(self.against * self.n)) if self.kind == "binary" else self.n

    def least_p(self) -> float:
        """The p of the paired t test where the differences' deviation is known, else the least of any outcome."""
        if self.sd_difference > 0 and self.n > 1:
            from scipy.special import stdtr

            return float(2 * stdtr(self.n - 1, -abs(self.difference) / self.sd_difference * math.sqrt(self.n)))
        return float(mcnemar_p(self.differing, 0))

    def verdict(self, alpha: float) -> Verdict | None:
        """What becomes of the claim; None where none is made."""
        if not self.can_be:
            return "impossible"
        if math.isnan(self.against):
            return None
        if self.least_p() >= alpha:
            return "unsupported"
        return "supported" if self.sd_difference > 0 else "possible"

    def least_difference(self, alpha: float) -> float:
        """The smallest difference of these queries that could be significant; NaN where any could, or none."""
        if self.sd_difference > 0:
            return t_quantile(1 - alpha, self.n - 1) * self.sd_difference / math.sqrt(self.n)
        must = least_differing(alpha)
        return must / self.n if self.kind == "binary" and must <= self.n else math.nan

    def detectable(self, alpha: float, power: float) -> float:
        """The smallest true difference found with a probability; of 0/1 scores at best, where no query is lost."""
        if self.sd_difference > 0:
            return float(detectable_difference(self.sd_difference, self.n, alpha=alpha, power=power))
        must = least_differing(alpha)
        if self.kind != "binary" or must > self.n:
            return math.nan
        from scipy.special import betaincinv

        return float(betaincinv(must, self.n - must + 1, power))  # as many wins, or more, of n

    def topics_needed(self, alpha: float, power: float) -> float:
        """How many queries would do for this difference: to find it, or at best to be significant at all."""
        if math.isnan(self.difference) or self.difference == 0:
            return math.nan
        if self.sd_difference > 0:
            needed = float(paired_topics(self.sd_difference, self.difference, alpha=alpha, power=power))
            return needed if math.isfinite(needed) else math.nan
        must = least_differing(alpha)
        return float(must if self.kind != "binary" else math.ceil(must / abs(self.difference) - 1e-9))


def fits_binary(mean: float, n: int) -> bool:
    """Whether n scores of 0 and 1 can have a mean that is printed like this.

    >>> fits_binary(0.7, 10), fits_binary(0.667, 3), fits_binary(0.65, 10)
    (True, True, False)
    """
    return 0 <= mean <= 1 and abs(mean * n - round(mean * n)) <= n * _half_unit(mean) + _ROUNDING


def looks_binary(mean: float, n: int) -> bool:
    """Whether a mean is one of zeros and ones by more than coarse rounding: one or two digits are taken as they are.

    >>> looks_binary(0.67, 3), looks_binary(0.667, 3)
    (False, True)
    """
    coarse = _half_unit(mean) >= _COARSE
    return fits_binary(mean, n) and not (coarse and abs(mean * n - round(mean * n)) > _ROUNDING)


def _half_unit(x: float) -> float:
    """Half a unit of the last digit that is stated."""
    return 0.5 * 10.0 ** -len(f"{x:.15f}".rstrip("0").partition(".")[2])


def _widest(mean: float, n: int) -> float:
    """The largest deviation that n scores from 0 to 1 can have, whose mean is printed like this."""
    nearest = min(max(0.5, mean - _half_unit(mean)), mean + _half_unit(mean))
    return math.sqrt(n / (n - 1) * nearest * (1 - nearest)) * (1 + _ROUNDING) if n > 1 else math.inf


def bounded_interval(mean: float, n: int, *, level: float) -> tuple[float, float]:
    """The interval of a mean of which nothing is known but that scores lie from 0 to 1: Hoeffding's (hoeffding1963).

    It holds every mean q with n KL(mean, q) <= log(2 / (1 - level)), and the truth at least as often as stated,
    whatever the scores are. A perfect score has the interval of 0/1 scores.

    >>> "{:.3f} to {:.3f}".format(*bounded_interval(1.0, 10, level=0.95))
    '0.692 to 1.000'
    """
    allowed = math.log(2 / (1 - level)) / n
    ends = []
    for beyond in (0.0, 1.0):
        inside, outside = mean, beyond
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if _divergence(mean, middle) <= allowed else (inside, middle)
        ends.append(inside)
    return ends[0], ends[1]


def _divergence(p: float, q: float) -> float:
    """Kullback and Leibler's divergence of a 0/1 variable with mean q from one with mean p."""
    parts = ((p, q), (1 - p, 1 - q))
    return sum(a * (math.log(a / b) if b > 0 else np.inf) for a, b in parts if a > 0)
