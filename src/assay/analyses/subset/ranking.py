"""How well some topics rank runs: against all topics, against the others, and against unlimited topics.

The mean over m topics has the reliability 1 / (1 + noise / m): correlations between disjoint sets are the square root
of the product of their reliabilities (Spearman 1904; `stats.unlimited_topics` has the model).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.stats.correlation.bitwise_tau import PairBits, PairOrders, count_bits, pair_orders, tau_b
from assay.stats.splits import masked, means
from assay.stats.unlimited_topics import kendall, latent

_SETS = 256  # rankings compared at a time


@dataclass(frozen=True, slots=True)
class SetRankings:
    """How sets of topics rank the runs, compared with all topics and with the rest. All are [set]"""

    tau_whole: Array  # NaN where a side ties everything
    tau_rest: Array
    overlap: Array  # share of the best runs that are the best over all topics, too
    reversed: Array  # pairs of runs in the opposite order
    reversed_marked: Array  # of these, the pairs that are marked


def compare_sets(x: Array, masks: Array, *, k: int, marks: PairBits) -> SetRankings:
    """Compare the ranking on each set with that on all topics and on the rest; `x` is [run, topic], no gaps.

    `masks` is [set, topic]; `k` counts the best runs; `marks` are pairs of runs as bits.
    """
    mean = x.mean(-1)
    whole, best = pair_orders(mean[None]), _best(mean[None], k)[0]
    parts = []
    for i in range(0, len(masks), _SETS):
        mask = masks[i : i + _SETS]
        on_set = means(x, mask)
        here, rest = pair_orders(on_set), pair_orders(means(x, 1 - mask))
        opposite = _opposite(here, whole)
        shared = _best(on_set, k)[:, best].sum(-1) / k
        numbers = (tau_b(here, whole), tau_b(here, rest), shared, count_bits(opposite), count_bits(opposite & marks))
        parts.append(np.stack([np.asarray(number, dtype=np.float64) for number in numbers]))
    return SetRankings(*np.concatenate(parts, axis=1))


def taus_by_size(x: Array, order: Index, sizes: Iterable[int]) -> dict[int, tuple[Array, Array]]:
    """Tau-b of random sets of every size with all topics and with the rest, by size. Two of [set] each

    A set and its rest serve two sizes: what is ranked for one is ranked for the other. `x` is [run, topic], without
    gaps, `order` [set, topic].
    """
    n, whole = x.shape[1], pair_orders(x.mean(-1)[None])
    taus: dict[int, tuple[Array, Array]] = {}
    for size in sorted(set(sizes)):
        if size in taus:
            continue
        mask = first_sets(order, size)
        here, rest = (pair_orders(means(x, members)) for members in (mask, 1 - mask))
        between = tau_b(here, rest)
        taus[n - size] = tau_b(rest, whole), between
        taus[size] = tau_b(here, whole), between
    return taus


def _opposite(x: PairOrders, y: PairOrders) -> PairBits:
    """Mark the pairs that two rankings order in opposite ways."""
    return np.asarray((x.up ^ y.up) & x.untied & y.untied)


def _best(mean: Array, k: int) -> Bools:
    """Say which runs are the best k, the earlier where tied. [set, run]"""
    scale = np.abs(mean).max(initial=0.0) or 1.0
    order = np.argsort(-(mean / scale).round(10), axis=-1, kind="stable")
    best = np.zeros(mean.shape, dtype=bool)
    np.put_along_axis(best, order[:, :k], values=True, axis=-1)
    return best


def first_sets(order: Index, size: int) -> Array:
    """Take the first of every order as a set; smaller sets are part of larger ones. [set, topic]"""
    return masked(order[:, :size], order.shape[1])


def tau_unlimited(tau_rest: float, n_rest: int, noise: float) -> float:
    """The tau to a ranking by unlimited topics, from the tau to the rest."""
    return float(kendall(latent(tau_rest) * np.sqrt(1 + noise / n_rest)))


def smallest(sizes: Array, values: Array, target: float) -> int | None:
    """The size from which on a curve stays at the target or above, read off between its points; None if it never is.

    >>> smallest(np.array([10.0, 20.0, 30.0]), np.array([0.5, 0.8, 1.0]), 0.9)
    25
    """
    below = np.flatnonzero(~(values >= target))
    if not below.size:
        return int(sizes[0])
    i = int(below[-1])
    if i == len(sizes) - 1:
        return None
    share = (target - values[i]) / (values[i + 1] - values[i]) if values[i] == values[i] else 1.0
    return int(np.ceil(sizes[i] + share * (sizes[i + 1] - sizes[i]) - 1e-9))
