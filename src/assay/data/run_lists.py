"""What people write down about their runs: lists of names, who filled the pool, which group submitted what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from assay.core.errors import InputError, UsageError, suggestion
from assay.data.files import as_text, read_bytes
from assay.data.formats.delimited import RawTable, read_table
from assay.data.formats.fields import ids, texts

_YES = {"1", "yes", "true", "y"}


def chosen_names(select: Sequence[str], known: Sequence[str]) -> list[str]:
    """Read names source one by one, or in files of one name per line."""
    names: list[str] = []
    for source in select:
        if source in known or not Path(source).is_file():
            names.append(source)
        else:
            lines = as_text(read_bytes(source), source).decode().split("\n")
            names += [line.strip() for line in lines if line.strip()]
    return names


def contributors(source: Sequence[str], known: Sequence[str]) -> list[str]:
    """Read the names of the runs that fill the pool, each once; all runs where none is named.

    A name, a file of names, or a table with the columns run and pooled (1 for contributors).
    """
    names = [name for one in source for name in _contributing(one, known)] if source else list(known)
    for name in names:
        if name not in known:
            raise UsageError(f"contributor '{name}' is not among the runs{suggestion(name, known)}")
    return list(dict.fromkeys(names))


def _contributing(source: str, known: Sequence[str]) -> list[str]:
    if source in known:
        return [source]
    if not Path(source).is_file():
        raise UsageError(f"contributor '{source}' is neither a run nor a file{suggestion(source, known)}")
    data = read_bytes(source)
    if not _is_table(data):
        return chosen_names([source], known)
    table = read_table(data, source)
    pooled = texts(_column(table, "pooled"), "pooled", source)
    run = ids(_column(table, "run"), "run", source, table.where)
    return [name for name, word in zip(run, pooled, strict=True) if word is not None and word.lower() in _YES]


def _is_table(data: bytes) -> bool:
    """Tell a table from a list of names by its first line: columns, of which one is run or pooled."""
    header = data.split(b"\n", 1)[0].lower()
    cells = [cell.strip(b' "') for cell in re.split(rb"[\t,]", header)]
    return b"pooled" in re.split(rb"[\s,]+", header) or (len(cells) > 1 and b"run" in cells)


_RUN = ("run", "run_id", "system")  # what the column of runs is called


def groups(path: str, runs: Sequence[str]) -> list[str]:
    """Read each run's group off a table with the columns run and group."""
    table = read_table(read_bytes(path), path)
    columns = [ids(_column(table, name), name, path, table.where) for name in ("run", "group")]
    of = dict(zip(*columns, strict=True))
    if missing := [run for run in runs if run not in of]:
        raise InputError(f"{path}: no group for run '{missing[0]}'{suggestion(missing[0], of)}")
    return [of[run] for run in runs]


def attributes(path: str, runs: Sequence[str]) -> pl.DataFrame:
    """Read what is known of each run off a table with the column run (or run_id, system) and any others: team, ...

    One row per run, in their order; nothing where the table has no row for a run. Rows of other runs are ignored.
    """
    table = read_table(read_bytes(path), path)
    names = [word.strip() for word in table.header]
    key = next((name for name in _RUN if name in map(str.lower, names)), _RUN[0])
    run = ids(_column(table, key), "run", path, table.where)
    own = {name: table.columns[str(i)] for i, name in enumerate(names) if name and name.lower() != key}
    if not own:
        raise InputError(f"{path}: no column beside run, such as team or type")
    if len(own) < sum(bool(name) and name.lower() != key for name in names):
        raise InputError(f"{path}: two columns of one name; there are {', '.join(names)}")
    if (again := run.is_duplicated() & ~run.is_first_distinct()).any():
        row = int(again.arg_max() or 0)
        raise InputError(f"{table.where(row)}: run '{run[row]}' has a row already")
    if set(run).isdisjoint(runs):
        raise InputError(f"{path}: none of the runs, such as '{runs[0]}', is in column run{suggestion(runs[0], run)}")
    known = pl.DataFrame({"run": run, **{name: texts(column, name, path) for name, column in own.items()}})
    return pl.DataFrame({"run": list(runs)}).join(known, on="run", how="left", maintain_order="left")


def _column(table: RawTable, name: str) -> pl.Series:
    words = [word.strip().lower() for word in table.header]
    if name not in words:
        raise InputError(f"{table.source}: no column '{name}'; there are {', '.join(table.header)}")
    return table.columns[str(words.index(name))]
