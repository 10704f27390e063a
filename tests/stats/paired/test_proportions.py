"""Intervals and tests of proportions: scipy, statsmodels, a printed example, and all outcomes enumerated."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, binomtest, multinomial
from statsmodels.stats.contingency_tables import mcnemar

from assay.stats.paired.proportions import agresti_min, clopper_pearson, least_differing, mcnemar_p


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_interval_of_one_proportion_is_scipys_exact_one(level: float) -> None:
    cells = [(k, n) for n in (1, 2, 10, 37) for k in range(n + 1)]
    low, high = clopper_pearson(*zip(*cells, strict=True), level=level)
    exact = [binomtest(k, n).proportion_ci(level, "exact") for k, n in cells]
    assert low == pytest.approx([e.low for e in exact], abs=1e-12)
    assert high == pytest.approx([e.high for e in exact], abs=1e-12)


def test_a_perfect_score_on_ten_queries_is_69_percent_or_more() -> None:
    """The lower end is the tenth root of half of 1 - level."""
    low, high = clopper_pearson(10, 10, level=0.95)
    assert low == pytest.approx(0.025**0.1)
    assert high == 1


def test_the_exact_interval_holds_every_truth_at_least_as_often_as_stated() -> None:
    for n, truth in product((5, 10, 25, 50), np.linspace(0.001, 0.999, 97)):
        k = np.arange(n + 1)
        low, high = clopper_pearson(k, n, level=0.95)
        assert binom.pmf(k, n, truth)[(low <= truth) & (truth <= high)].sum() >= 0.95


def test_no_queries_have_no_interval() -> None:
    assert np.isnan([*clopper_pearson(0, 0, level=0.95), *agresti_min(0, 0, 0, level=0.95)]).all()


def test_the_paired_interval_is_that_printed_by_propcis() -> None:
    """diffpropci.mp(b = 40, c = 20, n = 160, conf.level = 0.95) of R's PropCIs, as its page prints it; it takes b
    for the losses."""
    low, high = agresti_min(20, 40, 160, level=0.95)
    assert (float(low), float(high)) == pytest.approx((-0.21601726, -0.03089632), abs=5e-9)


def test_the_paired_interval_is_walds_of_counts_with_halves() -> None:
    b, c, n = 7.5, 2.5, 22.0
    cells = np.array([b, c, n - b - c])
    score = np.array([1.0, -1.0, 0.0])
    mean = (cells * score).sum() / n
    error = np.sqrt((cells * (score - mean) ** 2).sum() / n / n)
    low, high = agresti_min(7, 2, 20, level=0.95)
    assert (float(low), float(high)) == pytest.approx((mean - 1.959964 * error, mean + 1.959964 * error), abs=1e-6)


def test_the_paired_interval_stays_within_its_range_and_changes_sign_with_the_order() -> None:
    low, high = agresti_min([3, 0, 9], [0, 3, 4], [3, 3, 20], level=0.99)
    other_low, other_high = agresti_min([0, 3, 4], [3, 0, 9], [3, 3, 20], level=0.99)
    assert (low >= -1).all()
    assert (high <= 1).all()
    assert low == pytest.approx(-other_high)
    assert high == pytest.approx(-other_low)


@pytest.mark.parametrize("n", [10, 25, 50])
def test_the_paired_interval_holds_the_truth_about_as_often_as_stated(n: int) -> None:
    """Over every outcome of n queries, exactly: nominal 95% hold .93 or more, .95 on average (agresti2005)."""
    wins, losses = (np.ravel(of) for of in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
    wins, losses = wins[wins + losses <= n], losses[wins + losses <= n]
    low, high = agresti_min(wins, losses, n, level=0.95)
    coverage = []
    for better, worse in [(0.1, 0.1), (0.2, 0.1), (0.3, 0.05), (0.4, 0.3), (0.05, 0.02)]:
        p = multinomial.pmf(np.stack([wins, losses, n - wins - losses], 1), n, [better, worse, 1 - better - worse])
        coverage.append(p[(low <= better - worse) & (better - worse <= high)].sum())
    assert min(coverage) >= 0.93
    assert np.mean(coverage) >= 0.95


@pytest.mark.parametrize("mid", [False, True])
def test_mcnemars_test_counts_every_outcome(mid: bool) -> None:
    cells = [(b, c) for b in range(12) for c in range(12)]
    p = mcnemar_p(*zip(*cells, strict=True), mid=mid)
    for (b, c), obtained in zip(cells, p, strict=True):
        n = b + c
        chance = binom.pmf(np.arange(n + 1), n, 0.5)
        further = np.abs(np.arange(n + 1) - n / 2) - abs(b - n / 2)
        own = 0.5 if mid else 1.0
        expected = chance[further > 0.25].sum() + own * chance[np.abs(further) < 0.25].sum()
        if n == 0 or (mid and b == c):
            expected = 1.0  # two tails that meet are not more than everything
        assert obtained == pytest.approx(min(expected, 1.0), abs=1e-12)


def test_mcnemars_test_is_that_of_statsmodels() -> None:
    for b, c in [(6, 0), (14, 5), (121, 59), (3, 3), (1, 800)]:
        assert mcnemar_p(b, c) == pytest.approx(mcnemar([[40, b], [c, 7]], exact=True).pvalue, rel=1e-9)


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.03125, 0.01, 0.05 / 45, 1e-9])
def test_fewer_differing_queries_can_never_be_significant(alpha: float) -> None:
    m = least_differing(alpha)
    assert mcnemar_p(m, 0) < alpha
    assert mcnemar_p(m - 1, 0) >= alpha
