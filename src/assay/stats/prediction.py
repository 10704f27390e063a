"""How well one ranking predicts another on new topics: mean tau-b over splits, with two errors.

One error falls with the number of splits (`mc_se`); the other is that of the topics as a sample: random subsets of
the topics, a fifth of them left out, are split in the same way (the delete-d jackknife, shao1989: tau jumps as runs
swap, and leaving out one topic at a time gives intervals of differences that are too wide). Where most splits of
small sets are without a given topic, these splits alone give its jackknife. Copies of topics would leak across the
two sets, so topics are never resampled with replacement.

The replicates are known split by split, and so their own Monte-Carlo error, which is taken off the variance: fewer
splits make the interval rougher, not wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Counts, Index
from assay.stats.correlation.bitwise_tau import PairOrders, every_tau_b, pair_orders
from assay.stats.intervals import GROUPS, deletions, t_quantile
from assay.stats.splits import SPLIT_TOPICS, Splits, means, splits
from assay.stats.subsampling import best_p_values

_STEP = 64  # splits ranked at a time
_WHOLE = 1e-9  # a correlation closer to 1 is 1
_SUBSETS = 0x7375  # so that subsets are not those of the splits
N_SUBSETS = 50  # of the topics at most, behind an interval; of fewer topics as many as there are
REPLICATES = 600  # splits of all subsets together
FREE = 0.5  # of the splits must be without a group for the rest to be left out
_STILL = 1e-12  # an error of that size is rounding
_LEAST = 0.25  # of the variance stays when Monte-Carlo error is taken off it


@dataclass(frozen=True, slots=True)
class Phi:
    """Predictive power of every measure for every other, and how it changes when topics are left out."""

    value: Array  # [a, b], symmetric
    mc_se: Array  # [a, b]
    n_splits: Counts  # [a, b]: splits on which both rank anything
    changes: Array  # [replicate, split, a, b]: of tau-b, as topics are left out; none where they are too few
    exact: bool  # the splits behind `changes` are all there are

    def interval(self, *, level: float) -> tuple[Array, Array]:
        """Bound phi on Fisher's scale, on which a correlation's error does not depend on its size. Two of [a, b]"""
        return fisher_interval(self.value, split_jackknife(self.changes, level=level, exact=self.exact))

    def differences(self, *, level: float) -> tuple[Array, Array, Array]:
        """How much better a predicts b than b predicts itself, and its bounds. Three of [a, b]"""
        difference, error = self.difference_errors()
        half = t_quantile(level, self.dof) * error if self.dof else error
        return difference, difference - half, difference + half

    def difference_errors(self) -> tuple[Array, Array]:
        """How much better a predicts b than b predicts itself, and its standard error over topics. Two of [a, b]

        That of a measure and itself is 0, and has no error.
        """
        own = np.diagonal(self.changes, axis1=2, axis2=3)[:, :, None, :]
        error = split_error(self.changes - own, exact=self.exact)
        return self.value - np.diagonal(self.value), np.where(np.eye(len(error), dtype=bool), np.nan, error)

    @property
    def dof(self) -> int:
        """Degrees of freedom of the errors; 0 where topics are too few."""
        return max(len(self.changes) - 1, 0)

    def behind(self, target: int, among: int, *, level: float) -> tuple[Array, Array, Array]:
        """How far each of the first measures is behind the best of them at predicting one. Three of [measure]

        The best one is 0 behind itself, without an interval.
        """
        value, changes = self.value[:among, target], self.changes[:, :, :among, target]
        best = int(np.argmax(np.nan_to_num(value, nan=-np.inf)))
        half = split_jackknife(changes[..., best, None] - changes, level=level, exact=self.exact)
        half[best] = np.nan
        gap = value[best] - value
        return gap, gap - half, gap + half

    def p_positive(self) -> Array:
        """Test that a does not correlate positively with b. [a, b]"""
        return one_sided_p(self.value, split_error(self.changes, exact=self.exact), self.dof)

    def best_p(self, target: int, among: int) -> Array:
        """Test of each of the first measures whether it may predict one best of all of them. [measure]

        As `subsampling.best_p_values` has it: it covers that the best one was picked. NaN without replicates.
        """
        by_replicate = average(self.changes[:, :, :among, target].swapaxes(0, 1))
        around = np.sqrt(self.dof) * (by_replicate - by_replicate.mean(0)) if self.dof else by_replicate
        return best_p_values(self.value[:among, target], around, np.ones(among), self.dof + 1)[0]


def fisher_interval(value: Array, half: Array) -> tuple[Array, Array]:
    """The ends of an interval of correlations, half as wide as said at the value, symmetric on Fisher's scale."""
    inside = np.abs(value) < 1 - _WHOLE
    scaled = np.arctanh(np.where(inside, value, 0.0))
    half_scaled = half / (1 - np.where(inside, value, 0.0) ** 2)
    low, high = np.tanh(scaled - half_scaled), np.tanh(scaled + half_scaled)
    return np.where(inside, low, value - half), np.where(inside, high, value + half)


