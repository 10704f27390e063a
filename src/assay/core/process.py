"""What surrounds a command: its standard streams, some of which may be closed, and the signals that end it.

Whatever ends a command, it unwinds: temporary files go, and one line says what happened.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import TextIOBase, TextIOWrapper
from typing import Any

from assay.core.errors import AssayError

_ENDINGS = {"SIGTERM": "terminated", "SIGHUP": "terminated, the terminal is gone"}


class Terminated(BaseException):
    """A signal asks the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(_ENDINGS[signal.Signals(number).name])
        self.code = 128 + number  # of the exit, as shells have it


class _ClosedOutput(TextIOBase):
    """Standard output where there is none: what is printed fails, and all else goes on."""

    encoding = "utf-8"

    def write(self, text: str, /) -> int:
        """Refuse, unless there is nothing to write."""
        if text:
            raise AssayError("standard output is closed; open it, or write to a file by -o")
        return 0


@contextmanager
def surroundings() -> Iterator[None]:
    """Let streams take any text and signals unwind; afterwards all is as it was."""
    with ExitStack() as stack:
        for take in (_open_streams, _escaping_streams, _signals):
            stack.enter_context(take())
        yield


@contextmanager
def _open_streams() -> Iterator[None]:
    """Give closed streams a place, so that no file that is opened later takes it and gets what they print."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError as problem:
            if problem.errno == errno.EBADF:
                os.open(os.devnull, os.O_RDWR)  # gets the lowest number, which is this one
    before = sys.stdout, sys.stderr
    sys.stdout = before[0] if before[0] is not None else _ClosedOutput()
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a device
        sys.stderr = before[1] if before[1] is not None else nowhere
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before


@contextmanager
def _escaping_streams() -> Iterator[None]:
    """Let what a terminal cannot show be spelled out, such as \\xe9 where it knows ASCII only."""
    streams = [s for s in (sys.stdout, sys.stderr) if isinstance(s, TextIOWrapper) and s.errors != "backslashreplace"]
    before = [(stream, stream.errors) for stream in streams]
    try:
        for stream in streams:
            stream.reconfigure(errors="backslashreplace")
        yield
    finally:
        for stream, errors in before:
            with suppress(OSError, ValueError):  # what is left to print may have nowhere to go
                stream.reconfigure(errors=errors)


@contextmanager
def _signals() -> Iterator[None]:
    """Let the signals that end a process raise an exception instead, where nobody else deals with them."""
    before: dict[int, Any] = {}

    def terminate(number: int, _: object) -> None:
        for one in before:  # a second signal does not end what cleans up after the first
            signal.signal(one, signal.SIG_IGN)
        raise Terminated(number)

    for name in _ENDINGS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            with suppress(ValueError):  # of a thread that is not the main one
                before[number] = signal.signal(number, terminate)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def complain(text: str) -> None:
    """Print a line to standard error; where that fails, nobody is there to be told."""
    with suppress(OSError, ValueError):
        if sys.stderr is not None:
            print(f"assay: {text}", file=sys.stderr, flush=True)


def silence() -> None:
    """Let what is still to be printed go nowhere, so that leaving does not fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
