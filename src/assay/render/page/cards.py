"""The third layer of a report: a card for each analysis, with its one telling chart and its small table.

All else that an analysis has to show opens on demand. It stands in a `noscript`, which is text for a browser that
runs scripts: the page's script makes it when its card opens, so that a page of fifty thousand cells is there at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.core.text import counted
from assay.render.cells import is_number
from assay.render.docstrings import documentation
from assay.render.html import Picture, esc, grid, notes_list, picture, spec_for_page
from assay.render.page.decide import said
from assay.render.page.glossary import glossed
from assay.render.page.sections import (
    command,
    figure,
    folded_table,
    how,
    lead,
    section_id,
    table_block,
    table_label,
)
from assay.render.page.small import small
from assay.render.screen import narrowed
from assay.results.result import Part, Result
from assay.results.sentences import Sentence, beside

if TYPE_CHECKING:
    import polars as pl

    from assay.core.notes import Note
    from assay.results.charts import Chart

_ROWS = 8  # of a table on a card
_BELOW = 4  # and below a chart
_ROOM, _ALONE, _BESIDE = 57, 49, 42  # characters of its rows below a chart, beside a small one, beside a wide one
_GAP = 2  # characters between its columns
_SENTENCES = 2  # that stand open
_HIGH = 370  # pixels of a chart that a card has room for
_ONE, _BOTH = 500, 700  # of a chart in one column, and where it has both
_WIDE = 660  # of a chart that needs both


def shows_something(part: Part) -> bool:
    """Whether an analysis was asked and gave rows, a chart or a sentence."""
    return part.result is not None and bool(part.result.table.height or part.result.charts or part.sentences)


def card(part: Part, result: Result, *, said_above: Collection[str], where: str, alone: bool = False) -> str:
    """Set one card, which may stand `alone` in its row.

    Notes whose texts were `said_above` are not repeated; `where` tells of rows that are left out.
    """
    return "\n".join(_card(part, result, said_above, where, alone=alone))


@dataclass(frozen=True, slots=True)
class _Telling:
    """The chart on a card: its small spec, how it is drawn, and what was left out of it."""

    chart: Chart
    spec: dict[str, Any]
    still: Picture
    left_out: str

    @property
    def wide(self) -> bool:
        """Whether it needs both columns."""
        return self.still.width > _WIDE

    @property
    def fits(self) -> bool:
        """Whether a card has room for it, as large as it is shown there."""
        return self.still.height * min(1, (_BOTH if self.wide else _ONE) / max(1, self.still.width)) <= _HIGH


def _card(part: Part, result: Result, said_above: Collection[str], where: str, *, alone: bool) -> Iterator[str]:
    own, telling = section_id(part.name), None if part.brief else _telling(part, result)
    kind = "card brief" if part.brief else "card wide" if telling and telling.wide else "card"
    yield f'<section class="{kind}" id="{own}" aria-labelledby="{own}-title">'
    yield f'<h3 id="{own}-title"><span class="name">{esc(part.name)}</span> {esc(part.question)}</h3>'
    yield from map(_sentence, part.sentences[:_SENTENCES])
    spoken = {one.name for one in part.sentences}
    notes = [note for note in result.notes if note.code not in spoken]
    loud = [note for note in notes if _is_loud(note, part, result) and note.text not in said_above]
    yield notes_list(loud)
    small_table, rows = None if part.brief else _small(part, result), _BELOW if telling else _ROWS
    room = _BESIDE if telling and telling.wide else _ALONE if telling and alone else _ROOM
    if small_table is not None:
        yield f'<div class="evidence">{_figure(part, telling)}'
        yield f"{_head_of(part, result, small_table, where, rows, room)}</div>"
    yield '<details class="all"><summary>All tables, charts, settings, command</summary><noscript>'
    yield lead(documentation(part.name))
    yield from map(_sentence, part.sentences[_SENTENCES:])
    yield notes_list([note for note in notes if note not in loud])
    for chart in result.charts:
        if telling is None or chart is not telling.chart or telling.left_out:
            yield figure(chart, spec_for_page(chart), f"{part.name}-{chart.name}")
    yield from _tables(part, result, small_table, where, rows, room)
    yield from how(result, documentation(part.name))
    yield f"{command(part.command)}</noscript></details></section>"


def _is_loud(note: Note, part: Part, result: Result) -> bool:
    """Whether a card says it at once: what limits the conclusions, unless it is about tables that are folded."""
    name = _small(part, result)
    folded = result.tables.keys() - {name}
    return note.severity != "info" and (name in note.tables or not folded & set(note.tables))


def _telling(part: Part, result: Result) -> _Telling | None:
    """The chart that stands on the card: the one that the analysis declares, or its first; none that has no room."""
    declared = (chart for chart in result.charts if chart.name == part.chart)
    chart = next(declared, next(iter(result.charts), None))
    if chart is None:
        return None
    spec, left_out = small(spec_for_page(chart))
    drawn = _Telling(chart, spec, picture(spec, section_id(part.name)), left_out)
    return drawn if drawn.fits else None


def _figure(part: Part, telling: _Telling | None) -> str:
    if telling is None:
        return ""
    name = f"{part.name}-{telling.chart.name}"
    return figure(telling.chart, telling.spec, name, telling.still, left_out=telling.left_out)


def _small(part: Part, result: Result) -> str:
    """The name of the table that stands on the card; that of the answer is empty."""
    return next((name for name in part.shown if name in result.tables and result.tables[name].height), "")


def _sentence(one: Sentence) -> str:
    if one.status == "inconclusive":
        return f'<p class="says"><em>Inconclusive:</em> {glossed(one.action)}</p>'
    figure = esc(beside(one.shown, one.between))
    return f'<p class="says">{said(one)}{f" <small>{figure}</small>" if figure else ""}</p>'


def _head_of(part: Part, result: Result, name: str, where: str, rows: int, room: int) -> str:
    """Set a small table whole; of a larger one what fits, with nothing that would work on all of it."""
    table = result.tables[name] if name else result.table
    if not table.height:
        return ""
    first = narrowed(table.head(rows), room, _GAP)
    if first.shape == table.shape:
        return table_block(name, table, part.name, "", "", where)
    first = narrowed(_varying(table).head(rows), room, _GAP)
    inner = grid(first, label=f"{table_label(part.name, name)}, first rows", still=True)
    shares = {"row": (first.height, table.height), "column": (first.width, table.width)}
    cut = ", ".join(f"{k:,} of {counted(n, what)}" for what, (k, n) in shares.items() if k < n)
    return f'<div><div class="scroll still">{inner}</div><p class="cut">{cut}</p></div>'


def _varying(table: pl.DataFrame) -> pl.DataFrame:
    """Leave out texts that are the same in every row: on a card they take the room of what differs."""
    same = [name for name in table.columns if not is_number(table, name) and table[name].n_unique() == 1]
    return table.drop(same) if len(same) < table.width else table


def _tables(part: Part, result: Result, small_table: str | None, where: str, rows: int, room: int) -> Iterator[str]:
    """Set all tables, folded, but for the one that stands whole on the card."""
    about = documentation(part.name).tables
    for name, one in {"": result.table, **result.tables}.items():
        if name != small_table or one.shape != narrowed(one.head(rows), room, _GAP).shape:
            yield folded_table(name, one, part.name, about.get(name, ""), where)
