"""Tukey's tests against scipy, statsmodels, an analysis of variance by hand, and a plain loop."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.formula.api
from numpy.typing import NDArray
from scipy.special import stdtr
from statsmodels.stats.anova import anova_lm

from assay.stats.resampling import shuffles
from assay.stats.significance import tukey
from assay.stats.significance.paired_t import t_test
from assay.stats.significance.randomisation import randomisation_test
from assay.stats.significance.tukey import randomised_tukey_test, studentised_range, tukey_test

Array = NDArray[np.float64]

DOF = [1, 2, 3, 5, 10, 49, 200, 6272, 1_000_000]


def scores(m: int, n: int, seed: int = 1) -> Array:
    """Scores with effects of runs and of topics."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=n) + rng.normal(0, 0.5, size=(m, 1)) + rng.normal(size=(m, n))


@pytest.mark.parametrize("dof", DOF)
def test_the_range_of_two_is_students_t(dof: int) -> None:
    """|t| sqrt(2) is the studentised range of two means: known to the last digits, far out, too."""
    q = tukey._q(np.linspace(0.0, tukey._FARTHEST, 40), dof)
    expected = 2 * stdtr(float(dof), -q / np.sqrt(2))
    found = studentised_range(q, 2, dof)
    assert expected.min() < 1e-60
    assert found == pytest.approx(expected, abs=1e-13)
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("m", "dof"), [(2, 1), (3, 2), (3, 40), (10, 9), (10, 441), (129, 128), (129, 6272)])
def test_the_studentised_range_is_scipys(m: int, dof: int) -> None:
    q = np.array([0.1, 1.0, 3.0, 4.5, 6.0, 12.0])
    assert studentised_range(q, m, dof) == pytest.approx(scipy.stats.studentized_range.sf(q, m, dof), abs=1e-10)


@pytest.mark.parametrize(("m", "dof"), [(2, 1), (3, 2), (7, 6), (10, 90), (129, 128), (129, 6272), (1000, 49_000)])
def test_interpolated_p_values_are_the_computed_ones(m: int, dof: int) -> None:
    """Also between the nodes, for few degrees of freedom, and for q from 0 to far beyond any data."""
    q = np.concatenate([np.linspace(0, 12, 60), tukey._q(np.linspace(3.0, tukey._FARTHEST, 20), dof)])
    direct = studentised_range(q, m, dof)
    found = tukey._tail(q, m, dof)
    assert q.size > tukey._DIRECT
    assert direct.min() < 1e-55
    assert found == pytest.approx(direct, abs=1e-10)
    assert found == pytest.approx(direct, rel=1e-9)


def test_p_beyond_the_farthest_stays_where_it_is() -> None:
    q = np.array([40.0, 1e3, 1e9])
    assert (np.diff(tukey._tail(q, 10, 441)) == 0).all()
    assert 0 < tukey._tail(q, 10, 441)[0] < 1e-55


@pytest.mark.parametrize(("m", "n"), [(2, 2), (2, 10), (2, 50)])
def test_two_runs_are_a_paired_t_test(m: int, n: int) -> None:
    x = scores(m, n)
    assert tukey_test(x) == pytest.approx(t_test(x), rel=1e-9)


@pytest.mark.parametrize(("m", "n"), [(3, 2), (4, 12), (9, 25)])
def test_p_is_that_of_an_analysis_of_variance(m: int, n: int) -> None:
    """Residual of run + topic by statsmodels; studentised range by scipy; on both sides of the interpolation."""
    x = scores(m, n)
    run, topic = np.indices(x.shape)
    frame = pd.DataFrame({"score": x.ravel(), "run": run.ravel(), "topic": topic.ravel()})
    residual = anova_lm(statsmodels.formula.api.ols("score ~ C(run) + C(topic)", frame).fit()).loc["Residual"]
    assert residual["df"] == (m - 1) * (n - 1)
    error = np.sqrt(residual["sum_sq"] / residual["df"] / n)
    gaps = np.array([abs(x[i].mean() - x[j].mean()) for i, j in combinations(range(m), 2)])
    expected = scipy.stats.studentized_range.sf(gaps / error, m, residual["df"])
    assert tukey_test(x) == pytest.approx(expected, abs=1e-9)


