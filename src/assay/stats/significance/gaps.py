"""All pairs of runs compared although runs lack topics: each pair on the topics that both have (pairwise deletion).

`x` is [run, topic] with NaN where a run has no score. Runs that lack the same topics form a group; two groups share
the topics that both have, so that a declared test of all pairs, which knows no gaps, is done once for two groups
and each pair takes its own p-value from there. A test that takes differences does all pairs with as many common
topics at a time, so that they share resamples, or all pairs at once where it takes gaps. Without gaps there is one
group: the numbers are those of the test.

A pair with fewer than two topics in common cannot be tested: it has no p-value (NaN), no variance, no critical
difference. A test that is family-wise needs all runs on the same topics: not for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.stats.significance.declare import SignificanceTest
from assay.stats.significance.pairs import LEAST_SHARED, has_gaps, pairs_with_gaps, shared_topics

_LEAST_P = 1e-290  # below, a p-value has lost digits


@dataclass(frozen=True, slots=True)
class GroupPairs:
    """The pairs between two groups of runs, or within one, and the topics that all of them have."""

    x: Array  # [run of the groups, topic], without gaps
    inner: Index  # [pair of the groups] their places among all pairs of `x`
    outer: Index  # [pair of the groups] their places among all pairs of runs


def group_pairs(x: Array) -> Iterator[GroupPairs]:
    """Go through the groups of runs that lack the same topics, two at a time; every pair of runs comes once."""
    there = ~np.isnan(x)
    patterns, group = np.unique(there, axis=0, return_inverse=True)
    group = group.reshape(-1)
    place = _places(len(x))
    for a, b in combinations_with_replacement(range(len(patterns)), 2):
        rows = np.flatnonzero((group == a) | (group == b))
        first, second = np.triu_indices(rows.size, 1)
        of_both = group[rows[first]] != group[rows[second]] if a != b else np.ones(first.size, dtype=bool)
        inner = np.flatnonzero(of_both)
        if inner.size:
            outer = place[rows[first[inner]], rows[second[inner]]]
            yield GroupPairs(x[rows][:, patterns[a] & patterns[b]], inner, outer)


def testable_groups(x: Array) -> Iterator[GroupPairs]:
    """Those of the groups whose pairs have topics enough in common."""
    return (part for part in group_pairs(x) if part.x.shape[1] >= LEAST_SHARED)


def _places(n: int) -> Index:
    """Where the pair of two runs stands among all pairs. [run, run]"""
    place = np.zeros((n, n), dtype=np.int64)
    place[np.triu_indices(n, 1)] = np.arange(n * (n - 1) // 2)
    return place


def p_values_with_gaps(test: SignificanceTest, x: Array, *, resamples: int | None = None, seed: int = 0) -> Array:
    """Test all pairs of runs, each on the topics that both have; NaN where these are too few. [pair]"""
    if not has_gaps(x):
        return test.p_values(x, resamples=resamples, seed=seed)
    if test.name == "t":
        return _t_test(x)
    p = np.full(len(x) * (len(x) - 1) // 2, np.nan)
    if test.of_differences is None:
        for part in testable_groups(x):
            p[part.outer] = test.p_values(part.x, resamples=resamples, seed=seed)[part.inner]
        return p
    differences, n_topics = pairs_with_gaps(x), shared_topics(x)
    if test.takes_gaps:
        own = test.p_values_of(differences, resamples=resamples, seed=seed)
        return np.where(n_topics < LEAST_SHARED, np.nan, own)
    for n in np.unique(n_topics[n_topics >= LEAST_SHARED]).tolist():
        rows, some = differences.of_size(n)
        p[rows] = test.p_values_of(some, resamples=resamples, seed=seed)
    return p


def p_values_on_subsets(
    test: SignificanceTest, x: Array, subsets: Bools, *, resamples: int | None = None, seed: int = 0
) -> Array:
    """Test all pairs of runs on each of many sets of topics, with gaps or without. [subset, pair]"""
    if not has_gaps(x):
        return test.p_values_on(x, subsets, resamples=resamples, seed=seed)
    parts = [p_values_with_gaps(test, x[:, topics], resamples=resamples, seed=seed) for topics in subsets]
    return np.array(parts).reshape(len(subsets), len(x) * (len(x) - 1) // 2)


def _t_test(x: Array) -> Array:
    """Student's paired t test, of all pairs at once: it needs no more than the moments of each."""
    from scipy.special import stdtr

    d, n = pairs_with_gaps(x), shared_topics(x)
    p = np.where(d.flat, 1.0, 2 * stdtr(np.maximum(n - 1, 1), -np.abs(d.t)))
    return np.where(n < LEAST_SHARED, np.nan, p)


def t_log_p(x: Array) -> Array:
    """The logarithm of every pair's p-value by the t test, which does not underflow; NaN where that is. [pair]

    p is the incomplete beta function I_y(a, 1/2) with a = (n - 1) / 2 and y = (n - 1) / (n - 1 + t^2); where it is
    too small for a number, its logarithm is that of the hypergeometric form (Abramowitz and Stegun 26.5.23).
    """
    from scipy.special import betaln, hyp2f1

    p, t = _t_test(x), pairs_with_gaps(x).t
    small = p < _LEAST_P
    log_p = np.log(np.where(small, 1.0, p))
    dof, t = shared_topics(x)[small] - 1, t[small]
    a, y = dof / 2, dof / (dof + t * t)
    series = hyp2f1(a + 0.5, 1.0, a + 1.0, y)
    log_p[small] = a * np.log(y) + np.log1p(-y) / 2 - np.log(a) - betaln(a, 0.5) + np.log(series)
    return log_p


def critical_differences_with_gaps(
    test: SignificanceTest, x: Array, *, alpha: float, resamples: int | None = None, seed: int = 0
) -> Array | None:
    """The difference of means at which each pair would just be significant; None where the test has none. [pair]"""
    if not has_gaps(x):
        return test.critical_differences(x, alpha=alpha, resamples=resamples, seed=seed)
    critical = np.full(len(x) * (len(x) - 1) // 2, np.nan)
    for part in testable_groups(x):
        own = test.critical_differences(part.x, alpha=alpha, resamples=resamples, seed=seed)
        if own is not None:
            critical[part.outer] = own[part.inner]
    return None if np.isnan(critical).all() else critical
