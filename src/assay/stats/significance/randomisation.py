"""The paired randomisation test, for all pairs of runs at once; it obeys the rules of `pairs`."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array
from assay.stats.resampling import portions, signs, stacked
from assay.stats.significance.declare import significance_test
from assay.stats.significance.pairs import Pairs, count_true, pairs


def _of_differences(d: Pairs, *, resamples: int, seed: int) -> Array:
    """The same test of pairs that lack topics of other pairs: the signs of differences change on random topics."""
    n = d.difference.shape[1]
    limit = (np.abs(d.difference.sum(-1)) - d.rounding * n)[:, None]
    count = np.zeros(d.mean.size, dtype=np.int64)
    for flips in signs(n, resamples, seed) if not d.flat.all() else ():
        for stack in stacked(flips):
            for part in portions(*d.difference.shape):
                total = d.difference[part] @ stack  # [stack, pair, resample]
                count[part] += count_true(np.abs(total, out=total) >= limit[part]).sum(0)
    return np.where(d.flat, 1.0, (count + 1) / (resamples + 1))


@significance_test(
    name="randomisation",
    title="paired randomisation test",
    caveat="not for means of skewed differences on a handful of topics: exchangeable runs differ symmetrically",
    resamples=10_000,
    of_differences=_of_differences,
    place=3,
)
def randomisation_test(x: Array, *, resamples: int, seed: int) -> Array:
    """Test whether two runs are exchangeable on every topic: their scores change places on random topics.

    The mean difference is compared with that of every resample. Exact for any distribution when the runs are
    exchangeable within topics, if a little conservative on coarse scores, where many resamples tie with what was
    observed. With skewed differences of mean 0 on a handful of topics it is as wrong as the t test.
    """
    d = pairs(x)
    n_runs, n = x.shape
    limit = np.zeros((n_runs, n_runs, 1))
    limit[d.first, d.second, 0] = np.abs(d.difference.sum(-1)) - d.rounding * n
    count = np.zeros((n_runs, n_runs), dtype=np.int64)
    for flips in signs(n, resamples, seed) if not d.flat.all() else ():
        flipped = np.concatenate([_flipped(x, stack) for stack in stacked(flips)], axis=-1)
        room = np.empty_like(flipped)
        for i in range(n_runs - 1):
            gap = np.subtract(flipped[i + 1 :], flipped[i], out=room[i + 1 :])
            np.abs(gap, out=gap)
            count[i, i + 1 :] += count_true(gap >= limit[i, i + 1 :])
    return np.where(d.flat, 1.0, (count[d.first, d.second] + 1) / (resamples + 1))


def _flipped(x: Array, stack: Array) -> Array:
    """Sum every run's scores under the signs of every resample. [run, resample]"""
    sums = np.concatenate([x[part] @ stack for part in portions(*x.shape)], axis=1)  # [stack, run, resample]
    return sums.swapaxes(0, 1).reshape(x.shape[0], -1)
