"""Whole numbers and ranges of them as people write them: `20,1-3`."""

from __future__ import annotations

import re

from assay.core.errors import UsageError


def whole_numbers(text: str, what: str, *, least: int) -> list[int]:
    """Read whole numbers and ranges, smallest first; `what` names them in messages.

    >>> whole_numbers("20,1-3", "depth", least=1)
    [1, 2, 3, 20]
    """
    numbers: set[int] = set()
    for part in str(text).split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if match is None:
            raise UsageError(f"{what} '{part.strip()}' is not a number, or a range such as 1-10")
        low, high = int(match[1]), int(match[2] or match[1])
        if low < least or high < low:
            raise UsageError(f"{what} '{part.strip()}' is not {'a range' if high < low else f'from {least} up'}")
        numbers.update(range(low, high + 1))
    return sorted(numbers)
