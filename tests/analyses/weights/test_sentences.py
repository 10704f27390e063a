"""The rules about fitted weights: whether their gain survives on held-out topics, and if they follow the pool."""

from __future__ import annotations

import polars as pl
import pytest

from assay.analyses.weights.held_out_gain import INCONCLUSIVE, LOST, SURVIVES
from assay.analyses.weights.pool_edge import FOLLOWS
from assay.analyses.weights.sentences import discount_follows_pool, lasting_weights, lost_gain
from assay.data.provenance import Basis
from assay.results.result import Result
from tests.builders.results import assert_says, left_open
from tests.builders.weights import EDGE, fitted


def test_a_sentence_says_when_the_gain_survives() -> None:
    sentence = lasting_weights(fitted(SURVIVES))
    assert sentence is not None
    assert_says(sentence, "nDCG@20", "held-out", "more stable than with log2", "0.017 of Phi, 0.004 to 0.030")
    assert (sentence.value, sentence.low, sentence.high) == (0.017, 0.004, 0.03)
    assert lasting_weights(fitted(LOST)) is None
    assert lasting_weights(fitted(SURVIVES, runs=10)) is not None
    assert lasting_weights(fitted(SURVIVES, runs=9)) is None


def test_a_sentence_says_when_it_is_lost() -> None:
    said = lost_gain(fitted(LOST))
    assert_says(said, "Keep log2 in nDCG@20", "lost on held-out topics", "-0.015 of Phi, -0.020 to -0.010")


@pytest.mark.parametrize("verdict", [LOST, INCONCLUSIVE])
def test_a_gain_that_does_not_survive_is_lost_or_inconclusive(verdict: str) -> None:
    whether = ["whether fitted weights improve nDCG@20 on held-out topics"]
    assert left_open(lost_gain(fitted(verdict))) == (whether if verdict == INCONCLUSIVE else [])
    assert lost_gain(fitted(SURVIVES)) is None
    assert lost_gain(fitted(verdict, runs=9)) is None


def test_a_sentence_says_when_the_discount_follows_the_edge_of_the_pool() -> None:
    sentence = discount_follows_pool(fitted(edge=EDGE))
    assert sentence is not None
    assert_says(sentence, "optimal discount", "the edge of the pool after rank 7", "34.1%")
    assert sentence.value == 0.341
    with FOLLOWS.moved(4):
        assert discount_follows_pool(fitted(edge=EDGE)) is None
    assert discount_follows_pool(fitted()) is None


def test_without_held_out_topics_the_rules_are_silent() -> None:
    bare = Result("weights", pl.DataFrame(), {}, Basis(runs=50), {"best": "own"})
    assert [rule(bare) for rule in (lasting_weights, lost_gain, discount_follows_pool)] == [None, None, None]
