"""Several judges: what each of them says of the same documents, and how the same runs score under each.

A judge is a set of judgments, or a set of scores that rests on one. All are brought to the same measures, runs and
topics; what a judge has not judged is a gap, which no later step fills.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.arrays import Array
from assay.core.notes import Note
from assay.data.provenance import NOWHERE, Basis, Origin
from assay.data.tables import Qrels, Runs
from assay.scoring.scores import Scores

if TYPE_CHECKING:
    from assay.data.judgments.labels import Labels

Panel = Literal["majority", "mean"]

MAIN, PANEL = "main", "panel"
"""The judge whose judgments, or scores, have no name; and the one that says what several say together."""
MAIN_SCORES = "main_scores"
"""The code of the note on scores that have a name and are the main ones, because none are without one."""


@dataclass(frozen=True, slots=True)
class JudgmentsAlone:
    """Judgments by name, without runs: enough to ask whether judges agree on documents."""

    named: Mapping[str, Qrels]
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Judges:
    """What several judges say, the reference first: of documents, of the scores of runs, or of both."""

    names: tuple[str, ...]  # [judge]
    labels: Labels | None = (
        None  # of documents, or of answers that are scored by few values; None where there are none
    )
    scores: tuple[Scores, ...] = ()  # [judge] of the same measures, runs and topics; empty for documents alone
    runs: Runs | None = field(default=None, repr=False)  # whose documents are labelled
    basis: Basis = field(default_factory=Basis)
    notes: tuple[Note, ...] = ()
    origin: Origin = NOWHERE

    def __repr__(self) -> str:
        scored = f", {len(self.scores[0].runs)} runs" if self.scores else ""
        return f"Judges({', '.join(self.names)}{scored})"

    @property
    def reference(self) -> str:
        """The judge with whom the others are compared."""
        return self.names[0]

    def values(self, condition: int) -> Array:
        """The scores by one measure on the scale of statistics, higher is better. [judge, run, topic]"""
        return np.stack([scores.working()[condition] for scores in self.scores])
