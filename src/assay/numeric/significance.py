"""Tests of the difference between runs, for all pairs at once.

`x` is [run, topic], without gaps: a topic that lacks the score of any run is left out by whoever calls. Pairs are
(0, 1), (0, 2), ..., (1, 2), ... The sample is the topics. The rules that every test obeys, written once:

- a pair whose differences have no variance is not significant: p = 1, whatever the test;
- differences, means and deviations below 1e-11 of the largest score are rounding: 0;
- a bootstrap resample without variance counts as infinitely far out, unless its mean is 0;
- a Monte-Carlo p is (b + 1) / (n + 1), never 0;
- counts use float64 with an absolute tolerance, so that exact ties count as ties.

All pairs share the resamples: every p is valid by itself, and the errors of different pairs go together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.numeric.resampling import multinomials, portions, signs, stacked

Array = NDArray[np.float64]

_EPSILON = 1e-11  # of the largest score: what rounding may do to a sum
_ROUNDING = 1e-15  # of the largest score: what rounding may do to one difference


@dataclass(frozen=True, slots=True)
class Pairs:
    """Differences of all pairs of runs, with their means and deviations."""

    first: NDArray[np.intp]  # [pair]
    second: NDArray[np.intp]  # [pair]
    difference: Array  # [pair, topic]
    mean: Array  # [pair], 0 where it is only rounding
    sd: Array  # [pair], 0 where there is no variance but that of rounding
    t: Array  # [pair], 0 where there is no variance

    @property
    def flat(self) -> NDArray[np.bool_]:
        """Which pairs have no variance. [pair]"""
        return self.sd == 0


def rounding(x: Array) -> float:
    """What counts as 0 beside these scores."""
    return _EPSILON * float(np.abs(x).max(initial=0.0))


def pairs(x: Array) -> Pairs:
    """Take the differences of all pairs; explicit differences, which do not cancel."""
    if not np.isfinite(x).all():
        raise ValueError("scores must be finite: leave out the topics that lack the score of any run")
    first, second = np.triu_indices(x.shape[0], 1)
    difference = x[first] - x[second]
    n = x.shape[1]
    mean = difference.sum(-1) / max(n, 1)
    sd = difference.std(-1, ddof=1) if n > 1 else np.zeros(first.size)
    small = rounding(x)
    sd[sd <= small] = 0.0
    mean[np.abs(mean) <= small] = 0.0
    t = np.divide(mean * np.sqrt(n), sd, out=np.zeros_like(mean), where=sd > 0)
    return Pairs(first, second, difference, mean, sd, t)


def t_test(x: Array) -> Array:
    """Paired, two-tailed t test of equal means. [pair]

    Not for a handful of topics with skewed differences: at 10 topics of exponential differences it rejects a true
    null in about 10% of cases instead of 5% (`python -m bench.honesty`).
    """
    from scipy.special import stdtr

    d = pairs(x)
    return np.where(d.flat, 1.0, 2 * stdtr(max(x.shape[1] - 1, 1), -np.abs(d.t)))


def bootstrap_test(x: Array, *, resamples: int, seed: int) -> Array:
    """Studentised bootstrap of the mean difference, shifted to the null (sakai2006). [pair]

    Every resample draws topics with replacement, and its t is compared with the observed one. Of true nulls at 0.05
    it rejects 4 to 6% from 25 topics on, skewed differences or not; not for ten topics, where it rejects 3 to 7%
    (`python -m bench.honesty`).
    """
    d = pairs(x)
    n = x.shape[1]
    shifted = d.difference - d.mean[:, None]
    scale = np.abs(shifted).max(-1, initial=0.0, keepdims=True)
    tested = ~d.flat & (d.mean != 0)
    shifted = np.divide(shifted, scale, out=np.zeros_like(shifted), where=tested[:, None])
    # with M the sum of a resample and Q its sum of squares, |t*| >= |t| says M^2 >= K Q
    share = d.t**2 / max(n - 1, 1)
    squares = shifted**2 * (n * share / (1 + share))[:, None]
    # differences far smaller than the scores have lost digits
    lost = np.divide(_ROUNDING * np.abs(x).max(initial=0.0), scale, out=np.zeros_like(scale), where=tested[:, None])
    tolerance = np.maximum(lost, _EPSILON)
    count = np.zeros(d.mean.size, dtype=np.int64)
    for block in multinomials(n, resamples, seed) if tested.any() else ():
        for drawn in stacked(block):
            for part in portions(d.mean.size, n):
                count[part] += _as_far(shifted[part], squares[part], tolerance[part], drawn)
    return np.where(tested, (count + 1) / (resamples + 1), 1.0)


def _as_far(shifted: Array, squares: Array, tolerance: Array, drawn: Array) -> NDArray[np.int64]:
    """Count the resamples whose studentised mean is at least as far from 0 as the observed one. [pair]"""
    n = shifted.shape[1]
    total = shifted @ drawn  # [stack, pair, resample]
    np.square(total, out=total)
    far = total >= squares @ drawn - tolerance * n**2
    at_mean = (np.abs(shifted) <= tolerance).any(-1)
    if at_mean.any():  # only there can a resample consist of zeros: no variance, and a mean of 0
        far[:, at_mean] &= np.abs(shifted[at_mean]) @ drawn > tolerance[at_mean] * n
    return count_true(far).sum(0)


def randomisation_test(x: Array, *, resamples: int, seed: int) -> Array:
    """Randomisation of the mean difference: two runs' scores change places, topic by topic. [pair]

    Exact for any distribution when the runs are exchangeable within topics, if a little reluctant on coarse scores,
    where many resamples tie with what was observed. Not for a handful of topics with skewed differences of mean 0:
    there it is as wrong as the t test.
    """
    d = pairs(x)
    n_runs, n = x.shape
    limit = np.zeros((n_runs, n_runs, 1))
    limit[d.first, d.second, 0] = np.abs(d.difference.sum(-1)) - rounding(x) * n
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


def count_true(x: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count along the last axis, eight at a time."""
    return np.bitwise_count(np.packbits(x, axis=-1)).sum(-1, dtype=np.int64)
