"""What `assay score` reports: means with their intervals, settings that cannot be, scores of other tools."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats

from assay.analyses.score.analysis import score
from assay.core.errors import UsageError
from assay.data.judged import MISSING_LISTS, Judged
from assay.scoring.scores import Scores
from tests.builders.two_runs import two_runs


@pytest.fixture
def judged() -> Judged:
    return two_runs()


def test_bounds_of_missing_lists_are_refused(judged: Judged) -> None:
    with pytest.raises(UsageError, match="does not go with --missing skip"):
        score(judged, measure=["AP"], residuals=True, missing="skip")


def test_the_table_has_a_row_for_every_run_and_measure_in_the_order_asked_for(judged: Judged) -> None:
    result = score(judged, measure=["RR", "AP"])
    assert result.table.columns == ["run", "measure", "mean", "low", "high"]
    assert result.table.select("run", "measure").rows() == [("x", "RR"), ("x", "AP"), ("y", "RR"), ("y", "AP")]
    assert result.settings == {"interval": "t", "level": 0.95}
    assert result.notes[0].code == MISSING_LISTS


def test_the_interval_is_students(judged: Judged) -> None:
    row = score(judged, measure=["RR"], level=0.9).table.row(1, named=True)
    expected = scipy.stats.ttest_1samp([0.5, 1.0, 0.0, 1.0], 0.0).confidence_interval(0.9)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), rel=1e-10)


def test_the_interval_of_a_geometric_mean_is_that_of_the_logarithms(judged: Judged) -> None:
    row = score(judged, measure=["GMAP"]).table.row(1, named=True)
    logs = np.log([0.5, 1.0, 1e-5, 1.0])
    expected = scipy.stats.ttest_1samp(logs, 0.0).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.exp(expected)), rel=1e-9)


def test_the_interval_of_a_sum_is_that_of_the_mean_times_the_topics(judged: Judged) -> None:
    row = score(judged, measure=["NumRet"]).table.row(0, named=True)
    expected = scipy.stats.ttest_1samp([2.0, 2.0, 1.0, 0.0], 0.0).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((4 * expected.low, 4 * expected.high), rel=1e-10)


def test_a_bootstrap_with_the_same_seed_is_the_same_and_says_its_seed(judged: Judged) -> None:
    first, again, other = (
        score(judged, measure=["RR"], interval="bootstrap", resamples=300, rng=seed) for seed in (1, 1, 2)
    )
    assert first.table.equals(again.table)
    assert not first.table.equals(other.table)
    assert first.settings == {"interval": "bootstrap", "level": 0.95, "resamples": 300, "rng": 1}


@pytest.mark.parametrize("interval", ["t", "bootstrap"])
def test_one_topic_has_a_mean_and_no_interval(judged: Judged, interval: Any) -> None:
    result = score(judged.select(topics=["2"]), measure=["RR"], interval=interval, resamples=50)
    rows = result.to_dict()["table"]
    assert rows[0] == {"run": "x", "measure": "RR", "mean": 0.5, "low": None, "high": None}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"level": 0.0}, "level 0 is not between 0 and 1, such as 0.95"),
        ({"level": 1.0}, "level 1 is not between 0 and 1, such as 0.95"),
        ({"level": 95.0}, "level 95 is not between 0 and 1; did you mean 0.95?"),
        ({"level": float("nan")}, "level nan is not between 0 and 1, such as 0.95"),
        ({"interval": "bootstrap", "resamples": 0}, "resamples 0 is not a whole number from 1 up, such as 10000"),
        ({"interval": "bootstrap", "rng": -1}, "rng -1 is not a whole number from 0 up, such as 0"),
        ({"interval": "boot"}, "interval: 'boot' is not one of t, bootstrap; did you mean 'bootstrap'?"),
    ],
)
def test_a_setting_that_makes_no_sense_is_one_line(judged: Judged, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as problem:
        score(judged, measure=["RR"], **settings)
    assert str(problem.value) == message


def test_scores_of_another_tool_are_shown_as_they_are() -> None:
    scores = Scores(("c0", "c1"), ("r",), ("1", "2", "3"), np.array([[[1.0, 2.0, 3.0]], [[5.0, 5.0, 5.0]]]))
    assert score(scores).table["mean"].to_list() == [2.0, 5.0]
    assert score(scores, measure=["c1"]).table["measure"].to_list() == ["c1"]
