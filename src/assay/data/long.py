"""Long tables: one row per ranked document, judgment, or both at once; many runs may stand in one table.

A row with a run, a rank or a score is ranked; a row with a grade is a judgment, ranked or not. From here on nothing
is special: rankings become listings and judgments become qrels, as from TREC files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools, Counts, Index
from assay.core.errors import InputError
from assay.core.notes import Note
from assay.data.delimited import read_table
from assay.data.fields import Where, find_columns, grades, ids, missing_column, numbers, texts
from assay.data.files import plain_name
from assay.data.tables import Listing, Qrels, Ties, encode, number

RANKED = ("topic", "run", "doc", "rank", "score")
JUDGED = ("topic", "doc", "grade")

_PARQUET = {".parquet", ".pq"}
_MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True)
class LongTable:
    """A long table: those columns that are there, by what they hold, and where each row came from."""

    source: str
    header: tuple[str, ...]
    columns: pl.DataFrame  # topic, doc: text; run: text or null; rank, score, grade: as they stand
    where: Where
    notes: tuple[Note, ...] = ()

    @classmethod
    def build(
        cls,
        header: Sequence[str],
        columns: Sequence[pl.Series],
        names: Mapping[str, str],
        *,
        source: str,
        where: Where | None = None,
        strict: Iterable[str] = (),
    ) -> LongTable:
        """Find columns by the words of the header, or as the user names them, and check the ids."""
        place = where or (lambda row: f"{source}: row {row + 1}")
        position, notes = find_columns(header, names, source=source, strict=strict)
        for role in ("topic", "doc"):
            if role not in position:
                raise missing_column([role], header, source)
        held = {role: columns[i].alias(role) for role, i in position.items()}
        if not len(held["topic"]):
            raise InputError(f"{source}: a header, but no rows")
        held |= {role: ids(held[role], role, source, place) for role in ("topic", "doc")}
        if "run" in held:
            held["run"] = texts(held["run"], "run", source)
        return cls(source, tuple(header), pl.DataFrame(held), place, notes)

    def is_ranked(self) -> Bools:
        """Say which rows are ranked: those with a run, a rank or a score."""
        ranked = np.zeros(self.columns.height, dtype=bool)
        for role in {"run", "rank", "score"} & set(self.columns.columns):
            ranked |= self.columns[role].is_not_null().to_numpy()
        return ranked

    def numbers(self, role: str) -> Array:
        """Return ranks or scores, NaN in rows without one."""
        if role not in self.columns.columns:
            return np.full(self.columns.height, np.nan)
        return numbers(self.columns[role], role, self.where)


def table_from_bytes(data: bytes, source: str, names: Mapping[str, str], *, strict: Iterable[str]) -> LongTable:
    """Read a long table; the columns that the user names must be there if what they hold is among the `strict`."""
    if data and Path(plain_name(source)).suffix.lower() in _PARQUET and not data.startswith(_MAGIC):
        raise InputError(f"{source}: not a Parquet file, though its name says so")
    raw = read_table(data, source)
    columns = raw.columns.get_columns()
    return LongTable.build(raw.header, columns, names, source=source, where=raw.where, strict=strict)


def listings(table: LongTable, *, name: str, ties: Ties) -> tuple[list[Listing], tuple[Note, ...]]:
    """Take the rankings out of a table, run by run; where a table names no runs, it is one run of this name."""
    rows = _ranked_rows(table)
    part = table.columns[rows]
    names, run = number(part["run"]) if "run" in part.columns else ((name,), np.zeros(rows.size, dtype=np.int64))
    topics, topic = number(part["topic"])
    score, rank = table.numbers("score")[rows], table.numbers("rank")[rows]
    code = encode(part["doc"])
    order = np.argsort(run, kind="stable")
    runs, by_rank = [], []
    for one, at in zip(names, np.split(order, np.cumsum(np.bincount(run))[:-1]), strict=True):
        own_score, own_rank = _values(table, rows[at], score[at], rank[at], ties=ties)
        by_rank += [one] if np.isnan(score[at]).all() else []
        runs.append(
            Listing(
                name=one,
                topics=topics,
                topic=topic[at],
                doc=part["doc"].gather(at),
                code=code[at],
                score=own_score,
                rank=own_rank,
                where=_at(table.where, rows[at]),
            )
        )
    return runs, (*table.notes, *_notes_on_order(table, by_rank, len(names), ties))


def _ranked_rows(table: LongTable) -> Index:
    """Find the rows that are ranked; complain about rows that should be and cannot."""
    there = set(table.columns.columns)
    if not there & {"rank", "score"}:
        raise missing_column(["rank", "score"], table.header, table.source)
    ranked = table.is_ranked()
    if not ranked.any():
        raise InputError(f"{table.source}: no row has a rank or a score")
    if "run" in there:
        nameless = ranked & table.columns["run"].is_null().to_numpy()
        if nameless.any():
            raise InputError(f"{table.where(int(nameless.argmax()))}: no run, though other rows have one")
    else:
        judged = table.columns["grade"].is_not_null().to_numpy() if "grade" in there else np.zeros_like(ranked)
        empty = ~ranked & ~judged
        if empty.any():
            raise InputError(f"{table.where(int(empty.argmax()))}: no rank, score or grade")
    return np.flatnonzero(ranked)


def _values(table: LongTable, rows: Index, score: Array, rank: Array, *, ties: Ties) -> tuple[Array, Array | None]:
    """Settle scores and ranks of one run: by rank alone where no row has a score."""
    lacks_score, lacks_rank = np.isnan(score), np.isnan(rank)
    if lacks_score.any() and not lacks_score.all():
        raise InputError(f"{table.where(int(rows[lacks_score.argmax()]))}: no score, though its run has others")
    by_rank = bool(lacks_score.all())
    if lacks_rank.any() and (by_rank or (ties == "rank" and not lacks_rank.all())):
        what = "neither rank nor score" if by_rank else "no rank"
        raise InputError(f"{table.where(int(rows[lacks_rank.argmax()]))}: {what}")
    return -rank if by_rank else score, None if lacks_rank.any() else rank


def _notes_on_order(table: LongTable, by_rank: Sequence[str], n_runs: int, ties: Ties) -> tuple[Note, ...]:
    if not by_rank or ties == "rank":
        return ()
    who = "no scores" if len(by_rank) == n_runs else f"{len(by_rank)} of {n_runs} runs have no scores"
    return (Note("ordered_by_rank", "info", f"{table.source}: {who}; ordered by rank, as if the score were -rank"),)


def _at(where: Where, rows: Index) -> Where:
    """Say where the rows of a part stand."""
    return lambda row: where(int(rows[row]))


@dataclass(frozen=True, slots=True)
class Judgments:
    """The judgments that stand in a table."""

    source: str
    topic: pl.Series
    doc: pl.Series
    grade: Counts
    where: Where
    is_ranked: bool  # all of them stand in rows that are ranked


def judgments(table: LongTable, values: Mapping[str, int]) -> Judgments | None:
    """Take the judgments out of a table; None where it has no grades."""
    if "grade" not in table.columns.columns:
        return None
    grade = grades(table.columns["grade"], values, table.source, table.where)
    rows = np.flatnonzero(grade.is_not_null().to_numpy())
    if not rows.size:
        return None
    part = table.columns[rows]
    return Judgments(
        source=table.source,
        topic=part["topic"],
        doc=part["doc"],
        grade=grade.drop_nulls().to_numpy(),
        where=_at(table.where, rows),
        is_ranked=bool(table.is_ranked()[rows].all()),
    )


RETRIEVED_ONLY = "retrieved_only"
"""The code of the note on judgments that come with ranked rows."""


def qrels_from(parts: Sequence[Judgments]) -> Qrels:
    """Join the judgments of tables; a document that several runs returned is judged in several rows."""
    starts = np.cumsum([0, *(part.grade.size for part in parts)])

    def where(row: int) -> str:
        i = int(np.searchsorted(starts, row, side="right")) - 1
        return parts[i].where(row - int(starts[i]))

    source = parts[0].source if len(parts) == 1 else f"{len(parts)} tables"
    qrels = Qrels.build(
        pl.concat([part.topic for part in parts]),
        pl.concat([part.doc for part in parts]),
        np.concatenate([part.grade for part in parts]),
        source=source,
        where=where,
    )
    if not all(part.is_ranked for part in parts):
        return qrels
    text = (
        f"{source}: judgments come from the ranked rows, so documents that no run returned are unknown; the recall "
        "base counts only what was retrieved"
    )
    return replace(qrels, notes=(Note(RETRIEVED_ONLY, "warning", text),))


def qrels_from_table(table: LongTable, values: Mapping[str, int]) -> Qrels:
    """Read a table as judgments, whatever else it holds."""
    if "grade" not in table.columns.columns:
        raise missing_column(["grade"], table.header, table.source)
    part = judgments(table, values)
    if part is None:
        raise InputError(f"{table.source}: no row has a grade")
    qrels = qrels_from([part])
    return replace(qrels, notes=(*table.notes, *qrels.notes))
