"""Charts on a card: smaller, and what is left out is said."""

from __future__ import annotations

import json

import polars as pl
import pytest

from assay.render.html import spec_for_page
from assay.render.page.small import small
from assay.results.charts import Chart, category, field, intervals, scatter


def dots(n: int) -> Chart:
    table = pl.DataFrame({"run": [f"r{i}" for i in range(n)], "mean": [1 / 3] * n, "low": 0.0, "high": 1.0})
    return Chart("runs", "Runs", table, intervals(field("mean"), category("run"), low="low", high="high"))


def test_of_many_rows_the_first_are_shown_and_it_is_said() -> None:
    made, left_out = small(spec_for_page(dots(40)))
    assert [row["run"] for row in made["data"]["values"]] == [f"r{i}" for i in range(10)]
    assert left_out == "10 of 40 rows"


def test_a_chart_of_few_rows_is_whole() -> None:
    made, left_out = small(spec_for_page(dots(10)))
    assert len(made["data"]["values"]) == 10
    assert left_out == ""


def test_of_many_panels_the_first_are_shown_and_it_is_said() -> None:
    table = pl.DataFrame({"m": [f"m{i}" for i in range(8)], "x": 0.5, "y": 0.5})
    panels = {"facet": category("m"), "columns": 2, "spec": scatter(field("x"), field("y"))}
    whole = spec_for_page(Chart("panels", "Panels", table, panels))
    made, left_out = small(whole)
    assert left_out == "3 of 8 panels"
    assert len(made["data"]["values"]) == 3
    assert made["spec"]["width"] < whole["spec"]["width"]


@pytest.mark.parametrize(("title", "place"), [("measure", "left"), ("at 0.05 after Holm's correction", "top")])
def test_a_long_title_of_a_legend_stands_above_it(title: str, place: str) -> None:
    table = pl.DataFrame({"x": [0.5, 0.6], "y": [0.5, 0.1], "c": ["a", "b"]})
    drawing = scatter(field("x"), field("y"), colour=category("c", title=title))
    made, _ = small(spec_for_page(Chart("dots", "Dots", table, drawing)))
    assert made["config"]["legend"]["titleOrient"] == place


def test_a_panel_has_few_ticks() -> None:
    table = pl.DataFrame({"m": ["a", "b"], "x": 0.5, "y": 0.5})
    panels = {"facet": category("m"), "columns": 2, "spec": scatter(field("x", axis={"tickCount": 5}), field("y"))}
    made, _ = small(spec_for_page(Chart("panels", "Panels", table, panels)))
    assert '"tickCount": 3' in json.dumps(made)
    assert '"tickCount": 5' not in json.dumps(made)


def test_numbers_for_a_page_are_as_exact_as_can_be_seen() -> None:
    assert spec_for_page(dots(1))["data"]["values"][0]["mean"] == 0.333333
