"""Results and charts in a notebook: the answer open, the evidence folded, nothing that needs a script."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING
from zlib import crc32

from assay.render import verdict
from assay.render.html import esc, grid, lean, notes_list
from assay.render.screen import heading
from assay.render.text import prose
from assay.results.result import Part, Report, Result
from assay.results.sentences import STANDING

if TYPE_CHECKING:
    import polars as pl

    from assay.results.charts import Chart

_ANSWER, _EVIDENCE = 60, 20  # rows that are shown of a table

_STYLE = """<style>
.assay { font: 14px/1.45 system-ui, sans-serif; max-width: 72rem; }
.assay .basis { opacity: .75; margin: .2em 0; }
.assay pre { white-space: pre-wrap; font: inherit; background: none; color: inherit; margin: .6em 0; }
.assay .scroll { overflow-x: auto; }
.assay table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6em 0; }
.assay th, .assay td { padding: .2em .7em; text-align: left; border-bottom: 1px solid #8884; white-space: nowrap; }
.assay .n { text-align: right; }
.assay ol, .assay ul { padding-left: 1.4em; margin: .6em 0; }
.assay details > :not(summary) { margin-left: 1em; }
.assay .notes { list-style: none; padding-left: 0; opacity: .85; }
.assay .notes .warning { font-weight: 600; }
.assay summary { cursor: pointer; margin: .2em 0; }
.assay figure { margin: .8em 0; overflow-x: auto; }
.assay figure svg { background: #fff; overflow: visible; }
</style>"""


def fragment(result: Result) -> str:
    """Show a result: its data, its charts as still pictures, its table and its notes; the evidence is folded."""
    return f'{_STYLE}<div class="assay">{"".join(_pieces(result))}</div>'


def figure(chart: Chart) -> str:
    """Show a chart as a still picture."""
    return f'{_STYLE}<div class="assay">{_picture(chart)}</div>'


def _pieces(result: Result) -> Iterator[str]:
    yield from (f'<p class="basis">{esc(line)}</p>' for line in heading(result))
    yield from _report(result) if isinstance(result, Report) else _answer(result)


def _report(report: Report) -> Iterator[str]:
    """Show the verdict, and every section folded."""
    rows = verdict.statements(report, "decided")
    sentences = (esc(verdict.said(row)) + (f" [{esc(row['section'])}]" if row["section"] else "") for row in rows)
    yield f"<ol>{''.join(f'<li>{text}</li>' for text in sentences)}</ol>"
    gathered = {verdict.INCONCLUSIVE: verdict.inconclusive(report), verdict.BEWARE: verdict.caveats(report)}
    yield from (f"<p><b>{title}:</b> {esc(text)}.</p>" for title, text in gathered.items() if text)
    yield f"<p>{esc(STANDING)}</p>"
    yield notes_list(report.notes)
    yield from map(_section, report.parts)


def _section(part: Part) -> str:
    if part.result is None:
        return f"<p>{esc(part.name)}: left out; {esc(part.why_not)}</p>"
    sentences = "".join(f"<li>{esc(one.text)}</li>" for one in part.sentences)
    inner = "".join([f"<ul>{sentences}</ul>" if sentences else "", *_answer(part.result, of=part.name)])
    return _folded(f"<b>{esc(part.name)}</b> {esc(part.question)}", inner)


def _answer(result: Result, *, of: str = "") -> Iterator[str]:
    """Show one answer with its evidence; `of` names the section that it is."""
    yield f"<pre>{html.escape(prose(result.text))}</pre>" if result.text else ""
    yield from map(_picture, result.charts)
    yield _table(result.table, _ANSWER, f".tables[{of!r}]" if of else ".table")
    yield notes_list(result.notes)
    for name, table in result.tables.items():
        size = f"{table.height:,} row{'s' if table.height != 1 else ''}"
        inner = _table(table, _EVIDENCE, f".tables[{(f'{of}.{name}' if of else name)!r}]")
        yield _folded(f"{esc(name)} <small>{size}</small>", inner)


def _table(table: pl.DataFrame, rows: int, where: str) -> str:
    cut = f"<p>{rows} of {table.height:,} rows; all of them in <code>{esc(where)}</code></p>"
    return f'<div class="scroll">{grid(table, rows=rows, still=True)}</div>{cut if table.height > rows else ""}'


def _folded(title: str, inner: str) -> str:
    return f"<details><summary>{title}</summary>{inner}</details>"


def _picture(chart: Chart) -> str:
    import vl_convert

    spec = chart.spec()
    spec["config"] = {**spec["config"], "aria": False}
    key = f"assay-{crc32(json.dumps(spec, default=str).encode()):x}"
    svg = lean(str(vl_convert.vegalite_to_svg(spec)), key)
    return f'<figure role="img" aria-label="{esc(chart.alt)}">{svg}</figure>'
