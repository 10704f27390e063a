"""Tables as analyses give them: rows under a schema, with no value in place of NaN."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

Kind = type[pl.DataType]
Schema = Mapping[str, Kind]

_TEXTS = ("measure", "measure_a", "measure_b", "method", "run", "run_a", "run_b", "topic", "verdict")
_COUNTS = ("n", "n_runs", "n_topics", "n_splits")
KINDS: dict[str, Kind] = {
    **dict.fromkeys(_TEXTS, pl.String),
    **dict.fromkeys(_COUNTS, pl.Int64),
}
"""The kinds of columns that mean the same in every table."""


def schema(*names: str, **kinds: Kind) -> dict[str, Kind]:
    """Say what kind every column is: as named here, else as in all tables, else a number.

    >>> schema("measure", "n_topics", "low", "given", given=pl.String)
    {'measure': String, 'n_topics': Int64, 'low': Float64, 'given': String}
    """
    return {name: kinds.get(name, KINDS.get(name, pl.Float64)) for name in names}


def table(rows: Iterable[tuple[object, ...]], schema: Schema) -> pl.DataFrame:
    """Lay rows out under a schema; NaN is no value."""
    return without_nan(pl.DataFrame(list(rows), schema=schema, orient="row"))


def without_nan(table: pl.DataFrame) -> pl.DataFrame:
    """Put no value where a number is NaN."""
    return table.with_columns(pl.selectors.float().fill_nan(None))
