"""Rankings, judgments and scores that already are Python objects: mappings, records and dataframes, as columns.

An object is known by what it can do: a dataframe by Arrow's capsule interface or its columns, ranx's runs and
judgments by what they hold, a dataset of ir_datasets by its iterators. The libraries that make them are never
imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from assay.core.errors import InputError, UsageError
from assay.data.formats.fields import role_of
from assay.data.long.table import LongTable

SCORED = ("topic", "doc", "score")
GRADED = ("topic", "doc", "grade", "iteration")

Columns = tuple[list[str], list[pl.Series]]
READABLE = "files, mappings of mappings, records and dataframes can be read"


def is_frame(data: Any) -> bool:
    """Say whether an object is a dataframe, of whatever make."""
    return isinstance(data, pl.LazyFrame) or hasattr(data, "__arrow_c_stream__") or _is_pandas(data)


def _is_pandas(data: Any) -> bool:
    return hasattr(data, "iloc") and hasattr(data, "columns")


def _is_ranx(data: Any) -> bool:
    """Say whether an object is a Run or the Qrels of ranx: a mapping of mappings inside, with a name."""
    return hasattr(data, "to_dict") and hasattr(data, "name") and (hasattr(data, "run") or hasattr(data, "qrels"))


def held(data: Any, *, judged: bool = False) -> Any:
    """Return data as they are, but what can be walked through only once as a list; a dataset as what it holds."""
    walk = getattr(data, "qrels_iter" if judged else "scoreddocs_iter", None)
    if callable(walk):
        return list(walk())
    if isinstance(data, str | Path | Mapping | Sequence) or is_frame(data):
        return data
    if _is_ranx(data):
        return data.to_dict() if judged else data
    if not isinstance(data, Iterable):
        raise InputError(f"cannot read a {type(data).__name__}; {READABLE}")
    return list(data)


def runs_in(data: Any, name: str) -> list[tuple[str, Any, bool]]:
    """Take several runs apart: each with its name, and whether that is a name of its own, given by the user.

    A mapping of names to files, dataframes, records or ranx's runs is one; so is a list of dataframes, mappings or
    ranx's runs. Anything else is one object, which may hold several runs all the same.
    """
    if _is_ranx(data):
        return [(data.name or name, data.to_dict(), data.name is not None)]
    if isinstance(data, Mapping) and any(map(_is_run, data.values())) and all(map(_is_part, data.values())):
        return [(str(key), _plain(part), True) for key, part in data.items()]
    if isinstance(data, Sequence) and not isinstance(data, str) and data and all(map(_is_whole, data)):
        return [
            (own or f"{name}{i}", _plain(part), own is not None)
            for i, part in enumerate(data, 1)
            for own in [part.name if _is_ranx(part) else None]
        ]
    return [(name, data, False)]


def judgments_in(data: Any) -> dict[str, Any]:
    """Take several objects with judgments apart, each with what it is called in messages; they are merged."""
    if isinstance(data, Sequence) and not isinstance(data, str) and data and all(map(_is_whole, data)):
        return {f"judgments {i}": held(part, judged=True) for i, part in enumerate(data, 1)}
    return {"judgments": data}


def _plain(data: Any) -> Any:
    return data.to_dict() if _is_ranx(data) else held(data)


def _is_run(data: Any) -> bool:
    """Whether a value of a mapping is a run by itself, as rankings are; mappings of mappings are read whole."""
    if isinstance(data, str | Path) or is_frame(data) or _is_ranx(data):
        return True
    if isinstance(data, Mapping):
        return bool(data) and all(isinstance(docs, list | tuple) for docs in data.values())
    return _is_records(data) if isinstance(data, Sequence) else isinstance(data, Iterable)


def _is_part(data: Any) -> bool:
    return _is_run(data) or _is_whole(data)


def _is_records(data: Sequence[Any]) -> bool:
    """Whether a list holds records that name a topic each, or are in the usual order."""
    first = data[0] if data else None
    names = list(first) if isinstance(first, Mapping) else getattr(first, "_fields", ())
    if names:
        return any(role_of(str(name)) == "topic" for name in names)
    return isinstance(first, tuple | list) and len(first) >= len(SCORED)


def _is_whole(data: Any) -> bool:
    """Whether an item of a list is a run by itself, and not a record."""
    nested = isinstance(data, Mapping) and bool(data) and all(isinstance(one, Mapping) for one in data.values())
    return nested or is_frame(data) or _is_ranx(data)


def table_from_object(
    data: Any, names: Mapping[str, str], *, source: str, fields: Sequence[str], strict: Iterable[str]
) -> LongTable:
    """Lay an object out as a long table; `fields` names what has no names of its own."""
    header, columns = columns_of(data, source, fields, lambda name: _matters(name, names))
    return LongTable.build(header, columns, names, source=source, strict=strict)


def columns_of(data: Any, source: str, fields: Sequence[str], matters: Callable[[str], bool]) -> Columns:
    """Lay an object out as columns with a header; those that do not matter are not looked at."""
    if is_frame(data):
        return _from_frame(data, matters)
    if not len(data):
        raise InputError(f"{source}: nothing in it")
    if isinstance(data, Mapping):
        return from_mapping(data, source, fields)
    return _from_records(data, source, fields, matters)


def _from_frame(data: Any, matters: Callable[[str], bool]) -> Columns:
    """Read the columns of a dataframe."""
    if _is_pandas(data):
        at = {str(label): _from_pandas(data[[label]]) for label in data.columns if matters(str(label))}
        return _in_order([str(label) for label in data.columns], at, len(data))
    try:
        frame = data.collect() if isinstance(data, pl.LazyFrame) else pl.DataFrame(data)
    except (pl.exceptions.PolarsError, TypeError, ValueError) as problem:
        first = next(iter(str(problem).splitlines()), "")
        raise InputError(f"cannot read this {type(data).__name__} ({first})") from None
    return frame.columns, frame.get_columns()


def _matters(label: str, names: Mapping[str, str]) -> bool:
    return role_of(label) is not None or label in names.values()


def _in_order(header: list[str], at: Mapping[str, pl.Series], height: int) -> Columns:
    """Put columns where the header has them, and nothing where it has others."""
    nothing = pl.Series([None] * height, dtype=pl.Null)
    return header, [at.get(word, nothing) for word in header]


def _from_pandas(frame: Any) -> pl.Series:
    """Read one column by Arrow, or else value by value; NaN is how pandas says that there is nothing."""
    try:
        return pl.DataFrame(frame).fill_nan(None).to_series()
    except (ImportError, TypeError, ValueError):  # pandas speaks Arrow with pyarrow only, and not of mixed types
        return series([None if _is_gap(v) else v for v in frame.iloc[:, 0].tolist()])


def _is_gap(value: Any) -> bool:
    """Whether a value says that there is nothing; no two of these are equal, and pandas' own is not even unequal."""
    if isinstance(value, float | int | str):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")


