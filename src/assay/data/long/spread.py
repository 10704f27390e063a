"""The rows of a table, spread over its runs: columns are read in parts and every run gets its own rows in order."""

from __future__ import annotations

import mmap
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.arrays import Index
from assay.data.formats.fields import texts
from assay.data.long import columns
from assay.data.long.columns import Column

_LARGE = 1 << 20  # bytes
_HELD = 1 << 21  # ids that are read together
_MANY_ROWS = 1 << 32  # numbers of so many rows take more than four bytes
Rows = NDArray[np.unsignedinteger] | Index
RunNumbers = NDArray[np.signedinteger]
_Part = tuple[
    NDArray[np.uint32] | None, Index, Index
]  # rows run by run, None where they stand so; the runs; where each one ends


@dataclass(frozen=True, slots=True)
class Spread:
    """Which rows belong to which run."""

    run: RunNumbers  # [row] below 0 where a row is not ranked
    count: Index  # [run]
    parts: tuple[_Part, ...]

    @classmethod
    def of(cls, run: RunNumbers, n_runs: int) -> Spread:
        """Find the rows of each run, part by part."""
        starts = range(0, run.size, columns.BATCH)
        parts = tuple(_grouped(run[start : start + columns.BATCH]) for start in starts)
        count = np.zeros(n_runs + 1, dtype=np.int64)  # the last one for rows that are not ranked
        for _, runs, ends in parts:
            count[runs] += np.diff(ends, prepend=0)
        return cls(run, count[:-1], parts)

    @property
    def is_interleaved(self) -> bool:
        """Whether the rows of runs stand between those of others."""
        return sum(runs.size for _, runs, _ in self.parts) > len(self.parts) + self.count.size

    def rows(self, run: int) -> Index:
        """The rows of a run."""
        rows: list[Rows] = [np.arange(0)]
        start = 0
        for order, runs, ends in self.parts:
            at = int(np.searchsorted(runs, run))
            if at < runs.size and runs[at] == run:
                own = np.arange(0 if at == 0 else ends[at - 1], ends[at])
                rows.append(start + (own if order is None else order[own]))
            start += int(ends[-1])
        return np.concatenate(rows)

    def first_rows(self, n: int) -> Index:
        """The first rows of each run, at most so many, as they stand."""
        left, start = np.full(self.count.size, n), 0
        rows: list[Index] = []
        for order, runs, ends in self.parts:
            begin = 0
            for run, end in zip(runs.tolist(), ends.tolist(), strict=True):
                own = np.arange(begin, min(end, begin + int(left[run]))) if run >= 0 else np.arange(0)
                at = own if order is None else order[own]
                rows.append((start + at).astype(np.intp))
                left[run] -= own.size
                begin = end
            start += begin
        return np.sort(np.concatenate(rows))

    def column(self) -> SpreadColumn:
        """Make room for the rows of a column."""
        return SpreadColumn(self)


@dataclass(slots=True)
class SpreadColumn:
    """A column that comes in parts, each of which is spread over the runs."""

    spread: Spread
    of_run: list[NDArray[Any]] = field(default_factory=list)  # [run][row]
    _n_parts: int = 0
    _end: Index = field(init=False)  # [run] how many rows are there

    def __post_init__(self) -> None:
        self._end = np.zeros(self.spread.count.size, dtype=np.int64)

    def add(self, part: NDArray[Any]) -> None:
        """Give each run its rows of the next part; the column's type becomes one that holds both."""
        order, runs, ends = self.spread.parts[self._n_parts]
        self._n_parts += 1
        if not self.of_run:
            self.of_run = [_room(n, part.dtype) for n in self.spread.count.tolist()]
        for i, column in enumerate(self.of_run if part.dtype != self.of_run[0].dtype else ()):
            self.of_run[i] = column.astype(np.result_type(part.dtype, column.dtype))
        ordered, begin = part if order is None else part[order], 0
        for run, end in zip(runs.tolist(), ends.tolist(), strict=True):
            if run >= 0:
                at = self._end[run]
                self.of_run[run][at : at + end - begin] = ordered[begin:end]
                self._end[run] += end - begin
            begin = end


@dataclass(slots=True)
class RereadIds:
    """The ids of documents, read again where they are asked for; the first ones of each run are held.

    Where runs are interleaved, those that will be asked for are read together, for some runs at a time.
    """

    column: Column
    source: str
    spread: Spread
    held_rows: Index  # rising
    held: pl.Series
    _expected: dict[int, Rows] = field(default_factory=dict)  # run -> rows that will be asked for, rising
    _rows: Index = field(default_factory=lambda: np.arange(0))  # rising, of which these are the ids
    _ids: pl.Series = field(default_factory=lambda: pl.Series([], dtype=pl.String))

    def expect(self, run: int, rows: Index) -> None:
        """Note which rows of a run will be asked for."""
        if rows.size:
            at = np.sort(self.spread.rows(run)[rows])
            self._expected[run] = at.astype(np.uint32) if self.column.size < _MANY_ROWS else at

    def __call__(self, run: int, rows: Index) -> pl.Series:
        """Read the ids of some rows of a run."""
        at = self.spread.rows(run)[rows]
        ids = _found(at, self.held_rows, self.held)
        if ids is None and run in self._expected:
            self._read_expected(run)
        if ids is None:
            ids = _found(at, self._rows, self._ids)
        return self._read(at) if ids is None else ids

    def _read_expected(self, first: int) -> None:
        """Read what is expected of a run and of those after it, as far as it can be held."""
        chosen: list[Rows] = []
        n = 0
        for run in sorted(one for one in self._expected if one >= first):
            n += self._expected[run].size
            if chosen and n > _HELD:
                break
            chosen.append(self._expected.pop(run))
        self._rows = np.sort(np.concatenate(chosen)).astype(np.int64)
        self._ids = self._read(self._rows)

    def _read(self, at: Index) -> pl.Series:
        return texts(self.column.gather(at), "doc", self.source)


def _room(n: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """Make room for a column; what is large goes back to the system as soon as its run is done."""
    size = n * kind.itemsize
    return np.empty(n, dtype=kind) if size < _LARGE else np.frombuffer(mmap.mmap(-1, size), dtype=kind)


def _found(at: Index, rows: Index, ids: pl.Series) -> pl.Series | None:
    """Take ids out of those that are held; None where one is not."""
    place = np.searchsorted(rows, at)
    if (place == rows.size).any() or (rows[place] != at).any():
        return None
    return ids.gather(pl.Series(place, dtype=pl.UInt32))


def _grouped(run: RunNumbers) -> _Part:
    """Bring the rows of one part together by runs."""
    begins = np.flatnonzero(run[1:] != run[:-1]) + 1
    if (run[begins] > run[begins - 1]).all():
        return None, run[np.append(0, begins)].astype(np.int64), np.append(begins, run.size)
    order = np.argsort(run, kind="stable")  # of 16 bits each, the digits are sorted, not compared
    ordered = run[order]
    begins = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    runs = ordered[np.append(0, begins)].astype(np.int64)
    return order.astype(np.uint32), runs, np.append(begins, run.size)
