"""Settings that mean the same everywhere, checked in one place: words, names, shares, counts and seeds."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

from assay.core.errors import UsageError, suggestion

if TYPE_CHECKING:
    from assay.core.arrays import Index

MAX_RANK = 10_000_000
"""The deepest rank, cutoff or pool depth: no list is longer, and arrays over ranks still fit into memory."""

MAX_WHOLE = 10**12
"""The largest whole number that a setting may be; a seed may be any."""

_DIGITS = 100  # that a message can quote
_NEAREST = 1e-12  # that a share may come to 0 or 1: nearer, quantiles are infinite
_SHARES = {"level": 0.95, "alpha": 0.05, "rate": 0.05, "tau": 0.9, "recall": 0.5, "target": 0.9}
_COUNTS = {  # such as, and at most: what is drawn is held in memory
    "resamples": (10_000, 1_000_000),
    "draws": (5, 100_000),
    "splits": (2000, 100_000),
    "k": (10, MAX_RANK),
    "samples": (1000, 1_000_000),
    "populations": (20, 100_000),
    "rank": (10, MAX_RANK),
    "retrieved": (320, MAX_RANK),
    "depth": (1000, MAX_RANK),
}


@dataclass(frozen=True, slots=True)
class Choices:
    """The words that a parameter may be where a catalogue lists them: each with what it stands for.

    Part of the parameter's type: `Annotated[str, Choices(...)]`. The catalogue is read when it is needed, so that
    what a user declares is among the choices.
    """

    catalogue: Callable[[], Mapping[str, str]]  # word -> what it stands for


def check_call(function: Callable[..., Any], args: tuple[Any, ...], settings: Mapping[str, Any]) -> None:
    """Refuse data of another kind, a word that is no choice, and a number out of its limits."""
    types = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    data: Any = getattr(types.get("data"), "__supertype__", types.get("data"))  # of a NewType what it is made of
    if args and next(iter(parameters)) == "data" and not isinstance(args[0], data):
        kinds = get_args(data) if isinstance(data, UnionType) else (data,)
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise UsageError(f"{function.__name__} takes {wanted}, not {type(args[0]).__name__}")
    for name, value in settings.items():
        if name in parameters and value is parameters[name].default:  # its catalogue need not be read
            continue
        if isinstance(value, str) and (choices := choices_of(types.get(name))):
            check_choice(value, name, choices)
        if isinstance(value, int | float):
            check_number(name, value)


def choices_of(kind: Any) -> Mapping[str, str]:
    """The words that a parameter of this type may be, with what each stands for; none if it may be anything.

    >>> choices_of(Literal["t", "bootstrap"] | None)
    {'t': '', 'bootstrap': ''}
    """
    if get_origin(kind) is Literal:
        return dict.fromkeys(get_args(kind), "")
    if get_origin(kind) is Annotated:
        listed = [extra for extra in kind.__metadata__ if isinstance(extra, Choices)]
        return listed[0].catalogue() if listed else {}
    return next((words for option in get_args(kind) if (words := choices_of(option))), {})


def check_text(value: Any, what: str) -> None:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise UsageError(f"{what}: a {type(value).__name__}, expected text")


def check_choice(value: str, what: str, choices: Iterable[str]) -> None:
    """Refuse a word that is not one of the choices."""
    known = list(choices)
    if not isinstance(value, str):
        raise UsageError(f"{what}: a {type(value).__name__}, expected one of {', '.join(known)}")
    if value not in known:
        raise UsageError(f"{what}: '{value}' is not one of {', '.join(known)}{suggestion(value, known)}")


def positions(names: Sequence[str], known: Sequence[str], what: str) -> Index:
    """Where names stand among the known ones; an unknown or repeated name is an error.

    >>> positions(["c", "a"], ["a", "b", "c"], "run").tolist()
    [2, 0]
    """
    import numpy as np

    at = {name: i for i, name in enumerate(known)}
    for name, times in Counter(names).items():
        if name not in at:
            raise UsageError(f"no {what} '{name}'{suggestion(name, known)}")
        if times > 1:
            raise UsageError(f"{what} '{name}' is asked for {times} times")
    return np.array([at[name] for name in names], dtype=np.int64)


def limited_number(digits: str) -> int:
    """The number that digits are; of one beyond all ranks, only that it is.

    Python refuses to read thousands of digits.

    >>> limited_number("012"), limited_number("9" * 5000) > MAX_RANK
    (12, True)
    """
    return int(digits) if len(digits.lstrip("0")) <= len(str(MAX_RANK)) else MAX_RANK + 1


def check_depth(depth: int, what: str = "depth", *, least: int = 1) -> None:
    """Refuse a depth that no list can be cut to."""
    if depth < least:
        raise UsageError(f"{what} {depth} is not a whole number from {least} up")
    if depth > MAX_RANK:
        raise UsageError(f"{what} {depth} is more than {MAX_RANK:,}, the deepest there is")


def check_number(name: str, value: float) -> None:
    """Refuse a share that is none, what is not finite, a count below 1 or beyond what can be done, a seed below 0."""
    if isinstance(value, int) and abs(value) > 10**_DIGITS:
        raise UsageError(f"{name} is a number of more than {_DIGITS} digits")
    if name in _SHARES and not 0 < value < 1:
        hint = f"; did you mean {value / 100:g}?" if 1 < value < 100 else f", such as {_SHARES[name]}"
        raise UsageError(f"{name} {value:g} is not between 0 and 1{hint}")
    if name in _SHARES and min(value, 1 - value) < _NEAREST:
        end = "0" if value < 0.5 else "1"
        raise UsageError(f"{name} {value:g} is too near to {end}; give what is {_NEAREST:g} or more away from it")
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"{name} {value} is not a finite number")
    if name in _COUNTS:
        example, most = _COUNTS[name]
        if value < 1:
            raise UsageError(f"{name} {value} is not a whole number from 1 up, such as {example}")
        if value > most:
            raise UsageError(f"{name} {value} is more than {most:,}, the most there is")
    if name == "rng" and value < 0:
        raise UsageError(f"rng {value} is not a whole number from 0 up, such as 0")
    if name != "rng" and isinstance(value, int) and abs(value) > MAX_WHOLE:
        raise UsageError(f"{name} {value} is beyond {MAX_WHOLE:,}, the most there is")
