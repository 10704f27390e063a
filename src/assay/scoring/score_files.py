"""Scores that other tools computed: per-topic output, long tables and matrices become `Scores`.

Whatever the file looks like, it is first laid out as cells (run, topic, measure, value); one way then leads from
the cells to `Scores`. Which layout a file has, its header says; three columns without a header are the output of
`trec_eval -q` or `ir_measures -q`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import polars as pl

from assay.core.arrays import Array, Counts
from assay.core.errors import InputError, UsageError, suggestion
from assay.core.notes import Note
from assay.data.delimited import RawTable, is_number, read_table
from assay.data.fields import ROLES, ids, plain_column
from assay.data.files import STDIN, bare_name, read_bytes
from assay.data.provenance import Basis
from assay.measures.declare import Measure
from assay.measures.grammar import recognised
from assay.scoring.scores import Orient, Scores

ALIASES: dict[str, tuple[str, ...]] = {
    "run": ROLES["run"],
    "topic": ROLES["topic"],
    "measure": ("measure", "metric", "condition"),
    "value": ("value", "score", "result"),
}
"""What people call the columns of a long table, in any case; where several are there, the first counts."""

MISSING = ("", "-", "na", "n/a", "nan", "null", "none")
"""How a missing score is written, in any case."""

AVERAGE = "all"
"""What trec_eval, and who follows it, writes in the topic's place beside an average."""

_VECTORS = r"relstring(_\d+)?"  # trec_eval's word for the grades of the first ranks
_MOST_CELLS = 2**29  # 4 GB


@dataclass(frozen=True, slots=True)
class _Cells:
    """One row per score: run, topic, measure, value and the row of the file in which it stands."""

    source: str
    layout: str
    frame: pl.DataFrame
    where: Callable[[int], str]
    notes: tuple[Note, ...] = ()

    def keep(self, rows: pl.Series, *notes: Note) -> _Cells:
        return replace(self, frame=self.frame.filter(rows), notes=self.notes + notes)


def read_scores(path: str, *, orient: Orient | None = None, name: str | None = None) -> Scores:
    """Read the per-topic scores that another tool wrote, packed or not.

    The file is the output of `trec_eval -q` or `ir_measures -q`, a long table (run, topic, measure, value; or one
    column per measure), or a matrix of runs and topics; in text, JSON lines or Parquet. A measure that we know by
    its name gets ours (`ndcg_cut_10` is nDCG@10), every other keeps its own. Averages (topic `all`) and what is
    not a number throughout are left out; true is 1 and false 0; a missing score is NaN. A matrix of trec_eval's
    `relstring`, vectors of grades, is read as the precision at their length.

    Parameters
    ----------
    path
        The file; - is standard input.
    orient
        What the rows and columns of a matrix are, where the first cell of its header does not say `topic` or
        `run`; given, it takes any table for a matrix.
    name
        What to call the one measure of the file. Without it a matrix is named by its file: by what follows a dot
        and reads as a measure (`adhoc5.ap.tsv.gz` is AP), else by what follows the last dot.
    """
    if orient is not None and orient not in get_args(Orient):
        raise UsageError(f"orient: '{orient}' is not {' or '.join(get_args(Orient))}")
    cells = _cells(read_table(read_bytes(path), path), orient)
    return _scores(_only_numbers(_without_averages(_named_throughout(cells))), name)


def _cells(table: RawTable, orient: Orient | None) -> _Cells:
    """Find out which layout a table has."""
    if not table.header:
        raise InputError(f"{table.source}: no column of text or numbers")
    if orient is None and len(table.header) > 1 and not table.header[0] and _role(table.header[1]):
        table = table.without_first()  # the index of a data frame
    table = table if orient else _with_header(table)
    if not table.columns.height:
        raise InputError(f"{table.source}: no rows below the header")
    if orient:
        return _matrix(table, orient)
    at = {role: i for role in ALIASES if (i := _find(role, table.header)) is not None}
    if {"topic", "measure", "value"} <= set(at):
        return _long(table, at)
    if {"topic", "run"} <= set(at):
        return _column_a_measure(table, {role: at[role] for role in ("run", "topic")})
    if table.header[1:] and all(map(recognised, table.header[1:])) and _role(table.header[0]) == "topic":
        return _column_a_measure(table, {"topic": 0})
    if "run" in at and ("measure" in at or all(map(recognised, table.header[1:]))):
        raise InputError(f"{table.source}: no topic column ({', '.join(ALIASES['topic'])}): are these averages?")
    return _matrix(table, None)


