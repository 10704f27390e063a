"""Caveats that travel with the numbers: a code for programs, a severity for the eye, a text for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

Severity = Literal["info", "caution", "warning"]
_GRAVEST_FIRST: tuple[Severity, ...] = ("warning", "caution", "info")


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know about a result.

    Programs ask for the `code` and never search the `text`. `info` describes, `caution` limits what may be concluded,
    `warning` says that the data may not mean what it seems to mean. A note that names `tables` of the evidence is
    shown with these alone; where they are missing it says why. One that names `measures` goes with their scores.

    >>> print(Note("missing_lists", "caution", "3 lists missing, counted as empty"))
    3 lists missing, counted as empty
    """

    code: str
    severity: Severity
    text: str
    tables: tuple[str, ...] = ()  # of the evidence; none for what is about the whole result
    measures: tuple[str, ...] = ()  # that it is about; none for what is about all scores
    on_data: bool = field(default=False, compare=False)  # on what was read, not on what came of it: shown first

    def __str__(self) -> str:
        return self.text


def on_data(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Mark notes as being on the data."""
    return tuple(replace(note, on_data=True) for note in notes)


def gravest_first(notes: Iterable[Note]) -> list[Note]:
    """Bring notes into the order of their severity, warnings first."""
    return sorted(notes, key=lambda note: gravity(note.severity))


def gravity(severity: Severity) -> int:
    """Where a severity stands: warnings first."""
    return _GRAVEST_FIRST.index(severity)


def gathered(notes: Iterable[Note], sources: Collection[str]) -> tuple[Note, ...]:
    """Say once what several sources have in common: notes that differ in nothing but the source they begin with.

    >>> notes = [Note("averages", "info", f"{file}: 3 averages left out") for file in ("a.txt", "b.txt")]
    >>> [note.text for note in gathered(notes, ["a.txt", "b.txt"])]
    ['2 sources: 3 averages left out']
    """
    alike: dict[Note, list[Note]] = {}
    for note in notes:
        source = next((one for one in sources if note.text.startswith(f"{one}: ")), "")
        alike.setdefault(replace(note, text=note.text.removeprefix(f"{source}: ")), []).append(note)
    return tuple(of[0] if len(of) == 1 or one == of[0] else _of_all(one, len(of)) for one, of in alike.items())


def _of_all(note: Note, n_sources: int) -> Note:
    return replace(note, text=f"{n_sources} sources: {note.text}")
