"""Which runs may be the best, which ranks a run may have, and by how much the first leads, by their true means.

The observed best is often not the truly best. All three compare runs by studentised differences over topics, whose
joint distribution is that of sign flips: all differences are centred on their means, and on every topic all change
their signs together, so that runs that resemble each other count as few. Flips leave the squares of a pair as they
are, so that the flipped t follows from the flipped sum: t* = u sqrt((n - 1) / (1 - u^2)), where u is the sum over
the root of n times the squares.

The sample is the topics; `x` is [run, topic], higher is better, NaN where a run lacks a topic: then each pair is
compared on the topics that both have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools, Counts, Index
from assay.core.remembered import remembers
from assay.stats.best import best_first
from assay.stats.intervals import t_quantile
from assay.stats.resampling import signs
from assay.stats.significance.pairs import EPSILON, LEAST_SHARED, has_gaps

Floats = NDArray[np.float32]

RESAMPLES = 1000
_REMEMBERED = 32  # measures whose answers are kept: power and score ask for the same
_STEPS = 3  # of the step-down at most: later ones hardly add anything
_LARGEST = 1 - 1e-6  # u of a resample whose differences all have one sign, and one size


@dataclass(frozen=True, slots=True)
class RankSets:
    """What may be true of the order of some runs."""

    may_be_best: Bools  # [run]
    low: Counts  # [run] the best rank that it may have
    high: Counts  # [run] and the worst
    tier: Counts  # [run]
    lead: Lead | None  # of the first run; None where it can be compared with no other


@dataclass(frozen=True, slots=True)
class Lead:
    """By how much the first of some runs is ahead of the best of the others."""

    first: int
    second: int  # the run that it leads by least
    value: float
    low: float
    high: float


@remembers(_REMEMBERED)
def rank_sets(
    x: Array, *, order: Index | None = None, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> RankSets:
    """Find the runs that may be the best, the ranks that each may have, tiers and lead; all by the same flips.

    `order` is the runs from first to last, by default by their means.
    """
    compared = _Comparisons.of(x, resamples, seed)
    order = best_first(mean_known(x)) if order is None else order
    low, high = _ranks(compared, level)
    lead = _lead(compared, int(order[0]), level)
    return RankSets(_may_be_best(compared, level), low, high, tiers(order, high), lead)


def mean_known(x: Array) -> Array:
    """The mean of every run over the topics that it has; 0 where it has none. [run]"""
    there = ~np.isnan(x)
    return np.asarray(np.where(there, x, 0.0).sum(-1) / np.maximum(there.sum(-1), 1))


def tiers(order: Index, high: Counts) -> Counts:
    """Number the tiers of a leaderboard, 1 the best: a tier ends where no rank above may be lower. [run]

    `order` is the runs from first to last, `high` the worst rank that each may have. After the k-th run a tier ends
    where every run down to it has a rank of at most k: then these are truly the k best, and the ranks hold at once.

    >>> tiers(np.array([2, 0, 1, 3]), np.array([3, 3, 1, 4])).tolist()
    [2, 2, 1, 3]
    """
    worst = np.maximum.accumulate(high[order])
    ends = worst <= np.arange(1, order.size + 1)
    tier = np.empty(order.size, dtype=np.int64)
    tier[order] = 1 + np.cumsum(ends) - ends
    return tier


def simultaneous_t(x: Array, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0) -> float:
    """The t for which the intervals of all pairs of runs hold at once with `level`, whichever of them are named.

    The quantile of the largest |t*| over all pairs. NaN where no pair can be compared.
    """
    compared = _Comparisons.of(x, resamples, seed)
    return _quantile(compared, compared.tested, level)


def _may_be_best(compared: _Comparisons, level: float) -> Bools:
    """The runs that may have the largest true mean: the set holds the best run with probability `level`. [run]

    Run i is dropped only if max_j t_ji, the most that any run leads it by, exceeds the quantile of max_j t*_ji under
    joint sign flips, over the competitors j with t_ji > -sqrt(ln n): those far below cannot be what beats it
    (andrews2010, mogstad2024, hansen2011). Each run is tested by itself: of several that are best together, each is
    kept with that probability, not all at once.
    """
    t, u = compared.t, compared.u
    # by Hoeffding's inequality no quantile of the largest of m flipped u is above this
    bound = np.sqrt(2 * np.log(max(len(t) - 1, 1) / (1 - level)) / np.maximum(compared.n, 1))
    kept = ~(compared.tested & (u > bound)).any(0)
    for i in np.flatnonzero(kept):
        near = compared.tested[:, i] & (t[:, i] > -np.sqrt(np.log(np.maximum(compared.n[:, i], 1))))
        if near.any() and t[near, i].max() > 0:
            kept[i] = t[near, i].max() <= np.quantile(compared.largest(int(i), near), level)
    return np.asarray(kept)


def _ranks(compared: _Comparisons, level: float) -> tuple[Counts, Counts]:
    """The ranks that each run may have by its true mean, 1 the best: all of them hold at once with `level`. [run]

    One simultaneous family: a pair is ordered if |t| exceeds the quantile of the largest |t*| over all pairs, step
    down over those not ordered yet (romano2005). A run's best rank is one more than the number of runs above it, its
    worst that of all runs less those below it (mogstad2024). Tiers follow from these ranks, never from peeling off
    the best again and again, which has no error rate.
    """
    t = compared.t
    ordered = np.zeros(t.shape, dtype=np.bool_)
    for _ in range(_STEPS):
        rest = compared.tested & ~ordered
        more = rest & (np.abs(t) > _quantile(compared, rest, level))
        ordered |= more
        if not more.any():
            break
    above, below = (ordered & (t > 0)).sum(0), (ordered & (t < 0)).sum(0)
    return 1 + above, len(t) - below


def _lead(compared: _Comparisons, first: int, level: float) -> Lead | None:
    """The first run's true mean less the highest true mean of the others, whichever of them has it.

    The least of its differences from the others is the estimate, and each end is the least of the ends of these
    differences: which run is the true second is not known. Their t is the quantile of the largest |t*| over the
    competitors whose difference is below sqrt(ln n) standard errors: these are the runs among which the first was
    selected. No proof covers the selection; the study of error rates does. The interval is wide where many runs are
    alike: then it nearly always holds.
    """
    others = (compared.n[:, first] >= LEAST_SHARED) & (np.arange(len(compared.n)) != first)
    if not others.any():
        return None
    n, d = compared.n[:, first], 0 - compared.mean[:, first]
    error = np.sqrt(compared.squares[:, first] / np.maximum(n * (n - 1), 1))
    second = int(np.flatnonzero(others)[d[others].argmin()])
    near = compared.tested[:, first] & (d < np.sqrt(np.log(np.maximum(n, 1))) * error)
    near[second] = compared.tested[second, first]
    t = t_quantile(level, int(n[second]) - 1)
    if near.any():
        t = max(t, float(np.quantile(compared.largest(first, near, two_tailed=True), level)))
    low, high = ((d + side * t * error)[others].min() for side in (-1, 1))
    return Lead(first, second, float(d[second]), float(low), float(high))


def _quantile(compared: _Comparisons, pairs: Bools, level: float) -> float:
    """The quantile of the largest |t*| over some pairs; NaN where there is none. `pairs` is [run, run]"""
    largest = np.zeros(compared.flips.shape[1])
    for i in range(len(pairs) - 1):
        later = i + 1 + np.flatnonzero(pairs[i + 1 :, i])
        if later.size:
            np.maximum(largest, compared.largest(i, later, two_tailed=True), out=largest)
    return float(np.quantile(largest, level)) if pairs.any() else np.nan


@dataclass(frozen=True, slots=True)
class _Comparisons:
    """Every run against every other: [j, i] is the lead of j over i."""

    x: Array  # [run, topic]
    n: Counts  # [run, run] topics that both have
    mean: Array  # [run, run]
    squares: Array  # [run, run] of the centred differences
    tested: Bools  # [run, run] with topics enough, and differences that vary
    flips: Array  # [topic, resample]
    sums: Floats | None  # [run, resample] of every run's centred scores under the flips; None where runs lack topics

    @classmethod
    def of(cls, x: Array, resamples: int, seed: int) -> _Comparisons:
        """Compare all runs, and draw the flips that all comparisons share."""
        n, mean, squares = _moments(x) if has_gaps(x) else _moments_of_all(x)
        small = EPSILON * np.nanmax(np.abs(x), initial=0.0)
        tested = (n >= LEAST_SHARED) & (squares > n * small**2)
        flips = np.concatenate(list(signs(x.shape[1], resamples, seed))).T
        # what is compared with a quantile of flips need not have more digits than these
        sums = None if has_gaps(x) else ((x - x.mean(-1, keepdims=True)) @ flips).astype(np.float32)
        return cls(x, n, mean, squares, tested, flips, sums)

    @property
    def t(self) -> Array:
        """Student's t of every lead; 0 where it is not tested. [run, run]"""
        error = np.sqrt(self.squares / np.maximum(self.n * (self.n - 1), 1))
        return np.divide(self.mean, error, out=np.zeros(self.mean.shape), where=self.tested)

    @property
    def u(self) -> Array:
        """The same on the scale of u, for which t = u sqrt((n - 1) / (1 - u^2)). [run, run]"""
        t = self.t
        return np.asarray(t / np.sqrt(np.maximum(self.n - 1, 1) + t * t))

    def largest(self, i: int, over: Bools | Index, *, two_tailed: bool = False) -> Array:
        """The largest t* of these runs' leads over run i, in every resample; of |t*| where two-tailed. [resample]"""
        n, scale = self.n[over, i], np.sqrt(self.squares[over, i] * self.n[over, i])
        if self.sums is not None:
            u = self.sums[over]
            u -= self.sums[i]
            u *= (1 / scale).astype(np.float32)[:, None]
            most = np.maximum(u.max(0), -u.min(0)) if two_tailed else u.max(0)
            return _student(most.astype(np.float64), n[0])
        centred = self.x[over] - self.x[i] - self.mean[over, i, None]
        t = _student((np.nan_to_num(centred) / scale[:, None]) @ self.flips, n[:, None])
        return np.asarray((np.abs(t, out=t) if two_tailed else t).max(0))


