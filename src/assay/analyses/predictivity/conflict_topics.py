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
from assay.core.arrays import Array, Bools
from assay.results.charts import FEW_PAIRS
from assay.results.schemas import schema, table
from assay.stats.intervals import t_quantile
from assay.stats.paired.sample_size import paired_topics
from assay.stats.significance.pairs import pair_moments

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
        needed = np.stack([paired_topics(deviation[k, at], mean[k, at], alpha=alpha, power=power) for k in (a, b)])
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
