"""Predictive power: against a loop over scipy, all splits there are, and plain jackknives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.core.arrays import Array
from assay.stats.prediction import (
    N_SUBSETS,
    average,
    crossed,
    predictive_power,
    split_error,
    split_jackknife,
    subsamples,
)
from assay.stats.splits import splits
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


def test_subsets_leave_out_a_fifth_of_the_topics_and_are_split_alike() -> None:
    some = subsamples(23, 11, 6 * 23, seed=3)
    assert (some.n_subsets, some.splits.size, len(some.splits)) == (23, 9, 6 * 23)
    used = [set(row) for row in np.concatenate([some.splits.first, some.splits.second], axis=1).tolist()]
    for k in range(23):
        assert len(set.union(*used[6 * k : 6 * k + 6])) <= 23 - 4
        assert all(len(row) == 18 for row in used[6 * k : 6 * k + 6])  # disjoint
    small, whole = (subsamples(23, size, 6 * 23, seed=3) for size in (5, 9))
    assert (small.splits.first == whole.splits.first[:, :5]).all()  # sizes can be compared
    few = subsamples(6, 3, 100, seed=0)
    left = [set(range(6)) - set(few.splits.first[i]) - set(few.splits.second[i]) for i in range(len(few.splits))]
    assert few.n_subsets == 6
    assert [set.intersection(*left[i : i + 15]) for i in range(0, 90, 15)] == [{t} for t in range(6)]
    assert subsamples(200, 100, 0, seed=0).n_subsets == N_SUBSETS
    assert subsamples(3, 1, 10, seed=0).n_subsets == 0


def test_the_error_of_a_mean_by_subsets_is_the_textbooks() -> None:
    """Where the statistic is the mean over the topics of a subset, the delete-d jackknife gives s / sqrt(n)."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=40)
    found = []
    for seed in range(200):
        some = subsamples(40, 20, 2, seed=seed)
        members = np.concatenate([some.splits.first, some.splits.second], axis=1)
        found.append(float(split_error(some.changes(x[members].mean(-1)), exact=True)) ** 2)
    assert np.sqrt(np.mean(found)) == pytest.approx(x.std(ddof=1) / np.sqrt(40), rel=0.03)


def test_the_error_of_phi_is_what_it_varies_by_over_samples_of_topics() -> None:
    rng = np.random.default_rng(2)
    quality = rng.normal(size=(15, 1))
    drawn = [
        predictive_power(quality + rng.normal(0, 2, size=(1, 15, 30)), splits(30, 15, 100, s), seed=s)
        for s in range(80)
    ]
    seen = np.std([p.value[0, 0] for p in drawn], ddof=1)
    estimated = np.sqrt(np.mean([split_error(p.changes, exact=False)[0, 0] ** 2 for p in drawn]))
    assert estimated == pytest.approx(seen, rel=0.3)


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
    free = predictive_power(x, chosen)
    by_subsets = [predictive_power(x, chosen.head(1), replicates=2000, free=2.0, seed=s).changes for s in range(8)]
    widths = [float(split_error(changes, exact=False)[0, 0]) for changes in (free.changes, *by_subsets)]
    assert free.changes.shape[1] == 6000
    assert widths[0] == pytest.approx(np.sqrt(np.mean(np.square(widths[1:]))), rel=0.2)


def test_few_replicates_do_not_widen_the_interval() -> None:
    """10 splits of a subset against 300: with the noise taken off, the mean variance is the same."""
    x = measure_scores(1, 25, 20, seed=3)
    changes = predictive_power(x, splits(20, 10, 20, seed=0), replicates=6000).changes
    full = float(split_error(changes, exact=True)[0, 0])
    parts = [changes[:, i : i + 10] for i in range(0, 300, 10)]
    few, raw = (
        np.sqrt(np.mean([split_error(part, exact=exact)[0, 0] ** 2 for part in parts])) for exact in (False, True)
    )
    assert few == pytest.approx(full, rel=0.06)
    assert raw > 1.06 * full


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
