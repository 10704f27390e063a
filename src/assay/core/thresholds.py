"""Thresholds: each declared once, with its unit and its source; prose that mentions one is rendered from it.

A docstring writes `{many_runs}`, or `{margin:.0%}`, where a reader is to see the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

OWN = "own"  # cited where a number is this project's own choice
_MENTION = re.compile(r"\{(\w+)(?::([^{}]*))?\}")

THRESHOLDS: dict[str, Threshold] = {}
"""Every threshold declared so far, by name."""


@dataclass(eq=False, slots=True)
class Threshold:
    """A number at which a verdict changes.

    >>> few = Threshold("few_pages", 3, unit="pages", meaning="below which nothing is said", cite="own")
    >>> f"fewer than {few} pages", rendered("fewer than {few_pages} pages")
    ('fewer than 3 pages', 'fewer than 3 pages')
    >>> with few.moved(5):
    ...     rendered("fewer than {few_pages} pages")
    'fewer than 5 pages'
    >>> del THRESHOLDS["few_pages"]
    """

    name: str
    value: float
    unit: str  # what is counted or measured, in the plural: runs, topics, tau
    meaning: str  # what changes there
    cite: str = OWN

    def __post_init__(self) -> None:
        if self.name in THRESHOLDS:
            raise ValueError(f"threshold '{self.name}' is declared twice")
        THRESHOLDS[self.name] = self

    def __format__(self, spec: str) -> str:
        return format(self.value, spec or "g")

    def __str__(self) -> str:
        return format(self)

    @contextmanager
    def moved(self, value: float) -> Iterator[None]:
        """Judge by another number for a while, as a reader who disagrees would."""
        before, self.value = self.value, value
        try:
            yield
        finally:
            self.value = before


def mentioned(text: str) -> list[Threshold]:
    """The thresholds that a text mentions, in its order."""
    names = dict.fromkeys(match[1] for match in _MENTION.finditer(text))
    return [THRESHOLDS[name] for name in names if name in THRESHOLDS]


def rendered(text: str) -> str:
    """Put the numbers of thresholds where a text mentions them; other braces stay."""

    def number(match: re.Match[str]) -> str:
        known = THRESHOLDS.get(match[1])
        return match[0] if known is None else format(known, match[2] or "")

    return _MENTION.sub(number, text)
