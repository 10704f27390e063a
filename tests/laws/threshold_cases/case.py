"""What an example of a threshold is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """Two small examples on either side of a threshold, whose verdicts differ."""

    inside: Callable[[], Any]  # the verdict just inside
    outside: Callable[[], Any]  # and just outside
    moved: float  # a value of the threshold that lies past the example inside, whose verdict then changes
    rule: str = ""  # the sentence or the analysis whose prose mentions the number; any that does where empty
