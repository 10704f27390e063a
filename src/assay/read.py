"""The first step of the road: runs and judgments from files of any kind, or from Python objects.

What a source is decides who reads it: TREC text, a long table, or an object. Files are read one at a time, so that
no more than one is held as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.columns import column_names, grade_values
from assay.errors import InputError
from assay.files import STDIN, expand, plain_name, read_bytes
from assay.frames import GRADED, SCORED, held, table_from_object
from assay.longtable import (
    JUDGED,
    RANKED,
    Judgments,
    Table,
    is_table,
    judgments,
    listings,
    qrels_from,
    qrels_from_table,
    table_from_bytes,
)
from assay.progress import steps
from assay.tables import Duplicates, Listing, Qrels, Runs, Ties
from assay.trec import listing_from_bytes, qrels_from_bytes


def read_runs(
    source: Any,
    *,
    ties: Ties = "trec",
    duplicates: Duplicates = "error",
    columns: str | Mapping[str, str] | None = None,
    name: str = "run",
) -> Runs:
    """Read runs from files or from Python objects.

    Parameters
    ----------
    source
        TREC runs (one file is one run) or long tables (CSV, TSV, JSON lines, Parquet; any number of runs): files,
        directories or globs, packed or not. Or data: ``{topic: {doc: score}}``, ``{run: {topic: {doc: score}}}``,
        records with names (such as `ir_measures.ScoredDoc`) or in the order topic, doc, score, or a dataframe.
    ties
        The order of documents with equal scores: trec (document id descending), file, or rank (the rank column).
    duplicates
        A document twice in one list: error, or first (keep the first).
    columns
        Which columns of a table hold what, where their names do not say: ``"topic=q,run=model"``, or a mapping.
    name
        The name of a single run that comes without one, where there is no file to name it after.
    """
    return read_ranked(source, ties=ties, duplicates=duplicates, columns=columns, name=name)[0]


def read_qrels(
    source: Any,
    *,
    columns: str | Mapping[str, str] | None = None,
    grades: str | Mapping[str | float, int] | None = None,
) -> Qrels:
    """Read judgments from a file or from a Python object.

    Parameters
    ----------
    source
        A TREC file or a long table (CSV, TSV, JSON lines, Parquet), packed or not. Or data:
        ``{topic: {doc: grade}}``, records with names (such as `ir_measures.Qrel`) or in the order topic, doc,
        grade, or a dataframe.
    columns
        Which columns of a table hold what, where their names do not say: ``"topic=q,grade=label"``, or a mapping.
    grades
        Which grades stand for values that are not integers: ``"0.5=1,1=2"``, or a mapping.
    """
    names, values = column_names(columns), grade_values(grades)
    given = held(source)
    if not isinstance(given, str | Path):
        return qrels_from_table(
            table_from_object(given, names, source="judgments", fields=GRADED, strict=JUDGED), values
        )
    path = str(given)
    data = read_bytes(path)
    if is_table(data, path, names):
        return qrels_from_table(table_from_bytes(data, path, names, strict=JUDGED), values)
    return qrels_from_bytes(data, path, values)


def read_ranked(
    source: Any,
    *,
    ties: Ties = "trec",
    duplicates: Duplicates = "error",
    columns: str | Mapping[str, str] | None = None,
    grades: str | Mapping[str | float, int] | None = None,
    name: str = "run",
    graded: bool | None = None,
) -> tuple[Runs, Qrels | None]:
    """Read runs and, if `graded`, the judgments that stand in the same rows; None where there are none.

    If `graded` is False, because there are other judgments, a note says that those in the rows are not used.
    """
    reading = _Reading(ties, column_names(columns), grade_values(grades), graded)
    given = held(source)
    files = _files(given)
    listings = reading.object(given, name) if files is None else reading.files(files)
    runs = Runs.build(listings, ties=ties, duplicates=duplicates)
    names, notes = reading.name(runs.names)
    return runs.renamed(names, (*notes, *reading.notes)), qrels_from(reading.judged) if reading.judged else None


def _files(given: Any) -> list[str] | None:
    """List the files that are meant; None where data are given."""
    if isinstance(given, str | Path):
        return expand([given])
    if isinstance(given, Sequence) and given and all(isinstance(item, str | Path) for item in given):
        return expand(given)
    return None


@dataclass(slots=True)
class _Reading:
    """What comes up while sources are read, one at a time, so that no more than one is held as text."""

    ties: Ties
    names: Mapping[str, str]
    values: Mapping[str, int]
    graded: bool | None
    paths: list[str | None] = field(default_factory=list)  # [run] the file of a TREC run
    judged: list[Judgments] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def files(self, files: Sequence[str]) -> Iterator[Listing]:
        """Read TREC runs and tables, in the order given."""
        for path in steps(files, doing="reading ", lines=False):
            data = read_bytes(path)
            if is_table(data, path, self.names):
                table = table_from_bytes(data, path, self.names, strict=self._strict())
                yield from self._from_table(table, plain_name(path) if path != STDIN else "stdin")
            else:
                self.paths.append(path)
                yield listing_from_bytes(data, path, ranked=self.ties == "rank")

    def object(self, given: Any, name: str) -> Iterator[Listing]:
        """Read a Python object."""
        table = table_from_object(given, self.names, source=name, fields=SCORED, strict=self._strict())
        yield from self._from_table(table, name)

    def _strict(self) -> tuple[str, ...]:
        return (*RANKED, "grade") if self.graded else RANKED

    def _from_table(self, table: Table, name: str) -> list[Listing]:
        made, notes = listings(table, name=name, ties=self.ties)
        self.paths += [None] * len(made)
        self.notes += notes
        if self.graded and (found := judgments(table, self.values)):
            self.judged.append(found)
        if self.graded is False and "grade" in table.columns.columns:
            self.notes.append(f"{table.source}: the grades in its rows are not used")
        return made

    def name(self, tags: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
        """Name TREC runs by tag or file; the runs of tables have their names."""
        trec = [(tag, path) for tag, path in zip(tags, self.paths, strict=True) if path is not None]
        named, notes = name_runs([tag for tag, _ in trec], [path for _, path in trec])
        own = iter(named)
        return [tag if path is None else next(own) for tag, path in zip(tags, self.paths, strict=True)], notes


def name_runs(tags: Sequence[str], paths: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Name runs by their tags, or by their files where tags are empty, differ or collide; say which."""
    times = Counter(tags)
    names: dict[str, str] = {}  # name -> path
    notes = []
    for tag, path in zip(tags, paths, strict=True):
        name = tag
        if not tag or times[tag] > 1:
            name = plain_name(path) if path != STDIN else "stdin"
            why = f"its tag '{tag}' is not its own" if tag else "it has no single tag"
            notes.append(f"{path}: named '{name}' after its file, because {why}")
        if name in names:
            other = "is given twice" if names[name] == path else f"and {names[name]} are both named '{name}'"
            raise InputError(f"{path} {other}; give the files different names or the runs different tags")
        names[name] = path
    return list(names), tuple(notes)
