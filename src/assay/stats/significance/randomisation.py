"""The paired randomisation test, for all pairs of runs at once; it obeys the rules of `pairs`."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array, Bools, Counts, Index
from assay.stats.resampling import portions, signs, stacked
from assay.stats.significance.declare import significance_test
from assay.stats.significance.pairs import Pairs, constant_p, count_true, pairs, whole


def _of_differences(d: Pairs, *, resamples: int, seed: int) -> Array:
    """The same test of pairs that may lack topics (NaN): the signs of differences change on random topics.

    All pairs share the signs; on a topic that a pair lacks, none matters.
    """
    n = d.difference.shape[1]
    there = ~np.isnan(d.difference)
    difference = np.where(there, d.difference, 0.0)
    limit = (np.abs(difference.sum(-1)) - d.rounding * n)[:, None]
    count = np.zeros(d.mean.size, dtype=np.int64)
    for flips in signs(n, resamples, seed) if not d.flat.all() else ():
        for stack in stacked(flips):
            for part in portions(*difference.shape):
                total = difference[part] @ stack  # [stack, pair, resample]
                count[part] += count_true(np.abs(total, out=total) >= limit[part]).sum(0)
    return _with_constants((count + 1) / (resamples + 1), d.flat, d.equal, there.sum(-1))


def _on_subsets(x: Array, subsets: Bools, *, resamples: int, seed: int) -> Array:
    """The test on each of many sets of topics; all share the signs, so that they are drawn once. [subset, pair]"""
    counts = [_Count(x[:, topics], np.flatnonzero(topics)) for topics in subsets]
    for flips in signs(x.shape[1], resamples, seed) if any(each.varies for each in counts) else ():
        for each in counts:
            each.add(flips)
    p = [each.p_values(resamples) for each in counts]
    return np.array(p).reshape(len(counts), len(x) * (len(x) - 1) // 2)


class _Count:
    """How many resamples are as far out as what was observed, for every pair of runs on some topics."""

    def __init__(self, x: Array, topics: Index) -> None:
        """Take the observed differences; `x` has these topics only."""
        d = pairs(x)
        self.x, self.topics, self.first, self.second = x, topics, d.first, d.second
        self.flat, self.equal = d.flat, d.equal
        self.varies = not d.flat.all()
        self.limit = np.zeros((len(x), len(x), 1))
        self.limit[d.first, d.second, 0] = np.abs(d.difference.sum(-1)) - d.rounding * topics.size
        self.count = np.zeros((len(x), len(x)), dtype=np.int64)

    def add(self, flips: Array) -> None:
        """Count a block of resamples; `flips` is [resample, topic of all]."""
        if not self.varies:
            return
        some = flips if self.topics.size == flips.shape[1] else flips[:, self.topics]
        flipped = np.concatenate([_flipped(self.x, stack) for stack in stacked(some)], axis=-1)
        room = np.empty_like(flipped)
        for i in range(len(self.x) - 1):
            gap = np.subtract(flipped[i + 1 :], flipped[i], out=room[i + 1 :])
            np.abs(gap, out=gap)
            self.count[i, i + 1 :] += count_true(gap >= self.limit[i, i + 1 :])

    def p_values(self, resamples: int) -> Array:
        """Give the share of resamples as far out, or the exact p where differences are all the same. [pair]"""
        p = (self.count[self.first, self.second] + 1) / (resamples + 1)
        return _with_constants(p, self.flat, self.equal, self.topics.size)


def _with_constants(p: Array, flat: Bools, equal: Bools, n: int | Counts) -> Array:
    """Put the exact p where differences are all the same; `n` topics. [pair]"""
    return np.where(equal, 1.0, np.where(flat, constant_p(n), p))


@significance_test(
    name="randomisation",
    title="paired randomisation test",
    caveat="not for means of skewed differences on a handful of topics: exchangeable runs differ symmetrically",
    resamples=10_000,
    of_differences=_of_differences,
    takes_gaps=True,
    on_subsets=_on_subsets,
    constant=True,
    place=3,
)
def randomisation_test(x: Array, *, resamples: int, seed: int) -> Array:
    """Test whether two runs are exchangeable on every topic: their scores change places on random topics.

    The mean difference is compared with that of every resample. Exact for any distribution when the runs are
    exchangeable within topics, if a little conservative on coarse scores, where many resamples tie with what was
    observed. With skewed differences of mean 0 on a handful of topics it is as wrong as the t test.
    """
    return np.asarray(_on_subsets(x, whole(x), resamples=resamples, seed=seed)[0])


def _flipped(x: Array, stack: Array) -> Array:
    """Sum every run's scores under the signs of every resample. [run, resample]"""
    sums = np.concatenate([x[part] @ stack for part in portions(*x.shape)], axis=1)  # [stack, run, resample]
    return sums.swapaxes(0, 1).reshape(x.shape[0], -1)