def _role(word: str) -> str | None:
    """Say what a column is, by its name."""
    return next((role for role, names in ALIASES.items() if plain_column(word) in names), None)


def _find(role: str, header: Sequence[str]) -> int | None:
    words = list(map(plain_column, header))
    return next((words.index(name) for name in ALIASES[role] if name in words), None)


def _with_header(table: RawTable) -> RawTable:
    """Give the output of trec_eval and ir_measures the header that it lacks."""
    first = table.header
    if any(map(_role, first)) or (not is_number(first[-1]) and AVERAGE not in first):
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


def _long(table: RawTable, at: Mapping[str, int]) -> _Cells:
    """Lay out a table with a row for every score."""
    frame = table.columns.select(pl.col(str(i)).alias(role) for role, i in at.items()).with_row_index("row")
    frame = frame if "run" in at else frame.with_columns(run=_runs(frame, table))
    return _Cells(table.source, "long table", frame, table.where)


def _runs(frame: pl.DataFrame, table: RawTable) -> pl.Series:
    """Say which run each row is of: the one that trec_eval's `runid` lines name, else one named by the file.

    trec_eval prints a run's `runid` with the averages, after its topics; other tools print it before them.
    """
    mark = (frame["measure"] == "runid").fill_null(value=False)
    if not mark.any():
        return pl.repeat(_stem(table.source), frame.height, eager=True)
    names = frame["value"].filter(mark).cast(pl.String)
    scores = (frame["topic"] != AVERAGE).fill_null(value=True)
    leads = bool(scores.any()) and mark.arg_max() < scores.arg_max()  # type: ignore[operator]
    above = mark.cum_sum().cast(pl.Int64) - mark.cast(pl.Int64)
    block = above - 1 if leads else above
    if len(nameless := frame["row"].filter(scores & (block >= len(names)))):
        raise InputError(f"{table.where(nameless[0])}: no `runid` line follows to name the run of these scores")
    return names.gather(block.clip(0, len(names) - 1))


def _stem(path: str) -> str:
    """Name a file without its folder, packing and extension."""
    return "stdin" if path == STDIN else bare_name(path)


def _column_a_measure(table: RawTable, at: Mapping[str, int]) -> _Cells:
    """Lay out a table with a row for every run and topic, and a column for every measure."""
    others = [i for i, word in enumerate(table.header) if word and i not in at.values()]
    if not others:
        raise InputError(f"{table.source}: no column of scores beside {' and '.join(at)}")
    frame = _unpivoted(table, at, others, "measure")
    if "run" not in at:
        frame = frame.with_columns(run=pl.lit(_stem(table.source)))
    return _Cells(table.source, "table with a column for every measure", frame, table.where)


def _unpivoted(table: RawTable, at: Mapping[str, int], others: Iterable[int], what: str) -> pl.DataFrame:
    """Put columns one below the other; `what` gets the words of their header."""
    words = {str(i): table.header[i] for i in others}
    keys = table.columns.select(pl.col(str(i)).alias(role) for role, i in at.items()).with_row_index("row")
    values = table.columns.select(list(words))
    texts = any(kind == pl.String for kind in values.dtypes)
    values = values.with_columns(pl.all().cast(pl.String if texts else pl.Float64))
    frame = keys.hstack(values).unpivot(list(words), index=keys.columns, variable_name=what)
    return frame.with_columns(pl.col(what).replace_strict(words, return_dtype=pl.String))


