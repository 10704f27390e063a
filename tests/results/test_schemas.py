"""Tables under a schema: kinds of columns, and no value in place of NaN."""

from __future__ import annotations

import polars as pl

from assay.results.schemas import schema, table, without_nan

KINDS = schema("measure", "n_topics", "low", "sure", sure=pl.Boolean)


def test_a_column_is_as_named_else_as_everywhere_else_a_number() -> None:
    kinds = list(KINDS.items())
    assert kinds == [("measure", pl.String), ("n_topics", pl.Int64), ("low", pl.Float64), ("sure", pl.Boolean)]


def test_rows_are_laid_out_and_nan_is_no_value() -> None:
    rows = table([("AP", 5, float("nan"), True), ("RR", 6, 0.5, None)], KINDS)
    assert rows.rows() == [("AP", 5, None, True), ("RR", 6, 0.5, None)]
    assert dict(rows.schema) == KINDS
    assert without_nan(rows).equals(rows)


def test_no_rows_make_an_empty_table_of_the_same_columns() -> None:
    assert dict(table([], KINDS).schema) == KINDS
