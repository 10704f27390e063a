"""Replicates: a statistic on all topics, then without each group of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from assay.stats.correlation.coefficients import correlate_ranks
from assay.stats.leave_one_out import pair_ranks, replicates, run_ranks, topic_sets
from assay.stats.significance.paired_t import t_test

LEFT = [np.arange(10), *(np.delete(np.arange(10), t) for t in range(10))]
"""All of ten topics, then without each."""


def test_topics_are_left_out_one_at_a_time_or_in_fifty_groups() -> None:
    assert [topics.tolist() for topics in topic_sets(10)] == [topics.tolist() for topics in LEFT]
    assert [topics.tolist() for topics in topic_sets(1)] == [[0]]
    sizes = [topics.size for topics in topic_sets(120)]
    assert sizes == [120, *[117] * 20, *[118] * 30]


def test_a_replicate_is_the_statistic_of_the_topics_that_stay() -> None:
    x = np.random.default_rng(0).random((3, 10))
    assert replicates(lambda scores: scores.max(-1), x) == pytest.approx(np.array([x[:, t].max(-1) for t in LEFT]))


def test_correlations_of_ranks_agree_with_scipy_on_every_subset_of_topics() -> None:
    x, y = np.round(np.random.default_rng(2).random((2, 8, 10)), 1)
    means = [kendalltau(x[:, t].mean(-1).round(9), y[:, t].mean(-1).round(9)).statistic for t in LEFT]
    assert correlate_ranks(run_ranks(x), run_ranks(y), "tau-b") == pytest.approx(means, abs=1e-12)
    p = [kendalltau(t_test(x[:, t]).round(12), t_test(y[:, t]).round(12)).statistic for t in LEFT]
    assert correlate_ranks(pair_ranks(x), pair_ranks(y), "tau-b") == pytest.approx(p, abs=1e-9)


def test_the_best_run_and_the_most_significant_pair_have_rank_0() -> None:
    x = np.array([[0.1, 0.2, 0.1], [0.8, 0.9, 0.9], [0.1, 0.2, 0.3]])
    assert run_ranks(x)[0].tolist() == [2, 0, 1]
    assert pair_ranks(x)[0].tolist() == [0, 2, 1]
