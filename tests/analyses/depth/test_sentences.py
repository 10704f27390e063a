"""What `depth` says: each sentence is triggered and not, and its thresholds hold at their borders."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from assay.analyses.depth.sentences import evaluation_depth, pool_depth
from assay.analyses.depth.sufficiency import POOL_JUDGED, POWER_MARGIN
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU, MANY_RUNS, Sentence, Spoken, several
from tests.builders.results import DEEPEST, assert_says, grid, left_open, together

RULE = {"depth": evaluation_depth, "pool_depth": pool_depth}


STOP = {"depth": "Evaluate AP only to rank {}:", "pool_depth": "For AP, pool only to depth {}:"}


def stops(said: Spoken, by: str, at: int) -> bool:
    """Whether it is advised to stop at a depth."""
    return any(one.text.startswith(STOP[by].format(at)) for one in several(said))


def test_evaluation_may_stop_where_next_to_nothing_is_lost() -> None:
    cells = {10: (0.09, 0.05, 0.13, 0.8), 100: (0.008, -0.001, 0.017, 0.95), 1000: DEEPEST}
    found = evaluation_depth(grid(cells, "depth"))
    assert_says(found, "Evaluate AP only to rank 100", "next to nothing", "0.8 points", "-0.1 to 1.7")


def test_no_shallower_pool_is_called_as_good_unless_it_is_shown_to_be() -> None:
    cells = {10: (0.031, 0.010, 0.052, 0.95), 100: DEEPEST}
    found = pool_depth(grid(cells, "pool_depth", measure="nDCG"))
    assert left_open(found) == ["whether a pool shallower than 100 would do for nDCG"]
    assert len(found) == 1


@pytest.mark.parametrize(("coverage", "warns"), [(0.899, True), (0.9, False), (None, False)])
def test_what_pools_that_were_not_judged_would_add_is_inconclusive(coverage: float | None, *, warns: bool) -> None:
    cells = {10: (0.0, -0.01, 0.01, 0.95), 50: DEEPEST}
    found = pool_depth(grid(cells, "pool_depth", coverage={10: 1.0, 50: 0.95, 100: coverage}))
    assert stops(found, "pool_depth", 10)
    assert left_open(found) == (["what pools deeper than 50 would add"] if warns else [])
    assert [one.settled_by for one in found[1:]] == (["judging a whole pool of depth 100"] if warns else [])


def test_how_deep_to_pool_is_inconclusive_where_no_pool_was_judged() -> None:
    cells = {5: (0.0, -0.01, 0.01, 0.95), 10: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}
    (none,) = pool_depth(grid(cells, "pool_depth", coverage={5: 0.8, 10: 0.5, 100: 0.1}))
    (one,) = pool_depth(grid({5: DEEPEST}, "pool_depth", coverage={5: 0.95, 10: 0.5, 100: 0.1}))
    assert none == one == Sentence.inconclusive("how deep to pool", settled_by="judging a whole pool of depth 100")


def test_a_reader_who_asks_for_more_coverage_is_told_less() -> None:
    cells = {10: (0.0, -0.01, 0.01, 0.95), 50: DEEPEST}
    found = grid(cells, "pool_depth", coverage={10: 1.0, 50: 0.95})
    assert stops(pool_depth(found), "pool_depth", 10)
    with POOL_JUDGED.moved(0.96):
        assert left_open(pool_depth(found)) == ["how deep to pool"]


def test_a_pool_that_does_the_same_as_a_deeper_one_is_said_to() -> None:
    cells = {20: (0.0, -0.024, 0.024, 1.0), 50: DEEPEST, 100: DEEPEST}
    found = pool_depth(grid(cells, "pool_depth", measure="nDCG"))
    assert_says(found, "nDCG", "pool only to depth 50", "nothing at all")
    assert left_open(found) == ["whether a pool shallower than 50 would do for nDCG"]
    good = {20: (0.0, -0.01, 0.01, 1.0), 50: DEEPEST, 100: DEEPEST}
    assert stops(pool_depth(grid(good, "pool_depth")), "pool_depth", 20)


def test_number_and_words_of_a_depth_are_of_the_same_measure() -> None:
    good, bad = {50: (0.01, -0.001, 0.015, 0.95), 100: DEEPEST}, {50: (0.05, 0.03, 0.07, 0.95), 100: DEEPEST}
    said = evaluation_depth(together(grid(bad, "depth"), grid(good, "depth", measure="nDCG")))
    assert_says(said, "nDCG only to rank 50", "1.0 points", "-0.1 to 1.5")
    assert said[0].value == 0.01
    assert left_open(said) == ["whether AP may be evaluated less deep than rank 100"]


@pytest.mark.parametrize("by", ["depth", "pool_depth"])
@pytest.mark.parametrize(("below", "under", "suffices"), [(0.0001, 0, True), (0, 0, False), (0.0001, 0.001, False)])
def test_margin_and_tau_hold_at_their_borders(by: str, below: float, under: float, *, suffices: bool) -> None:
    high, tau = POWER_MARGIN.value - below, EQUIVALENT_TAU.value - under
    found = RULE[by](grid({50: (0.01, 0.0, high, tau), 100: DEEPEST}, by))
    assert stops(found, by, 50) is suffices
    assert bool(left_open(found)) is not suffices


@pytest.mark.parametrize(
    ("tau_low", "suffices"), [(EQUIVALENT_TAU.value, True), (EQUIVALENT_TAU.value - 0.01, False)]
)
def test_the_interval_of_tau_decides_not_its_estimate(tau_low: float, *, suffices: bool) -> None:
    result = grid({50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}, "depth")
    edges = result.tables["edges"].with_columns(tau_low=pl.min_horizontal("tau_low", pl.lit(tau_low)))
    result = replace(result, tables={**result.tables, "edges": edges})
    assert stops(evaluation_depth(result), "depth", 50) is suffices


def test_a_good_cell_above_a_bad_one_does_not_count() -> None:
    cells = {10: (0.0, -0.01, 0.01, 0.95), 50: (0.05, 0.03, 0.07, 0.95), 100: (0.0, -0.01, 0.01, 0.99), 200: DEEPEST}
    assert stops(evaluation_depth(grid(cells, "depth")), "depth", 100)


def test_depths_beyond_the_lists_are_no_depths() -> None:
    cells = {50: (0.05, 0.03, 0.07, 0.95), 100: DEEPEST, 200: DEEPEST, 500: DEEPEST}
    said = evaluation_depth(grid(cells, "depth"))
    assert_says(said, "only to rank 100", "nothing at all")
    assert left_open(said) == ["whether AP may be evaluated less deep than rank 100"]
    assert evaluation_depth(grid({100: DEEPEST, 200: DEEPEST}, "depth")) == ()


def test_power_that_rises_with_fewer_judgments_is_no_gain() -> None:
    cells = {5: (-0.03, -0.05, -0.01, 0.8), 50: (-0.001, -0.01, 0.01, 0.97), 100: DEEPEST}
    found = pool_depth(grid(cells, "pool_depth"))
    assert stops(found, "pool_depth", 50)
    assert [one.status for one in found] == ["decided", "beware"]
    assert_says(found[-1], "AP separates more pairs at pool depth 5", "ranks the runs otherwise", "tau 0.80")


def test_measures_that_need_the_same_depth_share_a_sentence() -> None:
    cells = {50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}
    (said,) = evaluation_depth(together(grid(cells, "depth"), grid(cells, "depth", measure="nDCG")))
    assert_says(said, "Evaluate AP and nDCG only to rank 50")


@pytest.mark.parametrize("by", ["depth", "pool_depth"])
def test_depths_are_not_spoken_of_without_enough_evidence(by: str) -> None:
    cells = {50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}
    whole = grid(cells, by)
    assert RULE[by](whole)
    assert not RULE[by](grid(cells, by, n_runs=int(MANY_RUNS.value) - 1))
    assert not RULE[by](grid({100: DEEPEST}, by))
    assert not RULE[by](grid({50: (0.0, float("nan"), float("nan"), 0.95), 100: DEEPEST}, by))
    without = {name: table for name, table in whole.tables.items() if name != "edges"}
    assert not RULE[by](Result("depth", whole.table, without, whole.basis))
