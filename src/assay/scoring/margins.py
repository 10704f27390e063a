"""What is public of a collection without per-topic scores: judgments, means of runs, means and deviations of topics.

With them, sizes can be counted and variance components estimated, which gives rough values of what needs the scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.core.errors import InputError, UsageError
from assay.core.text import first_few
from assay.data.files import read_bytes
from assay.data.formats.delimited import is_number, read_table
from assay.data.formats.fields import numbers
from assay.data.judgments.grades import check_whole
from assay.data.read import read_qrels
from assay.data.tables import Qrels
from assay.measures.declare import Measure
from assay.measures.grammar import recognised
from assay.scoring.factor_files import PUBLISHED_FACTORS, check_pair, topics_of
from assay.scoring.scored_collection import MissingDataError

KINDS = ("qrels", "means", "factors")
"""The files that hold margins, by the suffix of their key: judgments, a table of run means, MN.csv and SD.csv."""

_RANGE = re.compile(r"(.+):(\d+)-(\d+)")


@dataclass(frozen=True, slots=True)
class Margins:
    """The margins of a collection's scores; what is not there is empty."""

    n_relevant: Mapping[str, int] = field(default_factory=dict)  # topic -> relevant documents, from judgments
    grades: tuple[int, ...] = ()  # that occur in the judgments
    runs: tuple[str, ...] = ()
    run_means: Mapping[str, Array] = field(default_factory=dict)  # measure -> [run]
    topics: tuple[str, ...] = ()
    topic_means: Mapping[str, Array] = field(default_factory=dict)  # measure -> [topic]
    topic_sds: Mapping[str, Array] = field(default_factory=dict)  # measure -> [topic], divisor n - 1

    @property
    def n_topics(self) -> int:
        """Topics with a relevant document, or with factors; 0 where neither is there."""
        return sum(n > 0 for n in self.n_relevant.values()) or len(self.topics)

    def of(self, measure: str) -> tuple[Array, Array, Array]:
        """Means of runs, means of topics and deviations of topics of a measure."""
        for kind, there in (("run means", self.run_means), ("topic factors", self.topic_sds)):
            if measure not in there:
                raise MissingDataError(f"{kind} of {measure}")
        return self.run_means[measure], self.topic_means[measure], self.topic_sds[measure]


def add_margins(
    margins: Margins,
    kind: str,
    files: list[str],
    *,
    track: Mapping[str, str] | None = None,
    topics: Callable[[str], bool] | None = None,
) -> Margins:
    """Read a file of margins; `kind` is one of `KINDS`, `track` the columns that select rows of a table of runs.

    FILE:501-550 restricts judgments or factors to topics of these numbers.
    """
    if len(files) != (2 if kind == "factors" else 1):
        example = "MN.csv,SD.csv" if kind == "factors" else "FILE"
        raise UsageError(f"{kind} are in {'two files' if kind == 'factors' else 'one file'}: .{kind}={example}")
    if kind == "means":
        names, means = _run_means(files[0], track or {})
        return replace(margins, runs=names, run_means=means)
    if kind == "qrels":
        path, counts = _restricted(files[0], topics)
        return replace(margins, n_relevant=_relevant(path, counts), grades=_grades(path, counts))
    (mean, counts), (sd, _) = (_restricted(path, topics) for path in files)
    check_pair(mean, sd)
    names, means = _topic_table(mean, counts)
    others, sds = _topic_table(sd, counts)
    if names != others or list(means) != list(sds):
        raise InputError(f"{sd}: not of the same topics and measures as {mean}")
    return replace(margins, topics=names, topic_means=means, topic_sds=sds)


def _restricted(path: str, topics: Callable[[str], bool] | None) -> tuple[str, Callable[[str], bool]]:
    """Take the range of topics off a file's name."""
    if not (given := _RANGE.fullmatch(path)):
        return path, topics or (lambda _: True)
    first, last = int(given[2]), int(given[3])
    if first > last:
        raise UsageError(f"{path}: topics {first}-{last} are none; a range is FROM-TO, such as 501-550")
    return given[1], lambda topic: topic.isdecimal() and first <= int(topic) <= last


