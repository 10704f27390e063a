"""What the rules say of reliability: how many topics it takes, and whether the worst runs decide."""

from __future__ import annotations

import polars as pl
import pytest

from assay.analyses.reliability.sentences import topics_for_stability, worst_runs_decide
from assay.analyses.reliability.tables import reversed_pairs
from assay.results.result import Result
from tests.builders.reliability import COMPARISONS, Times, compared, studied


def text(result: Result) -> str:
    sentence = topics_for_stability(result)
    assert sentence is not None
    return sentence.text


def test_one_measure_says_what_its_ranking_takes() -> None:
    sentence = topics_for_stability(studied())
    assert sentence is not None
    for fact in ("ranking of these runs by AP", "E-rho^2 0.95", "from 17 topics on (95% interval 13 to 21)"):
        assert fact in sentence.text
    assert "Phi" not in sentence.text
    assert (sentence.value, sentence.low, sentence.high) == (17, 13, 21)
    assert (sentence.shown, sentence.between) == ("17 topics", "13 to 21 topics")


def test_the_measure_that_needs_most_is_named_and_so_are_scores_and_the_best_runs() -> None:
    found = studied(
        {"AP": (17, 13, 21), "P@10": (31, 24, 39)},
        scores={"AP": (42, 29, 63), "P@10": (67, 47, 100)},
        best={"AP": (124, 88, 169), "P@10": (93, 66, 125)},
    )
    ranking, scores, best = text(found).split("; ")
    assert "by AP is stable (E-rho^2 0.95) from 17 topics on (95% interval 13 to 21), by P@10 from 31" in ranking
    assert ranking.endswith("on (24 to 39)")
    assert scores == "the scores of AP (Phi) from 42 topics on (29 to 63)"
    assert "without the worst quarter of the runs" in best
    assert "AP takes 124 topics (88 to 169)" in best


def test_an_interval_without_end_says_where_it_begins() -> None:
    assert "from 40 topics on (at least 12)" in text(studied({"AP": (40, 12, None)}))


def test_best_runs_that_no_number_of_topics_ranks_are_said_to_be_so() -> None:
    last = text(studied(best={"AP": (None, 90, None)})).split("; ")[1]
    assert last == "no number of topics makes the ranking of the best three quarters of the runs stable."


def test_another_target_is_shown() -> None:
    assert "(E-rho^2 0.8)" in text(studied(target=0.8))


def test_nothing_is_said_of_few_runs_or_where_no_number_of_topics_is_known() -> None:
    assert topics_for_stability(studied(runs=9)) is None
    assert topics_for_stability(studied({"AP": (None, None, None)})) is None


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
