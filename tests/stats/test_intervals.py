"""Intervals against scipy, and what happens at their edges."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from assay.stats import intervals
from assay.stats.intervals import bootstrap_interval, t_interval, t_quantile

Array = NDArray[np.float64]


def sample_with_gaps(seed: int = 3) -> Array:
    """Scores of 2 measures x 4 runs x 30 topics, some of them missing."""
    rng = np.random.default_rng(seed)
    x = rng.beta(0.5, 2.0, size=(2, 4, 30))
    x[rng.random(x.shape) < 0.2] = np.nan
    return x


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99, 0.9999])
def test_students_quantile_is_scipys(level: float) -> None:
    dof = [*range(1, 201), 1000, 100_000]
    expected = scipy.stats.t.ppf((1 + level) / 2, dof)
    assert [t_quantile(level, k) for k in dof] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_students_interval_is_scipys_with_gaps_left_out(level: float) -> None:
    x = sample_with_gaps()
    low, high = t_interval(x, level=level)
    for at in np.ndindex(x.shape[:-1]):
        there = x[at][~np.isnan(x[at])]
        expected = scipy.stats.ttest_1samp(there, 0.0).confidence_interval(level)
        assert (low[at], high[at]) == pytest.approx((expected.low, expected.high), rel=1e-10)


@pytest.mark.parametrize("size", [0, 1])
def test_fewer_than_two_values_have_no_interval(size: int) -> None:
    x = np.full((1, 5), np.nan)
    x[0, :size] = 0.5
    ends = [*t_interval(x, level=0.95)]
    ends += bootstrap_interval(x, level=0.95, resamples=20, rng=np.random.default_rng(0))
    assert np.isnan(ends).all()


def test_equal_values_have_an_interval_without_width() -> None:
    x = np.full((1, 5), 0.25)
    ends = [*t_interval(x, level=0.95)]
    ends += bootstrap_interval(x, level=0.95, resamples=20, rng=np.random.default_rng(0))
    assert np.ravel(ends).tolist() == [0.25] * 4


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_bootstrap_agrees_with_scipys(level: float) -> None:
    x = sample_with_gaps()
    low, high = bootstrap_interval(x, level=level, resamples=20_000, rng=np.random.default_rng(1))
    for at in np.ndindex(x.shape[:-1]):
        there = x[at][~np.isnan(x[at])]
        expected = scipy.stats.bootstrap(
            (there,),
            np.mean,
            n_resamples=20_000,
            confidence_level=level,
            method="percentile",
            rng=np.random.default_rng(2),
        ).confidence_interval
        # two Monte Carlo estimates, and scipy's resamples have no gaps: with these seeds up to 2% of the width apart
        width = expected.high - expected.low
        assert (low[at], high[at]) == pytest.approx((expected.low, expected.high), abs=0.04 * width)


def test_the_bootstrap_is_a_quantile_of_resampled_means() -> None:
    x = sample_with_gaps()[0]
    low, high = bootstrap_interval(x, level=0.9, resamples=700, rng=np.random.default_rng(5))
    counts = np.concatenate([g.multinomial(30, [1 / 30] * 30, size=500) for g in np.random.default_rng(5).spawn(2)])[
        :700
    ]
    for i, row in enumerate(x):
        means = [np.nanmean(np.repeat(row, count)) for count in counts]
        assert (low[i], high[i]) == pytest.approx(tuple(np.quantile(means, [0.05, 0.95])), rel=1e-12)


def test_the_same_seed_gives_the_same_numbers() -> None:
    x = sample_with_gaps()
    first, again, other = (
        bootstrap_interval(x, level=0.95, resamples=1200, rng=np.random.default_rng(seed)) for seed in (7, 7, 8)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_bootstrap_does_not_depend_on_how_the_work_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    x = sample_with_gaps()
    whole = bootstrap_interval(x, level=0.95, resamples=1200, rng=np.random.default_rng(7))
    monkeypatch.setattr(intervals, "_MEANS", 1)
    alone = bootstrap_interval(x, level=0.95, resamples=1200, rng=np.random.default_rng(7))
    assert np.ravel(alone) == pytest.approx(np.ravel(whole), rel=1e-12)


def test_a_resample_that_holds_only_gaps_is_passed_over() -> None:
    x = np.array([[0.2, 0.6, np.nan, np.nan]])
    low, high = bootstrap_interval(x, level=0.9, resamples=500, rng=np.random.default_rng(0))
    assert (low[0], high[0]) == (0.2, 0.6)
