"""What was computed of objects that never change, kept for as long as they are there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar
from weakref import finalize

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """Values of pairs of objects, which are told apart by what they are and not by what they hold.

    A value must not hold the objects themselves, else none of them would ever go.
    """

    def __init__(self) -> None:
        self._values: dict[tuple[int, int, Hashable], Value] = {}

    def __call__(self, one: object, other: object, make: Callable[[], Value], *, setting: Hashable = None) -> Value:
        """Give the value of two objects under a setting; make it where it is asked for the first time."""
        key = id(one), id(other), setting
        if key not in self._values:
            self._values[key] = make()
            for each in (one, other):
                finalize(each, self._values.pop, key, None).atexit = False
        return self._values[key]
