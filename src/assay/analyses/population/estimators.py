"""Estimators of J against the J that is known: those that section 4.3 of robertson2007 thinks of, and AP_LOO.

They are the estimators that `error` shows on runs, where J is not known; here they are applied to samples of a
population.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.error.documents import Gaps
from assay.analyses.error.topics import ESTIMATORS, estimates_of_j, pooled_top, top_of
from assay.analyses.population.thinning import Population, Samples, SamplingPlan, blocks
from assay.core.arrays import Array
from assay.results.schemas import schema, table

POOLED = "AP_LOO, pooled c"
_C = 0.5  # what a relevant document at rank 1 counts; that of the measure AP_LOO
_SCHEMA = schema("estimator", "n", "n_relevant", "mean", "sd", "bias", "rmse", "error", estimator=pl.String)


@dataclass(frozen=True, slots=True)
class EstimatorMoments:
    """Sums over the samples of one population."""

    mean: Array  # [n, estimator]; NaN where a sample has one relevant document or none, of which nothing is left out
    square: Array  # [n, estimator]: mean of squares


def estimator_moments(population: Population, plan: SamplingPlan, key: Sequence[int]) -> EstimatorMoments:
    """Estimate J by every sample of a population, the samples being those that measures are taken of."""
    shape = len(plan.halvings), len(ESTIMATORS) + 1
    mean, square = np.full((2, *shape), np.nan)
    for j, halving in enumerate(plan.halvings):
        parts = [_estimates(own) for part in blocks(population, plan, halving, key) for own in _by_size(part)]
        if parts:
            value = np.concatenate(parts, axis=1)
            mean[j], square[j] = value.mean(-1), (value**2).mean(-1)
    return EstimatorMoments(mean, square)


def _by_size(samples: Samples) -> Iterator[Gaps]:
    """The samples that have two relevant documents or more, together with those that have as many."""
    for size in np.unique(samples.n_relevant[samples.n_relevant > 1]).tolist():
        own = samples.n_relevant == size
        above = np.rint(samples.rank[own, :size]).astype(np.int64) - np.arange(1, size + 1)
        yield Gaps(size, np.full(int(own.sum()), size), above, np.maximum(samples.n_nonrelevant[own], above[:, -1]))


def _estimates(gaps: Gaps) -> Array:
    """All estimates of samples of one size. [estimator, sample]"""
    plain = estimates_of_j(gaps, _C)
    pooled = estimates_of_j(gaps, top_of(pooled_top([gaps]), gaps.n_rel))
    return np.concatenate([plain, pooled[-1:]])


def estimator_table(
    plan: SamplingPlan,
    n_relevant: Array,
    values: Sequence[float],
    expected: Sequence[float | None],
    every: Sequence[EstimatorMoments],
) -> pl.DataFrame:
    """One row per estimator and size; `values` are the J that samples of each size estimate.

    `expected` is what AP is expected to be, exactly, in samples of each size, where all of them are counted here. A
    population whose AP is high has other estimates high, too: how far these are from AP is known much better than
    they are themselves (AP is a control variate).
    """
    mean, square = (np.stack([getattr(one, name) for one in every]) for name in ("mean", "square"))
    overall = mean.mean(0)
    sd = np.sqrt(np.maximum(square.mean(0) - overall**2, 0.0))
    known = np.array([x is not None for x in expected])[:, None]
    exact = np.array([np.nan if x is None else x for x in expected])[:, None]
    against = mean - np.where(known, mean[..., :1], 0.0)
    bias = against.mean(0) + np.where(known, exact, 0.0) - np.asarray(values)[:, None]
    error = against.std(0, ddof=1) / len(mean) ** 0.5 if len(mean) > 1 else np.full(overall.shape, np.nan)
    rows = (
        (name, n, n_relevant[j], overall[j, i], sd[j, i], bias[j, i], np.hypot(sd[j, i], bias[j, i]), error[j, i])
        for i, name in enumerate((*ESTIMATORS, POOLED))
        for j, n in enumerate(plan.halvings)
    )
    return table(rows, _SCHEMA)
