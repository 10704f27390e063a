"""Files as bytes: finding them, reading them, unpacking them.

Every archive format is read whole; a truncated or foreign file is an `InputError`, never a traceback. No more is read
of one file than `ASSAY_MAX_SIZE` allows, packed or not: an archive of a few kilobytes can hold more than any memory.
"""

from __future__ import annotations

import bz2
import glob
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, Protocol

from assay.core.errors import InputError, UsageError, suggestion

STDIN = "-"
MAX_SIZE = "ASSAY_MAX_SIZE"
"""The environment variable that says how many bytes of one file are read at most, such as 8G."""

_DEFAULT_SIZE = "4G"
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_LONGEST_LINE = 1 << 24  # bytes of a line that is not JSON
_PARQUET = b"PAR1"
_BOM = b"\xef\xbb\xbf"
_PIECE, _MEMBER = 1 << 20, 1 << 13  # bytes read at a time; of many members of an archive, each may be small


def expand(paths: Iterable[str | Path], what: str = "runs") -> list[str]:
    """Turn files, directories and globs into a list of files; directories in byte order, hidden files left out.

    `what` is looked for, and named where a directory holds nothing.
    """
    files: list[str] = []
    for path in paths:
        try:
            files += _files_at(str(path), what)
        except OSError as problem:
            raise refused(path, problem) from None
    return files


def check_streams(paths: Iterable[str | Path]) -> None:
    """Refuse standard input where it is named more than once: it can be read only once."""
    n = sum(str(path) == STDIN for path in paths)
    if n > 1:
        raise UsageError(f"{STDIN} (standard input) is given {n} times; it can be read only once")


def _files_at(path: str, what: str) -> list[str]:
    if not path:
        raise UsageError("'' is an empty path and names no file; is a variable of the shell not set?")
    if Path(path).is_dir():
        inside = [str(f) for f in Path(path).iterdir() if f.is_file() and not f.name.startswith(".")]
        if not inside:
            raise InputError(f"{path}: a directory without {what} (it holds no file that is not hidden)")
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


class _Decompressor(Protocol):
    """What the four libraries agree on."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: memoryview, max_length: int, /) -> bytes: ...


class _Zstandard:
    """Zstandard's decompressor, which knows no limit, fed so little at a time that it cannot go far beyond one."""

    _STEP = 1 << 14

    def __init__(self) -> None:
        import zstandard

        self._unpack = zstandard.ZstdDecompressor().decompressobj()
        self._rest = b""

    @property
    def eof(self) -> bool:
        return bool(self._unpack.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._unpack.unused_data) + self._rest

    def decompress(self, data: memoryview, max_length: int, /) -> bytes:
        parts, size, at = [], 0, 0
        while at < len(data) and size < max_length and not self.eof:
            parts.append(self._unpack.decompress(data[at : at + self._STEP]))
            size, at = size + len(parts[-1]), at + self._STEP
        self._rest = bytes(data[at:])
        return b"".join(parts)


class _TooLargeError(Exception):
    """More than may be read."""


def _unpacked(data: bytes, decompressor: Callable[[], _Decompressor], most: int) -> bytes:
    """Unpack every member of an archive, one after another; zeros between them are padding."""
    view, at, size, parts = memoryview(data), 0, len(data), []
    while at < len(data):
        unpack = decompressor()
        while not unpack.eof:
            if at >= len(data):
                raise EOFError
            parts.append(unpack.decompress(view[at : at + size], most + 1))
            at, most = at + size, most - len(parts[-1])
            if most < 0:
                raise _TooLargeError
            size *= 2
        at, size = min(at, len(data)) - len(unpack.unused_data), _MEMBER
        at = _PADDING.match(data, at).end()  # type: ignore[union-attr]
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _by_isal(data: bytes, most: int) -> bytes | None:
    """Unpack gzip by isal, which is faster; None where it is not installed, or finds a fault: zlib says which."""
    try:
        from isal import isal_zlib
    except ImportError:
        return None
    try:
        return _unpacked(data, lambda: isal_zlib.decompressobj(wbits=31), most)
    except (_TooLargeError, MemoryError):
        raise
    except Exception:
        return None


_PADDING = re.compile(rb"\0*")
_ARCHIVES: dict[bytes, tuple[str, Callable[[], _Decompressor]]] = {
    b"\x1f\x8b": ("gzip", lambda: zlib.decompressobj(wbits=31)),
    b"BZh": ("bzip2", bz2.BZ2Decompressor),
    b"\xfd7zXZ\0": ("xz", lzma.LZMADecompressor),
    b"\x28\xb5\x2f\xfd": ("zstandard", _Zstandard),
}
_EXTENSION = re.compile(r"\.(csv|tsv|tab|txt|dat|jsonl?|ndjson|parquet|pq)$", re.IGNORECASE)
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


