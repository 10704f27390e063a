"""Long tables: one row per ranked document, judgment, or both at once; many runs may stand in one table.

A row with a run, a rank or a score is ranked; a row with a grade is a judgment, ranked or not. From here on nothing
is special: rankings become listings and judgments become qrels, as from TREC files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools, Index
from assay.core.errors import InputError
from assay.core.notes import Note
from assay.data.files import plain_name
from assay.data.formats.delimited import read_table
from assay.data.formats.fields import (
    Where,
    find_columns,
    ids,
    is_distance,
    is_prose,
    missing_column,
    numbers,
    texts,
)
from assay.data.order import Listing, OrderRule
from assay.data.tables import number

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
    score: str = "score"  # what the column of scores is called

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
        score = header[position["score"]] if "score" in position else "score"
        return cls(source, tuple(header), pl.DataFrame(held), place, notes, score)

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
    raw = read_table(data, source, documents="score" if "score" in strict else "grade")
    if raw.has_line_ends:
        named, _ = find_columns(raw.header, names, source=source, strict=strict)
        raw.check_line_ends({role: i for role, i in named.items() if not is_prose(role, raw.header[i])})
    columns = raw.columns.get_columns()
    return LongTable.build(raw.header, columns, names, source=source, where=raw.where, strict=strict)


def listings(table: LongTable, rule: OrderRule, *, name: str) -> tuple[list[Listing], tuple[Note, ...]]:
    """Take the rankings out of a table, run by run; where a table names no runs, it is one run of this name."""
    rows = _ranked_rows(table)
    part = table.columns[rows]
    names, run = number(part["run"]) if "run" in part.columns else ((name,), np.zeros(rows.size, dtype=np.int64))
    topics, topic = number(part["topic"])
    score, rank = table.numbers("score")[rows], table.numbers("rank")[rows]
    order = np.argsort(run, kind="stable")
    runs, by_rank = [], []
    for one, at in zip(names, np.split(order, np.cumsum(np.bincount(run))[:-1]), strict=True):
        own_score, own_rank = _values(table, rows[at], score[at], rank[at], rule)
        by_rank += [one] if own_score is None else []
        runs.append(
            Listing(
                name=one,
                topics=topics,
                topic=topic[at],
                doc=part["doc"].gather(at),
                score=own_score,
                rank=own_rank,
                usual="rank",
                where=at_rows(table.where, rows[at]),
            )
        )
    by_score = [run for run in runs if run.score is not None and run.has_no_order]
    notes = (*_notes_on_order(table, by_rank, len(names), rule), *_note_on_distances(table, by_score, rule))
    return runs, (*table.notes, *notes)


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


def _values(
    table: LongTable, rows: Index, score: Array, rank: Array, rule: OrderRule
) -> tuple[Array | None, Array | None]:
    """Return scores and ranks of one run, each where all of its rows have one."""
    lacks_score, lacks_rank = np.isnan(score), np.isnan(rank)
    if lacks_score.any() and not lacks_score.all():
        raise InputError(f"{table.where(int(rows[lacks_score.argmax()]))}: no score, though its run has others")
    if lacks_rank.any() and lacks_score.all():
        raise InputError(f"{table.where(int(rows[lacks_rank.argmax()]))}: neither rank nor score")
    if lacks_rank.any() and not lacks_rank.all() and (rule.order is None or rule.needs_ranks):
        hint = "" if rule.needs_ranks else " (--order score goes without ranks)"
        raise InputError(f"{table.where(int(rows[lacks_rank.argmax()]))}: no rank, though its run has others{hint}")
    return None if lacks_score.all() else score, None if lacks_rank.any() else rank


def _notes_on_order(table: LongTable, by_rank: Sequence[str], n_runs: int, rule: OrderRule) -> tuple[Note, ...]:
    if not by_rank or rule.order is not None:
        return ()
    who = "no scores" if len(by_rank) == n_runs else f"{len(by_rank)} of {n_runs} runs have no scores"
    return (Note("ordered_by_rank", "info", f"{table.source}: {who}; ordered by rank, as if the score were -rank"),)


def _note_on_distances(table: LongTable, by_score: Sequence[Listing], rule: OrderRule) -> tuple[Note, ...]:
    """Warn of scores that are called distances but are read as scores, by which the worst comes first."""
    if not by_score or rule.order is not None or not is_distance(table.score):
        return ()
    what = f"{table.source}: column '{table.score}' is read as a score, highest first"
    return (Note("distance_column", "warning", f"{what}; --order distance goes lowest first"),)


def at_rows(where: Where, rows: Index) -> Where:
    """Say where the rows of a part stand."""
    return lambda row: where(int(rows[row]))
