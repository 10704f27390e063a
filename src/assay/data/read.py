"""The first step of the pipeline: runs and judgments from files of any kind, or from Python objects.

What a source is decides who reads it: TREC text, a long table, or an object; only that reader is imported. Files are
read one at a time, so that no more than one is held as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.data.files import STDIN, expand, plain_name, read_bytes
from assay.data.tables import Duplicates, Listing, Qrels, Runs, Ties
from assay.data.trec import listing_from_bytes, qrels_from_bytes

if TYPE_CHECKING:
    from assay.data.long import Judgments, LongTable

_TABLES = {".jsonl", ".ndjson", ".json-lines", ".json", ".parquet", ".pq"}
_DELIMITED = {".csv", ".tsv"}
_PARQUET = b"PAR1"
_TREC_FIELDS = {4, 6}
_HEADER = 1 << 16  # bytes in which a header must end

ColumnNames = str | Mapping[str, str] | None
GradeValues = str | Mapping[str | float, int] | None


def read_runs(
    source: Any,
    *,
    ties: Ties = "trec",
    duplicates: Duplicates = "error",
    columns: ColumnNames = None,
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
    columns: ColumnNames = None,
    grades: GradeValues = None,
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
    names, values = _column_names(columns), _grade_values(grades)
    if not isinstance(source, str | Path):
        return _qrels_from_object(source, names, values)
    path = str(source)
    data = read_bytes(path)
    if not is_table(data, path, names):
        return qrels_from_bytes(data, path, values)
    from assay.data.long import JUDGED, qrels_from_table, table_from_bytes

    return qrels_from_table(table_from_bytes(data, path, names, strict=JUDGED), values)


def _qrels_from_object(source: Any, names: Mapping[str, str], values: Mapping[str, int]) -> Qrels:
    from assay.data.long import JUDGED, qrels_from_table
    from assay.data.objects import GRADED, held, table_from_object

    table = table_from_object(held(source), names, source="judgments", fields=GRADED, strict=JUDGED)
    return qrels_from_table(table, values)


def read_ranked(
    source: Any,
    *,
    ties: Ties = "trec",
    duplicates: Duplicates = "error",
    columns: ColumnNames = None,
    grades: GradeValues = None,
    name: str = "run",
    graded: bool | None = None,
) -> tuple[Runs, Qrels | None]:
    """Read runs and, if `graded`, the judgments that stand in the same rows; None where there are none.

    If `graded` is False, because there are other judgments, a note says that those in the rows are not used.
    """
    reading = _RunReader(ties, _column_names(columns), _grade_values(grades), graded)
    files = _files(source)
    listings = reading.object(source, name) if files is None else reading.files(files)
    runs = Runs.build(listings, ties=ties, duplicates=duplicates)
    names, notes = reading.name(runs.names)
    return runs.renamed(names, (*notes, *reading.notes)), reading.qrels()


def _column_names(columns: ColumnNames) -> Mapping[str, str]:
    """Which column holds what, as the user says it."""
    if not columns:
        return {}
    from assay.data.fields import column_names

    return column_names(columns)


def _grade_values(grades: GradeValues) -> Mapping[str, int]:
    """Which grade stands for what is written, as the user says it."""
    if not grades:
        return {}
    from assay.data.fields import grade_values

    return grade_values(grades)


def is_table(data: bytes, path: str, names: Mapping[str, str]) -> bool:
    """Say whether a file is a long table, by its name or, where that does not tell, by how it starts."""
    ending = Path(plain_name(path)).suffix.lower()
    start = data[:_HEADER].removeprefix(b"\xef\xbb\xbf").lstrip()
    if ending in _TABLES or start.startswith((b"{", _PARQUET)):
        return True
    line = start.split(b"\n", 1)[0].decode("latin-1")
    return _is_header(line, names) or (ending in _DELIMITED and len(line.split()) not in _TREC_FIELDS)


def _is_header(line: str, names: Mapping[str, str]) -> bool:
    """Say whether a line names at least two columns, with a tab or a comma between them."""
    words = [word.strip().strip('"') for word in line.split("\t" if "\t" in line else ",")]
    if len(words) < 2:
        return False
    from assay.data.fields import role_of

    return sum(role_of(word) is not None or word in names.values() for word in words) > 1


def _files(source: Any) -> list[str] | None:
    """List the files that are meant; None where data are given."""
    if isinstance(source, str | Path):
        return expand([source])
    if isinstance(source, Sequence) and source and all(isinstance(item, str | Path) for item in source):
        return expand(source)
    return None


@dataclass(slots=True)
class _RunReader:
    """What comes up while sources are read, one at a time, so that no more than one is held as text."""

    ties: Ties
    names: Mapping[str, str]
    values: Mapping[str, int]
    graded: bool | None
    paths: list[str | None] = field(default_factory=list)  # [run] the file of a TREC run
    judged: list[Judgments] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def files(self, files: Sequence[str]) -> Iterator[Listing]:
        """Read TREC runs and tables, in the order given."""
        for path in steps(files, doing="reading ", lines=False):
            data = read_bytes(path)
            if is_table(data, path, self.names):
                from assay.data.long import table_from_bytes

                table = table_from_bytes(data, path, self.names, strict=self._strict())
                yield from self._from_table(table, plain_name(path) if path != STDIN else "stdin")
            else:
                self.paths.append(path)
                yield listing_from_bytes(data, path, ranked=self.ties == "rank")

    def object(self, source: Any, name: str) -> Iterator[Listing]:
        """Read a Python object; a walk through paths is one of files."""
        from assay.data.objects import SCORED, held, table_from_object

        whole = held(source)
        files = _files(whole)
        if files is not None:
            yield from self.files(files)
            return
        table = table_from_object(whole, self.names, source=name, fields=SCORED, strict=self._strict())
        yield from self._from_table(table, name)

    def _strict(self) -> tuple[str, ...]:
        from assay.data.long import RANKED

        return (*RANKED, "grade") if self.graded else RANKED

    def _from_table(self, table: LongTable, name: str) -> list[Listing]:
        from assay.data.long import judgments, listings

        runs, notes = listings(table, name=name, ties=self.ties)
        self.paths += [None] * len(runs)
        self.notes += notes
        if self.graded and (part := judgments(table, self.values)):
            self.judged.append(part)
        if self.graded is False and "grade" in table.columns.columns:
            self.notes.append(Note("unused_grades", "info", f"{table.source}: the grades in its rows are not used"))
        return runs

    def qrels(self) -> Qrels | None:
        """Join the judgments that stood in the rows; None where there were none."""
        if not self.judged:
            return None
        from assay.data.long import qrels_from

        return qrels_from(self.judged)

    def name(self, tags: Sequence[str]) -> tuple[list[str], tuple[Note, ...]]:
        """Name TREC runs by tag or file; the runs of tables have their names."""
        trec = [(tag, path) for tag, path in zip(tags, self.paths, strict=True) if path is not None]
        named, notes = name_runs([tag for tag, _ in trec], [path for _, path in trec])
        own = iter(named)
        return [tag if path is None else next(own) for tag, path in zip(tags, self.paths, strict=True)], notes


def name_runs(tags: Sequence[str], paths: Sequence[str]) -> tuple[list[str], tuple[Note, ...]]:
    """Name runs by their tags, or by their files where tags are empty, differ or collide; say which."""
    times = Counter(tags)
    names: dict[str, str] = {}  # name -> path
    notes = []
    for tag, path in zip(tags, paths, strict=True):
        name = tag
        if not tag or times[tag] > 1:
            name = plain_name(path) if path != STDIN else "stdin"
            why = f"its tag '{tag}' is not its own" if tag else "it has no single tag"
            notes.append(Note("named_by_file", "info", f"{path}: named '{name}' after its file, because {why}"))
        if name in names:
            other = "is given twice" if names[name] == path else f"and {names[name]} are both named '{name}'"
            raise InputError(f"{path} {other}; give the files different names or the runs different tags")
        names[name] = path
    return list(names), tuple(notes)
