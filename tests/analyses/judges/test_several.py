"""Several judges: their taus, and the spread that they add, against analysis of variance by hand."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from assay.analyses.judges.bias.several import crossed, several_tables
from assay.data.read import read_qrels
from assay.scoring.judges.judges import PANEL
from assay.scoring.judges.side_by_side import read_judges
from tests.builders.judges import judges_by_scores, openqa
from tests.builders.packed import open_packed


def test_taus_are_those_of_the_means_of_runs() -> None:
    x = np.random.default_rng(1).random((3, 9, 20))
    table = several_tables(judges_by_scores(dict(zip("abc", x, strict=True))))["judge_taus"]
    expected = [stats.kendalltau(x[i].mean(1), x[j].mean(1)).statistic for i, j in ((0, 1), (0, 2), (1, 2))]
    assert table["tau"].to_list() == pytest.approx(expected)
    assert table.select("judge_a", "judge_b").rows() == [("a", "b"), ("a", "c"), ("b", "c")]


def test_taus_of_a_track_are_as_published(data: Path) -> None:
    track = open_packed(data / "trec-dl2021-passage", "qrels.dl21-passage.txt.gz")
    judged = {"human": track.qrels}
    for name in ("gpt4o-umbrela", "gpt4-umbrela", "gpt4o-exam-max"):
        judged[name] = read_qrels(data / "judges" / "dl2021" / f"{name}.txt.gz")
    judges = read_judges(judged, runs=track.runs, measures=["nDCG@10"])
    table = several_tables(judges)["judge_taus"].filter(judge_a="human")
    assert [round(tau, 3) for tau in table["tau"]] == [0.941, 0.924, 0.867]
    assert table["n_runs"].to_list() == [63] * 3


def test_topics_that_one_judge_lacks_do_not_count() -> None:
    x = np.random.default_rng(2).random((2, 5, 12))
    gap = x.copy()
    gap[1, :, 8:] = np.nan
    whole = several_tables(judges_by_scores(dict(zip("ab", x[:, :, :8], strict=True))))
    part = several_tables(judges_by_scores(dict(zip("ab", gap, strict=True))))
    assert part["judge_taus"].equals(whole["judge_taus"])
    assert part["judge_taus"]["n_topics"][0] == 8
    assert set(part["spread"]["n_topics"]) == {8}


def test_scores_that_runs_lack_do_not_change_the_order_of_the_others(data: Path) -> None:
    table = several_tables(openqa(data / "judges"))["judge_taus"].filter(judge_a="human", judge_b="gpt4")
    assert (table["n_runs"][0], table["n_topics"][0]) == (12, 301)
    assert 0.75 < table["tau"][0] < 0.9


def test_the_spread_of_judges_is_the_component_of_an_analysis_of_variance() -> None:
    rng = np.random.default_rng(3)
    m, n = 6, 30
    d = 0.1 + rng.normal(0, 0.2, (m, 1)) + rng.normal(0, 0.3, n) + rng.normal(0, 0.1, (m, n))
    value, error, spread, half = crossed(d, 0.95)
    rest = d - d.mean(1, keepdims=True) - d.mean(0) + d.mean()
    ms_judge, ms_topic = n * d.mean(1).var(ddof=1), m * d.mean(0).var(ddof=1)
    ms_rest = (rest**2).sum() / ((m - 1) * (n - 1))
    variance = (ms_judge + ms_topic - ms_rest) / (m * n)
    dof = (ms_judge + ms_topic - ms_rest) ** 2 / (
        ms_judge**2 / (m - 1) + ms_topic**2 / (n - 1) + ms_rest**2 / ((m - 1) * (n - 1))
    )
    assert value == pytest.approx(d.mean())
    assert error == pytest.approx(d.mean(0).std(ddof=1) / np.sqrt(n))
    assert spread == pytest.approx(np.sqrt((ms_judge - ms_rest) / n))
    assert half == pytest.approx(stats.t.ppf(0.975, dof) * np.sqrt(variance))


def test_judges_that_agree_add_nothing() -> None:
    d = np.random.default_rng(4).normal(size=40)
    value, error, spread, half = crossed(np.stack([d, d, d]), 0.95)
    assert spread == pytest.approx(0, abs=1e-12)
    assert half == pytest.approx(stats.t.ppf(0.975, 39) * error)
    assert value == pytest.approx(d.mean())


def test_all_pairs_of_few_runs_and_neighbours_of_many() -> None:
    x = np.random.default_rng(5).random((2, 11, 10))
    few = several_tables(judges_by_scores(dict(zip("ab", x[:, :10], strict=True))))["spread"]
    many = several_tables(judges_by_scores(dict(zip("ab", x, strict=True))))["spread"]
    order = [f"r{i}" for i in np.argsort(-x[0].mean(1))]
    assert few.height == 45
    assert many.select("run_a", "run_b").rows() == list(pairwise(order))


def test_a_panel_is_no_judge_of_its_own() -> None:
    x = np.random.default_rng(6).random((2, 4, 10))
    both = dict(zip("ab", x, strict=True))
    with_panel = several_tables(judges_by_scores({**both, PANEL: x.mean(0)}))
    assert with_panel["spread"].equals(several_tables(judges_by_scores(both))["spread"])
    assert with_panel["judge_taus"].height == 3


def test_a_judge_without_scores_by_a_measure_does_not_count() -> None:
    x = np.random.default_rng(9).random((2, 4, 10))
    both = dict(zip("ab", x, strict=True))
    ours = several_tables(judges_by_scores({**both, "c": np.full((4, 10), np.nan)}))
    expected = several_tables(judges_by_scores(both))
    assert all(ours[name].equals(table) for name, table in expected.items())


def test_a_difference_has_the_sign_of_the_measure() -> None:
    x = np.random.default_rng(7).random((2, 3, 10))
    up = several_tables(judges_by_scores(dict(zip("ab", x, strict=True))))["spread"]
    down = several_tables(judges_by_scores(dict(zip("ab", -x, strict=True)), lower=True))["spread"]
    assert down["run_a"].equals(up["run_a"])
    assert (-down["difference"]).to_list() == pytest.approx(up["difference"].to_list())
    assert (-down["low"]).to_list() == pytest.approx(up["high"].to_list())


def test_many_judges_take_little_time() -> None:
    x = np.random.default_rng(8).random((34, 63, 53))
    judges = judges_by_scores({f"j{i}": one for i, one in enumerate(x)})
    start = time.process_time()
    tables = several_tables(judges)
    assert tables["judge_taus"].height == 561
    assert time.process_time() - start < 5
