"""What a long command is doing, on standard error: a bar in a terminal, plain lines otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

from assay.core.text import visible

T = TypeVar("T")

_WIDTH = 24
_SIGNS, _ASCII = ("\u2588", "\u2591"), ("#", "-")  # what is done and what is not, where a terminal can show it


@dataclass(slots=True)
class _Bar:
    """What is under way, the outermost first: the place of each step, how many there are, and its name."""

    under_way: list[tuple[int, int, str]] = field(default_factory=list)
    drawn: bool = False

    def draw(self) -> None:
        """Draw how far all of it has come; a step within a step moves the bar by its share of that step."""
        from shutil import get_terminal_size

        done, share = 0.0, 1.0
        for i, n, _ in self.under_way:
            share /= n
            done += i * share
        filled = int(_WIDTH * done + 1e-9)
        names = ": ".join(name for _, _, name in self.under_way)
        full, empty = _SIGNS if (sys.stderr.encoding or "utf-8").lower().startswith("utf") else _ASCII
        line = f"{full * filled}{empty * (_WIDTH - filled)} {names}"
        most = get_terminal_size().columns - 1  # a line that wraps could not be cleared
        print(f"\r\033[K{line[:most]}", end="", file=sys.stderr, flush=True)
        self.drawn = True

    def clear(self) -> None:
        """Leave an empty line."""
        if self.drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self.drawn = False


_shown: ContextVar[_Bar | None] = ContextVar("shown", default=None)


@contextmanager
def shown() -> Iterator[None]:
    """Let progress be seen meanwhile: the command asks for it, a library stays silent."""
    bar = _Bar()
    token = _shown.set(bar)
    try:
        yield
    finally:
        bar.clear()  # also where an error ends it, whose message follows
        _shown.reset(token)


def steps(names: Sequence[T], *, doing: str = "", lines: bool = True) -> Iterator[T]:
    """Hand out steps one by one, and say which is under way; `lines` also where there is no terminal.

    Steps within a step are shown in its place in a terminal, and not at all elsewhere.
    """
    bar = _shown.get()
    if bar is None:
        yield from names
        return
    depth, terminal = len(bar.under_way), sys.stderr.isatty()
    try:
        for i, name in enumerate(names):
            text = f"{doing}{visible(str(name))}"
            bar.under_way[depth:] = [(i, len(names), text)]
            if terminal:
                bar.draw()
            elif lines and not depth:
                print(f"{text} ({i + 1} of {len(names)})", file=sys.stderr, flush=True)
            yield name
    finally:
        del bar.under_way[depth:]
    if not depth:
        bar.clear()
