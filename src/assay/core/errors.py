"""What can go wrong, and how it is said: one line that names what, where and what would be right.

::

    AssayError
    ├── InputError     a file or a table that cannot be used (file:line where there is one)
    ├── MeasureError   a measure that cannot be understood or declared
    └── UsageError     a request that cannot be met: a flag, an argument, a combination
"""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 1200  # characters of a message
_WORD = 200  # characters of a word that has a close match


class AssayError(Exception):
    """Anything the user can put right; the command prints it and leaves with code 2.

    A message may quote what a file holds, which may be of any length: of a long one the beginning, which says where,
    and the end, which says what would be right, are enough.
    """

    def __str__(self) -> str:
        text = super().__str__()
        part = _LONGEST // 3
        return text if len(text) <= _LONGEST else f"{text[: 2 * part]} ... {text[-part:]}"


class InputError(AssayError):
    """A file or table that cannot be used."""


class MeasureError(AssayError):
    """A measure that cannot be understood or declared."""


class UsageError(AssayError):
    """A request that cannot be met."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Say the closest known word, as the tail of a message; empty when nothing is close.

    >>> suggestion("NDGC", ["AP", "nDCG"])
    "; did you mean 'nDCG'?"
    """
    if len(word) > _WORD:
        return ""
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean '{by_lower[close[0]]}'?" if close else ""
