"""TREC files: runs (topic Q0 doc rank score tag) and judgments (topic iteration doc grade).

Bytes come in, columns go out. Text with one separator throughout is read as it is; anything odd (mixed blanks,
comments, CRLF, a byte-order mark) is tidied first; what still does not fit is read line by line, which either
works or says what is wrong, and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.errors import InputError
from assay.data.files import as_text
from assay.data.tables import MAX_GRADE, Listing, Qrels, encode, number

_COMMENT = re.compile(rb"^[ \t\v\f]*#[^\n]*\n?", re.MULTILINE)
_PIECE = 1 << 17  # bytes looked at together: they stay in cache
_MAX_INT = np.iinfo(np.int64).max
_SWAPPED = {4: "; judgments are given with --qrels", 6: "; this looks like a run, not like judgments"}


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a line, which of them are read (the last always), and the one that is a number."""

    fields: tuple[str, ...]
    read: tuple[str, ...]
    number: str
    kind: type[int] | type[float] | type[str]

    def check(self, line: list[bytes]) -> str | None:
        """Say what is wrong with the fields of one line."""
        if len(line) != len(self.fields):
            width = f"{len(line)} field{'s' if len(line) > 1 else ''}"
            return f"{width}, expected {len(self.fields)} ({' '.join(self.fields)}){_SWAPPED.get(len(line), '')}"
        text = line[self.fields.index(self.number)].decode("utf-8")
        try:
            value = self.kind(text.replace("_", "?"))
        except ValueError:
            return f"{self.number} '{text}' is not {'an integer' if self.kind is int else 'a number'}"
        if isinstance(value, int) and abs(value) > _MAX_INT:
            return f"{self.number} {text} is out of range (grades go up to {MAX_GRADE})"
        return f"{self.number} is NaN, not a number" if value != value else None


RUN = Layout(("topic", "Q0", "doc", "rank", "score", "tag"), ("topic", "doc", "score", "tag"), "score", float)
RANKED_RUN = Layout(RUN.fields, ("topic", "doc", "rank", "score", "tag"), "score", float)
QRELS = Layout(("topic", "iteration", "doc", "grade"), ("topic", "doc", "grade"), "grade", int)
WORDED_QRELS = Layout(QRELS.fields, QRELS.read, "grade", str)
_KINDS: dict[type, pl.DataType] = {int: pl.Int64(), float: pl.Float64(), str: pl.String()}


def parse(data: bytes, layout: Layout, source: str) -> pl.DataFrame:
    """Read the bytes of one file into the columns that the layout asks for."""
    text = as_text(data, source)
    frame = None if _is_mixed(text) else _split(text, layout)
    if frame is None:
        frame = _split(_tidy(text), layout)
    if frame is None or (layout.kind is float and frame[layout.number].is_nan().any()):
        frame = _line_by_line(text, layout, source)
    return frame


def _is_mixed(text: bytes) -> bool:
    """Say whether more than one kind of blank separates fields, judging the kind by the first line."""
    head = text[: text.find(b"\n") + 1] or text
    if (b"\t" in head) == (b" " in head) or b"\v" in text or b"\f" in text:
        return True
    return b" " in text if b"\t" in head else b"\t" in text


def _fields(line: bytes, layout: Layout) -> list[bytes]:
    """Split a line at blanks, or at tabs alone where these leave blanks in the last field only.

    trec_eval reads past whatever follows a run's tag; a tag of several words is read the same way.
    """
    at_tabs = [field.strip() for field in line.split(b"\t")]
    if len(at_tabs) == len(layout.fields) and all(len(field.split()) == 1 for field in at_tabs[:-1]) and at_tabs[-1]:
        return at_tabs
    return line.split()


def _tidy(text: bytes) -> bytes:
    """Put one blank between fields and nothing else: no comments, no empty lines, no blanks at the ends."""
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    text = text.translate(bytes.maketrans(b"\t\v\f", b"   "))
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    text = text.replace(b"\n ", b"\n").replace(b" \n", b"\n")
    while b"\n\n" in text:
        text = text.replace(b"\n\n", b"\n")
    return text.strip(b" \n")


