"""Rankings and judgments that already are Python objects: mappings, records and dataframes, as long tables.

A dataframe is known by what it can do (Arrow's capsule interface, or columns); the libraries that make them are
never imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from assay.core.errors import InputError
from assay.data.fields import role_of
from assay.data.long import LongTable

SCORED = ("topic", "doc", "score")
GRADED = ("topic", "doc", "grade", "iteration")

Columns = tuple[list[str], list[pl.Series]]


def is_frame(data: Any) -> bool:
    """Say whether an object is a dataframe, of whatever make."""
    return isinstance(data, pl.LazyFrame) or hasattr(data, "__arrow_c_stream__") or _is_pandas(data)


def _is_pandas(data: Any) -> bool:
    return hasattr(data, "iloc") and hasattr(data, "columns")


def held(data: Any) -> Any:
    """Return data as they are, but what can be walked through only once as a list."""
    if isinstance(data, str | Path | Mapping | Sequence) or is_frame(data):
        return data
    if not isinstance(data, Iterable):
        raise InputError(f"cannot read a {type(data).__name__}; {_READABLE}")
    return list(data)


_READABLE = "files, mappings of mappings, records and dataframes can be read"


def table_from_object(
    data: Any, names: Mapping[str, str], *, source: str, fields: Sequence[str], strict: Iterable[str]
) -> LongTable:
    """Lay an object out as a long table; `fields` names what has no names of its own."""
    if is_frame(data):
        header, columns = _from_frame(data, names)
    elif not len(data):
        raise InputError(f"{source}: nothing in it")
    elif isinstance(data, Mapping):
        header, columns = _from_mapping(data, source, fields)
    else:
        header, columns = _from_records(data, names, source, fields)
    return LongTable.build(header, columns, names, source=source, strict=strict)


def _from_frame(data: Any, names: Mapping[str, str]) -> Columns:
    """Read the columns of a dataframe; those that mean nothing here are not looked at."""
    if _is_pandas(data):
        at = {str(label): _from_pandas(data[[label]]) for label in data.columns if _matters(label, names)}
        return _in_order([str(label) for label in data.columns], at, len(data))
    frame = data.collect() if isinstance(data, pl.LazyFrame) else pl.DataFrame(data)
    return frame.columns, frame.get_columns()


def _matters(label: object, names: Mapping[str, str]) -> bool:
    return role_of(str(label)) is not None or str(label) in names.values()


def _in_order(header: list[str], at: Mapping[str, pl.Series], height: int) -> Columns:
    """Put columns where the header has them, and nothing where it has others."""
    nothing = pl.Series([None] * height, dtype=pl.Null)
    return header, [at.get(word, nothing) for word in header]


def _from_pandas(frame: Any) -> pl.Series:
    """Read one column by Arrow, or else value by value; NaN is how pandas says that there is nothing."""
    try:
        return pl.DataFrame(frame).fill_nan(None).to_series()
    except (ImportError, TypeError, ValueError):  # pandas speaks Arrow with pyarrow only, and not of mixed types
        return series([None if v != v else v for v in frame.iloc[:, 0].tolist()])


def series(values: Sequence[Any]) -> pl.Series:
    """Turn values into a column: numbers in full precision, mixed types as text."""
    column = pl.Series(values, strict=False)
    return pl.Series(values, dtype=pl.Float64, strict=False) if column.dtype == pl.Float32 else column


def _from_mapping(data: Mapping[Any, Any], source: str, fields: Sequence[str]) -> Columns:
    """Read {topic: {doc: number}}, or {run: {topic: {doc: number}}}."""
    header = list(fields[:3])
    if not _is_nested(data):
        return header, _flattened(data, source, header)
    if "score" not in header:
        raise InputError(f"{source}: mappings three deep, expected {{topic: {{doc: grade}}}}")
    parts = [_flattened(run, f"{source}: run {name}", header) for name, run in data.items()]
    runs = [name for name, part in zip(data, parts, strict=True) for _ in range(len(part[0]))]
    return ["run", *header], [series(runs), *(series(list(chain(*column))) for column in zip(*parts, strict=True))]


def _is_nested(data: Mapping[Any, Any]) -> bool:
    """Say whether mappings are three deep, by the first that is not empty."""
    inner = next((docs for docs in data.values() if isinstance(docs, Mapping) and docs), {})
    return any(isinstance(value, Mapping) for value in inner.values())


def _flattened(data: Any, source: str, header: Sequence[str]) -> list[pl.Series]:
    """Lay {topic: {doc: number}} out as three columns."""
    shape = f"{{{header[0]}: {{{header[1]}: {header[2]}}}}}"
    if not isinstance(data, Mapping):
        raise InputError(f"{source}: a {type(data).__name__}, expected {shape}")
    for topic, docs in data.items():
        if not isinstance(docs, Mapping):
            raise InputError(f"{source}: topic {topic} holds a {type(docs).__name__}, expected {shape}")
    topics = [topic for topic, docs in data.items() for _ in range(len(docs))]
    docs = list(chain.from_iterable(data.values()))
    numbers = list(chain.from_iterable(docs.values() for docs in data.values()))
    return [series(topics), series(docs), series(numbers)]


def _from_records(data: Sequence[Any], names: Mapping[str, str], source: str, fields: Sequence[str]) -> Columns:
    """Read mappings, named tuples, or tuples in the usual order; all must be like the first."""
    first = data[0]
    kind = Mapping if isinstance(first, Mapping) else type(first)
    if kind is not Mapping and not isinstance(first, tuple | list):
        raise InputError(f"{source}: row 1 is a {type(first).__name__}; {_READABLE}")
    for i, record in enumerate(data, 1):
        if not isinstance(record, kind):
            raise InputError(f"{source}: row {i} is a {type(record).__name__}, but row 1 a {type(first).__name__}")
    if kind is Mapping:
        keys = list(dict.fromkeys(chain.from_iterable(data)))
        at = {str(key): series([row.get(key) for row in data]) for key in keys if _matters(key, names)}
        return _in_order([str(key) for key in keys], at, len(data))
    header = list(getattr(first, "_fields", fields[: len(first)]))
    for i, record in enumerate(data, 1):
        if not 3 <= len(record) == len(header):
            expected = f"{max(3, len(header))} ({', '.join(header if len(header) >= 3 else fields[:3])})"
            raise InputError(f"{source}: row {i}: {len(record)} fields, expected {expected}")
    return header, [series(column) for column in zip(*data, strict=True)]
