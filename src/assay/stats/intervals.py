"""Intervals over a sample: of means, by Student's t or the bootstrap, and of any statistic, by the jackknife.

The jackknife leaves some of the sample out, computes again and sees how far the answer moves. The plain bootstrap
will not do for counts of significant pairs: topics taken twice manufacture significance, and the interval can exclude
its own estimate.

Of some statistics few topics carry the error, and those lie to one side: of a variance, to which the squared
differences of a few topics add most. The same few topics estimate its error, which is small when the estimate is, and
Student's interval ends too low too often. For these the quantile has as many degrees of freedom as there are topics
that carry the error, and the interval is shifted to the side to which the influences of topics are skewed.

`scipy.special` would give Student's quantile, at 0.4 s of start-up for every command that prints a mean; for
whole degrees of freedom a finite series gives it to the last digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Index

_BLOCK = 500  # resamples that share a stream of random numbers
_MEANS = 1 << 23  # resampled means held at a time: 64 MB
GROUPS = 50  # of the jackknife, at most
_FEWEST = 2.0  # degrees of freedom that an error has, however few topics carry it
_NONE = 1e-300


@cache
def t_quantile(level: float, dof: int) -> float:
    """The t for which |T| < t has probability `level`, with whole degrees of freedom.

    >>> round(t_quantile(0.95, 49), 6)
    2.009575
    """
    low, high = 0.0, np.pi / 2
    for _ in range(64):
        middle = (low + high) / 2
        low, high = (middle, high) if _central(middle, dof) < level else (low, middle)
    return float(np.sqrt(dof) * np.tan(low))


def _central(angle: float, dof: int) -> float:
    """P(|T| < sqrt(dof) tan(angle)), by the finite series (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    even = dof % 2 == 0
    step = np.arange(2 - even, dof - 2 + even, 2, dtype=np.float64)
    terms = np.cumprod(step / (step + 1)) if step.size else step
    powers = np.cos(angle) ** (2 * np.arange(1, step.size + 1))
    series = 1 + float(terms @ powers)
    if even:
        return float(np.sin(angle) * series)
    tail = np.sin(angle) * np.cos(angle) * series if dof > 1 else 0.0
    return float(2 / np.pi * (angle + tail))


def t_interval(sample: Array, *, level: float) -> tuple[Array, Array]:
    """Student's interval of the mean over the last axis, NaN left out; NaN below two values.

    Treats the last axis as a sample of independent values. Of nominal 95% intervals for AP, P@10 and RR, with
    the topics of three TREC collections as the population, 93 to 95% held the mean with samples of 25 as of 50
    topics (`python -m bench.coverage`).
    """
    there = ~np.isnan(sample)
    n = there.sum(-1)
    mean = np.where(there, sample, 0.0).sum(-1) / np.maximum(n, 1)
    square = np.where(there, (sample - mean[..., None]) ** 2, 0.0).sum(-1)
    sizes, which = np.unique(n, return_inverse=True)
    quantile = np.array([t_quantile(level, int(k) - 1) if k > 1 else np.nan for k in sizes])[which.reshape(n.shape)]
    half = quantile * np.sqrt(square / np.maximum(n - 1, 1) / np.maximum(n, 1))
    return mean - half, mean + half


def bootstrap_interval(
    sample: Array, *, level: float, resamples: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Percentile bootstrap interval of the mean over the last axis, NaN left out; NaN below two values.

    Treats the last axis as a sample of independent values. Of nominal 95% intervals for AP, P@10 and RR, with
    the topics of three TREC collections as the population, 91 to 93% held the mean with samples of 25, and 93 to 94%
    of 50 topics (`python -m bench.coverage`): a little fewer than of Student's.

    All means share the same resamples, drawn as counts so that one matrix product serves many means; the
    quantiles are taken some means at a time, so that memory does not grow with their number.
    """
    rows = sample.reshape(-1, sample.shape[-1])
    counts = _resampled(rows.shape[1], resamples, rng)
    ends = np.full((2, rows.shape[0]), np.nan)
    step = max(1, _MEANS // resamples)
    for i in range(0, rows.shape[0], step):
        part = rows[i : i + step]
        known = (~np.isnan(part)).sum(-1) > 1
        if known.any():
            ends[:, i : i + step][:, known] = _quantiles(_means(part[known], counts), level)
    low, high = ends.reshape(2, *sample.shape[:-1])
    return low, high


def _resampled(n: int, resamples: int, rng: np.random.Generator) -> NDArray[np.unsignedinteger]:
    """Count how often each of n values is drawn in every resample. [resample, value]

    Every block of resamples has a stream of its own, so that a longer run begins like a shorter one.
    """
    counts = np.empty((resamples, n), dtype=np.min_scalar_type(n))
    starts = range(0, resamples, _BLOCK)
    for start, stream in zip(starts, rng.spawn(len(starts)), strict=True):
        size = min(_BLOCK, resamples - start)
        counts[start : start + size] = stream.multinomial(n, np.full(n, 1 / n), size=_BLOCK)[:size]
    return counts


def _means(rows: Array, counts: NDArray[np.unsignedinteger]) -> Array:
    """Average every row in every resample; NaN where a resample holds no value of it. [row, resample]"""
    there = ~np.isnan(rows)
    filled, present = np.where(there, rows, 0.0), there.astype(np.float64)
    means = np.empty((rows.shape[0], counts.shape[0]))
    for i in range(0, counts.shape[0], _BLOCK):
        times = counts[i : i + _BLOCK].T.astype(np.float64)
        with np.errstate(invalid="ignore"):
            means[:, i : i + _BLOCK] = (filled @ times) / (present @ times)
    return means


def _quantiles(means: Array, level: float) -> Array:
    """Cut the same share off both ends of every row. [end, row]"""
    quantile = np.nanquantile if np.isnan(means).any() else np.quantile
    return np.asarray(quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=-1))


def grouped(n: int, *, groups: int = GROUPS) -> Index:
    """Say which of n are left out together: each by itself, or in `groups` groups where n is larger. [n]"""
    return np.arange(n) % min(max(n, 1), groups)


def deletions(n: int, *, groups: int = GROUPS) -> Iterator[Index]:
    """Say which of n to keep, leaving out one group at a time."""
    group = grouped(n, groups=groups)
    for g in range(int(group.max(initial=-1)) + 1):
        yield np.flatnonzero(group != g)


def jackknife_interval(estimate: Array, left_out: Array, *, level: float) -> tuple[Array, Array]:
    """Interval of an estimate from its values with each group left out. `left_out` is [group, ...]"""
    if left_out.shape[0] < 2:
        nothing = np.full(np.shape(estimate), np.nan)
        return nothing, nothing
    half = t_quantile(level, left_out.shape[0] - 1) * jackknife_error(left_out)
    return estimate - half, estimate + half


def jackknife_error(left_out: Array) -> Array:
    """Standard error of an estimate from its values with each group left out. `left_out` is [group, ...]"""
    g = left_out.shape[0]
    spread = left_out - left_out.mean(0)
    return np.asarray(np.sqrt((g - 1) / g * (spread**2).sum(0)))


def deletion_changes(left_out: Array) -> Array:
    """What leaving out each group changes, so that the mean square is the squared error of all. [group, ...]

    That is the scale on which `subsampling.best_p_values` takes changes: of statistics that are smooth, for which
    leaving out one topic at a time will do.

    >>> values = np.array([1.0, 2.0, 6.0])
    >>> changes = deletion_changes((values.sum() - values) / 2)  # a mean
    >>> bool(np.isclose((changes**2).mean(), values.var(ddof=1) / 3))
    True
    """
    return np.asarray((left_out - left_out.mean(0)) * np.sqrt(len(left_out) - 1))


def carrying_topics(influence: Array) -> Array:
    """How many topics carry an error: the squared sum of squared influences over the sum of their squares. [...]

    `influence` is [topic, ...]. Of n alike n, of n normal ones about n / 3, of one that alone moves the estimate 1.

    >>> carrying_topics(np.array([[1.0, 3.0], [-1.0, 0.0]])).tolist()
    [2.0, 1.0]
    """
    square = influence**2
    return np.asarray(square.sum(0) ** 2 / np.maximum((square**2).sum(0), _NONE))


def carried_t(influence: Array, level: float) -> Array:
    """Student's quantile with a degree of freedom for every topic that carries the error. [...]"""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(carrying_topics(influence), _FEWEST), (1 + level) / 2))


def skewness_shift(influence: Array, level: float) -> Array:
    """How far an interval is shifted to the side of the skewness, in standard errors. [...]

    `influence` is [topic, ...]. What Student's statistic of skewed values is off by, to the first order (hall1992):
    skewness (1 + 2 z^2) / (6 sqrt n). Hall's cubic transformation, which has all orders, ends at several times an
    estimate where one topic has most of it.
    """
    from scipy.special import ndtri

    spread = (influence**2).mean(0)
    third = np.divide((influence**3).mean(0), spread**1.5, out=np.zeros_like(spread), where=spread**1.5 > 0)
    return np.asarray(third * (1 + 2 * float(ndtri((1 + level) / 2)) ** 2) / (6 * np.sqrt(len(influence))))


def skewed_jackknife_interval(estimate: Array, left_out: Array, *, level: float) -> tuple[Array, Array]:
    """Interval of an estimate from its values with each group left out. `left_out` is [group, ...]; NaN below two.

    Treats the groups as a sample of independent values, few of which may carry the error.
    """
    if left_out.shape[0] < 2:
        nothing = np.full(np.shape(estimate), np.nan)
        return nothing, nothing
    influence, error = left_out.mean(0) - left_out, jackknife_error(left_out)
    centre, half = estimate + skewness_shift(influence, level) * error, carried_t(influence, level) * error
    return centre - half, centre + half
