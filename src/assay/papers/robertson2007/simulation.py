"""The simulations of robertson2007, repeated for many populations, and what is exact beside them.

Both come from the functions behind `assay population`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np
from scipy import special

from assay.analyses.population.expected import DocumentSample, hypergeometric, of_samples
from assay.analyses.population.thinning import (
    MEASURES,
    Generality,
    Population,
    SampleMoments,
    SamplingPlan,
    populations,
    sample_moments,
    side_by_side,
)
from assay.core.arrays import Array
from assay.core.progress import steps
from assay.papers.robertson2007.published import DIGIT, HALVINGS, PrintedColumn
from assay.stats.document_population import DocumentPopulation
from assay.stats.estimates import Interval
from assay.stats.score_models import Pair, normal_exponential, normal_normal

POPULATIONS = 100
SAMPLES = 10_000
SEED = 0

PLANS: dict[str, SamplingPlan] = {
    "fixed": SamplingPlan(n_samples=SAMPLES),
    "varying": SamplingPlan(n_samples=SAMPLES, n_nonrelevant=3_200_000, generality="varying"),
}
"""Simulations 1, 2 and 4, of fixed generality; and simulation 3."""

PAIRS = {"normal and exponential": normal_exponential(), "normal and normal": normal_normal()}
"""The paper's two models; of the second it gives no parameters."""
FIRST, SECOND = PAIRS


@dataclass(frozen=True, slots=True)
class PopulationRange:
    """A number that each population gives; the interval holds a share of the populations."""

    values: Array  # [population]

    @property
    def value(self) -> float:
        """The mean over populations."""
        return float(self.values.mean())

    @property
    def sampled(self) -> bool:
        """The populations are a sample of all that a model gives."""
        return True

    def interval(self, level: float) -> Interval | None:
        """The range over populations, as many beyond either end."""
        low, high = np.quantile(self.values, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)


@dataclass(frozen=True, slots=True)
class PopulationMean:
    """The mean of a number over populations; the interval is that of the mean."""

    values: Array  # [population]

    @property
    def value(self) -> float:
        """The mean over populations."""
        return float(self.values.mean())

    @property
    def sampled(self) -> bool:
        """The populations are a sample of all that a model gives."""
        return True

    def interval(self, level: float) -> Interval | None:
        """The mean and what its standard error allows."""
        half = float(special.ndtri((1 + level) / 2) * self.values.std(ddof=1) / sqrt(self.values.size))
        return self.value - half, self.value + half


@cache
def simulated(generality: Generality) -> SampleMoments:
    """Draw and sample all populations of a simulation; takes about twenty seconds.

    As many samples as in the paper: what chance leaves of a mean over these is part of how far a cell may be off.
    """
    every, plan = simulated_populations(generality), PLANS[generality]
    under_way = steps(range(len(every)), doing="sampling population ", lines=False)
    return side_by_side([sample_moments(one, plan, (SEED, i)) for i, one in zip(under_way, every, strict=True)])


@cache
def simulated_populations(generality: Generality) -> tuple[Population, ...]:
    """Draw the populations of a simulation."""
    return tuple(populations(PAIRS[FIRST].curve, PLANS[generality], POPULATIONS, SEED))


def means(printed: PrintedColumn) -> Array:
    """The mean over the samples of each population; n = 0 is the population itself. [n, population]"""
    return means_of(printed.measure, _generality(printed))


def means_of(measure: str, generality: Generality = "fixed") -> Array:
    """The same of any measure that `population` has. [n, population]"""
    moments = simulated(generality)
    return moments.mean[:, :, moments.measures.index(measure)].T


def deviations(printed: PrintedColumn) -> Array:
    """The standard deviation over the samples of each population; NaN of the population itself. [n, population]"""
    moments = simulated(_generality(printed))
    return moments.sd[:, :, moments.measures.index(printed.measure)].T


def _generality(printed: PrintedColumn) -> Generality:
    return "varying" if printed.generality == "varying" else "fixed"


@dataclass(frozen=True, slots=True)
class ConditionalCell:
    """A cell, as populations let expect it that have the All of its table."""

    expected: float
    error: float  # standard deviation of the printed number: of populations, samples and rounding
    z: float


def conditional_cell(printed: PrintedColumn, values: Array, cell: float, whole: float) -> ConditionalCell:
    """Regress a cell on All, over populations, and hold the printed number against it.

    Both printed numbers are rounded, which adds to the error a uniform distribution's.
    """
    x = means(printed)[0]
    away = x - x.mean()
    slope = float(away @ values / (away @ away))
    rest = values - values.mean() - slope * away
    n = x.size
    variance = float(rest @ rest) / (n - 2) * (1 + 1 / n + (whole - x.mean()) ** 2 / float(away @ away))
    error = sqrt(variance + (1 + slope**2) * DIGIT**2 / 12)
    value = float(values.mean() + slope * (whole - x.mean()))
    return ConditionalCell(value, error, (cell - value) / error)


