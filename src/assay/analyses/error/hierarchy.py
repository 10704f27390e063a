"""The hierarchy of robertson2007's section 2.4: topics have true values, and these a distribution of their own.

Its hyperparameters are the mean over topics and the variance between them. Hardness and generality explain part of
that variance: y_t = a + b log2 R_t + c h_t + u_t + e_t, with h_t what the other runs have on the topic, u_t what is
still special about the topic, and e_t the error by documents, its variance taken as known (a meta-regression). Runs
are measured on the same documents, and h_t has part of e_t: what hardness seems to explain is an upper limit. The
variance of u is found by restricted maximum likelihood. Topics are the sample of all intervals, and none assumes that
they vary alike, or as a normal distribution does: errors of slopes are MacKinnon and White's (HC3), with a degree of
freedom for every topic that carries the error, those of the variance between topics a jackknife of its logarithm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.error.random_effects import RandomEffects
from assay.analyses.error.topics import TopicEstimates
from assay.core.arrays import Array
from assay.results.schemas import schema, table
from assay.stats.intervals import carried_t, jackknife_error, t_quantile

_STEPS = 60  # of a search by halving
_TINY = 1e-12  # the least variance of which a logarithm is taken
_ALIKE = 1e-9  # a smaller share of its sum of squares is left of a column that others determine
_COLUMNS = schema(
    *("run", "n_topics", "mean", "low", "high", "between_sd", "between_low", "between_high", "within_sd"),
    *("generality", "generality_low", "generality_high", "hardness", "hardness_low", "hardness_high"),
    *("left_sd", "explained"),
)


@dataclass(frozen=True, slots=True)
class MetaRegression:
    """A regression over topics whose values have an error of known variance, one for each run."""

    slope: Array  # [run, column]
    error: Array  # [run, column] standard error, HC3: topics may vary unlike each other
    between: Array  # [run] variance between topics that is left
    moved: Array  # [topic, run, column] what each topic moves the slopes by

    def interval(self, level: float) -> tuple[Array, Array]:
        """Student's interval of every slope, with the degrees of freedom of `carried_t`; NaN without an error.

        Both [run, column].

        Nominal 95% intervals of the slopes held .91-.98 on the truths they were chosen on (25 and 50 topics); with as
        many degrees of freedom as topics, less the columns, .86-.95, with Bell and McCaffrey's .89-.97.
        """
        half = carried_t(self.moved, level) * np.where(self.error == 0, np.nan, self.error)
        return self.slope - half, self.slope + half


def regress(value: Array, within: Array, design: Array) -> MetaRegression | None:
    """Regress values on columns; `value` and `within` are [run, topic], `design` [run, topic, column].

    None where topics are no more than columns, or a column is determined by the others.
    """
    n_topics, n_columns = design.shape[1:]
    if n_topics <= n_columns or (_independent(design) < _ALIKE).any():
        return None
    between = _restricted(value, within, design)
    weight = 1 / np.maximum(within + between[:, None], 1e-12)
    slope, cross = _fit(value, weight, design)
    weighted = design * weight[..., None]
    leverage = ((design @ cross) * weighted).sum(-1)
    rest = (value - (design @ slope[..., None])[..., 0]) / np.maximum(1 - leverage, _ALIKE)
    moved = (weighted * rest[..., None]) @ cross  # what each topic moves the slopes by
    return MetaRegression(slope, np.sqrt((moved**2).sum(1)), between, np.moveaxis(moved, 1, 0))


def _independent(design: Array) -> Array:
    """The least share that is left of a column when the others are taken off it. [run]"""
    size = np.sqrt((design**2).sum(1, keepdims=True))
    values = np.linalg.svd(design / np.where(size > 0, size, 1.0), compute_uv=False)
    return np.asarray(values[:, -1] ** 2)


def _fit(value: Array, weight: Array, design: Array) -> tuple[Array, Array]:
    """Weighted least squares: slopes [run, column], and the inverse of the weighted cross products."""
    weighted = design * weight[..., None]
    cross = np.asarray(np.linalg.inv(np.swapaxes(weighted, -1, -2) @ design), dtype=np.float64)
    slope = (cross @ (np.swapaxes(weighted, -1, -2) @ value[..., None]))[..., 0]
    return slope, cross


def _restricted(value: Array, within: Array, design: Array) -> Array:
    """The variance between topics where the restricted likelihood is highest, by halving; at least 0. [run]"""
    low, high = np.zeros(len(value)), 4 * value.var(-1, ddof=1) + 1e-9
    rises = _slope(value, within, design, low) > 0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        up = _slope(value, within, design, middle) > 0
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return np.where(rises, low, 0.0)


def _slope(value: Array, within: Array, design: Array, between: Array) -> Array:
    """The derivative of the restricted likelihood by the variance between topics. [run]"""
    weight = 1 / np.maximum(within + between[:, None], 1e-12)
    slope, cross = _fit(value, weight, design)
    rest = weight * (value - (design @ slope[..., None])[..., 0])
    twice = design * weight[..., None]
    trace = weight.sum(-1) - np.einsum("rij,rji->r", cross, np.swapaxes(twice, -1, -2) @ twice)
    return np.asarray(((rest**2).sum(-1) - trace) / 2)


def between_interval(value: Array, within: Array, between: Array, level: float) -> tuple[Array, Array]:
    """The ends of the variance between topics; at least 0. Both [run]

    What values vary by is the sum of both variances. Its interval is a jackknife of its logarithm over topics, since
    a variance is smooth in each of them, and the part by documents is taken off both ends. Nothing is assumed of how
    true values are distributed; the profile of Q, which takes them for normal, is too narrow. NaN below three topics.
    """
    n = value.shape[1]
    if n < 3:
        return np.full(len(value), np.nan), np.full(len(value), np.nan)
    spread = value.var(-1, ddof=1)
    away = (value - value.mean(-1, keepdims=True)) ** 2 * n / (n - 1)
    left_out = np.maximum(((n - 1) * spread[:, None] - away) / (n - 2), _TINY)  # without each topic
    half = t_quantile(level, n - 1) * jackknife_error(np.log(left_out).T)
    documents = within.mean(-1)
    low, high = ((between + documents) * np.exp(end) - documents for end in (-half, half))
    return np.maximum(low, 0.0), np.maximum(high, 0.0)


def hierarchy_table(estimates: TopicEstimates, within: Array, effects: RandomEffects, level: float) -> pl.DataFrame:
    """One row per run: mean and spread of the true values over topics, and what explains them."""
    return table(_rows(estimates, within, effects, level), _COLUMNS)


def _rows(
    estimates: TopicEstimates, within: Array, effects: RandomEffects, level: float
) -> Iterator[tuple[object, ...]]:
    value, n_topics = estimates.loo, len(estimates.topics)
    unknown = np.full(len(value), np.nan)
    ends = between_interval(value, within, effects.between, level)
    columns = [*effects.interval(level), *(np.sqrt(x) for x in (effects.between, *ends))]
    if n_topics == 1:
        columns[2] = unknown
    slopes, left = _explained(value, within, estimates.n_rel.astype(np.float64), level)
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = np.where(effects.between > 0, 1 - left / effects.between, np.nan)
    columns += [np.sqrt(within.mean(-1)), *slopes, np.sqrt(left), np.maximum(explained, 0.0)]
    for i, run in enumerate(estimates.runs):
        yield run, n_topics, float(effects.mean[i]), *(float(c[i]) for c in columns)


def _explained(value: Array, within: Array, size: Array, level: float) -> tuple[list[Array], Array]:
    """Slope, low, high of generality alone, and of hardness beside it; and the variance that both leave. [run]

    Hardness is centred, and what a run has does not count among what others have.
    """
    n_runs, unknown = len(value), np.full(len(value), np.nan)
    log = np.broadcast_to(np.log2(size), value.shape)
    columns = [np.ones(value.shape), log - log.mean(-1, keepdims=True)]
    if n_runs > 1:
        others = (value.sum(0) - value) / (n_runs - 1)
        columns.append(others - others.mean(-1, keepdims=True))
    alone = regress(value, within, np.stack(columns[:2], -1))
    both = regress(value, within, np.stack(columns, -1)) if n_runs > 1 else alone
    slopes = []
    for fit, column in ((alone, 1), (both if n_runs > 1 else None, 2)):
        if fit is None:
            slopes += [unknown] * 3
        else:
            ends = fit.interval(level)
            slopes += [fit.slope[:, column], *(end[:, column] for end in ends)]
    return slopes, both.between if both is not None else unknown
