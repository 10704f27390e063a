"""One run against another: the numbers are Student's, topics without both scores do not count, ties are ties."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.stats.significance.paired_difference import paired_difference
from assay.stats.significance.paired_t import t_test
from tests.builders.arrays import measure_scores


def test_difference_interval_and_p_are_those_of_the_paired_t_test() -> None:
    a, b = measure_scores(1, 2, 30)[0]
    one = paired_difference(a, b, level=0.9)
    expected = stats.ttest_rel(a, b)
    low, high = expected.confidence_interval(0.9)
    assert [one.difference, one.low, one.high, one.p] == pytest.approx([(a - b).mean(), low, high, expected.pvalue])
    assert one.effect == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
    assert one.p == pytest.approx(t_test(np.stack([a, b]))[0])


def test_many_pairs_at_once_are_the_pairs_one_by_one() -> None:
    x = measure_scores(1, 5, 12)[0]
    x[1, :4] = np.nan
    x[3, 2:9] = np.nan
    first, second = np.triu_indices(5, 1)
    every = paired_difference(x[first], x[second], level=0.95)
    for i, (a, b) in enumerate(zip(first, second, strict=True)):
        both = ~np.isnan(x[a] - x[b])
        one = paired_difference(x[a, both], x[b, both], level=0.95)
        for name in one.__slots__:
            assert getattr(every, name)[i] == pytest.approx(getattr(one, name), nan_ok=True)
        assert every.n[i] == both.sum() == every.wins[i] + every.ties[i] + every.losses[i]


def test_rounding_is_a_tie_and_a_small_difference_is_not() -> None:
    one = paired_difference(np.array([0.1 + 0.2, 0.5, 0.5]), np.array([0.3, 0.5 - 1e-9, 0.7]), level=0.95)
    assert (int(one.wins), int(one.ties), int(one.losses)) == (1, 1, 1)


def test_differences_without_variance_are_not_significant() -> None:
    same, shifted = np.linspace(0, 0.5, 8), np.linspace(0, 0.5, 8) + 0.25
    one = paired_difference(shifted, same, level=0.95)
    assert (one.difference, one.low, one.high, one.p) == pytest.approx((0.25, 0.25, 0.25, 1.0))
    assert np.isnan(one.effect)
    assert paired_difference(same, same, level=0.95).p == 1


def test_too_few_topics_have_a_difference_at_most() -> None:
    gone = np.array([np.nan, 0.5])
    one = paired_difference(np.array([0.3, 0.75]), gone, level=0.95)
    assert (float(one.difference), int(one.n), int(one.wins)) == (0.25, 1, 1)
    assert np.isnan([one.low, one.high, one.p]).all()
    none = paired_difference(np.array([0.3, np.nan]), gone, level=0.95)
    assert np.isnan(none.difference)
    assert none.n == none.ties == 0
