"""Of which measures differences are differences of logarithms: those that a geometric mean averages.

Their means are geometric means wherever runs stand by themselves, as in `score`. Statistics work on logarithms, so
that differences of two runs, their intervals, and the sizes that these are held against have that unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.core.notes import Note
from assay.core.text import listed
from assay.scoring.scores import Scores

LOGARITHMS = "logarithms"
"""The code of the note on measures whose differences are those of logarithms."""


def logarithm_notes(data: Scores, *, what: str = "differences") -> Iterator[Note]:
    """Name the measures of which `what` is in logarithms, with what one is worth in geometric means."""
    if names := tuple(name for i, name in enumerate(data.conditions) if data.average_of(i) == "geometric"):
        text = f"{listed(names)}: {what} are of natural logarithms"
        text = f"{text}: a difference of 0.1 is a geometric mean 10.5% higher"
        yield Note(LOGARITHMS, "info", text, measures=names)


def in_unit(measure: str, notes: Iterable[Note]) -> str:
    """What stands behind a difference by a measure, for a sentence: its unit, where that is not the measure's own.

    >>> in_unit("GMAP", [Note(LOGARITHMS, "info", "", measures=("GMAP",))]), in_unit("AP", [])
    (' in logarithms', '')
    """
    return " in logarithms" if any(note.code == LOGARITHMS and measure in note.measures for note in notes) else ""
