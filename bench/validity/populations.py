"""Every population of the study by name, each made once in a process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from bench.validity import collections, truths
from bench.validity.truths import Population

CHOICE: dict[str, Callable[[], Population]] = {**truths.CHOICE, **collections.CHOICE}
CONFIRMATION: dict[str, Callable[[], Population]] = {**truths.CONFIRMATION, **collections.CONFIRMATION}
EVERY = CHOICE | CONFIRMATION


@cache
def population(name: str) -> Population:
    """Make a population, or give the one that was made."""
    return EVERY[name]()
