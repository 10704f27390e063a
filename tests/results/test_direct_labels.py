"""Names where lines end: of few lines, apart from each other, near their ends."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest

from assay.results.charts import Chart, Spec, category, field, lines, reference_line
from assay.results.direct_labels import MOST


def spec(ends: dict[str, float], *, band: tuple[str, str] | None = None) -> Spec:
    rows = [(m, x, y * x) for m, y in ends.items() for x in (0.0, 1.0)]
    table = pl.DataFrame(rows, schema=["m", "x", "y"], orient="row")
    drawing = lines(field("x"), field("y"), category("m", list(ends)), band=band)
    return Chart("one", "One", table, reference_line(drawing, 0.5)).spec()


def labels(made: Spec) -> dict[str, float]:
    texts = [layer for layer in made["layer"] if layer["mark"].get("type") == "text"]
    return {row["m"]: row["y"] for layer in texts for row in layer["data"]["values"]}


def legends(made: Spec) -> int:
    sides = [of for layer in made["layer"] for of in layer["encoding"].values()]
    return sum("field" in of and of.get("legend", {}) is not None and "scale" in of for of in sides)


def test_lines_that_end_apart_are_named_at_their_ends_without_a_legend() -> None:
    made = spec({"a": 0.1, "b": 0.5, "c": 1.0}, band=("y", "x"))
    assert labels(made) == {"a": 0.1, "b": 0.5, "c": 1.0}
    assert legends(made) == 0
    assert not any("params" in layer for layer in made["layer"])  # no legend answers to a click


def test_lines_that_end_together_have_names_with_room_between_them() -> None:
    at = sorted(labels(spec({"a": 0.5, "b": 0.5, "c": 1.0})).values())
    assert all(b - a >= 0.1 for a, b in pairwise(at))
    assert at[0] < 0.5 < at[1]


def test_names_do_not_stretch_the_axis_below_the_lines() -> None:
    at = sorted(labels(spec({"a": 0.0, "b": 0.01, "c": 1.0})).values())
    assert at[0] == 0
    assert at[1] >= 0.1


def test_a_band_counts_when_room_for_names_is_made() -> None:
    rows = [(m, x, y * x, 10.0 * x) for m, y in {"a": 0.9, "b": 1.0}.items() for x in (0.0, 1.0)]
    table = pl.DataFrame(rows, schema=["m", "x", "y", "high"], orient="row")
    drawing = lines(field("x"), field("y"), category("m", ["a", "b"]), band=("y", "high"))
    low, high = labels(Chart("one", "One", table, drawing).spec()).values()
    assert high - low >= 1.0  # a tenth of the axis, which the band makes ten high


def test_many_lines_and_one_line_keep_their_legend() -> None:
    for n in (1, MOST + 1):
        made = spec({f"m{i}": float(i + 1) for i in range(n)})
        assert labels(made) == {}
        assert legends(made) > 0


def test_names_that_would_stand_far_from_their_ends_keep_the_legend() -> None:
    assert labels(spec(dict.fromkeys("abcdef", 1.0))) == {}


@pytest.mark.parametrize("y", [None, float("nan")])
def test_a_line_without_points_is_not_named(y: float | None) -> None:
    table = pl.DataFrame({"m": ["a", "b", "c"], "x": [1.0] * 3, "y": [0.1, 0.9, y]})
    made = Chart("one", "One", table, lines(field("x"), field("y"), category("m"))).spec()
    assert list(labels(made)) == ["a", "b"]
