"""The jackknife of what few topics decide: scipy, Hall's transformation, and populations that are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.analyses.error.bias import skewed_interval
from assay.core.arrays import Array
from assay.stats.intervals import (
    carrying_topics,
    jackknife_interval,
    skewed_jackknife_interval,
    skewness_shift,
)
from assay.stats.paired.pair_variances import variance_interval, variances_without


def means_without(x: Array) -> Array:
    """Means without each value. [value, ...]"""
    return np.asarray((x.sum(0) - x) / (len(x) - 1))


def test_as_many_topics_carry_an_error_as_are_alike() -> None:
    assert carrying_topics(np.array([1.0, -1.0, 1.0, 1.0])) == pytest.approx(4)
    normal = np.random.default_rng(2).normal(size=100_000)
    assert carrying_topics(normal) / normal.size == pytest.approx(1 / 3, rel=0.03)


def test_of_a_mean_it_is_the_t_interval_with_other_degrees_of_freedom_shifted_by_the_skewness() -> None:
    x = np.random.default_rng(1).gamma(1.0, size=30)
    low, high = skewed_jackknife_interval(np.array(x.mean()), means_without(x), level=0.9)
    away = x - x.mean()
    t = stats.t((away**2).sum() ** 2 / (away**4).sum()).ppf(0.95)
    shift = stats.skew(x) * (1 + 2 * stats.norm.ppf(0.95) ** 2) / (6 * np.sqrt(30))
    ends = x.mean() + (shift + np.array([-t, t])) * stats.sem(x)
    assert (low, high) == pytest.approx(tuple(ends))


def test_the_shift_is_the_first_order_of_the_transformation_of_hall() -> None:
    """With Student's quantile in place of the normal one, of many values: the next order is a hundredth of it."""
    x = np.random.default_rng(3).gamma(1.0, size=40_000)
    without = means_without(x)
    ends = skewed_interval(np.concatenate([[x.mean()], without]), level=0.95)
    shift = skewness_shift(without.mean(0) - without, 0.95) * stats.sem(x)
    assert np.mean(ends) - x.mean() == pytest.approx(shift, rel=0.01)


def test_values_that_are_symmetric_shift_nothing_and_equal_ones_have_no_width() -> None:
    assert skewness_shift(np.array([-1.0, 0.0, 1.0]), 0.95) == pytest.approx(0)
    assert np.array_equal(skewed_jackknife_interval(np.array(2.0), np.full(9, 2.0), level=0.95), [2.0, 2.0])
    assert np.isnan(skewed_jackknife_interval(np.array(2.0), np.zeros(0), level=0.95)).all()


@pytest.mark.parametrize("n", [25, 50])
def test_upper_ends_of_variances_are_too_low_half_as_often_as_those_of_student(n: int) -> None:
    """Differences of which few are large: of 2,000 samples (normal, Laplace, t with 5 degrees of freedom)."""
    rng = np.random.default_rng(n)
    for d, true in (
        (rng.normal(size=(2000, n)), 1.0),
        (rng.laplace(size=(2000, n)), 2.0),
        (rng.standard_t(5, size=(2000, n)), 5 / 3),
    ):
        variance = d.var(-1, ddof=1)
        without = variances_without(d, np.arange(n))[0].T
        low, high = variance_interval(variance, without, level=0.95)
        plain = np.exp(jackknife_interval(np.log(variance), np.log(without), level=0.95)[1])
        assert ((low <= true) & (true <= high)).mean() >= 0.94
        assert (high < true).mean() <= max(0.6 * (plain < true).mean(), 0.025)
