"""Predictive power of designs: observed with up to half of the topics, extrapolated beyond.

The topics are split in halves as for `predictivity`. A design with n topics ranks the runs on n of one half; the
target ranks them on all of the other half, whatever n is, so that designs differ in how well they predict and not in
what. All designs and numbers of topics share the splits, and leave out topics of the same ones: any two can be
compared, topic by topic.

More topics than half are extrapolated. Tau between two rankings of many runs with normal effects is 2 / pi arcsin(r);
the r that belongs to what was observed at half of the topics follows Spearman and Brown to other numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.core.arrays import Array, Index
from assay.stats.correlation.bitwise_tau import PairOrders, pair_orders, tau_b
from assay.stats.intervals import GROUPS, deletions
from assay.stats.prediction import average, fisher_interval, split_jackknife
from assay.stats.splits import SPLIT_TOPICS, Splits, masked, means

_STEP = 32  # splits ranked at a time
_WORDS = 1 << 17  # of the bits of rankings that are held at a time
_NUDGE = 1e-6  # of phi, for the slope of an extrapolation


@dataclass(frozen=True, slots=True)
class DesignPhi:
    """Predictive power of designs with a number of topics: of the target, and of themselves."""

    value: Array  # [2, design]
    changes: Array  # [group, split, 2, design]: of tau-b, as topics are left out
    exact: bool  # the splits are all there are
    extrapolated: bool = False

    def interval(self, *, level: float) -> tuple[Array, Array]:
        """Bound phi, with the topics as the sample. Two of [2, design]"""
        return fisher_interval(self.value, split_jackknife(self.changes, level=level, exact=self.exact))

    def of(self, designs: Sequence[int]) -> DesignPhi:
        """Keep some designs."""
        return replace(self, value=self.value[:, designs], changes=self.changes[..., designs])


def shuffled_halves(halves: Splits, seed: int) -> Splits:
    """Put the members of complete splits, which come in order, in random order: the first ones are then a sample."""
    if not halves.complete:
        return halves
    rng = np.random.default_rng(seed)
    first, second = (rng.permuted(side, axis=1) for side in (halves.first, halves.second))
    return Splits(halves.n, first, second, complete=True)


def observed_phi(
    x: Array, target: Array, halves: Splits, size: int, *, replicates: int, groups: int = GROUPS
) -> DesignPhi:
    """Rank by designs on `size` topics of one half and by the target on the other, in both directions.

    `x` is [design, run, topic], `target` [run, topic]. A design predicts itself on `size` topics of the other half.
    """
    tau = np.concatenate([_tau(*_ranked(x, target, part, size)) for part in halves.blocks(_STEP)])
    deleted = list(deletions(halves.n, groups=groups)) if halves.n >= SPLIT_TOPICS.value else []
    few = halves.head(replicates)
    without = _without(x, target, few, size, deleted)
    # a set of which nothing is left ranks nothing: the other splits stand for it, as if it had been left out
    others = average(without.swapaxes(0, 1))[:, None]
    changes = np.where(np.isnan(without), others, without) - tau[: len(few)]
    return DesignPhi(average(tau), changes, exact=few.complete and size == halves.size)


_Four = tuple[PairOrders, PairOrders, PairOrders, PairOrders]


def _masks(halves: Splits, size: int) -> tuple[Array, Array, Array, Array]:
    """Who is in the sets of the designs, and in those of the target, on either side. Four of [split, n]"""
    sides = halves.first[:, :size], halves.second[:, halves.size - size :], halves.first, halves.second
    one, other, target_one, target_other = (masked(side, halves.n) for side in sides)
    return one, other, target_one, target_other


def _ranked(x: Array, target: Array, halves: Splits, size: int) -> _Four:
    """Rank by the designs on both sides [split, design], and by the target [split, 1]."""
    sets = (x, x, target[None], target[None])
    one, other, target_one, target_other = (
        pair_orders(means(of, mask)) for of, mask in zip(sets, _masks(halves, size), strict=True)
    )
    return one, other, target_one, target_other


def _without(x: Array, target: Array, halves: Splits, size: int, deleted: Sequence[Index]) -> Array:
    """Correlate again with each group of topics left out of every split. [group, split, 2, design]

    Sets that hold nothing of a group keep their ranking. Groups and splits are taken together, as many at a time as
    stay in cache.
    """
    masks, whole = _masks(halves, size), _ranked(x, target, halves, size)
    rest = np.zeros((len(deleted), halves.n))
    for left, members in zip(rest, deleted, strict=True):
        left[members] = 1.0
    group, split = np.divmod(np.arange(len(deleted) * len(halves)), len(halves))
    tau = np.empty((group.size, 2, len(x)))
    step = max(1, _WORDS // max(1, len(x) * whole[0].up.shape[-1]))
    for i in range(0, group.size, step):
        part = slice(i, i + step)
        sides = [
            _ranked_again(of, mask[split[part]], rest[group[part]], before[split[part]])
            for of, mask, before in zip((x, x, target[None], target[None]), masks, whole, strict=True)
        ]
        tau[part] = _tau(*sides)
    return tau.reshape(len(deleted), len(halves), 2, len(x))


def _ranked_again(x: Array, mask: Array, rest: Array, before: PairOrders) -> PairOrders:
    """Rank by the rest of each set, where it is not the whole set. [set, design]; masks are [set, topic]"""
    hit = np.flatnonzero((mask * (1 - rest)).any(-1))
    return before.replaced(hit, pair_orders(means(x, mask[hit] * rest[hit])))


def _tau(one: PairOrders, other: PairOrders, target_one: PairOrders, target_other: PairOrders) -> Array:
    """Correlate the designs with the target across, and with themselves. [split, 2, design]"""
    of_target = (tau_b(one, target_other) + tau_b(other, target_one)) / 2
    return np.stack([of_target, tau_b(one, other)], axis=1)


def extrapolated_phi(at_half: DesignPhi, half: int, n_topics: int) -> DesignPhi:
    """Carry what was observed with half of the topics over to another number of them.

    The error of the topics goes along, by the slopes; that of the model is not in the interval.
    """
    value = spearman_brown(at_half.value, half, n_topics)
    slopes = []
    for k in range(2):
        nudged = at_half.value.copy()
        nudged[k] += _NUDGE
        slopes.append((spearman_brown(nudged, half, n_topics) - value) / _NUDGE)
    changes = slopes[0] * at_half.changes[:, :, :1] + slopes[1] * at_half.changes[:, :, 1:]
    return DesignPhi(value, changes, at_half.exact, extrapolated=True)


def spearman_brown(phi: Array, half: int, n_topics: int) -> Array:
    """Phi with another number of topics than `half`; `phi` is [2, ...]: of a target that stays, and of itself.

    r = sin(pi phi / 2) of a measure with itself is its reliability, half / (half + error); with n topics it is
    n / (n + error), and its correlation with anything else grows by the root of the ratio of the two. NaN where a
    measure does not correlate with itself.

    >>> spearman_brown(np.array([[0.5], [0.5]]), 25, 25).round(6).tolist()
    [[0.5], [0.5]]
    >>> spearman_brown(np.array([[1 / 3], [1 / 3]]), 10, 20)[1].round(4).tolist()  # r: 1/2 to 2/3
    [0.4646]
    """
    r = np.sin(np.pi / 2 * phi)
    own = np.where((r[1] > 0) & (phi[1] <= 1), r[1], np.nan)
    reliability = n_topics / (n_topics + half * (1 - own) / own)
    target = np.clip(r[0] * np.sqrt(reliability / own), -1.0, 1.0)
    return np.asarray(2 / np.pi * np.arcsin(np.stack([target, reliability])))
