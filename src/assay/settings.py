"""Settings that mean the same everywhere, checked in one place: words, shares, counts and seeds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from assay.errors import UsageError, suggestion

_SHARES = {"level": 0.95, "alpha": 0.05, "rate": 0.05, "tau": 0.9, "recall": 0.5}
_COUNTS = {
    "resamples": 10_000,
    "draws": 5,
    "splits": 2000,
    "k": 10,
    "samples": 1000,
    "populations": 20,
    "rank": 10,
    "retrieved": 320,
    "depth": 1000,
}


def check_call(function: Callable[..., Any], args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
    """Refuse data of another kind, a word that is no choice, and a number out of its limits."""
    types = get_type_hints(function)
    names = list(inspect.signature(function).parameters)
    if args and names[0] == "data" and not isinstance(args[0], types["data"]):
        kinds = get_args(types["data"]) if isinstance(types["data"], UnionType) else (types["data"],)
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise UsageError(f"{function.__name__} takes {wanted}, not {type(args[0]).__name__}")
    for name, value in given.items():
        choices = _choices(types.get(name))
        if choices and isinstance(value, str) and value not in choices:
            hint = suggestion(value, choices)
            raise UsageError(f"{name}: '{value}' is not one of {', '.join(choices)}{hint}")
        if isinstance(value, int | float):
            check_number(name, value)


def _choices(kind: Any) -> tuple[str, ...]:
    """The words that a parameter may be; none if it may be anything."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return next((get_args(option) for option in get_args(kind) if get_origin(option) is Literal), ())


def check_number(name: str, value: float) -> None:
    """Refuse a share that is none, a count below 1, a negative seed."""
    if name in _SHARES and not 0 < value < 1:
        hint = f"; did you mean {value / 100:g}?" if 1 < value < 100 else f", such as {_SHARES[name]}"
        raise UsageError(f"{name} {value:g} is not between 0 and 1{hint}")
    if name in _COUNTS and value < 1:
        raise UsageError(f"{name} {value} is not a whole number from 1 up, such as {_COUNTS[name]}")
    if name == "rng" and value < 0:
        raise UsageError(f"rng {value} is not a whole number from 0 up, such as 0")