# --- what is exact


def sizes(generality: str, halving: int) -> DocumentSample:
    """Say what a sample holds."""
    plan = PLANS[generality]
    rate = 2.0**-halving
    return DocumentSample(plan.n_relevant * rate, plan.n_nonrelevant, 1.0 if generality == "varying" else rate)


@cache
def expected(generality: str, halving: int, model: str) -> dict[str, float]:
    """The means of all measures over all populations and samples, by quadrature."""
    return dict(zip(MEASURES, of_samples(PAIRS[model], PLANS[generality], halving), strict=True))


def expectations(printed: PrintedColumn, model: str = FIRST, *, first: int = 0) -> Array:
    """The exact means for All and n = 1 .. 5. [n]"""
    return np.array([expected(printed.generality, n, model)[printed.measure] for n in range(first, 1 + HALVINGS[-1])])


def model_of(generality: str, halving: int = 0, pair: Pair | None = None) -> DocumentPopulation:
    """The population that a sample is in proportion to."""
    sample = sizes(generality, halving)
    return DocumentPopulation.of(pair or PAIRS[FIRST], sample.n_relevant, sample.n_nonrelevant * sample.rate)


def above_score(hits: int, false: int, halving: int, *, numbers: str = "relevant") -> tuple[float, float]:
    """Mean and standard deviation of precision in samples, above a score that so many of either kind exceed.

    `numbers` says of which documents fixed numbers are drawn: relevant ones (as in the paper), both or none; the
    others are each drawn by a coin. Samples without a document above count 0, but where coins draw all, nothing.
    """
    rate, plan = 2.0**-halving, PLANS["fixed"]
    m, n = plan.n_relevant, plan.n_nonrelevant
    of_relevant = _coins(hits, rate) if numbers == "none" else hypergeometric(m, hits, round(m * rate))
    of_rest = hypergeometric(n, false, round(n * rate)) if numbers == "both" else _coins(false, rate)
    k, x = np.arange(of_relevant.size)[:, None], np.arange(of_rest.size)
    chance = of_relevant[:, None] * of_rest
    if numbers == "none":
        chance[0, 0] = 0.0
        chance /= chance.sum()
    value = k / np.maximum(k + x, 1)
    mean = float((chance * value).sum())
    return mean, sqrt(float((chance * (value - mean) ** 2).sum()))


def _coins(n: int, rate: float) -> Array:
    """The chances of 0, 1, ..., n of n, each by a coin."""
    k = np.arange(n + 1)
    ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.asarray(np.exp(ways + special.xlogy(k, rate) + special.xlog1py(n - k, -rate)))


def spread_beyond_rounding(hits: int, false: int, sd: tuple[float, ...]) -> float:
    """How far printed standard deviations are, at most, from those above a score, in standard errors.

    What rounding to the last digit explains does not count; the error is that of a normal sample's deviation.
    """
    exact = [above_score(hits, false, n)[1] for n in HALVINGS]
    off = [(max(abs(a - b) - DIGIT / 2, 0.0), b) for a, b in zip(sd, exact, strict=True)]
    return max(gap / (b / sqrt(2 * SAMPLES)) for gap, b in off)


def others_between(place: int) -> float:
    """How many non-relevant documents are expected between a population's relevant one and the next."""
    plan, pair = PLANS["fixed"], PAIRS[FIRST]
    node, weight = np.polynomial.legendre.leggauss(200)
    chance = (node + 1) / 2
    ends = [
        float(weight / 2 @ pair.curve(special.betaincinv(k, plan.n_relevant - k + 1, chance)))
        for k in (place, place + 1)
    ]
    return plan.n_nonrelevant * (ends[1] - ends[0])


@cache
def best_fit(hits: int, mean: tuple[float, ...], sd: tuple[float, ...]) -> tuple[int, int]:
    """How many non-relevant documents above a score give the most printed digits; and how many these are."""
    digits = {}
    about = hits / mean[0] - hits  # precision of the largest samples is nearly that of all documents
    for false in range(int(0.8 * about), int(1.2 * about)):
        exact = [value for n in HALVINGS for value in above_score(hits, false, n)]
        cells = [cell for both in zip(mean, sd, strict=True) for cell in both]
        digits[false] = sum(abs(a - b) <= DIGIT / 2 for a, b in zip(exact, cells, strict=True))
    return max(digits.items(), key=lambda one: one[1])
