"""Intervals from halves of the topics: their range, their pairing, what may be best, and whether they cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from assay.core.arrays import Array
from assay.stats.correlation.subsampled_tau import half_rankings, tau_interval
from assay.stats.significance.subsampled_power import subsampled_power
from assay.stats.subsampling import (
    SubsampledShare,
    best_shares,
    half_changes,
    halves,
)


def share(value: float, spread: float = 0.05, *, seed: int = 0, n_pairs: int = 66) -> SubsampledShare:
    return SubsampledShare(value, np.random.default_rng(seed).normal(0, spread, 100), 0.8, 50, n_pairs)


def test_halves_are_disjoint_and_the_same_for_the_same_seed() -> None:
    split, again, other = halves(25, seed=1), halves(25, seed=1), halves(25, seed=2)
    assert split is not None
    assert again is not None
    assert other is not None
    assert split.size == 12
    assert all(not set(a) & set(b) for a, b in zip(split.first, split.second, strict=True))
    assert np.array_equal(split.first, again.first)
    assert not np.array_equal(split.first, other.first)


def test_half_of_the_mean_square_between_halves_is_the_variance_of_a_half() -> None:
    x = np.random.default_rng(0).normal(size=2000)
    split = halves(2000, n_splits=400)
    assert split is not None
    changes = half_changes(np.concatenate([x[split.first].mean(-1), x[split.second].mean(-1)]))
    assert np.mean(changes**2) == pytest.approx(x.var() / 1000, rel=0.2)


@given(st.floats(0, 1), st.floats(0, 0.3))
def test_an_interval_of_a_share_stays_between_0_and_1_and_holds_the_share(value: float, spread: float) -> None:
    low, high = share(value, spread).interval(0.95) or (np.nan, np.nan)
    assert 0 <= low <= value <= high <= 1


def test_an_interval_is_wilsons_of_as_many_pairs_as_would_vary_as_much() -> None:
    one = share(0.3)
    low, high = one.interval(0.95) or (np.nan, np.nan)
    n = 0.3 * 0.7 / (0.8**2 * np.mean(one.changes**2))
    quantile = (1.959964 / 2.009575) ** 2  # of the normal distribution, and of t with 49 degrees of freedom
    assert (low, high) == pytest.approx(
        proportion_confint(0.3 * n * quantile, n * quantile, method="wilson"), abs=1e-6
    )


def test_a_difference_is_paired_and_symmetric() -> None:
    a, b = share(0.6), share(0.5)  # the same halves change both by the same
    assert (a - b).interval(0.95) == pytest.approx((0.1, 0.1))
    assert (a - b).p == 1.0  # what does not vary cannot be tested
    c = share(0.5, seed=1)
    low, high = (a - c).interval(0.95) or (np.nan, np.nan)
    assert low + high == pytest.approx(0.2)
    assert (a - c).p == pytest.approx((c - a).p)


def test_without_halves_there_is_no_interval_and_no_p() -> None:
    a, b = (SubsampledShare(value, np.zeros(0), 1.0, 6, 66) for value in (0.5, 0.6))
    assert a.interval(0.95) is None
    assert (a - b).interval(0.95) is None
    assert np.isnan((a - b).p)
    assert np.isnan(best_shares([a, b])[0]).all()


def test_the_best_may_always_be_best_and_one_far_behind_may_not() -> None:
    shares = [share(value, 0.02, seed=i) for i, value in enumerate((0.7, 0.69, 0.3))]
    p, above = best_shares(shares)
    assert p[0] > 0.5
    assert p[1] > 0.05 > p[2]
    assert above[2] in {0, 1}
    assert above[0] == 0
    assert best_shares(shares)[0].tolist() == p.tolist()


def test_more_competitors_make_it_harder_to_leave_the_set() -> None:
    close, rivals = share(0.62, seed=1), [share(0.7, seed=i) for i in (2, 3, 4, 5, 6, 7)]
    few, many = (
        best_shares([close, rivals[0]])[0][0],
        best_shares([close, rivals[0], *map(_behind, rivals)])[0][0],
    )
    assert few < many


def _behind(one: SubsampledShare) -> SubsampledShare:
    return SubsampledShare(0.6, one.changes[::-1], one.growth, one.n_topics, one.n_pairs)


def _runs(n_topics: int, noise: float, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 1, 15)[:, None] + rng.normal(size=(15, n_topics))
    return x, x + noise * rng.normal(size=x.shape)


def test_tau_has_an_interval_within_its_range() -> None:
    x, y = _runs(30, 0.5)
    split = halves(30)
    tau, low, high = tau_interval(half_rankings(x, split), half_rankings(y, split), level=0.95)
    assert -1 <= low < tau < high <= 1
    same = half_rankings(x, split)
    assert tau_interval(same, same, level=0.95) == (1.0, 1.0, 1.0)
    assert np.isnan(tau_interval(half_rankings(x, None), half_rankings(y, None), level=0.95)[1:]).all()


@pytest.mark.slow
def test_intervals_cover_on_synthetic_topics() -> None:
    """Power, a difference of power and tau of 15 runs on 25 topics; the truth is the mean over 1,000 samples."""
    split = halves(25)

    def values(seed: int) -> tuple[float, float, float]:
        x, y = _runs(25, 0.6, seed)
        a, b = (subsampled_power(z, None, alpha=0.05).value for z in (x, y))
        return a, a - b, tau_interval(half_rankings(x, None), half_rankings(y, None), level=0.95)[0]

    truth = np.mean([values(10_000 + i) for i in range(1000)], axis=0)
    held = np.zeros(3)
    for i in range(300):
        x, y = _runs(25, 0.6, i)
        a, b = (subsampled_power(z, split, alpha=0.05) for z in (x, y))
        ends = (a.interval(0.95), (a - b).interval(0.95))
        _, *tau = tau_interval(half_rankings(x, split), half_rankings(y, split), level=0.95)
        held += [bool(low <= t <= high) for (low, high), t in zip((*ends, tau), truth, strict=True)]  # type: ignore[misc]
    assert (held / 300 >= 0.9).all()


def test_errors_of_a_distance_are_proportional_to_a_power_of_it() -> None:
    on_halves = np.array([0.2, 0.3, 0.1, 0.2])  # two splits
    plain, root = (SubsampledShare.of_distance(0.15, on_halves, 50, 100, power=power) for power in (1.0, 0.5))
    assert plain.growth == pytest.approx(0.155 / 0.205)
    assert root.growth == pytest.approx(np.sqrt(0.155 / 0.205))
    assert plain.changes == pytest.approx(np.array([0.1, 0.1]) / np.sqrt(2))
    assert SubsampledShare.of_distance(0.15, np.zeros(0), 5, 100).interval(0.95) is None