def _moments(x: Array) -> tuple[Counts, Array, Array]:
    """Topics that two runs share, the mean lead of one over the other, and its squares about that. [run, run] each"""
    m = len(x)
    n, mean, squares = np.zeros((m, m), dtype=np.int64), np.zeros((m, m)), np.zeros((m, m))
    for i in range(m):
        d = x - x[i]
        n[:, i] = (~np.isnan(d)).sum(-1)
        mean[:, i] = np.nansum(d, axis=-1) / np.maximum(n[:, i], 1)
        squares[:, i] = np.nansum((d - mean[:, i, None]) ** 2, axis=-1)
    return n, mean, squares


def _moments_of_all(x: Array) -> tuple[Counts, Array, Array]:
    """The same of runs that have all topics; explicit differences, which do not cancel."""
    m, n_topics = x.shape
    mean = x.sum(-1) / max(n_topics, 1)
    centred, squares = x - mean[:, None], np.zeros((m, m))
    for i in range(m):
        d = centred[i:] - centred[i]
        squares[i:, i] = squares[i, i:] = np.einsum("jt,jt->j", d, d)
    return np.full((m, m), n_topics), mean[:, None] - mean, squares


def _student(u: Array, n: Counts) -> Array:
    """Student's t from u; that of differences of one size and one sign is large, not infinite."""
    u = np.clip(u, -_LARGEST, _LARGEST)
    return np.asarray(u * np.sqrt((n - 1) / (1 - u * u)))
