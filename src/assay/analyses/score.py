"""Scores of runs: means with intervals, or topic by topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl

from assay.analysis import Result, analysis
from assay.errors import UsageError
from assay.judged import Judged
from assay.measure import Measure
from assay.numeric.intervals import bootstrap_interval, t_interval
from assay.scores import Array, Scores, Undefined
from assay.scores import score as compute


@analysis(name="score", group="look")
def score(
    data: Judged | Scores,
    *,
    measure: Sequence[str | Measure] = (),
    per_topic: bool = False,
    interval: Literal["t", "bootstrap"] = "t",
    level: float = 0.95,
    resamples: int = 10_000,
    rng: int = 0,
    undefined: Undefined = "zero",
) -> Result:
    """Which scores do these runs get, and how sure are the means?

    The interval treats the topics as a sample: it says how far the mean would move on other topics of the same
    kind. It does not say whether two runs differ; their scores go together topic by topic.

    Parameters
    ----------
    measure
        Measures, such as nDCG@10 or RBP(p=0.8); trec_eval's names will do.
    per_topic
        Show every topic instead of the means.
    interval
        Student's t, or the percentile bootstrap.
    level
        Confidence of the interval.
    resamples
        Bootstrap samples of topics.
    rng
        Seed of the bootstrap.
    undefined
        What to do with topics without relevant documents: zero, as trec_eval does, or skip.

    Returns
    -------
    run, measure, mean, low, high
        The mean over topics (a geometric mean for GMAP, a sum for counts) and the ends of its interval.
    run, topic, measure, value
        With `per_topic`, one row a score.
    """
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1")
    scores = data if isinstance(data, Scores) else compute(data, measure, undefined=undefined)
    if per_topic:
        return Result("score", scores.frame(), basis=scores.basis, notes=scores.notes)
    settings: dict[str, object] = {"interval": interval, "level": level}
    if interval == "t":
        low, high = t_interval(scores.working(), level=level)
    else:
        settings |= {"resamples": resamples, "rng": rng}
        generator = np.random.default_rng(rng)
        low, high = bootstrap_interval(scores.working(), level=level, resamples=resamples, rng=generator)
    table = _table(scores, low, high)
    return Result("score", table, basis=scores.basis, settings=settings, notes=scores.notes)


def _table(scores: Scores, low: Array, high: Array) -> pl.DataFrame:
    n_conditions, n_runs = low.shape
    columns = {"mean": scores.mean(), "low": scores.summarise(low), "high": scores.summarise(high)}
    return pl.DataFrame(
        {
            "run": [run for run in scores.runs for _ in range(n_conditions)],
            "measure": list(scores.conditions) * n_runs,
            **{name: values.T.ravel() for name, values in columns.items()},
        }
    )
