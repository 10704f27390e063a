"""One case after another, each known by its kind and its number alone, so that it can be tried again."""

from __future__ import annotations

import math
import random
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from assay.core.errors import AssayError
from assay.core.text import visible
from tests.fuzz.mutations import mutated
from tests.fuzz.phrases import PHRASES
from tests.fuzz.readers import READERS, Reader
from tests.fuzz.simple import REFUSED

SECONDS = 20  # after which a case hangs
KINDS = {reader.name: reader for reader in READERS} | {phrase.__name__: phrase for phrase in PHRASES}
"""Every reader and every kind of string, by name."""

Outcome = tuple[bool, str]
"""Whether the input was accepted, and what is wrong; nothing where all is well."""


def outcome(kind: str, number: int, seed: int, folder: Path) -> Outcome:
    """Try a case: a traceback, a warning, a hang, a message of several lines, or other facts are wrong."""
    rng = random.Random(f"{seed} {kind} {number}")
    own = KINDS[kind]
    try:
        with _limited(), warnings.catch_warnings():
            warnings.simplefilter("error")
            said = _read(own, rng, folder) if isinstance(own, Reader) else own(rng)
    except AssayError as problem:
        text = visible(str(problem))  # as the command prints it
        return False, "" if "\n" not in text and 0 < len(text) < 2000 else f"says {text[:300]!r}"
    except Exception as problem:
        return False, f"{type(problem).__name__}: {problem}"[:500]
    return True, said or ""


def _read(reader: Reader, rng: random.Random, folder: Path) -> str | None:
    data = mutated(rng.choice(reader.seeds), rng)
    path = folder / f"case{reader.ending}"
    path.write_bytes(data)
    facts, simple = reader.read(str(path)), reader.simple(data)
    if simple is None or (simple is not REFUSED and same(facts, simple)):
        return None
    return f"{data!r} gives {str(facts)[:300]}, simply read {str(simple)[:300]}"


def same(one: Any, other: Any) -> bool:
    """Whether facts are the same; numbers nearly, as one reader may round the last digit otherwise."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-15) or one == other
    return bool(one == other)


@contextmanager
def _limited() -> Iterator[None]:
    """Let what hangs fail, where there are alarms."""

    def fail(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"not done after {SECONDS} seconds")

    alarm: Callable[[int], object] = getattr(signal, "alarm", int)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, fail)
    alarm(SECONDS)
    try:
        yield
    finally:
        alarm(0)
