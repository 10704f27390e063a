"""Does a second measure add to a first when both predict the second on new topics?

The two are combined: means of runs, standardised over the runs, weighted in quarters from the first alone to the
second alone. Which weight is best is decided inside the predicting set, by splitting it again; the other set judges
once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.core.arrays import Array, Index
from assay.stats.correlation.bitwise_tau import PairOrders, every_tau_b, pair_orders, tau_b
from assay.stats.prediction import average, monte_carlo
from assay.stats.splits import Splits, masked, means, splits

INNER = 4  # splits of a predicting set that choose the weight
_WEIGHTS = (1.0, 0.75, 0.5, 0.25, 0.0)  # of the first measure; among equals the larger is taken
_BYTES = 1 << 25  # of rankings held at a time


def combination_gain(x: Array, chosen: Splits, *, seed: int) -> tuple[Array, Array]:
    """By how much the best combination of a and b predicts b better than a does, and its Monte-Carlo error.

    `x` is [measure, run, topic]; gives two of [a, b]. NaN where sets of one topic leave no weight to choose by.
    The error is that of the number of splits, 0 where these are all there are; the topics are taken as fixed.
    """
    m, n_runs, _ = x.shape
    if chosen.size < 2 or m < 2:
        return np.full((m, m), np.nan), np.full((m, m), np.nan)
    inner = splits(chosen.size, chosen.size // 2, INNER, seed)
    step = max(1, _BYTES // (n_runs**2 * m**2 * len(inner)))
    gain = np.concatenate([average(np.stack(list(_gains(x, part, inner)))) for part in chosen.blocks(step)])
    mean = average(gain)
    return mean, np.zeros(mean.shape) if chosen.complete else monte_carlo(gain, mean)


def _gains(x: Array, chosen: Splits, inner: Splits) -> Iterator[Array]:
    """What combining gains on each split, in one direction and the other. Two of [split, a, b]"""
    for predicting, other in ((chosen.first, chosen.second), (chosen.second, chosen.first)):
        best = _inner_taus(x, predicting, inner).argmax(-1)  # [split, a, b]
        here = means(x, masked(predicting, chosen.n))
        tau = _taus(here, pair_orders(means(x, masked(other, chosen.n))))  # [split, a, b, weight]
        yield np.take_along_axis(tau, best[..., None], -1)[..., 0] - tau[..., 0]


def _inner_taus(x: Array, predicting: Index, inner: Splits) -> Array:
    """How well every weight does inside the predicting sets. [split, a, b, weight]"""
    rows = len(predicting)
    sides = [
        masked(predicting[:, at].reshape(rows * len(inner), -1), x.shape[-1]) for at in (inner.first, inner.second)
    ]
    first, second = (means(x, side) for side in sides)
    tau = _taus(first, pair_orders(second)) + _taus(second, pair_orders(first))
    by_split = tau.reshape(rows, len(inner), *tau.shape[1:])
    return np.nan_to_num(average(by_split.swapaxes(0, 1)), nan=-np.inf)


def _taus(mean: Array, target: PairOrders) -> Array:
    """Correlate every combination of a and b with b. `mean` is [row, measure, run]; gives [row, a, b, weight]"""
    rows, m, _ = mean.shape
    z = _standardised(mean)
    alone = every_tau_b(pair_orders(mean), target)
    tau = np.empty((rows, m, m, len(_WEIGHTS)))
    tau[..., 0], tau[..., -1] = alone, np.diagonal(alone, axis1=1, axis2=2)[:, None, :]
    first, second = np.triu_indices(m, 1)
    for w in range(1, len(_WEIGHTS) - 1):
        combined = pair_orders(_WEIGHTS[w] * z[:, first] + _WEIGHTS[-1 - w] * z[:, second])
        tau[:, first, second, w] = tau_b(combined, target[:, second])
        tau[:, second, first, -1 - w] = tau_b(combined, target[:, first])
    tau[:, range(m), range(m), :] = np.diagonal(alone, axis1=1, axis2=2)[..., None]
    return tau


def _standardised(mean: Array) -> Array:
    """Centre on the runs and divide by their deviation; what does not vary is 0."""
    spread = mean.std(-1, keepdims=True)
    small = 1e-10 * np.abs(mean).max(-1, initial=0.0, keepdims=True)
    away = mean - mean.mean(-1, keepdims=True)
    return np.divide(away, spread, out=np.zeros_like(mean), where=spread > small)
