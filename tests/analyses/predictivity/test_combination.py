"""What a measure adds to another that predicts it: nothing, all, and its Monte-Carlo error."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analyses.predictivity.combination import combination_gain
from assay.stats.prediction import predictive_power
from assay.stats.splits import splits
from tests.builders.arrays import measure_scores


def test_a_copy_of_a_measure_adds_nothing_and_pure_noise_gains_what_the_measure_itself_has() -> None:
    rng = np.random.default_rng(0)
    x = measure_scores(1, 30, 24)[0]
    gain, error = combination_gain(np.stack([x, x, rng.normal(size=x.shape)]), splits(24, 12, 60, seed=0), seed=1)
    assert error[0, 1] == pytest.approx(0, abs=1e-12)
    assert gain[0, 1] == pytest.approx(0, abs=1e-12)
    own = predictive_power(x[None], splits(24, 12, 60, seed=0), replicates=1).value[0, 0]
    assert gain[2, 0] == pytest.approx(
        own, abs=0.1
    )  # noise predicts nothing; the best combination is nearly the measure alone


def test_two_halves_of_a_signal_predict_better_together() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(40, 1))
    a, b = (truth + rng.normal(0, 2, size=(40, 24)) for _ in range(2))
    gain, _ = combination_gain(np.stack([a, b]), splits(24, 12, 60, seed=0), seed=1)
    assert gain.min() == gain[0, 0] == 0
    assert gain[0, 1] > 0.02


def test_sets_of_one_topic_leave_no_weight_to_choose() -> None:
    gain, error = combination_gain(measure_scores(), splits(12, 1, 10, seed=0), seed=0)
    assert np.isnan(gain).all()
    assert np.isnan(error).all()


def test_the_error_of_a_gain_is_what_it_varies_by_and_none_where_every_split_was_taken() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(25, 1))
    x = np.stack([truth + rng.normal(0, 2, size=(25, 16)) for _ in range(2)])
    drawn = [combination_gain(x, splits(16, 8, 40, seed=s), seed=1) for s in range(40)]
    seen, estimated = (
        np.std([gain[0, 1] for gain, _ in drawn], ddof=1),
        np.mean([error[0, 1] for _, error in drawn]),
    )
    assert estimated == pytest.approx(seen, rel=0.35)
    assert (combination_gain(x[:, :, :6], splits(6, 3, 100, seed=0), seed=1)[1] == 0).all()
