"""Standardisation factors in files: per topic and measure, the mean and deviation of reference runs.

Saved once, they make scores of later runs comparable with those of the reference runs. trec_eval's file of z-scores
(`-Z`) is such a table without a header.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.errors import InputError, MeasureError, UsageError, suggestion
from assay.data.delimited import RawTable, is_number, read_table
from assay.data.fields import ids, numbers
from assay.data.files import read_bytes, write_bytes
from assay.measures.grammar import parse
from assay.scoring.scores import spelled_as
from assay.stats.standardisation import Factors

COLUMNS = ("topic", "measure", "mean", "sd")
FORMATS = (".csv", ".tsv", ".jsonl", ".parquet")


def check_factors_path(path: str) -> None:
    """Refuse a file whose extension says nothing, or whose folder is not there."""
    if Path(path).suffix.lower() not in FORMATS:
        raise UsageError(f"{path}: unknown extension '{Path(path).suffix}' for factors (known: {', '.join(FORMATS)})")
    if not Path(path).parent.is_dir():
        raise UsageError(f"{path}: no such directory '{Path(path).parent}'")


def write_factors(path: str, table: pl.DataFrame) -> None:
    """Write topic, measure, mean and sd with full precision, as the file's extension asks."""
    check_factors_path(path)
    factors, out = table.select(COLUMNS), io.BytesIO()
    match Path(path).suffix.lower():
        case ".jsonl":
            factors.write_ndjson(out)
        case ".parquet":
            factors.write_parquet(out)
        case suffix:
            factors.write_csv(out, separator="\t" if suffix == ".tsv" else ",")
    write_bytes(path, out.getvalue())


def read_factors(path: str, measures: Sequence[str], topics: Sequence[str]) -> Factors:
    """Read the factors of these measures and topics, [measure, topic]; NaN for a topic that the file lacks.

    The file is a table with the columns topic, measure, mean and sd, or trec_eval's file of z-scores. Measures may
    have other spellings there (`map` is AP).
    """
    topic, measure, mean, sd = _columns(read_table(read_bytes(path), path))
    named = {text: spelled_as(text, measures) or _canonical(text) for text in measure.unique(maintain_order=True)}
    for asked in measures:
        if asked not in named.values():
            known = list(named.values())
            raise InputError(
                f"{path}: no factors of {asked}{suggestion(asked, known) or f'; there are {_some(known)}'}"
            )
    rows = {asked: i for i, asked in enumerate(measures)}
    places = {name: i for i, name in enumerate(topics)}
    row = np.array([rows.get(named[text], -1) for text in measure], dtype=np.int64)
    column = np.array([places.get(text, -1) for text in topic], dtype=np.int64)
    used = np.flatnonzero((row >= 0) & (column >= 0))
    if not used.size:
        raise InputError(f"{path}: no factors for topic {topics[0]}, or any other; there are {_some(topic.unique())}")
    read, cell = np.stack([mean, sd])[:, used], (row[used], column[used])
    factors = np.full((2, len(measures), len(topics)), np.nan)
    factors[:, *cell] = read
    if (other := np.flatnonzero(((factors[:, *cell] != read) & ~np.isnan(read)).any(0))).size:
        first = int(used[other[0]])
        raise InputError(f"{path}: other factors of {named[measure[first]]} for topic {topic[first]} follow later")
    return Factors(factors[0], factors[1], ~(factors[1] > 0))


def _columns(sheet: RawTable) -> tuple[pl.Series, pl.Series, Array, Array]:
    """Find the four columns, by their names or, where there are none, by their order."""
    words = [word.strip().lower() for word in sheet.header]
    if len(words) == len(COLUMNS) and all(map(is_number, words[2:])):
        sheet, words = sheet.with_header(*COLUMNS), list(COLUMNS)
    if missing := [name for name in COLUMNS if name not in words]:
        raise InputError(f"{sheet.source}: no column {missing[0]}; factors have {', '.join(COLUMNS)}")
    topic, measure, mean, sd = (sheet.columns[str(words.index(name))] for name in COLUMNS)
    return (
        ids(topic, "topic", sheet.source, sheet.where),
        ids(measure, "measure", sheet.source, sheet.where),
        numbers(mean, "mean", sheet.where),
        _deviations(numbers(sd, "sd", sheet.where), sheet),
    )


def _deviations(sd: Array, sheet: RawTable) -> Array:
    if (bad := np.flatnonzero(sd < 0)).size:
        raise InputError(f"{sheet.where(int(bad[0]))}: sd {sd[bad[0]]:g} is negative")
    return sd


def _canonical(text: str) -> str:
    """Name a measure as we do, if it is one of ours."""
    try:
        return str(parse(text))
    except MeasureError:
        return text


def _some(names: Sequence[str] | pl.Series) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
