"""What the rules say of documents as a sample: the bias of MAP, and the error that documents bring."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from assay.analyses.error.sentences import document_errors, small_sample_bias
from tests.builders.error import sampled


def test_a_sentence_says_how_much_of_map_is_bias() -> None:
    """The runs have AP 0.300 and 0.290, a bias of 0.030 each: 6 of 59 hundredths."""
    sentence = small_sample_bias(sampled(0.03, 0.01))
    assert sentence is not None
    for fact in ("About 10.2% of MAP is bias", "40.0% on topics with 8-15 relevant documents", "best run, r,"):
        assert fact in sentence.text
    assert sentence.text.endswith("it is 0.030 of 0.300 (95% interval 0.015 to 0.060).")
    assert sentence.value == 0.06 / 0.59


def test_the_bias_of_a_single_topic_has_no_interval() -> None:
    one = sampled(0.03, 0.01)
    table = one.table.with_columns(bias_low=pl.lit(None, pl.Float64), bias_high=pl.lit(None, pl.Float64))
    sentence = small_sample_bias(replace(one, table=table))
    assert sentence is not None
    assert sentence.text.endswith("of the best run, r, it is 0.030 of 0.300.")


def test_a_sentence_says_how_large_the_error_by_documents_is() -> None:
    sentence = document_errors(sampled(0.03, 0.01))
    assert sentence is not None
    assert "standard error of 0.010, other topics by 0.030" in sentence.text
    assert sentence.text.endswith("s leads.")  # in place of r, which leads by MAP
    assert (sentence.value, sentence.shown) == (0.01, "0.010")


def test_the_rules_are_silent_where_bias_and_error_are_small() -> None:
    assert small_sample_bias(sampled(0.001, 0.01)) is None
    assert document_errors(sampled(0.03, 0.005)) is None
