"""Smoothed power is what scipy's t tests say; its derivatives are those of differences, its optimum scipy's."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import optimize, stats

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise import smoothed_power
from assay.analyses.weights.optimise.ndcg import criterion, stability
from assay.analyses.weights.optimise.optimum import optimise
from assay.analyses.weights.optimise.smoothed_power import SmoothedPower
from assay.analyses.weights.power import swept_gain
from assay.core.arrays import Array
from tests.builders.weights import graded_lists


def smoothed(x: Array, alpha: float = 0.05) -> float:
    """The mean over pairs of t^4 / (t^4 + c^4), one test of scipy after the other."""
    critical = stats.t.ppf(1 - alpha / 2, x.shape[1] - 1)
    t = np.array([stats.ttest_rel(a, b).statistic for a, b in combinations(x, 2)])
    return float(np.mean(t**4 / (t**4 + critical**4)))


def scored(lists: GradedLists, gain: Array, discount: Array) -> Array:
    """nDCG one list after the other, gains rising with the grade. [run, topic]"""
    k = discount.size
    x = np.zeros((lists.n_runs, lists.n_topics))
    for topic in range(lists.n_topics):
        ideal = np.repeat(gain[::-1], lists.pool[topic, ::-1])[:k]
        for run in range(lists.n_runs):
            x[run, topic] = gain[lists.grade[run, topic, :k]] @ discount / (ideal @ discount[: ideal.size])
    return x


@pytest.fixture(scope="module")
def x() -> Array:
    rng = np.random.default_rng(1)
    return rng.normal(size=(7, 9)) + 0.3 * np.arange(7)[:, None]


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_it_is_the_mean_over_scipys_t_tests(x: Array, alpha: float) -> None:
    assert SmoothedPower(x, alpha=alpha).value == pytest.approx(smoothed(x, alpha), abs=1e-12)


@pytest.mark.parametrize("in_cache", [1, 60, 1 << 15])
def test_slope_and_curvature_are_those_of_differences(
    x: Array, in_cache: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many runs are worked on at a time."""
    monkeypatch.setattr(smoothed_power, "_IN_CACHE", in_cache)
    power, h = SmoothedPower(x), 1e-5
    ways = np.random.default_rng(2).normal(size=(3, *x.shape))
    sides = [[SmoothedPower(x + step * way) for step in (h, -h)] for way in ways]
    for way, (more, less) in zip(ways, sides, strict=True):
        assert np.vdot(power.slope(), way) == pytest.approx((more.value - less.value) / (2 * h), abs=1e-8)
    bends = [(more.slope() - less.slope()) / (2 * h) for more, less in sides]
    by_differences = np.array([[np.vdot(bend, way) for way in ways] for bend in bends])
    assert power.curvature(ways) == pytest.approx(by_differences, abs=1e-7)


def test_runs_that_are_the_same_are_not_separated(x: Array) -> None:
    twice = np.concatenate([x, x[:1]])
    n, m = 7 * 6 / 2, 8 * 7 / 2
    others = [smoothed(np.stack([x[0], run])) for run in x[1:]]
    assert SmoothedPower(twice).value == pytest.approx((n * smoothed(x) + sum(others)) / m, abs=1e-12)
    assert np.isnan(SmoothedPower(np.stack([x[0]] * 3)).value)
    assert np.isfinite(SmoothedPower(twice).slope()).all()
    assert np.isfinite(SmoothedPower(twice).curvature(twice[None])).all()


def test_the_optimal_discount_is_that_of_slsqp() -> None:
    """Scipy's search over a falling discount, with nDCG and the tests computed one by one."""
    lists, k, gain = graded_lists(n_runs=6, n_topics=10, k=4), 4, np.arange(3.0)
    own = optimise(lists, free="discount", gain=gain, discount=np.ones(k), coefficient="power")

    def lost(shares: Array) -> float:
        return -smoothed(scored(lists, gain, np.cumsum(shares[::-1])[::-1]))

    starts = np.random.default_rng(0).dirichlet(np.ones(k), size=4)
    ends = [
        optimize.minimize(
            lost,
            start,
            method="SLSQP",
            bounds=[(0, 1)] * k,
            constraints={"type": "eq", "fun": lambda shares: np.arange(1, k + 1) @ shares - 1},
            options={"ftol": 1e-13, "maxiter": 300},
        )
        for start in starts
    ]
    best = min(ends, key=lambda end: float(end.fun))
    assert own.value == pytest.approx(-best.fun, abs=1e-7)
    assert own.discount == pytest.approx(np.cumsum(best.x[::-1])[::-1], abs=2e-3)
    assert own.converged
    assert (np.diff(own.discount) <= 1e-15).all()


@pytest.mark.slow
def test_the_optimal_ratio_of_gains_is_the_best_of_a_grid() -> None:
    lists, log2 = graded_lists(n_runs=8, n_topics=12), 1 / np.log2(np.arange(10) + 2)
    own = optimise(lists, free="gain", gain=np.arange(3.0), discount=log2, coefficient="power")
    grid = np.geomspace(1, 50, 400)
    every = [smoothed(scored(lists, swept_gain(2, ratio), log2)) for ratio in grid]
    best = int(np.argmax(every))
    assert own.value >= every[best] - 1e-12
    assert own.gain[2] / own.gain[1] == pytest.approx(grid[best], rel=0.02)


def test_binary_grades_and_one_relevant_document_have_an_optimum() -> None:
    lists = graded_lists(top=1, seed=5)
    one = GradedLists(
        (np.arange(10) == np.random.default_rng(1).integers(10, size=(12, 15, 1))).astype(np.int8),
        np.tile([9, 1], (15, 1)),
    )
    for some in (lists, one):
        own = optimise(some, free="discount", gain=np.arange(2.0), discount=np.ones(10), coefficient="power")
        usual = stability(some, np.arange(2.0), 1 / np.log2(np.arange(10) + 2), "power")
        assert own.value >= usual - 1e-9


def test_a_criterion_is_chosen_by_its_name(x: Array) -> None:
    assert criterion("power")(x).value == SmoothedPower(x).value
    assert criterion("phi")(x).value != criterion("e_rho2")(x).value
