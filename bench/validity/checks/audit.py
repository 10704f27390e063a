"""What `audit` says: the mean that a published figure is an estimate of, by what is stated beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from assay.analyses.audit.analysis import audit
from assay.results.result import Result
from assay.scoring.scores import Scores
from bench.validity.declare import Descriptive, IntervalCheck, Key
from bench.validity.truths import Truth

SIZES = (10, 25, 50, 200)
TRUTHS = ("one mean, RR", "one mean, P@10", "one mean, S@1", "one mean, S@1, robust 2004")
_STATED = ("binary", "graded", "sd")  # scores of 0 and 1; from 0 to 1; these with their deviation
_LABELS = {"graded": "it has to hold whatever the scores between 0 and 1 were, of which only the mean is known"}


def ask(data: Scores) -> Result:
    """Publish the mean of every run, and audit it."""
    rows = []
    for x, measure in zip(data.value, data.conditions, strict=True):
        for run, scores in zip(data.runs, x, strict=True):
            for stated in _STATED if np.isin(scores, (0, 1)).all() else _STATED[1:]:
                sd = scores.std(ddof=1) if stated == "sd" else None
                kind = "graded" if stated == "sd" else stated
                rows.append((f"{measure}/{run}/{stated}", scores.size, scores.mean(), sd, kind))
    published = pl.DataFrame(rows, schema=["name", "n_topics", "mean", "sd", "kind"], orient="row")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "figures.csv"
        published.write_csv(path)
        return audit([str(path)])


def _stated(how: str) -> Callable[[Result], pl.DataFrame]:
    return lambda result: result.table.filter(pl.col("name").str.ends_with(f"/{how}"))


def _true_means(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    means = truth.means()
    names = [(i, m, j, run) for i, m in enumerate(truth.measures) for j, run in enumerate(truth.runs)]
    return {(f"{m}/{run}/{how}",): means[i, j] for i, m, j, run in names for how in _STATED}


INTERVALS = tuple(
    IntervalCheck(
        f"audit: mean, {what}",
        "audit",
        None,
        ("name",),
        "mean",
        "low",
        "high",
        "true mean",
        _true_means,
        read=_stated(how),
        repeated_in=("figures",),
        label=_LABELS.get(how, ""),
    )
    for how, what in zip(_STATED, ("0/1 scores", "scores from 0 to 1", "deviation stated"), strict=True)
)
DESCRIPTIVE = (
    Descriptive("published_claims", "it counts what outcomes of the queries the figures allow, and infers nothing"),
)
