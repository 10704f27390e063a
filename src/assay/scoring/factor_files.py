"""Standardisation factors in files: per topic and measure, the mean and deviation of reference runs.

Saved once, they make scores of later runs comparable with those of the reference runs. trec_eval's file of z-scores
(`-Z`) is such a table without a header. The factors that Webber, Moffat and Zobel published with standardisation
(SIGIR 2008) are pairs of tables, one of means and one of deviations, with a row for each topic and a column for each
measure.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.errors import InputError, MeasureError, UsageError, suggestion
from assay.core.text import first_few
from assay.data.files import read_bytes
from assay.data.formats.delimited import RawTable, is_number, read_table
from assay.data.formats.fields import ids, numbers
from assay.data.outputs import check_output, same_place, write_bytes
from assay.measures.grammar import parse, recognised
from assay.scoring.scores import spelled_as
from assay.stats.standardisation import Factors

COLUMNS = ("topic", "measure", "mean", "sd")
PUBLISHED_FACTORS = {
    "DCG": "DCG(discount='jk')",
    "nDCG": "nDCG(discount='jk')",
    "VDCG": "DCG",
    "nVDCG": "nDCG",
    "RBP.8": "RBP(p=0.8)",
    "RBP.95": "RBP(p=0.95)",
    "RP": "Rprec",
}
"""Measures as the published standardization factors name them, where their names are not ours."""

_MEANS, _DEVIATIONS = ".mn.", ".sd."  # in the names of published files
_DEPTH = 1000  # to which the published factors evaluate
FORMATS = (".csv", ".tsv", ".jsonl", ".parquet")


def check_factors_path(path: str) -> None:
    """Refuse a file whose extension says nothing, or whose folder is not there."""
    if Path(path).suffix.lower() not in FORMATS:
        raise UsageError(f"{path}: unknown extension '{Path(path).suffix}' for factors (known: {', '.join(FORMATS)})")
    check_output(path)


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
    have other spellings there (`map` is AP). Or it is the published pair, MEANS,DEVIATIONS: X.mn.csv alone stands for
    itself and X.sd.csv. Their measures are to depth 1,000, of binary relevance; one without a cutoff is taken to be
    meant to that depth.
    """
    topic, measure, mean, sd = _factors(path, measures)
    named = {text: spelled_as(text, measures) or _canonical(text) for text in measure.unique(maintain_order=True)}
    for asked in measures:
        if asked not in named.values():
            known = list(named.values())
            raise InputError(
                f"{path}: no factors of {asked}{suggestion(asked, known) or f'; there are {first_few(known)}'}"
            )
    rows = {asked: i for i, asked in enumerate(measures)}
    places = {name: i for i, name in enumerate(topics)}
    row = np.array([rows.get(named[text], -1) for text in measure], dtype=np.int64)
    column = np.array([places.get(text, -1) for text in topic], dtype=np.int64)
    used = np.flatnonzero((row >= 0) & (column >= 0))
    if not used.size:
        others = first_few(topic.unique(maintain_order=True).to_list())
        raise InputError(f"{path}: no factors for topic {topics[0]}, or any other; there are {others}")
    read, cell = np.stack([mean, sd])[:, used], (row[used], column[used])
    factors = np.full((2, len(measures), len(topics)), np.nan)
    factors[:, *cell] = read
    if (other := np.flatnonzero(((factors[:, *cell] != read) & ~np.isnan(read)).any(0))).size:
        first = int(used[other[0]])
        raise InputError(f"{path}: other factors of {named[measure[first]]} for topic {topic[first]} follow later")
    return Factors(factors[0], factors[1], ~(factors[1] > 0))


def _factors(path: str, measures: Sequence[str]) -> tuple[pl.Series, pl.Series, Array, Array]:
    """Read topics, measures, means and deviations, from one file or from a pair."""
    if pair := published_pair(path):
        return _pair(*pair, measures)
    return _columns(read_table(read_bytes(path), path))


