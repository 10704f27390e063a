"""What `score` says: the mean of every run, and the ranks that it may have."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from assay.results.result import Result
from bench.validity.declare import IntervalCheck, Key
from bench.validity.truths import Truth

ALIKE = 1e-9  # means that differ by less are those of runs made alike
RANK = (("measure", "run", "end"), "rank", "rank_low", "rank_high", "true ranks, all at once")
"""The key and the columns of a check of ranks, and what it estimates."""
AT_ONCE = "all ranks of a measure at once, by one family of comparisons; it holds more often where few runs are close"


def true_means(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The true mean of every run by every measure, however many topics are drawn."""
    means = truth.means()
    return {(run, m): means[i, j] for i, m in enumerate(truth.measures) for j, run in enumerate(truth.runs)}


def true_ranks(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The best and the worst rank of every run by its true mean: one number unless runs are alike."""
    ranks: dict[Key, float] = {}
    for measure, mean in zip(truth.measures, truth.means(), strict=True):
        better = (mean > mean[:, None] + ALIKE).sum(1)
        worse = (mean < mean[:, None] - ALIKE).sum(1)
        for run, above, below in zip(truth.runs, better, worse, strict=True):
            ranks |= {(measure, run, "best"): 1 + above, (measure, run, "worst"): mean.size - below}
    return ranks


def ranks_in(table: str) -> Callable[[Result], pl.DataFrame]:
    """Read the ranks of a table, twice: a set of ranks must hold the best and the worst of runs that are alike."""
    ends = pl.DataFrame({"end": ["best", "worst"]})
    return lambda result: result.tables[table].join(ends, how="cross")


SIZES = (10, 25, 50, 200)
_MEAN = ("long", ("run", "measure"), "mean", "low", "high", "true mean", true_means)
INTERVALS = (
    IntervalCheck("score: mean", "score", *_MEAN, repeated_in=(None,)),
    IntervalCheck(
        "score: mean, by bootstrap", "score", *_MEAN, settings=(("interval", "bootstrap"), ("resamples", 1000))
    ),
    IntervalCheck(
        "score: ranks", "score", "tiers", *RANK, true_ranks, read=ranks_in("tiers"), counted="at once", label=AT_ONCE
    ),
)
