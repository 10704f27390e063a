"""TREC files: runs (topic Q0 doc rank score tag) and judgments (topic iteration doc grade).

Bytes come in, columns go out. The compiled part reads them where it was built and all lines are good. Without it, or
where it finds a line odd, text with one separator throughout is read as it is; anything odd (mixed blanks,
comments, CRLF, a byte-order mark) is tidied first; what still does not fit is read line by line, which either
works or says what is wrong, and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.errors import InputError
from assay.data.codes import Documents
from assay.data.files import as_text, check_lines
from assay.data.formats.columns import RunColumns, compiled_frame, compiled_run
from assay.data.judgments.merging import Judgments
from assay.data.judgments.scale import UNDECLARED, Scale
from assay.data.order import Listing, Values
from assay.data.tables import number

_COMMENT = re.compile(rb"^[ \t\v\f]*#[^\n]*\n?", re.MULTILINE)
_BLANK = ord(" ")
_PIECE = 1 << 18  # bytes looked at together: they stay in cache
_GLANCE = 1 << 12  # bytes in which a line of judgments ends
_SWAPPED = {4: "; judgments are given with --qrels", 6: "; this looks like a run, not like judgments"}


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a line, which of them are read (the last always), and the one that must be a number."""

    fields: tuple[str, ...]
    read: tuple[str, ...]
    number: str
    kind: type[int] | type[float] | type[str]
    counts: tuple[str, ...] = ()  # fields of whole numbers beside it

    @property
    def kinds(self) -> dict[str, type]:
        """What each field that is read holds."""
        return {**dict.fromkeys(self.read, str), self.number: self.kind}

    def check(self, line: list[bytes]) -> str | None:
        """Say what is wrong with the fields of one line."""
        if len(line) != len(self.fields):
            width = f"{len(line)} field{'s' if len(line) > 1 else ''}"
            return f"{width}, expected {len(self.fields)} ({' '.join(self.fields)}){_SWAPPED.get(len(line), '')}"
        text = line[self.fields.index(self.number)].decode("utf-8")
        try:
            value = self.kind(text.replace("_", "?"))
        except ValueError:
            return f"{self.number} '{text}' is not a number"
        return f"{self.number} is NaN, not a number" if value != value else None


_RUN = ("topic", "Q0", "doc", "rank", "score", "tag")
_RUN_READ = ("topic", "doc", "rank", "score", "tag")
RUN = Layout(_RUN, _RUN_READ, "score", float, counts=("rank",))
WORDED_RUN = Layout(_RUN, _RUN_READ, "score", float)
QRELS = Layout(("topic", "iteration", "doc", "grade"), ("topic", "doc", "grade"), "grade", int)
WORDED_QRELS = Layout(QRELS.fields, QRELS.read, "grade", str)
BARE_QRELS = Layout(QRELS.read, QRELS.read, "grade", int)
WORDED_BARE_QRELS = Layout(QRELS.read, QRELS.read, "grade", str)
_KINDS: dict[type, pl.DataType] = {int: pl.Int64(), float: pl.Float64(), str: pl.String()}


def parse(data: bytes, layout: Layout, source: str) -> pl.DataFrame:
    """Read the bytes of one file into the columns that the layout asks for."""
    text = as_text(data, source)
    frame = _quick(text, layout)
    if frame is None or (layout.kind is float and frame[layout.number].is_nan().any()):
        frame = _line_by_line(text, layout, source)
    return frame


def _quick(text: bytes, layout: Layout) -> pl.DataFrame | None:
    """Read text in one go, tidied if need be; None when any line does not fit."""
    frame = compiled_frame(text, layout.fields, layout.kinds)
    if frame is not None:
        return frame
    frame = None if _is_mixed(text) else _split(text, layout)
    return _split(_tidy(text), layout) if frame is None else frame


def _is_clean(data: bytes) -> bool:
    """Say whether data are text that needs no tidying, judging by the first line; where that errs, none is read."""
    head = data[: data.find(b"\n") + 1]
    one_kind = (b"\t" in head) != (b" " in head)
    return one_kind and b"\r" not in head and b"  " not in head and head[:1] != b"#" and data.isascii()


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
    frame = _columns(text, layout)
    if frame is None or frame.is_empty():
        return None
    comments = b"#" in text and frame["topic"].str.starts_with("#").any()
    # a line with too few fields shows as a null in the last one
    gaps = comments or any(frame[name].null_count() for name in frame.columns)
    return None if gaps or not _is_even(text, frame.height * len(layout.fields)) else frame


