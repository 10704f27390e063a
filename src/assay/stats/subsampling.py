r"""Intervals over topics of statistics that jump: shares of significant pairs of runs, and tau of their rankings.

A pair is significant or not, so that leaving out one topic changes a share of significant pairs by jumps, and the
delete-one jackknife is inconsistent (shao1989): its intervals of a difference between two close conditions are two to
five times too wide. Two disjoint halves of the topics are two independent samples, whatever the statistic is:

.. math:: V = \tfrac12 \, \overline{(\theta_A - \theta_B)^2}

over random splits is an unbiased estimate of its variance with half the topics. Nothing is assumed to be smooth. What
is assumed is how that variance changes from half of the topics to all (`growth`, of the standard error). No single
rate does: a share of significant pairs varies as many pairs are close to the critical value
(`significance.subsampled_power`), and the errors of a tau are proportional to its distance from 1.

The estimand is the mean of the statistic over samples of as many topics, runs fixed. The centre is always the
estimate of all topics: halves give the spread alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Index
from assay.core.thresholds import Threshold
from assay.stats.intervals import t_quantile
from assay.stats.resampling import streams
from assay.stats.splits import Splits, splits

HALVED_TOPICS = Threshold(
    "halved_topics", 8, unit="topics", meaning="below which halves of the topics are too small to give an interval"
)
N_SPLITS = 100
"""Splits into halves: more change no interval by a digit that is shown."""

GROWTH = (0.55, 1.6)  # the least and the most that a standard error may change by, from half of the topics to all
_DRAWS = 4000  # of differences under the null hypothesis
_STILL = 1e-12  # an error of that size is rounding
_BEST = 0x6265  # so that the draws are not those of the splits


def halves(n: int, *, n_splits: int = N_SPLITS, seed: int = 0) -> Splits | None:
    """Split n topics into disjoint halves; None where they are too few. The same for all that is compared.

    >>> halves(7) is None, halves(50).size, len(halves(50))
    (True, 25, 100)
    """
    return splits(n, n // 2, n_splits, seed) if n >= HALVED_TOPICS.value else None


def half_changes(values: Array) -> Array:
    """What a statistic differs by between two halves, on the scale of one of them. [split]

    `values` is those of all first halves, then those of all second ones. [2 x split]
    """
    first, second = values.reshape(2, -1)
    return (first - second) / np.sqrt(2)


@dataclass(frozen=True, slots=True)
class SubsampledDifference:
    """The difference of two shares of the same topics, and of their values on the same halves."""

    value: float
    changes: Array  # [split] see `half_changes`; none where topics are too few
    growth: float  # of the standard error from half of the topics to all
    n_topics: int

    @property
    def sampled(self) -> bool:
        """The topics are a sample, even where they are too few for an interval."""
        return True

    @property
    def error(self) -> float:
        """The standard error; NaN where topics are too few."""
        return self.growth * float(np.sqrt(np.mean(self.changes**2))) if self.changes.size else np.nan

    def interval(self, level: float) -> tuple[float, float] | None:
        """Student's t with one degree of freedom less than topics, cut where a difference of shares ends.

        Coverage of nominal 95% intervals, differences of power between measures: on truths that chose the method
        .94-.97 (25 and 50 topics), on others .93-.98; lowest cell .91, with 8 runs .88. Power lost by depth or pool:
        .94-.96, on other runs .92-.97, lowest cell .885.
        """
        if not self.changes.size:
            return None
        half = t_quantile(level, self.n_topics - 1) * self.error
        return max(self.value - half, -1.0), min(self.value + half, 1.0)

    @property
    def p(self) -> float:
        """Two-tailed p-value of no difference; 1 where no half differs from another, NaN where there is no error."""
        from scipy.special import stdtr

        error = self.error
        if np.isnan(error):
            return np.nan
        return float(2 * stdtr(self.n_topics - 1, -abs(self.value) / error)) if error > _STILL else 1.0


@dataclass(frozen=True, slots=True)
class SubsampledShare:
    """A share of pairs on all topics, and by how much it differs between halves of them.

    Those of the same halves can be subtracted.
    """

    value: float
    changes: Array  # [split] see `half_changes`; none where topics are too few
    growth: float  # of the standard error from half of the topics to all
    n_topics: int
    n_pairs: int

    @property
    def sampled(self) -> bool:
        """The topics are a sample, even where they are too few for an interval."""
        return True

    @classmethod
    def of_distance(
        cls, value: float, on_halves: Array, n_topics: int, n_pairs: int, *, power: float = 1.0
    ) -> SubsampledShare:
        """Take a share that says how far two rankings are apart: its errors are proportional to a power of itself.

        `on_halves` as `half_changes` has them. A share of 0 counts as half a pair.
        """
        if not on_halves.size:
            return cls(value, np.zeros(0), 1.0, n_topics, n_pairs)
        least = 0.5 / max(n_pairs, 1)
        growth = ((value + least) / (float(on_halves.mean()) + least)) ** power
        return cls(value, half_changes(on_halves), float(np.clip(growth, *GROWTH)), n_topics, n_pairs)

    def __sub__(self, other: SubsampledShare) -> SubsampledDifference:
        """Compare two conditions on the same halves; the rate is between their own (geometric mean)."""
        paired = self.changes.size == other.changes.size
        changes = self.changes - other.changes if paired else np.zeros(0)
        growth = float(np.sqrt(self.growth * other.growth))
        return SubsampledDifference(self.value - other.value, changes, growth, self.n_topics)

    def interval(self, level: float) -> tuple[float, float] | None:
        """Wilson's interval (wilson1927) of as many independent pairs as would vary as much; from 0 to 1 by itself.

        A share close to 0 or 1 varies less than its neighbours do, and the symmetric interval misses them. Where no
        half differs from another, it has no width. A share of 0 or 1 counts as half a pair from it.

        Coverage of nominal 95% intervals of power: on truths that chose the method .94-.96 (25 and 50 topics), on
        others .93-.98; lowest cell .90, with 8 runs .84. With 10 topics .84-.98.
        """
        if not self.changes.size:
            return None
        least = 0.5 / max(self.n_pairs, 1)
        inside = min(max(self.value, least), 1 - least)
        spread = inside * (1 - inside)
        error = self.growth * float(np.sqrt(np.mean(self.changes**2)))
        k = (t_quantile(level, self.n_topics - 1) * error) ** 2 / spread
        middle = (self.value + k / 2) / (1 + k)
        half = float(np.sqrt(k * spread + k * k / 4)) / (1 + k)
        return max(min(middle - half, self.value), 0.0), min(max(middle + half, self.value), 1.0)


# --- which may be best


def best_shares(shares: Sequence[SubsampledShare], *, seed: int = 0) -> tuple[Array, Index]:
    """Test of each share whether it may be the highest, as `best_p_values` does. Two of [share]"""
    changes = np.stack([one.changes for one in shares], axis=-1)
    value, growth = (np.array(x) for x in zip(*((one.value, one.growth) for one in shares), strict=True))
    return best_p_values(value, changes, growth, shares[0].n_topics, seed=seed)


def best_p_values(
    value: Array, changes: Array, growth: Array, n_topics: int, *, seed: int = 0
) -> tuple[Array, Index]:
    """Test of each of several whether it may be the highest: p, and which other is above it most clearly.

    `value` is that of all topics, `changes` [split, n] what two halves differ by, `growth` that of the standard
    error, all of them on the same halves; the error of a difference grows by the geometric mean of two. Two of [n].

    Multiple comparisons with the best (hsu1984): the largest t of another one over this one is compared with the
    largest under equality of all, whose joint distribution is a multivariate t with the correlations that the halves
    have. Those with p of at least alpha are a set that holds the truly best one in a share 1 - alpha of samples: each
    is tested by itself, because only the best one must not be lost. It is no test that two given ones differ. Without
    halves p is NaN; what is NaN itself is no competitor, and has p = 1.
    """
    n_splits, n = changes.shape
    p, above = np.ones(n), np.arange(n)
    if n < 2 or not n_splits:
        return np.full(n, np.nan), above
    draws = _multivariate_t(n_splits, n_topics - 1, seed) @ changes  # [draw, n]
    there = ~np.isnan(value)
    for i in np.flatnonzero(there):
        moved = changes - changes[:, [i]]
        size = np.sqrt((moved**2).sum(0))
        errors = np.sqrt(growth * growth[i]) * size / np.sqrt(n_splits)
        others = np.flatnonzero(there & (errors > _STILL))
        if others.size:
            t = (value[others] - value[i]) / errors[others]
            null = (draws[:, others] - draws[:, [i]]) / size[others]
            p[i] = (1 + np.count_nonzero(null.max(-1) >= t.max())) / (1 + len(draws))
            above[i] = others[t.argmax()] if t.max() > 0 else i
    return p, above


def _multivariate_t(n: int, dof: int, seed: int) -> Array:
    """Draw independent normal values that share the error of their scale. [draw, n]"""
    blocks = []
    for size, rng in streams(_DRAWS, seed + _BEST):
        scale = np.sqrt(rng.chisquare(dof, (size, 1)) / dof)
        blocks.append(rng.standard_normal((size, n)) / scale)
    return np.concatenate(blocks)
