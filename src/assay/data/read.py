"""The first step of the pipeline: runs and judgments from files of any kind, or from Python objects.

What a source is decides who reads it: TREC text, a long table, or an object; only that reader is imported. Files are
read one at a time, so that no more than one is held as text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.core.notes import Note
from assay.core.progress import steps
from assay.core.settings import check_choice, check_text
from assay.core.text import listed
from assay.data.codes import FindId
from assay.data.files import STDIN, check_streams, expand, plain_name, read_file
from assay.data.judgments.conflicts import CONFLICT_RULES, Conflicts
from assay.data.judgments.merging import Judgments, merge
from assay.data.judgments.scale import UNDECLARED, GradeValues, Scale
from assay.data.order import USUAL, Duplicates, Listing, Order, OrderRule, Precision, Ties
from assay.data.provenance import IRDS
from assay.data.tables import Qrels, Runs
from assay.data.trec import judgments_from_bytes, listing_from_bytes

if TYPE_CHECKING:
    from assay.data.long.table import LongTable

_TABLES = {".jsonl", ".ndjson", ".json-lines", ".json", ".parquet", ".pq"}
_DELIMITED = {".csv", ".tsv"}
_PARQUET = b"PAR1"
_ARRAY = re.compile(rb"\[\s*[\[{]")
_STATED = re.compile(r'"?sep=[;,\t|]"?\s*$', re.IGNORECASE)  # Excel's first line
_TREC_FIELDS = {4, 6}
_QRELS_FIELDS = {3, 4}
_RUN_FIELDS = {3, 4, 6}
_LINE = 4096  # bytes in which a first line without a header ends
_HEADER = 1 << 16  # bytes in which a header must end

ColumnNames = str | Mapping[str, str] | None


def read_runs(
    source: Any,
    *,
    order: Order | None = None,
    ties: Ties = "trec",
    score_precision: Precision = "double",
    duplicates: Duplicates = "error",
    columns: ColumnNames = None,
    name: str = "run",
) -> Runs:
    """Read runs from files or from Python objects.

    Parameters
    ----------
    source
        TREC runs (one file is one run), three columns (topic, doc, rank) or long tables (CSV, TSV, JSON, Parquet; any
        number of runs): files, directories or globs, packed or not. Or data: ``{topic: {doc: score}}``,
        ``{topic: [doc, ...]}``, ``{run: {topic: {doc: score}}}``, records with names (such as
        `ir_measures.ScoredDoc`) or in the order topic, doc, score, a dataframe, a `Run` of ranx, a dataset of
        ir_datasets; several runs as ``{name: any of these, or a file}``, or as a list of dataframes.
    order
        What orders the documents of a list: score (highest first), distance (a score of which the lowest is best),
        rank (the rank column) or file (as they stand). By default a table with ranks goes by rank, all else by score,
        as trec_eval does.
    ties
        The order of documents that are equal in that: trec (document id descending), file, or rank (the rank column).
    score_precision
        Scores as double (64-bit) or single (32-bit) numbers, in which more of them are equal: trec_eval 10 reads
        double, trec_eval 9 and with it the official TREC results single.
    duplicates
        A document twice in one list: error, or first (keep the first).
    columns
        Which columns of a table hold what, where their names do not say: ``"topic=q,run=model"``, or a mapping.
    name
        The name of a single run that comes without one, where there is no file to name it after.
    """
    rule = OrderRule(order, ties, score_precision, duplicates)
    check_text(name, "name")
    return read_ranked(source, rule, columns=columns, name=name)[0]


def read_qrels(
    source: Any,
    *,
    columns: ColumnNames = None,
    grades: GradeValues = None,
    conflicts: Conflicts = "error",
) -> Qrels:
    """Read judgments from files or from a Python object; those of several files are merged.

    Parameters
    ----------
    source
        TREC files, three columns (topic, doc, grade) or long tables (CSV, TSV, JSON lines, Parquet): files,
        directories or globs, packed or not; or ``irds:ID``, a dataset of ir_datasets. Or data:
        ``{topic: {doc: grade}}``, records with names (such as `ir_measures.Qrel`) or in the order topic, doc,
        grade, or a dataframe.
    columns
        Which columns of a table hold what, where their names do not say: ``"topic=q,grade=label"``, or a mapping.
    grades
        The scale: which grade each written value stands for, ``"0.5=1,1=2"`` or a mapping; the highest grade there
        is, ``"0-3"``; or both.
    conflicts
        Different grades of one document for one topic: error, or the first, max, min, mean or majority of them (of
        equally frequent grades the lowest).
    """
    check_choice(conflicts, "conflicts", CONFLICT_RULES)
    names, scale = _column_names(columns), _scale(grades)
    words = named_paths(source)
    parts = _judgments_from_object(source, names, scale) if words is None else _judgments(words, names, scale)
    return merge(parts, conflicts=conflicts, scale=scale)


def _judgments(words: Sequence[str], names: Mapping[str, str], scale: Scale) -> list[Judgments]:
    """Read the judgments of some sources, in the order given."""
    return [part for word in words for part in _judgments_at(word, names, scale)]


def _judgments_at(word: str, names: Mapping[str, str], scale: Scale) -> list[Judgments]:
    """Read the judgments that a word names: a dataset's, files, or those of a directory's files that hold any."""
    if word.startswith(IRDS):
        from assay.data.judgments.irds import judgments_from_irds

        return [judgments_from_irds(word, scale)]
    parts: list[Judgments] = []
    others: list[str] = []
    asked = not Path(word).is_dir()
    for path in expand([word], "judgments"):
        data = read_file(path)
        try:
            if not asked and not is_table(data, path, names) and not _looks_judged(data, path, names, scale):
                others.append(path)
            else:
                parts.append(_judgments_from_file(data, path, names, scale))
        except InputError:
            if asked or _looks_judged(data, path, names, scale):
                raise
            others.append(path)
    if not parts:
        raise InputError(f"{word}: a directory without judgments (not {listed(list(map(plain_name, others)))})")
    return [replace(parts[0], notes=(*parts[0].notes, *skipped_files(word, others, "judgments"))), *parts[1:]]


def _looks_judged(data: bytes, path: str, names: Mapping[str, str], scale: Scale) -> bool:
    """Say whether a file of a directory was meant to be judgments."""
    from assay.data.formats.recognition import looks_judged

    return looks_judged(data, path, names, scale.values)


def _judgments_from_file(data: bytes, path: str, names: Mapping[str, str], scale: Scale) -> Judgments:
    if not is_table(data, path, names, widths=_QRELS_FIELDS):
        return judgments_from_bytes(data, path, scale)
    from assay.data.judgments.rows import judgments_from_table
    from assay.data.long.table import JUDGED, table_from_bytes

    return judgments_from_table(table_from_bytes(data, path, names, strict=JUDGED), scale)


def _judgments_from_object(source: Any, names: Mapping[str, str], scale: Scale) -> list[Judgments]:
    from assay.data.formats.objects import GRADED, held, judgments_in, table_from_object
    from assay.data.judgments.rows import judgments_from_table
    from assay.data.long.table import JUDGED

    whole = held(source, judged=True)
    words = named_paths(whole)
    if words is not None:
        return _judgments(words, names, scale)
    parts = judgments_in(whole)
    tables = [table_from_object(part, names, source=own, fields=GRADED, strict=JUDGED) for own, part in parts.items()]
    return [judgments_from_table(table, scale) for table in tables]


def read_ranked(
    source: Any,
    rule: OrderRule = USUAL,
    *,
    columns: ColumnNames = None,
    grades: GradeValues = None,
    conflicts: Conflicts = "error",
    name: str = "run",
    graded: bool | None = None,
) -> tuple[Runs, Qrels | None]:
    """Read runs and, if `graded`, the judgments that stand in the same rows; None where there are none.

    If `graded` is False, because there are other judgments, a note says that those in the rows are not used.
    """
    reading = _RunReader(rule, _column_names(columns), _scale(grades), graded)
    words = named_paths(source)
    runs = Runs.build(reading.object(source, name) if words is None else reading.files(words), rule)
    names, notes = reading.name(runs.names)
    runs = replace(
        runs.renamed(names, (*notes, *reading.notes)), find_id=None if words is None else reading.find_id(words)
    )
    return runs, reading.qrels(conflicts)


def _column_names(columns: ColumnNames) -> Mapping[str, str]:
    """Which column holds what, as the user says it."""
    if not columns:
        return {}
    from assay.data.formats.fields import column_names

    return column_names(columns)


def _scale(grades: GradeValues) -> Scale:
    """The scale of grades, as the user declares it."""
    if grades is None or grades == "" or grades == {}:
        return UNDECLARED
    from assay.data.judgments.grades import declared_scale

    return declared_scale(grades)


def is_table(data: bytes, path: str, names: Mapping[str, str], *, widths: Collection[int] = _TREC_FIELDS) -> bool:
    """Say whether a file is a long table, by its name or, where that does not tell, by how it starts.

    Without a header, a line of one of these `widths` is TREC's.
    """
    ending = Path(plain_name(path)).suffix.lower()
    start = data[:_HEADER].removeprefix(b"\xef\xbb\xbf").lstrip()
    if ending in _TABLES or start.startswith((b"{", _PARQUET)) or _ARRAY.match(start):
        return True
    line = start.split(b"\n", 1)[0].decode("latin-1")
    if _STATED.match(line):
        return True
    return _is_header(line, names) or (ending in _DELIMITED and not _is_plain(_first_words(data), widths))


def _is_plain(words: Sequence[str], widths: Collection[int]) -> bool:
    """Say whether a first line is data, and no header; one of three words, such as judgments, ends in a number."""
    return len(words) in widths and (len(words) != 3 or words[-1].lstrip("+-").replace(".", "", 1).isdecimal())


def first_width(data: bytes) -> int:
    """Count the words of the first line that is no comment; 0 for what is no text."""
    return len(_first_words(data))


def _first_words(data: bytes) -> list[str]:
    """Split the first line that is no comment; nothing for what is no text."""
    start = data[:_HEADER].removeprefix(b"\xef\xbb\xbf")
    lines = (line.decode("latin-1").split() for line in start.splitlines())
    return [] if b"\0" in start else next((words for words in lines if words and not words[0].startswith("#")), [])


def skipped_files(directory: str, others: Sequence[str], what: str) -> tuple[Note, ...]:
    """Name the files of a directory that are not read."""
    if not others:
        return ()
    text = f"{directory}: {listed([plain_name(path) for path in others])} skipped: not {what}"
    return (Note("skipped_files", "caution", text),)


def _was_meant(problem: InputError, data: bytes, path: str, names: Mapping[str, str]) -> bool:
    """Say whether a file that cannot be read was meant to be a run."""
    from assay.data.formats.recognition import NotRunsError, looks_like_run

    return not isinstance(problem, NotRunsError) and looks_like_run(data, path, names)


def _is_header(line: str, names: Mapping[str, str]) -> bool:
    """Say whether a line names at least two columns, with a tab, a comma or a semicolon between them."""
    separator = "\t" if "\t" in line else max(",;", key=line.count)
    words = [word.strip().strip('"') for word in line.split(separator)]
    if len(words) < 2:
        return False
    from assay.data.formats.fields import role_of

    return sum(role_of(word) is not None or word in names.values() for word in words) > 1


def named_paths(source: Any) -> list[str] | None:
    """List the words that name files, directories or globs; None where data are given."""
    if isinstance(source, str | Path):
        return [str(source)]
    if isinstance(source, Sequence) and source and all(isinstance(item, str | Path) for item in source):
        return [str(item) for item in source]
    return None


@dataclass(slots=True)
class _RunReader:
    """What comes up while sources are read, one at a time, so that no more than one is held as text."""

    rule: OrderRule
    names: Mapping[str, str]
    scale: Scale
    graded: bool | None
    paths: list[str | None] = field(default_factory=list)  # [run] the file of a TREC run
    judged: list[Judgments] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def files(self, words: Sequence[str]) -> Iterator[Listing]:
        """Read TREC runs and tables, in the order given; in directories, what is no run is skipped."""
        check_streams(words)
        found = [(path, word) for word in words for path in expand([word])]
        others: dict[str, list[str]] = {word: [] for word in words if Path(word).is_dir()}
        why = ""
        paths = steps([path for path, _ in found], doing="reading ", lines=False)
        for path, (_, word) in zip(paths, found, strict=True):
            data = read_file(path)
            try:
                runs = self._from_file(data, path, asked=word not in others)
            except InputError as problem:
                if word not in others or _was_meant(problem, data, path, self.names):
                    raise
                others[word].append(path)
                why = why or str(problem)
            else:
                while runs:
                    yield runs.pop(0)  # so that it is not held longer than it is needed
        for word, skipped in others.items():
            if len(skipped) == sum(directory == word for _, directory in found):
                raise InputError(f"{word}: a directory without runs ({why})")
            self.notes += skipped_files(word, skipped, "runs")

    def _from_file(self, data: bytes, path: str, *, asked: bool) -> list[Listing]:
        """Read one file; one that a user has not `asked` for, but a directory holds, must be a run beyond doubt."""
        name = plain_name(path) if path != STDIN else "stdin"
        if is_table(data, path, self.names, widths=_RUN_FIELDS):
            from assay.data.long.table import table_from_bytes

            table = table_from_bytes(data, path, self.names, strict=self._strict())
            self._doubt(table, asked=asked)
            return self._from_table(table, name)
        if first_width(data[:_LINE]) == min(_RUN_FIELDS):
            from assay.data.formats.triples import ranked_triples

            return self._from_table(ranked_triples(data, path, self.names, asked=asked), name)
        run = listing_from_bytes(data, path, ranked=self.rule.needs_ranks)
        self.paths.append(path)
        return [run]

    def _doubt(self, table: LongTable, *, asked: bool) -> None:
        """Say that a table looks like judgments, or refuse it where a directory holds it."""
        from assay.data.judgments.rows import looks_judged

        if not looks_judged(table):
            return
        text = f"{table.source}: the scores are small whole numbers, as in BEIR's judgments"
        if not asked:
            from assay.data.formats.recognition import NotRunsError

            raise NotRunsError(text)
        self.notes.append(Note("looks_judged", "warning", f"{text}; read as a run (--qrels reads judgments)"))

    def find_id(self, words: Sequence[str]) -> FindId:
        """Make the function that reads files again to find the id behind a code."""
        rule, names, scale = self.rule, self.names, self.scale

        def find(code: int, check: int) -> str | None:
            try:
                again = _RunReader(rule, names, scale, None).files([word for word in words if word != STDIN])
                return next((own for run in again if (own := run.doc.find(code, check))), None)
            except InputError:  # they are no longer what they were
                return None

        return find

    def object(self, source: Any, name: str) -> Iterator[Listing]:
        """Read a Python object; a walk through paths is one of files."""
        from assay.data.formats.objects import held, runs_in

        whole = held(source)
        words = named_paths(whole)
        if words is not None:
            yield from self.files(words)
            return
        for own, part, is_named in runs_in(whole, name):
            runs = self._from_part(part, own)
            for run in runs:
                yield replace(run, name=own if len(runs) == 1 else f"{own}/{run.name}") if is_named else run

    def _from_part(self, part: Any, name: str) -> list[Listing]:
        """Read one of several objects; a file that the user names keeps that name."""
        from assay.data.formats.objects import SCORED, table_from_object

        if isinstance(part, str | Path):
            before = len(self.paths)
            runs = list(self.files([str(part)]))
            self.paths[before:] = [None] * len(runs)
            return runs
        table = table_from_object(part, self.names, source=name, fields=SCORED, strict=self._strict())
        return self._from_table(table, name)

    def _strict(self) -> tuple[str, ...]:
        from assay.data.long.table import RANKED

        return (*RANKED, "grade") if self.graded else RANKED

    def _from_table(self, table: LongTable, name: str) -> list[Listing]:
        from assay.data.judgments.rows import judgments_from_rows
        from assay.data.long.listings import listings

        runs, notes = listings(table, self.rule, name=name)
        self.paths += [None] * len(runs)
        self.notes += notes
        if self.graded and (part := judgments_from_rows(table, self.scale)):
            self.judged.append(part)
        if self.graded is False and "grade" in table.columns:
            self.notes.append(Note("unused_grades", "info", f"{table.source}: the grades in its rows are not used"))
        return runs

    def qrels(self, conflicts: Conflicts) -> Qrels | None:
        """Merge the judgments that stood in the rows; None where there were none."""
        return merge(self.judged, conflicts=conflicts, scale=self.scale) if self.judged else None

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
