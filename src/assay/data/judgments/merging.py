"""Judgments from any number of sources, merged into one set: a grade for every judged document of a topic.

Sources are never laid over each other: what two of them say of one document must agree, or `conflicts` says what
becomes of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.core.arrays import Array, Counts
from assay.core.errors import InputError, suggestion
from assay.core.notes import Note
from assay.core.text import listed
from assay.data.judgments.conflicts import Conflicts
from assay.data.judgments.scale import UNDECLARED, GradeValues, Scale
from assay.data.provenance import IRDS, shown_path
from assay.data.tables import REPEATED_JUDGMENTS, Qrels

if TYPE_CHECKING:
    from assay.data.formats.fields import Where
    from assay.data.read import ColumnNames

RETRIEVED_ONLY = "retrieved_only"
"""The code of the note on judgments that come with ranked rows."""


@dataclass(frozen=True, slots=True)
class Judgments:
    """The judgments of one source, as they stand there."""

    source: str
    topic: pl.Series
    doc: pl.Series
    grade: Counts | Array
    where: Where
    is_ranked: bool = False  # all of them stand in rows that are ranked
    notes: tuple[Note, ...] = ()


def merge(parts: Sequence[Judgments], *, conflicts: Conflicts = "error", scale: Scale = UNDECLARED) -> Qrels:
    """Merge the judgments of some sources; a document that several of them judge has one grade in the end."""
    starts = np.cumsum([0, *(part.grade.size for part in parts)])

    def where(row: int) -> str:
        i = int(np.searchsorted(starts, row, side="right")) - 1
        return parts[i].where(row - int(starts[i]))

    qrels = Qrels.build(
        pl.concat([part.topic for part in parts]),
        pl.concat([part.doc for part in parts]),
        np.concatenate([part.grade for part in parts]),
        source=_named([part.source for part in parts]),
        where=where,
        conflicts=conflicts,
        scale=scale,
    )
    return replace(qrels, notes=tuple(_notes(parts, qrels)))


def _named(sources: Sequence[str]) -> str:
    """Name one source as it is, and several by what may be shown of them."""
    return sources[0] if len(sources) == 1 else listed([shown_path(source) for source in sources], most=3)


def _notes(parts: Sequence[Judgments], qrels: Qrels) -> Iterator[Note]:
    """The notes of all sources, and on what was merged; ranked rows repeat a judgment in every run that has it."""
    for part in parts:
        yield from part.notes
    ranked = all(part.is_ranked for part in parts)
    yield from (note for note in qrels.notes if not (ranked and note.code == REPEATED_JUDGMENTS))
    if ranked:
        text = (
            f"{qrels.source}: judgments come from the ranked rows, so documents that no run returned are unknown; "
            "the recall base counts only what was retrieved"
        )
        yield Note(RETRIEVED_ONLY, "warning", text)


@dataclass(frozen=True, slots=True)
class OtherJudgments:
    """What `AP/qrels=NAME` means: judgments by their name, or else of a file, read as the main ones were."""

    named: Mapping[str, Qrels] = field(default_factory=dict)
    columns: ColumnNames = None
    grades: GradeValues = None
    conflicts: Conflicts = "error"

    def find(self, name: str) -> Qrels:
        """Find judgments by their name, or read them."""
        if name in self.named:
            qrels = self.named[name]
            return replace(qrels, source=f"{name} ({shown_path(qrels.source)})")
        if self.named and not name.startswith(IRDS) and not Path(name).exists():
            hint = suggestion(name, self.named) or f"; there are {', '.join(self.named)}"
            raise InputError(f"qrels={name}: no judgments of that name, and no such file{hint}")
        from assay.data.read import read_qrels

        return read_qrels(name, columns=self.columns, grades=self.grades, conflicts=self.conflicts)


ONLY_FILES = OtherJudgments()
"""No judgments have names."""