def _split(text: bytes, layout: Layout) -> pl.DataFrame | None:
    """Read text with one separator throughout; None when any line does not fit."""
    kind = _KINDS[layout.kind]
    names = {name: f"column_{i}" for i, name in enumerate(layout.fields)}
    separator = b"\t" if b"\t" in (text[: text.find(b"\n") + 1] or text) else b" "
    try:
        frame = pl.read_csv(
            text,
            has_header=False,
            separator=separator.decode(),
            quote_char=None,
            columns=[names[name] for name in layout.read],
            schema={column: kind if name == layout.number else pl.String() for name, column in names.items()},
        )
    except pl.exceptions.PolarsError:
        return None
    frame = frame.rename({names[name]: name for name in layout.read})
    comments = b"#" in text and frame["topic"].str.starts_with("#").any()
    # a line with too few fields shows as a null in the last one
    gaps = comments or frame.is_empty() or any(frame[name].null_count() for name in frame.columns)
    return None if gaps or not _is_even(text, separator, frame.height * (len(layout.fields) - 1)) else frame


def _is_even(text: bytes, separator: bytes, n_expected: int) -> bool:
    """Say whether there are as many separators as fields need, no two together: polars drops surplus fields."""
    code, n_found = np.frombuffer(text, dtype=np.uint8), 0
    for i in range(0, code.size, _PIECE):
        blank = code[i : i + _PIECE + 1] == ord(separator)  # one byte of the next piece, to see pairs
        n_found += int(np.count_nonzero(blank[:_PIECE]))
        if (blank[1:] & blank[:-1]).any():
            return False
    return n_found == n_expected


def _lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Number the lines that hold data."""
    for i, line in enumerate(text.split(b"\n"), 1):
        start = line.lstrip()
        if start and not start.startswith(b"#"):
            yield i, line


def _line_by_line(text: bytes, layout: Layout, source: str) -> pl.DataFrame:
    """Read slowly and surely: the first line that does not fit is an error."""
    columns: dict[str, list[object]] = {name: [] for name in layout.read}
    for i, line in _lines(text):
        fields = _fields(line, layout)
        if problem := layout.check(fields):
            raise InputError(f"{source}:{i}: {problem}")
        for name, column in columns.items():
            value = fields[layout.fields.index(name)].decode("utf-8")
            column.append(layout.kind(value) if name == layout.number else value)
    if not columns[layout.number]:
        raise InputError(f"{source}: an empty file, but for comments")
    return pl.DataFrame(columns)


def _locate(data: bytes, source: str) -> Callable[[int], str]:
    """Build the function that says on which line of the file a row stands."""

    def where(row: int) -> str:
        text = as_text(data, source)
        line = next(i for n, (i, _) in enumerate(_lines(text)) if n == row)
        return f"{source}:{line}"

    return where


def qrels_from_bytes(data: bytes, source: str, values: Mapping[str, int] | None = None) -> Qrels:
    """Read TREC judgments; `values` says which grades stand for what is written."""
    where = _locate(data, source)
    frame = parse(data, WORDED_QRELS if values else QRELS, source)
    if values:
        from assay.data.long import LongTable, qrels_from_table

        table = LongTable.build(frame.columns, frame.get_columns(), {}, source=source, where=where)
        return qrels_from_table(table, values)
    return Qrels.build(frame["topic"], frame["doc"], frame["grade"].to_numpy(), source=source, where=where)


def listing_from_bytes(data: bytes, source: str, *, ranked: bool = False) -> Listing:
    """Read one TREC run; its name is its tag, or empty where tags differ."""
    frame = parse(data, RANKED_RUN if ranked else RUN, source)
    topics, topic = number(frame["topic"])
    tag = frame["tag"]
    where = _locate(data, source)
    return Listing(
        name=str(tag[0]) if (tag == tag[0]).all() else "",
        topics=topics,
        topic=topic,
        doc=frame["doc"],
        code=encode(frame["doc"]),
        score=frame["score"].to_numpy(),
        rank=_ranks(frame["rank"], where) if ranked else None,
        where=where,
    )


def _ranks(column: pl.Series, where: Callable[[int], str]) -> np.ndarray:
    ranks = column.cast(pl.Float64, strict=False)
    if (bad := ranks.is_null() | ranks.is_nan()).any():
        row = int(bad.arg_max() or 0)
        raise InputError(f"{where(row)}: rank '{column[row]}' is not a number")
    return ranks.to_numpy()
