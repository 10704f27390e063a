"""Charts as data: a Vega-Lite spec and the rows it draws, one for every medium.

A chart holds at most 2,000 rows; whoever makes a longer one thins it first. Colours are Okabe and Ito's, which
people with colour-blindness can distinguish, with grey and wine in place of a yellow that paper swallows; shapes and
dashes repeat what colours say, for print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.text import capital, visible

MAX_ROWS = 2000
MAX_RUNS = 40  # that a picture of runs, one below the other, has room for
FEW_PAIRS = 45  # pairs of runs that are shown one by one, and with all their p-values: those of ten runs
_NEAR = 0.15  # the p-values of interest where there are more
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999", "#882255")
INK, FAINT, GRID = "#1F2328", "#59636E", "#D8DEE4"  # words, axes, lines behind; a page swaps them for the dark
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

Spec = dict[str, Any]

_BREAK = re.compile("([(@])")  # before which the name of a measure may go on in a new line
_UPRIGHT = f"split(replace(datum.label, regexp('{_BREAK.pattern}', 'g'), ' $1'), ' ')"
_CELL, _WIDEST, _LETTER = 44, 180, 7  # pixels of a column of a matrix, at least and at most, and of a letter


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of a table: its name, what it says in a sentence, and how it is drawn."""

    name: str
    title: str
    table: pl.DataFrame
    drawing: Mapping[str, Any]  # a Vega-Lite spec without data
    description: str = ""  # what is drawn, for those who do not see it; read off the drawing where empty

    def __post_init__(self) -> None:
        """Refuse more rows than a page can carry."""
        if self.table.height > MAX_ROWS:
            raise ValueError(f"chart {self.name}: {self.table.height} rows, more than {MAX_ROWS}")

    def spec(self) -> Spec:
        """Return the whole Vega-Lite spec, data and all; what cannot be seen in a name is spelled out."""
        from assay.results.direct_labels import labelled

        rows = self.table.with_columns(pl.selectors.float().fill_nan(None)).to_dicts()
        head = {"$schema": SCHEMA, "title": self.title, "description": self.alt}
        return _visible({**head, "data": {"values": rows}, "config": THEME, **labelled(self.drawing, self.table)})

    @property
    def alt(self) -> str:
        """Say what is drawn, for those who do not see it."""
        return f"{self.title}. {self.description or _described(self.drawing)}".strip()

    def _repr_html_(self) -> str:
        from assay.render.notebook import figure

        return figure(self)