def _matrix(table: RawTable, orient: Orient | None) -> _Cells:
    """Lay out a matrix of runs and topics; its measure is named by its file."""
    corner = table.header[0]
    stated = {"topic": "topic-by-run", "run": "run-by-topic"}.get(_role(corner) or "")
    chosen = orient or stated
    if chosen is None:
        hint = suggestion(corner, ("topic", "query", "run", "system"))
        what = f"a matrix whose first header cell is '{corner}', neither topic nor run{hint}"
        raise UsageError(f"{table.source}: {what} (--orient topic-by-run if a row is a topic, else run-by-topic)")
    if len(table.header) == 1:
        raise InputError(f"{table.source}: one column, so no scores")
    rows, columns = chosen.split("-by-")
    measure = _measure_in(table.source)
    frame = _unpivoted(table, {rows: 0}, range(1, len(table.header)), columns).with_columns(measure=pl.lit(measure))
    cells = _Cells(table.source, f"matrix, {chosen}", frame, table.where)
    if stated not in (None, chosen):
        note = f"{table.source}: read {chosen} as asked, though its first header cell is '{corner}'"
        cells = replace(cells, notes=(Note("oriented_as_asked", "caution", note),))
    return _precision(cells) if re.fullmatch(_VECTORS, measure) else cells


def _measure_in(path: str) -> str:
    """Find the measure in the name of a file.

    >>> [_measure_in(name) for name in ("adhoc5.ap.tsv.gz", "web.RBP(p=0.8).csv", "web.v2.ndcg20.tsv")]
    ['ap', 'RBP(p=0.8)', 'ndcg20']
    """
    parts = _stem(path).split(".")
    tails = [".".join(parts[i:]) for i in range(len(parts))]
    return next((tail for tail in tails if recognised(tail)), tails[-1])


def _precision(cells: _Cells) -> _Cells:
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


def _named_throughout(cells: _Cells) -> _Cells:
    """Make names text, and refuse a row that lacks one."""
    row = cells.frame["row"]
    names = [
        ids(cells.frame[of], of, cells.source, lambda i: cells.where(row[i])) for of in ("run", "topic", "measure")
    ]
    return replace(cells, frame=cells.frame.with_columns(names))


def _without_averages(cells: _Cells) -> _Cells:
    """Leave out the averages that tools print beside the topics."""
    average = cells.frame["topic"] == AVERAGE
    if average.all():
        raise InputError(f"{cells.source}: only averages (topic '{AVERAGE}'); trec_eval -q prints every topic")
    n = int((average & (cells.frame["measure"] != "runid")).sum())
    note = Note("averages_left_out", "info", f"{cells.source}: {n} averages (topic '{AVERAGE}') left out")
    return cells.keep(~average, *([note] if n else []))


def _only_numbers(cells: _Cells) -> _Cells:
    """Turn values into numbers, missing ones into null; leave out measures that have none."""
    number, wrong = _as_numbers(cells.frame["value"])
    cells = replace(cells, frame=cells.frame.with_columns(number=number, wrong=wrong))
    text = (
        cells.frame.group_by("measure", maintain_order=True)
        .agg(text=pl.col("wrong").any() & pl.col("number").is_null().all())
        .filter(pl.col("text") | pl.col("measure").str.contains(f"^(runid|{_VECTORS})$"))["measure"]
        .to_list()
    )
    numeric = ~cells.frame["measure"].is_in(text)
    if text and numeric.any():
        note = Note("not_numbers", "caution", f"{cells.source}: not numbers, so left out: {', '.join(text)}")
        cells = cells.keep(numeric, note)
    elif text and not cells.frame["wrong"].any():
        raise InputError(f"{cells.source}: no scores, only {', '.join(text)}")
    if (bad := cells.frame.filter("wrong")).height:
        row = bad.sort("row").row(0, named=True)
        what = f"run {row['run']}, topic {row['topic']}, {row['measure']}"
        raise InputError(
            f"{cells.where(row['row'])}: {str(row['value'])[:40]!r} is not a number ({what}); a missing one is NA"
        )
    return cells


