"""Does halving a sample of topics stand for drawing topics from a large population?

The topics there are play the population. From samples of 2n topics, each halved at random many times, as an
experimenter would who has no more; beside disjoint sets of n and n out of all topics, and sets that are drawn
independently of each other and with replacement, as from a population without end. Halves of random samples are
disjoint random sets, so that over many samples the first two agree; how far one sample is from it is what an
experimenter risks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.results.schemas import schema, table
from assay.stats.correlation.bitwise_tau import pair_orders, tau_b
from assay.stats.intervals import t_quantile
from assay.stats.prediction import average, monte_carlo
from assay.stats.splits import SPLIT_TOPICS, masked, means, splits

SAMPLES = 100  # of 2n topics
_STEP = 64  # splits ranked at a time
_HALVING = schema(
    *("measure", "n_topics", "n_samples", "halving", "halving_sd", "disjoint", "independent"),
    *("difference", "low", "high"),
    n_samples=pl.Int64,
)


def halving_size(n: int, size: int) -> int:
    """How many topics a set has: as many as asked for, but so that a sample of two sets is half of all or less."""
    return min(size, n // 4)


def halving_table(
    names: Sequence[str], x: Array, size: int, n_splits: int, *, level: float, seed: int
) -> pl.DataFrame | None:
    """Lay out phi of every measure with itself by three ways to draw; None where there are too few topics.

    `x` is [measure, run, topic]. The interval of the difference between halving and independent draws is that of
    the number of draws: the topics are the population.
    """
    n = x.shape[-1]
    k = halving_size(n, size)
    if k < SPLIT_TOPICS.value / 2:
        return None
    each = max(2, n_splits // SAMPLES)
    halves = halved(x, k, each, seed)  # [sample, split, measure]
    by_sample = average(halves.swapaxes(0, 1))
    disjoint = own_taus(x, *splits(n, k, n_splits, seed).masks())  # [split, measure]
    independent = own_taus(x, *independent_sets(n, k, SAMPLES * each, seed))
    halving, apart = average(by_sample), average(independent)
    error = np.hypot(monte_carlo(by_sample, halving), monte_carlo(independent, apart))
    half = t_quantile(level, SAMPLES - 1) * error
    noise = average((halves - by_sample[:, None]) ** 2).sum(0) / (halves.shape[1] * max(1, halves.shape[1] - 1))
    spread = np.sqrt(np.maximum(average((by_sample - halving) ** 2) * SAMPLES / (SAMPLES - 1) - noise, 0.0))
    difference = halving - apart
    rows = zip(
        *(names, [k] * len(names), [SAMPLES] * len(names), halving, spread, average(disjoint), apart),
        *(difference, difference - half, difference + half),
        strict=True,
    )
    return table(rows, _HALVING)


def halved(x: Array, size: int, n_splits: int, seed: int) -> Array:
    """Tau-b of every measure with itself on halves of samples of 2 `size` topics. [sample, split, measure]"""
    n = x.shape[-1]
    sides = []
    for sample in range(SAMPLES):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(sample,)))
        chosen = rng.choice(n, 2 * size, replace=False)
        halves = splits(2 * size, size, n_splits, int(rng.integers(1 << 32)))
        sides.append((chosen[halves.first], chosen[halves.second]))
    first, second = (masked(np.concatenate(side), n) for side in zip(*sides, strict=True))
    return own_taus(x, first, second).reshape(SAMPLES, -1, len(x))


def independent_sets(n: int, size: int, n_splits: int, seed: int) -> tuple[Array, Array]:
    """Draw pairs of sets independently and with replacement, as counts. Two of [split, n]"""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(SAMPLES,)))
    first, second = (rng.multinomial(size, np.full(n, 1 / n), size=n_splits).astype(np.float64) for _ in range(2))
    return first, second


def own_taus(x: Array, first: Array, second: Array) -> Array:
    """Correlate every measure on one set with itself on the other; sets are counts [split, n]. [split, measure]"""
    blocks = []
    for i in range(0, len(first), _STEP):
        one, other = (pair_orders(means(x, mask[i : i + _STEP])) for mask in (first, second))
        blocks.append(tau_b(one, other))
    return np.concatenate(blocks)
