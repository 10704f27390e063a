"""What `agreement` says: each sentence is triggered and not, and its thresholds hold at their borders."""

from __future__ import annotations

import pytest

from assay.analyses.agreement.sentences import unlike_measures
from tests.builders.results import agreed, assert_says, text


def test_the_two_measures_that_rank_least_alike_are_named() -> None:
    said = unlike_measures(agreed({("AP", "nDCG"): 0.95, ("AP", "RR"): 0.7, ("nDCG", "RR"): 0.75}))
    assert_says(said, "AP and RR", "least alike of all 3 pairs of measures", "tau 0.70 (95% interval 0.65 to 0.75).")
    assert said is not None
    assert (said.value, said.shown, said.between) == (0.7, "tau 0.70", "0.65 to 0.75")


def test_without_a_significant_difference_they_are_among_the_least_alike() -> None:
    rows = {("AP", "nDCG"): 0.95, ("AP", "RR"): 0.7, ("nDCG", "RR"): 0.75}
    said = text(unlike_measures(agreed(rows, may_be_least=2)))
    assert "AP and RR are among the least alike of all 3 pairs of measures, with 1 other" in said


def test_measures_that_all_rank_alike_are_said_to() -> None:
    said = unlike_measures(agreed({("AP", "nDCG"): 0.97, ("AP", "RR"): 0.96, ("nDCG", "RR"): 0.98}))
    assert_says(said, "All 3 measures rank the runs alike", "AP and RR", "tau 0.96 (95% interval 0.91 to 1.01).")


@pytest.mark.parametrize(
    ("tau", "verdict", "value", "doubt"),
    [
        (0.96, "alike", "tau 0.96 (95% interval 0.91 to 1.01)", ""),
        (0.9, "alike", "tau 0.90 (95% interval 0.85 to 0.95)", "less than 0.9 is not ruled out"),
        (0.89, "differently", "tau 0.89 (95% interval 0.84 to 0.94)", "0.9 and more is not ruled out"),
        (0.8, "differently", "tau 0.80 (95% interval 0.75 to 0.85)", ""),
    ],
)
def test_an_interval_says_whether_the_other_side_is_ruled_out(
    tau: float, verdict: str, value: str, doubt: str
) -> None:
    said = unlike_measures(agreed({("AP", "RR"): tau}))
    assert_says(said, "AP and RR rank the runs", verdict, value, doubt)
    assert ("is not ruled out" in text(said)) is bool(doubt)


def test_the_corrected_tau_stands_beside_the_observed_one() -> None:
    assert "0.78" in text(unlike_measures(agreed({("AP", "RR"): 0.7}, corrected=0.08)))
    assert "noise" not in text(unlike_measures(agreed({("AP", "RR"): 0.7})))


def test_agreement_is_not_spoken_of_without_enough_evidence() -> None:
    pair = ("AP", "RR")
    assert unlike_measures(agreed({pair: 0.7}, n=10)) is not None
    assert unlike_measures(agreed({pair: 0.7}, n=9)) is None
    assert unlike_measures(agreed({pair: None})) is None
    assert unlike_measures(agreed({pair: 0.7}, of="pvalues")) is None
