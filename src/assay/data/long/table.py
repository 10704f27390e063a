"""Long tables: one row per ranked document, judgment, or both at once; many runs may stand in one table.

A row with a run, a rank or a score is ranked; a row with a grade is a judgment, ranked or not. Columns are gone
through some rows at a time, one column after another, so that what is wrong with a column is said of its first row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools, Index
from assay.core.errors import InputError
from assay.core.notes import Note
from assay.data.files import plain_name
from assay.data.formats.delimited import read_table
from assay.data.formats.fields import (
    Where,
    find_columns,
    ids,
    is_prose,
    missing_column,
    numbers,
    texts,
)
from assay.data.long.columns import Column

RANKED = ("topic", "run", "doc", "rank", "score")
JUDGED = ("topic", "doc", "grade")

_PARQUET = {".parquet", ".pq"}
_MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True)
class LongTable:
    """A long table: those columns that are there, by what they hold, and where each row came from."""

    source: str
    header: tuple[str, ...]
    columns: Mapping[str, Column]  # topic, doc, run, rank, score, grade: as they stand
    where: Where
    notes: tuple[Note, ...] = ()
    score: str = "score"  # what the column of scores is called

    @classmethod
    def build(
        cls,
        header: Sequence[str],
        columns: Sequence[pl.Series | Column],
        names: Mapping[str, str],
        *,
        source: str,
        where: Where | None = None,
        strict: Iterable[str] = (),
    ) -> LongTable:
        """Find columns by the words of the header, or as the user names them."""
        place = where or (lambda row: f"{source}: row {row + 1}")
        position, notes = find_columns(header, names, source=source, strict=strict)
        for role in ("topic", "doc"):
            if role not in position:
                raise missing_column([role], header, source)
        chosen = {role: columns[i] for role, i in position.items()}
        held = {role: Column.of(one) if isinstance(one, pl.Series) else one for role, one in chosen.items()}
        if not held["topic"].size:
            raise InputError(f"{source}: a header, but no rows")
        score = header[position["score"]] if "score" in position else "score"
        return cls(source, tuple(header), held, place, notes, score)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.columns["topic"].size

    def ids(self, role: str) -> Iterator[pl.Series]:
        """Go through topics or documents as text; every row must have one."""
        for start, part in self.columns[role].parts():
            yield ids(part, role, self.source, from_row(self.where, start))

    def check_ids(self) -> None:
        """Refuse rows without a topic or a document, and names that are none."""
        for _ in chain(self.ids("topic"), self.ids("doc"), self.runs()):
            pass

    def runs(self) -> Iterator[pl.Series]:
        """Go through the names of runs, null in rows without one."""
        for _, part in self.columns["run"].parts() if "run" in self.columns else ():
            yield texts(part, "run", self.source)

    def judged(self, rows: Index) -> pl.DataFrame:
        """The topics and documents of some rows, which rise, as text; those of all rows are checked."""
        chosen = np.zeros(self.n_rows, dtype=bool)
        chosen[rows] = True

        def parts(role: str) -> Iterator[pl.Series]:
            start = 0
            for part in self.ids(role):
                yield part.filter(pl.Series(chosen[start : start + len(part)]))
                start += len(part)

        return pl.DataFrame({role: pl.concat(list(parts(role))) for role in ("topic", "doc")})

    def is_ranked(self) -> Bools:
        """Say which rows are ranked: those with a run, a rank or a score."""
        ranked = self.has_value("rank", "score")
        if "run" in self.columns:
            ranked |= np.concatenate([part.is_not_null().to_numpy() for part in self.runs()])
        return ranked

    def has_value(self, *roles: str) -> Bools:
        """Say which rows have something in one of these columns."""
        there = np.zeros(self.n_rows, dtype=bool)
        for role in {*roles} & {*self.columns}:
            for start, part in self.columns[role].parts():
                there[start : start + len(part)] |= part.is_not_null().to_numpy()
        return there

    def numbers(self, role: str) -> Iterator[Array]:
        """Go through ranks or scores, NaN in rows without one; how text writes numbers, all of it says."""
        column = self.columns.get(role) or Column.of(pl.Series([None] * self.n_rows, dtype=pl.Float64))
        if column.dtype != pl.String:
            for start, part in column.parts():
                yield numbers(part, role, from_row(self.where, start))
            return
        whole = Column.of(pl.Series(numbers(column.whole(), role, self.where)))
        for _, part in whole.parts():
            yield part.to_numpy()


def table_from_bytes(data: bytes, source: str, names: Mapping[str, str], *, strict: Iterable[str]) -> LongTable:
    """Read a long table; the columns that the user names must be there if what they hold is among the `strict`."""
    if data.startswith(_MAGIC):
        from assay.data.formats.parquet import parquet_columns

        in_file = parquet_columns(data, source)
        if in_file is not None:
            return LongTable.build([one.name for one in in_file], in_file, names, source=source, strict=strict)
    elif data and Path(plain_name(source)).suffix.lower() in _PARQUET:
        raise InputError(f"{source}: not a Parquet file, though its name says so")
    raw = read_table(data, source, documents="score" if "score" in strict else "grade")
    if raw.has_line_ends:
        named, _ = find_columns(raw.header, names, source=source, strict=strict)
        raw.check_line_ends({role: i for role, i in named.items() if not is_prose(role, raw.header[i])})
    columns = raw.columns.get_columns()
    return LongTable.build(raw.header, columns, names, source=source, where=raw.where, strict=strict)


def at_rows(where: Where, rows: Callable[[], Index]) -> Where:
    """Say where the rows of a part stand."""
    return lambda row: where(int(rows()[row]))


def from_row(where: Where, start: int) -> Where:
    """Say where rows stand that are counted from one of them."""
    return lambda row: where(start + row)
