"""Achieved significance levels: p-values largest first, and what of them a picture shows."""

from __future__ import annotations

import numpy as np
import pytest

from assay.results.charts import FEW_PAIRS, MAX_ROWS, asl_chart, significance_levels


def test_p_values_are_laid_out_largest_first() -> None:
    levels = significance_levels({"AP": np.array([0.1, 0.9, 0.3]), "RR": np.array([1.0])}, by="measure")
    assert levels.rows() == [("AP", 1, 0.9), ("AP", 2, 0.3), ("AP", 3, 0.1), ("RR", 1, 1.0)]
    assert levels.columns == ["measure", "pair", "p"]


@pytest.mark.parametrize(("n_pairs", "most"), [(FEW_PAIRS, 1.0), (FEW_PAIRS + 1, 0.15)])
def test_of_many_pairs_the_small_p_values_are_shown(n_pairs: int, most: float) -> None:
    p = np.linspace(0, 1, n_pairs)
    chart = asl_chart(significance_levels({"AP": p}, by="measure"), by="measure", alpha=0.05)
    assert chart.table["p"].to_list() == sorted(p[p <= most], reverse=True)
    curve, line = chart.spec()["layer"]
    assert line["encoding"]["y"] == {"datum": 0.05}
    assert curve["encoding"]["y"]["scale"]["domain"] == [0, most]


def test_a_large_alpha_is_in_the_picture() -> None:
    chart = asl_chart(significance_levels({"AP": np.linspace(0, 1, 60)}, by="measure"), by="measure", alpha=0.2)
    assert chart.spec()["layer"][0]["encoding"]["y"]["scale"]["domain"][1] == pytest.approx(0.3)


def test_all_p_values_are_shown_where_none_is_small_and_alpha_may_be_left_out() -> None:
    p = {"a": np.full(100, 0.5), "b": np.full(100, 0.6)}
    chart = asl_chart(significance_levels(p, by="variant"), by="variant", pairs="pairs of the best runs")
    assert chart.table.height == 200
    assert chart.title == "Achieved significance levels of pairs of the best runs"
    assert not any("datum" in layer["encoding"]["y"] for layer in chart.spec()["layer"])


def test_more_p_values_than_a_page_carries_are_thinned() -> None:
    p = {name: np.linspace(0, 0.1, 2000) for name in "ab"}
    chart = asl_chart(significance_levels(p, by="measure"), by="measure")
    assert chart.table.height <= MAX_ROWS
    assert chart.table["measure"].n_unique() == 2
