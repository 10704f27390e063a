"""A directory of runs holds other things, too: what is no run is named and skipped, what is a bad run is an error."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from assay import InputError, read_runs
from assay.cli import main
from assay.data.formats.recognition import looks_like_run

RUN = "1 Q0 a 1 2 bm25\n1 Q0 b 2 1 bm25\n"
TABLE = "query,system,doc,rank\n1,dense,a,1\n1,dense,b,2\n"

OTHERS: dict[str, bytes] = {
    "README": b"These are the runs we submitted\n",
    "README.md": b"# Runs\n\n- bm25: a baseline\n",
    "notes.txt": b"one two three 4 five 6 seven\n",
    "train.log": b"2024-01-01 12:00:00 INFO epoch 1 loss 0.5\n",
    "qrels.txt": b"1 0 a 1\n1 0 b 0\n",
    "groups.tsv": b"run\tgroup\nbm25\tus\n",
    "means.csv": b"run,AP\nbm25,0.2\n",
    "config.json": json.dumps({"k1": 0.9, "b": [1, 2]}, indent=1).encode(),
    "list.json": b'["bm25", "dense"]',
    "picture.png": bytes(range(256)),
    "empty": b"",
    "blank": b"\n \n",
    "comments": b"# nothing else\n",
    "qrels.csv": b"query,doc,grade\n1,a,1\n",
    "bm25.eval": b"map                   \t1\t0.5\nP_10\t1\t0.4\nmap\tall\t0.5\n",
    "ir_measures.tsv": b"1\tAP\t0.5\nall\tAP\t0.5\n",
}
UNDECIDED: dict[str, bytes] = {
    "qrels.dev.tsv": b"1\ta\t1\n2\td\t1\n",
    "binary.tsv": b"1\ta\t1\n1\tb\t0\n2\td\t1\n",
    "test.tsv": b"query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n",
}


def fill(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("name", [*OTHERS, *UNDECIDED])
def test_what_is_no_run_is_skipped_and_named(name: str, tmp_path: Path) -> None:
    data = {**OTHERS, **UNDECIDED}[name]
    folder = fill(tmp_path / "runs", {"a.run": RUN.encode(), name: data, "z.csv": TABLE.encode()})
    runs = read_runs(folder)
    assert runs.names == ("bm25", "dense")
    skipped = [note for note in runs.notes if note.code == "skipped_files"]
    assert [(note.severity, note.text) for note in skipped] == [("caution", f"{folder}: {name} skipped: not runs")]


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_that_is_named_is_never_skipped(name: str, tmp_path: Path) -> None:
    folder = fill(tmp_path / "runs", {"a.run": RUN.encode(), name: OTHERS[name]})
    with pytest.raises(InputError):
        read_runs([folder / "a.run", folder / name])
    with pytest.raises(InputError):
        read_runs([folder, folder / name])


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_may_be_judgments_is_read_as_a_run_where_it_is_named_and_doubted(name: str, tmp_path: Path) -> None:
    folder = fill(tmp_path / "runs", {"a.run": RUN.encode(), name: UNDECIDED[name]})
    runs = read_runs([folder / "a.run", folder / name])
    assert runs.names == ("bm25", name)
    severity = {note.code: note.severity for note in runs.notes}
    assert severity.get("three_columns") == "caution" or severity.get("looks_judged") == "warning"


def test_scores_beside_the_columns_of_beir_are_a_run_where_they_are_not_grades(tmp_path: Path) -> None:
    text = b"query-id\tcorpus-id\tscore\n1\ta\t12.5\n1\tb\t3\n"
    runs = read_runs(fill(tmp_path / "runs", {"a.run": RUN.encode(), "dense.tsv": text}))
    assert runs.names == ("bm25", "dense.tsv")
    assert not runs.notes


def test_several_files_are_named_in_one_note(tmp_path: Path) -> None:
    folder = fill(
        tmp_path / "runs", {"a.run": RUN.encode(), "README": b"runs\n", "log": b"done\n", ".DS_Store": b"\0"}
    )
    notes = [note.text for note in read_runs(folder).notes]
    assert notes == [f"{folder}: README and log skipped: not runs"]


def test_a_directory_of_which_nothing_is_a_run_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(tmp_path / "runs", {"README": b"hello\n", "qrels": b"1 0 a 1\n"})
    monkeypatch.chdir(tmp_path)
    assert main(["score", "runs", "--qrels", "runs/qrels"]) == 2
    assert capsys.readouterr().err == (
        "assay: runs: a directory without runs (runs/README:1: 1 field, expected 6 (topic Q0 doc rank score tag))\n"
    )


BAD: dict[str, bytes] = {
    "bad score": RUN.encode() + b"1 Q0 c 3 high bm25\n",
    "NaN": b"1 Q0 a 1 nan bm25\n",
    "bad first score": b"1 Q0 a 1 high bm25\n",
    "a line cut off": RUN.encode() + b"1 Q0 c",
    "no tags": b"1 Q0 a 1 2\n",
    "neither tags nor Q0": b"1 0 a 1 2.5\n",
    "a field too many": b"1 Q0 a 1 2 my run\n",
    "a comment first": b"# bm25\n\n" + RUN.encode() + b"1 Q0 c\n",
    "windows": RUN.replace("\n", "\r\n").encode() + b"1 Q0 c\r\n",
    "UTF-16": RUN.encode("utf-16"),
    "twice": RUN.encode() + b"1 Q0 a 3 0 bm25\n",
    "t.csv": TABLE.encode() + b"1,dense,c,third\n",
    "t.tsv": TABLE.replace(",", "\t").encode() + b"1\tdense\tc\n",
    "t.jsonl": b'{"query": 1, "doc": "a", "score": 1}\n{"query": 1, "doc": "b", "score": "high"}\n',
    "broken.jsonl": b'{"query": 1, "doc": "a", "score": 1}\n{"query": 1, "doc"\n',
    "packed.gz": gzip.compress(RUN.encode() + b"1 Q0 c\n"),
    "damaged.gz": gzip.compress(RUN.encode())[:-9],
}


@pytest.mark.parametrize("kind", BAD)
def test_a_run_with_something_wrong_in_it_is_an_error_in_a_directory_too(kind: str, tmp_path: Path) -> None:
    name = kind if "." in kind else "bad"
    folder = fill(tmp_path / "runs", {"good": b"1 Q0 a 1 2 good\n", name: BAD[kind], "README": b"runs\n"})
    with pytest.raises(InputError, match=name):
        read_runs(folder)


def test_a_damaged_table_is_an_error_and_another_table_is_none(tmp_path: Path) -> None:
    folder = fill(tmp_path / "runs", {"good": RUN.encode()})
    pl.DataFrame({"query": ["1"], "doc": ["a"], "score": [1.0]}).write_parquet(folder / "dense.parquet")
    pl.DataFrame({"epoch": [1], "loss": [1.0]}).write_parquet(folder / "log.parquet")
    runs = read_runs(folder)
    assert runs.names == ("dense.parquet", "bm25")
    assert "log.parquet skipped" in runs.notes[0].text
    data = (folder / "dense.parquet").read_bytes()
    (folder / "dense.parquet").write_bytes(data[:-20])
    with pytest.raises(InputError, match="damaged Parquet"):
        read_runs(folder)


def test_columns_that_the_user_names_make_a_run_of_a_table() -> None:
    data = b"q,id,place\n1,a,first\n"
    assert not looks_like_run(data, "t.csv", {})
    assert looks_like_run(data, "t.csv", {"topic": "q", "doc": "id", "rank": "place"})


def test_an_unset_variable_of_the_shell_is_no_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(fill(tmp_path / "runs", {"a.run": RUN.encode(), "qrels": b"1 0 a 1\n"}))
    for words, said in (
        (["", "--qrels", "qrels"], "'' is an empty path and names no file"),
        (["a.run", ""], "'' is an empty path and names no file"),
        (["a.run", "--qrels", ""], "argument --qrels: '' is empty; is a variable of the shell not set?"),
    ):
        assert main(["score", *words]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"assay: {said}")
        assert error.count("\n") == 1


def test_standard_input_can_be_read_only_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = fill(tmp_path / "runs", {"a.run": RUN.encode()}) / "a.run"
    for words in (["-", "-", "--qrels", str(run)], ["-", "--qrels", "-"], [str(run), "-", "--qrels", "-"]):
        assert main(["score", *words]) == 2
        assert capsys.readouterr().err == "assay: - (standard input) is given 2 times; it can be read only once\n"
    with pytest.raises(Exception, match="given 3 times"):
        read_runs(["-", "-", "-"])