def series(values: Sequence[Any]) -> pl.Series:
    """Turn values into a column: numbers in full precision, mixed types as text."""
    column = pl.Series(values, strict=False)
    return pl.Series(values, dtype=pl.Float64, strict=False) if column.dtype == pl.Float32 else column


def from_mapping(data: Mapping[Any, Any], source: str, fields: Sequence[str]) -> Columns:
    """Read {topic: {doc: number}}, {run: {topic: {doc: number}}}, or rankings: {topic: [doc, ...]}."""
    header = list(fields[:3])
    if "score" in header and all(isinstance(docs, list | tuple) for docs in data.values()):
        return _from_lists(data, source)
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


def _from_lists(data: Mapping[Any, Sequence[Any]], source: str) -> Columns:
    """Read {topic: [doc, ...]}, best first; each document an id, a pair with its score, or a mapping."""
    from assay.data.formats.nested import unnested_rows

    lists = [
        {
            "topic": topic,
            "docs": [_document(doc, f"{source}: item {i} of topic {topic}") for i, doc in enumerate(docs, 1)],
        }
        for topic, docs in data.items()
    ]
    rows, _ = unnested_rows(lists, source, ranked=True)
    if not rows:
        raise InputError(f"{source}: a header, but no rows")
    header = list(dict.fromkeys(chain.from_iterable(rows)))
    return header, [series([row.get(word) for row in rows]) for word in header]


def _document(doc: Any, place: str) -> Any:
    """Read one document of a ranking."""
    if isinstance(doc, tuple | list) and len(doc) == 2:
        return dict(zip(("doc", "score"), doc, strict=True))
    if not isinstance(doc, str | int | Mapping):
        raise InputError(f"{place} is a {type(doc).__name__}, expected a document's id, or one with its score")
    return doc


def _from_records(data: Sequence[Any], source: str, fields: Sequence[str], matters: Callable[[str], bool]) -> Columns:
    """Read mappings, named tuples, or tuples in the usual order; all must be like the first."""
    first = data[0]
    kind = Mapping if isinstance(first, Mapping) else type(first)
    if kind is not Mapping and not isinstance(first, tuple | list):
        raise InputError(f"{source}: row 1 is a {type(first).__name__}; {READABLE}")
    for i, record in enumerate(data, 1):
        if not isinstance(record, kind):
            raise InputError(f"{source}: row {i} is a {type(record).__name__}, but row 1 a {type(first).__name__}")
    if kind is Mapping:
        keys = list(dict.fromkeys(chain.from_iterable(data)))
        at = {str(key): series([row.get(key) for row in data]) for key in keys if matters(str(key))}
        return _in_order([str(key) for key in keys], at, len(data))
    header = list(getattr(first, "_fields", fields[: len(first)]))
    for i, record in enumerate(data, 1):
        if not 3 <= len(record) == len(header):
            expected = f"{max(3, len(header))} ({', '.join(header if len(header) >= 3 else fields[:3])})"
            raise InputError(f"{source}: row {i}: {len(record)} fields, expected {expected}")
    return header, [series(column) for column in zip(*data, strict=True)]


def to_pandas(frame: pl.DataFrame) -> Any:
    """Turn a table into pandas' own, value by value: pyarrow need not be there."""
    try:
        import pandas
    except ImportError:
        raise UsageError("pandas is not installed (pip install pandas)") from None
    return pandas.DataFrame(frame.to_dict(as_series=False))
