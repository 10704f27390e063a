"""How many topics a difference between two runs needs: for one that is stated, with an interval."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import polars as pl

from assay.core.arrays import Array, Index
from assay.core.thresholds import Threshold
from assay.results import schemas
from assay.scoring.scores import Scores
from assay.stats.intervals import grouped, jackknife_interval
from assay.stats.significance.pairs import LEAST_SHARED, pairs_with_gaps, shared_topics

TARGET_POWER = Threshold(
    "target_power",
    0.8,
    unit="probability",
    meaning="chance of a significant difference, if it is real, that a number of topics is to give",
)
_ENDLESS = 1e15
_SCHEMA = schemas.schema("measure", "difference", "n_topics", "low", "high", low=pl.Int64, high=pl.Int64)


def topics_for(effect: float, alpha: float) -> float:
    """The topics by which a difference is significant with the target power; `effect` is it over its deviation.

    Two-sided paired t test at alpha: the normal approximation with the term for the estimated deviation
    (guenther1981), within a topic of the exact number.

    >>> topics_for(0.5, 0.05)
    34.0
    """
    normal = NormalDist()
    critical = normal.inv_cdf(1 - alpha / 2)
    with np.errstate(over="ignore"):  # of an effect close to 0 there is no end
        needed = np.square((critical + normal.inv_cdf(TARGET_POWER.value)) / np.float64(effect)) + critical**2 / 2
    return float(np.ceil(needed))


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
    needed = topics_for(difference / np.sqrt(variance), alpha) if variance > 0 else np.inf
    return int(needed) if needed < _ENDLESS else None


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