def predictive_power(
    x: Array, chosen: Splits, *, replicates: int = REPLICATES, free: float = FREE, seed: int = 0
) -> Phi:
    """Rank by each measure on both sets of every split; correlate across. `x` is [measure, run, topic]

    Subsets of the topics have `replicates` splits together; none is needed where a share `free` of the splits is
    without each topic (or group of topics) anyway. Too few topics to split into halves of two have no replicates.
    """
    tau = crossed(x, chosen)
    there = (~np.isnan(tau)).sum(0)
    value = average(tau)
    mc_se = np.zeros(value.shape) if chosen.complete else monte_carlo(tau, value)
    deleted = list(deletions(chosen.n, groups=GROUPS)) if chosen.n >= SPLIT_TOPICS.value else []
    apart = _apart(chosen, deleted)
    if deleted and apart.mean(1).min() >= free:
        changes, exact = _changes_by_splits(tau, apart), chosen.complete
    else:
        some = subsamples(chosen.n, chosen.size, replicates, seed)
        changes, exact = some.changes(crossed(x, some.splits)), some.splits.complete
    return Phi(value, np.where(there > 0, mc_se, np.nan), there, changes, exact)


@dataclass(frozen=True, slots=True)
class Subsamples:
    """Random subsets of the topics, each of them split as often as the others."""

    n_subsets: int
    splits: Splits  # of all subsets, one subset after the other
    scale: float

    def changes(self, values: Array) -> Array:
        """Scale what the splits gave so that `split_jackknife` gives the error over all topics.

        `values` is [subset x split, ...]; gives [subset, split, ...]. With d of n left out, the variance over subsets
        is d / (n - d) of that over samples.
        """
        by_split = len(self.splits) // max(1, self.n_subsets)
        return self.scale * values.reshape(self.n_subsets, by_split, *values.shape[1:])


