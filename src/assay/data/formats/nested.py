"""Lists of documents inside a row, laid out with one row per document.

`{"qid": 7, "results": [{"doc": "a", "score": 2.5}, ...]}` is how many systems log what they returned. The place in
the list of a run is the rank, unless the documents state one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.core.arrays import Index
from assay.core.errors import InputError
from assay.data.formats.fields import plain_column, role_of

LISTS = {
    *("results", "hits", "docs", "documents", "passages", "ranking", "candidates", "items", "contexts", "ctxs"),
    *("retrieved", "retrieved_docs", "retrieved_documents", "retrieved_ids", "retrieved_context_ids"),
    *("doc_ids", "docids"),
}
"""What a column of plain ids is called where it is a ranking; a list of objects is known by their fields."""

_ID = ("id", "_id")
Fields = tuple[str, ...] | None  # the fields of a list's objects; None for plain ids


def unnested(frame: pl.DataFrame, source: str, *, ranked: bool) -> tuple[pl.DataFrame, Index | None]:
    """Lay out the list of documents in every row; return the row that each came from, None where there is no list.

    The lists are rankings if `ranked`; else they are judgments, in whatever order.
    """
    lists = {name: _fields(kind) for name, kind in frame.schema.items() if isinstance(kind, pl.List)}
    name = _ranking([name for name in frame.columns if name not in lists], lists, source)
    if name is None:
        return frame, None
    fields = lists[name]
    row = np.repeat(np.arange(frame.height), frame[name].list.len().fill_null(0).to_numpy())
    rest = frame.select(one for one in frame.columns if one not in lists)[row]
    item = frame[name].drop_nulls().explode(empty_as_null=False)
    laid = (
        {_renamed(one, rest.columns, fields): item.struct.field(one) for one in fields} if fields else {"doc": item}
    )
    table = rest.with_columns(column.alias(one) for one, column in laid.items())
    return _with_ranks(table, row) if ranked else table, row


def unnested_rows(
    rows: Sequence[Mapping[str, Any]], source: str, *, ranked: bool
) -> tuple[list[dict[str, Any]], Index | None]:
    """Do the same with rows as mappings."""
    lists: dict[str, Fields] = {}
    flat: dict[str, None] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, list):
                lists[name] = _fields_of(value, lists.get(name))
            else:
                flat[name] = None
    ranking = _ranking([name for name in flat if name not in lists], lists, source)
    if ranking is None:
        return [dict(row) for row in rows], None
    fields = lists[ranking]
    laid, origin = [], []
    for i, row in enumerate(rows):
        rest = {key: value for key, value in row.items() if key not in lists}
        for rank, item in enumerate(row.get(ranking) or (), 1):
            if isinstance(item, Mapping) is not (fields is not None):
                raise InputError(f"{source}: '{ranking}' of row {i + 1}: item {rank} is not like the others")
            own = {_renamed(k, flat, fields): v for k, v in item.items()} if fields else {"doc": item}
            laid.append({**({"rank": rank} if ranked else {}), **rest, **own})
            origin.append(i)
    return laid, np.array(origin, dtype=np.int64)


def _fields(kind: pl.List) -> Fields:
    inner = kind.inner
    return tuple(field.name for field in inner.fields) if isinstance(inner, pl.Struct) else None


def _fields_of(value: list[Any], known: Fields) -> Fields:
    names = [name for item in value if isinstance(item, Mapping) for name in item]
    return tuple(dict.fromkeys([*(known or ()), *names])) or None


def _ranking(flat: Iterable[str], lists: Mapping[str, Fields], source: str) -> str | None:
    """Find the list that is a ranking; none where the rows name documents themselves."""
    if any(role_of(name) == "doc" for name in flat):
        return None
    names = [name for name, fields in lists.items() if _doc_field(fields) or _is_ranking(name, fields)]
    if len(names) > 1:
        raise InputError(f"{source}: '{names[0]}' and '{names[1]}' both are lists of documents; keep one of them")
    return names[0] if names else None


def _is_ranking(name: str, fields: Fields) -> bool:
    return fields is None and plain_column(name) in LISTS


def _doc_field(fields: Fields) -> str | None:
    """Which field of the objects in a list is the document."""
    usual = [name for name in fields or () if role_of(name) == "doc"]
    return next(iter([*usual, *(name for name in fields or () if name in _ID)]), None)


def _renamed(name: str, taken: Iterable[str], fields: Fields) -> str:
    """What a field of a document is called beside the columns of its row."""
    if name == _doc_field(fields) and role_of(name) != "doc":
        return "doc"
    return f"document.{name}" if name in taken else name


def _with_ranks(frame: pl.DataFrame, row: Index) -> pl.DataFrame:
    """Add the place in the list, where no column says the rank."""
    if any(role_of(name) == "rank" for name in frame.columns):
        return frame
    place = np.arange(row.size) - np.searchsorted(row, row) + 1
    return frame.with_columns(pl.Series("rank", place))
