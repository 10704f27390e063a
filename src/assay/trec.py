"""TREC files: runs (topic Q0 doc rank score tag) and judgments (topic iteration doc grade).

Bytes come in, columns go out. Text with one separator throughout is read as it is; anything odd (mixed blanks,
comments, CRLF, a byte-order mark) is tidied first; what still does not fit is read line by line, which either
works or says what is wrong, and where.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.files import STDIN, expand, plain_name, read_bytes
from assay.tables import Duplicates, Listing, Qrels, Runs, Ties, encode, number

_BOM = b"\xef\xbb\xbf"
_COMMENT = re.compile(rb"^[ \t]*#[^\n]*\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a line, which of them are read (the last always), and the one that is a number."""

    fields: tuple[str, ...]
    read: tuple[str, ...]
    number: str
    kind: type[int] | type[float]

    def check(self, line: list[bytes]) -> str | None:
        """Say what is wrong with the fields of one line."""
        if len(line) != len(self.fields):
            return f"{len(line)} fields, expected {len(self.fields)} ({' '.join(self.fields)})"
        text = line[self.fields.index(self.number)].decode("latin-1")
        try:
            value = self.kind(text.replace("_", "?"))
        except ValueError:
            return f"{self.number} '{text}' is not {'an integer' if self.kind is int else 'a number'}"
        return f"{self.number} is NaN, not a number" if value != value else None


RUN = Layout(("topic", "Q0", "doc", "rank", "score", "tag"), ("topic", "doc", "score", "tag"), "score", float)
RANKED_RUN = Layout(RUN.fields, ("topic", "doc", "rank", "score", "tag"), "score", float)
QRELS = Layout(("topic", "iteration", "doc", "grade"), ("topic", "doc", "grade"), "grade", int)


def parse(data: bytes, layout: Layout, source: str) -> pl.DataFrame:
    """Read the bytes of one file into the columns that the layout asks for."""
    text = _decoded(data.removeprefix(_BOM), source)
    head = text[: text.find(b"\n") + 1] or text
    if (b"\t" in head) == (b" " in head) or (b" " in text if b"\t" in head else b"\t" in text):
        text = _tidy(text)
    frame = _split(text, layout)
    if frame is None:
        frame = _split(_tidy(text), layout)
    if frame is None:
        frame = _line_by_line(text, layout, source)
    if layout.kind is float and frame[layout.number].is_nan().any():
        frame = _line_by_line(text, layout, source)
    return frame


def _decoded(data: bytes, source: str) -> bytes:
    """Return UTF-8 without carriage returns: as it is, or from Latin-1; both keep every id and the byte order."""
    if b"\0" in data:
        raise InputError(f"{source}: a binary file, not text")
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            data = data.decode("latin-1").encode("utf-8")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data or data.isspace():
        raise InputError(f"{source}: an empty file")
    return data


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
    kind = pl.Int64() if layout.kind is int else pl.Float64()
    names = {name: f"column_{i}" for i, name in enumerate(layout.fields)}
    try:
        frame = pl.read_csv(
            text,
            has_header=False,
            separator="\t" if b"\t" in text[: text.find(b"\n")] else " ",
            quote_char=None,
            columns=[names[name] for name in layout.read],
            schema={column: kind if name == layout.number else pl.String() for name, column in names.items()},
        )
    except pl.exceptions.PolarsError:
        return None
    frame = frame.rename({names[name]: name for name in layout.read})
    comments = b"#" in text and frame["topic"].str.starts_with("#").any()
    # a line with too few fields shows as a null in the last one
    return None if comments or any(frame[name].null_count() for name in frame.columns) else frame


def _lines(text: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Number the lines that hold data, split into fields."""
    for i, line in enumerate(text.split(b"\n"), 1):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            yield i, fields


def _line_by_line(text: bytes, layout: Layout, source: str) -> pl.DataFrame:
    """Read slowly and surely: the first line that does not fit is an error."""
    columns: dict[str, list[object]] = {name: [] for name in layout.read}
    for i, line in _lines(text):
        if problem := layout.check(line):
            raise InputError(f"{source}:{i}: {problem}")
        for name, column in columns.items():
            value = line[layout.fields.index(name)].decode("utf-8")
            column.append(layout.kind(value) if name == layout.number else value)
    if not columns[layout.number]:
        raise InputError(f"{source}: an empty file, but for comments")
    return pl.DataFrame(columns)


def _locate(data: bytes, source: str) -> Callable[[int], str]:
    """Build the function that says on which line of the file a row stands."""

    def where(row: int) -> str:
        text = _decoded(data.removeprefix(_BOM), source)
        line = next(i for n, (i, _) in enumerate(_lines(text)) if n == row)
        return f"{source}:{line}"

    return where


def qrels_from_bytes(data: bytes, source: str) -> Qrels:
    """Read TREC judgments."""
    frame = parse(data, QRELS, source)
    grade = frame["grade"].to_numpy()
    return Qrels.build(frame["topic"], frame["doc"], grade, source=source, where=_locate(data, source))


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


def name_runs(tags: Sequence[str], paths: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Name runs by their tags, or by their files where tags are empty, differ or collide; say which."""
    times = Counter(tags)
    names, notes = [], []
    for tag, path in zip(tags, paths, strict=True):
        if tag and times[tag] == 1:
            names.append(tag)
            continue
        names.append(plain_name(path) if path != STDIN else "stdin")
        why = f"its tag '{tag}' is not its own" if tag else "it has no single tag"
        notes.append(f"{path}: named '{names[-1]}' after its file, because {why}")
    return names, tuple(notes)


def read_runs(
    paths: str | Path | Iterable[str | Path], *, ties: Ties = "trec", duplicates: Duplicates = "error"
) -> Runs:
    """Read TREC runs: files, directories or globs, packed or not; one file is one run."""
    files = expand([paths] if isinstance(paths, str | Path) else paths)
    listings = (listing_from_bytes(read_bytes(f), f, ranked=ties == "rank") for f in files)
    runs = Runs.build(listings, ties=ties, duplicates=duplicates)
    return runs.renamed(*name_runs(runs.names, files))


def read_qrels(path: str | Path) -> Qrels:
    """Read TREC judgments, packed or not."""
    return qrels_from_bytes(read_bytes(str(path)), str(path))
