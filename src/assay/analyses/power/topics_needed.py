"""How many topics a difference between two runs needs: for one that is stated, with an interval."""

from __future__ import annotations

import polars as pl

from assay.results import schemas
from assay.scoring.scores import Scores
from assay.stats.intervals import grouped
from assay.stats.paired.pair_variances import typical_variances, variance_interval
from assay.stats.paired.sample_size import topics_for_variance

_SCHEMA = schemas.schema("measure", "difference", "n_topics", "low", "high", low=pl.Int64, high=pl.Int64)


def needed_table(data: Scores, difference: float, *, alpha: float, level: float) -> pl.DataFrame:
    """How many topics would make a stated difference significant, for a pair of runs that varies as most do."""
    rows = []
    for measure, x in zip(data.conditions, data.working(), strict=True):
        estimate, left_out = typical_variances(x, grouped(x.shape[1]))
        ends = variance_interval(estimate, left_out, level=level)
        topics = (topics_for_variance(float(v), difference, alpha) for v in (estimate, *ends))
        rows.append((measure, difference, *topics))
    return schemas.table(rows, _SCHEMA)
