"""The parts of a page: tables, charts and notes as HTML, for a report and for a notebook.

Names of runs, topics and files are not ours: every text goes through `esc`.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.core.notes import Note
from assay.core.text import counted
from assay.render.cells import cells, is_number
from assay.render.escaping import safe

if TYPE_CHECKING:
    import polars as pl

    from assay.results.charts import Chart

OPEN, MOST = 15, 100  # rows of a table that are seen at once, and that a page holds at all
_WIDE = 64  # characters of a cell that may stand in one line
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

_TAG = re.compile(r"<[^>]*>")
_DIGITS = re.compile(r"(\.\d\d)\d+")
_SPARE = re.compile(r' (?:xmlns:xlink|version|font-family)="[^"]*"')
_ID = re.compile(r'(\bid="|url\(#)([^")]+)')


def esc(value: object) -> str:
    """Make text of a value that is safe between tags and between quotes."""
    return safe(str(value), "xml")


def in_script(value: Any) -> str:
    """Write data as JSON that cannot end the element it stands in."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


def bounded(table: pl.DataFrame, *, label: str, where: str) -> str:
    """Set a table for a page, its first rows at most; `where` says how to get those that are left out."""
    cut = f'<p class="cut"><span>{MOST} of {table.height:,} rows; </span>{where}</p>' if table.height > MOST else ""
    return f'<div class="scroll">{grid(table, label=label)}</div>{cut}'


def grid(table: pl.DataFrame, *, rows: int = MOST, label: str = "", still: bool = False) -> str:
    """Set a table; unless it is `still` it folds, and keeps all of a number that is shown shorter than it is."""
    shown_rows = table.head(rows)
    number = [is_number(table, name) for name in table.columns]
    aside = [' class="n"' if n else "" for n in number]
    head = "".join(f'<th scope="col"{c}>{esc(name)}</th>' for c, name in zip(aside, table.columns, strict=True))
    body = []
    for texts, values in zip(cells(shown_rows), shown_rows.iter_rows(), strict=True):
        whole = ("" if still else _exact(text, value) for text, value in zip(texts, values, strict=True))
        inner = (f"<td{c or _wrap(t)}{v}>{html.escape(t)}</td>" for c, v, t in zip(aside, whole, texts, strict=True))
        body.append(f"<tr>{''.join(inner)}</tr>")
    long = shown_rows.height > OPEN and not still
    kind = ' class="long"' if long else ""
    name = f' aria-label="{esc(label)}"' if label else ""
    cut = f' data-of="{table.height:,}"' if table.height > rows else ""
    fold = (
        f"<caption>{OPEN} of {table.height:,} rows</caption>" if long else ""
    )  # seen in print, where rows stay folded
    head = f"{fold}<thead><tr>{head}</tr></thead>"
    return f"<table{kind}{name}{cut}>{head}<tbody>\n{chr(10).join(body)}\n</tbody></table>"


def _wrap(text: str) -> str:
    """Let long words break."""
    return ' class="w"' if len(text) > _WIDE else ""


def _exact(text: str, value: object) -> str:
    """Keep a value beside its text where the text is not all of it, as a CSV file would have it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    whole = str(value).lower() if isinstance(value, bool) else safe(str(value), "csv")
    if whole == text or (isinstance(value, float) and math.isinf(value)):
        return ""
    return f' data-v="{html.escape(whole)}"'


def spec_for_page(chart: Chart) -> dict[str, Any]:
    """Make a chart's spec for a page, which has a title and a ground of its own; numbers as exact as can be seen."""
    spec = chart.spec()
    spec["config"] = {**spec["config"], "background": "transparent", "font": _FONT, "aria": False}
    del spec["title"], spec["$schema"]
    spec["data"] = {"values": [{k: _rounded(v) for k, v in row.items()} for row in spec["data"]["values"]]}
    return spec


def _rounded(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart, drawn."""

    svg: str
    width: int
    height: int


def picture(spec: dict[str, Any], key: str) -> Picture:
    """Draw a spec; `key` makes the ids in it unique on a page."""
    import vl_convert

    svg = str(vl_convert.vegalite_to_svg(spec))
    return Picture(lean(svg, key), *_size(svg))


def lean(svg: str, key: str) -> str:
    """Shorten numbers to what can be seen, and make ids the chart's own, the same whenever it is drawn."""
    ids: dict[str, int] = {}

    def own(match: re.Match[str]) -> str:
        return f"{match[1]}{key}-{ids.setdefault(match[2], len(ids))}"

    def shortened(tag: re.Match[str]) -> str:
        short = _DIGITS.sub(r"\1", tag[0])
        return _ID.sub(own, _SPARE.sub("", short))

    return _TAG.sub(shortened, svg)


def _size(svg: str) -> tuple[int, int]:
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    return (round(float(size[1])), round(float(size[2]))) if size else (0, 0)


def text_of_size(table: pl.DataFrame) -> str:
    """Say how many rows a table has."""
    return counted(table.height, "row")


def notes_list(notes: Sequence[Note]) -> str:
    """List what to beware of."""
    items = "".join(f'<li class="{note.severity}">{esc(note.text)}</li>' for note in notes)
    return f'<ul class="notes" aria-label="Beware">{items}</ul>' if notes else ""
