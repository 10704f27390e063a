"""Loaders: the flags that name data and what they refuse, and what a command gets of the data it asks for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assay.cli import main
from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.scoring.conditions import score_conditions
from assay.scoring.loaders import as_scores
from assay.scoring.scores import Scores

RUN = b"1 Q0 x 1 2.0 r\n1 Q0 y 2 1.0 r\n"
OTHER = b"1 Q0 y 1 2.0 s\n"
QRELS = b"1 0 y 1\n"
MATRIX = b"topic,a,b\n1,0.5,1\n2,0.25,0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, data in {"run": RUN, "other": OTHER, "qrels": QRELS, "matrix.ap.csv": MATRIX}.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def means(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, float]:
    assert main(["score", *words, "--format", "json"]) == 0, capsys.readouterr().err
    return {row["run"]: row["mean"] for row in json.loads(capsys.readouterr().out)["tables"]["long"]}


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["score", *words, "-m", "RR", "-o", "out.csv"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert not Path("out.csv").exists()
    return printed.err.removeprefix("assay: ").rstrip("\n")


def test_runs_and_judgments_are_scored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert means(capsys, "run", "other", "--qrels", "qrels", "-m", "RR") == {"r": 0.5, "s": 1.0}


def test_runs_are_selected_by_name_or_by_a_file_of_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "names").write_bytes(b"s\r\n\r\n  r \r\n")
    words = ("run", "other", "--qrels", "qrels", "-m", "RR")
    assert means(capsys, *words, "--select", "s") == {"s": 1.0}
    assert list(means(capsys, *words, "--select", "names")) == ["s", "r"]


def test_a_run_is_selected_by_name_even_where_a_file_has_that_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "s").write_bytes(b"no such run\n")
    assert means(capsys, "run", "other", "--qrels", "qrels", "-m", "RR", "--select", "s") == {"s": 1.0}


def test_scores_stand_in_place_of_runs_and_judgments(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert means(capsys, "--scores", "matrix.ap.csv") == {"a": 0.375, "b": 0.5}
    assert means(capsys, "--scores", "matrix.ap.csv", "--select", "b") == {"b": 0.5}


def test_scores_may_be_named_and_turned(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bare.csv").write_bytes(MATRIX.replace(b"topic", b""))
    words = ("--scores", "bare.csv", "--orient", "run-by-topic", "--name", "AP")
    assert means(capsys, *words) == {"1": 0.75, "2": 0.125}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no runs: name files or directories, and --qrels QRELS"),
        (["run"], "no judgments: give --qrels QRELS, or runs in a table with a grade column"),
        (["run", "--scores", "matrix.ap.csv"], "--scores stands in place of runs; give one or the other"),
        (
            ["--qrels", "qrels", "--scores", "matrix.ap.csv"],
            "--scores stands in place of --qrels; give one or the other",
        ),
        (["run", "--qrels", "qrels", "--name", "AP"], "--name goes with --scores FILE"),
        (["run", "--qrels", "qrels", "--orient", "run-by-topic"], "--orient goes with --scores FILE"),
        (["run", "--qrels", "qrels", "--select", "R"], "no run 'R'; did you mean 'r'?"),
        (["--scores", "matrix.ap.csv", "--select", "c"], "no run 'c'"),
        (["--scores", "nothing.csv"], "nothing.csv: no such file"),
        (["nothing", "--qrels", "qrels"], "nothing: no such file"),
    ],
)
def test_a_request_that_cannot_be_met_is_one_line(
    words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, *words) == message


def test_every_flag_of_the_data_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--help"]) == 0
    text = capsys.readouterr().out
    for flag in ("--qrels", "--columns", "--grades", "--ties", "--duplicates", "--scores", "--orient", "--name"):
        line = text.split(f"  {flag} ", 1)[1]
        assert len(line.split("\n  --", 1)[0].split()) > 4


MADE = Scores(("m",), ("d", "c", "b", "a"), ("1",), np.array([[[0.5], [0.9], [0.5], [0.1]]]))


def test_dropping_is_keeping_the_rest_and_the_basis_says_so() -> None:
    kept, dropped = as_scores(MADE, top="75%"), as_scores(MADE, drop="25%")
    assert kept.runs == dropped.runs == as_scores(MADE, drop="1").runs == ("d", "c", "b")
    assert kept.basis.chosen == "best 3 of 4 by m"
    with pytest.raises(UsageError, match="--by says which runs are best"):
        as_scores(MADE, by="m")
    with pytest.raises(UsageError, match="give one of them"):
        as_scores(MADE, top="1", drop="1")


def test_selected_runs_are_scored_under_pools_that_all_runs_fill() -> None:
    a = {"1": {"x": 3.0, "y": 2.0, "z": 1.0}, "2": {"u": 2.0, "v": 1.0}}
    runs = read_runs({"a": a, "b": {"1": {"z": 3.0, "w": 2.0}, "2": {"v": 5.0}}})
    qrels = read_qrels({"1": {"x": 0, "y": 1, "z": 2, "w": 1, "q": 1}, "2": {"u": 1, "v": 1}})
    data = Collection(runs, qrels, chosen=("b",))
    found = as_scores(data, measure=["AP/pool=1"], contributors=["a"])
    whole = score_conditions(runs, qrels, ["AP/pool=1"], contributors=["a"])
    assert found.runs == ("b",)
    assert np.array_equal(found.value[:, 0], whole.value[:, 1])
    assert (found.basis.contributors, found.basis.cells) == (1, 2)


def test_without_measures_a_set_that_suits_the_collection_is_scored() -> None:
    runs = read_runs({"a": {"1": {f"d{i}": -float(i) for i in range(30)}}})
    for top, names in ((1, ["nDCG@30", "AP@30"]), (2, ["nDCG@30", "AP@30", "ERR@30"])):
        scores = as_scores(Collection(runs, read_qrels({"1": {"d0": top, "d1": 0}})))
        assert set(names) <= set(scores.conditions)
        assert ("ERR@30" in scores.conditions) is (top > 1)


def test_runs_are_standardised_by_all_that_were_read_before_some_are_selected(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("run", "other", "--qrels", "qrels", "-m", "RR/standardised")
    assert means(capsys, *words) == pytest.approx({"r": -(0.5**0.5), "s": 0.5**0.5})
    assert means(capsys, *words, "--select", "s") == pytest.approx({"s": 0.5**0.5})
    alone = refused(capsys, "run", "--qrels", "qrels", "-m", "RR/standardised")
    assert alone == "RR/standardised: a deviation needs at least 2 runs, there is 1"
