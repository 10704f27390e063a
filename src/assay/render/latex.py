"""Tables for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.notes import Note
from assay.core.text import visible
from assay.render.cells import cells, is_number
from assay.render.escaping import safe

if TYPE_CHECKING:
    import polars as pl


def tabular(t: pl.DataFrame, notes: Sequence[Note] = ()) -> str:
    """Set a table with booktabs, notes as comments before it."""
    columns = "".join("r" if is_number(t, name) else "l" for name in t.columns)
    rows = [[safe(value, "latex") for value in row] for row in [t.columns, *cells(t)]]
    head, *body = [" & ".join(row) + r" \\" for row in rows]
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
    return "\n".join([*(f"% {visible(note.text)}" for note in notes), *lines, r"\end{tabular}"]) + "\n"
