"""The leaderboard: order, ranks and tiers as the topics support them, the same in `score` and `power`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from polars.testing import assert_frame_equal

from assay.analyses.power.analysis import power
from assay.analyses.score.analysis import score
from assay.results.leaderboard import leaderboard
from assay.scoring.scores import Scores

RNG = np.random.default_rng(16)
GROUPS = np.array([0.1, 0.5, 0.5, 0.9])[:, None] + RNG.normal(0, 0.03, (4, 30))
MADE = Scores(("AP",), ("d", "c", "b", "a"), tuple(f"t{i}" for i in range(30)), GROUPS[None])


def test_runs_come_best_first_in_tiers_that_the_topics_support() -> None:
    table = score(MADE).tables["tiers"]
    assert table["run"].to_list()[0::3] == ["a", "d"]
    assert table["rank"].to_list() == [1, 2, 3, 4]
    assert table["tier"].to_list() == [1, 2, 2, 3]
    assert table.select("rank_low", "rank_high").rows() == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert table["may_be_best"].to_list() == [True, False, False, False]
    assert dict(table.select("run", "mean").rows()) == pytest.approx(
        dict(score(MADE).tables["long"].select("run", "mean").rows())
    )


def test_power_has_the_same_ranks() -> None:
    assert_frame_equal(score(MADE).tables["tiers"], power(MADE).tables["best_runs"])


def test_ties_go_by_name_and_a_run_without_scores_comes_last() -> None:
    x = np.tile(RNG.random(20), (3, 1))[None]
    tied = Scores(("AP",), ("z", "y", "x"), tuple(f"t{i}" for i in range(20)), x)
    assert leaderboard(tied, level=0.95, seed=0).runs["run"].to_list() == ["x", "y", "z"]
    x[0, 2] = np.nan
    last = leaderboard(replace(tied, value=x), level=0.95, seed=0).runs.row(2, named=True)
    assert (last["run"], last["mean"], last["tier"]) == ("x", None, 1)


def test_where_lower_is_better_the_lowest_leads_by_as_much() -> None:
    usual, turned = (
        leaderboard(data, level=0.95, seed=0) for data in (MADE, replace(MADE, value=-MADE.value, lower=(True,)))
    )
    assert_frame_equal(usual.leads, turned.leads)
    assert_frame_equal(usual.runs.drop("mean"), turned.runs.drop("mean"))
    assert turned.runs["mean"].to_list() == pytest.approx((-usual.runs["mean"]).to_list())


def test_one_run_has_no_tiers() -> None:
    assert "tiers" not in score(MADE.select(runs=["a"])).tables
    assert score(MADE, per_topic=True).tables == {}
