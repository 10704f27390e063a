"""One run against another, topic by topic: the mean difference, its interval, and who wins how often.

The rules are those of `pairs`: what is at most 1e-11 of a pair's largest score is rounding, and differences without
variance have p = 1. A topic on which one of the two has no score does not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Counts
from assay.stats.intervals import t_quantile
from assay.stats.significance.pairs import EPSILON, LEAST_SHARED


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """By how much one run is better than another, of one pair or of many."""

    difference: Array  # [...] the mean over the topics that both have; NaN where there is none
    low: Array  # [...] the ends of Student's interval; NaN below two topics
    high: Array  # [...]
    p: Array  # [...] of Student's paired, two-tailed t test; NaN below two topics
    effect: Array  # [...] mean over deviation; NaN where there is no variance
    n: Counts  # [...] topics that both have
    wins: Counts  # [...] of them, those on which the first is better
    ties: Counts  # [...]
    losses: Counts  # [...]


def paired_difference(a: Array, b: Array, *, level: float) -> PairedDifference:
    """Compare runs with others, each by the topics on which both have a score; `a` and `b` are [..., topic].

    Higher is better. The interval is that of a pair that was chosen before looking at its scores.

    >>> one = paired_difference(np.array([0.5, 0.75, 0.5]), np.array([0.25, 0.5, 0.5]), level=0.95)
    >>> round(float(one.difference), 4), int(one.wins), int(one.ties), int(one.losses)
    (0.1667, 2, 1, 0)
    """
    d = a - b
    there = ~np.isnan(d)
    n = there.sum(-1)
    small = EPSILON * np.maximum(_largest(a, where=there), _largest(b, where=there))
    d = np.where(there, d, 0.0)
    mean = d.sum(-1) / np.maximum(n, 1)
    square = np.where(there, (d - mean[..., None]) ** 2, 0.0).sum(-1)
    sd = np.sqrt(square / np.maximum(n - 1, 1))
    sd = np.where((sd <= small) | (n < LEAST_SHARED), 0.0, sd)
    mean = np.where(n == 0, np.nan, np.where(np.abs(mean) <= small, 0.0, mean))
    half = _quantiles(n, level) * sd / np.sqrt(np.maximum(n, 1))
    effect = np.divide(mean, sd, out=np.full(mean.shape, np.nan), where=sd > 0)
    wins, losses = (d > small[..., None]).sum(-1), (d < -small[..., None]).sum(-1)
    return PairedDifference(
        mean, mean - half, mean + half, _p_values(effect, n), effect, n, wins, n - wins - losses, losses
    )


def _largest(x: Array, *, where: Bools) -> Array:
    """The largest score without its sign, of the topics that count. [...]"""
    return np.where(where, np.abs(x), 0.0).max(-1, initial=0.0)


def _quantiles(n: Counts, level: float) -> Array:
    """Student's t for n topics; NaN below two. [...]"""
    sizes, which = np.unique(n, return_inverse=True)
    known = [t_quantile(level, int(k) - 1) if k >= LEAST_SHARED else np.nan for k in sizes]
    return np.array(known)[which.reshape(n.shape)]


def _p_values(effect: Array, n: Counts) -> Array:
    """The p of the paired t test; 1 without variance, NaN below two topics. [...]"""
    from scipy.special import stdtr

    t = np.nan_to_num(effect) * np.sqrt(n)
    return np.where(n < LEAST_SHARED, np.nan, 2 * stdtr(np.maximum(n - 1, 1), -np.abs(t)))
