"""What was computed of things that never change, kept for when it is asked for again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from hashlib import sha256
from typing import Generic, ParamSpec, TypeVar
from weakref import finalize

import numpy as np

Value = TypeVar("Value")
Given = ParamSpec("Given")


class Remembered(Generic[Value]):
    """Values of pairs of objects, known by what they are and not by what they hold.

    They are kept for as long as both objects are there. A value must not hold the objects themselves, else none of
    them would ever go.
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


def remembers(most: int) -> Callable[[Callable[Given, Value]], Callable[Given, Value]]:
    """Let a function of arrays and settings keep its last answers, by what the arrays hold."""

    def decorate(function: Callable[Given, Value]) -> Callable[Given, Value]:
        answers: OrderedDict[Hashable, Value] = OrderedDict()

        @wraps(function)
        def answer(*args: Given.args, **kwargs: Given.kwargs) -> Value:
            key = tuple(map(_content, args)), tuple((name, _content(x)) for name, x in sorted(kwargs.items()))
            if key not in answers:
                answers[key] = function(*args, **kwargs)
            answers.move_to_end(key)
            while len(answers) > most:
                answers.popitem(last=False)
            return answers[key]

        return answer

    return decorate


def _content(x: object) -> Hashable:
    """What a number, a word or an array holds; equal where it is the same."""
    if isinstance(x, np.ndarray):
        return x.shape, x.dtype.str, sha256(x.tobytes()).digest()
    return type(x), x
