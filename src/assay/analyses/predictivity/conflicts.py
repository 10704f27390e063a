"""When two measures order two runs oppositely on some topics, with which of them do new topics side?

Pairs of runs are bits (`pair_orders`): a conflict, what became of it and what was significant are single operations.
Ties are no verdict: a tied pair is in no conflict, and one that new topics tie sides with nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Counts, Index
from assay.stats.correlation.bitwise_tau import PairBits, PairOrders, count_bits, pair_bits
from assay.stats.intervals import t_quantile
from assay.stats.prediction import REPLICATES, average, ranked, subsamples
from assay.stats.splits import Splits

_STEP = 16  # splits looked at a time
_FLAT = 1e-14  # of the largest square: a variance below is rounding


@dataclass(frozen=True, slots=True)
class Conflicts:
    """What becomes of conflicts between measures a and b, and of significant differences; means over splits."""

    share: Array  # [a, b]: of the pairs of runs that both order
    by_a: Array  # [a, b]: of the conflicts that a orders on new topics, too: the share in which it stays with itself
    by_b: Array  # [a, b]: of those that b orders on new topics: the share in which it goes over to a
    changes: Array  # [replicate, split, a, b, 2]: of by_a and by_b, as topics are left out
    exact: bool  # the splits behind `changes` are all there are
    significant: Array  # [measure]: share of the pairs of runs that differ significantly
    same_order: Array  # [measure]: of these, the share in the same order on new topics
    repeated: Array  # [measure]: of these, the share significant in the same order again
    reversed: Array  # [measure]: of these, the share significant in the opposite order


def conflicts(x: Array, chosen: Splits, *, alpha: float, replicates: int = REPLICATES, seed: int = 0) -> Conflicts:
    """Follow conflicts and significant differences to the other set of topics. `x` is [measure, run, topic]

    Subsets of the topics have `replicates` splits together, behind the intervals (`prediction.subsamples`).
    """
    sides, followed = [], []
    for part in chosen.blocks(_STEP):
        first, second = ranked(x, part)
        sides.append(_sides(first, second))
        one, other = significant(x, part.first, alpha), significant(x, part.second, alpha)
        followed += [_followed(first, second, one, other), _followed(second, first, other, one)]
    share, by_a, by_b = np.moveaxis(average(np.concatenate(sides)), -1, 0)
    by_measure = np.moveaxis(average(np.concatenate(followed)), -1, 0)
    some = subsamples(chosen.n, chosen.size, replicates, seed)
    blocks = [_sides(*ranked(x, part))[..., 1:] for part in some.splits.blocks(_STEP)]
    changes = some.changes(np.concatenate(blocks)) if blocks else np.zeros((0, 0, len(x), len(x), 2))
    return Conflicts(share, by_a, by_b, changes, some.splits.complete, *by_measure)


def _sides(first: PairOrders, second: PairOrders) -> Array:
    """The share in conflict, and whom new topics side with by a and by b, in both directions. [split, a, b, 3]"""
    return average(np.stack([_one_way(first, second), _one_way(second, first)]))


def _one_way(here: PairOrders, there: PairOrders) -> Array:
    a, b = here[:, :, None], here[:, None, :]
    both = a.untied & b.untied
    conflict = (a.up ^ b.up) & both
    shares = [_share(count_bits(conflict), count_bits(both))]
    for judge in (there[:, :, None], there[:, None, :]):
        judged = conflict & judge.untied
        n = count_bits(judged)
        shares.append(_share(n - count_bits(judged & (a.up ^ judge.up)), n))
    return np.stack(shares, axis=-1)


def _followed(here: PairOrders, there: PairOrders, sure: PairBits, later: PairBits) -> Array:
    """Follow significant differences. [split, measure, 4]"""
    n, opposite_order = count_bits(sure), here.up ^ there.up
    same = count_bits(sure & there.untied & ~opposite_order)
    again, opposite = count_bits(sure & later & ~opposite_order), count_bits(sure & later & opposite_order)
    return np.stack([n / max(1, here.n_pairs), *(_share(part, n) for part in (same, again, opposite))], axis=-1)


def significant(x: Array, chosen: Index, alpha: float) -> PairBits:
    """Mark the pairs of runs that a paired t test finds different on each set of topics. [split, measure, word]

    A pair whose differences do not vary is not significant, and nothing is on a single topic.
    """
    size = chosen.shape[1]
    small = _FLAT * np.abs(x).max(initial=0.0) ** 2
    far = t_quantile(1 - alpha, size - 1) ** 2 / size if size > 1 else np.inf
    return np.stack([pair_bits(_different(x[:, :, members], far, small)) for members in chosen])


def _different(x: Array, far: float, small: float) -> Bools:
    """Which differences of means, squared, are more than `far` times their variance. [measure, run, run]"""
    n = x.shape[-1]
    if n < 2:
        return np.zeros((*x.shape[:-1], x.shape[1]), dtype=bool)
    mean = x.mean(-1)
    away = x - mean[..., None]
    product = away @ away.swapaxes(-1, -2) / (n - 1)
    own = np.diagonal(product, axis1=-2, axis2=-1)
    variance = own[..., :, None] + own[..., None, :] - 2 * product
    return np.asarray((variance > small) & ((mean[..., :, None] - mean[..., None, :]) ** 2 > far * variance))


def _share(part: Counts, whole: Counts) -> Array:
    return np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
