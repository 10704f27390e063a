"""Columns of a long table, gone through some rows at a time: what is not held is read again whenever it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.arrays import Index

BATCH = 1 << 20
"""Rows that are looked at together: what they take beside the result is then small, and so is the cost of a start."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table, in memory or in a file."""

    name: str
    dtype: pl.DataType
    size: int
    read: Callable[[int, int], pl.Series]  # from a row on, so many rows

    @classmethod
    def of(cls, column: pl.Series) -> Column:
        """Take a column that is held."""
        return cls(column.name, column.dtype, len(column), column.slice)

    def parts(self) -> Iterator[tuple[int, pl.Series]]:
        """Go through all rows, some at a time; each part comes with its first row."""
        for start in range(0, self.size, BATCH):
            yield start, self.read(start, min(BATCH, self.size - start))

    def whole(self) -> pl.Series:
        """All rows at once."""
        return self.read(0, self.size)

    def gather(self, rows: Index) -> pl.Series:
        """Take out some rows, in whatever order; what holds none of them is not read."""
        if not rows.size:
            return pl.Series(self.name, [], dtype=self.dtype)
        order = np.argsort(rows, kind="stable")
        rising = rows[order]
        batches = np.unique(rising // BATCH)
        ends = np.searchsorted(rising, (batches + 1) * BATCH)
        parts = []
        for batch, own in zip(batches.tolist(), np.split(rising, ends[:-1]), strict=True):
            start = batch * BATCH
            part = self.read(start, min(BATCH, self.size - start))
            parts.append(part.gather(pl.Series(own - start, dtype=pl.UInt32)))
        back = np.empty_like(order)
        back[order] = np.arange(order.size)
        return pl.concat(parts).gather(pl.Series(back, dtype=pl.UInt32))
