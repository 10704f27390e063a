"""Sets of runs that may be best, sets of ranks, and simultaneous intervals: limits, invariance, error rates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.core.arrays import Array
from assay.stats.significance.rank_sets import Lead, rank_sets, simultaneous_t, tiers

RNG = np.random.default_rng(16)


def scores(gap: float, n_runs: int = 8, n_topics: int = 40) -> Array:
    """Runs of which each is better than the next by `gap`, on topics of different difficulty."""
    return RNG.normal(-gap * np.arange(n_runs)[:, None], 0.1, (n_runs, n_topics)) + RNG.normal(size=n_topics)


def test_runs_far_apart_have_one_best_and_one_rank_each() -> None:
    sets = rank_sets(scores(1.0))
    assert sets.may_be_best.tolist() == [True] + [False] * 7
    assert sets.low.tolist() == sets.high.tolist() == list(range(1, 9))


def test_identical_runs_may_all_be_best_at_any_rank() -> None:
    sets = rank_sets(np.tile(RNG.random(30), (5, 1)))
    assert sets.may_be_best.all()
    assert (sets.low.tolist(), sets.high.tolist()) == ([1] * 5, [5] * 5)
    assert np.isnan(simultaneous_t(np.tile(RNG.random(30), (5, 1))))


def test_one_topic_decides_nothing() -> None:
    sets = rank_sets(RNG.random((4, 1)))
    assert sets.may_be_best.all()
    assert (sets.high - sets.low == 3).all()


def test_the_order_of_runs_the_level_of_topics_and_gaps_that_nobody_has_do_not_matter() -> None:
    x = scores(0.03)
    order = RNG.permutation(8)
    sets, moved = rank_sets(x), rank_sets(x[order] + RNG.normal(size=40))
    assert moved.may_be_best.tolist() == sets.may_be_best[order].tolist()
    assert (moved.low.tolist(), moved.high.tolist()) == (sets.low[order].tolist(), sets.high[order].tolist())


def test_a_run_that_lacks_topics_is_compared_on_the_others() -> None:
    x = scores(1.0)
    x[3, :5] = np.nan
    sets = rank_sets(x)
    assert sets.low.tolist() == sets.high.tolist() == list(range(1, 9))
    near = scores(0.0)
    whole = simultaneous_t(near)
    near[0, 0] = np.nan
    assert simultaneous_t(near) == pytest.approx(whole, rel=0.1)


def test_two_runs_have_students_quantile_and_more_runs_a_larger_one() -> None:
    assert simultaneous_t(RNG.normal(size=(2, 50)), resamples=20_000) == pytest.approx(2.01, rel=0.05)
    assert simultaneous_t(RNG.normal(size=(8, 50))) > 2.5


def test_runs_that_are_alike_are_lost_in_five_of_a_hundred() -> None:
    """20 runs that are exchangeable: each is dropped with 5%, and hardly ever is any pair ordered."""
    dropped, ordered = [], []
    for seed in range(40):
        x = np.random.default_rng(seed).exponential(size=(20, 30))
        sets = rank_sets(x, resamples=400, seed=seed)
        dropped.append(1 - sets.may_be_best.mean())
        ordered.append((sets.high - sets.low < 19).any())
    assert 0.02 < np.mean(dropped) < 0.09
    assert np.mean(ordered) <= 0.15


def test_a_longer_list_of_weak_runs_does_not_widen_the_set() -> None:
    """Competitors far below are left out of the quantile."""
    x = scores(0.02, 6)
    weak = np.vstack([x, x[:1] - 3 + RNG.normal(0, 0.1, (30, 40))])
    assert rank_sets(weak).may_be_best[:6].sum() <= rank_sets(x).may_be_best.sum() + 1
    assert not rank_sets(weak).may_be_best[6:].any()


def _lead(x: Array, *, resamples: int = 1000, seed: int = 0) -> Lead:
    lead = rank_sets(x, resamples=resamples, seed=seed).lead
    assert lead is not None
    return lead


def test_a_tier_ends_where_every_run_above_is_better_than_every_run_below() -> None:
    order = np.array([3, 0, 2, 1, 4])
    assert tiers(order, np.array([3, 4, 3, 1, 5])).tolist() == [2, 3, 2, 1, 4]
    assert tiers(order, np.full(5, 5)).tolist() == [1] * 5
    groups = np.repeat([0.0, 1.0, 2.0], 3)[:, None] + RNG.normal(0, 0.1, (9, 40))
    assert rank_sets(groups).tier.tolist() == [3, 3, 3, 2, 2, 2, 1, 1, 1]


def test_the_lead_of_two_runs_is_their_difference_with_students_interval() -> None:
    x = RNG.normal([[0.3], [0.0]], 1.0, (2, 30))
    test = stats.ttest_rel(x[0], x[1])
    sure = test.confidence_interval(0.95)
    lead = _lead(x, resamples=20_000)
    assert abs(lead.value) == pytest.approx(abs((x[0] - x[1]).mean()))
    sign = 1 if lead.first == 0 else -1
    assert sorted(sign * np.array([lead.low, lead.high])) == pytest.approx(sorted(sure), rel=0.1)


def test_the_lead_is_the_least_difference_and_a_copy_of_the_first_run_leaves_none() -> None:
    x = scores(0.2)
    lead = _lead(x)
    mean = x.mean(-1)
    assert (lead.first, lead.second) == (0, 1)
    assert lead.value == pytest.approx(mean[0] - mean[1:].max())
    assert lead.low < lead.value < lead.high
    copied = _lead(np.concatenate([x, x[:1]]))
    assert (copied.value, copied.high) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_one_run_leads_nobody() -> None:
    assert rank_sets(RNG.random((1, 20))).lead is None


def test_the_lead_of_whichever_run_comes_first_holds_its_true_lead() -> None:
    true = np.array([0.0, 0.05, 0.1, 0.1, 0.12])
    held = []
    for seed in range(150):
        x = RNG.normal(true[:, None], 0.3, (5, 30))
        lead = _lead(x, resamples=300, seed=seed)
        held.append(lead.low <= true[lead.first] - np.delete(true, lead.first).max() <= lead.high)
    assert np.mean(held) >= 0.91
