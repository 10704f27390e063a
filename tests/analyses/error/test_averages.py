"""Micro-averages: by hand, and their error against leaving topics out one by one and the linearised ratio."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.error.analysis import error
from assay.analyses.error.averages import RatioOfSums
from tests.builders.error import write_lists


def test_error_and_bias_are_those_of_leaving_topics_out() -> None:
    rng = np.random.default_rng(0)
    whole = rng.integers(2, 90, (2, 15)).astype(np.float64)
    part = whole * rng.random((2, 15))
    way = RatioOfSums(part, whole)
    for run in range(2):
        without = [np.delete(part[run], i).sum() / np.delete(whole[run], i).sum() for i in range(15)]
        value = part[run].sum() / whole[run].sum()
        assert way.value[run] == pytest.approx(value)
        assert way.error[run] == pytest.approx(np.sqrt(14 / 15 * ((without - np.mean(without)) ** 2).sum()))
        assert way.bias[run] == pytest.approx(14 * (np.mean(without) - value))
        rest = part[run] - value * whole[run]  # the linearised ratio's error is close, not equal
        linear = np.sqrt(15 / 14 * (rest**2).sum()) / whole[run].sum()
        assert way.error[run] == pytest.approx(linear, rel=0.25)


def test_topics_of_equal_size_have_the_macro_average_and_no_bias() -> None:
    part = np.random.default_rng(1).random((1, 9))
    way = RatioOfSums(part, np.ones((1, 9)))
    assert way.value == pytest.approx(way.macro)
    assert way.error[0] == pytest.approx(part.std(ddof=1) / 3)
    assert way.bias[0] == pytest.approx(0, abs=1e-12)


def test_precision_and_recall_are_counted_over_all_topics(tmp_path: Path) -> None:
    lists = {"good": {"a": "1101", "b": "011000"}, "poor": {"a": "0001", "b": "000100"}}
    result = error(write_lists(tmp_path, lists, {"a": 4, "b": 2}), resamples=5, c=0.5)
    micro = {(row["run"], row["average"]): row for row in result.tables["micro"].iter_rows(named=True)}
    assert micro["good", "precision"]["micro"] == pytest.approx(5 / 10)
    assert micro["good", "recall"]["micro"] == pytest.approx(5 / 6)
    assert micro["good", "precision"]["macro"] == pytest.approx((3 / 4 + 2 / 6) / 2)
    assert micro["poor", "recall"]["macro"] == pytest.approx((1 / 4 + 1 / 2) / 2)
    ap = (1 + 1 + 3 / 4) / 4, (1 / 2 + 2 / 3) / 2
    assert micro["good", "AP"]["micro"] == pytest.approx((4 * ap[0] + 2 * ap[1]) / 6)
    plain, less = (micro["good", name] for name in ("AP", "AP_LOO"))
    assert plain["sample_bias"] == pytest.approx(plain["micro"] - less["micro"])
    assert result.table["micro"][0] == pytest.approx(less["micro"])
    names = result.tables["averages"].select("average", "error")
    assert names["average"].to_list()[-4:] == [f"micro, {n}" for n in ("AP", "AP_LOO", "precision", "recall")]
    of_recall = names.filter(pl.col("average") == "micro, recall")["error"].item()
    assert of_recall == pytest.approx(np.median([micro[run, "recall"]["error"] for run in ("good", "poor")]))


def test_one_topic_has_no_error(tmp_path: Path) -> None:
    result = error(write_lists(tmp_path, {"one": {"a": "1101"}}, {"a": 4}), resamples=5)
    row = result.tables["micro"].row(0, named=True)
    assert (row["error"], row["low"], row["ratio_bias"]) == (None, None, None)
    assert row["micro"] == row["macro"]
