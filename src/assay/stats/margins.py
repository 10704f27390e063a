"""What means of runs, and means and deviations of topics, say of scores that are not at hand.

They determine the two-way analysis of variance: the deviations within topics hold the variance of runs and the rest
together, the means of runs the former. What depends on single pairs of runs follows only roughly, as if all pairs
had the same variance and all effects were normal.
"""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array
from assay.stats.intervals import t_quantile
from assay.stats.variance import Components, MeanSquares, check_size, coefficient


def components_from_margins(run_means: Array, topic_means: Array, topic_sds: Array) -> Components:
    """Variances of run, topic and rest, as `mean_squares` has them from all scores. [] each

    `topic_sds` are over the runs, with divisor n - 1. Both kinds of means must be of the same runs and topics: if
    so, their grand means are equal.

    >>> x = np.array([[0.1, 0.3, 0.2], [0.4, 0.4, 0.6], [0.5, 0.9, 0.7]])
    >>> of = components_from_margins(x.mean(1), x.mean(0), x.std(0, ddof=1))
    >>> round(float(of.run), 6), round(float(of.topic), 6), round(float(of.interaction), 6)
    (0.057778, 0.006667, 0.014444)
    """
    n_runs, n_topics = run_means.size, topic_means.size
    check_size(n_runs, n_topics)
    runs, topics = n_runs - 1, n_topics - 1
    of_runs = n_topics * ((run_means - run_means.mean()) ** 2).sum()
    of_topics = n_runs * ((topic_means - topic_means.mean()) ** 2).sum()
    rest = runs * (topic_sds**2).sum() - of_runs
    by_run, by_topic, left = (
        np.asarray(ss / dof) for ss, dof in ((of_runs, runs), (of_topics, topics), (rest, runs * topics))
    )
    return MeanSquares(by_run, by_topic, left, runs, topics, runs * topics, float(n_topics), float(n_runs)).components


def rough_power(run_means: Array, rest: float, n_topics: int, *, alpha: float = 0.05) -> float:
    """Share of pairs of runs significantly different by t tests that all have the same variance, 2 rest / n_topics.

    Rough: on collections with all scores it is 0.03 to 0.06 low, for weak runs vary less than strong ones. NaN where
    `rest` is not positive: means and deviations are then not of the same runs and topics.

    >>> rough_power(np.array([0.1, 0.2, 0.21]), 0.01, 50)
    0.6666666666666666
    """
    if not rest > 0:
        return float("nan")
    one, other = np.triu_indices(run_means.size, 1)
    t = np.abs(run_means[one] - run_means[other]) / np.sqrt(2 * rest / n_topics)
    return float((t > t_quantile(1 - alpha, n_topics - 1)).mean())


def rough_self_predictivity(run_means: Array, rest: float, n_topics: int, *, half: int | None = None) -> float:
    """Kendall's tau to expect between rankings on two halves of the topics, each of `half` (default: a half).

    Means on both halves are normal with the variance of the runs in common, as these means over all topics show it,
    and rest / half apart; tau of two normal variables with correlation r is 2 / pi arcsin(r). Rough: true of many
    runs with normal effects. NaN where the means vary less than chance makes them, or `rest` is not positive.
    """
    share = float(np.var(run_means, ddof=1)) - rest / n_topics
    r = coefficient(np.asarray(share / rest), half or n_topics // 2) if share > 0 and rest > 0 else np.nan
    return float(2 / np.pi * np.arcsin(r))
