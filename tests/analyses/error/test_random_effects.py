"""Random effects: against a direct search of the restricted likelihood, a balanced case and a known truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from assay.analyses.error.bias import skewed_interval
from assay.analyses.error.random_effects import random_effects, smooth_variance
from assay.core.arrays import Array


def unlikely(between: float, y: Array, v: Array) -> float:
    """Minus the restricted log-likelihood, up to a constant."""
    w = 1 / (v + between)
    mean = (w * y).sum() / w.sum()
    return float(np.log(v + between).sum() + np.log(w.sum()) + (w * (y - mean) ** 2).sum()) / 2


def synthetic(n_runs: int, n_topics: int, *, between: float, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    v = rng.uniform(0.01, 0.2, n_topics) * np.ones((n_runs, 1))
    y = 0.3 + rng.normal(size=v.shape) * np.sqrt(between) + rng.normal(size=v.shape) * np.sqrt(v)
    return y, v


def test_the_variance_between_topics_is_where_the_restricted_likelihood_is_highest() -> None:
    y, v = synthetic(5, 30, between=0.05)
    found = random_effects(y, v)
    for i in range(5):
        best = minimize_scalar(unlikely, bounds=(0, 1), args=(y[i], v[i]), method="bounded", options={"xatol": 1e-12})
        assert found.between[i] == pytest.approx(best.x, abs=1e-6)
        w = 1 / (v[i] + found.between[i])
        assert found.mean[i] == pytest.approx((w * y[i]).sum() / w.sum(), abs=1e-12)


def test_topics_known_equally_well_weigh_the_same_and_give_the_analysis_of_variance() -> None:
    y = np.random.default_rng(1).normal(size=(3, 20))
    found = random_effects(y, np.full(y.shape, 0.1))
    np.testing.assert_allclose(found.mean, y.mean(-1), atol=1e-12)
    np.testing.assert_allclose(found.between, y.var(-1, ddof=1) - 0.1, atol=1e-9)
    np.testing.assert_allclose(found.error, y.std(-1, ddof=1) / np.sqrt(20), atol=1e-9)


def test_where_topics_differ_less_than_their_documents_explain_there_is_nothing_between_them() -> None:
    y, v = synthetic(1, 30, between=0.0, seed=3)
    assert random_effects(y * 0.5, v).between[0] == 0.0


def test_intervals_hold_a_made_up_mean() -> None:
    """1,000 runs of 20 topics; of nominal 95% intervals 93 to 97% hold 0.3."""
    low, high = random_effects(*synthetic(1000, 20, between=0.05, seed=7)).interval(0.95)
    assert 0.93 < np.mean((low <= 0.3) & (high >= 0.3)) < 0.97


def test_the_interval_is_halls_of_the_logarithm() -> None:
    """Topics known equally well have a plain mean, and leaving one out gives the mean of the others."""
    y = np.random.default_rng(3).lognormal(-2, 1, (2, 25))
    found = random_effects(y, np.full(y.shape, 1e-6))
    without = np.log([np.delete(y, t, 1).mean(-1) for t in range(25)])
    ends = np.exp(skewed_interval(np.vstack([np.log(y.mean(-1)), without]), level=0.9))
    np.testing.assert_allclose(found.interval(0.9), np.minimum(ends, [[np.inf], [1.0]]))


def test_a_mean_that_is_not_positive_has_knapp_and_hartungs_interval() -> None:
    y, v = synthetic(1, 20, between=0.05)
    found = random_effects(y - 0.6, v)
    ends = stats.t.interval(0.95, 19, found.mean[0], found.error[0])
    assert [end[0] for end in found.interval(0.95)] == pytest.approx(ends)


def test_skewed_values_are_held_more_often_than_by_students_interval() -> None:
    y = np.random.default_rng(8).lognormal(-3, 1.2, (1000, 25))
    true = np.exp(-3 + 1.2**2 / 2)
    low, high = random_effects(y, np.full(y.shape, 1e-6)).interval(0.95)
    student = stats.t.interval(0.95, 24, y.mean(-1), stats.sem(y, axis=-1))
    held, by_student = (np.mean((a <= true) & (true <= b)) for a, b in ((low, high), student))
    assert held > by_student + 0.03


def test_a_topic_without_a_value_is_left_out_and_one_alone_has_no_interval() -> None:
    y, v = synthetic(1, 4, between=0.05)
    with_gap = random_effects(np.append(y, [[np.nan]], axis=1), np.append(v, [[0.1]], axis=1))
    assert with_gap.mean[0] == pytest.approx(random_effects(y, v).mean[0], abs=1e-12)
    assert with_gap.n_topics[0] == 4
    assert np.isnan(random_effects(y[:, :1], v[:, :1]).interval(0.95)[0][0])


def test_variances_follow_a_power_of_the_size_and_keep_their_mean() -> None:
    size = np.array([4.0, 8.0, 16.0, 64.0])
    exact = 0.4 / size
    np.testing.assert_allclose(smooth_variance(exact[None], size)[0], exact, rtol=1e-10)
    own = exact * np.array([0.5, 2.0, 0.0, 1.0])
    fitted = smooth_variance(own[None], size)[0]
    assert fitted[[0, 1, 3]].sum() == pytest.approx(own.sum())
    assert np.all(np.diff(fitted) <= 0)
    rising = smooth_variance(size[None], size)[0]
    np.testing.assert_allclose(rising, size.mean())  # more documents never mean that less is known


def test_a_run_that_finds_nothing_has_no_interval() -> None:
    y, v = synthetic(2, 30, between=0.05)
    y[1] = 0.0
    low, high = random_effects(y, v).interval(0.95)
    assert low[0] < random_effects(y, v).mean[0] < high[0]
    assert np.isnan([low[1], high[1]]).all()
