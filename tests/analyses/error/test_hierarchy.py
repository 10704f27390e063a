"""The hierarchy over topics: against statsmodels, scipy's search of the likelihood, and closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize, stats

from assay.analyses.error.analysis import error
from assay.analyses.error.hierarchy import between_interval, regress
from assay.analyses.error.random_effects import random_effects
from assay.core.arrays import Array
from tests.builders.error import write_lists


def topics(seed: int, n: int = 30, n_columns: int = 3) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    design = np.concatenate([np.ones((2, n, 1)), rng.normal(size=(2, n, n_columns - 1))], axis=-1)
    within = rng.uniform(0.001, 0.02, (2, n))
    value = 0.3 + 0.05 * design[..., -1] + rng.normal(0, 0.1, (2, n)) + rng.normal(0, np.sqrt(within))
    return value, within, design


def restricted_likelihood(between: float, y: Array, v: Array, x: Array) -> float:
    """Its negative logarithm, from the definition."""
    cov = np.diag(v + between)
    inverse = np.linalg.inv(cov)
    cross = x.T @ inverse @ x
    slope = np.linalg.solve(cross, x.T @ inverse @ y)
    rest = y - x @ slope
    return float(np.linalg.slogdet(cov)[1] + np.linalg.slogdet(cross)[1] + rest @ inverse @ rest) / 2


@pytest.mark.parametrize("seed", range(4))
def test_the_variance_left_is_where_the_restricted_likelihood_is_highest(seed: int) -> None:
    value, within, design = topics(seed)
    fit = regress(value, within, design)
    assert fit is not None
    for run in range(2):
        given = value[run], within[run], design[run]
        best = optimize.minimize_scalar(
            restricted_likelihood, bounds=(0, 0.2), args=given, method="bounded", options={"xatol": 1e-10}
        )
        assert fit.between[run] == pytest.approx(best.x, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_slopes_and_intervals_are_those_of_weighted_least_squares(seed: int) -> None:
    value, within, design = topics(seed)
    fit = regress(value, within, design)
    assert fit is not None
    low, high = fit.interval(0.9)
    for run in range(2):
        other = sm.WLS(value[run], design[run], weights=1 / (within[run] + fit.between[run])).fit(
            cov_type="HC3", use_t=True
        )
        assert fit.slope[run] == pytest.approx(other.params)
        assert fit.error[run] == pytest.approx(other.bse)
        moved = np.stack([other.params - without(t, value[run], design[run], other.model.weights) for t in range(30)])
        carrying = (moved**2).sum(0) ** 2 / (moved**4).sum(0)
        half = stats.t(np.maximum(carrying, 2)).ppf(0.95) * other.bse
        assert low[run] == pytest.approx(other.params - half)
        assert high[run] == pytest.approx(other.params + half)


def without(topic: int, y: Array, x: Array, weights: Array) -> Array:
    """Slopes when a topic is left out, the weights as they are."""
    return np.asarray(sm.WLS(np.delete(y, topic), np.delete(x, topic, 0), np.delete(weights, topic)).fit().params)


def test_without_columns_it_is_the_mean_of_random_effects() -> None:
    value, within, design = topics(7)
    fit, mean = regress(value, within, design[..., :1]), random_effects(value, within)
    assert fit is not None
    assert fit.slope[:, 0] == pytest.approx(mean.mean)
    assert fit.between == pytest.approx(mean.between)


def test_the_interval_of_the_variance_leaves_out_one_topic_at_a_time() -> None:
    value, within, _ = topics(3)
    between = np.array([0.01, 0.0])
    low, high = between_interval(value, within, between, 0.9)
    for run in range(2):
        logs = np.log([np.delete(value[run], i).var(ddof=1) for i in range(30)])
        half = stats.t(29).ppf(0.95) * np.sqrt(29 / 30 * ((logs - logs.mean()) ** 2).sum())
        documents = within[run].mean()
        ends = [(between[run] + documents) * np.exp(end) - documents for end in (-half, half)]
        assert [low[run], high[run]] == pytest.approx([max(end, 0) for end in ends])
    assert low[1] == 0 < high[1]  # topics that differ as little as their errors are no sure 0


def test_a_column_that_others_determine_has_no_slope() -> None:
    value, within, design = topics(1)
    assert regress(value, within, np.concatenate([design, 2 * design[..., 1:2]], axis=-1)) is None
    assert regress(value[:, :3], within[:, :3], design[:, :3]) is None  # as many columns as topics


def test_the_table_has_both_hyperparameters_and_what_explains_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    sizes = {f"t{i:02}": int(n) for i, n in enumerate(rng.integers(2, 40, 12))}
    easy = dict(zip(sizes, ["0000001", "0001", "01"] * 4, strict=True))  # true values differ between topics
    lists = {
        run: {topic: "".join(rng.choice(list(easy[topic]), 30)) for topic in sizes} for run in ("one", "two", "three")
    }
    result = error(write_lists(tmp_path, lists, sizes), resamples=20)
    table = result.tables["hierarchy"]
    assert table["mean"].to_list() == pytest.approx(result.table["random_mean"].to_list())
    for row in table.iter_rows(named=True):
        assert row["between_low"] <= row["between_sd"] <= row["between_high"]
        assert row["generality_low"] < row["generality"] < row["generality_high"]
        assert row["hardness_low"] < row["hardness"] < row["hardness_high"]


def test_one_run_has_no_hardness_and_one_topic_no_spread(tmp_path: Path) -> None:
    words = {"a": "1101001000", "b": "1110110111", "c": "0101010000", "d": "0001100000"}
    data = write_lists(tmp_path, {"one": words}, {"a": 5, "b": 9, "c": 4, "d": 2})
    row = error(data, resamples=10).tables["hierarchy"].row(0, named=True)
    assert row["hardness"] is None
    assert row["generality"] is not None
    (tmp_path / "other").mkdir()
    alone = write_lists(tmp_path / "other", {"one": {"a": "1101"}, "two": {"a": "0111"}}, {"a": 5})
    row = error(alone, resamples=10).tables["hierarchy"].row(0, named=True)
    assert [row[name] for name in ("low", "between_sd", "between_low", "generality", "hardness")] == [None] * 5
