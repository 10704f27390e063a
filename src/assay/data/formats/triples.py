"""Three columns without a header: topic, document, and its rank, as MS MARCO asks for it, or its score."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assay.core.errors import InputError
from assay.core.notes import Note
from assay.data.formats.delimited import RawTable, read_table
from assay.data.long import LongTable

WIDTH = 3


def ranked_triples(data: bytes, source: str, names: Mapping[str, str]) -> LongTable:
    """Read three columns as one run; whether the last holds ranks or scores, its numbers say."""
    raw = read_table(data, source)
    if len(raw.header) != WIDTH:
        raise InputError(f"{source}: {len(raw.header)} columns, expected topic, doc and rank")
    raw = raw.with_header("topic", "doc", "rank")
    last = "rank" if _are_ranks(raw) else "score"
    columns = raw.columns.get_columns()
    table = LongTable.build(("topic", "doc", last), columns, names, source=source, where=raw.where)
    note = Note("three_columns", "info", f"{source}: three columns without a header, read as topic, doc and {last}")
    return LongTable(source, table.header, table.columns, table.where, (*table.notes, note))


def _are_ranks(raw: RawTable) -> bool:
    """Whether the last column counts the documents of every topic, from 1 or from 0; fractions are scores."""
    number = raw.columns["2"].str.strip_chars()
    if not number.str.contains(r"^\d+$").fill_null(value=False).all():
        return False
    rank = number.cast(pl.Int64, strict=False).fill_null(-1)  # what does not fit is no rank
    ranks = pl.DataFrame({"topic": raw.columns["0"], "rank": rank})
    lists = ranks.group_by("topic").agg(
        n=pl.len(), n_ranks=pl.col("rank").n_unique(), low=pl.col("rank").min(), high=pl.col("rank").max()
    )
    counts = (pl.col("n") == pl.col("n_ranks")) & pl.col("low").is_in([0, 1])
    if not lists.select((counts & (pl.col("high") - pl.col("low") == pl.col("n") - 1)).all()).item():
        what = "whole numbers that are not the ranks 1, 2, 3, ... of every topic"
        raise InputError(
            f"{raw.source}: the third column holds {what}; a first line `topic doc score`, or rank, would tell"
        )
    return True
