"""Several judges: how alike they rank runs, and what the choice of judge adds to the error of a difference.

Judges and topics are both samples. A difference between two runs varies over topics, and more topics settle it; what
judges vary beyond that stays however many topics there are. The two come apart as in any crossed design: the mean
squares of judges and of topics both hold the interaction, which is subtracted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np
import polars as pl

from assay.analyses.judges.bias.run_means import additive_means
from assay.core.arrays import Array, Bools
from assay.results.schemas import schema, table
from assay.scoring.judges.judges import PANEL, Judges
from assay.scoring.judges.sides import ALL_PAIRS
from assay.stats.correlation.coefficients import tau_b

SPREAD = schema(
    "measure", "run_a", "run_b", "n_judges", "n_topics", "difference", "error_topics", "sd_judges", "low", "high",
    n_judges=pl.Int64,
)  # fmt: skip
JUDGE_TAUS = schema(
    "measure", "judge_a", "judge_b", "tau", "n_runs", "n_topics", judge_a=pl.String, judge_b=pl.String
)


def several_tables(judges: Judges, *, level: float = 0.95) -> dict[str, pl.DataFrame]:
    """Make the tables `judge_taus` and `spread`.

    judge_taus: for every measure and two judges
        `tau`: Kendall's tau-b of the means of runs, on the topics and runs that both have. Both judges see the same
        topics, so that it shares their noise.
    spread: for every measure and two runs, with two judges or more; all pairs of few runs, else those that are next
    to each other by the reference
        `difference`: run_a minus run_b, the mean over judges and topics. `error_topics`: its standard error over
        topics, for these very judges. `sd_judges`: the standard deviation over judges of the true difference, which
        is what another judge may add. `low`, `high`: the interval for judges and topics that are both samples of
        more. A panel is not counted among the judges: it is made of them.
    """
    spread, taus = [], []
    for condition, measure in enumerate(judges.scores[0].conditions if judges.scores else ()):
        x = judges.values(condition)
        sign = -1.0 if judges.scores[0].lower_of(condition) else 1.0
        able = np.flatnonzero(~np.isnan(x).all((1, 2)))  # judges whose grades the measure takes
        names, x = [judges.names[i] for i in able], x[able]
        taus += [(measure, *row) for row in _taus(names, x)]
        own = x[[name != PANEL for name in names]]
        spread += [(measure, *row) for row in _spread(judges.scores[0].runs, own, sign, level)]
    return {"judge_taus": table(taus, JUDGE_TAUS), "spread": table(spread, SPREAD)}


def _taus(names: Sequence[str], x: Array) -> Iterator[tuple[object, ...]]:
    there = ~np.isnan(x)
    if there.all():
        means = x.mean(-1)
        first, second = np.triu_indices(len(names), 1)
        for i, j, tau in zip(
            first.tolist(), second.tolist(), tau_b(means[first], means[second]).tolist(), strict=True
        ):
            yield names[i], names[j], tau, x.shape[1], x.shape[2]
        return
    for i, j in combinations(range(len(names)), 2):
        both = there[i] & there[j]
        runs, topics = both.any(1), both.any(0)
        tau = np.nan
        if runs.sum() > 1:
            part = np.ix_(runs, topics)
            one, two = (_means(x[k][part], both[part]) for k in (i, j))
            tau = float(tau_b(one, two))
        yield names[i], names[j], tau, int(runs.sum()), int(topics.sum())


def _means(x: Array, there: Bools) -> Array:
    """The means of runs, plain where none lacks a topic. [run]"""
    return np.asarray(x.mean(-1) if there.all() else additive_means(x, there, np.ones((1, x.shape[1])))[0])


def _spread(runs: Sequence[str], x: Array, sign: float, level: float) -> Iterator[tuple[object, ...]]:
    """The rows of `spread` by one measure; `x` is [judge, run, topic]."""
    if len(x) < 2:
        return
    for a, b in _pairs(x[0]):
        d = x[:, a] - x[:, b]
        d = d[:, ~np.isnan(d).any(0)]
        if d.shape[1] > 1:
            value, topics, spread, half = crossed(d, level)
            yield runs[a], runs[b], *d.shape, sign * value, topics, spread, sign * value - half, sign * value + half


def _pairs(reference: Array) -> list[tuple[int, int]]:
    """All pairs of few runs, of many those that are neighbours; the better first. `reference` is [run, topic]"""
    there = ~np.isnan(reference)
    mean = np.divide(np.nansum(reference, 1), there.sum(1), out=np.full(len(there), -np.inf), where=there.any(1))
    order = np.argsort(-mean, kind="stable").tolist()
    return list(combinations(order, 2) if len(order) <= ALL_PAIRS else pairwise(order))


def crossed(d: Array, level: float) -> tuple[float, float, float, float]:
    """Take differences [judge, topic] apart: mean, its error over topics, spread of judges, half of the interval.

    The variance of the mean is that over judges and that over topics less the interaction, which both hold; it is at
    least either of the two. Degrees of freedom are Satterthwaite's. Treats both effects as normal; two judges tell
    so little of their variance that the interval is then too narrow.
    """
    from scipy.special import stdtrit

    m, n = d.shape
    by_judge, by_topic = d.mean(1), d.mean(0)
    rest = d - by_judge[:, None] - by_topic + d.mean()
    of_judges, of_topics = by_judge.var(ddof=1) / m, by_topic.var(ddof=1) / n
    interaction = (rest**2).sum() / ((m - 1) * (n - 1)) / (m * n)
    spread = np.sqrt(max(0.0, (of_judges - interaction) * m))
    parts = np.array([of_judges, of_topics, -interaction])
    dof = np.array([m - 1, n - 1, (m - 1) * (n - 1)])
    if interaction > min(of_judges, of_topics):
        parts = np.where([of_judges >= of_topics, of_judges < of_topics, False], parts, 0.0)
    variance = parts.sum()
    joint = variance**2 / (parts**2 / dof).sum() if variance > 0 else 1.0
    half = float(stdtrit(joint, (1 + level) / 2) * np.sqrt(variance))
    return float(d.mean()), float(np.sqrt(of_topics)), float(spread), half
