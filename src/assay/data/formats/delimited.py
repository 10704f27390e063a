"""Tables as other people write them: text with tabs, commas, semicolons or blanks, JSON, Parquet; as columns.

What a file is, its content says. Every row remembers the line that it stands on, and a line that does not fit is
an error that names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl
import polars.selectors as cs

from assay.core.errors import InputError
from assay.core.text import counted
from assay.data.files import as_text
from assay.data.formats.quotes import (
    check_quotes,
    is_quoted,
    outside_quotes,
    record_lines,
    record_widths,
    without_blank_lines,
)

Documents = Literal["score", "grade"]
"""What the numbers of documents are: scores in runs, grades in judgments."""

_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{|\[\s*[\[{\]])")
_STATED = re.compile(rb'"?sep=([;,\t|])"?[ \t]*\n', re.IGNORECASE)
_WIDE = 40  # characters of a value quoted in a message


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table: the words of its header, its columns (named 0, 1, ...) and where each row stands."""

    source: str
    header: tuple[str, ...]
    columns: pl.DataFrame
    where: Callable[[int], str]
    has_line_ends: bool = False  # inside fields: two stray quotes can merge rows

    def without_first(self) -> RawTable:
        """Leave out the first column."""
        return replace(self, header=self.header[1:], columns=numbered(self.columns[:, 1:]))

    def with_header(self, *words: str) -> RawTable:
        """Give a table another header, because its first line already is data."""
        first = pl.DataFrame([self.header], schema=self.columns.schema, orient="row")
        rows = pl.concat([first, self.columns])
        return replace(self, header=words, columns=rows, where=lambda row: self.where(row - 1))

    def check_line_ends(self, positions: Mapping[str, int]) -> None:
        """Refuse a name that holds a line end, as it does where two stray quotes merge rows."""
        for what, i in positions.items() if self.has_line_ends else ():
            column = self.columns[str(i)]
            if (broken := column.str.contains("\n", literal=True)).any():
                row = int(broken.arg_max() or 0)
                start = column[row].split("\n")[0][:_WIDE]
                raise InputError(
                    f"{self.where(row)}: the {what} '{start}...' goes on in the next line: is a quote open?"
                )


def read_table(data: bytes, source: str, *, documents: Documents | None = None) -> RawTable:
    """Read the bytes of one file into columns; the fields of text stay text.

    Where a table is one of `documents`, those that stand in a list inside a row get a row each, and of a mapping of
    topics to documents the numbers are what is said here.
    """
    if data.startswith(b"PAR1"):
        from assay.data.formats.parquet import parquet_table

        return parquet_table(data, source, documents=documents)
    text = as_text(data, source)
    if not starts_json(text):
        return _delimited(text, source)
    from assay.data.formats.json_tables import json_table

    return json_table(text, source, documents=documents)


def starts_json(data: bytes) -> bool:
    """Whether a file starts as JSON does: with an object, or with an array of objects or arrays."""
    return _JSON.match(data) is not None


def numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """Name columns by their position; a header may say the same word twice."""
    return frame.rename(dict(zip(frame.columns, map(str, range(frame.width)), strict=True)))


def is_number(text: str) -> bool:
    """Say whether a word reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def typed(frame: pl.DataFrame, source: str, where: Callable[[int], str]) -> RawTable:
    """Keep the columns that can be names or scores: numbers, yes or no, and text."""
    words = cs.categorical() | cs.enum()
    readable = frame.select(cs.numeric() | cs.boolean() | cs.string() | words).with_columns(words.cast(pl.String))
    return RawTable(source, tuple(readable.columns), numbered(readable), where)


def _delimited(text: bytes, source: str) -> RawTable:
    """Read text with a header; its fields are separated by tabs, commas, semicolons or blanks."""
    text, separator = _separated(text)
    if text.isspace():
        raise InputError(f"{source}: an empty file, but for what separates its fields")
    if separator == " ":
        text = b"\n".join(b" ".join(line.split()) for line in text.split(b"\n"))
    quoted = is_quoted(text, separator)
    if quoted:
        check_quotes(text, separator, source)
    frame = _split(text, separator, source, quoted=quoted)
    if b" " in text:
        frame = frame.with_columns(pl.all().str.strip_chars(" "))

    def where(row: int) -> str:
        return f"{source}:{record_lines(text, quoted=quoted)[row + 1]}"

    header = tuple(field or "" for field in frame.row(0))
    return RawTable(source, header, frame.slice(1), where, quoted and _has_line_ends(frame))


def _separated(text: bytes) -> tuple[bytes, str]:
    """Find what separates fields: as Excel's first line `sep=;` states it, or as the header shows it."""
    if stated := _STATED.match(text):
        return text[stated.end() - 1 :], stated[1].decode()  # a blank line in its place: lines keep their numbers
    head = outside_quotes(text.lstrip(b" \n").split(b"\n", 1)[0])
    if b"\t" in head:
        return text, "\t"
    n_commas, n_semicolons = head.count(b","), head.count(b";")
    return text, " " if n_commas == n_semicolons == 0 else "," if n_commas >= n_semicolons else ";"


def _split(text: bytes, separator: str, source: str, *, quoted: bool) -> pl.DataFrame:
    """Split lines into columns of text; a line too long or too short is an error."""
    try:
        frame = pl.read_csv(
            without_blank_lines(text.rstrip(b" \n") + b"\n", quoted=quoted),
            has_header=False,
            infer_schema=False,
            separator=separator,
            quote_char='"' if quoted else None,
        )
    except pl.exceptions.PolarsError:
        _check_widths(text, separator, source, quoted=quoted)
        raise InputError(f"{source}: not a table") from None
    # the last field is empty, or the line is short; longer lines were refused above
    if frame.to_series(-1).null_count() and not _is_even(text, separator, frame, quoted=quoted):
        _check_widths(text, separator, source, quoted=quoted)
    return numbered(frame)


def _is_even(text: bytes, separator: str, frame: pl.DataFrame, *, quoted: bool) -> bool:
    """Whether there are as many separators outside quotes as full lines have."""
    bare = outside_quotes(text) if quoted else text
    return bare.count(separator.encode()) == frame.height * (frame.width - 1)


def _check_widths(text: bytes, separator: str, source: str, *, quoted: bool) -> None:
    lines, widths = record_widths(text, separator, quoted=quoted)
    if (odd := (widths != widths[0]).nonzero()[0]).size:
        width = counted(int(widths[odd[0]]), "field")
        raise InputError(f"{source}:{lines[odd[0]]}: {width}, expected {widths[0]} as in the first line")


def _has_line_ends(frame: pl.DataFrame) -> bool:
    """Whether some field holds a line end."""
    return any(column.str.contains("\n", literal=True).any() for column in frame.get_columns())
