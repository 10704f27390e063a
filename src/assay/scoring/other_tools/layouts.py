"""The layouts of tables of scores: which column is what, found by the header, laid out as cells.

Three columns without a header are the output of `trec_eval -q` or `ir_measures -q`. A table has a row for every
score, a row for every run and topic with a column per measure, or is a matrix of runs and topics.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.core.errors import InputError, UsageError, suggestion
from assay.core.notes import Note
from assay.core.text import first_few
from assay.data.files import STDIN, bare_name
from assay.data.formats.delimited import RawTable, is_number
from assay.data.formats.fields import ROLES, plain_column, with_points
from assay.measures.grammar import recognised
from assay.scoring.other_tools.cells import AVERAGE, VECTORS, Cells, as_numbers
from assay.scoring.other_tools.exports import Export, known_export, run_columns, topic_column
from assay.scoring.scores import Orient

_QUESTIONS = ("example_id", "sample_id", "question", "user_input", "input", "prompt", "id")
ALIASES: dict[str, tuple[str, ...]] = {
    "run": ROLES["run"],
    "topic": (*dict.fromkeys((*ROLES["topic"], *_QUESTIONS)),),
    "measure": ("measure", "metric", "condition"),
    "value": ("value", "score", "result"),
}
"""What people call the columns of a table of scores, in any case; where several are there, the first counts."""

_PROSE = {"question", "user_input", "input", "prompt"}
_SHOWN = 12  # columns listed in a message


@dataclass(frozen=True, slots=True)
class Description:
    """What the user says of a source of scores."""

    names: Mapping[str, str]  # what a column holds -> the column
    orient: Orient | None = None
    run: str | None = None  # the name of the one run of an object, which no file names


def cells_of(table: RawTable, asked: Description) -> Cells:
    """Find out which layout a table has, and lay it out."""
    if not table.header:
        raise InputError(f"{table.source}: no column of text or numbers")
    if asked.orient is None and len(table.header) > 1 and not table.header[0] and role_of(table.header[1]):
        table = table.without_first()  # the index of a data frame
    table = table if asked.orient or asked.names else _with_header(table)
    if not table.columns.height:
        raise InputError(f"{table.source}: no rows below the header")
    if asked.orient:
        if asked.names:
            raise UsageError("--orient says what a matrix is, --columns what a table is; give one of them")
        return _matrix(table, asked.orient)
    return _table(table, asked)


def _table(table: RawTable, asked: Description) -> Cells:
    at = _positions(table, asked.names)
    export = known_export(table.header)
    if {"topic", "measure", "value"} <= set(at):
        return _long(table, at, asked)
    if "value" in asked.names and "topic" in at:
        return _column_a_measure(table, at, [at["value"]], asked)
    if export and not asked.names:
        return _export(table, export, asked)
    if {"topic", "run"} <= set(at) or ("topic" in at and _is_one_run(table, at["topic"], asked)):
        return _column_a_measure(table, at, _measure_columns(table, at), asked)
    if asked.names:
        raise _undescribed(table, at)
    if "run" in at and ("measure" in at or all(map(recognised, table.header[1:]))):
        raise InputError(f"{table.source}: no topic column ({', '.join(ROLES['topic'])}): are these averages?")
    return _matrix(table, None)


def role_of(word: str) -> str | None:
    """Say what a column is, by its name."""
    return next((role for role, names in ALIASES.items() if plain_column(word) in names), None)


def is_topic(word: str) -> bool:
    """Whether a column is the topic, by its name."""
    return role_of(word) == "topic"


def _positions(table: RawTable, names: Mapping[str, str]) -> dict[str, int]:
    """Where each column stands: as the user names it, or else by its usual names."""
    at = {}
    for role, name in names.items():
        if name not in table.header:
            there = suggestion(name, table.header) or f"; there are {first_few(table.header, most=_SHOWN)}"
            raise InputError(f"{table.source}: no column '{name}' (--columns {role}={name}){there}")
        at[role] = table.header.index(name)
    words = [None if i in at.values() else plain_column(word) for i, word in enumerate(table.header)]
    for role, usual in ALIASES.items():
        if (
            role not in at
            and (found := next((words.index(name) for name in usual if name in words), None)) is not None
        ):
            at[role] = found
    table.check_line_ends({role: i for role, i in at.items() if role in ("run", "measure")})
    return at


def _undescribed(table: RawTable, at: Mapping[str, int]) -> InputError:
    lacking = [role for role in ALIASES if role not in at]
    hint = f"--columns {','.join(f'{role}=NAME' for role in lacking)}"
    return InputError(f"{table.source}: no column for the {' or the '.join(lacking)}; name it by {hint}")


def _with_header(table: RawTable) -> RawTable:
    """Give the output of trec_eval and ir_measures the header that it lacks."""
    first = table.header
    named = any(map(role_of, first)) and recognised(first[0]) is None  # as in `map topic 0.5`, a topic called so
    if named or (not is_number(first[-1]) and AVERAGE not in first):
        return table
    if len(first) == 2:
        raise InputError(f"{table.source}: only averages; `ir_measures -q` prints every topic")
    return table.with_header(*_order_of_three(table)) if len(first) == 3 and all(first) else table


def _order_of_three(table: RawTable) -> tuple[str, str, str]:
    """Tell trec_eval's order (measure, topic, value) from ir_measures' (topic, measure, value)."""
    columns = table.with_header(*table.header).columns
    first, second = (columns[at].drop_nulls().unique(maintain_order=True).to_list() for at in "01")
    if AVERAGE in second or (AVERAGE not in first and any(map(recognised, first[:50]))):
        return "measure", "topic", "value"
    if AVERAGE in first or any(map(recognised, second[:50])):
        return "topic", "measure", "value"
    what = f"neither '{first[0]}' nor '{second[0]}' is a measure"
    raise InputError(f"{table.source}: {what}; a first line `topic measure value`, in their order, would tell")


def _long(table: RawTable, at: Mapping[str, int], asked: Description) -> Cells:
    """Lay out a table with a row for every score."""
    frame = table.columns.select(pl.col(str(i)).alias(role) for role, i in at.items()).with_row_index("row")
    frame = frame.with_columns(_with_points(frame["value"]))
    frame = frame if "run" in at else frame.with_columns(run=_runs(frame, table, asked))
    return Cells(table.source, "long table", frame, table.where)


def _with_points(column: pl.Series) -> pl.Series:
    return with_points(column) if column.dtype == pl.String else column


def _runs(frame: pl.DataFrame, table: RawTable, asked: Description) -> pl.Series:
    """Say which run each row is of: the one that trec_eval's `runid` lines name, else one named by the file.

    trec_eval prints a run's `runid` with the averages, after its topics; other tools print it before them.
    """
    mark = (frame["measure"] == "runid").fill_null(value=False)
    if not mark.any():
        return pl.repeat(_only_run(table, asked), frame.height, eager=True)
    names = frame["value"].filter(mark).cast(pl.String)
    scores = (frame["topic"] != AVERAGE).fill_null(value=True)
    leads = bool(scores.any()) and mark.arg_max() < scores.arg_max()  # type: ignore[operator]
    above = mark.cum_sum().cast(pl.Int64) - mark.cast(pl.Int64)
    block = above - 1 if leads else above
    if len(nameless := frame["row"].filter(scores & (block >= len(names)))):
        raise InputError(f"{table.where(nameless[0])}: no `runid` line follows to name the run of these scores")
    return names.gather(block.clip(0, len(names) - 1))


def _only_run(table: RawTable, asked: Description) -> str:
    return asked.run or stem(table.source)


def stem(path: str) -> str:
    """Name a file without its folder, packing and extension."""
    return "stdin" if path == STDIN else bare_name(path)


def _is_one_run(table: RawTable, topic: int, asked: Description) -> bool:
    """Whether a table without runs has a column per measure; a matrix of topics and runs has nothing but numbers."""
    others = [word for i, word in enumerate(table.header) if i != topic]
    if "topic" in asked.names or (others and all(map(recognised, others))):
        return True
    if re.fullmatch(VECTORS, measure_in(table.source)):
        return False
    columns = [column for i, column in enumerate(table.columns.get_columns()) if i != topic]
    has_numbers = any(_numbers_in(column) for column in columns)
    is_question = plain_column(table.header[topic]) in _PROSE
    return has_numbers and (topic > 0 or is_question or any(_is_words(column) for column in columns))


def _numbers_in(column: pl.Series) -> bool:
    return bool(as_numbers(column)[0].is_not_null().any())


def _is_words(column: pl.Series) -> bool:
    """Whether a column holds words and no number."""
    number, wrong = as_numbers(column)
    return bool(wrong.any() and number.is_null().all())


def _measure_columns(table: RawTable, at: Mapping[str, int]) -> list[int]:
    """The columns that may be measures; numbers that name a topic or a run are none."""
    taken = [at[role] for role in ("topic", "run") if role in at]
    others = [i for i, word in enumerate(table.header) if word and i not in taken]
    ids = [i for i in others if role_of(table.header[i]) in ("topic", "run") and not _is_words(table.columns[str(i)])]
    return [i for i in others if i not in ids]


def _export(table: RawTable, export: Export, asked: Description) -> Cells:
    """Lay out what a known framework exports."""
    topic, runs = topic_column(export, table.header), run_columns(export, table.header)
    others = [i for i, word in enumerate(table.header) if word and i not in (topic, *runs) and export.is_metric(word)]
    named = [
        column for i in runs if (column := table.columns[str(i)].cast(pl.String)).n_unique() > 1 or len(runs) == 1
    ]
    words = [word.removeprefix(export.prefix) for word in table.header]
    table = replace(table, header=tuple(words))
    cells = _column_a_measure(table, {"topic": topic}, others, asked)
    if runs:
        run = pl.select(pl.concat_str(named or [table.columns[str(runs[-1])]], separator="/")).to_series()
        cells = replace(cells, frame=cells.frame.with_columns(run=run.gather(cells.frame["row"])))
    return replace(cells, layout=f"{export.name}'s table of results", notes=())


def _column_a_measure(table: RawTable, at: Mapping[str, int], others: Sequence[int], asked: Description) -> Cells:
    """Lay out a table with a row for every run and topic, and a column for every measure."""
    keys = {role: at[role] for role in ("run", "topic") if role in at}
    if not others:
        raise InputError(f"{table.source}: no column of scores beside {' and '.join(keys)}")
    frame = _unpivoted(table, keys, others, "measure")
    if "run" not in keys:
        frame = frame.with_columns(run=pl.lit(_only_run(table, asked)))
    layout = "table with a column for every measure"
    return Cells(table.source, layout, frame, table.where, _notes_on_topics(table, at))


def _notes_on_topics(table: RawTable, at: Mapping[str, int]) -> tuple[Note, ...]:
    """Say where another column could be the topic: questions can be told by their text or by their ids."""
    taken = table.header[at["topic"]]
    others = [word for word in table.header if word != taken and role_of(word) == "topic"]
    if not others or plain_column(taken) not in _QUESTIONS:
        return ()
    text = f"{table.source}: the topic is column '{taken}' (--columns topic={others[0]} would take '{others[0]}')"
    return (Note("ambiguous_column", "caution", text),)


def _unpivoted(table: RawTable, at: Mapping[str, int], others: Iterable[int], what: str) -> pl.DataFrame:
    """Put columns one below the other; `what` gets the words of their header."""
    words = {str(i): table.header[i] for i in others}
    keys = table.columns.select(pl.col(str(i)).alias(role) for role, i in at.items()).with_row_index("row")
    values = table.columns.select(list(words)).with_columns(_with_points(table.columns[i]) for i in words)
    texts = any(kind == pl.String for kind in values.dtypes)
    values = values.with_columns(pl.all().cast(pl.String if texts else pl.Float64))
    frame = keys.hstack(values).unpivot(list(words), index=keys.columns, variable_name=what)
    return frame.with_columns(pl.col(what).replace_strict(words, return_dtype=pl.String))


def _matrix(table: RawTable, orient: Orient | None) -> Cells:
    """Lay out a matrix of runs and topics; its measure is named by its file."""
    corner = table.header[0]
    stated = {"topic": "topic-by-run", "run": "run-by-topic"}.get(role_of(corner) or "")
    chosen = orient or stated
    if chosen is None:
        hint = suggestion(corner, ("topic", "query", "run", "system"))
        what = f"a matrix whose first header cell is '{corner}', neither topic nor run{hint}"
        raise UsageError(f"{table.source}: {what} (--orient topic-by-run if a row is a topic, else run-by-topic)")
    if len(table.header) == 1:
        raise InputError(f"{table.source}: one column, so no scores")
    rows, columns = chosen.split("-by-")
    measure = measure_in(table.source)
    frame = _unpivoted(table, {rows: 0}, range(1, len(table.header)), columns).with_columns(measure=pl.lit(measure))
    cells = Cells(table.source, f"matrix, {chosen}", frame, table.where)
    if stated not in (None, chosen):
        note = f"{table.source}: read {chosen} as asked, though its first header cell is '{corner}'"
        cells = replace(cells, notes=(Note("oriented_as_asked", "caution", note),))
    return _precision(cells) if re.fullmatch(VECTORS, measure) else cells


def measure_in(path: str) -> str:
    """Find the measure in the name of a file.

    >>> [measure_in(name) for name in ("adhoc5.ap.tsv.gz", "web.RBP(p=0.8).csv", "web.v2.ndcg20.tsv")]
    ['ap', 'RBP(p=0.8)', 'ndcg20']
    """
    parts = stem(path).split(".")
    tails = [".".join(parts[i:]) for i in range(len(parts))]
    return next((tail for tail in tails if recognised(tail)), tails[-1])


def _precision(cells: Cells) -> Cells:
    """Turn vectors of grades, best rank first, into the precision at their length.

    The letters are trec_eval's: a digit is a grade, > a higher one; - . < are not judged, or below 0.
    """
    vector = cells.frame["value"].cast(pl.String).str.strip_chars("'")
    wrong = vector.str.contains(r"[^0-9<>.-]").fill_null(value=False)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        place = cells.where(cells.frame["row"][row])
        raise InputError(f"{place}: '{vector[row]}' is not a vector of grades, such as 1101000000")
    depth = int(vector.str.len_chars().max() or 1)  # type: ignore[arg-type]
    hits = vector.str.count_matches("[1-9>]").cast(pl.Float64).fill_null(np.nan).to_numpy()
    note = (
        f"{cells.source}: vectors of grades, read as P@{depth}: the share of their {depth} ranks with grade 1 or more"
    )
    frame = cells.frame.with_columns(value=hits / depth, measure=pl.lit(f"P@{depth}"))
    return replace(cells, frame=frame, notes=(*cells.notes, Note("grade_vectors", "info", note)))
