"""The least alike measures: a bracket for every tau, simultaneous intervals, and the set that may be least alike."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.analyses.agreement.analysis import agreement
from assay.analyses.agreement.least_alike import HalfTaus
from assay.core.arrays import Array
from assay.scoring.scores import Scores


def scores(n_topics: int = 40, *, noise: float = 1.0, apart: float = 2.0, seed: int = 0) -> Array:
    """Three measures of 30 runs: the first two of one quality, the third of another as well. [measure, run, topic]"""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=30)
    true = np.stack([quality, quality, quality + apart * rng.normal(size=30)])
    return np.asarray(true[..., None] + noise * rng.normal(size=(3, 30, n_topics)))


def as_data(x: Array) -> Scores:
    """The same as scores."""
    return Scores(
        tuple(f"m{i}" for i in range(len(x))),
        tuple(f"r{i}" for i in range(x.shape[1])),
        tuple(f"t{i}" for i in range(x.shape[2])),
        x,
    )


def test_the_table_has_every_pair_the_least_alike_first() -> None:
    x = scores()
    found = agreement(as_data(x)).tables["pairs"]
    assert found["tau"].to_list() == sorted(found["tau"])
    assert set(zip(found["measure_a"], found["measure_b"], strict=True)) == {("m0", "m1"), ("m0", "m2"), ("m1", "m2")}
    row = found.filter(measure_a="m0", measure_b="m1").row(0, named=True)
    assert row["tau"] == pytest.approx(stats.kendalltau(x[0].mean(-1), x[1].mean(-1)).statistic)
    assert row["low"] < row["tau"] < row["high"] <= 1
    assert row["may_be_least"] is False
    assert found["may_be_least"].to_list() == [True, True, False]  # both pairs with the third


def test_the_correction_takes_noise_off_but_not_difference() -> None:
    """The first two have one quality (tau 1 without noise): of one sample it may miss, over samples it is nearer."""
    plain, corrected = [], []
    for seed in range(30):
        x = scores(noise=3.0, apart=2.0, seed=seed)
        taus = HalfTaus.of(x, seed=0)
        plain.append(taus.whole[0])
        corrected.append(taus.corrected[:2])
    same, other = np.mean(corrected, 0)
    assert np.mean(plain) + 0.1 < same <= 1
    assert other < same - 0.3


def test_the_error_is_that_of_new_samples() -> None:
    taus, errors = [], []
    for seed in range(60):
        x = scores(30, noise=3.0, seed=1)[..., :1] * 0 + scores(1, noise=0.0, seed=1)
        sample = HalfTaus.of(x + 3 * np.random.default_rng(seed + 9).normal(size=(3, 30, 30)), seed=0)
        taus.append(sample.whole)
        errors.append([2 * share.growth * np.sqrt((share.changes**2).mean()) for share in sample.shares])
    assert np.mean(errors, 0) == pytest.approx(np.std(taus, 0, ddof=1), rel=0.35)


def test_few_topics_exclude_nothing_and_have_no_interval() -> None:
    few = HalfTaus.of(scores(7), seed=0)
    assert few.least_p(seed=0).tolist() == [1.0, 1.0, 1.0]
    assert np.isnan(few.simultaneous_interval(level=0.95)).all()
    assert np.isnan(few.corrected).all()


def test_equal_pairs_are_all_kept() -> None:
    x = scores()
    same = HalfTaus.of(np.stack([x[0], x[0], x[0]]), seed=0)
    assert same.least_p(seed=0).tolist() == [1.0, 1.0, 1.0]
