"""Differences between all pairs of runs, the rules that every test obeys, and corrections for multiplicity.

`x` is [run, topic], without gaps: a topic that lacks the score of any run is left out by whoever calls. Pairs are
(0, 1), (0, 2), ..., (1, 2), ... The sample is the topics. The rules:

- a pair that differs on no topic has p = 1, whatever the test;
- differences that are all the same, and not 0, have no variance. The tests that estimate one (t, bootstrap, Tukey's
  HSD) have p = 1 by convention. The tests that change signs or permute runs need none: sign, Wilcoxon's and the
  randomisation test have the exact p, 2 / 2^n on n topics; the randomised HSD counts its permutations as ever;
- differences, means and deviations below 1e-11 of the largest score are rounding: 0;
- a bootstrap resample without variance counts as infinitely far out, unless its mean is 0;
- a Monte-Carlo p is (b + 1) / (n + 1), never 0;
- counts use float64 with an absolute tolerance, so that exact ties count as ties.

All pairs share the resamples: every p is valid by itself, and the errors of different pairs go together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import Array, Bools, Counts, Index

EPSILON = 1e-11  # of the largest score: what rounding may do to a sum
LEAST_SHARED = 2  # topics that a test of a pair needs
_ENTRIES = 1 << 17  # differences held at a time, where they are not kept

Correction = Literal["none", "holm", "bh"]

CORRECTION_TITLES = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}
"""What corrections are called in a sentence."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Differences of all pairs of runs, with their means and deviations."""

    first: Index  # [pair]
    second: Index  # [pair]
    difference: Array  # [pair, topic]
    mean: Array  # [pair], 0 where it is only rounding
    sd: Array  # [pair], 0 where there is no variance but that of rounding
    t: Array  # [pair], 0 where there is no variance
    largest: float  # score that they come from, without its sign

    @property
    def flat(self) -> Bools:
        """Which pairs have no variance. [pair]"""
        return self.sd == 0

    @property
    def equal(self) -> Bools:
        """Which pairs differ on no topic. [pair]"""
        return self.flat & (self.mean == 0)

    @property
    def rounding(self) -> float:
        """What counts as 0 beside the scores."""
        return EPSILON * self.largest

    def of_size(self, n: int) -> tuple[Index, Pairs]:
        """The pairs with so many topics in common: where they stand among all, and they themselves without gaps."""
        there = ~np.isnan(self.difference)
        rows = np.flatnonzero(there.sum(-1) == n)
        difference = self.difference[rows][there[rows]].reshape(-1, n)
        of_pair = (self.mean[rows], self.sd[rows], self.t[rows])
        return rows, Pairs(self.first[rows], self.second[rows], difference, *of_pair, self.largest)


def whole(x: Array) -> Bools:
    """All topics, as the only subset. [subset, topic]"""
    return np.ones((1, x.shape[1]), dtype=np.bool_)


def rounding(x: Array) -> float:
    """What counts as 0 beside these scores."""
    return EPSILON * _largest(x)


def _largest(x: Array) -> float:
    return float(np.abs(x).max(initial=0.0))


def pairs(x: Array) -> Pairs:
    """Take the differences of all pairs; explicit differences, which do not cancel."""
    check_finite(x)
    first, second = np.triu_indices(x.shape[0], 1)
    difference = x[first] - x[second]
    mean, sd = moments(difference, rounding(x))
    t = np.divide(mean * np.sqrt(x.shape[1]), sd, out=np.zeros_like(mean), where=sd > 0)
    return Pairs(first, second, difference, mean, sd, t, _largest(x))


def pair_moments(x: Array) -> tuple[Array, Array]:
    """Means and deviations of all pairs, as `pairs` has them, with few differences held at a time. Two of [pair]"""
    check_finite(x)
    first, second = np.triu_indices(x.shape[0], 1)
    small = rounding(x)
    mean, sd = np.empty(first.size), np.empty(first.size)
    for part in in_portions(first.size, x.shape[1]):
        mean[part], sd[part] = moments(x[first[part]] - x[second[part]], small)
    return mean, sd


