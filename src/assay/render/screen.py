"""The first screen of a command: the data, what follows in words, a small table, and where the rest is.

A command answers within a screen. What has no room there is named in the last line.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.core.notes import Note, gravest_first
from assay.core.text import counted, visible
from assay.data.provenance import Basis
from assay.render.cells import is_number, widths
from assay.render.verdict import BEWARE, INCONCLUSIVE, said_of
from assay.results.result import Report, Result
from assay.results.sentences import Sentence

if TYPE_CHECKING:
    import polars as pl

WIDTH = 100  # of prose, headers and tables
LINES = 25  # within which the answer is
_LEAST_ROWS, _MOST_ROWS = 5, 15  # of the first table, however much stands before it
_LEAST_TEXT = 24  # characters to which a text is shortened, before a column is left out
_INFOS = 3  # notes that only describe
_BRIEFLY = {"runs": "runs", "topics": "topics", "measures": "measures", "judged": "judged documents"}
_BRIEFLY |= {"relevant": "relevant documents"}
_ALSO = (
    "common_topics",
    "topics_left_out",
    "scores",
    "missing",
    "chosen",
    "pools",
    "contributors",
    "lower_is_better",
)


@dataclass(frozen=True, slots=True)
class FirstTable:
    """The table of the first screen: what is shown of it, and what is not."""

    shown: pl.DataFrame
    left_out: str = ""  # what is not shown, and how to see it


def heading(result: Result) -> list[str]:
    """Say in two lines at most what data a result rests on and how it was computed; JSON says all of it."""
    about = list(_about(result.basis))
    lines = [_fitted(about, f"{result.analysis}: ")] if about else []
    if result.settings and (about or not result.text):  # a text without data, such as a card, stands for itself
        lines.append(_fitted(_each(result.settings)))
    return lines


def _about(basis: Basis) -> Iterator[str]:
    known = basis.to_dict()
    words = _BRIEFLY | ({"relevant": "of them relevant"} if "judged" in known else {})
    yield from (_number_of(known[name], word) for name, word in words.items() if name in known)
    also = (*_ALSO, *(name for name in basis.more if name not in _BRIEFLY))
    yield from _each({name: known[name] for name in also if name in known})


def _number_of(n: object, words: str) -> str:
    """Say how many; of several collections their numbers are words."""
    return f"{fact(n)} {words.removesuffix('s') if n == 1 else words}"


def _each(facts: Mapping[str, Any]) -> list[str]:
    return [pairs({name: value}) for name, value in facts.items()]


def _fitted(parts: Iterable[str], start: str = "") -> str:
    """Join what fits into a line, in order; dots say that there is more."""
    line, more = start, False
    for part in parts:
        longer = f"{line}{part}" if line == start else f"{line}, {part}"
        fits = len(longer) <= WIDTH - len(", ...")
        line, more = (longer, more) if fits else (line, True)
    return f"{line}, ..." if more else line


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


def statements(result: Result) -> list[str]:
    """What follows in words: what is decided, with its number beside it, what is inconclusive, what to beware of."""
    if result.screen is None:
        return []
    decided = [_filled(f"- {text}", indent="  ") for text in conclusions(result)]
    said = [_filled(f"{title}: {text}") for title, text in gathered(result)]
    if any(one.caveat and one.severity == "warning" for one in result.sentences):  # it bears on what is decided
        return [said[-1], *decided, *said[:-1]]
    return [*decided, *said]


def conclusions(result: Result) -> list[str]:
    """What is decided, each with its number beside it."""
    return [said_of(one.text, one.shown, one.between) for one in result.sentences if one.status == "decided"]


def gathered(result: Result) -> Iterator[tuple[str, str]]:
    """What is inconclusive, and what to beware of, each gathered into one line under its title."""
    for status, title in _GATHERED.items():
        if of := [_clause(one) for one in result.sentences if one.status == status]:
            yield title, f"{'; '.join(of)}."


_GATHERED = {"inconclusive": INCONCLUSIVE, "beware": BEWARE}


def _clause(sentence: Sentence) -> str:
    settled = f"{sentence.settled_by} would settle it" if sentence.settled_by else ""
    number = sentence.number if sentence.status == "inconclusive" else ""  # a caveat holds its own
    beside = "; ".join(filter(None, [number, settled]))
    return sentence.text.rstrip(".") + (f" ({beside})" if beside else "")


def _filled(text: str, *, indent: str = "") -> str:
    return textwrap.fill(visible(text), WIDTH, subsequent_indent=indent, break_long_words=False)


def answer_of(result: Result) -> tuple[str, pl.DataFrame]:
    """The table that is printed first, all of it, and its name; that of the answer itself is the command's."""
    screen = result.screen
    if screen is None or screen.table not in result.tables:
        return result.analysis, result.table
    if result.table.height <= _MOST_ROWS and not screen.instead:
        return result.analysis, result.table
    return screen.table, result.tables[screen.table]


