"""Outputs: checked before any work is done, and written whole or not at all.

A file is written to a hidden neighbour first and then moved into place, so that whoever reads it, and whatever ends
the process, finds the old file or the new one. Of two processes that write the same files, one has the last word on
all of them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from assay.core.errors import UsageError
from assay.data.files import refused

_TEMPORARY = ".assay-"  # how the names begin of what is not yet in its place


def check_output(path: str | Path) -> None:
    """Refuse a place where no file can be written."""
    target, folder = Path(path), Path(os.path.realpath(path)).parent
    there = _is_there(path)
    if target.is_dir():
        raise UsageError(f"{path}: a directory, where a file is to be written")
    if not folder.is_dir():
        raise UsageError(f"{path}: no such directory '{target.parent}'")
    replaced = not there or target.is_file()  # a pipe or a device is written to where it is
    if replaced and not os.access(folder, os.W_OK):
        raise UsageError(f"{path}: directory '{target.parent}' cannot be written to")
    if there and not os.access(target, os.W_OK):
        raise UsageError(f"{path}: is there, and must not be written over (its permissions say so)")


def check_directory(path: str | Path) -> None:
    """Refuse a place where no directory can be, or none with files of ours."""
    if not str(path):
        raise UsageError("'' names no directory; is a variable of the shell not set?")
    if _is_there(path) and not Path(path).is_dir():
        raise UsageError(f"{path}: a file, where a directory is to be written to")
    above = _nearest(path)
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise UsageError(f"{path}: directory '{above}' cannot be written to")


def _is_there(path: str | Path) -> bool:
    """Say whether something is at a path; one that leads nowhere, such as a circle of links, is refused."""
    with _refusing(path):
        try:
            Path(path).stat()
        except FileNotFoundError:
            return False
    return True


def _nearest(path: str | Path) -> Path:
    """The place itself, or the nearest above it where there is something."""
    place = Path(os.path.realpath(path))
    return next(one for one in (place, *place.parents) if one.exists())


def same_place(one: str | Path, other: str | Path) -> bool:
    """Say whether two paths lead to the same place, whether or not something is there."""
    return os.path.realpath(one) == os.path.realpath(other)


def make_directory(path: Path) -> Path:
    """Make a directory, and those above it, where it is not there yet."""
    with _refusing(path):
        path.mkdir(parents=True, exist_ok=True)
    return path


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    write_files([(path, data)])


def write_files(files: Sequence[tuple[str | Path, bytes]]) -> None:
    """Write files that belong together: the first is moved into place when all of them are written."""
    with ExitStack() as stack:
        moves = [(path, stack.enter_context(_prepared(path, data))) for path, data in files]
        stack.enter_context(locked({Path(os.path.realpath(path)).parent for path, _ in files}))
        for path, move in moves:
            with _refusing(path):
                move()


@contextmanager
def new_folder(place: Path) -> Iterator[Path]:
    """Hand out a hidden folder on the way to a place, to be filled and then moved there; what is left in it goes."""
    above = _nearest(Path(os.path.realpath(place)).parent)
    temporary = _temporary(above)
    try:
        with _refusing(place):
            temporary.mkdir()
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def locked(folders: Iterable[Path]) -> Iterator[None]:
    """Let no other process move files into these folders meanwhile; where there are no locks, go on without."""
    handles = []
    try:
        for folder in sorted(folders):
            with suppress(ImportError, OSError):
                import fcntl

                handles.append(os.open(folder, os.O_RDONLY))
                fcntl.flock(handles[-1], fcntl.LOCK_EX)
        yield
    finally:
        for handle in handles:
            os.close(handle)


@contextmanager
def _prepared(path: str | Path, data: bytes) -> Iterator[Callable[[], object]]:
    """Write a temporary neighbour, and hand out the move that puts it into place."""
    target = Path(os.path.realpath(path))
    if _is_there(path) and not target.is_file():  # a pipe or a device is written to, never replaced
        yield lambda: target.write_bytes(data)
        return
    temporary = _temporary(target.parent)
    try:
        with _refusing(path), temporary.open("xb") as out:
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            out.write(data)
        yield lambda: temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _temporary(folder: Path) -> Path:
    """Name a hidden neighbour, before it is made: whatever ends the process then, it is known what to remove."""
    return folder / f"{_TEMPORARY}{uuid4().hex}"


@contextmanager
def _refusing(path: str | Path) -> Iterator[None]:
    """Say what the system says of a path."""
    try:
        yield
    except OSError as problem:
        raise refused(path, problem) from None
