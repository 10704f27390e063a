"""The rules about fitted weights: whether their gain survives on held-out topics, and if they follow the pool."""

from __future__ import annotations

import polars as pl
import pytest

from assay.analyses.weights.held_out_gain import INCONCLUSIVE, LOST, SURVIVES
from assay.analyses.weights.pool_edge import FOLLOWS
from assay.analyses.weights.sentences import discount_follows_pool, lasting_weights, lost_gain
from assay.data.provenance import Basis
from assay.results.result import Result
from tests.builders.weights import EDGE, fitted


def test_a_sentence_says_when_the_gain_survives() -> None:
    sentence = lasting_weights(fitted(SURVIVES))
    assert sentence is not None
    for fact in ("(own)", "nDCG@20", "more stable than with log2", "held-out", "0.017 (95% interval 0.004 to 0.030)"):
        assert fact in sentence.text
    assert (sentence.value, sentence.low, sentence.high) == (0.017, 0.004, 0.03)
    assert lasting_weights(fitted(LOST)) is None
    assert lasting_weights(fitted(SURVIVES, runs=10)) is not None
    assert lasting_weights(fitted(SURVIVES, runs=9)) is None


@pytest.mark.parametrize(
    ("verdict", "shown"),
    [(LOST, "-0.015 (95% interval -0.020 to -0.010)"), (INCONCLUSIVE, "0.010 (95% interval -0.010 to 0.030)")],
)
def test_a_sentence_says_when_it_does_not(verdict: str, shown: str) -> None:
    sentence = lost_gain(fitted(verdict))
    assert sentence is not None
    facts = (
        f"is {verdict}:",
        "nDCG@20 (own) gains 0.013 of Phi on the topics of the fit",
        f"{shown} on held-out ones",
    )
    for fact in facts:
        assert fact in sentence.text
    assert lost_gain(fitted(SURVIVES)) is None
    assert lost_gain(fitted(verdict, runs=9)) is None


def test_a_sentence_says_when_the_discount_follows_the_edge_of_the_pool() -> None:
    sentence = discount_follows_pool(fitted(edge=EDGE))
    assert sentence is not None
    facts = ("by 34.1% from rank 7 to 9", "(log2: 9.7%)", "falls from 76.7% to 53.7%", "the edge of the pool")
    for fact in facts:
        assert fact in sentence.text
    assert (sentence.value, sentence.shown) == (0.341, "34.1%")
    with FOLLOWS.moved(4):
        assert discount_follows_pool(fitted(edge=EDGE)) is None
    assert discount_follows_pool(fitted()) is None


def test_without_held_out_topics_the_rules_are_silent() -> None:
    bare = Result("weights", pl.DataFrame(), {}, Basis(runs=50), {"best": "own"})
    assert [rule(bare) for rule in (lasting_weights, lost_gain, discount_follows_pool)] == [None, None, None]
