"""Intervals of means: Student's, and exact of scores of 0 and 1."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, binomtest, ttest_1samp

from assay.analyses.score.analysis import score
from assay.results.leaderboard import leaderboard
from assay.results.mean_intervals import mean_intervals, shares, with_intervals
from tests.builders.compare import scores

RNG = np.random.default_rng(2)


def test_a_perfect_score_on_ten_queries_is_069_to_1() -> None:
    low, high = mean_intervals(scores(np.stack([np.ones(10), np.zeros(10)]), measures=["S@1"]), level=0.95)
    exact = binomtest(10, 10).proportion_ci(0.95, "exact")
    assert low[0] == pytest.approx([exact.low, 0.0])
    assert high[0] == pytest.approx([1.0, 1 - exact.low])


def test_means_of_zeros_and_ones_have_the_exact_interval_on_the_topics_that_they_have() -> None:
    x = (RNG.random((2, 30)) < 0.7).astype(float)
    x[1, :12] = np.nan
    low, high = mean_intervals(scores(x, measures=["S@1"]), level=0.9)
    for i, own in enumerate((x[0], x[1, 12:])):
        exact = binomtest(int(own.sum()), own.size).proportion_ci(0.9, "exact")
        assert (low[0, i], high[0, i]) == pytest.approx((exact.low, exact.high))


def test_the_exact_interval_holds_the_true_share_at_least_as_often_as_it_says() -> None:
    for n, truth in ((10, 0.95), (25, 0.7), (50, 0.98)):
        every = np.array([[1.0] * k + [0.0] * (n - k) for k in range(n + 1)])
        names = [str(k) for k in range(n + 1)]
        low, high = mean_intervals(scores(every, names, measures=["S@1"]), level=0.95)
        held = (low[0] <= truth) & (truth <= high[0])
        assert binom.pmf(np.arange(n + 1), n, truth)[held].sum() >= 0.95


def test_other_scores_have_students_interval_but_a_run_that_never_or_always_succeeds() -> None:
    x = RNG.random((4, 12))
    x[1], x[2] = 0.0, 1.0
    x[3] = (x[3] < 0.5).astype(float)
    data = scores(x, measures=["AP"])
    low, high = mean_intervals(data, level=0.95)
    for i in (0, 3):  # zeros and ones of a measure that has other scores, too, are no shares
        expected = ttest_1samp(x[i], 0).confidence_interval(0.95)
        assert (low[0, i], high[0, i]) == pytest.approx((expected.low, expected.high))
    none = binomtest(0, 12).proportion_ci(0.95, "exact")
    assert low[0, 1:3] == pytest.approx([0, 1 - none.high])
    assert high[0, 1:3] == pytest.approx([none.high, 1])
    assert shares(data).tolist() == [False]


def test_the_interval_of_a_share_is_that_of_the_share_where_lower_is_better() -> None:
    x = np.array([[1.0] * 2 + [0.0] * 18, [0.0] * 20])
    low, high = mean_intervals(replace(scores(x, measures=["failed"]), lower=(True,)), level=0.95)
    exact = binomtest(2, 20).proportion_ci(0.95, "exact")
    assert (low[0, 0], high[0, 0]) == pytest.approx((exact.low, exact.high))
    assert (low[0, 1], high[0, 1]) == pytest.approx((0, binomtest(0, 20).proportion_ci(0.95, "exact").high))


def test_counts_that_are_summed_and_one_topic_have_no_exact_interval() -> None:
    x = np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
    summed = replace(scores(x, measures=["NumRel"]), averages=("sum",))
    assert shares(summed).tolist() == [False]
    assert np.isnan(mean_intervals(scores(x[:, :1]), level=0.95)[0]).all()


def test_score_and_the_leaderboard_show_the_exact_interval_and_score_says_so() -> None:
    data = scores(np.stack([np.ones(10), (np.arange(10) < 7).astype(float)]), measures=["S@1"])
    shown = score(data)
    exact = binomtest(7, 10).proportion_ci(0.95, "exact")
    assert shown.table.select("low", "high").row(1) == pytest.approx((exact.low, exact.high))
    assert [note.code for note in shown.notes] == ["exact_intervals"]
    board = with_intervals(leaderboard(data, level=0.95, seed=0).runs, data, level=0.95)
    assert board.select("low", "high").row(1) == pytest.approx((exact.low, exact.high))
    assert "exact_intervals" not in [note.code for note in score(data, interval="bootstrap", resamples=50).notes]
