"""What `standardize` says: the mean of every run, each topic measured by all runs."""

from __future__ import annotations

import numpy as np

from assay.stats.standardisation import apply, factors
from bench.validity.declare import IntervalCheck, Key
from bench.validity.truths import Truth


def _true_means(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The true mean of every run, standardised topic by topic; 0 where runs change places."""
    z = apply(truth.population, factors(truth.population))
    mean = np.zeros(z.shape[:2]) if truth.exchanged else np.average(z, axis=-1, weights=truth.weight)
    return {(run, m): mean[i, j] for i, m in enumerate(truth.measures) for j, run in enumerate(truth.runs)}


INTERVALS = (
    IntervalCheck(
        "standardize: mean",
        "standardize",
        "long",
        ("run", "measure"),
        "mean",
        "low",
        "high",
        "true mean",
        _true_means,
        repeated_in=(None,),
    ),
)
