"""The study in one row per interval or sentence: what help, rules and sentences quote."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

SIZES = (25, 50)  # topics: what most collections have
SCHEMA = {
    "what": pl.String,
    "kind": pl.String,
    "level": pl.Float64,
    "n_truths": pl.Int64,
    "n_samples": pl.Int64,
    "rate": pl.Float64,
    "error": pl.Float64,
    "worst": pl.Float64,
    "said": pl.Float64,
}


def summary(table: pl.DataFrame) -> pl.DataFrame:
    """Sum the study up over truths, as `assay.results.error_rates` reads it."""
    common = table.filter(pl.col("n_topics").is_in(SIZES))
    groups = common.partition_by("kind", "what", maintain_order=True)
    rows = [_interval(group) if group["kind"][0] == "interval" else _sentence(group) for group in groups]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _interval(rows: pl.DataFrame) -> tuple[Any, ...]:
    """Mean over truths, and the lowest truth; every truth counts alike."""
    known = rows.drop_nulls("coverage")
    counts = known["truth"].n_unique(), int(known["replicates"].sum())
    said = _mean(rows["said"])
    if known.is_empty():
        return (rows["what"][0], "interval", rows["level"][0], *counts, None, None, None, said)
    error = math.sqrt(sum(e * e for e in known["error"].fill_null(0.0))) / known.height
    return (
        rows["what"][0],
        "interval",
        rows["level"][0],
        *counts,
        _mean(known["coverage"]),
        error,
        known["coverage"].min(),
        said,
    )


def _sentence(rows: pl.DataFrame) -> tuple[Any, ...]:
    """False of those said, pooled over truths where it can be true; the worst truth counts all samples of it."""
    possible = rows.filter(pl.col("could") > 0)
    n = possible["replicates"].to_numpy()
    n_said, n_false = float(n @ possible["said"].to_numpy()), float(n @ possible["false"].fill_null(0.0).to_numpy())
    counts = rows["truth"].n_unique(), int(rows["replicates"].sum())
    worst = rows["false"].max()
    said = n_said / float(n.sum()) if n.size else _mean(rows["said"])
    if not n_said:
        return (rows["what"][0], "sentence", None, *counts, None, None, worst, said)
    rate = n_false / n_said
    return (
        rows["what"][0],
        "sentence",
        None,
        *counts,
        rate,
        math.sqrt(max(rate * (1 - rate), 1 / n_said) / n_said),
        worst,
        said,
    )


def _mean(of: pl.Series) -> float:
    return float(of.mean() or 0.0)  # type: ignore[arg-type]
