"""Prediction-powered means: people judged some topics, a model judged these and many more.

The estimand is the mean of the human scores over the population of topics. It is met whatever the model is worth, as
long as the topics judged by people and the extra ones are random samples of the same population: with Y the human
scores on n topics, F the model's on the same ones and U its scores on N extra ones,

    PPI    mean(Y) + mean(U) - mean(F)                     (Angelopoulos et al., Science 2023)
    PPI++  mean(Y) + lambda (mean(U) - mean(F))            (Angelopoulos, Duchi and Zrnic, 2023)

where lambda = cov(Y, F) / ((1 + n/N) var(F and U together)), clipped to [0, 1]. A model that is worth nothing has a
lambda near 0, and the estimate is that of people alone.

Two conventions give the interval. That of the package ppi-python has normal quantiles, and deviations with divisors n
and N: too narrow for the number of topics that is usual in retrieval. That for topics, the default, has Student's t
and unbiased variances: n - 1 where nothing is fitted, and n - 2 for PPI++, whose lambda is a slope that was fitted to
the same n topics.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from assay.core.arrays import Array, Bools, Counts
from assay.stats.intervals import t_quantile

Convention = Literal["topics", "package"]
"""How the interval is computed: for few topics, or as the package ppi-python does."""


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """Means with their standard errors and intervals; NaN where there is none. [row]"""

    value: Array
    error: Array
    low: Array
    high: Array

    @property
    def width(self) -> Array:
        """From end to end."""
        return np.asarray(self.high - self.low)


@dataclass(frozen=True, slots=True)
class CorrectedMeans:
    """Means of human scores, by people alone and with the help of a model, for many runs or differences. [row]"""

    n: Counts  # topics that both judged
    n_extra: Counts  # topics that the model alone judged
    model: Array  # its mean over all of them
    human: MeanEstimate
    ppi: MeanEstimate  # lambda 1
    tuned: MeanEstimate  # PPI++
    weight: Array  # lambda
    correlation: Array  # of human and model's scores over topics; 0 where either does not vary
    sd: Array  # of human scores over topics, divisor n - 1
    sd_model: Array  # of the model's over all topics, divisor n + N - 1

    @property
    def width_ratio(self) -> Array:
        """How wide the interval of PPI++ is, with that of people alone as 1."""
        return _ratio(self.tuned.width, self.human.width)

    @property
    def effective(self) -> Array:
        """How many topics judged by people alone would have the standard error of PPI++."""
        return self.n * _ratio(self.human.error, self.tuned.error) ** 2

    @property
    def ceiling(self) -> Array:
        """How many topics the model's could make of n at most, with as many extra topics as one likes."""
        return _ratio(self.n.astype(np.float64), 1 - self.correlation**2)


def corrected(human: Array, model: Array, *, level: float, convention: Convention = "topics") -> CorrectedMeans:
    """Correct the model's mean by what people say of some topics. Two of [row, topic], NaN where one says nothing.

    Topics that people alone judged are left out. Without two extra topics there is nothing to correct, and the
    estimates are those of people alone. Nominal intervals of the default convention hold the mean about as often as
    Student's for people alone: too rarely, as that does, where few topics have most of the variance.

    >>> people = np.array([[0.2, 0.4, 0.3, 0.7, np.nan, np.nan, np.nan, np.nan]])
    >>> machine = np.array([[0.3, 0.5, 0.4, 0.8, 0.6, 0.7, 0.8, 0.7]])  # higher by 0.1, and 0.2 on the others
    >>> corrected(people, machine, level=0.95).ppi.value.round(3)
    array([0.6])
    """
    both = ~np.isnan(human) & ~np.isnan(model)
    extra = np.isnan(human) & ~np.isnan(model)
    n, n_extra = both.sum(-1), extra.sum(-1)
    is_helped = (n > 2) & (n_extra > 1)
    y, mean_y = _centred(human, both)
    f, mean_f = _centred(model, both)
    u, mean_u = _centred(model, extra)
    every, mean_every = _centred(model, both | extra)
    weight = np.where(is_helped, _weight(y, f, every, n, n_extra), 0.0)
    shift = np.where(is_helped, mean_u - mean_f, 0.0)
    rule = _Rule(level, convention, n, n_extra, np.where(is_helped, (u**2).sum(-1), 0.0))
    alone = rule.estimate(mean_y, y, np.zeros(n.shape), fitted=1)
    tuned = rule.estimate(mean_y + weight * shift, y - weight[..., None] * f, weight, fitted=2)
    return CorrectedMeans(
        n=n,
        n_extra=n_extra,
        model=mean_every,
        human=alone,
        ppi=_either(is_helped, rule.estimate(mean_y + shift, y - f, np.ones(n.shape), fitted=1), alone),
        tuned=_either(weight > 0, tuned, alone),
        weight=weight,
        correlation=_correlation(y, f),
        sd=np.sqrt(_ratio((y**2).sum(-1), _positive(n - 1))),
        sd_model=np.sqrt(_ratio((every**2).sum(-1), _positive(n + n_extra - 1))),
    )


