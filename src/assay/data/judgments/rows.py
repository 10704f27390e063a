"""Judgments that stand in long tables: a row with a grade is one, ranked or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assay.core.errors import InputError
from assay.data.formats.fields import missing_column, plain_column
from assay.data.judgments.grades import grades
from assay.data.judgments.merging import Judgments
from assay.data.judgments.scale import Scale
from assay.data.long.columns import Column
from assay.data.long.table import LongTable, at_rows

_LIKELY_GRADE = 10  # few scales of grades go further, and few scores of runs are all whole and within it


def judgments_from_rows(table: LongTable, scale: Scale) -> Judgments | None:
    """Take the judgments out of a table, ranked rows among them; None where it has no grades."""
    if "grade" not in table.columns:
        return None
    grade, notes = grades(table.columns["grade"].whole(), scale, table.source, table.where)
    rows = np.flatnonzero(grade.is_not_null().to_numpy())
    if not rows.size:
        return None
    part = table.judged(rows)
    return Judgments(
        source=table.source,
        topic=part["topic"],
        doc=part["doc"],
        grade=grade.drop_nulls().to_numpy(),
        where=at_rows(table.where, lambda: rows),
        is_ranked=bool(table.is_ranked()[rows].all()),
        notes=notes,
    )


def judgments_from_table(table: LongTable, scale: Scale) -> Judgments:
    """Read a table as judgments, whatever else it holds."""
    table = _score_as_grade(table)
    table.check_ids()
    if "grade" not in table.columns:
        raise missing_column(["grade"], table.header, table.source)
    part = judgments_from_rows(table, scale)
    if part is None:
        raise InputError(f"{table.source}: no row has a grade")
    return replace(part, notes=(*table.notes, *part.notes))


def _score_as_grade(table: LongTable) -> LongTable:
    """Take the column `score` for the grades where it stands beside `corpus-id`: so BEIR writes judgments."""
    return replace(table, columns=_renamed(table.columns)) if _is_beir(table) else table


def _renamed(columns: Mapping[str, Column]) -> dict[str, Column]:
    return {"grade" if role == "score" else role: column for role, column in columns.items()}


def _is_beir(table: LongTable) -> bool:
    """Whether the columns are those of BEIR's judgments, which may also be a run's."""
    there = set(table.columns)
    is_plain = "score" in there and not there & {"grade", "rank", "run"}
    return is_plain and "corpus_id" in map(plain_column, table.header)


def looks_judged(table: LongTable) -> bool:
    """Whether scores are grades, as BEIR writes them: all of them small whole numbers."""
    if not _is_beir(table):
        return False
    table.check_ids()
    parts = [
        ((score == np.round(score)) & (np.abs(score) <= _LIKELY_GRADE)).all() for score in table.numbers("score")
    ]
    return all(parts)
