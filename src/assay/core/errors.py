"""What can go wrong, and how it is said: one line that names what, where and what would be right.

::

    AssayError
    ├── InputError     a file or a table that cannot be used (file:line where there is one)
    ├── MeasureError   a measure that cannot be understood or declared
    └── UsageError     a request that cannot be met: a flag, an argument, a combination
"""

from __future__ import annotations

from collections.abc import Iterable


class AssayError(Exception):
    """Anything the user can put right; the command prints it and leaves with code 2."""


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
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean '{by_lower[close[0]]}'?" if close else ""
