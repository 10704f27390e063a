"""Files as bytes: finding them, unpacking them, and writing them so that nothing is ever lost.

Every archive format is read whole; a truncated or foreign file is an `InputError`, never a traceback.
"""

from __future__ import annotations

import bz2
import glob
import lzma
import os
import re
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from assay.core.errors import InputError, suggestion

STDIN = "-"
_BOM = b"\xef\xbb\xbf"


def expand(paths: Iterable[str | Path]) -> list[str]:
    """Turn files, directories and globs into a list of files; directories in byte order, hidden files left out."""
    files: list[str] = []
    for path in paths:
        try:
            files += _files_at(str(path))
        except OSError as problem:
            raise refused(path, problem) from None
    return files


def _files_at(path: str) -> list[str]:
    if Path(path).is_dir():
        inside = [str(f) for f in Path(path).iterdir() if f.is_file() and not f.name.startswith(".")]
        if not inside:
            raise InputError(f"{path}: a directory without runs (it holds no file that is not hidden)")
        return sorted(inside, key=os.fsencode)
    if path == STDIN or Path(path).exists():  # a pipe will do as well as a file
        return [path]
    matches = [f for f in glob.glob(path) if not Path(f).is_dir()]
    if not matches:
        raise InputError(f"{path}: nothing matches") if glob.has_magic(path) else _missing(path)
    return sorted(matches, key=os.fsencode)


def _missing(path: str) -> InputError:
    """Say that there is no such file, and which of its would-be neighbours has nearly that name."""
    try:
        there = [near.name for near in Path(path).parent.iterdir() if not near.name.startswith(".")]
    except OSError:
        there = []
    return InputError(f"{path}: no such file{suggestion(Path(path).name, there)}")


def refused(path: str | Path, problem: OSError) -> InputError:
    """Say what the system said."""
    return InputError(f"{path}: {(problem.strerror or str(problem)).lower()}")


def make_directory(path: Path) -> Path:
    """Make a directory, and those above it, where it is not there yet."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise refused(path, problem) from None
    return path


class _Decompressor(Protocol):
    """What the four libraries agree on."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def _zstd() -> _Decompressor:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


def _unpacked(data: bytes, decompressor: Callable[[], _Decompressor]) -> bytes:
    """Unpack every member of an archive, one after another; zeros between them are padding."""
    parts = []
    while data:
        unpack = decompressor()
        parts.append(unpack.decompress(data))
        if not unpack.eof:
            raise EOFError
        data = unpack.unused_data.lstrip(b"\0")
    return b"".join(parts)


_ARCHIVES: dict[bytes, tuple[str, Callable[[], _Decompressor]]] = {
    b"\x1f\x8b": ("gzip", lambda: zlib.decompressobj(wbits=31)),
    b"BZh": ("bzip2", bz2.BZ2Decompressor),
    b"\xfd7zXZ\0": ("xz", lzma.LZMADecompressor),
    b"\x28\xb5\x2f\xfd": ("zstandard", _zstd),
}
_EXTENSION = re.compile(r"\.(csv|tsv|tab|txt|dat|jsonl?|ndjson|parquet|pq)$", re.IGNORECASE)
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


def read_bytes(path: str) -> bytes:
    """Read a file (`-` is standard input) and unpack it if its first bytes say that it is packed."""
    try:
        data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except IsADirectoryError:
        raise InputError(f"{path}: a directory, where one file is expected") from None
    except FileNotFoundError:
        raise _missing(path) from None
    except OSError as problem:
        raise refused(path, problem) from None
    for magic, (kind, decompressor) in _ARCHIVES.items():
        if data.startswith(magic):
            try:
                return _unpacked(data, decompressor)
            except EOFError:
                raise InputError(f"{path}: truncated {kind} archive") from None
            except Exception as problem:
                raise InputError(f"{path}: damaged {kind} archive ({problem})") from None
    if Path(path).suffix in SUFFIXES and data:
        raise InputError(f"{path}: not a {Path(path).suffix} archive, though its name says so")
    return data


def as_text(data: bytes, source: str) -> bytes:
    """Return UTF-8 without mark and carriage returns: as it is, or from Latin-1; both keep ids and byte order."""
    data = data.removeprefix(_BOM)
    if b"\0" in data:
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        raise InputError(f"{source}: {'text in UTF-16; save it as UTF-8' if utf16 else 'a binary file, not text'}")
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            data = data.decode("latin-1").encode("utf-8")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data or data.isspace():
        raise InputError(f"{source}: an empty file")
    return data


def bare_name(path: str) -> str:
    """Name a file of scores without its folder, the suffix of its packing and its extension.

    >>> bare_name("scores/web.ndcg20.tsv.gz")
    'web.ndcg20'
    """
    return _EXTENSION.sub("", plain_name(path))


def plain_name(path: str) -> str:
    """Name a file without its folder and the suffix of its packing.

    >>> plain_name("runs/bm25.txt.gz")
    'bm25.txt'
    """
    raw = os.fsencode(Path(path).name)
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        name = raw.decode("latin-1")
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file whole or not at all: to a temporary neighbour first, then moved into place."""
    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # a pipe or a device is written to, never replaced
            target.write_bytes(data)
        else:
            _replace(target.resolve(), data)
    except OSError as problem:
        raise refused(path, problem) from None


def _replace(target: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".assay-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~umask)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
