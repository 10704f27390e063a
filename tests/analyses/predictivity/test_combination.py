"""What a measure adds to another that predicts it: against plain loops, nothing, all, and its errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.analyses.predictivity.combination import WEIGHTS, combination_gains
from assay.core.arrays import Array, Index
from assay.stats.prediction import predictive_power
from assay.stats.splits import splits
from tests.builders.arrays import measure_scores


def test_gains_are_those_of_a_plain_loop() -> None:
    x, chosen = measure_scores(3, 12, 14), splits(14, 7, 8, seed=2)
    gain = combination_gains(x, chosen, seed=0).value
    for a in range(3):
        for b in range(3):
            for w, weight in enumerate(WEIGHTS):
                there = [
                    *zip(chosen.first, chosen.second, strict=True),
                    *zip(chosen.second, chosen.first, strict=True),
                ]
                loop = [_gain(x, a, b, weight, s, t) for s, t in there]
                assert gain[a, b, w] == pytest.approx(np.mean(loop), abs=1e-12)


def _gain(x: Array, a: int, b: int, weight: float, here: Index, there: Index) -> float:
    first, second = (x[k][:, here].mean(-1) for k in (a, b))
    mix = weight * stats.zscore(first) + (1 - weight) * stats.zscore(second)
    aim = x[b][:, there].mean(-1).round(9)
    return float(
        stats.kendalltau(mix.round(9), aim).statistic - stats.kendalltau(first.round(9), aim).statistic
        if a != b
        else 0
    )


def test_a_copy_of_a_measure_adds_nothing_and_pure_noise_gains_what_the_measure_itself_has() -> None:
    rng = np.random.default_rng(0)
    x = measure_scores(1, 30, 24)[0]
    chosen = splits(24, 12, 60, seed=0)
    gains = combination_gains(np.stack([x, x, rng.normal(size=x.shape)]), chosen, seed=1)
    assert gains.error[0, 1] == pytest.approx(0, abs=1e-12)
    assert gains.value[0, 1] == pytest.approx(0, abs=1e-12)
    own = predictive_power(x[None], chosen, replicates=1).value[0, 0]
    best = gains.at_best(gains.value)[2, 0]
    assert best == pytest.approx(own, abs=0.1)  # noise predicts nothing; a little of it harms little
    assert gains.best[2, 0] == len(WEIGHTS) - 1


def test_two_halves_of_a_signal_predict_better_together() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(40, 1))
    a, b = (truth + rng.normal(0, 2, size=(40, 24)) for _ in range(2))
    gains = combination_gains(np.stack([a, b]), splits(24, 12, 60, seed=0), seed=1)
    assert (gains.value[0, 0] == 0).all()
    assert gains.at_best(gains.value)[0, 1] > 0.02


def test_the_error_of_a_gain_is_what_it_varies_by_over_samples_of_topics() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(20, 1))
    drawn = []
    for s in range(60):
        noise = rng.normal(0, 2, size=(2, 20, 30))
        drawn.append(combination_gains(truth + noise, splits(30, 15, 40, seed=s), seed=s))
    seen = np.std([gains.value[0, 1, 1] for gains in drawn], ddof=1)
    estimated = np.sqrt(np.mean([gains.error[0, 1, 1] ** 2 for gains in drawn]))
    assert 0.9 < estimated / seen < 1.6  # a jackknife's variance is on average too large, if anything
    assert all((gains.error > gains.mc_se)[0, 1].all() for gains in drawn)


def test_the_monte_carlo_error_of_a_gain_is_what_it_varies_by_and_none_where_every_split_was_taken() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(25, 1)) + rng.normal(0, 2, size=(2, 25, 16))
    drawn = [combination_gains(x, splits(16, 8, 40, seed=s), seed=1, replicates=1) for s in range(40)]
    seen = np.std([gains.value[0, 1, 1] for gains in drawn], ddof=1)
    assert np.mean([gains.mc_se[0, 1, 1] for gains in drawn]) == pytest.approx(seen, rel=0.35)
    assert (combination_gains(x[:, :, :6], splits(6, 3, 100, seed=0), seed=1).mc_se == 0).all()


def test_three_topics_have_gains_but_no_error() -> None:
    gains = combination_gains(measure_scores(2, 6, 3), splits(3, 1, 100, seed=0), seed=0)
    assert np.isfinite(gains.value).all()
    assert np.isnan(gains.error).all()