def read_bytes(path: str) -> bytes:
    """Read a file (`-` is standard input) and unpack it if its first bytes say that it is packed."""
    most = most_bytes()
    try:
        data = _streamed(_standard_input(), most) if path == STDIN else _contents(path, most)
    except IsADirectoryError:
        raise InputError(f"{path}: a directory, where one file is expected") from None
    except FileNotFoundError:
        raise _missing(path) from None
    except OSError as problem:
        raise refused(path, problem) from None
    except _TooLargeError:
        raise too_large(path, "holds") from None
    for magic, (kind, decompressor) in _ARCHIVES.items():
        if data.startswith(magic):
            try:
                fast = _by_isal(data, most) if kind == "gzip" else None
                return _unpacked(data, decompressor, most) if fast is None else fast
            except EOFError:
                raise InputError(f"{path}: truncated {kind} archive") from None
            except _TooLargeError:
                raise too_large(path, "unpacks to") from None
            except MemoryError:
                raise
            except Exception as problem:
                raise InputError(f"{path}: damaged {kind} archive ({problem})") from None
    if Path(path).suffix in SUFFIXES and data:
        raise InputError(f"{path}: not a {Path(path).suffix} archive, though its name says so")
    return data


class FileStart(bytes):
    """The beginning of a Parquet file on disk, which stands for all of it: its columns are read from where it is."""


def read_file(path: str) -> bytes:
    """Read a file as `read_bytes` does; of a Parquet file on disk no more than its beginning."""
    if path == STDIN or Path(path).suffix in SUFFIXES or not _is_unicode(path):
        return read_bytes(path)
    try:
        about = Path(path).stat()
        if stat.S_ISREG(about.st_mode) and about.st_size <= most_bytes():
            with Path(path).open("rb") as file:
                if file.read(len(_PARQUET)) == _PARQUET:
                    return FileStart(_PARQUET)
    except OSError:
        pass  # the reader says what is wrong
    return read_bytes(path)


def _is_unicode(path: str) -> bool:
    """Whether other libraries find the file by this name."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _contents(path: str, most: int) -> bytes:
    """Read a file or a pipe; a device never ends."""
    about = Path(path).stat()
    if stat.S_ISREG(about.st_mode) and about.st_size > most:
        raise _TooLargeError
    with Path(path).open("rb") as file:
        if stat.S_ISBLK(about.st_mode) or (stat.S_ISCHR(about.st_mode) and not file.isatty()):
            raise InputError(f"{path}: a device, where a file is expected")
        return file.read() if stat.S_ISREG(about.st_mode) and about.st_size else _streamed(file, most)


def _streamed(file: BinaryIO, most: int) -> bytes:
    """Read what has no size before it ends."""
    held = io.BytesIO()
    while piece := file.read(_PIECE):
        if held.tell() + len(piece) > most:
            raise _TooLargeError
        held.write(piece)
    return held.getvalue()


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise InputError("-: standard input is closed")
    return sys.stdin.buffer


def most_bytes() -> int:
    """How much of one file is read at most."""
    text = os.environ.get(MAX_SIZE) or _DEFAULT_SIZE
    match = re.fullmatch(r"(\d{1,15})([KMGT]?)I?B?", text.strip().upper())
    if match is None:
        raise UsageError(f"{MAX_SIZE}={text} is not a size, such as 8G")
    return int(match[1]) * _UNITS[match[2]]


def too_large(path: str, does: str) -> InputError:
    """Say that more would be read than may be, and how to allow it."""
    size = os.environ.get(MAX_SIZE) or _DEFAULT_SIZE
    return InputError(f"{path}: {does} more than {size}, the most that is read of a file; {MAX_SIZE}=16G allows more")


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
    check_lines(data, source)
    return data


def check_lines(text: bytes, source: str) -> None:
    """Refuse a line that no table has; JSON may stand in one line."""
    start = 0
    while len(text) - start > _LONGEST_LINE and not text[:_PIECE].lstrip().startswith((b"{", b"[")):
        end = text.rfind(b"\n", start, start + _LONGEST_LINE + 1) + 1
        if not end:
            line, most = text.count(b"\n", 0, start) + 1, _LONGEST_LINE >> 20
            raise InputError(f"{source}:{line}: a line of more than {most} MB; is this a table of text?")
        start = end


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
