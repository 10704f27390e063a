"""Caveats that travel with the numbers: a code for programs, a severity for the eye, a text for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "caution", "warning"]


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know about a result.

    Programs ask for the `code` and never search the `text`. `info` describes, `caution` limits what may be concluded,
    `warning` says that the data may not mean what it seems to mean. A note that names `tables` of the evidence is
    shown with these alone; where they are missing it says why.

    >>> print(Note("missing_lists", "caution", "3 lists missing, counted as empty"))
    3 lists missing, counted as empty
    """

    code: str
    severity: Severity
    text: str
    tables: tuple[str, ...] = ()  # of the evidence; none for what is about the whole result

    def __str__(self) -> str:
        return self.text