def _as_numbers(value: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Read numbers; null is a missing one. The second series marks what is neither."""
    value = value.str.strip_chars() if value.dtype == pl.String else value
    number = value.cast(pl.Float64, strict=False)
    wrong = number.is_infinite().fill_null(value=False)
    if value.dtype == pl.String and number.null_count():
        word = value.str.to_lowercase()
        number = number.fill_null(word.replace_strict({"true": 1.0, "false": 0.0}, default=None))
        wrong |= number.is_null() & ~word.fill_null("").is_in(MISSING)
    return number.fill_nan(None), wrong


def _scores(cells: _Cells, name: str | None) -> Scores:
    """Fill the cube."""
    measures, at_measure = _index(cells.frame["measure"])
    if name is not None and len(measures) > 1:
        raise UsageError(f"--name {name}: a name is for one measure, and {cells.source} holds {len(measures)}")
    runs, at_run = _index(cells.frame["run"])
    topics, at_topic = _index(cells.frame["topic"])
    shape = len(measures), len(runs), len(topics)
    if math.prod(shape) > _MOST_CELLS:
        size = f"{len(measures)} measures x {len(runs)} runs x {len(topics)} topics"
        raise InputError(f"{cells.source}: {size} are too many for {cells.frame.height} scores")
    cell = np.ravel_multi_index((at_measure, at_run, at_topic), shape)
    if np.bincount(cell).max() > 1:
        raise _repeated(cells, cell)
    value = np.full(shape, np.nan)
    value.flat[cell] = cells.frame["number"].fill_null(np.nan).to_numpy()
    texts = measures if name is None else (name,)
    known = tuple(map(recognised, texts))
    missing = int(np.isnan(value).sum())
    text = f"{cells.source}: {missing} of {value.size} scores are missing"
    notes = (Note("missing_scores", "caution", text),) if missing else ()
    return Scores(
        conditions=_labels(texts, known),
        runs=runs,
        topics=topics,
        value=_floored(value, known),
        averages=tuple(m.declaration.average if m else "mean" for m in known),
        basis=Basis(runs=len(runs), topics=len(topics), scores=cells.source, layout=cells.layout),
        notes=(*cells.notes, *notes),
    )


def _floored(value: Array, known: Sequence[Measure | None]) -> Array:
    """Raise scores to the floor of a geometric mean, below which they have no logarithm; 4 decimals lose it."""
    geometric = [m is not None and m.declaration.average == "geometric" for m in known]
    floor = [m.declaration.low if m and of else -np.inf for m, of in zip(known, geometric, strict=True)]
    return np.maximum(value, np.array(floor)[:, None, None])


def _index(names: pl.Series) -> tuple[tuple[str, ...], Counts]:
    """Number names in the order of their first appearance."""
    distinct = names.unique(maintain_order=True)
    return tuple(distinct), names.cast(pl.Enum(distinct)).to_physical().cast(pl.Int64).to_numpy()


def _repeated(cells: _Cells, cell: Counts) -> InputError:
    """Say which score is there twice, and where."""
    row = cells.frame["row"].to_numpy()
    order = np.lexsort((row, cell))
    again = order[1:][cell[order][1:] == cell[order][:-1]]
    second = again[np.argmin(row[again])]
    first = row[cell == cell[second]].min()
    of = cells.frame.row(int(second), named=True)
    what = f"run {of['run']}, topic {of['topic']}, {of['measure']}"
    return InputError(f"{cells.where(of['row'])}: a second score for {what}, after {cells.where(int(first))}")


def _labels(texts: Sequence[str], known: Sequence[Measure | None]) -> tuple[str, ...]:
    """Call measures by our names; where two of them are one measure of ours, the later keeps its own."""
    taken = {text for text, m in zip(texts, known, strict=True) if str(m) == text}
    labels = []
    for text, m in zip(texts, known, strict=True):
        label = text if m is None or str(m) in taken else str(m)
        taken.add(label)
        labels.append(label)
    return tuple(labels)
