"""Whole numbers and ranges of them as people write them: `20,1-3`."""

from __future__ import annotations

import re

from assay.core.errors import UsageError
from assay.core.settings import MAX_RANK, limited_number

_MOST_NUMBERS = 10_000  # in one list: more are a mistake, or never done


def whole_numbers(text: str, what: str, *, least: int) -> list[int]:
    """Read whole numbers and ranges, smallest first; `what` names them in messages.

    >>> whole_numbers("20,1-3", "depth", least=1)
    [1, 2, 3, 20]
    """
    numbers: set[int] = set()
    for part in (part.strip() for part in str(text).split(",")):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if match is None:
            raise UsageError(f"{what} '{part}' is not a number, or a range such as 1-10")
        low, high = (limited_number(digits) for digits in (match[1], match[2] or match[1]))
        if max(low, high) > MAX_RANK:
            raise UsageError(f"{what} '{part}' is more than {MAX_RANK:,}, the most there is")
        if low < least or high < low:
            raise UsageError(f"{what} '{part}' is not {'a range' if high < low else f'from {least} up'}")
        if high - low >= _MOST_NUMBERS:
            raise UsageError(f"{what} '{part}': {high - low + 1:,} numbers; a range has at most {_MOST_NUMBERS:,}")
        numbers.update(range(low, high + 1))
    return sorted(numbers)
