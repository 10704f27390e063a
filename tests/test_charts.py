"""Charts: specs as data, and as files in every format."""

from __future__ import annotations

import re

import altair
import polars as pl
import pytest

from assay.analysis import Result
from assay.charts import MAX_ROWS, Chart, category, field, heat, intervals, lines, scatter, thin
from assay.errors import UsageError
from assay.render.pictures import PICTURES, pick_chart

TABLE = pl.DataFrame({"m": ["a", "b"] * 3, "x": [1.0, 1, 2, 2, 3, 3], "y": [0.1, 0.2, 0.3, 0.4, 0.5, float("nan")]})
DRAWINGS = {
    "lines": lines(field("x"), field("y"), category("m"), band=("y", "x")),
    "intervals": intervals(field("y"), category("m"), low="x", high="y"),
    "heat": heat(category("m"), category("x"), field("y")),
    "scatter": scatter(field("x"), field("y"), colour=category("m"), tooltip=["m"]),
}
STARTS = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!DOCTYPE html>"}


def result() -> Result:
    return Result("made", TABLE, charts=tuple(Chart(n, f"The {n}", TABLE, d) for n, d in DRAWINGS.items()))


@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_every_drawing_becomes_a_file_of_every_kind(name: str, ending: str) -> None:
    assert PICTURES[ending](pick_chart(result(), name).spec()).startswith(STARTS[ending])


def test_a_page_holds_its_scripts_and_fetches_nothing() -> None:
    page = PICTURES[".html"](pick_chart(result()).spec())
    assert page.lstrip().startswith(STARTS[".html"])
    assert re.findall(rb"<(?:script|link)[^>]+(?:src|href)=", page) == []


def test_a_spec_carries_its_rows_and_nan_is_null() -> None:
    spec = pick_chart(result(), "lines").spec()
    assert spec["data"]["values"][-1] == {"m": "b", "x": 3.0, "y": None}
    assert spec["title"] == "The lines"


def test_a_chart_of_too_many_rows_is_refused_and_thinning_keeps_the_ends() -> None:
    long = pl.DataFrame({"m": ["a"] * 3000 + ["b"] * 3000, "x": [*range(3000), *range(3000)]})
    with pytest.raises(ValueError, match="6000 rows"):
        Chart("long", "", long, DRAWINGS["lines"])
    thinned = thin(long, by=["m"])
    assert thinned.height <= MAX_ROWS
    assert thinned.group_by("m", maintain_order=True).agg(
        pl.col("x").min().alias("low"), pl.col("x").max()
    ).rows() == [
        ("a", 0, 2999),
        ("b", 0, 2999),
    ]
    assert thin(TABLE, by=["m"]).equals(TABLE)


def test_charts_are_picked_by_name() -> None:
    assert pick_chart(result()).name == "lines"
    with pytest.raises(UsageError, match=r"no chart 'heta' .*did you mean 'heat'"):
        pick_chart(result(), "heta")
    with pytest.raises(UsageError, match="made draws no chart; write a table"):
        pick_chart(Result("made", TABLE))


def test_a_result_plots_itself() -> None:
    chart = result().plot("heat")
    assert isinstance(chart, altair.LayerChart)
    assert chart.to_dict()["title"] == "The heat"