def _visible(value: Any) -> Any:
    """Spell out what cannot be seen in every text of a spec: a picture cannot hold it."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(str(name)): _visible(inner) for name, inner in value.items()}
    return [_visible(inner) for inner in value] if isinstance(value, list | tuple) else value


def _described(drawing: Mapping[str, Any]) -> str:
    """Describe a drawing by its directions."""
    encodings = list(_units(drawing))
    panels = len(drawing.get("concat", ()))
    if not encodings:
        return ""
    shown = {side: encodings[0][side].get("title") or encodings[0][side].get("field") for side in ("x", "y")}
    colours = [c for unit in encodings if isinstance(c := unit.get("color"), Mapping) and "field" in c]
    text = f"{shown['y']} against {shown['x']}"
    text += f", by {colours[0].get('title') or colours[0]['field']}" if colours else ""
    text += f"; {panels} panels" if panels else ""
    return f"{capital(text)}."


def _units(drawing: Mapping[str, Any]) -> Iterator[Spec]:
    """Find the encodings in a drawing that have both directions."""
    encoding = drawing.get("encoding", {})
    if {"x", "y"} <= set(encoding) and all("field" in encoding[side] for side in ("x", "y")):
        yield encoding
    for inner in (drawing.get("spec"), *drawing.get("layer", ()), *drawing.get("concat", ())):
        if inner:
            yield from _units(inner)


_WORDS: Spec = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
_WORDS |= {"labelColor": INK, "titleColor": INK}

THEME: Spec = {
    "background": "white",
    "font": "sans-serif",
    "title": {"anchor": "start", "fontSize": 14, "fontWeight": "normal", "color": INK, "offset": 12},
    "axis": {
        **_WORDS,
        "labelLimit": 260,
        "labelSeparation": 4,
        "gridColor": GRID,
        "domainColor": FAINT,
        "tickColor": FAINT,
        "titlePadding": 8,
    },
    "header": _WORDS,
    "legend": {**_WORDS, "symbolStrokeWidth": 2, "labelLimit": 260, "titleLimit": 400},
    "range": {"category": list(COLOURS)},
    "view": {"stroke": "transparent"},
    "mark": {"color": COLOURS[0]},
    "rule": {"color": INK},
    "text": {"color": INK},
}


def thin(table: pl.DataFrame, *, by: Sequence[str], rows: int = MAX_ROWS) -> pl.DataFrame:
    """Keep evenly spaced rows of each group, the first and the last among them, so that a chart can hold them."""
    if table.height <= rows:
        return table
    parts = table.partition_by(list(by), maintain_order=True) if by else [table]
    each = max(2, rows // len(parts))
    thinned = [part[np.unique(np.linspace(0, part.height - 1, each).round().astype(np.int64))] for part in parts]
    return pl.concat(thinned)


def field(name: str, *, title: str | None = None, kind: str = "quantitative", **more: Any) -> Spec:
    """Say which column a direction of the picture shows."""
    return {"field": name, "type": kind, "title": title or name.replace("_", " "), **more}


def category(name: str, order: Sequence[str] | None = None, **more: Any) -> Spec:
    """Say which column of words a direction of the picture shows, in which order."""
    return field(name, kind="nominal", sort=list(order) if order is not None else None, **more)


def brought_out(colour: Spec, opacity: float = 1.0) -> tuple[list[Spec], Spec]:
    """Let a click on the legend bring series out: the parameter, and the opacity that follows it."""
    chosen = {"type": "point", "fields": [colour["field"]], "toggle": "true"}
    condition = {"param": "chosen", "value": opacity}
    return [{"name": "chosen", "select": chosen, "bind": "legend"}], {"condition": condition, "value": opacity / 8}


def still(spec: Any) -> Any:
    """Take out of a spec what answers to the legend: Altair moves such parameters to where Vega-Lite refuses them."""
    if isinstance(spec, list):
        return [still(inner) for inner in spec]
    if not isinstance(spec, dict):
        return spec
    if "param" in spec.get("condition", {}):
        return {"value": spec["condition"]["value"]}
    return {name: still(inner) for name, inner in spec.items() if name != "params"}


def lines(x: Spec, y: Spec, colour: Spec, *, band: tuple[str, str] | None = None, points: bool = False) -> Spec:
    """Draw a line for every colour, with a band between two columns; a click on the legend brings lines out."""
    colour, dash = _alike(colour)
    params, opacity = brought_out(colour)
    layers: list[Spec] = []
    if band:
        area = {"x": x, "y": {**y, "field": band[0]}, "y2": {"field": band[1]}, "fill": colour}
        area["opacity"] = brought_out(colour, 0.15)[1]
        layers.append({"mark": {"type": "area"}, "encoding": area})
    encoding = {"x": x, "y": y, "color": colour, "strokeDash": dash, "opacity": opacity}
    mark = {"type": "line", "point": points, "tooltip": True}
    layers.append({"mark": mark, "encoding": encoding, "params": params})
    return {"layer": layers, "width": 480, "height": 300}


def _alike(colour: Spec) -> tuple[Spec, Spec]:
    """Say for colours and for dashes what belongs to which; Vega-Lite makes one legend of equal domains only."""
    scale, legend = colour.get("scale") or {}, colour.get("legend", {})
    same = {"domain": domain} if (domain := scale.get("domain") or colour.get("sort")) else {}
    shown = {
        "legend": None
        if legend is None
        else {"symbolType": "stroke", "symbolSize": 250, "symbolOpacity": 1, **legend}
    }
    return {**colour, **shown, "scale": {**scale, **same}}, {**colour, **shown, "scale": same}


def intervals(x: Spec, y: Spec, *, low: str, high: str) -> Spec:
    """Draw a dot and its interval for every row, one below the other."""
    rule = {"mark": {"type": "rule"}, "encoding": {"y": y, "x": {**x, "field": low}, "x2": {"field": high}}}
    dot = {
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "tooltip": True},
        "encoding": {"y": y, "x": x},
    }
    return {"layer": [rule, dot], "width": 480, "height": {"step": 22}}


def upright_labels(names: Sequence[str]) -> tuple[Spec, int]:
    """Let names of columns stand upright, in lines; return the axis that does, and the pixels that a column needs.

    >>> upright_labels(["P@10", "RBP(p=0.95)"])[1]
    64
    """
    pieces = [piece for name in names for piece in _BREAK.sub(r" \1", name).split(" ")]
    widest = max(map(len, pieces), default=0)
    return {"labelAngle": 0, "labelExpr": _UPRIGHT}, max(_CELL, min(round(_LETTER * widest) + 8, _WIDEST))


def heat(x: Spec, y: Spec, value: Spec, *, low: float = 0.0, high: float = 1.0, form: str = ".2f") -> Spec:
    """Draw a matrix with a colour and a number in every cell; colours run from low (dark) to high."""
    x, y = ({**side, "axis": {**side.get("axis", {}), "grid": False}} for side in (x, y))
    upright, step = upright_labels(x.get("sort") or ())
    x["axis"] |= upright
    colour = {**value, "scale": {"scheme": "viridis", "domain": [low, high]}}
    text = {**value, "format": form}
    bright = f"datum['{value['field']}'] > {low + 0.45 * (high - low):.6g}"
    middle = {"condition": {"test": bright, "value": "black"}, "value": "white"}
    cells = {"mark": {"type": "rect", "tooltip": True}, "encoding": {"x": x, "y": y, "color": colour}}
    numbers = {"mark": {"type": "text", "fontSize": 10}, "encoding": {"x": x, "y": y, "text": text, "color": middle}}
    return {"layer": [cells, numbers], "width": {"step": step}, "height": {"step": 24}}


def scatter(x: Spec, y: Spec, *, colour: Spec | None = None, tooltip: Sequence[str] = ()) -> Spec:
    """Draw a point for every row; with colours, a click on the legend brings points out."""
    if colour and colour.get("sort"):  # Vega-Lite makes one legend of equal domains only
        colour = {**colour, "scale": {**colour.get("scale", {}), "domain": colour["sort"]}}
    encoding: Spec = {"x": x, "y": y} | ({"color": colour, "shape": colour} if colour else {})
    if tooltip:
        encoding["tooltip"] = [{"field": name} for name in tooltip]
    mark: Spec = {"type": "point", "filled": True, "size": 36}
    drawing: Spec = {"mark": mark, "encoding": encoding, "width": 300, "height": 300}
    if colour is None:
        mark["opacity"] = 0.7
    else:
        drawing["params"], encoding["opacity"] = brought_out(colour, 0.7)
    return drawing


def reference_line(drawing: Spec, at: float) -> Spec:
    """Add a dotted line across a drawing of layers, at the height that is asked for."""
    line = {"mark": {"type": "rule", "strokeDash": [2, 3]}, "encoding": {"y": {"datum": at}}}
    return {**drawing, "layer": [*drawing["layer"], line]}


def run_means(table: pl.DataFrame, *, x: Spec, level: float, how: str = "", lower: bool = False) -> Chart:
    """Draw the means and intervals of the runs that are best by the first measure of a table.

    `table` has run, measure, mean, low and high; `how` says what was done to the scores, `lower` whether the lowest
    is best.
    """
    measure = table["measure"][0]
    means = table.filter(pl.col("measure") == measure).with_columns(pl.selectors.float().fill_nan(None))
    best = means.sort("mean", descending=not lower, nulls_last=True, maintain_order=True).head(MAX_RUNS)
    x = {**x, "title": f"{x['title']} (lower is better)"} if lower else x
    y = category("run", best["run"].to_list(), axis={"title": None})
    which = f"the best {MAX_RUNS} runs" if means.height > MAX_RUNS else "the runs"
    title = f"{measure} of {which}{how}, with {level:.0%} intervals over topics"
    return Chart("runs", title, best, intervals(x, y, low="low", high="high"))


def significance_levels(p: Mapping[str, Array], *, by: str) -> pl.DataFrame:
    """Lay the p-values of all pairs of runs out, largest first: `by` (what each is of, such as measure), pair, p."""
    parts = [
        pl.DataFrame({"pair": np.arange(1, x.size + 1), "p": np.sort(x)[::-1]}).with_columns(pl.lit(name).alias(by))
        for name, x in p.items()
    ]
    return pl.concat(parts).select(by, "pair", "p")


def asl_chart(levels: pl.DataFrame, *, by: str, pairs: str = "pairs of runs", alpha: float | None = None) -> Chart:
    """Draw achieved significance levels by falling p, as sakai2006 does: a curve further left separates more.

    `levels` is what `significance_levels` lays out, `pairs` says which pairs these are. A dotted line shows alpha,
    where it is given.
    """
    n_pairs = int(levels["pair"].max() or 0)  # type: ignore[arg-type]
    near = max(_NEAR, 1.5 * (alpha or 0.0))
    most = near if n_pairs > FEW_PAIRS and (levels["p"] <= near).any() else 1.0
    y = field("p", title="achieved significance level (p)", scale={"domain": [0, most], "nice": False})
    x = field("pair", title=f"{pairs}, by falling p", scale={"domain": [0, n_pairs], "nice": False})
    curves = lines(x, y, category(by, levels[by].unique(maintain_order=True).to_list()))
    shown = thin(levels.filter(pl.col("p") <= most), by=[by])
    if alpha is None:
        return Chart("asl", f"Achieved significance levels of {pairs}", shown, curves)
    title = f"Achieved significance levels of all {pairs}; dotted: alpha = {alpha:g}"
    return Chart("asl", title, shown, reference_line(curves, alpha))
