"""What the rules say of reliability: how many topics it takes, and whether the worst runs decide."""

from __future__ import annotations

import polars as pl
import pytest

from assay.analyses.reliability.sentences import topics_for_stability, worst_runs_decide
from assay.analyses.reliability.tables import reversed_pairs
from tests.builders.reliability import COMPARISONS, Times, compared, studied


def test_the_sentence_says_what_two_and_four_times_as_many_topics_are_worth() -> None:
    said = topics_for_stability(studied())
    assert said is not None
    for fact in (
        "By AP",
        "tau 0.80 (95% interval 0.76 to 0.84)",
        "100 topics 0.85 (0.81 to 0.89)",
        "200 topics 0.90 (0.86 to 0.94)",
    ):
        assert fact in said.text
    assert (said.value, said.low, said.high) == pytest.approx((0.8, 0.76, 0.84))
    assert (said.shown, said.between) == ("tau 0.80", "0.76 to 0.84")


def test_measures_are_not_ordered_by_it() -> None:
    said = topics_for_stability(studied(unlimited={"flat": None, "AP": 0.8, "RR": 0.6, "nDCG": 0.85}))
    assert said is not None
    assert said.text.startswith("By AP")
    assert "other measures it is 0.60 to 0.85" in said.text
    assert "RR" not in said.text


def test_nothing_is_said_of_few_runs_or_where_halves_do_not_agree() -> None:
    assert topics_for_stability(studied(runs=9)) is None
    assert topics_for_stability(studied(unlimited={"AP": None})) is None


@pytest.mark.parametrize(
    ("times", "times_best", "speaks"),
    [
        ((0.5, 0.4, 0.6), (2.0, 1.5, 2.5), True),
        ((2.0, 1.5, 2.5), (0.5, 0.4, 0.6), True),
        ((0.5, 0.4, 0.6), (0.5, 0.4, 0.6), False),  # the same order
        ((0.9, 0.7, 1.1), (2.0, 1.5, 2.5), False),  # inconclusive with all runs
        ((0.5, 0.4, 0.6), (1.2, 0.9, 1.5), False),  # inconclusive without the worst
        ((0.5, None, None), (2.0, 1.5, 2.5), False),  # no interval
        ((0.5, 0.4, 0.6), None, False),
    ],
)
def test_the_worst_runs_are_named_only_where_both_orders_are_significant(
    times: Times, times_best: Times | None, *, speaks: bool
) -> None:
    assert (worst_runs_decide(compared(times, times_best)) is not None) is speaks
    assert worst_runs_decide(compared(times, times_best, runs=9)) is None


def test_the_measure_that_leads_with_all_runs_is_named_first() -> None:
    """AP needs twice as many topics as P@10 with all runs, and half as many without the worst."""
    found = worst_runs_decide(compared((2.0, 1.5, 2.5), (0.5, 0.4, 0.625)))
    assert found is not None
    more, less = found.text.split(", less stable ")
    assert more == "P@10 is more stable than AP with all runs (Phi 0.950 and 0.900)"
    assert "without the worst quarter of them (0.700 and 0.800: 2.00 times as many topics" in less
    assert "95% interval 1.60 to 2.50" in less
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 1.6, 2.5))


def test_the_pair_that_is_furthest_apart_comes_first() -> None:
    rows = [
        ("all", "phi", "AP", "P@10", 2.0, 1.5, 2.5),
        ("all", "phi", "AP", "RR", 2.0, 1.5, 2.5),
        ("all", "e_rho2", "AP", "nDCG", 2.0, 1.5, 2.5),
        ("best", "phi", "AP", "P@10", 0.5, 0.4, 0.6),
        ("best", "phi", "AP", "RR", 0.25, 0.2, 0.3),
        ("best", "e_rho2", "AP", "nDCG", 0.1, 0.05, 0.2),
    ]
    table = pl.DataFrame(rows, schema=COMPARISONS, orient="row")
    assert [(pair.first, pair.second) for pair in reversed_pairs(table, "phi")] == [("RR", "AP"), ("P@10", "AP")]
    assert [pair.times for pair in reversed_pairs(table, "phi")] == [4.0, 2.0]
