"""Charts made small enough for a card: fewer panels and rows, legends above, and a word on what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Spec = dict[str, Any]

_PANELS, _ROWS = 3, 10  # that a card has room for
_SIZE = {"width": 400, "height": 130}  # pixels of one drawing
_PANEL = {"width": 120, "height": 90}  # and of one among several
_TICKS = 3  # of an axis of a panel
_STEP = 17  # from one row to the next
_LEGENDS = ("color", "fill", "stroke", "shape", "strokeDash")  # directions that have one
_APART = 8  # and at least from one label of an axis to the next
_BESIDE = 20  # letters of the title of a legend that may stand beside it


def small(spec: Spec) -> tuple[Spec, str]:
    """Make a spec small; what is left out is said."""
    legend = {
        **spec["config"]["legend"],
        "orient": "top",
        "columns": 4,
        "gradientThickness": 8,
        "titleOrient": "left" if max(map(len, _legend_titles(spec)), default=0) <= _BESIDE else "top",
    }
    axis = {**spec["config"]["axis"], "labelSeparation": _APART}
    spec = _without_overlaps({**spec, "config": {**spec["config"], "legend": legend, "axis": axis}})
    if "facet" not in spec:
        return _fewer_rows(spec | _sized(spec, _SIZE), spec)
    several = spec["facet"].get("field") is None or len(_values(spec, spec["facet"]["field"])) > 1
    inner = spec["spec"] | _sized(spec["spec"], _PANEL if several else _SIZE)
    inner = _fewer_ticks(inner) if several else inner
    return _fewer_panels({**spec, "spec": inner}) if several else _fewer_rows({**spec, "spec": inner}, inner)


def _legend_titles(value: Any) -> list[str]:
    """The titles of all that may have a legend."""
    if isinstance(value, list):
        return [title for inner in value for title in _legend_titles(inner)]
    if not isinstance(value, Mapping):
        return []
    own = [
        value[name]["title"] for name in _LEGENDS if isinstance(value.get(name), Mapping) and "title" in value[name]
    ]
    inner = (one for name, one in value.items() if name not in ("data", "config"))
    return [str(title or "") for title in own] + [title for one in inner for title in _legend_titles(one)]


def _without_overlaps(value: Any) -> Any:
    """Leave out labels of axes that have no room, where a drawing of full size has room for all."""
    if isinstance(value, dict):
        return {
            k: True if k == "labelOverlap" else v if k == "data" else _without_overlaps(v) for k, v in value.items()
        }
    return [_without_overlaps(inner) for inner in value] if isinstance(value, list) else value


def _fewer_ticks(value: Any) -> Any:
    """Ask for no more ticks than a panel has room for."""
    if isinstance(value, dict):
        return {
            k: min(v, _TICKS) if k == "tickCount" and isinstance(v, int) else _fewer_ticks(v)
            for k, v in value.items()
        }
    return [_fewer_ticks(inner) for inner in value] if isinstance(value, list) else value


def _sized(drawing: Mapping[str, Any], size: Mapping[str, int]) -> Spec:
    """The size of a drawing: as given where it is in pixels, rows closer together where it is in rows."""
    fixed = {side: pixels for side, pixels in size.items() if isinstance(drawing.get(side), int)}
    return fixed | ({"height": {"step": _STEP}} if isinstance(drawing.get("height"), dict) else {})


def _values(spec: Spec, field: str) -> list[Any]:
    return list(dict.fromkeys(row.get(field) for row in spec["data"]["values"]))


def _only(spec: Spec, field: str, most: int, what: str) -> tuple[Spec, str]:
    """Keep the first values of a field, and the rows of data that have them."""
    every = _values(spec, field)
    if len(every) <= most:
        return spec, ""
    rows = [row for row in spec["data"]["values"] if row.get(field) in every[:most]]
    return {**spec, "data": {"values": rows}}, f"{most} of {len(every)} {what}"


def _fewer_panels(spec: Spec) -> tuple[Spec, str]:
    field = spec["facet"].get("field")
    return _only({**spec, "columns": _PANELS}, field, _PANELS, "panels") if field else (spec, "")


def _fewer_rows(spec: Spec, drawing: Mapping[str, Any]) -> tuple[Spec, str]:
    """Keep the first rows of a drawing that is as high as it has rows."""
    encodings = [one.get("encoding", {}) for one in (drawing, *drawing.get("layer", ()))]
    field = next((of["y"]["field"] for of in encodings if "field" in of.get("y", {})), None)
    return _only(spec, field, _ROWS, "rows") if field and isinstance(drawing.get("height"), dict) else (spec, "")