def first_table(result: Result, *, n_before: int, width: int = WIDTH, gap: int = 2) -> FirstTable:
    """Cut the table that carries the answer to the screen, of which `n_before` lines are taken."""
    name, table = answer_of(result)
    printed = table.drop(result.unprinted, strict=False)
    if result.screen is None:
        return FirstTable(printed)
    named = [column for column in result.screen.columns if column in printed.columns]
    chosen = _ordered(printed, result.screen.by).select(named or printed.columns)
    room = min(max(LINES - n_before - 2, _LEAST_ROWS), _MOST_ROWS)  # a line each for the columns and what is left out
    shown = chosen if result.screen.catalogue else narrowed(chosen.head(room), width, gap)
    shares = {"row": (shown.height, table.height), "column": (shown.width, printed.width)}
    left_out = [f"{k:,} of {counted(n, what)}" for what, (k, n) in shares.items() if k < n]
    return FirstTable(shown, f"{', '.join(left_out)}; all: --table {name}" if left_out else "")


def _ordered(table: pl.DataFrame, by: str) -> pl.DataFrame:
    column = by.removeprefix("-")
    if column not in table.columns:
        return table
    return table.sort(column, descending=column == by, nulls_last=True, maintain_order=True)


def narrowed(table: pl.DataFrame, width: int, gap: int) -> pl.DataFrame:
    """Leave out empty columns; then shorten texts, or leave out the last columns, until the rest fits."""
    there = [name for name in table.columns if table[name].null_count() < table.height]
    table = table.select(there or table.columns)
    while (excess := sum(widths(table).values()) + gap * (table.width - 1) - width) > 0 and table.width > 1:
        wide = widths(table)
        texts = [name for name in table.columns if not is_number(table, name)]
        widest = max(texts, key=wide.__getitem__, default="")
        room = wide.get(widest, 0) - excess
        table = _shortened(table, widest, room) if room >= _LEAST_TEXT else table.select(table.columns[:-1])
    return table


def _shortened(table: pl.DataFrame, name: str, room: int) -> pl.DataFrame:
    return table.with_columns(
        table[name].map_elements(lambda text: _short(text, room), return_dtype=table[name].dtype)
    )


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else textwrap.shorten(text, room, placeholder=" ...")


def n_lines(parts: Iterable[str], *, width: int = WIDTH) -> int:
    """How many lines of a screen texts take, with a blank line after each."""
    lines = (line for part in parts if part for line in [*part.split("\n"), ""])
    return sum(max(1, math.ceil(len(line) / width)) for line in lines)


def notes_before(result: Result) -> list[Note]:
    """Warnings, which come before the answer."""
    return [note for note in _unsaid(result) if note.severity == "warning"]


def notes_after(result: Result) -> list[Note]:
    """What else is to be known: cautions, those on the data last, then a few notes that describe."""
    own_first = sorted(_unsaid(result), key=lambda note: note.on_data)
    rest = gravest_first(note for note in own_first if note.severity != "warning")
    if result.screen is None:
        return rest
    cautions = [note for note in rest if note.severity == "caution"]
    return [*cautions, *rest[len(cautions) :][:_INFOS]]


def _unsaid(result: Result) -> list[Note]:
    """The notes on the table that no sentence says; those on the data name what a sentence only counts."""
    said = set() if result.screen is None else {one.name for one in result.sentences}
    return [note for note in notes_on_table(result) if note.on_data or note.code not in said]


def notes_on_table(result: Result) -> list[Note]:
    """What is to be known of the table that is shown; of others, why they are missing."""
    name, _ = answer_of(result)
    there = result.tables.keys() - {name}
    return [note for note in result.notes if name in note.tables or not there & set(note.tables)]


def more(result: Result) -> str:
    """Name what else there is, and how to see it; nothing of a result that is shown in full."""
    if result.screen is None:
        return ""
    if isinstance(result, Report):
        return "more: the page with -o report.html, tables and scores with --format json"
    name, _ = answer_of(result)
    own = {} if name == result.analysis else {result.analysis: result.table}
    other = {key: table for key, table in (own | dict(result.tables)).items() if key != name}
    named = ", ".join(f"--table {key} ({counted(table.height, 'row')})" for key, table in other.items())
    return f"more: {named}; everything with --format json" if named else ""
