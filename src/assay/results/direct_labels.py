"""Names of lines where they end, in place of a legend: of few lines, whose ends are far enough apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

Spec = dict[str, Any]

MOST = 6  # lines that are named where they end
_LINE = 14  # pixels from one name to the next
_FAR = 30  # pixels that a name may stand from the end of its line
_LOWEST = 130  # pixels of a drawing where it is made small


def labelled(drawing: Mapping[str, Any], table: pl.DataFrame) -> Mapping[str, Any]:
    """Name the lines of a drawing where they end, if they are few and there is room; else keep the legend."""
    layers = drawing.get("layer", ())
    drawn = next((one for one in layers if _is_line(one)), None)
    height = drawing.get("height")
    if drawn is None or "data" in drawn or not isinstance(height, int):
        return drawing
    x, y, colour = (drawn["encoding"][side] for side in ("x", "y", "color"))
    ends = _ends(table, x["field"], y["field"], colour["field"])
    if not 1 < len(ends) <= MOST:
        return drawing
    low, high = _axis(table, layers)
    pixel = (high - low) / min(height, _LOWEST)
    places = _inside(_apart([float(end[y["field"]]) for end in ends], gap=_LINE * pixel), low, gap=_LINE * pixel)
    furthest = max(abs(float(end[y["field"]]) - at) for end, at in zip(ends, places, strict=True))
    if pixel == 0 or furthest > _FAR * pixel:
        return drawing
    rows = [{**end, y["field"]: at} for end, at in zip(ends, places, strict=True)]
    names = {
        "data": {"values": rows},
        "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 12},
        "encoding": {"x": x, "y": y, "color": colour, "text": {"field": colour["field"]}},
    }
    return {**drawing, "layer": [*map(_without_legend, layers), _without_legend(names)]}


def _is_line(layer: Spec) -> bool:
    """Whether a layer draws lines in the colours of a legend."""
    mark, encoding = layer.get("mark"), layer.get("encoding", {})
    sides = [encoding.get(side, {}) for side in ("x", "y", "color")]
    is_drawn = isinstance(mark, Mapping) and mark.get("type") == "line"
    return is_drawn and all("field" in side for side in sides) and sides[2].get("legend", {}) is not None


def _ends(table: pl.DataFrame, x: str, y: str, name: str) -> list[dict[str, Any]]:
    """The last point of every line, the lowest first."""
    there = table.drop_nulls([x, y]).filter(table.drop_nulls([x, y])[y].is_not_nan())
    last = there.sort(x, maintain_order=True) if there[x].dtype.is_numeric() else there
    return last.group_by(name, maintain_order=True).last().sort(y).select(name, x, y).to_dicts()


def _axis(table: pl.DataFrame, layers: Sequence[Spec]) -> tuple[float, float]:
    """Where the axis begins and ends, about: what is drawn, bands too, with zero unless it is left out."""
    sides = [layer.get("encoding", {}).get(side, {}) for layer in layers for side in ("y", "y2")]
    scales = [side.get("scale") or {} for side in sides]
    if domain := next((scale["domain"] for scale in scales if "domain" in scale), None):
        return float(domain[0]), float(domain[1])
    fields = {side["field"] for side in sides if side.get("field") in table.columns}
    values = [float(x) for name in fields for x in table[name].drop_nulls().drop_nans()]
    values += [] if any(scale.get("zero") is False for scale in scales) else [0.0]
    return (min(values), max(values)) if values else (0.0, 0.0)


def _inside(places: Sequence[float], low: float, gap: float) -> list[float]:
    """Move rising places up that are below an axis, which would grow for them.

    >>> _inside([-1.0, 1.0, 9.0], 0.0, gap=2.0)
    [0.0, 2.0, 9.0]
    """
    return [max(place, low + i * gap) for i, place in enumerate(places)]


def _apart(places: Sequence[float], gap: float) -> list[float]:
    """Move rising places as little as it takes to have a gap between them, about where they were on average.

    >>> _apart([1.0, 1.0, 5.0], gap=2.0)
    [0.0, 2.0, 5.0]
    """
    groups = [[place, 1] for place in places]  # middles and sizes of names that stand gap by gap
    while any(_touch(a, b, gap) for a, b in pairwise(groups)):
        i = next(i for i, (a, b) in enumerate(pairwise(groups)) if _touch(a, b, gap))
        (m, n), (k, l) = groups[i : i + 2]
        groups[i : i + 2] = [[(m * n + k * l) / (n + l), n + l]]
    return [middle + gap * (j - (size - 1) / 2) for middle, size in groups for j in range(int(size))]


def _touch(a: Sequence[float], b: Sequence[float], gap: float) -> bool:
    return b[0] - a[0] < gap * (a[1] + b[1]) / 2 - 1e-9 * gap


def _without_legend(layer: Spec) -> Spec:
    """Take the legend away, and what answers to a click on it."""
    encoding = {
        side: {**of, "legend": None} if side in ("color", "fill", "strokeDash", "shape") and "field" in of else of
        for side, of in layer.get("encoding", {}).items()
    }
    if "param" in encoding.get("opacity", {}).get("condition", {}):
        encoding["opacity"] = {"value": encoding["opacity"]["condition"]["value"]}
    return {name: of for name, of in layer.items() if name != "params"} | {"encoding": encoding}
