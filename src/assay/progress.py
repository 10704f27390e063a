"""What a long command is doing, on standard error: a bar in a terminal, plain lines otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

_WIDTH = 24
_shown = ContextVar("shown", default=False)


@contextmanager
def shown() -> Iterator[None]:
    """Let progress be seen meanwhile: the command asks for it, a library stays silent."""
    token = _shown.set(True)
    try:
        yield
    finally:
        _shown.reset(token)


def steps(names: Sequence[T], *, doing: str = "", lines: bool = True) -> Iterator[T]:
    """Hand out steps one by one, and say which is under way; `lines` also where there is no terminal."""
    show, terminal = _shown.get(), sys.stderr.isatty()
    for i, name in enumerate(names):
        if show and terminal:
            filled = _WIDTH * i // len(names)
            bar = "\u2588" * filled + "\u2591" * (_WIDTH - filled)
            print(f"\r\033[K{bar} {doing}{_clean(name)}", end="", file=sys.stderr, flush=True)
        elif show and lines:
            print(f"{doing}{_clean(name)} ({i + 1} of {len(names)})", file=sys.stderr, flush=True)
        yield name
    if show and terminal:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def _clean(name: object) -> str:
    """Show names of files without what could steer a terminal."""
    return "".join(c if c.isprintable() else "?" for c in str(name))
