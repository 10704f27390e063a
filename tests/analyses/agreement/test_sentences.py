"""What `agreement` says: each sentence is triggered and not, and its thresholds hold at their borders."""

from __future__ import annotations

import pytest

from assay.analyses.agreement.sentences import unlike_measures
from tests.builders.results import agreed, assert_says, left_open, one, text

ROWS = {("AP", "nDCG"): 0.95, ("AP", "RR"): 0.7, ("nDCG", "RR"): 0.75}


def test_the_two_measures_that_rank_least_alike_are_named() -> None:
    said = unlike_measures(agreed(ROWS))
    assert_says(said, "Report both AP and RR", "all 3 pairs of measures", "least alike", "tau 0.70, 0.65 to 0.75")
    assert one(said).value == 0.7


def test_without_a_significant_difference_they_are_not_called_the_least_alike() -> None:
    said = text(unlike_measures(agreed(ROWS, may_be_least=2)))
    assert "Report both AP and RR: they rank the runs differently" in said
    assert "least" not in said


def test_measures_that_all_rank_alike_are_said_to() -> None:
    said = unlike_measures(agreed({("AP", "nDCG"): 0.97, ("AP", "RR"): 0.96, ("nDCG", "RR"): 0.98}))
    assert_says(said, "all 3 measures", "AP and RR rank the runs alike", "tau 0.96, 0.91 to 1.01")


@pytest.mark.parametrize(("tau", "verdict"), [(0.96, "alike"), (0.9, ""), (0.89, ""), (0.8, "differently")])
def test_where_the_interval_holds_the_threshold_it_is_inconclusive(tau: float, verdict: str) -> None:
    said = unlike_measures(agreed({("AP", "RR"): tau}))
    if verdict:
        assert_says(said, "AP and RR", f"rank the runs {verdict}")
    assert left_open(said) == ([] if verdict else ["whether AP and RR rank the runs alike"])


def test_agreement_is_not_spoken_of_without_enough_evidence() -> None:
    pair = ("AP", "RR")
    assert unlike_measures(agreed({pair: 0.7}, n=10)) is not None
    assert unlike_measures(agreed({pair: 0.7}, n=9)) is None
    assert unlike_measures(agreed({pair: None})) is None
    assert unlike_measures(agreed({pair: 0.7}, of="pvalues")) is None
