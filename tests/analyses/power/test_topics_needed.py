"""Topics that a stated difference needs: of the median variance, and the jackknife done one by one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.power.analysis import power
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.scoring.scores import Scores
from assay.stats.paired.sample_size import paired_topics

RNG = np.random.default_rng(16)


def _scores(x: Array) -> Scores:
    runs, topics = (tuple(f"{k}{i}" for i in range(n)) for k, n in zip("rt", x.shape, strict=True))
    return Scores(("AP",), runs, topics, x[None])


def _needed(x: Array, difference: float) -> dict[str, Any]:
    return power(_scores(x), difference=difference).tables["needed"].row(0, named=True)


def _median_variance(x: Array) -> float:
    both = [(x[a] - x[b])[~np.isnan(x[a] - x[b])] for a, b in combinations(range(len(x)), 2)]
    return float(np.median([d.var(ddof=1) for d in both]))


@pytest.mark.parametrize("gaps", [False, True])
def test_the_interval_is_a_skewed_jackknife_of_the_logarithm_of_the_median_variance(gaps: bool) -> None:
    x = RNG.gamma(1.0, 0.2, (6, 20))
    if gaps:
        x[0, :3] = x[4, 7] = np.nan
    left = np.log([_median_variance(np.delete(x, topic, axis=1)) for topic in range(20)])
    away = left.mean() - left
    error, t = np.sqrt(19 / 20 * (away**2).sum()), stats.t((away**2).sum() ** 2 / (away**4).sum()).ppf(0.975)
    shift = stats.skew(away) * (1 + 2 * stats.norm.ppf(0.975) ** 2) / (6 * np.sqrt(20))
    ends = np.exp(np.log(_median_variance(x)) + np.array([0, shift - t, shift + t]) * error)
    row = _needed(x, 0.05)
    expected = [paired_topics(np.sqrt(variance), 0.05, alpha=0.05, power=0.8) for variance in ends]
    assert [row["n_topics"], row["low"], row["high"]] == expected


def test_half_the_difference_needs_about_four_times_the_topics() -> None:
    x = RNG.random((5, 30))
    assert _needed(x, 0.01)["n_topics"] == pytest.approx(4 * _needed(x, 0.02)["n_topics"], rel=0.01)


def test_runs_that_do_not_vary_need_no_topics() -> None:
    row = _needed(np.tile(RNG.random(20), (3, 1)), 0.02)
    assert [row["n_topics"], row["low"], row["high"]] == [None] * 3


def test_two_topics_give_a_number_without_an_interval() -> None:
    row = _needed(RNG.random((3, 2)), 0.02)
    assert row["n_topics"] > 0
    assert (row["low"], row["high"]) == (None, None)


def test_a_difference_is_above_zero() -> None:
    with pytest.raises(UsageError, match="above 0"):
        power(_scores(RNG.random((3, 10))), difference=-0.1)
    assert "needed" not in power(_scores(RNG.random((3, 10)))).tables


def test_the_number_is_of_every_measure() -> None:
    x = RNG.random((4, 15))
    data = Scores(("AP", "RR"), tuple("abcd"), tuple(f"t{i}" for i in range(15)), np.stack([x, 2 * x]))
    needed = power(data, difference=0.1).tables["needed"]
    assert needed["measure"].to_list() == ["AP", "RR"]
    assert needed.schema["n_topics"] == pl.Int64
    assert needed["n_topics"][1] == pytest.approx(4 * needed["n_topics"][0], rel=0.1)
