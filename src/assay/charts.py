"""Charts as data: a Vega-Lite spec and the rows it draws, one for every medium.

A chart holds at most 2,000 rows; whoever makes a longer one thins it first. Colours are Okabe and Ito's, which
people with colour-blindness can tell apart; shapes and dashes repeat what colours say, for print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

MAX_ROWS = 2000
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

Spec = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of a table: its name, what it says in a sentence, and how it is drawn."""

    name: str
    title: str
    table: pl.DataFrame
    drawing: Mapping[str, Any]  # a Vega-Lite spec without data

    def __post_init__(self) -> None:
        """Refuse more rows than a page can carry."""
        if self.table.height > MAX_ROWS:
            raise ValueError(f"chart {self.name}: {self.table.height} rows, more than {MAX_ROWS}")

    def spec(self) -> Spec:
        """Return the whole Vega-Lite spec, data and all."""
        rows = self.table.with_columns(pl.selectors.float().fill_nan(None)).to_dicts()
        return {"$schema": SCHEMA, "title": self.title, "data": {"values": rows}, "config": THEME, **self.drawing}


THEME: Spec = {
    "background": "white",
    "font": "sans-serif",
    "title": {"anchor": "start", "fontSize": 13, "fontWeight": "normal"},
    "axis": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "grid": True, "gridOpacity": 0.4},
    "legend": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "symbolStrokeWidth": 2},
    "range": {"category": list(COLOURS)},
    "view": {"stroke": "transparent"},
}


def thin(table: pl.DataFrame, *, by: Sequence[str], rows: int = MAX_ROWS) -> pl.DataFrame:
    """Keep evenly spaced rows of each group, the first and the last among them, so that a chart can hold them."""
    if table.height <= rows:
        return table
    parts = table.partition_by(list(by), maintain_order=True) if by else [table]
    each = max(2, rows // len(parts))
    kept = [part[np.unique(np.linspace(0, part.height - 1, each).round().astype(np.int64))] for part in parts]
    return pl.concat(kept)


def field(name: str, *, title: str | None = None, kind: str = "quantitative", **more: Any) -> Spec:
    """Say which column a direction of the picture shows."""
    return {"field": name, "type": kind, "title": title or name.replace("_", " "), **more}


def category(name: str, order: Sequence[str] | None = None, **more: Any) -> Spec:
    """Say which column of words a direction of the picture shows, in which order."""
    return field(name, kind="nominal", sort=list(order) if order is not None else None, **more)


def lines(x: Spec, y: Spec, colour: Spec, *, band: tuple[str, str] | None = None, points: bool = False) -> Spec:
    """Draw a line for every colour, with a band between two columns."""
    encoding = {"x": x, "y": y, "color": colour}
    drawn: list[Spec] = []
    if band:
        area = {"x": x, "y": {**y, "field": band[0]}, "y2": {"field": band[1]}, "color": colour}
        drawn.append({"mark": {"type": "area", "opacity": 0.15}, "encoding": area})
    mark = {"type": "line", "point": points, "tooltip": True}
    drawn.append({"mark": mark, "encoding": {**encoding, "strokeDash": {**colour, "legend": None}}})
    return {"layer": drawn, "width": 420, "height": 280}


def intervals(x: Spec, y: Spec, *, low: str, high: str) -> Spec:
    """Draw a dot and its interval for every row, one below the other."""
    rule = {"mark": {"type": "rule"}, "encoding": {"y": y, "x": {**x, "field": low}, "x2": {"field": high}}}
    dot = {"mark": {"type": "point", "filled": True, "size": 50, "tooltip": True}, "encoding": {"y": y, "x": x}}
    return {"layer": [rule, dot], "width": 420, "height": {"step": 22}}


def heat(x: Spec, y: Spec, value: Spec, *, low: float = 0.0, high: float = 1.0) -> Spec:
    """Draw a matrix with a colour and a number in every cell; colours run from low (dark) to high."""
    x, y = ({**side, "axis": {**side.get("axis", {}), "grid": False}} for side in (x, y))
    colour = {**value, "scale": {"scheme": "viridis", "domain": [low, high]}}
    text = {**value, "format": ".2f"}
    bright = f"datum['{value['field']}'] > {low + 0.45 * (high - low):.6g}"
    middle = {"condition": {"test": bright, "value": "black"}, "value": "white"}
    cells = {"mark": {"type": "rect", "tooltip": True}, "encoding": {"x": x, "y": y, "color": colour}}
    numbers = {"mark": {"type": "text", "fontSize": 10}, "encoding": {"x": x, "y": y, "text": text, "color": middle}}
    return {"layer": [cells, numbers], "width": {"step": 46}, "height": {"step": 26}}


def scatter(x: Spec, y: Spec, *, colour: Spec | None = None, tooltip: Sequence[str] = ()) -> Spec:
    """Draw a point for every row."""
    encoding: Spec = {"x": x, "y": y} | ({"color": colour, "shape": colour} if colour else {})
    if tooltip:
        encoding["tooltip"] = [{"field": name} for name in tooltip]
    mark = {"type": "point", "filled": True, "size": 30, "opacity": 0.7}
    return {"mark": mark, "encoding": encoding, "width": 300, "height": 300}
