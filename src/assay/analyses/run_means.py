"""The picture of runs by their means, which several analyses show."""

from __future__ import annotations

import polars as pl

from assay import charts

SHOWN = 40  # runs that a picture has room for


def best_runs(table: pl.DataFrame, *, x: charts.Spec, level: float, how: str = "") -> charts.Chart:
    """Draw the means and intervals of the runs that are best by the first measure of a table.

    `table` has run, measure, mean, low and high; `how` says what was done to the scores.
    """
    measure = table["measure"][0]
    means = table.filter(pl.col("measure") == measure).with_columns(pl.selectors.float().fill_nan(None))
    best = means.sort("mean", descending=True, nulls_last=True, maintain_order=True).head(SHOWN)
    y = charts.category("run", best["run"].to_list(), axis={"title": None, "labelLimit": 260})
    which = f"the best {SHOWN} runs" if means.height > SHOWN else "the runs"
    title = f"{measure} of {which}{how}, with {level:.0%} intervals over topics"
    return charts.Chart("runs", title, best, charts.intervals(x, y, low="low", high="high"))
