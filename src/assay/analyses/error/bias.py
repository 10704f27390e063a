"""How far the bias of small samples could be off: its interval over topics, each with its own sample of documents.

The bias is AP less the precision that an unlimited collection would have above the same relevant documents, as a mean
over topics. Topics like these, with documents like theirs, are the sample. A mean over topics is not all that is
estimated: what a relevant document at rank 1 counts comes from all topics, too (`TopRanks`), and varies with them. So
topics are left out one at a time and c is taken anew. And few topics, those with few relevant documents, have most of
the bias: values are skewed, and Student's interval would be too low. Hall's transformation takes that off (hall1992).

The share of MAP and the two errors side by side are ratios of sums over topics, smooth in each of them, so that a
jackknife of their logarithm will do; but few topics carry most of its error, and Student's quantile has as many
degrees of freedom as these are (`carrying_topics`).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.analyses.error.topics import TopicEstimates
from assay.core.arrays import Array
from assay.results.schemas import schema, table
from assay.stats.intervals import carried_t, deletions, jackknife_error, t_quantile
from assay.stats.leave_one_out import topic_sets

_OVERALL = schema("bias_share", "share_low", "share_high", "error_ratio", "ratio_low", "ratio_high")
_STRAIGHT = 1e-6  # a smaller skewness bends nothing


def bias_replicates(estimates: TopicEstimates) -> Array:
    """The mean bias of every run: on all topics, then with each group left out and c taken anew. [set, run]"""
    every = []
    fixed = estimates.c is not None
    tops = estimates.tops
    weight = tops.first / tops.n_rel  # how much of c a list's AP_LOO has
    bias = estimates.ap - estimates.loo
    without = bias if fixed else bias + weight * tops.counted()
    for kept in topic_sets(len(estimates.topics)):
        own = without[:, kept]
        every.append((own if fixed else own - weight[:, kept] * tops.counted(kept)[:, kept]).mean(-1))
    return np.stack(every)


def skewed_interval(replicates: Array, *, level: float) -> tuple[Array, Array]:
    """The interval of a statistic whose influences over topics are skewed; `replicates` is [set, ...].

    The first set is of all topics, the others leave out a group each. Student's statistic of a mean is skewed where
    its values are; Hall's cubic transformation (hall1992) makes it symmetric, and has an inverse everywhere. NaN of
    fewer than three groups, which show no skewness.
    """
    value, left_out = replicates[0], replicates[1:]
    n = len(left_out)
    if n < 3:
        return np.full_like(value, np.nan), np.full_like(value, np.nan)
    influence = left_out.mean(0) - left_out
    spread = (influence**2).mean(0)
    third = np.divide((influence**3).mean(0), spread**1.5, out=np.zeros_like(spread), where=spread > 0)
    bend = third / np.sqrt(n)
    bend = np.where(np.abs(bend) < _STRAIGHT, _STRAIGHT, bend)
    error, t = jackknife_error(left_out), t_quantile(level, n - 1)
    low, high = (value - error * 3 * (np.cbrt(1 + bend * (z - bend / 6)) - 1) / bend for z in (t, -t))
    return low, high


def log_interval(replicates: Array, *, level: float) -> tuple[float, float]:
    """The interval of a positive statistic by a jackknife of its logarithm; `replicates` is [set], of all first.

    Few topics carry its error, which the quantile takes into account. Coverage at 25 and 50 topics, on the truths it
    was chosen on: of the share of bias .93-.98 (Hall's, without logarithm, .87-.98), of the ratio of errors .92-.95
    (with a degree of freedom per topic .88-.93).
    """
    log = np.log(replicates)
    influence = log[1:] - log[1:].mean()
    half = float(carried_t(influence, level) * jackknife_error(log[1:]))
    return float(np.exp(log[0] - half)), float(np.exp(log[0] + half))


def bias_interval(estimates: TopicEstimates, level: float) -> tuple[Array, Array]:
    """The ends of every run's bias; AP is never below AP_LOO. Both [run]"""
    low, high = skewed_interval(bias_replicates(estimates), level=level)
    return np.maximum(low, 0.0), high


def overall_table(estimates: TopicEstimates, level: float) -> pl.DataFrame:
    """One row: what all runs together have of bias and of error by documents, each with its interval over topics."""
    return table([(*_bias_share(estimates, level), *_error_ratio(estimates, level))], _OVERALL)


def _bias_share(estimates: TopicEstimates, level: float) -> tuple[float, float, float]:
    """The bias as a share of MAP, runs averaged."""
    ap = np.array([estimates.ap[:, kept].mean() for kept in topic_sets(len(estimates.topics))])
    if not (ap > 0).all():
        return np.nan, np.nan, np.nan
    share = bias_replicates(estimates).mean(-1) / ap
    if len(share) < 4 or not (share > 0).all():
        return float(share[0]), np.nan, np.nan
    low, high = log_interval(share, level=level)
    return float(share[0]), low, min(high, 1.0)


def _error_ratio(estimates: TopicEstimates, level: float) -> tuple[float, float, float]:
    """The standard error by documents over that by topics, of mean AP_LOO; variances are averaged over runs."""
    n = len(estimates.topics)
    if n < 3:
        return np.nan, np.nan, np.nan
    documents, loo = estimates.error**2, estimates.loo
    sets = [np.arange(n), *deletions(n)]
    variances = np.array([[documents[:, kept].mean(), loo[:, kept].var(-1, ddof=1).mean()] for kept in sets])
    if not (variances > 0).all():
        return np.nan, np.nan, np.nan
    ratio = np.sqrt(variances[:, 0] / variances[:, 1])
    return float(ratio[0]), *log_interval(ratio, level=level)
