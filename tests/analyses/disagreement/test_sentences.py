"""The sentences about disagreement: each is triggered and not, with its thresholds at their borders."""

from __future__ import annotations

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
from tests.builders.results import assert_says, left_open, text


def test_the_two_measures_that_disagree_most_are_named_where_all_others_do_so_less() -> None:
    sentence = disagreeing_measures(disagreement_on(THREE))
    assert sentence is not None
    assert_says(sentence, "AP and RR", "disagree most often", "rank 10", "40.0%", "39.5% to 40.5%")
    assert (sentence.value, sentence.low, sentence.high) == pytest.approx((0.4, 0.395, 0.405))


def test_where_several_pairs_may_disagree_most_it_is_inconclusive() -> None:
    said = disagreeing_measures(disagreement_on(THREE, most=2))
    assert left_open(said) == ["which two measures disagree most often down to rank 10"]


def test_of_two_measures_none_disagree_most() -> None:
    said = disagreeing_measures(disagreement_on({("AP", "nDCG"): 1.25}))
    assert_says(said, "AP and nDCG", "disagree", "1.2%")
    assert "most often" not in text(said)


def test_measures_that_never_disagree_are_not_named() -> None:
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


def test_the_choice_of_the_first_measure_is_explained_against_the_one_it_disagrees_with_most() -> None:
    sentence = preferred_features(disagreement_on(THREE, leads=LEADS))
    assert sentence is not None
    assert_says(sentence, "AP over RR", "rank 10", "means asking more for recall", "40.0%", "39.5% to 40.5%")
    assert (sentence.value, sentence.low, sentence.high) == pytest.approx((0.4, 0.395, 0.405))
    both = preferred_features(disagreement_on({("AP", "nDCG"): 1.25}, leads=LEADS))
    assert_says(both, "AP over nDCG", "means preferring recall to an early first hit")


@pytest.mark.parametrize(("p", "speaks"), [(0.05, True), (0.051, False)])
def test_a_preference_that_is_not_significant_is_not_stated(p: float, *, speaks: bool) -> None:
    assert (preferred_features(disagreement_on(THREE, leads=LEADS, p=p)) is not None) is speaks


@pytest.mark.parametrize(("below", "speaks"), [(0.01, False), (0.0, True)])
def test_a_choice_between_measures_that_hardly_ever_disagree_is_not_explained(below: float, *, speaks: bool) -> None:
    share = 100 * LEAST_DISAGREEMENT.value - below
    result = disagreement_on({("AP", "nDCG"): share}, leads=LEADS)
    assert (preferred_features(result) is not None) is speaks


@pytest.mark.parametrize(("lead", "speaks"), [(1.0, False), (1.02, True)])
def test_a_choice_without_a_clear_preference_is_not_explained(lead: float, *, speaks: bool) -> None:
    result = disagreement_on({("AP", "nDCG"): 5.0}, leads={("AP", "nDCG"): {RECALL: lead}})
    assert (preferred_features(result) is not None) is speaks
