"""How many topics a difference between two runs needs: for one that is stated, with an interval."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.core.arrays import Array, Index
from assay.results import schemas
from assay.scoring.scores import Scores
from assay.stats.intervals import grouped, jackknife_interval
from assay.stats.significance.pairs import LEAST_SHARED, pairs_with_gaps, shared_topics
from assay.stats.topics_needed import topics_for_variance, variances_without

_SCHEMA = schemas.schema("measure", "difference", "n_topics", "low", "high", low=pl.Int64, high=pl.Int64)


def needed_table(data: Scores, difference: float, *, alpha: float, level: float) -> pl.DataFrame:
    """How many topics would make a stated difference significant, for a pair of runs that varies as most do."""
    rows = []
    for measure, x in zip(data.conditions, data.working(), strict=True):
        estimate, left_out = _median_variances(x, grouped(x.shape[1]))
        ends = jackknife_interval(np.log(estimate), np.log(left_out), level=level)
        topics = (topics_for_variance(v, difference, alpha) for v in (estimate, *np.exp(ends)))
        rows.append((measure, difference, *topics))
    return schemas.table(rows, _SCHEMA)


def _median_variances(x: Array, group: Index) -> tuple[Array, Array]:
    """The median over pairs of the variance of their differences: of all topics, and without each group. [group]

    NaN where no pair varies; no group where leaving one out leaves too few topics, or nothing that varies.
    """
    d, n = pairs_with_gaps(x), shared_topics(x)
    tested = (n >= LEAST_SHARED) & (d.sd > 0)
    if not tested.any():
        return np.array(np.nan), np.zeros(0)
    left, rest = variances_without(d.difference[tested], group)
    without = np.median(left, axis=0)
    enough = (rest >= LEAST_SHARED).all() and (without > 0).all()
    return np.asarray(np.median(d.sd[tested] ** 2)), without if enough else np.zeros(0)
