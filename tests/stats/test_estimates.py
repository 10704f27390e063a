"""Estimates with intervals over topics: of replicates, and of means over splits."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.estimates import JackknifeEstimate, SplitEstimate, estimate
from assay.stats.intervals import jackknife_interval


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


def test_the_reverse_of_a_difference_has_the_reverse_interval() -> None:
    one = SplitEstimate(0.5, np.random.default_rng(0).normal(0, 0.01, (20, 50)), exact=True)
    low, high = one.interval(0.95) or (0.0, 0.0)
    assert (-one).interval(0.95) == pytest.approx((-high, -low))


def test_an_estimate_of_its_own_kind_has_its_own_bounds() -> None:
    changes = np.random.default_rng(0).normal(0, 0.01, (20, 50))
    bounded = SplitEstimate(0.5, changes, exact=True, bounds=lambda level: (0.0, level))
    assert bounded.interval(0.9) == (0.0, 0.9)
    assert estimate(bounded) is bounded
