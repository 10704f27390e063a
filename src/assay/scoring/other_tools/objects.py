"""Scores that already are Python objects: dataframes, records and mappings, one or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from assay.core.errors import InputError
from assay.data.formats.delimited import RawTable, numbered, typed
from assay.data.formats.objects import columns_of, is_frame

_READABLE = "files, dataframes, records and mappings of scores can be read"
_FIELDS = ("topic", "measure", "value")
_RUN = "run"


def parts_in(source: Any) -> list[tuple[str, Any, bool]]:
    """Take several objects apart: each with the name of its run, and whether the user gives it that name."""
    whole = _held(source)
    if isinstance(whole, Mapping) and whole and all(map(_is_whole, whole.values())):
        return [(str(run), _held(part), True) for run, part in whole.items()]
    if _is_several(whole):
        return [
            (own or f"{_RUN}{i}", _held(part), own is not None)
            for i, part in enumerate(whole, 1)
            for own in [_name(part)]
        ]
    own = _name(source)
    return [(own or _RUN, whole, own is not None)]


def table_from_object(data: Any, source: str) -> RawTable:
    """Lay a dataframe or records out as a table; what is neither text nor number is written as text."""
    header, columns = columns_of(data, source, _FIELDS, lambda _: True)
    readable = [_readable(column) for column in columns]
    names = [word for word, column in zip(header, readable, strict=True) if column is not None]
    held = [column.alias(str(i)) for i, column in enumerate(column for column in readable if column is not None)]
    table = typed(pl.DataFrame(held), source, lambda row: f"{source}: row {row + 1}")
    return RawTable(source, tuple(names), numbered(table.columns), table.where)


def _readable(column: pl.Series) -> pl.Series | None:
    """A column of other tools' measures as their names; None for lists and for what is empty."""
    if column.dtype == pl.Object:
        return pl.Series([None if value is None else str(value) for value in column.to_list()], dtype=pl.String)
    if column.dtype.is_nested() or column.dtype in (pl.Null, pl.Binary) or column.dtype.is_temporal():
        return None
    return column.cast(pl.String) if column.dtype in (pl.Categorical, pl.Enum) else column


def _held(data: Any) -> Any:
    """Return data as they are, but ranx's runs as their scores, and what can be walked through once as a list."""
    if isinstance(data, str | Path) or is_frame(data):
        return data
    if _is_ranx(data):
        if not data.scores:
            raise InputError(f"{data.name or 'run'}: no scores in this run; ranx's evaluate leaves them there")
        return {measure: dict(topics) for measure, topics in data.scores.items()}
    per_query = getattr(data, "per_query", None)  # what ir_measures' calc gives
    if per_query is not None:
        return list(per_query)
    if isinstance(data, Mapping | Sequence):
        return data
    if not isinstance(data, Iterable):
        raise InputError(f"cannot read a {type(data).__name__}; {_READABLE}")
    return list(data)


def _is_ranx(data: Any) -> bool:
    return hasattr(data, "scores") and hasattr(data, "run") and hasattr(data, "name")


def _name(data: Any) -> str | None:
    return data.name if _is_ranx(data) else None


def _is_whole(data: Any) -> bool:
    """Whether an object holds scores by itself; the mappings of a mapping belong to it."""
    if isinstance(data, str | Path) or is_frame(data) or _is_ranx(data) or hasattr(data, "per_query"):
        return True
    return isinstance(data, Iterable) and not isinstance(data, Mapping)


def _is_several(data: Any) -> bool:
    """Whether a list holds objects with scores, and not records."""
    if not isinstance(data, Sequence) or not data or is_frame(data):
        return False
    nested = all(isinstance(one, Mapping) and any(isinstance(v, Mapping) for v in one.values()) for one in data)
    return nested or all(is_frame(one) or _is_ranx(one) or hasattr(one, "per_query") for one in data)
