"""What people write down about their runs: lists of names, who filled the pool, which group submitted what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from assay.columns import ids, texts
from assay.errors import InputError, UsageError, suggestion
from assay.files import as_text, read_bytes
from assay.sheets import Sheet, read_sheet

_YES = {"1", "yes", "true", "y"}


def chosen_names(select: Sequence[str], known: Sequence[str]) -> list[str]:
    """Read names given one by one, or in files of one name a line."""
    names: list[str] = []
    for given in select:
        if given in known or not Path(given).is_file():
            names.append(given)
        else:
            lines = as_text(read_bytes(given), given).decode().split("\n")
            names += [line.strip() for line in lines if line.strip()]
    return names


def contributors(given: Sequence[str], known: Sequence[str]) -> list[str]:
    """Read the names of the runs that fill the pool, each once; all runs where none is named.

    A name, a file of names, or a table with the columns run and pooled (1 for contributors).
    """
    names = [name for one in given for name in _contributing(one, known)] if given else list(known)
    for name in names:
        if name not in known:
            raise UsageError(f"contributor '{name}' is not among the runs{suggestion(name, known)}")
    return list(dict.fromkeys(names))


def _contributing(given: str, known: Sequence[str]) -> list[str]:
    if given in known:
        return [given]
    if not Path(given).is_file():
        raise UsageError(f"contributor '{given}' is neither a run nor a file{suggestion(given, known)}")
    data = read_bytes(given)
    if not _is_table(data):
        return chosen_names([given], known)
    sheet = read_sheet(data, given)
    pooled = texts(_column(sheet, "pooled"), "pooled", given)
    run = ids(_column(sheet, "run"), "run", given, sheet.where)
    return [name for name, said in zip(run, pooled, strict=True) if said is not None and said.lower() in _YES]


def _is_table(data: bytes) -> bool:
    """Tell a table from a list of names by its first line: columns, of which one is run or pooled."""
    header = data.split(b"\n", 1)[0].lower()
    cells = [cell.strip(b' "') for cell in re.split(rb"[\t,]", header)]
    return b"pooled" in re.split(rb"[\s,]+", header) or (len(cells) > 1 and b"run" in cells)


def groups(path: str, runs: Sequence[str]) -> list[str]:
    """Read each run's group off a table with the columns run and group."""
    sheet = read_sheet(read_bytes(path), path)
    columns = [ids(_column(sheet, name), name, path, sheet.where) for name in ("run", "group")]
    of = dict(zip(*columns, strict=True))
    if missing := [run for run in runs if run not in of]:
        raise InputError(f"{path}: no group for run '{missing[0]}'{suggestion(missing[0], of)}")
    return [of[run] for run in runs]


def _column(sheet: Sheet, name: str) -> pl.Series:
    words = [word.strip().lower() for word in sheet.header]
    if name not in words:
        raise InputError(f"{sheet.source}: no column '{name}'; there are {', '.join(sheet.header)}")
    return sheet.columns[str(words.index(name))]