def test_the_effects_of_topics_do_not_matter() -> None:
    x = scores(6, 20)
    moved = x + np.random.default_rng(2).normal(0, 10, size=20)
    assert tukey_test(moved) == pytest.approx(tukey_test(x), rel=1e-8)
    both = [randomised_tukey_test(y, resamples=400, seed=1) for y in (x, moved)]
    assert (both[0] == both[1]).all()


def test_runs_far_apart_have_a_small_p_that_is_not_0() -> None:
    x = scores(8, 30) + 1000.0 * np.arange(8)[:, None]
    assert ((tukey_test(x) > 0) & (tukey_test(x) < 1e-50)).all()


def plain_loop(whole: NDArray[np.int64], resamples: int, seed: int) -> list[float]:
    """Randomised Tukey in whole numbers, with the same permutations."""
    m, n = whole.shape
    indices = np.tile(np.arange(m, dtype=np.float64), (n, 1))
    ranges = []
    for order in np.concatenate(list(shuffles(indices, resamples, seed))).astype(int):  # [topic, run]
        totals = [sum(int(whole[order[t, r], t]) for t in range(n)) for r in range(m)]
        ranges.append(max(totals) - min(totals))
    gaps = [abs(int(whole[i].sum() - whole[j].sum())) for i, j in combinations(range(m), 2)]
    flat = [np.ptp(whole[i] - whole[j]) == 0 for i, j in combinations(range(m), 2)]
    return [
        1.0 if still else (sum(r >= gap for r in ranges) + 1) / (resamples + 1)
        for gap, still in zip(gaps, flat, strict=True)
    ]


@pytest.mark.parametrize("unit", [10, 2520, 10_000])
def test_the_randomised_test_is_a_plain_loop_in_whole_numbers(unit: int) -> None:
    rng = np.random.default_rng(unit)
    whole = rng.binomial(unit, rng.beta(0.8, 1.2, size=20), size=(5, 20))
    found = randomised_tukey_test(whole / unit, resamples=600, seed=4)
    assert found.tolist() == plain_loop(whole, 600, 4)
    assert len(set(found.tolist())) > 4


def test_the_randomised_test_agrees_with_all_permutations() -> None:
    """Three runs, four topics: 6^4 arrangements, each as likely as the others."""
    x = np.random.default_rng(3).integers(11, size=(3, 4)) / 10
    orders = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    ranges = np.array(
        [np.ptp(sum(x[orders[choice], t] for t, choice in enumerate(c))) for c in np.ndindex(6, 6, 6, 6)]
    )
    n = 20_000
    for p, (i, j) in zip(randomised_tukey_test(x, resamples=n, seed=1), combinations(range(3), 2), strict=True):
        exact = np.mean(ranges >= abs(x[i].sum() - x[j].sum()) - 1e-12)
        assert p == pytest.approx(exact, abs=4.5 * np.sqrt(exact * (1 - exact) / n) + 2 / n)


def test_two_runs_are_a_randomisation_test() -> None:
    x = np.random.default_rng(3).binomial(10, [[0.3], [0.45]], size=(2, 30)) / 10
    n = 20_000
    by_signs = randomisation_test(x, resamples=n, seed=2)[0]
    error = np.sqrt(2 * by_signs * (1 - by_signs) / n)
    assert randomised_tukey_test(x, resamples=n, seed=1) == pytest.approx([by_signs], abs=4.5 * error)


def test_the_family_pays_for_every_pair() -> None:
    x = scores(6, 40)
    assert (tukey_test(x) >= t_test_with_common_error(x) - 1e-12).all()


def t_test_with_common_error(x: Array) -> Array:
    """Each pair by itself against the same residual."""
    m, n = x.shape
    residual = x - x.mean(0) - x.mean(1, keepdims=True) + x.mean()
    dof = (m - 1) * (n - 1)
    error = np.sqrt(2 * (residual**2).sum() / dof / n)
    return np.array([2 * stdtr(dof, -abs(x[i].mean() - x[j].mean()) / error) for i, j in combinations(range(m), 2)])
