"""Finding, unpacking and writing files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from assay.core.errors import InputError
from assay.data.files import expand, plain_name, read_bytes, write_bytes

TEXT = b"101 Q0 doc1 1 2.5 tag\n" * 300

PACKED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    ".gz": ("gzip", gzip.compress),
    ".bz2": ("bzip2", bz2.compress),
    ".xz": ("xz", lzma.compress),
    ".zst": ("zstandard", zstandard.ZstdCompressor(write_checksum=True).compress),
}
EACH_KIND = pytest.mark.parametrize("suffix", PACKED)


@EACH_KIND
@pytest.mark.parametrize("named", [True, False])
def test_packed_files_are_unpacked_whatever_their_name(tmp_path: Path, suffix: str, named: bool) -> None:
    path = tmp_path / f"run{suffix if named else ''}"
    path.write_bytes(PACKED[suffix][1](TEXT))
    assert read_bytes(str(path)) == TEXT


@EACH_KIND
def test_all_members_of_an_archive_are_read(tmp_path: Path, suffix: str) -> None:
    pack = PACKED[suffix][1]
    path = tmp_path / f"run{suffix}"
    path.write_bytes(pack(TEXT) + pack(b"102 Q0 doc2 1 1 tag\n") + pack(TEXT))
    assert read_bytes(str(path)) == TEXT + b"102 Q0 doc2 1 1 tag\n" + TEXT


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_zeros_after_and_between_members_are_padding(tmp_path: Path, suffix: str) -> None:
    pack = PACKED[suffix][1]
    path = tmp_path / f"run{suffix}"
    path.write_bytes(pack(TEXT) + bytes(8) + pack(TEXT) + bytes(512))
    assert read_bytes(str(path)) == TEXT * 2


@EACH_KIND
def test_a_truncated_archive_is_one_line_wherever_it_ends(tmp_path: Path, suffix: str) -> None:
    kind, pack = PACKED[suffix]
    whole = pack(TEXT)
    path = tmp_path / f"run{suffix}"
    for size in (7, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError) as problem:
            read_bytes(str(path))
        assert str(problem.value) == f"{path}: truncated {kind} archive"


@EACH_KIND
def test_a_second_member_cut_short_is_not_overlooked(tmp_path: Path, suffix: str) -> None:
    kind, pack = PACKED[suffix]
    path = tmp_path / f"run{suffix}"
    path.write_bytes(pack(TEXT) + pack(TEXT)[:-3])
    with pytest.raises(InputError, match=f"truncated {kind} archive"):
        read_bytes(str(path))


@EACH_KIND
def test_a_damaged_archive_is_one_line(tmp_path: Path, suffix: str) -> None:
    kind, pack = PACKED[suffix]
    damaged = bytearray(pack(TEXT))
    damaged[len(damaged) // 2] ^= 0xFF
    path = tmp_path / f"run{suffix}"
    path.write_bytes(bytes(damaged))
    with pytest.raises(InputError) as problem:
        read_bytes(str(path))
    assert str(problem.value).startswith(f"{path}: ")
    assert f"{kind} archive" in str(problem.value)
    assert "\n" not in str(problem.value)


def test_rubbish_after_an_archive_is_not_overlooked(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(TEXT) + b"rubbish")
    with pytest.raises(InputError, match="damaged gzip archive"):
        read_bytes(str(path))


@EACH_KIND
def test_a_name_that_promises_an_archive_must_keep_it(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{suffix}"
    path.write_bytes(TEXT)
    with pytest.raises(InputError) as problem:
        read_bytes(str(path))
    assert str(problem.value) == f"{path}: not a {suffix} archive, though its name says so"


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere: no such file$"):
        read_bytes(str(tmp_path / "nowhere"))


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a directory, where one file is expected"):
        read_bytes(str(tmp_path))


def test_a_file_that_may_not_be_read_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match="run: permission denied"):
        read_bytes(str(tmp_path / "run"))


def test_standard_input_is_read_and_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT))))
    assert read_bytes("-") == TEXT


def test_a_directory_is_its_files_in_byte_order_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b", "a", "B", "é", "z", ".hidden", ".run.swp"):
        (tmp_path / name).write_text("x")
    (tmp_path / "folder").mkdir()
    assert [Path(f).name for f in expand([tmp_path])] == ["B", "a", "b", "z", "é"]


def test_a_directory_of_hidden_files_has_no_runs(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="a directory without runs"):
        expand([tmp_path])


def test_a_glob_is_what_it_matches_in_byte_order(tmp_path: Path) -> None:
    for name in ("run2.txt", "run10.txt", "other"):
        (tmp_path / name).write_text("x")
    (tmp_path / "run.txt").mkdir()
    assert [Path(f).name for f in expand([tmp_path / "run*.txt"])] == ["run10.txt", "run2.txt"]


def test_a_glob_that_matches_nothing_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"run\*\.txt: nothing matches"):
        expand([tmp_path / "run*.txt"])


def test_a_name_with_signs_of_a_glob_is_first_of_all_a_name(tmp_path: Path) -> None:
    (tmp_path / "run[1].txt").write_text("x")
    assert expand([tmp_path / "run[1].txt"]) == [str(tmp_path / "run[1].txt")]


def test_files_keep_the_order_in_which_they_are_given(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).write_text("x")
    given = [str(tmp_path / "b"), "-", str(tmp_path / "a")]
    assert expand(given) == given


def test_a_name_too_long_for_the_system_is_one_line() -> None:
    with pytest.raises(InputError, match="name too long"):
        expand(["x" * 5000])


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert expand([pipe]) == [str(pipe)]
    writer = threading.Thread(target=pipe.write_bytes, args=(TEXT,))
    writer.start()
    assert read_bytes(str(pipe)) == TEXT
    writer.join()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/bm25", "bm25"),
        ("runs/bm25.txt.gz", "bm25.txt"),
        ("bm25.zst", "bm25"),
        ("a.gz/b.res", "b.res"),
        (os.fsdecode(b"caf\xe9.bz2"), "café"),
    ],
)
def test_a_file_is_named_without_folder_and_packing(path: str, name: str) -> None:
    assert plain_name(path) == name


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    write_bytes(tmp_path / "out", b"new")
    assert (tmp_path / "out").read_bytes() == b"new"
    assert [f.name for f in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("method", ["replace", "chmod"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "out").write_bytes(b"old")
    monkeypatch.setattr(Path, method, fail)
    with pytest.raises(InputError) as problem:
        write_bytes(tmp_path / "out", b"new")
    assert str(problem.value) == f"{tmp_path / 'out'}: no space left on device"
    assert (tmp_path / "out").read_bytes() == b"old"
    assert [f.name for f in tmp_path.iterdir()] == ["out"]


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_bytes(tmp_path / "out", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="out: no such file or directory"):
        write_bytes(tmp_path / "nowhere" / "out", b"new")


def test_a_directory_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="out: is a directory"):
        write_bytes(tmp_path / "out", b"new")
    assert [f.name for f in tmp_path.iterdir()] == ["out"]


def test_a_rewritten_file_keeps_its_permissions_and_a_new_one_follows_the_umask(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "old").chmod(0o600)
    umask = os.umask(0o027)
    try:
        write_bytes(tmp_path / "old", b"new")
        write_bytes(tmp_path / "new", b"new")
    finally:
        os.umask(umask)
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


def test_a_link_is_followed_and_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_bytes(pipe, b"new")
    reader.join()
    assert got == [b"new"]
    assert pipe.is_fifo()
