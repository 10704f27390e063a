"""Measures that a geometric mean averages: in which unit means and differences are, and that it is said."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from assay.analyses.compare.analysis import compare
from assay.analyses.power.analysis import power
from assay.analyses.score.analysis import score
from assay.analyses.topics.analysis import topics
from assay.results.logarithms import LOGARITHMS
from assay.results.result import Result
from assay.scoring.scores import Scores
from tests.builders.compare import scores


@cache
def data() -> Scores:
    """Run a is ahead on every topic, by a factor of about two."""
    x = np.random.default_rng(0).beta(2, 5, (2, 30)).clip(1e-5)
    x[0] = np.minimum(1.0, 1.5 * x.max(0) + 0.1)
    made = scores(np.stack([x, x]), measures=["GMAP", "AP"])
    return replace(made, averages=("geometric", "mean"))


def said(result: Result, rule: str) -> list[str]:
    return [f"{one.text} {one.shown}" for one in result.sentences if one.name == rule]


def test_score_shows_geometric_means() -> None:
    log = np.log(data().value[0])
    assert score(data()).table["GMAP"].to_list() == pytest.approx(np.exp(log.mean(-1)).tolist())


def test_a_row_of_compare_is_in_logarithms() -> None:
    result = compare(data())
    row, other = result.table.to_dicts()
    a, b = np.log(data().value[0]).mean(-1)
    assert (row["mean_a"], row["mean_b"], row["difference"]) == pytest.approx((a, b, a - b))
    assert other["mean_a"] - other["mean_b"] == pytest.approx(other["difference"])
    assert row["low"] < a - b < row["high"]
    assert all("in logarithms" in one for one in said(result, "compared_systems"))
    (equivalent,) = said(compare(data(), margin=9.0), "compared_systems")
    assert equivalent.endswith("in logarithms")


def test_queries_that_compare_names_differ_by_their_scores() -> None:
    result = compare(data(), baseline=["a"])
    (text,) = [note.text for note in result.notes if note.code == "regressions"]
    worst = result.tables["queries"].filter(measure="GMAP", better="a").row(0, named=True)
    assert worst["difference"] == pytest.approx(worst["score_a"] - worst["score_b"])
    assert f"{worst['topic']} {worst['difference']:+.3g}" in text


@pytest.mark.parametrize(("of", "rule"), [(power, "different_runs"), (topics, "topics_to_plan")])
def test_other_differences_are_in_logarithms_and_say_so(of: Any, rule: str) -> None:
    result = of(data())
    assert all("in logarithms" in one for one in said(result, rule))
    assert said(result, rule)


@pytest.mark.parametrize("of", [compare, power, topics])
def test_a_note_names_the_measures(of: Any) -> None:
    (note,) = [note for note in of(data()).notes if note.code == LOGARITHMS]
    assert note.measures == ("GMAP",)
    assert not [note for note in of(data()["AP"]).notes if note.code == LOGARITHMS]
