"""JSON as tables: objects in lines or in an array, columns, and mappings of topics to documents.

What a file is, its shape says. A mapping is read as the Python object that it stands for; what other tools wrap
around their rows is taken off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from assay.core.arrays import Index
from assay.core.errors import InputError
from assay.core.text import first_few
from assay.data.formats.delimited import Documents, RawTable, numbered, typed
from assay.data.formats.fields import role_of
from assay.data.formats.json_text import check_keys, check_lines, json_lines, read_json
from assay.data.formats.nested import unnested, unnested_rows

_LINES = re.compile(rb"\s*\{.*\n\s*\{")  # an object on a line, and one on the next
IsTopic = Callable[[str], bool]
_WRAPPERS = {"results", "data", "rows", "records"}  # what a list of rows is called beside other things
MODEL = "mteb_model_meta"
"""The key under which MTEB's predictions name their model."""


def json_table(text: bytes, source: str, *, documents: Documents | None) -> RawTable:
    """Read JSON as a table, of documents with their scores or grades, or of anything else."""
    value = json_document(text, source)
    if value is None or (is_row(value) and b"\n" not in text.strip()):
        return _lines(text, source, documents)
    rows = value if isinstance(value, list) else rows_in(value, source)
    if rows is None:
        return _mapping(value, source, documents or "score")
    return rows_table(rows, source, documents)


def json_document(text: bytes, source: str) -> Any:
    """Read a file that is one JSON value; None for several lines with an object each."""
    if _LINES.match(text):
        return None
    first, _, rest = text.strip().partition(b"\n")
    if not first.startswith(b"{") or not rest:
        return read_json(text, source)
    try:
        read_json(first, source)
    except InputError:  # the value goes on
        return read_json(text, source)
    return None


def _usual_topic(name: str) -> bool:
    return role_of(name) == "topic"


def is_row(value: Any) -> bool:
    """Whether a value is one row of a table: a topic, or mostly plain values, and not just a wrapper of rows."""
    if not isinstance(value, dict):
        return False
    plain = [name for name, one in value.items() if not isinstance(one, list | dict)]
    if any(map(_usual_topic, plain)):
        return True
    return 2 * len(plain) > len(value) and not any(_is_rows(one) for one in value.values())


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _is_columns(value: Mapping[str, Any], is_topic: IsTopic) -> bool:
    """Whether an object holds columns, one of them known as the topic: lists of one length, or cells by row."""
    if not any(map(is_topic, value)):
        return False
    cells = list(value.values())
    if all(isinstance(one, list) for one in cells):
        return len({*map(len, cells)}) == 1
    return all(isinstance(one, dict) and list(one) == [*map(str, range(len(one)))] for one in cells)


def _lines(text: bytes, source: str, documents: Documents | None) -> RawTable:
    check_lines(text, source)
    try:
        frame = pl.read_ndjson(text, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        frame, row = _line_by_line(text, source, documents)
    else:
        check_keys(text, frame, source)
        frame, row = unnested(frame, source, ranked=documents == "score") if documents else (frame, None)

    def where(at: int) -> str:
        numbers = [i for i, line in enumerate(text.split(b"\n"), 1) if line.strip()]
        return f"{source}:{numbers[at if row is None else int(row[at])]}"

    return typed(frame, source, where)


def _line_by_line(text: bytes, source: str, documents: Documents | None) -> tuple[pl.DataFrame, Index | None]:
    """Read slowly and surely: NaN and columns of mixed types are read, the first bad line is an error."""
    rows = [row for _, row in json_lines(text, source)]
    laid, row = unnested_rows(rows, source, ranked=documents == "score") if documents else (rows, None)
    return _frame(laid), row


def _frame(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame([_column(name, [row.get(name) for row in rows]) for name in names])


def _column(name: str, values: list[object]) -> pl.Series:
    """Keep numbers if one is fractional; whole ones may be names, and text keeps both as they are written."""
    if all(v is None or isinstance(v, int | float) for v in values) and any(isinstance(v, float) for v in values):
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    return pl.Series(name, texts, dtype=pl.String)


def rows_table(rows: Sequence[Any], source: str, documents: Documents | None) -> RawTable:
    """Make a table of objects; where it is one of `documents`, those in a list inside an object get a row each."""
    for i, one in enumerate(rows, 1):
        if not isinstance(one, dict):
            raise InputError(f"{source}: item {i} of the array is not an object, but {json.dumps(one)[:40]}")
    if not rows:
        raise InputError(f"{source}: an empty array")
    laid, row = unnested_rows(rows, source, ranked=documents == "score") if documents else (rows, None)

    def where(at: int) -> str:
        return f"{source}: object {(at if row is None else int(row[at])) + 1}"

    return typed(_frame(laid), source, where)


def rows_in(value: Mapping[str, Any], source: str, is_topic: IsTopic = _usual_topic) -> list[dict[str, Any]] | None:
    """The rows that an object is, holds as columns, or wraps in a list; None for a mapping."""
    if is_row(value):
        return [dict(value)]
    if isinstance(names := value.get("columns"), list) and isinstance(rows := value.get("data"), list):
        return [_row(names, row, f"{source}: row {i} of 'data'") for i, row in enumerate(rows, 1)]
    if _is_columns(value, is_topic):
        columns = [list(one.values()) if isinstance(one, dict) else one for one in value.values()]
        return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    wrapped = [name for name, one in value.items() if _is_rows(one)]
    rest = {name: one for name, one in value.items() if not isinstance(one, list | dict)}
    if len(wrapped) == 1 and not is_topic(wrapped[0]) and (rest or len(value) == 1 or wrapped[0] in _WRAPPERS):
        return [rest | row for row in value[wrapped[0]]]
    return None


def _row(names: Sequence[Any], cells: Any, place: str) -> dict[str, Any]:
    """Name the cells of a row."""
    row = dict(zip(map(str, names), cells, strict=False)) if isinstance(cells, list) else {}
    if not isinstance(cells, list) or len(cells) != len(row) or len(row) != len(names):
        raise InputError(f"{place} does not have a cell for each of the {len(names)} columns")
    return row


def _mapping(value: Mapping[str, Any], source: str, number: Documents) -> RawTable:
    """Lay out a mapping of topics to documents, or of runs to such mappings."""
    from assay.data.formats.objects import from_mapping

    lists = _predictions(value, source) if MODEL in value else value
    header, columns = from_mapping(lists, source, ("topic", "doc", number))
    ids = [word for word in header if word in ("run", "topic", "doc")]
    frame = numbered(pl.DataFrame([column.alias(word) for word, column in zip(header, columns, strict=True)]))

    def where(row: int) -> str:
        return f"{source}: {', '.join(f'{word} {frame[row, i]}' for i, word in enumerate(ids))}"

    return RawTable(source, tuple(header), frame, where)


def _predictions(value: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Take the lists out of MTEB's predictions: {subset: {split: {topic: {doc: score}}}} of one model."""
    parts = {
        f"{subset}/{split}": lists
        for subset, splits in value.items()
        if subset != MODEL and isinstance(splits, dict)
        for split, lists in splits.items()
    }
    if len(parts) != 1:
        what = f"predictions of {len(parts)} subsets and splits ({first_few(list(parts))})"
        raise InputError(f"{source}: {what}, where one is expected; write each to a file of its own")
    model = value[MODEL]
    name = model.get("model_name") if isinstance(model, dict) else None
    lists = next(iter(parts.values()))
    return {str(name): lists} if name else lists
