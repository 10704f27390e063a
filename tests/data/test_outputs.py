"""Writing files: whole or not at all, and never two halves side by side."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assay.core.errors import AssayError, InputError
from assay.data.outputs import check_directory, check_output, new_folder, same_place, write_bytes, write_files


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


def test_files_that_belong_together_are_written_all_or_none(tmp_path: Path) -> None:
    (tmp_path / "page").write_bytes(b"old")
    (tmp_path / "taken").mkdir()
    with pytest.raises(InputError, match="nowhere/data: no such file or directory"):
        write_files([(tmp_path / "page", b"new"), (tmp_path / "nowhere" / "data", b"new")])
    assert (tmp_path / "page").read_bytes() == b"old"
    assert sorted(f.name for f in tmp_path.iterdir()) == ["page", "taken"]
    write_files([(tmp_path / "page", b"1"), (tmp_path / "data", b"2")])
    assert ((tmp_path / "page").read_bytes(), (tmp_path / "data").read_bytes()) == (b"1", b"2")


WRITER = """
import sys
from assay.data.outputs import write_files
own = sys.argv[1].encode() * 200_000
for _ in range(60):
    write_files([(f"{sys.argv[2]}/page", own), (f"{sys.argv[2]}/data", own)])
"""


def test_of_two_processes_with_one_output_one_has_all_of_it(tmp_path: Path) -> None:
    both = [subprocess.Popen([sys.executable, "-c", WRITER, letter, str(tmp_path)]) for letter in "ab"]
    seen = set()
    while any(process.poll() is None for process in both):
        seen |= {(tmp_path / "page").read_bytes()} if (tmp_path / "page").exists() else set()
    assert [process.returncode for process in both] == [0, 0]
    assert seen <= {b"a" * 200_000, b"b" * 200_000}
    assert (tmp_path / "page").read_bytes() == (tmp_path / "data").read_bytes()
    assert sorted(f.name for f in tmp_path.iterdir()) == ["data", "page"]


def test_a_circle_of_links_is_one_line_before_and_when_a_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(InputError, match="a: too many levels of symbolic links"):
        check_output(tmp_path / "a")
    with pytest.raises(InputError, match="a: too many levels of symbolic links"):
        write_bytes(tmp_path / "a", b"new")
    assert (tmp_path / "a").is_symlink()


def test_a_place_where_nothing_can_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    monkeypatch.setattr(os, "access", lambda folder, _: Path(folder).name != "folder")  # root may write anywhere
    for path, said in (
        ("folder", "a directory, where a file is to be written"),
        ("nowhere/x", "no such directory '.*nowhere'"),
        ("file/x", "not a directory"),
        ("folder/x", "directory '.*folder' cannot be written to"),
        ("x" * 5000, "file name too long"),
    ):
        with pytest.raises(AssayError, match=f"{path[:20]}.*: {said}"):
            check_output(tmp_path / path)
    check_output(tmp_path / "file")
    check_output(os.devnull)
    (tmp_path / "folder" / "old").write_text("x")
    with pytest.raises(AssayError, match=r"old: directory '.*folder' cannot be written to"):
        check_output(tmp_path / "folder" / "old")  # it could not be replaced
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name != "file")
    with pytest.raises(AssayError, match="file: is there, and must not be written over"):
        check_output(tmp_path / "file")


def test_a_place_where_no_directory_can_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    check_directory(tmp_path)
    check_directory(tmp_path / "a" / "b")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    for path, said in (("file", "a file, where a directory is"), ("file/x", "not a directory")):
        with pytest.raises(AssayError, match=f"{path}: {said}"):
            check_directory(tmp_path / path)
    with pytest.raises(AssayError, match="'' names no directory"):
        check_directory("")
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)
    with pytest.raises(AssayError, match=f"b: directory '{tmp_path}' cannot be written to"):
        check_directory(tmp_path / "a" / "b")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")
def test_a_full_device_is_one_line() -> None:
    with pytest.raises(InputError, match="/dev/full: no space left on device"):
        write_bytes("/dev/full", b"new")


def test_a_new_folder_vanishes_with_what_is_in_it_unless_it_is_moved(tmp_path: Path) -> None:
    with new_folder(tmp_path / "a" / "b") as folder:
        (folder / "x").write_text("x")
        assert folder.parent == tmp_path  # nothing is made on the way before it is needed
    assert list(tmp_path.iterdir()) == []
    with new_folder(tmp_path / "there") as folder:
        folder.rename(tmp_path / "there")
    assert [f.name for f in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there").stat().st_mode & 0o700 == 0o700


def test_two_spellings_of_one_place_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert same_place(tmp_path / "x", tmp_path / "link" / "x")
    assert same_place(tmp_path / "x", tmp_path / "y" / ".." / "x")
    assert not same_place(tmp_path / "x", tmp_path / "y")
