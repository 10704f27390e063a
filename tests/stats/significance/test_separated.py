"""Power without each group of topics in one pass: the same counts as testing all pairs anew."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.arrays import Array
from assay.data.judged import Collection
from assay.scoring.conditions import score_conditions
from assay.stats.intervals import deletions, grouped
from assay.stats.significance.paired_t import separated, t_test


def one_by_one(x: Array, alpha: float) -> tuple[float, list[float]]:
    """Test all pairs on all topics, then again without each group."""
    left_out = [float((t_test(x[:, kept]) < alpha).mean()) for kept in deletions(x.shape[1])]
    return float((t_test(x) < alpha).mean()), left_out


def same(x: Array, alpha: float = 0.05) -> bool:
    found, left_out = separated(x, alpha=alpha)
    return (found, left_out.tolist()) == one_by_one(x, alpha)


@pytest.mark.parametrize("n_topics", [2, 3, 20, 50, 51, 120, 249])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.5])
def test_the_shares_are_those_of_testing_anew(n_topics: int, alpha: float) -> None:
    rng = np.random.default_rng(n_topics)
    x = rng.beta(1, 3, size=(25, n_topics)) + np.linspace(0, 0.2, 25)[:, None]
    found, left_out = separated(x, alpha=alpha)
    assert (found, left_out.tolist()) == one_by_one(x, alpha)
    assert len(set(left_out)) > 1 or n_topics < 4


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_coarse_scores_full_of_ties_are_no_exception(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    assert same(rng.beta(1, 2, size=(20, 30)).round(decimals))


def test_a_pair_that_differs_on_one_topic_only_is_flat_without_it() -> None:
    x = np.full((4, 12), 0.3)
    x[1, 5] += 0.2  # flat without topic 5
    x[2] += 0.1  # flat, and another mean: never significant
    x[3] += 0.1 + 1e-9 * np.arange(12)  # varies, far above rounding
    assert same(x)
    assert separated(x, alpha=0.05)[1].max() > 0


@pytest.mark.parametrize("shift", [0.0, 1.0, 1e6])
def test_rounding_is_no_variance_whatever_the_size_of_scores(shift: float) -> None:
    rng = np.random.default_rng(1)
    x = shift + np.repeat(rng.random((1, 15)), 6, axis=0)
    x[1:3] += 0.1
    x[3, :7] += 1e-13
    x[4] += 0.2 + 1e-10 * rng.random(15)
    x[5, 3] += 5.0
    assert same(x)


def test_a_group_that_holds_all_the_scores_leaves_nothing_to_tell_apart() -> None:
    x = np.zeros((3, 8))
    x[:, 2] = [0.2, 0.5, 0.9]
    assert same(x)
    assert separated(x, alpha=0.05)[1].tolist() == [0.0] * 8


def test_t_at_the_critical_value_is_decided_by_the_test_itself() -> None:
    """With one degree of freedom t = 1 has p = 0.5 exactly, which is not below 0.5."""
    x = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.25, 0.5, 0.75]])
    assert same(x, alpha=0.5)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 5),
    st.integers(2, 8),
    st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3, 1 / 3, 0.5, 1.0, 1e-13, 1e-9]), min_size=40, max_size=40),
    st.sampled_from([0.01, 0.05, 0.3, 0.999]),
)
def test_no_small_matrix_is_an_exception(n_runs: int, n_topics: int, values: list[float], alpha: float) -> None:
    assert same(np.array(values[: n_runs * n_topics]).reshape(n_runs, n_topics), alpha)


@pytest.mark.xdist_group("trec8")
def test_the_129_runs_of_trec8_are_no_exception(adhoc8: Collection) -> None:
    runs = adhoc8.runs.head(100)
    for x in score_conditions(runs, adhoc8.qrels, ["AP", "P@1"]).value:
        assert same(x)


def test_one_topic_and_one_run_separate_nothing() -> None:
    assert separated(np.array([[0.1], [0.9]]), alpha=0.05)[0] == 0.0
    assert separated(np.array([[0.1], [0.9]]), alpha=0.05)[1].size == 0
    share, left_out = separated(np.array([[0.1, 0.2, 0.3]]), alpha=0.05)
    assert (share, left_out.tolist()) == (0.0, [0.0, 0.0, 0.0])


def test_many_runs_and_topics_take_little_memory() -> None:
    """500 runs x 250 topics: all differences at once would be 250 MB."""
    x = np.random.default_rng(0).random((500, 250))
    tracemalloc.start()
    separated(x, alpha=0.05)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 30e6


def test_groups_are_as_deletions_leave_them_out() -> None:
    for n in (1, 7, 50, 249):
        group = grouped(n)
        assert [np.flatnonzero(group != g).tolist() for g in range(group.max() + 1)] == [
            kept.tolist() for kept in deletions(n)
        ]
