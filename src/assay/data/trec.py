"""TREC files: runs (topic Q0 doc rank score tag) and judgments (topic iteration doc grade).

Bytes come in, columns go out. Text with one separator throughout is read as it is; anything odd (mixed blanks,
comments, CRLF, a byte-order mark) is tidied first; what still does not fit is read line by line, which either
works or says what is wrong, and where.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.errors import InputError
from assay.data.files import as_text
from assay.data.judgments.merging import Judgments
from assay.data.judgments.scale import UNDECLARED, Scale
from assay.data.order import Listing
from assay.data.tables import number

_COMMENT = re.compile(rb"^[ \t\v\f]*#[^\n]*\n?", re.MULTILINE)
_BLANK = ord(" ")
_HEAD = 1 << 12  # bytes, some hundred lines, whose order is looked at first
_PIECE = 1 << 17  # bytes looked at together: they stay in cache
_GLANCE = 1 << 12  # bytes in which a line of judgments ends
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
            return f"{self.number} '{text}' is not a number"
        return f"{self.number} is NaN, not a number" if value != value else None


RUN = Layout(("topic", "Q0", "doc", "rank", "score", "tag"), ("topic", "doc", "score", "tag"), "score", float)
RANKED_RUN = Layout(RUN.fields, ("topic", "doc", "rank", "score", "tag"), "score", float)
_RANKS = Layout(RUN.fields, ("rank",), "rank", float)
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
    return frame.rename({names[name]: name for name in layout.read})


def _is_even(text: bytes, n_fields: int) -> bool:
    """Say whether one blank, or the end of a line, follows each field: polars drops surplus fields.

    What steers, such as a zero or a carriage return, counts as a blank.
    """
    code, n_found = np.frombuffer(text, dtype=np.uint8), 0
    for i in range(0, code.size, _PIECE):
        blank = code[i : i + _PIECE + 1] <= _BLANK  # one byte of the next piece, to see pairs
        n_found += int(np.count_nonzero(blank[:_PIECE]))
        if (blank[1:] & blank[:-1]).any():
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

    If `ranked`, every rank must be a number. Else ranks are read at once where the first lines are out of order, and
    otherwise only if someone asks for them: all ranks of all runs would take a twentieth of the time of reading.
    """
    odd = ranked or _is_odd(data)
    layout = RANKED_RUN if odd else RUN
    frame = _split(data, layout) if _is_clean(data) else None
    if frame is None or frame["score"].is_nan().any():
        frame = parse(data, layout, source)
    topics, topic = number(frame["topic"])
    tag = frame["tag"]
    where = _locate(data, source)
    return Listing(
        name=str(tag[0]) if (tag == tag[0]).all() else "",
        topics=topics,
        topic=topic,
        doc=frame["doc"],
        score=frame["score"].to_numpy(),
        rank=_ranks(frame["rank"], where, needed=ranked) if odd else None,
        read_ranks=None if odd else partial(_later_ranks, data, source, frame.height),
        where=where,
    )


def _is_odd(data: bytes) -> bool:
    """Say whether the first lines of a run are out of order: scores that rise, or ranks that contradict them."""
    text = data if len(data) <= _HEAD else data[:_HEAD].replace(b"\r", b"\n").rpartition(b"\n")[0]
    topic, score, highest, above = b"", 0.0, 0.0, 0.0  # above: the highest rank of documents with higher scores
    try:
        for _, line in _lines(text.replace(b"\r", b"\n")):
            own, _, _, word, number = line.split(None, 5)[:5]
            rank, value = float(word), float(number)
            if own != topic:
                topic, highest, above = own, rank, -math.inf
            elif value > score:
                return True
            elif value < score:
                above = highest
            if rank < above:
                return True
            highest, score = max(highest, rank), value
    except ValueError:  # words for ranks, or no run
        pass
    return False


def _ranks(column: pl.Series, where: Callable[[int], str], *, needed: bool) -> Array | None:
    """Return ranks as numbers; none where one is not a number, which is an error if they are `needed`."""
    ranks = column.cast(pl.Float64, strict=False)
    bad = ranks.is_null() | ranks.is_nan()
    if not bad.any():
        return ranks.to_numpy()
    if needed:
        row = int(bad.arg_max() or 0)
        raise InputError(f"{where(row)}: rank '{column[row]}' is not a number")
    return None


def _later_ranks(data: bytes, source: str, n_rows: int) -> Array | None:
    """Read the ranks of a run that was read before; None where one is not a number."""
    frame = _columns(data, _RANKS) if _is_clean(data) else None
    if frame is None or frame.height != n_rows:
        frame = parse(data, RANKED_RUN, source)
    return _ranks(frame["rank"], str, needed=False)
