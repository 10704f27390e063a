"""The summary that help, rules and sentences quote is the committed table, summed up."""

from __future__ import annotations

import polars as pl
import pytest

from assay.results.error_rates import error_rates, measured_coverage
from assay.results.sentences import RULES, load_sentences
from bench.validity.__main__ import SUMMARY, TABLE
from bench.validity.study import SCHEMA
from bench.validity.summary import summary


def _table(*rows: dict[str, object]) -> pl.DataFrame:
    empty = dict.fromkeys(SCHEMA)
    return pl.DataFrame([empty | row for row in rows], schema=SCHEMA)


def test_coverage_is_the_mean_over_truths_and_sizes_and_the_lowest_of_them() -> None:
    shared = {"what": "a: b", "kind": "interval", "level": 0.9, "replicates": 100, "error": 0.03, "said": 1.0}
    rows = [
        shared | {"truth": "x", "n_topics": 10, "coverage": 0.1},  # ten topics do not count
        shared | {"truth": "x", "n_topics": 25, "coverage": 0.9},
        shared | {"truth": "y", "n_topics": 50, "coverage": 1.0},
    ]
    row = summary(_table(*rows)).row(0, named=True)
    assert (row["rate"], row["worst"]) == pytest.approx((0.95, 0.9))
    assert (row["n_truths"], row["n_samples"], row["level"]) == (2, 200, 0.9)
    assert row["error"] == pytest.approx(0.03 / 2**0.5)


def test_false_of_said_is_pooled_where_it_can_be_true_and_the_worst_counts_every_truth() -> None:
    shared = {"what": "s", "kind": "sentence", "n_topics": 25, "replicates": 100}
    rows = [
        shared | {"truth": "x", "said": 0.5, "false": 0.05, "could": 1.0},
        shared | {"truth": "y", "said": 0.3, "false": 0.03, "could": 1.0},
        shared | {"truth": "null", "said": 0.06, "false": 0.06, "could": 0.0},
    ]
    row = summary(_table(*rows)).row(0, named=True)
    assert row["rate"] == pytest.approx(8 / 80)
    assert row["said"] == pytest.approx(0.4)
    assert row["worst"] == pytest.approx(0.06)


def test_what_was_not_studied_keeps_its_reason() -> None:
    row = summary(_table({"what": "a: b", "kind": "interval", "note": "there is no truth"})).row(0, named=True)
    assert (row["note"], row["rate"], row["n_truths"]) == ("there is no truth", None, 0)


def test_a_report_is_false_where_any_sentence_is() -> None:
    shared = {"what": "any", "kind": "report", "n_topics": 50, "replicates": 100, "said": 1.0}
    rows = [shared | {"truth": "x", "false": 0.02}, shared | {"truth": "y", "false": 0.06}]
    row = summary(_table(*rows)).row(0, named=True)
    assert (row["rate"], row["worst"], row["n_samples"]) == pytest.approx((0.04, 0.06, 200))


def test_the_summary_is_that_of_the_committed_table() -> None:
    table = pl.read_csv(TABLE, separator="\t", schema=SCHEMA)
    written = pl.read_csv(SUMMARY, separator="\t")
    again = summary(table)
    assert written["what"].to_list() == again["what"].to_list()
    for name in ("rate", "worst", "said"):
        old, new = (frame[name].cast(pl.Float64).fill_null(-1).to_list() for frame in (written, again))
        assert old == pytest.approx(new, abs=1e-3)


def test_a_sentence_and_the_help_quote_what_was_measured() -> None:
    load_sentences()
    assert RULES["best_measures"].false_rate == error_rates()["best_measures"].rate is not None
    assert f"{100 * (error_rates()['power: power'].rate or 0):.1f}%" in measured_coverage("power")