def published_pair(path: str) -> tuple[str, str] | None:
    """The files of means and of deviations that a path names, as published; None where one table has both."""
    if not Path(path).is_file() and "," in path:
        means, deviations = path.split(",", 1)
        if not means or not deviations:
            raise InputError(f"{path}: one of two files is missing; give both, as in MEANS.csv,SD.csv")
        return means, deviations
    if not _has_measures(read_table(read_bytes(path), path)):
        return None
    if _DEVIATIONS in Path(path).name:
        raise InputError(f"{path}: these are deviations; give the file of means, {_other(path, _DEVIATIONS, _MEANS)}")
    if _MEANS not in Path(path).name:
        raise InputError(f"{path}: means of topics, without deviations; give both files, as in {path},SD.csv")
    other = _other(path, _MEANS, _DEVIATIONS)
    if not Path(other).is_file():
        raise InputError(f"{path}: no deviations {Path(other).name} beside it; give both files, as in {path},SD.csv")
    return path, other


def _has_measures(sheet: RawTable) -> bool:
    """Whether a table has topics in rows and measures in columns."""
    words = [word.strip() for word in sheet.header]
    return words[0].lower() in ("", "topic") and any(recognised(_published(word, ())) for word in words[1:])


def _other(path: str, old: str, new: str) -> str:
    return str(Path(path).with_name(Path(path).name.replace(old, new)))


def _pair(means: str, deviations: str, measures: Sequence[str]) -> tuple[pl.Series, pl.Series, Array, Array]:
    """Read a file of means and one of deviations, topics in rows and measures in columns."""
    check_pair(means, deviations)
    sheets = [read_table(read_bytes(path), path) for path in (means, deviations)]
    topics, names = topics_of(sheets[0]), sheets[0].header[1:]
    if topics.to_list() != topics_of(sheets[1]).to_list() or names != sheets[1].header[1:]:
        raise InputError(f"{deviations}: not of the same topics and measures as {means}")
    if len(topics) != topics.n_unique():
        raise InputError(f"{means}: topic {topics.filter(topics.is_duplicated())[0]} twice")
    mean, sd = (_stacked(sheet) for sheet in sheets)
    columns = pl.Series([_published(name, measures) for name in names], dtype=pl.String)
    every = pl.concat([topics] * len(names))
    return every, columns.gather(np.repeat(np.arange(len(names)), len(topics))), mean, _deviations(sd, sheets[1])


def check_pair(means: str, deviations: str) -> None:
    """Refuse one file for both, and files in the other order, by their names."""
    if same_place(means, deviations):
        raise InputError(f"{means}: given for means and for deviations; give both files, as in MEANS.csv,SD.csv")
    if _DEVIATIONS in Path(means).name or _MEANS in Path(deviations).name:
        raise InputError(f"{means},{deviations}: not means and then deviations, by their names; the means come first")


def topics_of(sheet: RawTable) -> pl.Series:
    """The topics of a table that has them in its first column."""
    return ids(sheet.columns["0"], "topic", sheet.source, sheet.where)


def _stacked(sheet: RawTable) -> Array:
    """The numbers of all measures, one after the other."""
    columns = [numbers(sheet.columns[str(i)], word, sheet.where) for i, word in enumerate(sheet.header) if i]
    return np.concatenate(columns) if columns else np.zeros(0)


def _published(name: str, measures: Sequence[str]) -> str:
    """Our name of a published measure: one of those asked for, without a cutoff where it was asked for so."""
    ours = PUBLISHED_FACTORS.get(name.strip(), name.strip())
    m = recognised(ours)
    if m is None or m.cutoff is not None:
        return ours
    deep = str(m @ _DEPTH)
    return spelled_as(deep, measures) or spelled_as(ours, measures) or deep


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
        row = int(bad[0]) % sheet.columns.height  # of tables with measures in columns, one after the other
        raise InputError(f"{sheet.where(row)}: sd {sd[bad[0]]:g} is negative")
    return sd


def _canonical(text: str) -> str:
    """Name a measure as we do, if it is one of ours."""
    try:
        return str(parse(text))
    except MeasureError:
        return text
