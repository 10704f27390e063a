"""How many topics a difference between two runs needs: for one that is stated, with an interval."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.core.arrays import Array, Index
from assay.results import schemas
from assay.scoring.scores import Scores
from assay.stats.intervals import grouped, jackknife_interval
from assay.stats.sample_size import TARGET_POWER, paired_topics
from assay.stats.significance.pairs import LEAST_SHARED, pairs_with_gaps, shared_topics

_SCHEMA = schemas.schema("measure", "difference", "n_topics", "low", "high", low=pl.Int64, high=pl.Int64)


def needed_table(data: Scores, difference: float, *, alpha: float, level: float) -> pl.DataFrame:
    """How many topics would make a stated difference significant, for a pair of runs that varies as most do."""
    rows = []
    for measure, x in zip(data.conditions, data.working(), strict=True):
        estimate, left_out = _median_variances(x, grouped(x.shape[1]))
        ends = jackknife_interval(np.log(estimate), np.log(left_out), level=level)
        rows.append((measure, difference, *(_topics(v, difference, alpha) for v in (estimate, *np.exp(ends)))))
    return schemas.table(rows, _SCHEMA)


def _topics(variance: float, difference: float, alpha: float) -> int | None:
    """A whole number of topics; none where nothing varies, or beyond any that could be had."""
    if not variance > 0:
        return None
    needed = paired_topics(np.sqrt(variance), difference, alpha=alpha, power=TARGET_POWER.value)
    return int(needed) if np.isfinite(needed) else None


def _median_variances(x: Array, group: Index) -> tuple[Array, Array]:
    """The median over pairs of the variance of their differences: of all topics, and without each group. [group]

    NaN where no pair varies; no group where leaving one out leaves too few topics, or nothing that varies.
    """
    d, n = pairs_with_gaps(x), shared_topics(x)
    tested = (n >= LEAST_SHARED) & (d.sd > 0)
    if not tested.any():
        return np.array(np.nan), np.zeros(0)
    there = ~np.isnan(d.difference[tested])
    centred = np.where(there, d.difference[tested] - d.mean[tested, None], 0.0)
    member = (group[:, None] == np.arange(group.max() + 1)).astype(np.float64)  # [topic, group]
    gone, total, squares = there @ member, centred @ member, centred**2 @ member  # [pair, group]
    rest = n[tested, None] - gone
    # about their own mean: those that are left add up to minus the total of those that are gone
    left = squares.sum(-1, keepdims=True) - squares - total**2 / np.maximum(rest, 1)
    without = np.median(left / np.maximum(rest - 1, 1), axis=0)
    enough = (rest >= LEAST_SHARED).all() and (without > 0).all()
    return np.asarray(np.median(d.sd[tested] ** 2)), without if enough else np.zeros(0)
