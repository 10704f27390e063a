"""Predictive power: against a loop over scipy, all splits there are, and plain jackknives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.core.arrays import Array
from assay.stats.prediction import average, crossed, predictive_power, split_jackknife
from assay.stats.splits import Splits, splits
from tests.builders.arrays import measure_scores


def test_the_same_splits_in_a_loop_over_scipy_give_the_same_phi() -> None:
    x = measure_scores(3, 20, 14)
    chosen = splits(14, 7, 40, seed=2)
    phi = predictive_power(x, chosen, replicates=5).value
    for a in range(3):
        for b in range(3):
            loop = [_tau(x[a][:, s], x[b][:, t]) for s, t in zip(chosen.first, chosen.second, strict=True)]
            back = [_tau(x[a][:, t], x[b][:, s]) for s, t in zip(chosen.first, chosen.second, strict=True)]
            assert phi[a, b] == pytest.approx(np.mean(loop + back), abs=1e-12)
            assert phi[a, b] == phi[b, a]


def _tau(x: Array, y: Array) -> float:
    """scipy counts numbers as different that differ by rounding only."""
    return float(stats.kendalltau(x.sum(-1).round(9), y.sum(-1).round(9)).statistic)


def test_all_splits_agree_with_a_sample_of_them() -> None:
    x = measure_scores(2, 15, 12)
    every, some = splits(12, 6, 462, seed=0), splits(12, 6, 400, seed=1)
    whole, part = (predictive_power(x, chosen, replicates=5) for chosen in (every, some))
    assert every.complete
    assert not some.complete
    assert (whole.mc_se == 0).all()
    assert (np.abs(whole.value - part.value) < 4 * part.mc_se).all()


def test_the_monte_carlo_error_is_what_phi_varies_by() -> None:
    x = measure_scores(1, 12, 20)
    drawn = [predictive_power(x, splits(20, 10, 100, seed=s), replicates=1) for s in range(60)]
    seen, estimated = np.std([p.value[0, 0] for p in drawn], ddof=1), np.mean([p.mc_se[0, 0] for p in drawn])
    assert estimated == pytest.approx(seen, rel=0.3)


def test_a_topic_is_taken_out_of_the_set_that_it_is_in() -> None:
    x = measure_scores(2, 10, 8)
    chosen = splits(8, 4, 10, seed=4)
    changes = predictive_power(x, chosen, replicates=10).changes
    assert changes.shape == (8, 10, 2, 2)
    for topic in range(8):
        for s in range(10):
            sets = [[t for t in side[s] if t != topic] for side in (chosen.first, chosen.second)]
            without = (_tau_of(x, 0, 1, *sets) + _tau_of(x, 0, 1, *sets[::-1])) / 2
            whole = crossed(x, chosen)[s, 0, 1]
            assert changes[topic, s, 0, 1] == pytest.approx(without - whole, abs=1e-12)


def _tau_of(x: Array, a: int, b: int, first: list[int], second: list[int]) -> float:
    means_of = x[a][:, first].mean(-1).round(9), x[b][:, second].mean(-1).round(9)
    return float(stats.kendalltau(*means_of).statistic)


def test_with_small_sets_a_topic_is_left_out_by_leaving_out_its_splits() -> None:
    x = measure_scores(2, 10, 20)
    chosen = splits(20, 3, 300, seed=4)
    found = predictive_power(x, chosen, replicates=5)
    tau = crossed(x, chosen)
    for topic in (0, 7):
        apart = ~((chosen.first == topic).any(1) | (chosen.second == topic).any(1))
        assert found.changes[topic].mean(0) == pytest.approx(tau[apart].mean(0) - tau.mean(0), abs=1e-12)


def test_both_ways_to_leave_topics_out_say_the_same() -> None:
    """Sets of 4 out of 20: most splits are without a topic, so that both ways are open."""
    x = measure_scores(1, 25, 20, seed=3)
    chosen = splits(20, 4, 6000, seed=0)
    free = predictive_power(x, chosen, replicates=1)
    again = predictive_power(x, Splits(20, chosen.first[:1500], chosen.second[:1500]), replicates=1500, free=2.0)
    widths = [split_jackknife(p.changes, level=0.95, exact=False)[0, 0] for p in (free, again)]
    assert free.changes.shape[1] == 6000
    assert widths[0] == pytest.approx(widths[1], rel=0.12)


def test_few_replicates_do_not_widen_the_interval() -> None:
    """20 splits against 600 behind the jackknife: with the noise taken off, the mean variance is the same."""
    x = measure_scores(1, 25, 20, seed=3)
    chosen = splits(20, 10, 600, seed=0)
    changes = predictive_power(x, chosen, replicates=600).changes
    full = float(split_jackknife(changes, level=0.95, exact=True)[0, 0])
    parts = [changes[:, i : i + 20] for i in range(0, 600, 20)]
    few, raw = (
        np.sqrt(np.mean([split_jackknife(part, level=0.95, exact=exact)[0, 0] ** 2 for part in parts]))
        for exact in (False, True)
    )
    assert few == pytest.approx(full, rel=0.04)
    assert raw > 1.04 * full


def test_complete_splits_give_the_plain_jackknife() -> None:
    x = measure_scores(1, 10, 6)
    found = predictive_power(x, splits(6, 3, 100, seed=0), replicates=100)
    left = found.changes.mean(1)[:, 0, 0]
    half = stats.t.ppf(0.975, 5) * np.sqrt(5 / 6 * ((left - left.mean()) ** 2).sum())
    assert split_jackknife(found.changes, level=0.95, exact=found.exact)[0, 0] == pytest.approx(half)


def test_three_topics_have_no_interval() -> None:
    found = predictive_power(measure_scores(2, 6, 3), splits(3, 1, 100, seed=0), replicates=100)
    assert np.isnan(found.interval(level=0.95)).all()
    assert found.n_splits.tolist() == [[3, 3], [3, 3]]


def test_average_leaves_out_what_is_not_there() -> None:
    found = average(np.array([[1.0, np.nan], [2.0, np.nan]]))
    assert found[0] == 1.5
    assert np.isnan(found[1])
