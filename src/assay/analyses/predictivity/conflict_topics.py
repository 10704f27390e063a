"""Where two measures order two runs oppositely: how many topics would settle each of the two differences?

A conflict may only mean that topics were too few. By each measure the paired differences of a pair of runs have a
mean and a deviation; from these follows at how many topics a paired t test would find the difference significant with
a probability that is asked for (the noncentral t distribution), should it be as large as it looks.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.predictivity.targets import ScoresAndTargets
from assay.core.arrays import Array, Bools, Index
from assay.results.charts import FEW_PAIRS
from assay.results.schemas import schema, table
from assay.stats.intervals import t_quantile
from assay.stats.significance.pairs import pair_moments

_MOST = 10_000_000  # topics: more is never
_BY_MEASURES = schema(
    *("measure_a", "measure_b", "n_conflicts", "significant_a", "significant_b", "both"),
    *("topics_a", "topics_b", "topics"),
    **dict.fromkeys(("n_conflicts", "significant_a", "significant_b", "both"), pl.Int64),
)
_BY_PAIRS = schema(
    *("measure_a", "measure_b", "run_a", "run_b", "difference_a", "difference_b", "significant_a", "significant_b"),
    *("topics_a", "topics_b", "topics"),
    significant_a=pl.Boolean,
    significant_b=pl.Boolean,
)


def conflict_topic_tables(
    study: ScoresAndTargets, *, alpha: float, power: float
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lay out the conflicts on all topics: by pairs of measures, then by pairs of runs, the soonest settled first."""
    x = study.value[: len(study.measures)]
    one, other = np.triu_indices(x.shape[1], 1)
    mean, deviation = paired_differences(x)  # [measure, pair]
    significant = _is_significant(mean, deviation, x.shape[-1], alpha)
    sign = [-1 if lower else 1 for lower in study.lower]
    by_measures, by_pairs = [], []
    for a, b in combinations(range(len(x)), 2):
        at = np.flatnonzero(mean[a] * mean[b] < 0)
        needed = np.stack([topics_to_separate(mean[k, at], deviation[k, at], alpha, power) for k in (a, b)])
        sure = significant[[a, b]][:, at]
        both = needed.max(0, initial=0.0)
        names = study.measures[a], study.measures[b]
        counts = (at.size, int(sure[0].sum()), int(sure[1].sum()), int(sure.all(0).sum()))
        by_measures.append((*names, *counts, *(median_topics(row) for row in (*needed, both))))
        for k in np.argsort(both, kind="stable")[:FEW_PAIRS]:
            i, j = one[at[k]], other[at[k]]
            if mean[a, at[k]] < 0:  # the run that the first measure prefers comes first
                i, j = j, i
            first, second = sign[a] * abs(mean[a, at[k]]), -sign[b] * abs(mean[b, at[k]])
            topics = (_finite(v) for v in (*needed[:, k], both[k]))
            by_pairs.append((*names, study.runs[i], study.runs[j], first, second, *map(bool, sure[:, k]), *topics))
    return table(by_measures, _BY_MEASURES), table(by_pairs, _BY_PAIRS)


def paired_differences(x: Array) -> tuple[Array, Array]:
    """Mean and deviation over topics of the differences of all pairs of runs, by the rules of every test.

    `x` is [measure, run, topic]; gives two of [measure, pair]. On a single topic no deviation is known.
    """
    mean, deviation = (np.stack(rows) for rows in zip(*map(pair_moments, x), strict=True))
    return mean, deviation if x.shape[-1] > 1 else np.full(deviation.shape, np.nan)


def significant_differences(x: Array, *, alpha: float) -> tuple[Array, Bools]:
    """Mean differences of pairs of runs, and which of them a paired t test finds. Two of [measure, pair]"""
    mean, deviation = paired_differences(x)
    return mean, _is_significant(mean, deviation, x.shape[-1], alpha)


def topics_to_separate(mean: Array, deviation: Array, alpha: float, power: float) -> Array:
    """The fewest topics at which a two-sided paired t test is significant with probability `power`. [...]

    For a true difference of `mean` whose deviation over topics is `deviation`; infinite where there is no difference,
    2 where it does not vary, NaN where the deviation is not known.

    >>> topics_to_separate(np.array([0.5, 0.2, 0.0]), np.ones(3), 0.05, 0.8)  # as in any table of sample sizes
    array([ 34., 199.,  inf])
    """
    effect = np.divide(np.abs(mean), deviation, out=np.full(mean.shape, np.inf), where=deviation > 0)
    effect = np.where(np.isnan(deviation), np.nan, np.where(mean == 0, 0.0, effect))
    needed = np.where(np.isnan(effect), np.nan, np.inf)
    possible = np.flatnonzero(effect > 0)
    guess = _approximate(effect[possible], alpha, power)
    within = guess <= _MOST
    possible, fewest = possible[within], guess[within].astype(np.int64)
    for step in (1, -1):  # up while too few, then down while one fewer is enough
        moving = np.arange(possible.size)
        while moving.size:
            at = fewest[moving] if step > 0 else fewest[moving] - 1
            enough = _power(effect[possible[moving]], at, alpha) >= power
            moving = moving[enough if step < 0 else ~enough]
            fewest[moving] += step
    needed[possible] = fewest
    return needed


def _approximate(effect: Array, alpha: float, power: float) -> Array:
    """About how many topics it takes, by normal quantiles: a start for an exact search."""
    from scipy.special import ndtri

    z = float(ndtri(1 - alpha / 2))
    return np.maximum(2.0, np.ceil(((z + float(ndtri(power))) / effect) ** 2 + z**2 / 2))


def _power(effect: Array, n_topics: Index, alpha: float) -> Array:
    """The probability that a two-sided paired t test is significant; `effect` is in deviations of the difference."""
    from scipy.special import chdtr, nctdtr, stdtrit

    dof = np.maximum(n_topics - 1, 1)
    far = stdtrit(dof, 1 - alpha / 2)
    centre = effect * np.sqrt(n_topics)
    near = np.minimum(centre, 30.0)  # beyond, the series does not converge, and only the deviation's error matters
    wrong = np.nan_to_num(nctdtr(dof, near, -far), nan=0.0)  # scipy has no number of a far tail below 1e-9
    either = 1 - nctdtr(dof, near, far) + wrong
    return np.where(n_topics < 2, 0.0, np.where(centre > 25, chdtr(dof, dof * (centre / far) ** 2), either))


def _is_significant(mean: Array, deviation: Array, n: int, alpha: float) -> Bools:
    """Whether a paired t test finds a difference; what does not vary is not significant, as everywhere."""
    if n < 2:
        return np.zeros(mean.shape, dtype=bool)
    return np.asarray((deviation > 0) & (np.abs(mean) * np.sqrt(n) > t_quantile(1 - alpha, n - 1) * deviation))


def median_topics(needed: Array) -> float:
    """The median, of an even number the mean of the middle two, rounded up: topics are whole."""
    return _finite(float(np.ceil(np.median(needed)))) if needed.size else np.nan


def _finite(n: float) -> float:
    return n if np.isfinite(n) else np.nan
