"""The picture of runs by their means, as score and standardize show it."""

from __future__ import annotations

import numpy as np

from assay.analyses.score.analysis import score
from assay.analyses.standardize.analysis import standardize
from assay.scoring.scores import Scores


def made(n_runs: int) -> Scores:
    x = np.random.default_rng(4).random((2, n_runs, 6))
    return Scores(("a", "b"), tuple(f"r{i:02d}" for i in range(n_runs)), tuple("123456"), x)


def test_the_best_forty_runs_are_drawn_best_first_under_the_first_measure() -> None:
    scores = made(50)
    (chart,) = score(scores).charts
    mean = scores.value[0].mean(-1)
    assert chart.table["run"].to_list() == [scores.runs[i] for i in np.argsort(-mean)[:40]]
    assert chart.table["mean"].to_list() == sorted(mean, reverse=True)[:40]
    assert chart.title == "a of the best 40 runs, with 95% intervals over topics"
    assert chart.spec()["layer"][0]["encoding"]["y"]["sort"] == chart.table["run"].to_list()


def test_the_intervals_drawn_are_those_of_the_table() -> None:
    result = score(made(5), level=0.8)
    row = result.charts[0].table.row(0, named=True)
    assert row in result.tables["long"].to_dicts()
    assert result.charts[0].title == "a of the runs, with 80% intervals over topics"


def test_runs_without_a_mean_come_last() -> None:
    x = made(3).value.copy()
    x[0, 1] = np.nan
    (chart,) = score(Scores(("a", "b"), ("r0", "r1", "r2"), tuple("123456"), x)).charts
    assert chart.table["run"][-1] == "r1"
    assert chart.table["mean"][-1] is None


def test_topic_by_topic_there_is_no_picture() -> None:
    assert score(made(3), per_topic=True).charts == ()


def test_standardised_means_say_so() -> None:
    chart = standardize(made(12)).charts[1]
    assert chart.title == "a of the runs, standardised, with 95% intervals over topics"
    assert chart.table.height == 12
