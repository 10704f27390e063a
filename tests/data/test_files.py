"""Finding, reading and unpacking files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import threading
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from assay.core.errors import InputError, UsageError
from assay.data.files import as_text, expand, plain_name, read_bytes

pytestmark = pytest.mark.usefixtures("both_inflaters")
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
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "run").write_bytes(TEXT)
    monkeypatch.setattr(Path, "open", refuse)
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


@EACH_KIND
def test_an_archive_that_unpacks_to_more_than_is_allowed_is_refused_and_the_limit_can_be_raised(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = PACKED[suffix][1]
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(pack(bytes(3 << 20)) + pack(bytes(2 << 20)))
    monkeypatch.setenv("ASSAY_MAX_SIZE", "4M")
    with pytest.raises(InputError) as problem:
        read_bytes(str(path))
    said = "unpacks to more than 4M, the most that is read of a file; ASSAY_MAX_SIZE=16G allows more"
    assert str(problem.value) == f"{path}: {said}"
    monkeypatch.setenv("ASSAY_MAX_SIZE", "5M")
    assert read_bytes(str(path)) == bytes(5 << 20)


def test_a_small_archive_never_takes_more_memory_than_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the C libraries hold is theirs, so that only the pieces that they hand out can be counted."""
    path = tmp_path / "bomb.zst"
    path.write_bytes(zstandard.compress(bytes(256 << 20)))
    monkeypatch.setenv("ASSAY_MAX_SIZE", "1M")
    tracemalloc.start()
    with pytest.raises(InputError, match="unpacks to more than 1M"):
        read_bytes(str(path))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 600 << 20  # 16 kB of zstandard unpack to half a gigabyte at most


def test_a_file_or_a_stream_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_MAX_SIZE", "1K")
    (tmp_path / "run").write_bytes(TEXT)
    with pytest.raises(InputError, match="run: holds more than 1K, the most that is read of a file"):
        read_bytes(str(tmp_path / "run"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    with pytest.raises(InputError, match="-: holds more than 1K"):
        read_bytes("-")


@pytest.mark.parametrize(("size", "allowed"), [("7", 7), ("2k", 2048), ("1.5G", None), ("lots", None), ("-1", None)])
def test_the_limit_is_a_number_of_bytes_with_or_without_a_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: str, allowed: int | None
) -> None:
    monkeypatch.setenv("ASSAY_MAX_SIZE", size)
    path = tmp_path / "run"
    path.write_bytes(b"x" * (allowed or 1))
    if allowed is None:
        with pytest.raises(UsageError, match=rf"ASSAY_MAX_SIZE={size} is not a size, such as 8G"):
            read_bytes(str(path))
        return
    assert len(read_bytes(str(path))) == allowed
    path.write_bytes(b"x" * (allowed + 1))
    with pytest.raises(InputError, match="holds more than"):
        read_bytes(str(path))


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null"])
def test_a_device_is_no_file(device: str) -> None:
    if not Path(device).exists():
        pytest.skip(f"there is no {device} on this system")
    with pytest.raises(InputError, match=f"{device}: a device, where a file is expected"):
        read_bytes(device)


def test_a_closed_standard_input_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match="-: standard input is closed"):
        read_bytes("-")


def test_a_hundred_thousand_members_are_read_in_no_time(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"") * 100_000 + gzip.compress(TEXT))
    started = time.process_time()
    assert read_bytes(str(path)) == TEXT
    assert time.process_time() - started < 10  # each used to copy all that was left: minutes


def test_a_line_that_no_table_has_is_named_and_json_may_have_one() -> None:
    long = b"x" * ((1 << 24) + 1)
    assert as_text(b"a\n" + long[:-1] + b"\n", "run").startswith(b"a\n")
    with pytest.raises(InputError, match="run:3: a line of more than 16 MB; is this a table"):
        as_text(b"a\n\n" + long + b"\nb\n", "run")
    assert as_text(b' ["' + long + b'"]', "run").endswith(b"]")
