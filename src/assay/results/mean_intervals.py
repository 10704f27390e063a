"""The interval of every run's mean over topics: Student's, and exact where scores are 0 and 1."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools
from assay.results import schemas
from assay.scoring.scores import Scores
from assay.stats.intervals import t_interval
from assay.stats.paired.proportions import clopper_pearson


def mean_intervals(data: Scores, *, level: float) -> tuple[Array, Array]:
    """Return the ends of the interval of every mean, in the units of the measure. Two of [condition, run]

    Student's, but for `shares`, which are counts: their interval is exact (clopper1934). A run of which all scores
    are 0, or all 1, has that interval by any measure that ranges from 0 to 1: that they do not vary does not make
    them certain, and of all scores with that range those of 0 and 1 leave the most open.
    """
    low, high = data.interval(*t_interval(data.working(), level=level))
    exact = _exact(data)
    if exact.any():
        there = ~np.isnan(data.value)
        n, total = there.sum(-1), np.where(there, data.value, 0.0).sum(-1)
        low[exact], high[exact] = clopper_pearson(total[exact], n[exact], level=level)
    return low, high


def with_intervals(ranked: pl.DataFrame, data: Scores, *, level: float) -> pl.DataFrame:
    """Put the interval of each mean over topics beside it: low, high."""
    low, high = mean_intervals(data, level=level)
    ends = {
        "measure": [name for name in data.conditions for _ in data.runs],
        "run": list(data.runs) * len(data.conditions),
        "low": low.ravel(),
        "high": high.ravel(),
    }
    joined = ranked.join(schemas.without_nan(pl.DataFrame(ends)), on=["measure", "run"], how="left")
    first = ["measure", "rank", "run", "mean", "low", "high"]
    return joined.select(*first, *(name for name in ranked.columns if name not in first))


def shares(data: Scores) -> Bools:
    """Which conditions score every topic 0 or 1, so that a mean is a share of topics. [condition]"""
    return _averaged(data) & (np.isnan(data.value) | (data.value == 0) | (data.value == 1)).all((1, 2))


def _exact(data: Scores) -> Bools:
    """Which means have an exact interval. [condition, run]"""
    missing = np.isnan(data.value)
    bounded = _averaged(data) & (missing | ((data.value >= 0) & (data.value <= 1))).all((1, 2))
    constant = ((missing | (data.value == 0)).all(-1)) | ((missing | (data.value == 1)).all(-1))
    sampled = (~missing).sum(-1) > 1  # one topic is no sample
    return np.asarray(sampled & (shares(data)[:, None] | (bounded[:, None] & constant)))


def _averaged(data: Scores) -> Bools:
    """Which conditions have the mean over topics, and not another average. [condition]"""
    return np.array([data.average_of(i) == "mean" for i in range(len(data.conditions))], dtype=np.bool_)