@dataclass(frozen=True, slots=True)
class _Rule:
    """How an interval is computed from residuals."""

    level: float
    convention: Convention
    n: Counts
    n_extra: Counts
    square_extra: Array  # sum of squares of the model's scores on the extra topics

    def estimate(self, value: Array, residual: Array, weight: Array, *, fitted: int) -> MeanEstimate:
        """A mean whose error is that of n residuals, and of N extra scores by their weight."""
        package = self.convention == "package"
        lost, lost_extra = (0, 0) if package else (fitted, 1)
        own = _ratio((residual**2).sum(-1), _positive(self.n - lost)) / np.maximum(self.n, 1)
        others = _ratio(self.square_extra, _positive(self.n_extra - lost_extra)) / np.maximum(self.n_extra, 1)
        error = np.sqrt(own + np.where(weight > 0, weight**2 * others, 0.0))
        if package:
            half = NormalDist().inv_cdf((1 + self.level) / 2) * error
        else:
            half = _quantile(self.level, self.n - fitted) * error
        return MeanEstimate(value, error, value - half, value + half)


def _weight(y: Array, f: Array, every: Array, n: Counts, n_extra: Counts) -> Array:
    """The weight of the model that makes the error smallest, clipped to [0, 1]; 0 where its scores do not vary."""
    shared = (y * f).sum(-1) / np.maximum(n, 1)
    spread = (every**2).sum(-1) / np.maximum(n + n_extra - 1, 1)
    best = _ratio(shared, (1 + n / np.maximum(n_extra, 1)) * spread)
    return np.clip(np.nan_to_num(best, nan=0.0), 0.0, 1.0)


def _correlation(y: Array, f: Array) -> Array:
    """Pearson's correlation over topics; 0 where either does not vary."""
    spread = np.sqrt((y**2).sum(-1) * (f**2).sum(-1))
    value = np.divide((y * f).sum(-1), spread, out=np.zeros(spread.shape), where=spread > 0)
    return np.clip(value, -1.0, 1.0)


def _centred(x: Array, there: Bools) -> tuple[Array, Array]:
    """Subtract the mean of what is there; all else is 0. [row, topic] and [row]"""
    n = there.sum(-1)
    mean = np.divide(np.where(there, x, 0.0).sum(-1), n, out=np.full(n.shape, np.nan), where=n > 0)
    centred = np.where(there, x - mean[..., None], 0.0)
    same = np.abs(centred).max(-1, initial=0.0) <= 1e-12 * np.maximum(np.abs(mean), 1e-300)  # rounding, not variation
    return np.where(same[..., None], 0.0, centred), mean


def _quantile(level: float, dof: Counts) -> Array:
    """Student's t for every number of degrees of freedom; NaN below one. [row]"""
    sizes, which = np.unique(dof, return_inverse=True)
    known = np.array([t_quantile(level, int(size)) if size > 0 else np.nan for size in sizes])
    return known[which.reshape(dof.shape)]


def _positive(x: Counts) -> Array:
    """Degrees of freedom, NaN where there are none."""
    return np.where(x > 0, x, np.nan)


def _ratio(a: Array, b: Array) -> Array:
    """a over b: endless where b alone is 0, NaN where both are."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(a / b)


def _either(first: Bools, one: MeanEstimate, other: MeanEstimate) -> MeanEstimate:
    """Take one where it is so, else the other. [row]"""
    return MeanEstimate(
        *(
            np.where(first, a, b)
            for a, b in (
                (one.value, other.value),
                (one.error, other.error),
                (one.low, other.low),
                (one.high, other.high),
            )
        )
    )
