"""The grid of depths as figures 3 and 4 of webber2010 draw it."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.analyses.depth.grid import COLUMNS, Of
from assay.results.charts import Chart, Spec, category, field, thin

FULL = "full assessment"
_TITLES: dict[Of, str] = {
    "power": "Pairs of runs that are significantly different",
    "tau": "Agreement with the deepest cell",
    "reliability": "Stability of scores (Phi)",
}
_WIDTH, _DIGIT = 190, 6.5  # pixels of a panel, and of a digit below it
_RED, _LIGHT, _DARK = "#D40000", np.array([190.0, 215.0, 238.0]), np.array([0.0, 84.0, 150.0])
_NAME: Spec = {
    "transform": [{"aggregate": [{"op": "count", "as": "n"}], "groupby": ["measure"]}],
    "mark": {"type": "text", "align": "left", "baseline": "top", "fontSize": 10},
    "encoding": {"x": {"value": 4}, "y": {"value": 2}, "text": {"field": "measure"}},
}
"""The measure that a panel holds, in its corner."""


def depth_charts(table: pl.DataFrame, full: pl.DataFrame, forms: pl.DataFrame, of: Of) -> tuple[Chart, ...]:
    """Draw the grid as figures 3 and 4 of webber2010: a line for every pool depth, full assessment crossed.

    A row of panels is a family of measures, as `forms` says; each panel names the measure that it holds.
    """
    parts = [
        table.with_columns(line=pl.col("pool_depth").cast(pl.String)),
        full.with_columns(line=pl.lit(FULL)),
    ]
    rows = pl.concat(parts).join(forms.drop("computed"), on=["measure", "normalization"], how="left")
    up, across = "family", "normalization"
    if "width" in rows.columns:
        rows = rows.with_columns(form=pl.format("{}, {}", "measure", "normalization"))
        up, across = "form", "width"
    orders = {name: rows[name].unique(maintain_order=True).to_list() for name in (up, across)}
    if across == "normalization":
        orders[across] = forms[across].unique(maintain_order=True).to_list()
    rows = thin(rows, by=[up, across, "line"])
    heading = "pool width" if across == "width" else None
    facet = {
        "row": category(up, orders[up], header={"title": None, "labelFontSize": 11}),
        "column": category(across, orders[across], header={"title": heading, "labelFontSize": 11}),
    }
    depths, pool_depths = (table[name].unique().sort().to_list() for name in ("depth", "pool_depth"))
    named = [] if across == "width" else [_NAME]
    spec = {"layer": [*_layers(depths, pool_depths, of), *named], "width": _WIDTH, "height": 150}
    title = f"{_TITLES[of]}, by evaluation depth; a line for each pool depth"
    return (Chart("depth", title, rows, {"facet": facet, "spec": spec}),)


def _ticks(depths: list[int]) -> list[int]:
    """Choose the depths that a logarithmic axis has room to label: the last, and those far enough before the next.

    >>> _ticks([5, 10, 20, 50, 100, 200, 500, 1000])
    [5, 10, 20, 50, 100, 200, 1000]
    """
    span = np.log(max(depths[-1], depths[0] + 1) / depths[0])
    chosen = depths[-1:]
    for depth in reversed(depths[:-1]):
        room = _WIDTH * np.log(chosen[0] / depth) / span  # pixels between the middles of two labels
        if room > _DIGIT * (len(f"{depth:,}") + len(f"{chosen[0]:,}")) / 2 + 4:
            chosen.insert(0, depth)
    return chosen


def _layers(depths: list[int], pool_depths: list[int], of: Of) -> list[Spec]:
    """Draw the lines, light and thin for shallow pools; crosses on the line of full assessment."""
    shade = np.linspace(0, 1, len(pool_depths) + 1)[1:, None] * (_DARK - _LIGHT) + _LIGHT
    colours = [f"rgb({r:.0f},{g:.0f},{b:.0f})" for r, g, b in shade]
    logarithmic = {"type": "log", "domain": [depths[0], max(depths[-1], depths[0] + 1)], "nice": False}
    axis = {"values": _ticks(depths), "labelOverlap": False}
    x = field("depth", title="evaluation depth", scale=logarithmic, axis=axis)
    y = field("phi" if of == "reliability" else of, scale={"zero": False})
    names = [*map(str, pool_depths), FULL]
    colour = field("line", title="pool depth", kind="nominal", scale={"domain": names, "range": [*colours, _RED]})
    widths = [*np.linspace(1.2, 2.6, len(pool_depths)).tolist(), 1.6]
    width = field("line", title="pool depth", kind="ordinal", scale={"domain": names, "range": widths})
    shown = ["measure", "normalization", "pool_depth", "depth", *COLUMNS[of], "n_relevant"]
    side = {"x": x, "y": y, "tooltip": [{"field": name} for name in shown]}
    crosses = {"type": "point", "shape": "cross", "angle": 45, "size": 45, "filled": True, "color": _RED}
    return [
        {"mark": {"type": "line", "clip": True}, "encoding": {**side, "color": colour, "strokeWidth": width}},
        {"transform": [{"filter": f"datum.line === '{FULL}'"}], "mark": crosses, "encoding": side},
    ]
