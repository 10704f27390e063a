"""Pairwise deletion, beside scipy's tests of one pair at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.core.arrays import Array
from assay.stats.intervals import t_quantile
from assay.stats.resampling import signs
from assay.stats.significance import gaps
from assay.stats.significance.declare import find_test, significance_tests
from assay.stats.significance.gaps import (
    critical_differences_with_gaps,
    group_pairs,
    p_values_with_gaps,
    t_log_p,
)
from assay.stats.significance.pairs import (
    Correction,
    Pairs,
    can_test,
    corrected,
    pairs,
    pairs_with_gaps,
    shared_topics,
)

RNG = np.random.default_rng(15)


def holed(n_runs: int = 6, n_topics: int = 30, share: float = 0.3) -> Array:
    """Scores of runs of which every second one lacks topics, each others."""
    x = RNG.normal(np.linspace(0.3, 0.6, n_runs)[:, None], 0.2, (n_runs, n_topics))
    x[1::2][RNG.random(x[1::2].shape) < share] = np.nan
    return x


def both_have(x: Array) -> Iterator[tuple[Array, Array]]:
    """The scores of every two runs on the topics that both have."""
    for a, b in combinations(x, 2):
        there = ~np.isnan(a) & ~np.isnan(b)
        yield a[there], b[there]


def test_every_pair_of_runs_comes_once() -> None:
    x = holed()
    places = np.concatenate([part.outer for part in group_pairs(x)])
    assert sorted(places.tolist()) == list(range(15))
    assert all(not np.isnan(part.x).any() for part in group_pairs(x))


@pytest.mark.parametrize(
    ("name", "of_scipy"),
    [("t", stats.ttest_rel), ("sign", None), ("wilcoxon", None)],
)
def test_a_pair_has_the_p_value_of_its_own_topics(name: str, of_scipy: Callable[..., Any] | None) -> None:
    x, test = holed(), find_test(name)
    found = p_values_with_gaps(test, x)
    for p, (a, b) in zip(found, both_have(x), strict=True):
        expected = of_scipy(a, b).pvalue if of_scipy else test.p_values(np.stack([a, b])).item()
        assert p == pytest.approx(expected, rel=1e-9)


def test_a_bootstrap_of_a_pair_is_that_of_its_own_topics() -> None:
    x, test = holed(4, 12), find_test("bootstrap")
    found = p_values_with_gaps(test, x, resamples=200, seed=3)
    alone = [test.p_values(np.stack(pair), resamples=200, seed=3).item() for pair in both_have(x)]
    assert found.tolist() == alone


def test_a_randomisation_of_pairs_shares_the_signs_of_all_topics() -> None:
    x = holed(4, 12)
    found = p_values_with_gaps(find_test("randomisation"), x, resamples=200, seed=3)
    flips = np.concatenate(list(signs(12, 200, 3)))
    for p, (a, b) in zip(found, combinations(x, 2), strict=True):
        d = np.nan_to_num(a - b)  # a topic that a pair lacks is 0 under either sign
        assert p == (np.sum(np.abs(flips @ d) >= abs(d.sum()) - 1e-11) + 1) / 201


@pytest.mark.parametrize("name", [n for n, test in significance_tests().items() if test.of_differences])
def test_a_test_of_differences_is_the_test_itself(name: str) -> None:
    x, test = RNG.normal(np.linspace(0, 0.3, 5)[:, None], 0.3, (5, 30)), find_test(name)
    x[1] = x[0]  # a pair without variance, too
    expected = test.p_values(x, resamples=600, seed=2)
    assert test.p_values_of(pairs(x), resamples=600, seed=2).tolist() == expected.tolist()
    rows, some = pairs_with_gaps(x).of_size(30)
    assert rows.tolist() == list(range(10))
    assert test.p_values_of(some, resamples=600, seed=2).tolist() == expected.tolist()


def test_pairs_with_as_many_common_topics_are_tested_at_a_time() -> None:
    x, sizes = holed(12, 40, 0.05), list[int]()
    test = find_test("bootstrap")

    def counted(some: Pairs, **drawn: int) -> Array:
        sizes.append(some.difference.shape[1])
        return np.full(some.mean.size, 1 / sizes[-1])

    found = p_values_with_gaps(replace(test, of_differences=counted), x)
    assert sizes == np.unique(shared_topics(x)).tolist()
    assert found.tolist() == (1 / shared_topics(x)).tolist()


def test_a_test_that_takes_no_differences_says_so() -> None:
    with pytest.raises(ValueError, match="tukey does not take differences"):
        find_test("tukey").p_values_of(pairs(RNG.random((3, 5))))


def test_moments_and_critical_differences_are_those_of_the_topics_that_both_have() -> None:
    x = holed()
    found, critical = pairs_with_gaps(x), critical_differences_with_gaps(find_test("t"), x, alpha=0.05)
    assert critical is not None
    for i, (a, b) in enumerate(both_have(x)):
        d = a - b
        assert shared_topics(x)[i] == d.size
        assert found.mean[i] == pytest.approx(d.mean())
        assert found.sd[i] == pytest.approx(d.std(ddof=1))
        assert found.t[i] == pytest.approx(stats.ttest_1samp(d, 0).statistic)
        assert critical[i] == pytest.approx(t_quantile(0.95, d.size - 1) * d.std(ddof=1) / np.sqrt(d.size))


def test_a_test_without_critical_differences_has_none_with_gaps_either() -> None:
    assert critical_differences_with_gaps(find_test("sign"), holed(), alpha=0.05) is None


@pytest.mark.parametrize("name", [n for n, test in significance_tests().items() if not test.resamples])
def test_without_gaps_every_number_is_that_of_the_test(name: str) -> None:
    x, test = RNG.random((5, 12)), find_test(name)
    assert np.array_equal(p_values_with_gaps(test, x), test.p_values(x))
    assert np.array_equal(pairs_with_gaps(x).t, pairs(x).t)


@pytest.mark.parametrize("name", ["t", "wilcoxon"])
def test_the_order_of_the_runs_does_not_matter(name: str) -> None:
    x = holed()
    order = RNG.permutation(len(x))
    p, moved = (np.zeros((len(x), len(x))) for _ in range(2))
    upper = np.triu_indices(len(x), 1)
    p[upper] = p_values_with_gaps(find_test(name), x)
    moved[upper] = p_values_with_gaps(find_test(name), x[order])
    assert (moved + moved.T) == pytest.approx((p + p.T)[np.ix_(order, order)], rel=1e-9)


@pytest.mark.parametrize("name", ["t", "sign"])
def test_a_pair_with_one_topic_in_common_or_none_has_no_p_value(name: str) -> None:
    x = np.array([[0.1, 0.2, 0.5, np.nan], [np.nan, np.nan, 0.9, 0.8], [0.9, 0.7, np.nan, np.nan]])
    assert shared_topics(x).tolist() == [1, 2, 0]
    assert np.isnan(p_values_with_gaps(find_test(name), x)).tolist() == [True, False, True]
    critical = critical_differences_with_gaps(find_test("t"), x, alpha=0.05)
    assert critical is not None
    assert np.isnan(critical).tolist() == [True, False, True]
    assert can_test(x).tolist() == [False, True, False]
    found = pairs_with_gaps(x)
    assert found.mean[0] == pytest.approx(-0.4)
    assert np.isnan(found.mean[2])
    assert found.sd[[0, 2]].tolist() == [0, 0]


@pytest.mark.parametrize("correction", ["none", "holm", "bh"])
def test_pairs_that_were_not_tested_do_not_count_in_a_correction(correction: Correction) -> None:
    p = np.array([0.03, np.nan, 0.01, np.nan, 0.2])
    found = corrected(p, correction)
    assert np.isnan(found).tolist() == np.isnan(p).tolist()
    assert found[[0, 2, 4]].tolist() == corrected(p[[0, 2, 4]], correction).tolist()


def test_the_logarithm_of_p_is_that_of_scipy_and_does_not_underflow(monkeypatch: pytest.MonkeyPatch) -> None:
    x = holed()
    expected = [stats.ttest_rel(a, b).pvalue for a, b in both_have(x)]
    assert np.exp(t_log_p(x)) == pytest.approx(np.array(expected))
    base = RNG.normal(0, 1e-6, 400)
    far = np.stack([base, np.full(400, 1.0), np.full(400, 2.0)])
    far[2, 300:] = np.nan
    log_p = t_log_p(far)
    assert p_values_with_gaps(find_test("t"), far)[:2].tolist() == [0, 0]
    assert np.isfinite(log_p).all()
    assert log_p[0] < log_p[1] < -2000  # 400 topics say more than 300
    # without the threshold the series gives what scipy gives
    monkeypatch.setattr(gaps, "_LEAST_P", 2.0)
    assert t_log_p(x) == pytest.approx(np.log(expected))
