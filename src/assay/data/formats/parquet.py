"""Parquet files: as a table, or as columns of a long table that are read some rows at a time.

A file on disk is not held: what stands for its bytes is their beginning, and its columns are read from where it is.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from assay.core.errors import InputError
from assay.data.files import FileStart, most_bytes, too_large
from assay.data.formats.delimited import Documents, RawTable, typed
from assay.data.long.columns import Column

_CELL = 8  # bytes of a number, and the least that a text takes


def parquet_table(data: bytes, source: str, *, documents: Documents | None) -> RawTable:
    """Read all columns at once; where the table is one of `documents`, lists of them are laid out."""
    with _read(source):
        frame = _scanned(data, source).collect()
    origin = None
    if documents and any(isinstance(kind, pl.List) for kind in frame.dtypes):
        from assay.data.formats.nested import unnested

        frame, origin = unnested(frame, source, ranked=documents == "score")
    return typed(frame, source, lambda row: f"{source}: row {(row if origin is None else int(origin[row])) + 1}")


def parquet_columns(data: bytes, source: str) -> list[Column] | None:
    """The columns that can be names or scores, read when they are needed; None where a row may hold a list."""
    with _read(source):
        table = _scanned(data, source)
        schema, n_rows = table.collect_schema(), int(table.select(pl.len()).collect().item())
    if any(isinstance(kind, pl.List) for kind in schema.dtypes()):
        return None
    return [_column(table, name, n_rows, source) for name in typed(schema.to_frame(), source, str).header]


def parquet_names(data: bytes, source: str) -> list[str]:
    """The names of all columns."""
    with _read(source):
        return _opened(data, source).collect_schema().names()


def _column(table: pl.LazyFrame, name: str, n_rows: int, source: str) -> Column:
    kind = table.collect_schema()[name]
    is_word = isinstance(kind, pl.Categorical | pl.Enum)

    def read(start: int, size: int) -> pl.Series:
        with _read(source):
            part = table.select(name).slice(start, size).collect(engine="in-memory").to_series()
        return part.cast(pl.String) if is_word else part

    return Column(name, pl.String() if is_word else kind, n_rows, read)


def _scanned(data: bytes, source: str) -> pl.LazyFrame:
    """Open a file; one of many more rows than it has bytes is refused if they would not fit.

    Polars would end the process.
    """
    table = _opened(data, source)
    n_cells = table.select(pl.len()).collect().item() * len(table.collect_schema())
    if _CELL * n_cells > most_bytes():
        raise too_large(source, "unpacks to")
    return table


def _opened(data: bytes, source: str) -> pl.LazyFrame:
    if isinstance(data, FileStart):
        return pl.scan_parquet(Path(source).absolute(), glob=False, hive_partitioning=False)
    return pl.scan_parquet(io.BytesIO(data))


@contextmanager
def _read(source: str) -> Iterator[None]:
    """Say in one line that a file is damaged."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        raise InputError(f"{source}: damaged Parquet ({str(problem).splitlines()[0]})") from None
