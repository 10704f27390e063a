"""Sign test and Wilcoxon's against scipy, and what they do not test."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from assay.stats.significance.paired_t import t_test
from assay.stats.significance.rank_tests import sign_test, wilcoxon_test

Array = NDArray[np.float64]


def differences(x: Array) -> list[Array]:
    return [x[i] - x[j] for i, j in combinations(range(len(x)), 2)]


@pytest.mark.parametrize("n", [2, 3, 9, 10, 25, 50, 200])
def test_the_sign_test_is_scipys_binomial_test(n: int) -> None:
    x = np.random.default_rng(n).integers(11, size=(8, n)) / 8
    for p, d in zip(sign_test(x), differences(x), strict=True):
        up, down = int((d > 0).sum()), int((d < 0).sum())
        plain = up + down == 0 or np.ptp(d) == 0
        assert p == pytest.approx(1.0 if plain else scipy.stats.binomtest(up, up + down).pvalue, rel=1e-10)


@pytest.mark.parametrize("n", [5, 12, 25, 26, 50, 200])
def test_wilcoxons_test_with_zeros_and_ties_is_scipys(n: int) -> None:
    """Pratt's zeros: whole numbers, so that ties are ties for scipy, too."""
    x = np.random.default_rng(n).integers(11, size=(8, n)).astype(np.float64)
    checked = 0
    for p, d in zip(wilcoxon_test(x), differences(x), strict=True):
        if len(np.unique(np.abs(d))) == n and (d != 0).all():
            continue
        expected = scipy.stats.wilcoxon(d, zero_method="pratt", method="asymptotic", correction=False).pvalue
        assert p == pytest.approx(expected, rel=1e-10)
        checked += 1
    assert checked > 20


@pytest.mark.parametrize("n", [2, 3, 7, 15, 24, 25])
def test_wilcoxons_test_without_ties_is_exact_to_25_topics(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(6, n))
    expected = [scipy.stats.wilcoxon(d, method="exact").pvalue for d in differences(x)]
    assert wilcoxon_test(x) == pytest.approx(np.array(expected), rel=1e-10)


@pytest.mark.parametrize("n", [26, 50])
def test_wilcoxons_test_beyond_25_topics_is_the_normal_approximation(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(6, n))
    expected = [scipy.stats.wilcoxon(d, method="asymptotic").pvalue for d in differences(x)]
    assert wilcoxon_test(x) == pytest.approx(np.array(expected), rel=1e-10)


def test_wilcoxons_exact_p_counts_all_signs() -> None:
    """Five differences with rank sums 3 and 12: of the 32 signs, 10 give a sum of at most 3 or at least 12."""
    d = np.array([0.1, 0.2, -0.3, 0.4, 0.5])
    sums = [sum(r for r, s in zip(range(1, 6), signs, strict=True) if s) for signs in product([0, 1], repeat=5)]
    assert sum(s <= 3 or s >= 12 for s in sums) == 10
    assert wilcoxon_test(np.stack([d, np.zeros(5)])).tolist() == [10 / 32]


def test_differences_equal_on_paper_are_tied() -> None:
    """0.3 - 0.1, 0.5 - 0.3 and 0.9 - 0.7 differ in the last bits; as tenths they are all 2."""
    tenths = np.array([[3, 5, 9, 4, 6, 1, 8, 2], [1, 3, 7, 7, 1, 1, 2, 3]])
    d = tenths[0] - tenths[1]
    assert len(np.unique(tenths[0] / 10 - tenths[1] / 10)) > len(np.unique(d))
    expected = scipy.stats.wilcoxon(d, zero_method="pratt", method="asymptotic", correction=False).pvalue
    assert wilcoxon_test(tenths / 10) == pytest.approx([expected], rel=1e-10)


def test_wilcoxons_test_rejects_a_true_null_of_equal_means_when_differences_are_skewed() -> None:
    """100 topics, exponential differences of mean 0: a test of means should reject one time in twenty."""
    rng = np.random.default_rng(1)
    drawn = [np.stack([rng.exponential(size=100) - 1, np.zeros(100)]) for _ in range(300)]
    share = {test: np.mean([test(x)[0] <= 0.05 for x in drawn]) for test in (wilcoxon_test, sign_test, t_test)}
    assert share[wilcoxon_test] > 0.3
    assert share[sign_test] > 0.5
    assert share[t_test] < 0.1
