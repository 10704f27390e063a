"""One section of a page: the question, the charts, the tables, what to beware of, how it was computed."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.data.provenance import Basis
from assay.render.docstrings import Documentation, documentation
from assay.render.html import Picture, bounded, esc, in_script, notes_list, picture, spec_for_page, text_of_size
from assay.render.pictures import slug
from assay.render.screen import fact
from assay.render.text import prose
from assay.results.charts import Chart
from assay.results.result import Part, Result

if TYPE_CHECKING:
    import polars as pl

ALL_ROWS = "all of them with -o FILE.csv"
_BRIEFLY = {"runs": "runs", "topics": "topics", "common_topics": "common to all runs"}
_BRIEFLY |= {"topics_left_out": "left out, which some run lacks", "measures": "measures"}
_BRIEFLY |= {"judged": "judged documents", "relevant": "of them relevant"}
_TALL = 1250  # pixels; a chart higher than this is folded


def section_id(name: str) -> str:
    """Name a section in links; the page's own names begin with page-."""
    return f"s-{slug(name)}" if slug(name).startswith("page") else slug(name)


def section(part: Part, *, where: str) -> str:
    """Set one section; `where` says how to get the rows that the page leaves out."""
    return "\n".join(_section(part, where))


def _section(part: Part, where: str) -> Iterator[str]:
    own, result, about = section_id(part.name), part.result, documentation(part.name)
    if result is None:
        return
    yield f'<section class="part" id="{own}" aria-labelledby="{own}-title">'
    yield f'<h2 id="{own}-title"><span class="name">{esc(part.name)}</span> {esc(part.question)}</h2>'
    yield lead(about)
    if part.sentences:
        yield f'<ul class="sentences">{"".join(f"<li>{esc(one.text)}</li>" for one in part.sentences)}</ul>'
    elif result.text:  # which may say the same
        yield f'<pre class="prose">{html.escape(prose(result.text))}</pre>'
    spoken = {one.name for one in part.sentences}
    yield notes_list([note for note in result.notes if note.code not in spoken])
    for i, chart in enumerate(result.charts):
        yield chart_figure(chart, f"{own}-{slug(chart.name)}-{i}", f"{part.name}-{chart.name}")
    yield from _tables(part, result, about, where)
    yield from how(result, about)
    yield command(part.command)
    yield "</section>"


def lead(about: Documentation) -> str:
    """Say what an analysis is about, as its docstring does first."""
    return f'<p class="lead">{_marked(about.prose[0])}</p>' if about.prose else ""


def chart_figure(chart: Chart, key: str, name: str) -> str:
    """Set a chart: a still picture, which scripts replace by a live one from the spec beside it."""
    spec = spec_for_page(chart)
    still = picture(spec, key)
    inner = figure(chart, spec, name, still)
    if still.height <= _TALL:
        return inner
    return f"<details><summary>{esc(chart.title)} <small>large</small></summary>{inner}</details>"


def figure(
    chart: Chart, spec: Mapping[str, Any], name: str, still: Picture | None = None, *, left_out: str = ""
) -> str:
    """Set a chart that scripts draw when it comes into view; before, a still picture, or what it shows in words."""
    size, inner = (f' style="--w:{still.width}px"', still.svg) if still else ("", f"<p>{esc(chart.alt)}</p>")
    box = f'<div class="canvas" role="img" aria-label="{esc(chart.alt)}"{size}>{inner}</div>'
    data = f'<script type="application/json">{in_script(spec)}</script>'
    caption = f"<figcaption>{esc(chart.title)}{f' ({left_out})' if left_out else ''}</figcaption>"
    return f'<figure class="chart" data-name="{slug(name)}">{caption}{box}{data}</figure>'


def _tables(part: Part, result: Result, about: Documentation, where: str) -> Iterator[str]:
    """Set the tables: those that stand open first, then the answer, then the others, folded."""
    shown = [name for name in part.shown if name in result.tables]
    for name in shown:
        head = f"<h3>{esc(name)}</h3>"
        yield table_block(name, result.tables[name], part.name, head, about.tables.get(name, ""), where)
    yield table_block("", result.table, part.name, f"<h3>{esc(part.name)}</h3>", "", where)
    for name, table in result.tables.items():
        if name not in shown:
            yield folded_table(name, table, part.name, about.tables.get(name, ""), where)


def folded_table(name: str, table: pl.DataFrame, of: str, says: str, where: str) -> str:
    """Set a table that opens when asked for; its name and size are seen."""
    title = f"<h3>{esc(name or of)}</h3> <small>{text_of_size(table)}</small>"
    return f"<details><summary>{title}</summary>{table_block(name, table, of, '', says, where)}</details>"


def table_block(name: str, table: pl.DataFrame, of: str, head: str, says: str, where: str) -> str:
    """Set a table of the analysis that it is `of`, below what is said of it."""
    about = f'<p class="about">{_marked(says)}</p>' if says else ""
    return f'<div class="table">{head}{about}{bounded(table, label=table_label(of, name), where=where)}</div>'


def table_label(of: str, name: str) -> str:
    """Name a table for those who do not see where it stands."""
    return f"{of}, {name}" if name else of


def how(result: Result, about: Documentation) -> Iterator[str]:
    """Say how it was computed, in the words of the analysis and by its settings; folded."""
    yield '<details class="how"><summary>How it was computed</summary>'
    yield from (_paragraph(text) for text in (*about.prose[1:], *about.notes))
    if about.columns:
        yield "<h3>Columns</h3>" + _items({name: _marked(text) for name, text in about.columns})
    if about_data := result.basis.to_dict():
        yield "<h3>Data</h3>" + terms(about_data)
    if result.settings:
        yield "<h3>Settings</h3>" + terms(result.settings)
    if about.references:
        yield f"<h3>References</h3>{_paragraph(about.references)}"
    yield "</details>"


def command(words: str) -> str:
    """Show a command line, to be copied."""
    return f'<div class="command"><pre><code>{esc(words)}</code></pre></div>' if words else ""


def terms(facts: Mapping[str, Any]) -> str:
    """List names and what they stand for."""
    return _items({name.replace("_", " "): esc(fact(value)) for name, value in facts.items()})


def _items(rows: Mapping[str, str]) -> str:
    inner = "".join(f"<dt>{esc(name)}</dt><dd>{text}</dd>" for name, text in rows.items())
    return f'<dl class="terms">{inner}</dl>' if rows else ""


def facts(basis: Basis) -> str:
    """Say in a few words what data a result rests on; all that is known of it stands with how it was computed.

    >>> facts(Basis(runs=129, topics=50, order="by score"))
    '129 runs, 50 topics'
    """
    known = basis.to_dict()
    return ", ".join(f"{fact(known[name])} {word}" for name, word in _BRIEFLY.items() if name in known)


def _paragraph(text: str) -> str:
    """Set a paragraph of a docstring; lines that are set in keep their places."""
    if re.search(r"\n {2,}\S", text):
        return f"<pre>{html.escape(prose(text))}</pre>"
    return f"<p>{_marked(text)}</p>"


def _marked(text: str) -> str:
    """Escape prose of a docstring, and set what stands between backticks as code."""
    return re.sub(r"`+([^`]+)`+", r"<code>\1</code>", esc(" ".join(text.split())))
