"""Corrected means and differences: DL 2023 against ppi-python, directions, gaps and notes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.judges.correction.tables import correction, on_correction
from tests.analyses.judges.ppi_python import MEANS
from tests.analyses.judges.simulated import dl2023, judges

RNG = np.random.default_rng(3)
ENDS = (("human_low", "human_high"), ("ppi_low", "ppi_high"), ("low", "high"))


def widths(table: pl.DataFrame, low: str, high: str) -> pl.Series:
    return table[high] - table[low]


def test_all_runs_of_dl2023_are_as_by_ppi_python(data: Path) -> None:
    table = correction(dl2023(data), convention="package")["correction"]
    assert table["n_topics"].unique().to_list() == [82]
    assert table["n_extra"].unique().to_list() == [618]
    got = dict(
        zip(table["run"], table.select("ppi", "ppi_low", "ppi_high", "value", "low", "high").rows(), strict=True)
    )
    assert got.keys() == MEANS.keys()
    for run, numbers in MEANS.items():
        assert got[run] == pytest.approx(numbers, rel=0, abs=1e-12)


def test_on_dl2023_lambda_1_widens_intervals_and_ppi_plus_plus_narrows_them(data: Path) -> None:
    for convention, ratio in (("package", 0.924), ("topics", 0.930)):
        table = correction(dl2023(data), convention=convention)["correction"]  # type: ignore[arg-type]
        human, ppi, tuned = (widths(table, *ends) for ends in ENDS)
        assert (ppi > human).sum() == 29
        assert (ppi / human).median() == pytest.approx(1.087, abs=5e-4)
        assert (tuned < human).sum() == 35
        assert (tuned / human).median() == pytest.approx(ratio, abs=5e-4)
        assert table["width_ratio"].to_list() == pytest.approx((tuned / human).to_list())
        assert (table["effective_topics"] <= table["ceiling"]).all()


def test_of_many_runs_the_best_meets_each_other_and_neighbours_meet(data: Path) -> None:
    both = dl2023(data)
    pairs = correction(both)["corrected_differences"].select("run_a", "run_b").rows()
    means = dict(zip(both.scores[0].runs, np.nanmean(both.scores[0].value[0], axis=-1), strict=True))
    order = sorted(means, key=lambda run: -means[run])
    wanted = {(order[0], other) for other in order[1:]} | set(pairwise(order))
    assert set(pairs) == wanted
    assert len(pairs) == 34 + 33
    assert "some_pairs" in {note.code for note in on_correction(both)}


def normal(n: int, n_extra: int, n_runs: int = 3) -> tuple[np.ndarray, np.ndarray]:
    human = RNG.random((n_runs, n + n_extra))
    model = 0.7 * human + 0.3 * RNG.random(human.shape)
    human[:, n:] = np.nan
    return human, model


def test_a_difference_is_run_a_minus_run_b_corrected_topic_by_topic() -> None:
    human, model = normal(20, 60)
    table = correction(judges(human, model))["corrected_differences"]
    assert table.select("run_a", "run_b").rows() == [("r0", "r1"), ("r0", "r2"), ("r1", "r2")]
    alone = correction(judges(human[:1] - human[1:2], model[:1] - model[1:2]))["correction"]
    assert table.row(0)[5:] == pytest.approx(alone.row(0)[4:])
    assert table["human"][0] == pytest.approx(np.nanmean(human[0] - human[1]))


def test_where_lower_is_better_numbers_stay_in_the_measures_own_direction() -> None:
    human, model = normal(20, 60)
    up, down = (correction(judges(human, model, measure="ERR", lower=lower)) for lower in (False, True))
    for name in ("correction", "corrected_differences"):
        for one, other in zip(up[name].iter_rows(), down[name].iter_rows(), strict=True):
            assert one[:5] == other[:5]
            assert one[5:] == pytest.approx(other[5:])


def test_a_geometric_mean_is_corrected_on_the_scale_of_logarithms() -> None:
    human, model = normal(20, 60)
    table = correction(judges(human + 0.01, model + 0.01, average="geometric"))["correction"]
    logs = correction(judges(np.log(human + 0.01), np.log(model + 0.01)))["correction"]
    for name in ("human", "ppi", "value", "low", "high"):
        assert table[name].to_list() == pytest.approx(np.exp(logs[name].to_numpy()).tolist())


def codes(human: np.ndarray, model: np.ndarray) -> set[str]:
    return {note.code for note in on_correction(judges(human, model))}


def test_few_topics_no_extra_topics_and_topics_of_people_alone_are_said() -> None:
    assert codes(*normal(10, 20)) == set()
    assert codes(*normal(9, 20)) == {"few_labelled_topics"}
    assert codes(*normal(30, 0)) == {"no_extra_topics"}
    human, model = normal(30, 20)
    model[:, :4] = np.nan
    assert codes(human, model) == {"topics_of_reference_alone"}
    human[:, 4:] = np.nan
    assert codes(human, model) == {"no_common_topics"}


def test_rare_outcomes_of_scores_0_and_1_are_said() -> None:
    human = np.full((1, 60), np.nan)
    human[0, :40] = np.arange(40) < 5
    model = (np.arange(60) % 9 < 2).astype(float)[None]
    assert codes(human, model) == set()
    human[0, 4] = 0
    assert codes(human, model) == {"few_outcomes"}


def test_without_extra_topics_every_interval_is_that_of_people() -> None:
    human, model = normal(30, 0)
    table = correction(judges(human, model))["correction"]
    for low, high in ENDS[1:]:
        assert table[low].to_list() == table["human_low"].to_list()
        assert table[high].to_list() == table["human_high"].to_list()
    assert table["lambda"].to_list() == [0, 0, 0]
    assert table["width_ratio"].to_list() == [1, 1, 1]