def _columns(text: bytes, layout: Layout) -> pl.DataFrame | None:
    """Read the columns that the layout asks for, whatever else there is; None where a number is not one."""
    kinds = {layout.number: _KINDS[layout.kind], **dict.fromkeys(layout.counts, pl.Int32())}
    separator = b"\t" if b"\t" in (text[: text.find(b"\n") + 1] or text) else b" "
    try:
        return pl.read_csv(
            text,
            has_header=False,
            separator=separator.decode(),
            quote_char=None,
            columns=[layout.fields.index(name) for name in layout.read],
            schema={name: kinds.get(name, pl.String()) for name in layout.fields},
        )
    except pl.exceptions.PolarsError:
        return None


def _is_even(text: bytes, n_fields: int) -> bool:
    """Say whether one blank, or the end of a line, follows each field: polars drops surplus fields.

    What steers, such as a zero or a carriage return, counts as a blank.
    """
    code, n_found = np.frombuffer(text, dtype=np.uint8), 0
    blanks, pairs = np.empty((2, _PIECE + 1), dtype=bool)
    for i in range(0, code.size, _PIECE):
        piece = code[i : i + _PIECE + 1]  # one byte of the next piece, to see pairs
        blank = np.less_equal(piece, _BLANK, out=blanks[: piece.size])
        n_found += int(np.count_nonzero(blank[:_PIECE]))
        if np.logical_and(blank[1:], blank[:-1], out=pairs[: piece.size - 1]).any():
            return False
    return n_found + (not text.endswith(b"\n")) == n_fields


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


def judgments_from_bytes(data: bytes, source: str, scale: Scale = UNDECLARED) -> Judgments:
    """Read TREC judgments, or the three columns of MS MARCO; `scale` is what the user declares of grades."""
    text, where = as_text(data, source), _locate(data, source)
    bare = _is_bare(text)
    if not scale.values:
        frame = _quick(text, BARE_QRELS if bare else QRELS)
        if frame is not None:  # all grades are integers
            return Judgments(source, frame["topic"], frame["doc"], frame["grade"].to_numpy(), where)
    from assay.data.judgments.grades import grades

    frame = parse(data, WORDED_BARE_QRELS if bare else WORDED_QRELS, source)
    grade, notes = grades(frame["grade"], scale, source, where)
    if grade.null_count():
        row = int(grade.is_null().arg_max() or 0)
        raise InputError(f"{where(row)}: grade '{frame['grade'][row]}' is not a number")
    return Judgments(source, frame["topic"], frame["doc"], grade.to_numpy(), where, notes=notes)


def _is_bare(text: bytes) -> bool:
    """Say whether judgments come without an iteration: in three columns, in the first line and in the last."""
    for size in (_GLANCE, len(text)):  # more than a glance only where it is all comments
        first, last = next(_lines(text[:size]), None), list(_lines(text[-size:]))[-1:]
        if first and last:
            return {len(line.split()) for _, line in (first, *last)} == {len(BARE_QRELS.fields)}
    return False


def listing_from_bytes(data: bytes, source: str, *, ranked: bool = False) -> Listing:
    """Read one TREC run; its name is its tag, or empty where tags differ.

    If `ranked`, every rank must be a number; else ranks that are none are left out.
    """
    check_lines(data, source)
    where = _locate(data, source)
    read = compiled_run(data if data.isascii() else as_text(data, source)) or _run(data, source, where, ranked=ranked)
    several = read.tags if len(read.tags) > 1 else ()
    return Listing(
        name="" if several else read.tags[0],
        topics=read.topics,
        topic=read.topic,
        doc=Documents.of(read.doc),
        score=read.score,
        rank=read.rank,
        where=where,
        tags=several,
    )


def _run(data: bytes, source: str, where: Callable[[int], str], *, ranked: bool) -> RunColumns:
    """Read one TREC run by polars, or line by line."""
    frame = _split(data, RUN) if _is_clean(data) else None
    score = None if frame is None else frame["score"].to_numpy()
    if frame is None or score is None or np.isnan(score.min()):
        frame = parse(data, WORDED_RUN, source)
        score = frame["score"].to_numpy()
    topics, topic = number(frame["topic"])
    tag = frame["tag"]
    tags = (tag[0],) if (tag == tag[0]).all() else tag.unique(maintain_order=True).to_list()
    rank = _ranks(frame["rank"], where, needed=ranked)
    return RunColumns(topics, topic, frame["doc"], score, rank, tuple(map(str, tags)))


def _ranks(column: pl.Series, where: Callable[[int], str], *, needed: bool) -> Values | None:
    """Return ranks as numbers; none where one is not a number, which is an error if they are `needed`."""
    if column.dtype == pl.Int32:
        return column.to_numpy()
    ranks = column.cast(pl.Float64, strict=False)
    bad = ranks.is_null() | ranks.is_nan()
    if not bad.any():
        return ranks.to_numpy()
    if needed:
        row = int(bad.arg_max() or 0)
        raise InputError(f"{where(row)}: rank '{column[row]}' is not a number")
    return None
