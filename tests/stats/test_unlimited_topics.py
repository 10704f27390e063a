"""The tau with unlimited topics: the model, its interval, and where nothing can be said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.core.arrays import Array
from assay.stats.splits import random_orders
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
        ends = unlimited_topics(x[:, :30], seed=0).tau(np.array([30, 60, 120]), level=0.95)
        taus.append(ends)
        truths.append([stats.kendalltau(quality, x[:, :n].mean(1)).statistic for n in (30, 60, 120)])
    middle, low, high = np.array(taus).swapaxes(0, 1)
    truth = np.mean(truths, 0)
    assert middle.mean(0) == pytest.approx(truth, abs=0.03)
    assert ((low <= truth) & (truth <= high)).mean() > 0.9


def model(noise: Array, p: float = 0.0, *, trend: float = 0.0) -> UnlimitedTopics:
    """A model of 50 topics."""
    return UnlimitedTopics(50, noise, np.full(noise.shape, trend), p)


def test_half_of_the_trend_from_quarters_to_halves_goes_on() -> None:
    """By hand, with scipy's tau."""
    _, x = scores(12, 32, spread=8, seed=4)
    order = random_orders(32, 100, 0)

    def noise(size: int) -> float:
        taus = [stats.kendalltau(x[:, o[:size]].mean(1), x[:, o[-size:]].mean(1)).statistic for o in order]
        return float(size * (1 / np.sin(np.pi / 2 * np.mean(taus)) - 1))

    found = unlimited_topics(x, seed=0)
    assert found.noise[0] == pytest.approx(noise(16))
    assert found.trend[0] == pytest.approx(np.clip(np.log2(noise(16) / noise(8)), -0.5, 0.5) / 2)
    assert found.noise_at(64.0)[0] == pytest.approx(noise(16) * 4 ** found.trend[0])
    assert float(found.expected_tau(64)) == pytest.approx(float(tau_of_size(64, found.noise_at(64)[0])))


def test_the_trend_changes_what_more_topics_are_worth() -> None:
    rising, still = (float(model(np.full(11, 20.0), trend=trend).expected_tau(200)) for trend in (0.2, 0.0))
    assert rising == pytest.approx(float(tau_of_size(200, 20 * 8**0.2)))
    assert rising < still


def test_the_interval_holds_the_error_of_the_model_and_stays_in_range() -> None:
    sure = model(np.full(11, 1e-4))
    tau, low, high = sure.tau(50, level=0.95)
    assert low == pytest.approx(tau - 0.03)
    assert high == 1.0
    wide = model(50 * np.exp(np.linspace(-3, 3, 11)))
    assert 0.0 <= float(wide.tau(50, level=0.95)[1]) < 0.01


def test_runs_that_do_not_differ_may_have_any_order() -> None:
    noise = np.full(11, 20.0)
    assert [float(model(noise, p).tau(50, level=0.95)[1]) > 0 for p in (0.024, 0.026)] == [True, False]


def test_topics_for_a_tau_are_those_whose_interval_holds_it() -> None:
    of_20 = model(np.full(11, 20.0))
    low, high = of_20.topics_for(0.7, level=0.95)
    assert low is not None
    assert high is not None
    assert float(of_20.tau(low - 1, level=0.95)[2]) < 0.7 <= float(of_20.tau(low, level=0.95)[2])
    assert float(of_20.tau(high - 1, level=0.95)[1]) < 0.7 <= float(of_20.tau(high, level=0.95)[1])
    assert of_20.topics_for(0.99, level=0.95) == (None, None)
    assert of_20.topics_for(float(kendall(0.95)), level=0.95)[1] is None


def test_halves_that_do_not_agree_and_few_topics_say_nothing() -> None:
    lost = model(np.full(11, np.nan), 0.5)
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
