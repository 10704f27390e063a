"""Results as text: aligned columns when piped, rich in a terminal."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.core.notes import Note, gravest_first
from assay.core.text import visible
from assay.render import verdict
from assay.results.result import Report, Result
from assay.results.sentences import STANDING

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType
    from rich.text import Text

_DIGITS = 4
_WIDTH = 100  # of prose
_ASKED = ("alpha", "level")  # columns that repeat a setting; in a single row no other differs from a score
_LEAST_TEXT = 24  # to which a terminal may wrap a text beside numbers
_INDENT = "    "
_LARGE = 10.0**15  # whole numbers beyond this are not all different


def cell(value: Any) -> str:
    """Show one value: four decimals for a fraction, nothing for nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return visible(str(value))
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value and abs(value) < 10**-_DIGITS:
        return f"{value:.2g}"
    return f"{value:.{_DIGITS}f}"


def cells(table: pl.DataFrame) -> list[list[str]]:
    """Show a table's rows; how many decimals a number has is the same all down a column."""
    shown = [_short if _is_short(column) else cell for column in table.iter_columns()]
    return [[show(value) for show, value in zip(shown, row, strict=True)] for row in table.iter_rows()]


def _is_short(column: pl.Series) -> bool:
    """Say whether numbers need no decimals, or are one and the same short number, such as a level asked for."""
    if not column.dtype.is_float():
        return False
    values = [value for value in column.drop_nulls() if math.isfinite(value)]
    if all(value.is_integer() and abs(value) < _LARGE for value in values):
        return True
    constant = column.name in _ASKED or (len(values) > 1 and len(set(values)) == 1)
    return constant and all(float(f"{value:g}") == value for value in values)


def _short(value: Any) -> str:
    if value is None or not math.isfinite(value):
        return cell(value)
    return f"{value + 0.0:.0f}" if value.is_integer() else f"{value:g}"


def is_number(table: pl.DataFrame, column: str) -> bool:
    """Say whether a column is set flush right."""
    return table[column].dtype.is_numeric()


def heading(result: Result) -> list[str]:
    """Say in a line or two what data a result rests on and how it was computed."""
    about = result.basis.to_dict()
    lines = [f"{result.analysis}: {pairs(about)}".rstrip(": ")] if about else []
    if result.settings and (about or not result.text):  # a text without data, such as a card, stands for itself
        lines.append(pairs(result.settings))
    return lines


def pairs(facts: Mapping[str, Any]) -> str:
    """Say facts in a line: what, and how much or which."""
    return ", ".join(
        f"{name.replace('_', ' ')} {fact(value) if _is_count(value) else f'({fact(value)})'}"
        for name, value in facts.items()
    )


def fact(value: Any) -> str:
    """Say one fact of a result's data or settings.

    >>> fact(12345), fact(True), fact(["AP", "P@10"]), fact({"grades": 3}), fact(None)
    ('12,345', 'yes', 'AP, P@10', 'grades 3', 'none')
    """
    if isinstance(value, bool) or value is None:
        return "none" if value is None else "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(fact(inner) for inner in value) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {fact(inner)}" for name, inner in value.items()) or "none"
    if _is_count(value):
        return f"{value:g}" if isinstance(value, float) else f"{value:,}"
    return visible(str(value))


def _is_count(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool)


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
    out = [f"{part.name}: left out; {visible(part.why_not)}" for part in report.parts if part.result is None]
    return ["\n".join(decided), _wrapped(report.text), *lines, _wrapped(STANDING), "\n".join(out)]


def _wrapped(text: str, *, indent: str = "") -> str:
    return textwrap.fill(visible(text), _WIDTH, subsequent_indent=indent, break_long_words=False)


def labelled(note: Note) -> str:
    """Show a note behind its severity."""
    return f"{'note' if note.severity == 'info' else note.severity}: {visible(note.text)}"


def notes_on_table(result: Result) -> list[Note]:
    """What is to be known of the table that is shown; of others, why they are missing."""
    return [note for note in result.notes if not result.tables.keys() & note.tables]


def before_and_after(result: Result) -> tuple[list[Note], list[Note]]:
    """Split the notes on a table: warnings and what is to be known of the data come before the answer."""
    notes = notes_on_table(result)
    first = gravest_first(note for note in notes if note.on_data or note.severity == "warning")
    return first, [note for note in notes if note not in first]


def _printed(result: Result) -> pl.DataFrame:
    """The table without the columns that are not for print."""
    return result.table.drop(result.unprinted, strict=False)


def plain(result: Result) -> str:
    """Lay a result out as plain text, columns aligned; a report as the sentences of its verdict."""
    answer = sentences(result) if isinstance(result, Report) else [prose(result.text), aligned(_printed(result))]
    first, last = ("\n".join(map(labelled, some)) for some in before_and_after(result))
    return "\n\n".join(part for part in [*heading(result), first, *answer, last] if part)


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
    first, last = before_and_after(result)
    for note in first:
        console.print(_line(note))
    if isinstance(result, Report):
        for part in sentences(result):
            console.print(Text(f"\n{part}" if part else ""))
    else:
        text = [Text(f"\n{prose(result.text)}\n")] if result.text else []
        console.print(*text, _grid(_printed(result), console.width), sep="\n")
    for note in last:
        console.print(_line(note))


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
    wide = dict(zip(table.columns, _widths(table), strict=True))
    least = [n if is_number(table, name) else min(n, _LEAST_TEXT) for name, n in wide.items()]
    borders = 3 * len(least) - 1  # a blank on either side of a column, and one between two
    return sum(least) + borders <= width or not any(is_number(table, name) for name in wide)


def _widths(table: pl.DataFrame) -> list[int]:
    return [max(map(len, column)) for column in zip(map(visible, table.columns), *cells(table), strict=True)]


def stacked(table: pl.DataFrame, width: int) -> str:
    """Set each row in several lines: what names it, its numbers, then every text that has no room beside them."""
    first = next(i for i, name in enumerate(table.columns) if is_number(table, name))
    names, beside = table.columns[:first], table.columns[first:]
    wide = dict(zip(table.columns, _widths(table), strict=True))
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
