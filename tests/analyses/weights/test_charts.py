"""The pictures of `weights` show what its tables hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from assay.analyses.weights.bands import weight_bands
from assay.analyses.weights.charts import evidence_charts
from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.held_out_gain import ridge_table
from assay.analyses.weights.power import best_pair_levels, family, sweep, thesis
from assay.analyses.weights.variants import standard_discounts, variant_scores
from tests.builders.weights import (
    LINEAR,
    LOG2,
    FixedWeights,
    fit_discount,
    graded_lists,
    held_out_gains,
    standard_fit,
)


def test_pictures_of_what_was_held_out_show_the_tables() -> None:
    lists = graded_lists()
    fits: dict[str, Callable[[GradedLists], FixedWeights]] = {"discount": fit_discount, "standard": standard_fit}
    gains = held_out_gains(lists, fits, gain=LINEAR, discount=LOG2, folds=3, repeats=1)
    ranks, _ = weight_bands(lists, fit_discount, resamples=5)
    path = ridge_table(lists, lambda r: partial(fit_discount, ridge=r), [0, 0.1], gain=LINEAR, discount=LOG2, folds=3)
    charts = evidence_charts({"held_out": gains, "discount_bands": ranks, "ridge": path}, {})
    assert [chart.name for chart in charts] == ["held_out", "discount_bands", "ridge"]
    assert charts[0].table["variant"].to_list() == ["discount", "standard"]
    assert charts[1].table["curve"].unique(maintain_order=True).to_list() == ["the best", "log2"]
    assert charts[1].table.filter(curve="log2")["discount"].to_numpy() == pytest.approx(LOG2, abs=1e-15)
    assert charts[2].table.height == 6


def test_pictures_of_power_show_the_tables() -> None:
    lists = graded_lists()
    every = family(lists.top, lists.depth)
    names = [variant.name for variant in every[:3]]
    levels = best_pair_levels(names, variant_scores(lists, every[:3]), resamples=50)
    by_variant, _ = thesis(lists)
    swept = sweep(lists, standard_discounts(10)["log2"])
    assert swept is not None
    tables = {"asl": levels, "variants": by_variant, "sweep": swept, "other": by_variant}
    charts = evidence_charts(tables, {variant.name: variant.gain_name for variant in every})
    assert [chart.name for chart in charts] == ["asl", "variants", "sweep"]
    assert charts[0].table["variant"].unique(maintain_order=True).to_list() == names
    assert charts[1].table["gain"].unique(maintain_order=True).to_list() == ["linear gain", "exp gain", "flat gain"]
    assert charts[2].spec()["layer"][1]["encoding"]["x"]["scale"]["type"] == "log"
    assert np.array_equal(charts[2].table["tau"].to_numpy(), swept["tau"].to_numpy())
