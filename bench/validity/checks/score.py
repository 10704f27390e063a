"""What `score` says: the mean of every run."""

from __future__ import annotations

from bench.validity.declare import IntervalCheck, Key
from bench.validity.truths import Truth


def true_means(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The true mean of every run by every measure, however many topics are drawn."""
    means = truth.means()
    return {(run, m): means[i, j] for i, m in enumerate(truth.measures) for j, run in enumerate(truth.runs)}


INTERVALS = (
    IntervalCheck("score: mean", "score", None, ("run", "measure"), "mean", "low", "high", "true mean", true_means),
)
