"""The sentences about disagreement: each is triggered and not, with its thresholds at their borders."""

from __future__ import annotations

from itertools import combinations

import polars as pl
import pytest

from assay.analyses.disagreement.sentences import (
    FEW_RUN_PAIRS,
    LEAST_DISAGREEMENT,
    disagreeing_measures,
    preferred_features,
)
from assay.results.result import Result
from tests.builders.disagreement import LEADS, RECALL, THREE, disagreement_on
from tests.builders.results import text


def test_the_two_measures_that_disagree_most_are_named_and_those_that_do_least() -> None:
    sentence = disagreeing_measures(disagreement_on(THREE))
    assert sentence is not None
    most, least = sentence.text.split(";")
    for fact in ("rank 10,", "AP and RR most often disagree", "40.0% of 1,000 pairs", "95% interval 39.5% to 40.5%"):
        assert fact in most
    assert "opposite preferences in 10.0%" in most
    assert "AP and nDCG least often, in 1.2%" in least
    assert (sentence.value, sentence.low, sentence.high) == pytest.approx((0.4, 0.395, 0.405))


def test_of_two_measures_none_disagree_most_or_least() -> None:
    said = text(disagreeing_measures(disagreement_on({("AP", "nDCG"): 1.25})))
    assert "AP and nDCG disagree about two runs on a topic, in 1.2% of 1,000 pairs" in said
    assert "most often" not in said
    assert "least" not in said


def test_measures_that_never_disagree_are_not_those_that_least_often_do() -> None:
    said = text(disagreeing_measures(disagreement_on({**THREE, ("nDCG", "DCG"): 0.0})))
    assert "AP and nDCG least often, in 1.2%" in said
    assert disagreeing_measures(disagreement_on({("nDCG", "DCG"): 0.0})) is None


@pytest.mark.parametrize(("below", "speaks"), [(1, False), (0, True)])
def test_nothing_is_said_of_too_few_pairs_of_runs(below: int, *, speaks: bool) -> None:
    result = disagreement_on(THREE, n_pairs=int(FEW_RUN_PAIRS.value) - below, leads=LEADS)
    assert (disagreeing_measures(result) is not None) is speaks
    assert (preferred_features(result) is not None) is speaks


def test_nothing_is_said_without_runs() -> None:
    alone = Result("disagreement", pl.DataFrame(), {"matrix": pl.DataFrame()})
    assert disagreeing_measures(alone) is None
    assert preferred_features(alone) is None


def test_the_choice_of_the_first_measure_is_explained_against_those_it_disagrees_with_most() -> None:
    sentence = preferred_features(disagreement_on(THREE, leads=LEADS))
    assert sentence is not None
    first, second = sentence.text.split(" and ", 1)
    for fact in ("rank 10,", "AP over RR", "asking more for recall", "40.0%"):
        assert fact in first
    for fact in ("AP over nDCG", "preferring recall to an early first hit", "1.2%"):
        assert fact in second
    assert (sentence.value, sentence.low, sentence.high) == pytest.approx((0.4, 0.395, 0.405))


def test_no_more_choices_are_explained_than_a_reader_can_hold() -> None:
    names = ["A", "B", "C", "D"]
    shares = dict.fromkeys(combinations(names, 2), 5.0)
    leads = {("A", b): {RECALL: 20.0} for b in names[1:]}
    assert text(preferred_features(disagreement_on(shares, leads=leads))).count("on these runs means") == 2


@pytest.mark.parametrize(("below", "speaks"), [(0.01, False), (0.0, True)])
def test_a_choice_between_measures_that_hardly_ever_disagree_is_not_explained(below: float, *, speaks: bool) -> None:
    share = 100 * LEAST_DISAGREEMENT.value - below
    result = disagreement_on({("AP", "nDCG"): share}, leads=LEADS)
    assert (preferred_features(result) is not None) is speaks


@pytest.mark.parametrize(("lead", "speaks"), [(1.0, False), (1.02, True)])
def test_a_choice_without_a_clear_preference_is_not_explained(lead: float, *, speaks: bool) -> None:
    result = disagreement_on({("AP", "nDCG"): 5.0}, leads={("AP", "nDCG"): {RECALL: lead}})
    assert (preferred_features(result) is not None) is speaks