def _judgments(path: str) -> Qrels:
    """Read judgments whose grades papers count."""
    qrels = read_qrels(path)
    check_whole(qrels.fractions, f"{path}: papers count documents by whole grades")
    return qrels


def _relevant(path: str, counts: Callable[[str], bool]) -> dict[str, int]:
    qrels = _judgments(path)
    n = np.bincount(qrels.topic[qrels.grade > 0], minlength=len(qrels.topics))
    relevant = {topic: int(of) for topic, of in zip(qrels.topics, n, strict=True) if counts(topic)}
    if not relevant:
        raise InputError(f"{path}: none of the topics that count is there (found {first_few(qrels.topics)})")
    return relevant


def _grades(path: str, counts: Callable[[str], bool]) -> tuple[int, ...]:
    """The grades of the topics that count, all below 0 as one."""
    qrels = _judgments(path)
    some = np.array([counts(topic) for topic in qrels.topics])
    return tuple(np.unique(np.maximum(qrels.grade[some[qrels.topic]], -1)).tolist())


def _run_means(path: str, track: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, Array]]:
    """The means of a collection's runs: all rows of a table, or those of its track where the table names tracks."""
    sheet = read_table(read_bytes(path), path)
    columns = {word.strip(): sheet.columns[str(i)].cast(pl.String) for i, word in enumerate(sheet.header)}
    if "run" not in columns:
        raise InputError(f"{path}: no column 'run' (found {', '.join(sheet.header)})")
    chosen = pl.Series([True] * len(columns["run"]))
    for name, wanted in track.items():
        if name in columns:
            chosen &= columns[name].fill_null("") == wanted
            if not chosen.any():
                known = first_few(columns[name].drop_nulls().unique(maintain_order=True).to_list())
                raise InputError(f"{path}: no run of {name} '{wanted}' (there is {known})")
    if "track" in columns and (several := columns["track"].filter(chosen).n_unique()) > 1:
        raise InputError(f"{path}: runs of {several} tracks, and none is known for this collection; give its own")
    runs, rows = columns["run"].filter(chosen), np.flatnonzero(chosen.to_numpy())

    def where(row: int) -> str:
        return sheet.where(int(rows[row]))

    if (twice := runs.filter(runs.is_duplicated())).len():
        raise InputError(f"{path}: run '{twice[0]}' twice; is the table of more than one collection?")
    means = {}
    for name, column in columns.items():
        if (measure := _measure(name)) is None:
            continue
        values = numbers(column.filter(chosen), name, where)
        if not np.isnan(values).any():
            means[str(measure)] = _in_range(values, measure, name, where)
    return tuple(runs), means


def _in_range(means: Array, measure: Measure, name: str, where: Callable[[int], str]) -> Array:
    """Refuse means that the measure cannot have."""
    low, high = measure.declaration.low, measure.declaration.high
    if (bad := np.flatnonzero(~((means >= low) & (means <= high)))).size:
        stated = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} up"
        raise InputError(f"{where(int(bad[0]))}: {name} {means[bad[0]]:g} is no mean; {measure} is from {stated}")
    return means


def _topic_table(path: str, counts: Callable[[str], bool]) -> tuple[tuple[str, ...], dict[str, Array]]:
    """A table with topics in its first column and measures in the others."""
    sheet = read_table(read_bytes(path), path)
    measures = [_measure(word) for word in sheet.header]
    if is_number(sheet.header[-1]) or not any(measures[1:]):
        raise InputError(f"{path}: no measure in the header (found {', '.join(sheet.header)})")
    topics = topics_of(sheet)
    rows = pl.Series([counts(topic) for topic in topics])
    if not rows.any():
        raise InputError(f"{path}: none of the topics that count is there (found {first_few(topics.to_list())})")
    used = rows.to_numpy()
    columns = {
        str(measure): numbers(sheet.columns[str(i)], str(measure), sheet.where)[used]
        for i, measure in enumerate(measures)
        if i and measure
    }
    return tuple(topics.filter(rows)), columns


def _measure(word: str) -> Measure | None:
    """The measure of a column; None of a column that is none."""
    text = word.strip()
    return recognised(PUBLISHED_FACTORS.get(text, text))
