"""What `reuse` says: each sentence is triggered and not, and its thresholds hold at their borders."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from assay.analyses.reuse.analysis import AS_JUDGED
from assay.analyses.reuse.sentences import FAIR_FALL, fairness, new_runs
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU
from tests.builders.results import left_out, text


def test_new_runs_are_judged_fairly_where_no_contributor_falls_far() -> None:
    found = new_runs(left_out(0.95, 0.012, 2, half=0.03))
    assert found is not None
    assert (found.value, found.low, found.high, found.shown) == pytest.approx((0.95, 0.92, 0.98, "tau 0.95"))
    for fact in (
        "would be judged fairly",
        "without its own documents a run loses at most 0.012 of AP (x)",
        "falls by at most 2 places of 20 (y, AP)",
        "tau is 0.95 (95% interval 0.92 to 0.98)",
        "the 15 contributing runs",
    ):
        assert fact in found.text


@pytest.mark.parametrize(("below", "more", "fair"), [(0, 0, True), (0.001, 0, False), (0, 1, None)])
def test_fairness_holds_at_its_borders(below: float, more: int, *, fair: bool | None) -> None:
    tau, fall = EQUIVALENT_TAU.value - below, round(FAIR_FALL.value * 20) + more
    assert fairness(left_out(tau, 0.01, fall)) is fair


@pytest.mark.parametrize(
    ("tau", "half", "verdict"),
    [
        (0.93, 0.02, "would be judged fairly"),
        (0.93, 0.04, "is inconclusive"),
        (0.87, 0.02, "may be judged unfairly"),
        (0.87, 0.04, "is inconclusive"),
        (0.95, None, "is inconclusive"),
    ],
)
def test_the_interval_of_tau_decides_not_its_estimate(tau: float, half: float | None, verdict: str) -> None:
    assert verdict in text(new_runs(left_out(tau, 0.01, 1, half=half)))


def test_one_measure_that_is_unfair_is_enough() -> None:
    summary = pl.concat([left_out(t, 0.01, 1).tables["summary"] for t in (0.95, 0.8)])
    found = Result("reuse", left_out(1.0, 0.0, 0).table, {"summary": summary}, settings={"pool_depth": 100})
    assert "may be judged unfairly" in text(new_runs(found))


def test_the_mild_test_without_a_pool_depth_can_only_be_failed() -> None:
    assert new_runs(left_out(0.95, 0.01, 1, depth=AS_JUDGED)) is None
    assert new_runs(left_out(1.0, 0.0, 0, depth=AS_JUDGED)) is None
    failed = text(new_runs(left_out(0.8, 0.01, 1, depth=AS_JUDGED)))
    assert failed.startswith("New runs as different as these may be judged unfairly: ")


@pytest.mark.parametrize(
    ("taus", "said"), [((0.95, 0.97), "0.95 or more"), ((0.95,), "0.95"), ((1.0, 0.999), "1.00")]
)
def test_tau_is_not_said_to_be_more_than_one(taus: Sequence[float], said: str) -> None:
    summary = pl.concat([left_out(t, 0.01, 1).tables["summary"] for t in taus])
    found = Result("reuse", left_out(1.0, 0.0, 0).table, {"summary": summary}, settings={"pool_depth": 100})
    assert f", tau is {said} (" in text(new_runs(found))


def test_whole_groups_are_the_harder_test() -> None:
    runs, groups = left_out(0.99, 0.001, 0), left_out(0.8, 0.1, 9, what="group")
    both = pl.concat([runs.tables["summary"], groups.tables["summary"]])
    said = text(new_runs(Result("reuse", runs.table, {"summary": both})))
    assert said.startswith(
        "New runs as different as these may be judged unfairly: without the documents of its group"
    )
    assert said.endswith("this describes the 15 contributing groups.")


def test_reuse_says_so_where_nothing_is_lost_and_nothing_where_nothing_is_known() -> None:
    assert text(new_runs(left_out(1.0, 0.0, 0))).startswith("Left out of the pool, no run would lose any score; ")
    assert "and keeps its place, tau" in text(new_runs(left_out(1.0, 0.001, 0)))
    assert new_runs(left_out(None, 0.1, 1)) is None
