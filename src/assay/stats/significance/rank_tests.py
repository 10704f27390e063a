"""Sign test and Wilcoxon's signed-rank test, for all pairs of runs at once.

They obey the rules of `pairs`: finite scores, and the exact p of differences that are all the same.
"""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array
from assay.stats.significance.declare import significance_test
from assay.stats.significance.pairs import constant_p, pairs, rounding

_EXACT = 25  # topics up to which Wilcoxon's distribution is enumerated


@significance_test(
    name="sign",
    title="sign test",
    caveat="not for means: it tests the median, which run wins more topics, not by how much",
    constant=True,
    place=4,
)
def sign_test(x: Array) -> Array:
    """Test whether either run is as likely to win a topic, by the exact, two-tailed binomial test.

    Topics without a difference are left out. On skewed differences of mean 0, whose median is not 0, it rejects ever
    more often as topics are added (`python -m bench.type_i_error`).
    """
    from assay.stats.paired.proportions import mcnemar_p

    d = _differences(x)
    return mcnemar_p((d > 0).sum(-1), (d < 0).sum(-1))


@significance_test(
    name="wilcoxon",
    title="Wilcoxon's signed-rank test",
    caveat="not for means: it tests symmetry about 0, and skewed differences make it reject too often",
    constant=True,
    noted=True,
    place=5,
)
def wilcoxon_test(x: Array) -> Array:
    """Test whether differences are symmetric about 0, by signed ranks, two-tailed.

    Topics without a difference are ranked, then left out (Pratt); equal differences share their mean rank. Exact to
    25 differences without zeros and ties, and where all are the same; else the normal approximation without
    continuity correction. On skewed differences of mean 0 it rejects far too often, and more so with every topic
    (`python -m bench.type_i_error`).
    """
    from scipy.special import ndtr

    d = _differences(x)
    rank = _ranks(np.abs(d), rounding(x))
    up = np.where(d > 0, rank, 0.0).sum(-1)
    down = np.where(d < 0, rank, 0.0).sum(-1)
    squares = np.where(d != 0, rank * rank, 0.0).sum(-1)
    p = 2 * ndtr(-np.abs(up - down) / np.sqrt(np.where(squares > 0, squares, 1.0)))
    n = d.shape[1]
    plain = squares == n * (n + 1) * (2 * n + 1) / 6  # no zeros and no ties: they make the sum smaller
    if n <= _EXACT and plain.any():
        p[plain] = _exact(n)[np.minimum(up, down)[plain].round().astype(np.intp)]
    constant = (d != 0).all(-1) & (d.max(-1, initial=-np.inf) - d.min(-1, initial=np.inf) <= rounding(x))
    return np.where(constant, constant_p(n), p)


def _differences(x: Array) -> Array:
    """Differences, those of rounding set to 0. [pair, topic]"""
    d = pairs(x).difference
    return np.where(np.abs(d) <= rounding(x), 0.0, d)


def _ranks(size: Array, tied: float) -> Array:
    """Rank every row; values no further apart than rounding share their mean rank. [pair, topic]"""
    order = np.argsort(size, axis=-1, kind="stable")
    gaps = np.diff(np.take_along_axis(size, order, axis=-1), axis=-1) > tied
    edge = np.ones((len(size), 1), dtype=bool)
    starts, ends = np.hstack([edge, gaps]), np.hstack([gaps, edge])
    n = size.shape[1]
    place = np.arange(1, n + 1)
    first = np.maximum.accumulate(np.where(starts[:, :n], place, 1), axis=-1)
    last = np.minimum.accumulate(np.where(ends[:, :n], place, n)[:, ::-1], axis=-1)[:, ::-1]
    rank = np.empty(size.shape)
    np.put_along_axis(rank, order, (first + last) / 2, axis=-1)
    return rank


def _exact(n: int) -> Array:
    """Two-tailed p of every value of the smaller rank sum: subsets of 1 .. n by their sum."""
    ways = np.zeros(n * (n + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, n + 1):
        ways[rank:] += ways[:-rank].copy()
    return np.minimum(2 * np.cumsum(ways) / 2.0**n, 1.0)