def subsamples(n: int, size: int, n_splits: int, seed: int) -> Subsamples:
    """Leave out a fifth of n topics at random, again and again, and split the rest into sets of `size`.

    There are `n_splits` splits of all subsets together, at least two of each. Sets that the rest has no room for are
    halves of it. Of fewer than ten topics each is left out once; too few to split into halves of two have no subsets.

    >>> some = subsamples(40, 20, 400, seed=0)
    >>> some.n_subsets, len(some.splits), some.splits.size
    (40, 400, 16)
    """
    if n < SPLIT_TOPICS.value:
        nobody = np.zeros((0, size), dtype=np.intp)
        return Subsamples(0, Splits(n, nobody, nobody), np.nan)
    out = _n_left_out(n)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_SUBSETS,)))
    k = min(n, N_SUBSETS)
    left = [np.array([t]) for t in range(n)] if out == 1 else [rng.permutation(n)[:out] for _ in range(k)]
    sides, complete = [], True
    for topics, own in zip(left, rng.integers(1 << 32, size=len(left)), strict=True):
        rest = np.delete(np.arange(n), topics)
        part = splits(rest.size, size_in_subset(n, size), max(2, n_splits // k), int(own))
        sides.append((rest[part.first], rest[part.second]))
        complete = complete and part.complete
    first, second = (np.concatenate(side) for side in zip(*sides, strict=True))
    scale = float(np.sqrt((n - out) / out * k) / (k - 1))
    return Subsamples(k, Splits(n, first, second, complete), scale)


def _n_left_out(n: int) -> int:
    return max(1, n // 5)


def size_in_subset(n: int, size: int) -> int:
    """How large the sets are that a subset of n topics is split into, where all topics have sets of `size`.

    >>> size_in_subset(40, 20), size_in_subset(40, 5)
    (16, 5)
    """
    return min(size, (n - _n_left_out(n)) // 2)


def crossed(x: Array, chosen: Splits) -> Array:
    """Correlate every measure on one set with every other on the other, in both directions. [split, a, b]"""
    blocks = [_both_ways(first, second) for first, second in (ranked(x, part) for part in chosen.blocks(_STEP))]
    return np.concatenate(blocks) if blocks else np.zeros((0, len(x), len(x)))


def ranked(x: Array, chosen: Splits) -> tuple[PairOrders, PairOrders]:
    """Rank by every measure on both sets of every split. Two of [split, measure]"""
    first, second = (pair_orders(means(x, mask)) for mask in chosen.masks())
    return first, second


def _both_ways(first: PairOrders, second: PairOrders) -> Array:
    tau = every_tau_b(first, second)
    return np.asarray((tau + tau.swapaxes(1, 2)) / 2)


def _apart(chosen: Splits, deleted: Sequence[Index]) -> Bools:
    """Say which splits hold nothing of each group that is left out. [group, split]"""
    used = np.add(*chosen.masks()) > 0
    without = [~np.delete(used, rest, axis=1).any(1) for rest in deleted]
    return np.array(without).reshape(len(deleted), len(chosen))


def _changes_by_splits(tau: Array, apart: Bools) -> Array:
    """Leave out each group by leaving out the splits that hold it: nothing is ranked again. [group, split, a, b]"""
    weight = apart / apart.mean(1, keepdims=True) - 1
    return np.asarray(weight[:, :, None, None] * (tau - average(tau)))


def monte_carlo(values: Array, mean: Array) -> Array:
    """The standard error of a mean over splits, the first axis; NaN left out."""
    there = (~np.isnan(values)).sum(0)
    return np.asarray(np.sqrt(average((values - mean) ** 2) / np.maximum(there - 1, 1)))


def as_well(low: float, high: float, margin: float) -> bool | None:
    """Say by the interval of a difference whether one does as well as another; None where that is inconclusive.

    It does not where all of the interval is below 0, however little; it does where none of it is below minus the
    margin.

    >>> as_well(-0.01, 0.1, 0.01), as_well(-0.02, -0.001, 0.01), as_well(-0.02, 0.1, 0.01)
    (True, False, None)
    """
    if high < 0:
        return False
    return True if low >= -margin else None


def average(tau: Array) -> Array:
    """Average over the first axis, NaN left out; NaN where there is nothing."""
    there = ~np.isnan(tau)
    n = there.sum(0)
    total = np.where(there, tau, 0.0).sum(0)
    return np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)


def split_jackknife(changes: Array, *, level: float, exact: bool) -> Array:
    """Half the width of an interval, from what leaving out topics changes on each split; see `split_error`."""
    g = len(changes)
    return (
        t_quantile(level, g - 1) * split_error(changes, exact=exact) if g > 1 else split_error(changes, exact=exact)
    )


def split_error(changes: Array, *, exact: bool) -> Array:
    """The standard error over topics of a mean over splits, from what leaving out topics changes on each split.

    `changes` is [replicate, split, ...], a replicate being a group of topics left out, or a subset of the topics
    (`Subsamples`). The spread of the replicates' means holds their Monte-Carlo error, too; the spread over splits
    says how much, and it is taken off unless the splits are all there are. NaN below two replicates.
    """
    g, s = changes.shape[:2]
    if g < 2 or not s:
        return np.full(changes.shape[2:], np.nan)
    around = changes - average(changes)
    by_replicate = average(around.swapaxes(0, 1))
    spread = (by_replicate**2).sum(0)
    if not exact and s > 1:
        noise = average(((around - by_replicate[:, None]) ** 2).swapaxes(0, 1)).sum(0) / (s - 1)
        spread = np.maximum(spread - noise, _LEAST * spread)
    return np.asarray(np.sqrt((g - 1) / g * spread))


def one_sided_p(value: Array, error: Array, dof: int) -> Array:
    """The p-value of a true value that is not above 0, by Student's t; without an error it is known. NaN is unknown.

    >>> one_sided_p(np.array([2.0, 0.1, -0.1]), np.array([1.0, 0.0, 0.0]), 24).round(3).tolist()
    [0.028, 0.0, 1.0]
    """
    from scipy.special import stdtr

    still = error <= _STILL
    t = np.divide(value, error, out=np.zeros(np.broadcast(value, error).shape), where=~still)
    p = np.where(still, np.where(value > 0, 0.0, 1.0), stdtr(max(dof, 1), -t))
    return np.asarray(np.where(np.isnan(value) | np.isnan(error), np.nan, p))
