"""What the rules say of reliability: how many topics it takes, and whether the worst runs decide."""

from __future__ import annotations

import polars as pl
import pytest

from assay.analyses.reliability.sentences import topics_for_stability, worst_runs_decide
from assay.analyses.reliability.tables import reversed_pairs
from tests.builders.reliability import COMPARISONS, Times, compared, studied
from tests.builders.results import assert_says, left_open, text


@pytest.mark.parametrize(
    ("tau", "facts"),
    [
        (0.8, ("Add topics", "by AP", "with 50 topics tau is below 0.9", "tau 0.80 with 50 topics, 0.76 to 0.84")),
        (0.89, ("With 50 topics", "change places", "unlimited topics", "by AP", "5.5% of pairs, 3.5% to 7.5%")),
        (0.95, ("Keep these 50 topics", "by AP", "tau 0.95 with 50 topics, 0.91 to 0.99")),
    ],
)
def test_the_sentence_says_how_like_unlimited_topics_these_rank(tau: float, facts: tuple[str, ...]) -> None:
    assert_says(topics_for_stability(studied(unlimited={"AP": tau})), *facts)


def test_measures_are_not_ordered_by_it() -> None:
    said = topics_for_stability(studied(unlimited={"AP": 0.8, "RR": 0.6, "nDCG": 0.85}))
    assert_says(said, "by AP", "tau 0.80")
    assert "RR" not in text(said)


@pytest.mark.parametrize("first", [None, 0.02])  # halves do not agree, or the interval of tau begins at 0
def test_without_a_ranking_that_would_hold_it_is_inconclusive(first: float | None) -> None:
    said = topics_for_stability(studied(unlimited={"RR": first, "AP": 0.8}))
    assert left_open(said) == ["how like that of unlimited topics the ranking by RR is"]


def test_nothing_is_said_of_few_runs() -> None:
    assert topics_for_stability(studied(runs=9)) is None


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
    assert_says(
        found,
        "P@10 is more stable than AP with all runs",
        "less stable without the worst quarter",
        "2.00 times as many topics, 1.60 to 2.50",
    )
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 1.6, 2.5))


def test_the_pair_that_is_furthest_apart_comes_first() -> None:
    rows = [
        ("all", "phi", "AP", "P@10", 2.0, 1.5, 2.5, 0.01),
        ("all", "phi", "AP", "RR", 2.0, 1.5, 2.5, 0.01),
        ("all", "e_rho2", "AP", "nDCG", 2.0, 1.5, 2.5, 0.01),
        ("best", "phi", "AP", "P@10", 0.5, 0.4, 0.6, 0.02),
        ("best", "phi", "AP", "RR", 0.25, 0.2, 0.3, 0.01),
        ("best", "e_rho2", "AP", "nDCG", 0.1, 0.05, 0.2, 0.01),
    ]
    table = pl.DataFrame(rows, schema=COMPARISONS, orient="row")
    pairs = reversed_pairs(table, "phi", alpha=0.05)
    assert [(pair.first, pair.second) for pair in pairs] == [("RR", "AP"), ("P@10", "AP")]
    assert [pair.times for pair in pairs] == [4.0, 2.0]
    assert [pair.first for pair in reversed_pairs(table, "phi", alpha=0.02)] == []  # two pairs: 2 x 0.01, and 0.02


def test_pairs_are_corrected_for_all_that_were_searched() -> None:
    """Of three pairs one is reversed, with p-values .03 and .01: the larger one times three."""
    rows = [
        ("all", "phi", "AP", "P@10", 2.0, 1.1, 2.5, 0.03),
        ("best", "phi", "AP", "P@10", 0.5, 0.4, 0.6, 0.01),
        *((runs, "phi", other, "RR", 2.0, 1.5, 2.5, 0.001) for runs in ("all", "best") for other in ("AP", "P@10")),
    ]
    table = pl.DataFrame(rows, schema=COMPARISONS, orient="row")
    assert reversed_pairs(table, "phi", alpha=0.089) == []
    assert len(reversed_pairs(table, "phi", alpha=0.091)) == 1
