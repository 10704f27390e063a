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
from tests.builders.results import text


def test_the_two_measures_that_disagree_most_are_named_where_all_others_do_so_less() -> None:
    sentence = disagreeing_measures(disagreement_on(THREE))
    assert sentence is not None
    for fact in ("rank 10,", "AP and RR disagree most often", "on 40.0% (95% interval 39.5% to 40.5%)"):
        assert fact in sentence.text
    assert (sentence.value, sentence.low, sentence.high) == pytest.approx((0.4, 0.395, 0.405))


def test_where_several_pairs_may_disagree_most_their_number_is_said() -> None:
    said = text(disagreeing_measures(disagreement_on(THREE, most=2)))
    for fact in ("AP and RR may disagree most often", "among 2 such pairs", "rank 10", "40.0%"):
        assert fact in said


def test_of_two_measures_none_disagree_most() -> None:
    said = text(disagreeing_measures(disagreement_on({("AP", "nDCG"): 1.25})))
    assert "AP and nDCG disagree on 1.2%" in said
    assert "most often" not in said


def test_measures_that_never_disagree_are_not_named() -> None:
    assert disagreeing_measures(disagreement_on({("nDCG", "DCG"): 0.0})) is None


@pytest.mark.parametrize("most", [1, 2])
def test_a_sentence_is_short(most: int) -> None:
    result = disagreement_on(THREE, most=most, leads=LEADS)
    for sentence in (disagreeing_measures(result), preferred_features(result)):
        assert len(text(sentence).split()) <= 25


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
    for fact in ("rank 10,", "AP over RR means asking more for recall", "40.0% (95% interval 39.5% to 40.5%)"):
        assert fact in sentence.text
    assert (sentence.value, sentence.low, sentence.high) == pytest.approx((0.4, 0.395, 0.405))
    both = preferred_features(disagreement_on({("AP", "nDCG"): 1.25}, leads=LEADS))
    assert "AP over nDCG means preferring recall to an early first hit" in text(both)


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
