"""What all papers together come to: their tables, figures and claims, as published and as computed here."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.data.provenance import Basis
from assay.results.charts import Chart
from assay.results.papers import Cell, Outcome, Paper
from assay.results.result import Result

CellOutcome = tuple[Cell, Outcome]
"""A cell of a paper, and how it came out."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """One paper: every cell as it came out, and the figures that were drawn again."""

    paper: Paper
    cells: tuple[CellOutcome, ...]
    charts: tuple[Chart, ...] = ()
    basis: Basis = field(default_factory=Basis)  # the collections that it was computed on


@dataclass(frozen=True, slots=True)
class Atlas(Result):
    """All papers: `table` has every cell, `tables.everywhere` their claims on other collections."""

    chapters: tuple[Chapter, ...] = ()
