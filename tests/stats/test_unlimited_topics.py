"""The tau with unlimited topics: the model, its interval, and where nothing can be said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.core.arrays import Array
from assay.stats.unlimited_topics import UnlimitedTopics, kendall, tau_of_size, unlimited_topics


def scores(n_runs: int, n_topics: int, *, spread: float, seed: int) -> tuple[Array, Array]:
    """Runs of known quality, and their scores with noise of a variance. [run], [run, topic]"""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n_runs)
    return quality, quality[:, None] + rng.normal(size=(n_runs, n_topics)) * np.sqrt(spread)


def test_the_tau_is_right_at_once_twice_and_four_times_the_topics() -> None:
    taus, truths = [], []
    for seed in range(25):
        quality, x = scores(40, 120, spread=20, seed=seed)
        model = unlimited_topics(x[:, :30], seed=0)
        ends = model.tau(np.array([30, 60, 120]), level=0.95)
        taus.append(ends)
        truths.append([stats.kendalltau(quality, x[:, :n].mean(1)).statistic for n in (30, 60, 120)])
    middle, low, high = np.array(taus).swapaxes(0, 1)
    truth = np.mean(truths, 0)
    assert middle.mean(0) == pytest.approx(truth, abs=0.03)
    assert ((low <= truth) & (truth <= high)).mean() > 0.9


def test_the_interval_holds_the_error_of_the_model_and_stays_in_range() -> None:
    sure = UnlimitedTopics(50, np.full(11, 1e-4), 0.0)
    tau, low, high = sure.tau(50, level=0.95)
    assert low == pytest.approx(tau - 0.03)
    assert high == 1.0
    wide = UnlimitedTopics(50, 50 * np.exp(np.linspace(-3, 3, 11)), 0.0)
    assert 0.0 <= float(wide.tau(50, level=0.95)[1]) < 0.01


def test_runs_that_do_not_differ_may_have_any_order() -> None:
    noise = np.full(11, 20.0)
    assert [float(UnlimitedTopics(50, noise, p).tau(50, level=0.95)[1]) > 0 for p in (0.024, 0.026)] == [True, False]


def test_topics_for_a_tau_are_those_whose_interval_holds_it() -> None:
    model = UnlimitedTopics(50, np.full(11, 20.0), 0.0)
    low, high = model.topics_for(0.7, level=0.95)
    assert low is not None
    assert high is not None
    assert float(model.tau(low - 1, level=0.95)[2]) < 0.7 <= float(model.tau(low, level=0.95)[2])
    assert float(model.tau(high - 1, level=0.95)[1]) < 0.7 <= float(model.tau(high, level=0.95)[1])
    assert model.topics_for(0.99, level=0.95) == (None, None)
    assert model.topics_for(float(kendall(0.95)), level=0.95)[1] is None


def test_halves_that_do_not_agree_and_few_topics_say_nothing() -> None:
    lost = UnlimitedTopics(50, np.full(11, np.nan), 0.5)
    assert np.isnan(lost.tau(50, level=0.95)).all()
    assert lost.topics_for(0.9, level=0.95) == (None, None)
    _, x = scores(5, 3, spread=1, seed=0)
    assert np.isnan(unlimited_topics(x, seed=0).tau(3, level=0.95)).all()


def test_rankings_without_noise_have_tau_1_and_no_interval() -> None:
    x = np.arange(6.0)[:, None] + np.zeros((6, 12))
    tau, low, high = unlimited_topics(x, seed=0).tau(12, level=0.95)
    assert float(tau) == 1.0
    assert np.isnan([low, high]).all()
    assert float(tau_of_size(10, 0.0)) == 1.0
