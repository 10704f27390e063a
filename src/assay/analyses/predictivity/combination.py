"""Does a second measure add to a first when both predict the second on new topics?

The two are combined: means of runs, standardised over the runs, with fixed weights in quarters. A measure adds
nothing where no weight gains: then none that could be chosen would. Every weight has its own error over topics, so
that what decides is the weight whose gain is least sure to be small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Index
from assay.stats.correlation.bitwise_tau import every_tau_b, pair_orders, tau_b
from assay.stats.prediction import average, monte_carlo, split_error, subsamples
from assay.stats.splits import Splits, means

WEIGHTS = (0.75, 0.5, 0.25)  # of the first measure; the second has the rest
REPLICATES = 300  # splits of all subsets of the topics together, behind the error
_BYTES = 1 << 25  # of rankings held at a time


@dataclass(frozen=True, slots=True)
class Gains:
    """By how much a combination of a and b predicts b better than a does, with each of the weights."""

    value: Array  # [a, b, weight]
    mc_se: Array  # [a, b, weight]: that of the number of splits
    error: Array  # [a, b, weight]: the standard error over topics, mc_se included; NaN where topics are too few
    dof: int

    @property
    def best(self) -> Index:
        """The weight that gains most. [a, b]"""
        return np.nan_to_num(self.value, nan=-np.inf).argmax(-1)

    def at_best(self, of: Array) -> Array:
        """What the weight that gains most has. [a, b]"""
        return np.take_along_axis(of, self.best[..., None], -1)[..., 0]


def combination_gains(x: Array, chosen: Splits, *, seed: int, replicates: int = REPLICATES) -> Gains:
    """Combine every two measures on one set and predict one of them on the other. `x` is [measure, run, topic]"""
    gain = _gains(x, chosen)
    value = average(gain)
    mc_se = np.zeros(value.shape) if chosen.complete else monte_carlo(gain, value)
    some = subsamples(chosen.n, chosen.size, replicates, seed)
    error = split_error(some.changes(_gains(x, some.splits)), exact=some.splits.complete)
    return Gains(value, mc_se, np.hypot(error, mc_se), max(some.n_subsets - 1, 0))


def _gains(x: Array, chosen: Splits) -> Array:
    """What combining gains on each split, in both directions. [split, a, b, weight]"""
    m, n_runs, _ = x.shape
    step = max(1, _BYTES // (n_runs**2 * m**2))
    blocks = [_both_ways(*(means(x, mask) for mask in part.masks())) for part in chosen.blocks(step)]
    return np.concatenate(blocks) if blocks else np.zeros((0, m, m, len(WEIGHTS)))


def _both_ways(first: Array, second: Array) -> Array:
    """Gains with either set predicting the other. Means are [split, measure, run]; gives [split, a, b, weight]"""
    return average(np.stack([_one_way(first, second), _one_way(second, first)]))


def _one_way(here: Array, there: Array) -> Array:
    rows, m, _ = here.shape
    target, z = pair_orders(there), _standardised(here)
    alone = every_tau_b(pair_orders(here), target)
    gain = np.zeros((rows, m, m, len(WEIGHTS)))
    first, second = np.triu_indices(m, 1)
    for w, weight in enumerate(WEIGHTS):
        combined = pair_orders(weight * z[:, first] + (1 - weight) * z[:, second])
        gain[:, first, second, w] = tau_b(combined, target[:, second]) - alone[:, first, second]
        gain[:, second, first, -1 - w] = tau_b(combined, target[:, first]) - alone[:, second, first]
    return gain


def _standardised(mean: Array) -> Array:
    """Centre on the runs and divide by their deviation; what does not vary is 0."""
    spread = mean.std(-1, keepdims=True)
    small = 1e-10 * np.abs(mean).max(-1, initial=0.0, keepdims=True)
    away = mean - mean.mean(-1, keepdims=True)
    return np.divide(away, spread, out=np.zeros_like(mean), where=spread > small)
