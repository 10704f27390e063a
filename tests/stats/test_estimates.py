"""Estimates with intervals over topics: of replicates, and of means over splits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind

from assay.stats.estimates import (
    IndependentDifference,
    JackknifeEstimate,
    RoughEstimate,
    SplitEstimate,
    average,
    estimate,
)
from assay.stats.intervals import jackknife_interval
from assay.stats.leave_one_out import replicates


def test_replicates_have_a_jackknife_interval_and_numbers_have_none() -> None:
    values = np.random.default_rng(0).random(21)
    one = estimate(values)
    low, high = jackknife_interval(values[0], values[1:], level=0.9)
    assert one.value == values[0]
    assert one.interval(0.9) == pytest.approx((float(low), float(high)))
    assert estimate(3).interval(0.95) is None
    assert estimate(np.array([0.5, np.nan, 0.4])).interval(0.95) is None
    assert JackknifeEstimate(values[:2]).interval(0.95) is None


def test_differences_are_paired_over_topics() -> None:
    changes = np.random.default_rng(0).normal(0, 0.01, (20, 50))
    one, other = SplitEstimate(0.5, changes, exact=True), SplitEstimate(0.4, changes, exact=True)
    assert (one - other).interval(0.95) == pytest.approx((0.1, 0.1), abs=1e-12)
    assert one.less(0.5).value == 0.0
    both = (one + other).interval(0.95)
    assert both is not None
    assert both[0] < 0.9 < both[1]
    assert SplitEstimate(0.5, np.zeros((0, 50)), exact=True).interval(0.95) is None


def test_an_average_has_the_interval_of_the_mean_replicates_and_kinds_do_not_mix() -> None:
    values = np.random.default_rng(1).random((2, 21))
    mean = average([estimate(one) for one in values])
    assert mean.interval(0.9) == estimate(values.mean(0)).interval(0.9)
    splits = SplitEstimate(0.5, np.random.default_rng(0).normal(0, 0.01, (20, 50)), exact=True)
    assert average([splits, splits]).interval(0.9) == pytest.approx(splits.interval(0.9))
    with pytest.raises(TypeError, match="different kinds"):
        average([splits, estimate(values[0])])


def test_only_what_is_of_a_sample_has_an_error() -> None:
    assert not estimate(3).sampled
    assert estimate(np.array([0.5, 0.4])).sampled
    assert SplitEstimate(0.5, np.zeros((0, 50)), exact=True).sampled


def test_the_reverse_of_a_difference_has_the_reverse_interval() -> None:
    one = SplitEstimate(0.5, np.random.default_rng(0).normal(0, 0.01, (20, 50)), exact=True)
    low, high = one.interval(0.95) or (0.0, 0.0)
    assert (-one).interval(0.95) == pytest.approx((-high, -low))


def test_an_estimate_of_its_own_kind_has_its_own_bounds() -> None:
    changes = np.random.default_rng(0).normal(0, 0.01, (20, 50))
    bounded = SplitEstimate(0.5, changes, exact=True, bounds=lambda level: (0.0, level))
    assert bounded.interval(0.9) == (0.0, 0.9)
    assert estimate(bounded) is bounded


def test_a_difference_of_two_samples_is_that_of_two_means() -> None:
    """Of two means, the interval is d +- root((t1 s1)^2 / n1 + (t2 s2)^2 / n2), Student's t of each sample."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(3.0, 1.0, 12), rng.normal(1.0, 2.0, 30)
    both = IndependentDifference(*(estimate(replicates(np.mean, one)) for one in (x, y)))
    half = np.sqrt(sum((student.ppf(0.95, one.size - 1) * one.std(ddof=1)) ** 2 / one.size for one in (x, y)))
    assert both.value == pytest.approx(x.mean() - y.mean())
    assert both.interval(0.9) == pytest.approx((both.value - half, both.value + half))
    # Welch's interval is of the same size; its t is between those of the two samples
    welch = ttest_ind(x, y, equal_var=False).confidence_interval(0.9)
    assert both.interval(0.9) == pytest.approx((welch.low, welch.high), abs=0.05)


def test_the_interval_of_a_difference_covers_it_at_its_level() -> None:
    rng = np.random.default_rng(1)
    inside = []
    for _ in range(600):
        x, y = rng.exponential(2.0, 40), rng.exponential(1.0, 25)
        both = IndependentDifference(*(estimate(replicates(np.mean, one)) for one in (x, y)))
        low, high = both.interval(0.95) or (np.nan, np.nan)
        inside.append(low <= 1.0 <= high)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.025)


def test_a_difference_with_an_exact_number_has_the_error_of_the_other() -> None:
    one = estimate(np.random.default_rng(0).random(21))
    low, high = one.interval(0.95) or (0.0, 0.0)
    assert IndependentDifference(one, estimate(1)).interval(0.95) == pytest.approx((low - 1, high - 1))
    assert IndependentDifference(estimate(3), estimate(1)).interval(0.95) is None
    assert not IndependentDifference(estimate(3), estimate(1)).sampled
    assert IndependentDifference(one, RoughEstimate(0.5)).interval(0.95) is None


def test_a_rough_number_is_of_a_sample_and_has_no_interval() -> None:
    rough = RoughEstimate(0.4)
    assert (rough.value, rough.sampled, rough.interval(0.95)) == (0.4, True, None)