def in_portions(n_pairs: int, n_topics: int) -> Iterator[slice]:
    """Cut pairs into portions whose differences stay in cache."""
    step = max(1, _ENTRIES // max(n_topics, 1))
    return (slice(i, i + step) for i in range(0, n_pairs, step))


def has_gaps(x: Array) -> bool:
    """Whether a run lacks a topic."""
    return bool(np.isnan(x).any())


def shared_topics(x: Array) -> Counts:
    """How many topics the runs of each pair have in common. [pair]"""
    if not has_gaps(x):
        return np.full(len(x) * (len(x) - 1) // 2, x.shape[1], dtype=np.int64)
    there = (~np.isnan(x)).astype(np.float64)
    both = there @ there.T
    return both[np.triu_indices(len(x), 1)].astype(np.int64)


def can_test(x: Array) -> Bools:
    """Which pairs can be tested: the runs have topics enough in common, or all runs have the one there is. [pair]"""
    n = shared_topics(x)
    return np.asarray(n >= LEAST_SHARED) if has_gaps(x) else np.asarray(n > 0)


def pairs_with_gaps(x: Array) -> Pairs:
    """Take the differences of all pairs, each over its own topics; a difference is NaN where a run has no score."""
    if not has_gaps(x):
        return pairs(x)
    first, second = np.triu_indices(len(x), 1)
    difference = x[first] - x[second]
    n = shared_topics(x)
    largest = _largest(x[~np.isnan(x)])
    small = EPSILON * largest
    mean = np.nansum(difference, axis=-1) / np.maximum(n, 1)
    square = np.nansum((difference - mean[:, None]) ** 2, axis=-1)
    sd = np.sqrt(square / np.maximum(n - 1, 1))
    sd[(sd <= small) | (n < LEAST_SHARED)] = 0.0
    mean[np.abs(mean) <= small] = 0.0
    t = np.divide(mean * np.sqrt(n), sd, out=np.zeros_like(mean), where=sd > 0)
    return Pairs(first, second, difference, np.where(n > 0, mean, np.nan), sd, t, largest)


def check_finite(x: Array) -> None:
    """Refuse scores with gaps."""
    if not np.isfinite(x).all():
        raise ValueError("scores must be finite: leave out the topics that lack the score of any run")


def moments(difference: Array, small: float) -> tuple[Array, Array]:
    """Mean and deviation of each pair's differences [pair, topic]; what is at most `small` is rounding."""
    n = difference.shape[1]
    mean = difference.sum(-1) / max(n, 1)
    sd = difference.std(-1, ddof=1) if n > 1 else np.zeros(difference.shape[0])
    sd[sd <= small] = 0.0
    mean[np.abs(mean) <= small] = 0.0
    return mean, sd


def constant_p(n: int | Counts) -> Array:
    """The exact two-tailed p of n differences that are all the same: of 2^n choices of signs, two are as far out.

    >>> round(float(constant_p(12)), 6)
    0.000488
    """
    return np.minimum(np.exp2(1.0 - n), 1.0)


def count_true(x: Bools) -> Counts:
    """Count along the last axis, eight at a time."""
    return np.bitwise_count(np.packbits(x, axis=-1)).sum(-1, dtype=np.int64)


def corrected(p: Array, correction: Correction) -> Array:
    """Adjust p-values for the number of comparisons, or leave them as they are; NaN is no comparison, and stays."""
    known = ~np.isnan(p)
    out = np.full(p.size, np.nan)
    out[known] = {"none": lambda p: p, "holm": holm, "bh": benjamini_hochberg}[correction](p[known])
    return out


def holm(p: Array) -> Array:
    """Adjust by Holm's method: the chance of any false discovery stays below alpha."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _back(np.minimum(stepped, 1.0), order)


def benjamini_hochberg(p: Array) -> Array:
    """Adjust by Benjamini and Hochberg's method: the expected share of false discoveries stays below alpha."""
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    return _back(np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0), order)


def _back(ordered: Array, order: Index) -> Array:
    out = np.empty_like(ordered)
    out[order] = ordered
    return out
