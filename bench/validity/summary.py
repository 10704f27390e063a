"""The study in one row per interval or sentence: what help, rules and sentences quote."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from bench.validity.checks import INTERVALS
from bench.validity.study import binomial_error

SIZES = (25, 50)  # topics: what most collections have
RARE = 0.5  # of the intervals asked for: where fewer are there, they are counted like sentences, of all samples
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
    "note": pl.String,
    "label": pl.String,
}
_LABELS = {check.name: check.label or None for check in INTERVALS}


def summary(table: pl.DataFrame) -> pl.DataFrame:
    """Sum the study up over truths, as `assay.results.error_rates` reads it."""
    common = table.filter(pl.col("n_topics").is_in(SIZES) | pl.col("note").is_not_null())
    groups = common.partition_by("kind", "what", maintain_order=True)
    rows = [dict.fromkeys(SCHEMA) | _own(group) | _RATES[group["kind"][0]](group) for group in groups]
    return pl.DataFrame(rows, schema=SCHEMA)


def _own(rows: pl.DataFrame) -> dict[str, Any]:
    """What it is, and on how much it was tried."""
    same = {name: rows[name][0] for name in ("what", "kind", "level", "note")}
    same["label"] = _LABELS.get(same["what"])
    return same | {"n_truths": rows["truth"].drop_nulls().n_unique(), "n_samples": int(rows["replicates"].sum())}


def _interval(rows: pl.DataFrame) -> dict[str, Any]:
    """Mean over truths, and the lowest truth; every truth counts alike, but for those where it is rare."""
    known = rows.drop_nulls("coverage").filter(pl.col("said") > RARE)
    said = _mean(rows["said"])
    if known.is_empty():
        return {"said": said}
    error = math.sqrt(sum(e * e for e in known["error"].fill_null(0.0))) / known.height
    return {"rate": _mean(known["coverage"]), "error": error, "worst": known["coverage"].min(), "said": said}


def _sentence(rows: pl.DataFrame) -> dict[str, Any]:
    """False of those said, pooled over truths where it can be true; the worst truth counts all samples of it."""
    possible = rows.filter(pl.col("could") > 0)
    n = possible["replicates"].to_numpy()
    n_said, n_false = float(n @ possible["said"].to_numpy()), float(n @ possible["false"].to_numpy())
    whole = {"worst": rows["false"].max(), "said": n_said / float(n.sum()) if n.size else _mean(rows["said"])}
    return whole | (_share(n_false, n_said) if n_said else {})


def _report(rows: pl.DataFrame) -> dict[str, Any]:
    """Samples in which anything was false, of all."""
    n = rows["replicates"].to_numpy()
    return _share(float(n @ rows["false"].to_numpy()), float(n.sum())) | {"worst": rows["false"].max(), "said": 1.0}


def _share(part: float, of: float) -> dict[str, float]:
    """A share with its Monte-Carlo error."""
    return {"rate": part / of, "error": binomial_error(part, of)}


def _mean(of: pl.Series) -> float:
    return float(of.mean() or 0.0)  # type: ignore[arg-type]


_RATES = {"interval": _interval, "sentence": _sentence, "report": _report}
