"""What the rules say of documents as a sample: the bias of MAP, and the error that documents bring."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.analyses.error.sentences import document_errors, small_sample_bias
from tests.builders.error import sampled
from tests.builders.results import assert_says


def test_a_sentence_says_how_much_of_map_is_bias() -> None:
    """At least 0.03 of an AP of 0.3, with an interval from 10% to 30%."""
    sentence = small_sample_bias(sampled(0.03, 0.01))
    assert sentence is not None
    assert_says(sentence, "MAP as too high", "bias", "20.0% of MAP, 10.0% to 30.0%")
    assert (sentence.value, sentence.low, sentence.high) == pytest.approx((0.2, 0.1, 0.3))


def test_a_single_topic_has_no_interval_and_no_sentence() -> None:
    one = sampled(0.03, 0.01)
    nothing = one.tables["overall"].with_columns(share_low=None, ratio_low=None)
    alone = replace(one, tables={"overall": nothing})
    assert small_sample_bias(alone) is None
    assert document_errors(alone) is None


def test_a_sentence_says_how_large_the_error_by_documents_is() -> None:
    sentence = document_errors(sampled(0.03, 0.01))
    assert sentence is not None
    assert_says(sentence, "other documents", "66.7% as far as other topics would, 33.3% to 100.0%")
    assert (sentence.value, sentence.low) == pytest.approx((2 / 3, 1 / 3))


def test_the_rules_are_silent_where_bias_and_error_are_small() -> None:
    assert small_sample_bias(sampled(0.001, 0.01)) is None
    assert document_errors(sampled(0.03, 0.005)) is None
