"""How alike two judges rank the runs, and how alike the reference ranks them with itself on other topics.

Tau of two rankings on the same topics shares their noise: what is hard for a run on these topics is hard under both
judges. On disjoint halves of the topics nothing is shared. There the reference does not agree with itself completely
either, and what it reaches is the ceiling on equal terms: a judge who predicts the reference's ranking of other
topics as well as the reference does itself is as good as it, for rankings by as many topics.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Counts
from assay.stats.correlation.coefficients import Coefficient, correlate
from assay.stats.correlation.subsampled_tau import half_rankings, tau_interval
from assay.stats.prediction import predictive_power
from assay.stats.splits import SPLIT_TOPICS, Splits, means, splits
from assay.stats.subsampling import SubsampledShare

PERSISTENCE = 0.9  # of rank-biased overlap
_ROUNDING = 1e-10  # of the largest mean: closer ones are tied, as in every rank correlation here


@dataclass(frozen=True, slots=True)
class Agreement:
    """Three correlations of two rankings of the same runs, each with the ends of its interval; NaN for none."""

    tau: tuple[float, float, float]
    tau_ap: tuple[float, float, float]
    rbo: tuple[float, float, float]


def ranking_agreement(x: Array, y: Array, split: Splits | None, *, level: float) -> Agreement:
    """Correlate the rankings by the means of x, the reference, and y; each is [run, topic], without gaps."""
    tau = tau_interval(half_rankings(x, split), half_rankings(y, split), level=level)
    return Agreement(
        tau,
        _interval(x, y, split, "tau-ap-a", span=2.0, level=level),
        _interval(x, y, split, "rbo", span=1.0, level=level),
    )


def _interval(
    x: Array, y: Array, split: Splits | None, coefficient: Coefficient, *, span: float, level: float
) -> tuple[float, float, float]:
    """A correlation that is 1 at best and 1 - span at worst, with its interval from halves of the topics.

    As tau's (`subsampled_tau`): the errors are taken for proportional to the distance from 1.
    """
    value = float(correlate(x.mean(-1), y.mean(-1), coefficient, p=PERSISTENCE))
    if split is None or np.isnan(value):
        return value, np.nan, np.nan
    mask = np.concatenate(split.masks())
    on_halves = correlate(means(x, mask), means(y, mask), coefficient, p=PERSISTENCE)
    if np.isnan(on_halves).any():
        return value, np.nan, np.nan
    n_runs, n_topics = x.shape
    n_pairs = n_runs * (n_runs - 1) // 2
    share = SubsampledShare.of_distance((1 - value) / span, (1 - on_halves) / span, n_topics, n_pairs)
    low, high = share.interval(level) or (np.nan, np.nan)
    return value, 1 - span * high, 1 - span * low


def rank_of(mean: Array) -> Counts:
    """Number runs by their means, the largest 1; tied runs have the first of their ranks. [run]

    >>> rank_of(np.array([0.5, 0.7, 0.5, 0.1])).tolist()
    [2, 1, 2, 4]
    """
    close = _ROUNDING * np.abs(mean).max(initial=0.0)
    order = np.argsort(-mean, kind="stable")
    new = np.r_[True, -np.diff(mean[order]) > close][: mean.size]
    rank = np.empty(mean.size, dtype=np.int64)
    rank[order] = np.maximum.accumulate(np.where(new, np.arange(1, mean.size + 1), 0))
    return rank


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Mean tau-b between disjoint halves of the topics, and its difference with the interval over topics."""

    reference: float  # of the reference with itself
    judge: float  # of the judge with the reference
    low: float  # of judge - reference
    high: float
    n_splits: int


def ceiling(x: Array, y: Array, *, n_splits: int, level: float, seed: int) -> Ceiling | None:
    """Predict the reference's ranking on one half of the topics from the other: by itself (x), by the judge (y).

    As `predictivity` does for two measures; either half may be the reference's. None where topics are too few.
    The interval is that of the delete-d jackknife over topics (`stats.prediction`), runs fixed.
    """
    n = x.shape[1]
    if n < SPLIT_TOPICS.value:
        return None
    chosen = splits(n, n // 2, n_splits, seed)
    phi = predictive_power(np.stack([x, y]), chosen, seed=seed)
    _, low, high = phi.differences(level=level)
    return Ceiling(
        float(phi.value[0, 0]), float(phi.value[1, 0]), float(low[1, 0]), float(high[1, 0]), int(phi.n_splits[1, 0])
    )
