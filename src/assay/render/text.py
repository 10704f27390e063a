"""Results as text: aligned columns when piped, rich in a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from assay.core.notes import Note
from assay.core.text import visible
from assay.render import verdict
from assay.render.cells import cell, cells, is_number, widths
from assay.render.screen import (
    WIDTH,
    first_table,
    heading,
    more,
    n_lines,
    notes_after,
    notes_before,
    statements,
)
from assay.results.result import Report, Result
from assay.results.sentences import STANDING

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType
    from rich.text import Text

_LEAST_TEXT = 24  # to which a terminal may wrap a text beside numbers
_INDENT = "    "


def prose(text: str) -> str:
    """Show text of several lines, what cannot be seen in it spelled out."""
    return "\n".join(visible(line) for line in text.split("\n"))


def sentences(report: Report) -> list[str]:
    """Say the verdict, each sentence with its number and section; what is lacking, inconclusive and to beware of.

    Then what stability is not, and what was left out.
    """
    decided = [
        _wrapped(f"{i}. {verdict.said(row)}" + (f" [{row['section']}]" if row["section"] else ""), indent="   ")
        for i, row in enumerate(verdict.statements(report, "decided"), 1)
    ]
    gathered = {verdict.INCONCLUSIVE: verdict.inconclusive(report), verdict.BEWARE: verdict.caveats(report)}
    lines = [_wrapped(f"{title}: {text}.") for title, text in gathered.items() if text]
    reasons: dict[str, list[str]] = {}
    for part in report.parts:
        if part.result is None:
            reasons.setdefault(part.why_not, []).append(part.name)
    out = [_wrapped(f"{', '.join(names)}: left out; {why_not}") for why_not, names in reasons.items()]
    return ["\n".join(decided), _wrapped(report.text), *lines, _wrapped(STANDING), "\n".join(out)]


def _wrapped(text: str, *, indent: str = "") -> str:
    return textwrap.fill(visible(text), WIDTH, subsequent_indent=indent, break_long_words=False)


def labelled(note: Note) -> str:
    """Show a note behind its severity."""
    return f"{'note' if note.severity == 'info' else note.severity}: {visible(note.text)}"


def _before(result: Result) -> list[str]:
    """What stands before the table: the sentences of a report, or those of one result; else its own prose."""
    if isinstance(result, Report):
        return sentences(result)
    return ["\n".join(statements(result)) or prose(result.text)]


def plain(result: Result) -> str:
    """Lay a result out as plain text, columns aligned: the answer first, and in the last line what else there is."""
    before = ["\n".join(heading(result)), _lines(notes_before(result)), *_before(result)]
    table = []
    if not isinstance(result, Report):
        first = first_table(result, n_before=n_lines(before))
        table = ["\n".join(filter(None, (aligned(first.shown), first.left_out)))]
    after = "\n".join(filter(None, (_lines(notes_after(result)), more(result))))
    return "\n\n".join(part for part in [*before, *table, after] if part)


def _lines(notes: list[Note]) -> str:
    return "\n".join(map(labelled, notes))


def aligned(table: pl.DataFrame) -> str:
    """Align a table's columns with blanks."""
    rows = [[visible(name) for name in table.columns], *cells(table)]
    widths = [max(len(row[i]) for row in rows) for i in range(table.width)]
    right = [is_number(table, name) for name in table.columns]
    lines = []
    for row in rows:
        padded = [t.rjust(w) if r else t.ljust(w) for t, w, r in zip(row, widths, right, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def show(result: Result) -> None:
    """Print a result to a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in heading(result):
        console.print(Text(line, style="dim"))
    for note in notes_before(result):
        console.print(_line(note))
    before = _before(result)
    for part in filter(None, before):
        console.print(Text(f"\n{part}"))
    if not isinstance(result, Report):
        n_before = n_lines([*heading(result), _lines(notes_before(result)), *before], width=console.width)
        first = first_table(result, n_before=n_before, width=console.width, gap=3)
        console.print(Text(""), _grid(first.shown, console.width), Text(first.left_out, style="dim"), sep="\n")
    for note in notes_after(result):
        console.print(_line(note))
    console.print(Text(more(result), style="dim"))


def _line(note: Note) -> Text:
    """Set a note for a terminal."""
    from rich.text import Text

    return Text(labelled(note), style="dim" if note.severity == "info" else "yellow")


def _grid(table: pl.DataFrame, width: int) -> RenderableType:
    """Set a table for a terminal; where numbers would be shortened, in several lines per row."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    if not _fits(table, width):
        return Text(stacked(table, width), no_wrap=True, overflow="ignore")
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for name in table.columns:
        number = is_number(table, name)
        grid.add_column(Text(visible(name)), justify="right" if number else "left", no_wrap=number)
    for row in cells(table):
        grid.add_row(*(Text(value) for value in row))
    return grid


def _fits(table: pl.DataFrame, width: int) -> bool:
    """Whether numbers keep their digits beside texts that are wrapped, but not to shreds."""
    wide = widths(table)
    least = [n if is_number(table, name) else min(n, _LEAST_TEXT) for name, n in wide.items()]
    borders = 3 * len(least) - 1  # a blank on either side of a column, and one between two
    return sum(least) + borders <= width or not any(is_number(table, name) for name in wide)


def stacked(table: pl.DataFrame, width: int) -> str:
    """Set each row in several lines: what names it, its numbers, then every text that has no room beside them."""
    first = next(i for i, name in enumerate(table.columns) if is_number(table, name))
    names, beside = table.columns[:first], table.columns[first:]
    wide = widths(table)
    below: list[str] = []
    while sum(wide[name] + 2 for name in beside) - 2 > width - len(_INDENT):
        texts = [name for name in beside if not is_number(table, name)]
        if not texts:
            break
        below.append(max(texts, key=wide.__getitem__))
        beside = [name for name in beside if name not in below]
    below.sort(key=table.columns.index)
    head, *numbers = aligned(table.select(beside)).split("\n")
    lines = [f"{_INDENT}{head}"]
    for row, own in zip(table.iter_rows(named=True), numbers, strict=True):
        title = ", ".join(filter(None, (cell(row[name]) for name in names)))
        lines += [*([_filled(title, width, "")] if title else []), f"{_INDENT}{own}".rstrip()]
        lines += [_filled(f"{name}: {cell(row[name])}", width, _INDENT) for name in below if row[name]]
    return "\n".join(lines)


def _filled(text: str, width: int, indent: str) -> str:
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=_INDENT, break_long_words=False)
