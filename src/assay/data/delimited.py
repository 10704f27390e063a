"""Tables as other people write them: text with tabs, commas or blanks, JSON lines, Parquet; as columns.

What a file is, its content says. Every row remembers the line that it stands on, and a line that does not fit is
an error that names it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl
import polars.selectors as cs

from assay.core.errors import InputError
from assay.data.files import as_text

_QUOTED = re.compile(rb'"[^"]*"')
_BLANK_LINE = re.compile(rb"^[ \t]*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table: the words of its header, its columns (named 0, 1, ...) and where each row stands."""

    source: str
    header: tuple[str, ...]
    columns: pl.DataFrame
    where: Callable[[int], str]

    def without_first(self) -> RawTable:
        """Leave out the first column."""
        return RawTable(self.source, self.header[1:], numbered(self.columns[:, 1:]), self.where)

    def with_header(self, *words: str) -> RawTable:
        """Give a table another header, because its first line already is data."""
        first = pl.DataFrame([self.header], schema=self.columns.schema, orient="row")
        return RawTable(self.source, words, pl.concat([first, self.columns]), lambda row: self.where(row - 1))


def read_table(data: bytes, source: str) -> RawTable:
    """Read the bytes of one file into columns; the fields of text stay text."""
    if data.startswith(b"PAR1"):
        return _parquet(data, source)
    text = as_text(data, source)
    start = text.lstrip()[:1]
    if start == b"[":
        raise InputError(f"{source}: a JSON array; write one object a line")
    return _json_lines(text, source) if start == b"{" else _delimited(text, source)


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


def _parquet(data: bytes, source: str) -> RawTable:
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        raise InputError(f"{source}: damaged Parquet ({str(problem).splitlines()[0]})") from None
    return _typed(frame, source, lambda row: f"{source}: row {row + 1}")


def _json_lines(text: bytes, source: str) -> RawTable:
    try:
        frame = pl.read_ndjson(text, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        frame = _json_line_by_line(text, source)

    def where(row: int) -> str:
        lines = [i for i, line in enumerate(text.split(b"\n"), 1) if line.strip()]
        return f"{source}:{lines[row]}"

    return _typed(frame, source, where)


def _json_line_by_line(text: bytes, source: str) -> pl.DataFrame:
    """Read slowly and surely: NaN and columns of mixed types are read, the first bad line is an error."""
    rows = []
    for i, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as problem:
            raise InputError(f"{source}:{i}: not JSON ({problem})") from None
        if not isinstance(row, dict):
            raise InputError(f"{source}:{i}: {line[:40].decode(errors='replace')} is not a JSON object")
        rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame([_json_column(name, [row.get(name) for row in rows]) for name in names])


def _json_column(name: str, values: list[object]) -> pl.Series:
    """Keep numbers if one is fractional; whole ones may be names, and text keeps both as they are written."""
    if all(v is None or isinstance(v, int | float) for v in values) and any(isinstance(v, float) for v in values):
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    return pl.Series(name, texts, dtype=pl.String)


def _typed(frame: pl.DataFrame, source: str, where: Callable[[int], str]) -> RawTable:
    """Keep the columns that can be names or scores: numbers, yes or no, and text."""
    words = cs.categorical() | cs.enum()
    readable = frame.select(cs.numeric() | cs.boolean() | cs.string() | words).with_columns(words.cast(pl.String))
    return RawTable(source, tuple(readable.columns), numbered(readable), where)


def _delimited(text: bytes, source: str) -> RawTable:
    """Read text with a header; its fields are separated by tabs, commas or blanks."""
    head = _BLANK_LINE.sub(b"", text).split(b"\n", 1)[0]
    separator = "\t" if b"\t" in head else "," if b"," in head else " "
    if separator == " ":
        text = b"\n".join(b" ".join(line.split()) for line in text.split(b"\n"))
    frame = _split(text, separator, source)
    if b" " in text:
        frame = frame.with_columns(pl.all().str.strip_chars())

    def where(row: int) -> str:
        records = _records(text, separator, source)
        return f"{source}:{next(line for i, (line, _) in enumerate(records, -1) if i == row)}"

    return RawTable(source, tuple(field or "" for field in frame.row(0)), frame.slice(1), where)


def _split(text: bytes, separator: str, source: str) -> pl.DataFrame:
    """Split lines into columns of text; a line too long or too short is an error."""
    try:
        frame = pl.read_csv(
            _BLANK_LINE.sub(b"", text.rstrip(b" \n") + b"\n"),
            has_header=False,
            infer_schema=False,
            separator=separator,
            quote_char='"' if _is_quoted(text, separator) else None,
        )
    except pl.exceptions.PolarsError:
        _check_widths(text, separator, source)
        raise InputError(f"{source}: not a table; are all its quotes closed?") from None
    # the last field is empty, or the line is short; longer lines were refused above
    if frame.to_series(-1).null_count() and not _is_even(text, separator, frame):
        _check_widths(text, separator, source)
    return numbered(frame)


def _is_even(text: bytes, separator: str, frame: pl.DataFrame) -> bool:
    """Whether there are as many separators outside quotes as full lines have."""
    bare = _QUOTED.sub(b"", text) if _is_quoted(text, separator) else text
    return bare.count(separator.encode()) == frame.height * (frame.width - 1)


def _is_quoted(text: bytes, separator: str) -> bool:
    """Whether some field starts with a quote; elsewhere a quote is a letter like any other."""
    return b'"' in text and re.search(rf'^"|{separator}"'.encode(), text, re.MULTILINE) is not None


def _check_widths(text: bytes, separator: str, source: str) -> None:
    expected = 0
    for line, fields in _records(text, separator, source):
        expected = expected or len(fields)
        if len(fields) != expected:
            width = f"{len(fields)} field{'s' if len(fields) > 1 else ''}"
            raise InputError(f"{source}:{line}: {width}, expected {expected} as in the first line")


def _records(text: bytes, separator: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Number the lines that are not blank, split into fields."""
    lines = [(i, line) for i, line in enumerate(text.decode().split("\n"), 1) if line.strip(" \t")]
    quote = '"' if _is_quoted(text, separator) else None
    reader = csv.reader(
        (line + "\n" for _, line in lines),
        delimiter=separator,
        quotechar=quote,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
    )
    try:
        for fields in reader:
            yield lines[reader.line_num - 1][0], fields
    except csv.Error as problem:
        raise InputError(f"{source}:{lines[reader.line_num - 1][0]}: {problem}") from None
