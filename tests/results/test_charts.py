"""Charts: specs as data, and as files in every format."""

from __future__ import annotations

from pathlib import Path

import altair
import polars as pl
import pytest

from assay.core.errors import UsageError
from assay.render.formats import PICTURES
from assay.render.pictures import draw, pick_chart
from assay.results.charts import MAX_ROWS, Chart, category, field, heat, intervals, lines, scatter, thin
from assay.results.result import Result

TABLE = pl.DataFrame({"m": ["a", "b"] * 3, "x": [1.0, 1, 2, 2, 3, 3], "y": [0.1, 0.2, 0.3, 0.4, 0.5, float("nan")]})
DRAWINGS = {
    "lines": lines(field("x"), field("y"), category("m"), band=("y", "x")),
    "intervals": intervals(field("y"), category("m"), low="x", high="y"),
    "heat": heat(category("m"), category("x"), field("y")),
    "scatter": scatter(field("x"), field("y"), colour=category("m"), tooltip=["m"]),
}
NAMES = list("abcdefgh")  # more than are named where their lines end
MANY = pl.DataFrame(
    [(m, x, i * x / 10) for i, m in enumerate(NAMES) for x in (1.0, 2.0)], ["m", "x", "y"], orient="row"
)
STARTS = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}


def result() -> Result:
    return Result("made", TABLE, charts=tuple(Chart(n, f"The {n}", TABLE, d) for n, d in DRAWINGS.items()))


def many() -> Result:
    return Result("made", MANY, charts=tuple(Chart(n, f"The {n}", MANY, d) for n, d in DRAWINGS.items()))


@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_every_drawing_becomes_a_file_of_every_kind(name: str, ending: str) -> None:
    assert draw(pick_chart(result(), name), ending).startswith(STARTS[ending])


def test_a_spec_carries_its_rows_and_nan_is_null() -> None:
    spec = pick_chart(result(), "lines").spec()
    assert spec["data"]["values"][-1] == {"m": "b", "x": 3.0, "y": None}
    assert spec["title"] == "The lines"


def test_names_are_spelled_out_where_they_cannot_be_seen() -> None:
    names = ["a\x1b[31m", "b\nc"]
    table = pl.DataFrame({"run": names, "x": [1.0, 2.0]})
    chart = Chart("evil", "The \x07 title", table, intervals(field("x"), category("run", names), low="x", high="x"))
    spec = chart.spec()
    assert [row["run"] for row in spec["data"]["values"]] == [r"a\x1b[31m", r"b\nc"]
    assert spec["layer"][0]["encoding"]["y"]["sort"] == [r"a\x1b[31m", r"b\nc"]
    assert spec["title"] == r"The \x07 title"
    for ending in PICTURES:
        assert draw(chart, ending).startswith(STARTS[ending])


def test_a_chart_says_what_it_draws() -> None:
    told = {chart.name: chart.alt for chart in result().charts}
    assert told == {
        "lines": "The lines. Y against x, by m.",
        "intervals": "The intervals. M against y.",
        "heat": "The heat. X against m, by y.",
        "scatter": "The scatter. Y against x, by m.",
    }
    assert Chart("own", "Mine", TABLE, DRAWINGS["heat"], "In my words.").alt == "Mine. In my words."
    panels = {"concat": [DRAWINGS["scatter"]] * 2}
    assert Chart("two", "Two", TABLE, panels).alt == "Two. Y against x, by m; 2 panels."
    assert Chart("none", "Bare", TABLE, {"mark": "bar"}).alt == "Bare."


@pytest.mark.parametrize("name", ["lines", "scatter"])
def test_a_click_on_the_legend_brings_a_series_out_and_still_pictures_show_all(name: str) -> None:
    drawing = DRAWINGS[name]
    unit = drawing["layer"][-1] if "layer" in drawing else drawing
    assert unit["params"] == [
        {"name": "chosen", "select": {"type": "point", "fields": ["m"], "toggle": "true"}, "bind": "legend"}
    ]
    picture = draw(pick_chart(many(), name), ".svg").decode()
    assert picture.count("role-legend-entry") == 1
    assert 'opacity="0.125"' not in picture
    assert 'opacity="0.0875"' not in picture


@pytest.mark.parametrize("points", [True, False])
@pytest.mark.parametrize("band", [("y", "x"), None])
def test_colour_dash_and_band_share_one_legend(points: bool, band: tuple[str, str] | None) -> None:
    drawing = lines(field("x"), field("y"), category("m", NAMES), band=band, points=points)
    line = {"mark": "rule", "encoding": {"y": {"datum": 0.5}}}
    for whole in (drawing, {"layer": [drawing, line]}, {"concat": [drawing, drawing]}):
        picture = draw(Chart("one", "One", MANY, whole), ".svg").decode()
        assert picture.count("role-legend-entry") == 1
    assert drawing["layer"][-1]["encoding"]["strokeDash"]["field"] == "m"


@pytest.mark.parametrize("shape", ["concat", "facet"])
def test_series_can_be_brought_out_in_panels(shape: str) -> None:
    inner = lines(field("x"), field("y"), category("m"), points=True)
    many = (
        {"concat": [inner, inner]}
        if shape == "concat"
        else {"facet": {"field": "m", "type": "nominal"}, "spec": inner}
    )
    assert draw(Chart("panels", "Panels", TABLE, many), ".svg").startswith(b"<svg")


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


def test_names_of_columns_stand_upright_in_full() -> None:
    names = ["RBP(p=0.95)", "nDCG@1000"]
    cells = pl.DataFrame({"a": names, "b": names[::-1], "v": [0.1, 0.2]})
    drawing = heat(category("a", names), category("b", names), field("v"))
    picture = draw(Chart("one", "One", cells, drawing), ".svg").decode()
    assert "rotate(" not in picture.partition("role-axis")[2].partition("role-axis-title")[0]
    for piece in (">RBP<", ">(p=0.95)<", ">nDCG<", ">@1000<"):
        assert piece in picture
    assert "\u2026" not in picture
    assert drawing["width"]["step"] > 6 * len("(p=0.95)")


def test_a_result_plots_itself() -> None:
    chart = result().plot("heat")
    assert isinstance(chart, altair.LayerChart)
    assert chart.to_dict()["title"] == "The heat"


@pytest.mark.parametrize("band", [("y", "x"), None])
def test_altair_draws_what_it_is_given(band: tuple[str, str] | None, tmp_path: Path) -> None:
    drawing = lines(field("x"), field("y"), category("m", NAMES), band=band, points=True)
    made = Result("one", MANY, charts=(Chart("one", "One", MANY, drawing),)).plot()
    made.save(str(tmp_path / "one.svg"))
    assert (tmp_path / "one.svg").read_text().count("role-legend-entry") == 1
