"""Files as bytes: finding them, unpacking them, and writing them so that nothing is ever lost.

Every archive format is read whole; a truncated or foreign file is an `InputError`, never a traceback.
"""

from __future__ import annotations

import bz2
import glob
import lzma
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from assay.errors import InputError

STDIN = "-"


def expand(paths: Iterable[str | Path]) -> list[str]:
    """Turn files, directories and globs into a list of files; directories in byte order, hidden files left out."""
    found: list[str] = []
    for given in paths:
        path = str(given)
        if path == STDIN or Path(path).is_file():
            found.append(path)
        elif Path(path).is_dir():
            inside = [str(f) for f in Path(path).iterdir() if f.is_file() and not f.name.startswith(".")]
            if not inside:
                raise InputError(f"{path}: a directory without runs")
            found += sorted(inside, key=os.fsencode)
        else:
            matches = [f for f in glob.glob(path) if Path(f).is_file()]
            if not matches:
                raise InputError(f"{path}: {'nothing matches' if glob.has_magic(path) else 'no such file'}")
            found += sorted(matches, key=os.fsencode)
    return found


def _gunzip(data: bytes) -> bytes:
    parts = []
    while data:
        unpack = zlib.decompressobj(wbits=31)
        parts.append(unpack.decompress(data))
        if not unpack.eof:
            raise EOFError
        data = unpack.unused_data.lstrip(b"\0")
    return b"".join(parts)


def _unzstd(data: bytes) -> bytes:
    import zstandard

    parts = []
    while data:
        unpack = zstandard.ZstdDecompressor().decompressobj()
        parts.append(unpack.decompress(data))
        if not unpack.eof:
            raise EOFError
        data = unpack.unused_data
    return b"".join(parts)


def _unlzma(data: bytes) -> bytes:
    unpack = lzma.LZMADecompressor()
    text = unpack.decompress(data)
    if not unpack.eof:
        raise EOFError
    return text + (_unlzma(unpack.unused_data) if unpack.unused_data.strip(b"\0") else b"")


def _unbz2(data: bytes) -> bytes:
    parts = []
    while data:
        unpack = bz2.BZ2Decompressor()
        parts.append(unpack.decompress(data))
        if not unpack.eof:
            raise EOFError
        data = unpack.unused_data
    return b"".join(parts)


_ARCHIVES: dict[bytes, tuple[str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", _gunzip),
    b"BZh": ("bzip2", _unbz2),
    b"\xfd7zXZ\0": ("xz", _unlzma),
    b"\x28\xb5\x2f\xfd": ("zstandard", _unzstd),
}
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


def read_bytes(path: str) -> bytes:
    """Read a file (`-` is standard input) and unpack it if its first bytes say that it is packed."""
    try:
        data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: {(problem.strerror or str(problem)).lower()}") from None
    for magic, (kind, unpack) in _ARCHIVES.items():
        if data.startswith(magic):
            try:
                return unpack(data)
            except EOFError:
                raise InputError(f"{path}: truncated {kind} archive") from None
            except Exception as problem:
                raise InputError(f"{path}: damaged {kind} archive ({problem})") from None
    if Path(path).suffix in SUFFIXES and data:
        raise InputError(f"{path}: not a {Path(path).suffix} archive, though its name says so")
    return data


def plain_name(path: str) -> str:
    """Name a file without its folder and the suffix of its packing.

    >>> plain_name("runs/bm25.txt.gz")
    'bm25.txt'
    """
    name = Path(path).name
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file whole or not at all: to a temporary neighbour first, then moved into place."""
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as problem:
        raise InputError(f"{path}: {(problem.strerror or str(problem)).lower()}") from None
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(target)
    except OSError as problem:
        Path(temporary).unlink(missing_ok=True)
        raise InputError(f"{path}: {(problem.strerror or str(problem)).lower()}") from None
