"""How well one ranking predicts another on new topics: mean tau-b over splits, with two errors.

One error falls with the number of splits (`mc_se`); the other is that of the topics as a sample, by a jackknife: the
same splits with a group of topics taken out of whichever set they are in, or, where most splits of small sets
hold none of the group, those splits alone. Copies of topics would leak across the two sets, so topics are never
resampled with replacement.

By how much the replicates change tau is known split by split, and so their own Monte-Carlo error, which is taken
off the variance: fewer splits make the interval rougher, not wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Counts, Index
from assay.stats.correlation.bitwise_tau import PairOrders, every_tau_b, pair_orders
from assay.stats.intervals import GROUPS, deletions, t_quantile
from assay.stats.splits import SPLIT_TOPICS, Splits, means

_STEP = 64  # splits ranked at a time
_WHOLE = 1e-9  # a correlation closer to 1 is 1
FREE = 0.5  # of the splits must be without a group for the rest to be left out
_LEAST = 0.25  # of the variance stays when Monte-Carlo error is taken off it


@dataclass(frozen=True, slots=True)
class Phi:
    """Predictive power of every measure for every other, and how it changes when topics are left out."""

    value: Array  # [a, b], symmetric
    mc_se: Array  # [a, b]
    n_splits: Counts  # [a, b]: splits on which both rank anything
    changes: Array  # [group, split, a, b]: of tau-b, on the first splits; no group where there are too few topics
    exact: bool  # the splits behind `changes` are all there are

    def interval(self, *, level: float) -> tuple[Array, Array]:
        """Bound phi on Fisher's scale, on which a correlation's error does not depend on its size. Two of [a, b]"""
        return fisher_interval(self.value, split_jackknife(self.changes, level=level, exact=self.exact))

    def differences(self, *, level: float) -> tuple[Array, Array, Array]:
        """How much better a predicts b than b predicts itself, and its bounds. Three of [a, b]"""
        own = np.diagonal(self.changes, axis1=2, axis2=3)[:, :, None, :]
        difference = self.value - np.diagonal(self.value)
        half = split_jackknife(self.changes - own, level=level, exact=self.exact)
        return difference, difference - half, difference + half

    def behind(self, target: int, among: int, *, level: float) -> tuple[Array, Array, Array]:
        """How far each of the first measures is behind the best of them at predicting one. Three of [measure]"""
        value, changes = self.value[:among, target], self.changes[:, :, :among, target]
        best = int(np.argmax(np.nan_to_num(value, nan=-np.inf)))
        half = split_jackknife(changes[..., best, None] - changes, level=level, exact=self.exact)
        gap = value[best] - value
        return gap, gap - half, gap + half


def fisher_interval(value: Array, half: Array) -> tuple[Array, Array]:
    """The ends of an interval of correlations, half as wide as said at the value, symmetric on Fisher's scale."""
    inside = np.abs(value) < 1 - _WHOLE
    scaled = np.arctanh(np.where(inside, value, 0.0))
    half_scaled = half / (1 - np.where(inside, value, 0.0) ** 2)
    low, high = np.tanh(scaled - half_scaled), np.tanh(scaled + half_scaled)
    return np.where(inside, low, value - half), np.where(inside, high, value + half)


def predictive_power(x: Array, chosen: Splits, *, replicates: int, groups: int = GROUPS, free: float = FREE) -> Phi:
    """Rank by each measure on both sets of every split; correlate across. `x` is [measure, run, topic]

    Taking topics out means ranking again, so it is done on the first `replicates` splits only, and not where a share
    `free` of the splits is without each group anyway; too few topics to split into halves of two have no replicates.
    """
    tau = crossed(x, chosen)
    there = (~np.isnan(tau)).sum(0)
    value = average(tau)
    mc_se = np.zeros(value.shape) if chosen.complete else monte_carlo(tau, value)
    deleted = list(deletions(chosen.n, groups=groups)) if chosen.n >= SPLIT_TOPICS.value else []
    apart = _apart(chosen, deleted)
    if deleted and apart.mean(1).min() >= free:
        changes, few = _changes_by_splits(tau, apart), chosen
    else:
        few = chosen.head(replicates)
        changes = _changes_by_topics(x, few, tau, deleted)
    return Phi(value, np.where(there > 0, mc_se, np.nan), there, changes, few.complete)


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


def _changes_by_topics(x: Array, chosen: Splits, tau: Array, deleted: Sequence[Index]) -> Array:
    """Say by how much taking each group out of its sets changes tau-b on each split. [group, split, a, b]"""
    changes = np.zeros((len(deleted), len(chosen), len(x), len(x)))
    for start, part in zip(range(0, len(chosen), _STEP), chosen.blocks(_STEP), strict=True):
        whole = ranked(x, part)
        here = slice(start, start + len(part))
        for g, rest in enumerate(deleted):
            changes[g, here] = _both_ways(*ranked_without(x, part, rest, whole)) - tau[here]
    return changes


def ranked_without(
    x: Array, chosen: Splits, rest: Index, whole: tuple[PairOrders, PairOrders]
) -> tuple[PairOrders, PairOrders]:
    """Rank again by the rest of the topics; a set that holds none of the others stays as it is."""
    left_out = np.ones(chosen.n)
    left_out[rest] = 0.0
    sides = []
    for mask, before in zip(chosen.masks(), whole, strict=True):
        hit = np.flatnonzero(mask @ left_out)
        sides.append(before.replaced(hit, pair_orders(means(x, mask[hit] * (1 - left_out)))))
    return sides[0], sides[1]


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
    """Half the width of an interval, from what leaving out each group of topics changes on each split.

    `changes` is [group, split, ...]. The spread of the groups' means holds their Monte-Carlo error, too; the spread
    over splits says how much, and it is taken off unless the splits are all there are. NaN below two groups.
    """
    g, s = changes.shape[:2]
    if g < 2 or not s:
        return np.full(changes.shape[2:], np.nan)
    around = changes - average(changes)
    by_group = average(around.swapaxes(0, 1))
    spread = (by_group**2).sum(0)
    if not exact and s > 1:
        noise = average(((around - by_group[:, None]) ** 2).swapaxes(0, 1)).sum(0) / (s - 1)
        spread = np.maximum(spread - noise, _LEAST * spread)
    return np.asarray(t_quantile(level, g - 1) * np.sqrt((g - 1) / g * spread))
