"""The rankings of a long table, taken out run by run.

The columns are read one after another, some rows at a time. What is kept of a row is its numbers and the code of its
document; the ids of those rows whose order they decide are read again. From here on nothing is special: what comes
out is what TREC files hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl

from assay.core.arrays import Array, Positions
from assay.core.errors import InputError
from assay.core.notes import Note
from assay.data.codes import Documents, coded
from assay.data.formats.fields import Where, is_distance, missing_column
from assay.data.long.spread import RereadIds, Spread
from assay.data.long.table import LongTable, at_rows
from assay.data.order import Listing, OrderRule, Values, tied_rows
from assay.data.run_facts import EXAMPLES
from assay.data.tables import Numbering

_MANY_RUNS = 1 << 15  # numbers of so many runs take more than 16 bits
_MOST_IN_4_BYTES = 2**31 - 1


def listings(table: LongTable, rule: OrderRule, *, name: str) -> tuple[list[Listing], tuple[Note, ...]]:
    """Take the rankings out of a table, run by run; where a table names no runs, it is one run of this name.

    The columns are read one after another, some rows at a time. What is kept of a row is its numbers and the code of
    its document; the ids of those rows whose order they decide are read again.
    """
    names, spread, problem = _spread(table, name)
    topics, topic = _topics(table, spread)
    docs, ids = _documents(table, spread)
    if problem is not None:
        raise problem
    _check_ranked(table, spread)
    score, rank = (_numbers(table, role, spread) for role in ("score", "rank"))
    runs, by_rank = [], []
    for i, one in enumerate(names):
        where = at_rows(table.where, partial(spread.rows, i))
        own_score, own_rank = _values(score[i], rank[i], rule, where)
        by_rank += [one] if own_score is None else []
        runs.append(
            Listing(
                name=one,
                topics=topics,
                topic=topic[i],
                doc=docs[i],
                score=own_score,
                rank=own_rank,
                usual="rank",
                where=where,
            )
        )
    if spread.is_interleaved:
        for i, run in enumerate(runs):
            ids.expect(i, tied_rows(run, rule))
    by_score = [run for run in runs if run.score is not None and run.has_no_order]
    notes = (*_notes_on_order(table, by_rank, len(names), rule), *_note_on_distances(table, by_score, rule))
    return runs, (*table.notes, *notes)


def _spread(table: LongTable, name: str) -> tuple[list[str], Spread, InputError | None]:
    """Find the rows of each run, and what is wrong with their names: what is wrong with other ids is said first."""
    if "run" not in table.columns:
        ranked = table.has_value("rank", "score")
        return [name], Spread.of(np.where(ranked, 0, -1).astype(np.int16), 1), None
    numbering, parts = Numbering(), []
    try:
        for part in table.runs():
            own = np.full(len(part), -1, dtype=np.int32)
            own[part.is_not_null().to_numpy()] = numbering(part.drop_nulls())
            parts.append(own if len(numbering.names) > _MANY_RUNS else own.astype(np.int16))
    except InputError as problem:
        return [name], Spread.of(np.zeros(table.n_rows, dtype=np.int16), 1), problem
    return list(numbering.names), Spread.of(np.concatenate(parts), len(numbering.names)), None


def _topics(table: LongTable, spread: Spread) -> tuple[tuple[str, ...], list[Positions]]:
    """Number the topics of ranked rows. [run][row]"""
    numbering, topic, start = Numbering(), spread.column(), 0
    for part in table.ids("topic"):
        ranked = spread.run[start : start + len(part)] >= 0
        start += len(part)
        index = np.zeros(len(part), dtype=np.int32)
        index[ranked] = numbering(part if ranked.all() else part.filter(pl.Series(ranked)))
        topic.add(index)
    return tuple(numbering.names), topic.of_run


def _documents(table: LongTable, spread: Spread) -> tuple[list[Documents], RereadIds]:
    """Encode the documents of each run, and keep the ids of its first ones. [run]"""
    code, check, start = spread.column(), spread.column(), 0
    rows, first = spread.first_rows(EXAMPLES), []
    for part in table.ids("doc"):
        of_code, of_check = coded(part)
        code.add(of_code)
        check.add(of_check)
        here = rows[(rows >= start) & (rows < start + len(part))] - start
        first.append(part.gather(pl.Series(here, dtype=pl.UInt32)))
        start += len(part)
    ids = RereadIds(table.columns["doc"], table.source, spread, rows, pl.concat(first))
    pairs = zip(code.of_run, check.of_run, strict=True)
    return [Documents(*pair, partial(ids, i)) for i, pair in enumerate(pairs)], ids


def _numbers(table: LongTable, role: str, spread: Spread) -> list[Values]:
    """Ranks or scores, NaN in rows without one. [run][row]"""
    if role not in table.columns:
        return [np.broadcast_to(np.nan, n) for n in spread.count]
    column, is_whole = spread.column(), table.columns[role].dtype.is_integer()
    for part in table.numbers(role):
        fits = is_whole and bool((np.abs(part) <= _MOST_IN_4_BYTES).all())
        column.add(part.astype(np.int32) if fits and role == "rank" else part)
    return column.of_run


def _check_ranked(table: LongTable, spread: Spread) -> None:
    """Complain about rows that should be ranked and cannot."""
    there = set(table.columns)
    if not there & {"rank", "score"}:
        raise missing_column(["rank", "score"], table.header, table.source)
    nowhere = spread.run < 0
    if not nowhere.any():
        return
    if "run" in there:
        nameless = nowhere & table.has_value("rank", "score")
        if nowhere.all() and not nameless.any():
            raise InputError(f"{table.source}: no row has a rank or a score")
        if nameless.any():
            raise InputError(f"{table.where(int(nameless.argmax()))}: no run, though other rows have one")
        return
    if nowhere.all():
        raise InputError(f"{table.source}: no row has a rank or a score")
    empty = nowhere & ~table.has_value("grade")
    if empty.any():
        raise InputError(f"{table.where(int(empty.argmax()))}: no rank, score or grade")


def _values(score: Values, rank: Values, rule: OrderRule, where: Where) -> tuple[Array | None, Values | None]:
    """Return scores and ranks of one run, each where all of its rows have one."""
    lacks_score, lacks_rank = np.isnan(score), np.isnan(rank)
    if lacks_score.any() and not lacks_score.all():
        raise InputError(f"{where(int(lacks_score.argmax()))}: no score, though its run has others")
    if lacks_rank.any() and lacks_score.all():
        raise InputError(f"{where(int(lacks_rank.argmax()))}: neither rank nor score")
    if lacks_rank.any() and not lacks_rank.all() and (rule.order is None or rule.needs_ranks):
        hint = "" if rule.needs_ranks else " (--order score goes without ranks)"
        raise InputError(f"{where(int(lacks_rank.argmax()))}: no rank, though its run has others{hint}")
    return None if lacks_score.all() else score.astype(np.float64, copy=False), None if lacks_rank.any() else rank


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
