"""What `reuse` says: each sentence is triggered and not, and its thresholds hold at their borders."""

from __future__ import annotations

import polars as pl
import pytest

from assay.analyses.reuse.analysis import AS_JUDGED
from assay.analyses.reuse.sentences import FAIR_FALL, fairness, new_runs
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU
from tests.builders.results import assert_says, left_open, left_out, text

FAIR, UNFAIR = "Reuse these judgments", "Judge the documents of new runs"
OPEN = ["whether new runs like these would be judged fairly"]


def test_new_runs_are_judged_fairly_where_no_contributor_falls_far() -> None:
    found = new_runs(left_out(0.95, 0.012, 2, half=0.03))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.95, 0.92, 0.98))
    assert_says(found, FAIR, "without its own documents", "tau 0.95, 0.92 to 0.98")


@pytest.mark.parametrize(("below", "more", "fair"), [(0, 0, True), (0.001, 0, False), (0, 1, None)])
def test_fairness_holds_at_its_borders(below: float, more: int, *, fair: bool | None) -> None:
    tau, fall = EQUIVALENT_TAU.value - below, round(FAIR_FALL.value * 20) + more
    assert fairness(left_out(tau, 0.01, fall)) is fair


@pytest.mark.parametrize(
    ("tau", "half", "verdict"),
    [(0.93, 0.02, FAIR), (0.93, 0.04, ""), (0.87, 0.02, UNFAIR), (0.87, 0.04, ""), (0.95, None, "")],
)
def test_the_interval_of_tau_decides_not_its_estimate(tau: float, half: float | None, verdict: str) -> None:
    said = new_runs(left_out(tau, 0.01, 1, half=half))
    assert left_open(said) == ([] if verdict else OPEN)
    assert verdict in text(said)


def test_one_measure_that_is_unfair_is_enough() -> None:
    summary = pl.concat([left_out(t, 0.01, 1).tables["summary"] for t in (0.95, 0.8)])
    found = Result("reuse", left_out(1.0, 0.0, 0).table, {"summary": summary}, settings={"pool_depth": 100})
    assert_says(new_runs(found), UNFAIR, "tau 0.80")


def test_the_mild_test_without_a_pool_depth_can_only_be_failed() -> None:
    assert new_runs(left_out(0.95, 0.01, 1, depth=AS_JUDGED)) is None
    assert new_runs(left_out(1.0, 0.0, 0, depth=AS_JUDGED)) is None
    assert_says(new_runs(left_out(0.8, 0.01, 1, depth=AS_JUDGED)), UNFAIR)


def test_whole_groups_are_the_harder_test() -> None:
    runs, groups = left_out(0.99, 0.001, 0), left_out(0.8, 0.1, 9, what="group")
    both = pl.concat([runs.tables["summary"], groups.tables["summary"]])
    assert_says(new_runs(Result("reuse", runs.table, {"summary": both})), UNFAIR, "the documents of its group")


def test_reuse_says_nothing_where_nothing_is_known() -> None:
    assert_says(new_runs(left_out(1.0, 0.0, 0)), FAIR)
    assert new_runs(left_out(None, 0.1, 1)) is None
