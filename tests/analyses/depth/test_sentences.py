"""What `depth` says: each sentence is triggered and not, and its thresholds hold at their borders."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from assay.analyses.depth.sentences import evaluation_depth, pool_depth
from assay.analyses.depth.sufficiency import POOL_JUDGED, POWER_MARGIN
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU, MANY_RUNS
from tests.builders.results import DEEPEST, grid, text, together

RULE = {"depth": evaluation_depth, "pool_depth": pool_depth}


def test_evaluation_may_stop_where_next_to_nothing_is_lost() -> None:
    cells = {10: (0.09, 0.05, 0.13, 0.8), 100: (0.008, -0.001, 0.017, 0.95), 1000: DEEPEST}
    found = text(evaluation_depth(grid(cells, "depth")))
    assert "evaluation may stop at depth 100 instead of 1,000 for AP (" in found
    assert "power lost: 0.8 points, 95% interval -0.1 to 1.7; tau 0.95, 0.95 to 0.95" in found


def test_no_shallower_pool_is_called_as_good_unless_it_is_shown_to_be() -> None:
    cells = {10: (0.031, 0.010, 0.052, 0.95), 100: DEEPEST}
    found = text(pool_depth(grid(cells, "pool_depth", measure="nDCG")))
    assert "no pool shallower than 100 is shown to do nearly as well, not even 10, for nDCG (" in found
    assert "power lost: 3.1 points, 95% interval 1.0 to 5.2; tau 0.95, 0.95 to 0.95" in found


@pytest.mark.parametrize(("coverage", "warns"), [(0.899, True), (0.9, False), (None, False)])
def test_what_pools_that_were_not_judged_would_add_is_inconclusive(coverage: float | None, *, warns: bool) -> None:
    cells = {10: (0.0, -0.01, 0.01, 0.95), 50: DEEPEST}
    found = text(pool_depth(grid(cells, "pool_depth", coverage={10: 1.0, 50: 0.95, 100: coverage})))
    assert "a pool of depth 10 does nearly as well as one of 50 for AP (" in found
    assert found.endswith("inconclusive: only 89.9% of a pool of depth 100 is judged.") is warns


def test_how_deep_to_pool_is_inconclusive_where_no_pool_was_judged() -> None:
    cells = {5: (0.0, -0.01, 0.01, 0.95), 10: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}
    none = pool_depth(grid(cells, "pool_depth", coverage={5: 0.8, 10: 0.5, 100: 0.1}))
    assert none is not None
    assert (none.value, none.low, none.shown) == (0.8, None, "80.0%")
    assert none.text.endswith("is inconclusive: only 80.0% of a pool of depth 5 is judged.")
    one = pool_depth(grid({5: DEEPEST}, "pool_depth", coverage={5: 0.95, 10: 0.5, 100: 0.1}))
    assert text(one).endswith("is inconclusive: only 50.0% of a pool of depth 10 is judged.")


def test_a_reader_who_asks_for_more_coverage_is_told_less() -> None:
    cells = {10: (0.0, -0.01, 0.01, 0.95), 50: DEEPEST}
    found = grid(cells, "pool_depth", coverage={10: 1.0, 50: 0.95})
    assert "a pool of depth 10 does nearly as well" in text(pool_depth(found))
    with POOL_JUDGED.moved(0.96):
        assert text(pool_depth(found)).endswith("is inconclusive: only 95.0% of a pool of depth 50 is judged.")


def test_a_pool_that_does_the_same_as_a_deeper_one_is_said_to() -> None:
    cells = {20: (0.0, -0.024, 0.024, 1.0), 50: DEEPEST, 100: DEEPEST}
    found = text(pool_depth(grid(cells, "pool_depth", measure="nDCG")))
    assert "a pool of depth 50 does the same as one of 100, and none shallower is shown to do nearly as well" in found
    assert "not even 20, for nDCG (power lost: 0.0 points, 95% interval -2.4 to 2.4; tau 1.00, 1.00 to 1.00)" in found
    good = {20: (0.0, -0.01, 0.01, 1.0), 50: DEEPEST, 100: DEEPEST}
    said = text(pool_depth(grid(good, "pool_depth")))
    assert "a pool of depth 20 does nearly as well as one of 100 for AP (" in said


def test_number_and_clause_of_a_depth_are_of_the_same_measure() -> None:
    good, bad = {50: (0.01, -0.001, 0.015, 0.95), 100: DEEPEST}, {50: (0.05, 0.03, 0.07, 0.95), 100: DEEPEST}
    said = evaluation_depth(together(grid(bad, "depth"), grid(good, "depth", measure="nDCG")))
    assert said is not None
    assert "evaluation may stop at depth 50 instead of 100 for nDCG" in said.text
    assert (said.value, said.shown, said.between) == (0.01, "depth 50", "-0.1 to 1.5 points lost")
    none = evaluation_depth(grid(bad, "depth"))
    assert none is not None
    assert (none.value, none.shown, none.between) == (0.05, "5.0 points lost", "3.0 to 7.0")


@pytest.mark.parametrize("by", ["depth", "pool_depth"])
@pytest.mark.parametrize(("below", "under", "suffices"), [(0.0001, 0, True), (0, 0, False), (0.0001, 0.001, False)])
def test_margin_and_tau_hold_at_their_borders(by: str, below: float, under: float, *, suffices: bool) -> None:
    high, tau = POWER_MARGIN.value - below, EQUIVALENT_TAU.value - under
    found = text(RULE[by](grid({50: (0.01, 0.0, high, tau), 100: DEEPEST}, by)))
    assert ("is shown to do nearly as well" not in found) is suffices


@pytest.mark.parametrize(
    ("tau_low", "suffices"), [(EQUIVALENT_TAU.value, True), (EQUIVALENT_TAU.value - 0.01, False)]
)
def test_the_interval_of_tau_decides_not_its_estimate(tau_low: float, *, suffices: bool) -> None:
    result = grid({50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}, "depth")
    edges = result.tables["edges"].with_columns(tau_low=pl.min_horizontal("tau_low", pl.lit(tau_low)))
    result = replace(result, tables={**result.tables, "edges": edges})
    assert ("may stop at depth 50" in text(evaluation_depth(result))) is suffices


def test_a_good_cell_above_a_bad_one_does_not_count() -> None:
    cells = {10: (0.0, -0.01, 0.01, 0.95), 50: (0.05, 0.03, 0.07, 0.95), 100: (0.0, -0.01, 0.01, 0.99), 200: DEEPEST}
    assert "may stop at depth 100 instead of 200 for AP" in text(evaluation_depth(grid(cells, "depth")))


def test_depths_beyond_the_lists_are_no_depths() -> None:
    cells = {50: (0.05, 0.03, 0.07, 0.95), 100: DEEPEST, 200: DEEPEST, 500: DEEPEST}
    said = text(evaluation_depth(grid(cells, "depth")))
    assert (
        "to depth 100 does the same as to 500, and none shallower is shown to do nearly as well, not even 50," in said
    )
    assert evaluation_depth(grid({100: DEEPEST, 200: DEEPEST}, "depth")) is None


def test_power_that_rises_with_fewer_judgments_is_no_gain() -> None:
    cells = {5: (-0.03, -0.05, -0.01, 0.8), 50: (-0.001, -0.01, 0.01, 0.97), 100: DEEPEST}
    said = text(pool_depth(grid(cells, "pool_depth")))
    assert "a pool of depth 50 does nearly as well as one of 100 for AP (" in said
    assert said.endswith("; that AP separates 3.0 points more at pool depth 5 is no gain (tau 0.80).")


def test_two_measures_have_a_clause_each() -> None:
    good, bad = {50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}, {50: (0.05, 0.03, 0.07, 0.95), 100: DEEPEST}
    said = text(evaluation_depth(together(grid(bad, "depth"), grid(good, "depth", measure="nDCG"))))
    assert "may stop at depth 50 instead of 100 for nDCG (" in said
    assert "; no evaluation shallower than 100 is shown to do nearly as well, not even 50, for AP (" in said
    assert "for AP (power lost: 5.0 points, " in said


def test_measures_that_need_the_same_depth_share_a_clause() -> None:
    cells = {50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}
    said = text(evaluation_depth(together(grid(cells, "depth"), grid(cells, "depth", measure="nDCG"))))
    assert said.count("may stop at depth 50 instead of 100 for AP (") == said.count("may stop") == 1
    assert "tau 0.95, 0.95 to 0.95) and nDCG (power lost: 0.0" in said


@pytest.mark.parametrize("by", ["depth", "pool_depth"])
def test_depths_are_not_spoken_of_without_enough_evidence(by: str) -> None:
    cells = {50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}
    whole = grid(cells, by)
    assert RULE[by](whole) is not None
    assert RULE[by](grid(cells, by, n_runs=int(MANY_RUNS.value) - 1)) is None
    assert RULE[by](grid({100: DEEPEST}, by)) is None
    assert RULE[by](grid({50: (0.0, float("nan"), float("nan"), 0.95), 100: DEEPEST}, by)) is None
    without = {name: table for name, table in whole.tables.items() if name != "edges"}
    assert RULE[by](Result("depth", whole.table, without, whole.basis)) is None
