"""Judgments kept apart under a name: `--qrels NAME=SOURCE` and `AP/qrels=NAME`, beside the same computed by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.cli import main
from assay.core.errors import InputError
from assay.data.diagnosis.collection import SHARES
from assay.data.judged import judge
from assay.data.judgments.merging import OtherJudgments
from assay.data.provenance import by_name, split_name
from assay.data.read import read_qrels, read_runs
from assay.scoring.conditions import score_conditions
from assay.scoring.engine import score
from assay.scoring.loaders import collection

RUNS = "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n1 Q0 c 3 1 r\n2 Q0 b 1 1 r\n"
MAIN = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 1\n"
LLM = "1 0 a 0\n1 0 b 2\n1 0 c 1\n2 0 b 1\n3 0 x 1\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {"run": RUNS, "nist.txt": MAIN, "llm.txt": LLM}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["score", "run", *words, "--format", "json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result | {"means": {row["measure"]: row["mean"] for row in result["tables"]["long"]}}


def by_hand(path: str, measure: str, topics: list[str]) -> float:
    judged = judge(read_runs("run"), read_qrels(path).select(topics))
    return float(score(judged, [measure]).value[0].mean())


def test_a_name_keeps_judgments_apart(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "--qrels", "nist.txt", "--qrels", "llm=llm.txt", "-m", "AP", "-m", "AP/qrels=llm")
    assert found["means"] == {
        "AP": by_hand("nist.txt", "AP", ["1", "2"]),
        "AP/qrels=llm": by_hand("llm.txt", "AP", ["1", "2"]),
    }
    assert found["basis"]["judgments"] == "nist.txt"
    assert found["basis"]["pools"] == "all judgments; llm, all judgments"


def test_a_name_has_pools_and_normalised_scores_as_a_file_has(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["nDCG@2/qrels={}/pool=1", "AP/qrels={}", "ERR@2/qrels={}/abbreviated"]
    asked = [word for name in names for word in ("-m", name.format("llm"), "-m", name.format("llm.txt"))]
    means = answer(capsys, "--qrels", "nist.txt", "--qrels", "llm=llm.txt", *asked)["means"]
    for name in names:
        assert means[name.format("llm")] == means[name.format("llm.txt")]


def test_sources_of_one_name_are_merged_and_conflict_only_among_themselves(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "more.txt").write_text("2 0 a 1\n1 0 b 1\n", encoding="utf-8")
    words = ["--qrels", "nist.txt", "--qrels", "llm=llm.txt", "--qrels", "llm=more.txt", "-m", "NumRel/qrels=llm"]
    assert main(["score", "run", *words]) == 2
    line = capsys.readouterr().err
    assert line.startswith(
        "assay: more.txt:2: document b of topic 1 has grade 1 here but 2 at llm.txt:2 (--conflicts"
    )
    assert answer(capsys, *words, "--conflicts", "max")["means"] == {"NumRel/qrels=llm": 4}


def test_without_a_plain_source_the_first_named_one_is_the_main_and_a_note_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = answer(capsys, "--qrels", "b=llm.txt", "--qrels", "a=nist.txt", "-m", "AP")
    assert found["means"] == {"AP": by_hand("llm.txt", "AP", ["1", "2", "3"])}
    notes = {note["code"]: note["text"] for note in found["notes"]}
    assert (
        notes["main_judgments"] == "b are the main judgments: the first of --qrels, which gives none without a name"
    )


def test_grades_in_the_rows_are_the_main_judgments_beside_named_ones(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"query": "1", "doc": "a", "rank": 1, "grade": 1}, {"query": "2", "doc": "b", "rank": 1, "grade": 0}]
    (files / "run").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = answer(capsys, "--qrels", "llm=llm.txt", "-m", "P@1", "-m", "P@1/qrels=llm")
    assert found["means"] == {"P@1": 0.5, "P@1/qrels=llm": 0.5}
    assert "main_judgments" not in {note["code"] for note in found["notes"]}


def test_a_name_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["score", "run", "--qrels", "nist.txt", "--qrels", "llm=llm.txt"]
    assert main([*words, "-m", "AP/qrels=lm"]) == 2
    line = "assay: qrels=lm: no judgments of that name, and no such file; did you mean 'llm'?\n"
    assert capsys.readouterr().err == line
    assert main([*words, "-m", "AP/qrels=someone-else"]) == 2
    line = "assay: qrels=someone-else: no judgments of that name, and no such file; there are llm\n"
    assert capsys.readouterr().err == line


def test_other_judgments_are_read_as_the_main_ones_are(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "words.csv").write_text("q,doc,label\n1,a,good\n1,b,bad\n2,b,good\n2,b,bad\n", encoding="utf-8")
    words = ["--qrels", "nist.txt", "--grades", "good=1,bad=0", "--columns", "topic=q", "--conflicts", "max"]
    by_file = answer(capsys, *words, "-m", "AP/qrels=words.csv")["means"]
    by_label = answer(capsys, *words, "--qrels", "w=words.csv", "-m", "AP/qrels=w")["means"]
    assert by_file == {"AP/qrels=words.csv": 1.0}
    assert by_label == {"AP/qrels=w": 1.0}


def test_residuals_are_of_the_judgments_of_that_name(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--qrels", "nist.txt", "--residuals", "--tail", "empty"]
    by_label = answer(capsys, *words, "--qrels", "llm=llm.txt", "-m", "RBP/qrels=llm")["tables"]["long"][0]
    by_file = answer(capsys, *words, "-m", "RBP/qrels=llm.txt")["tables"]["long"][0]
    assert [by_label[name] for name in ("mean", "residual", "least", "most")] == [
        by_file[name] for name in ("mean", "residual", "least", "most")
    ]


def test_in_python_names_go_with_the_conditions() -> None:
    runs, main_judgments, llm = read_runs("run"), read_qrels("nist.txt"), read_qrels("llm.txt")
    others = OtherJudgments({"llm": llm})
    found = score_conditions(runs, main_judgments, ["AP", "AP/qrels=llm"], others=others).value
    assert np.array_equal(found[1], score(judge(runs, llm.select(main_judgments.topics)), ["AP"]).value[0])
    plain = score_conditions(runs, main_judgments, ["AP", "AP/qrels=llm"], others={"llm": llm}).value
    assert np.array_equal(plain, found)
    assert others.find("llm").doc is llm.doc
    with pytest.raises(InputError, match="no judgments of that name"):
        others.find("nist")


def test_a_collection_holds_the_named_judgments_and_all_files(files: Path) -> None:
    data: Any = collection(["run"], qrels=["nist.txt", f"llm={files}/llm.txt"])
    assert list(data.others.named) == ["llm"]
    assert data.origin.files == ("run", "nist.txt", f"{files}/llm.txt")
    assert data.origin.flags == ("--qrels", "nist.txt", "--qrels", "llm=llm.txt")  # no path of this machine


def test_a_file_whose_name_looks_like_a_name_and_a_source_is_a_file(files: Path) -> None:
    (files / "a=b.txt").write_text(MAIN, encoding="utf-8")
    assert split_name("a=b.txt") == ("", "a=b.txt")
    assert split_name("c=b.txt") == ("c", "b.txt")
    assert split_name("x" * 5000) == ("", "x" * 5000)
    assert by_name(["a=b.txt", "c=a=b.txt"]) == {"": ["a=b.txt"], "c": ["a=b.txt"]}


@pytest.mark.parametrize("words", [["--qrels", "o=other.txt", "-m", "AP/qrels=o"], ["-m", "AP/qrels=other.txt"]])
def test_judgments_under_a_name_of_which_nothing_is_retrieved_are_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.txt").write_text("1 0 x 1\n2 0 y 1\n")
    assert main(["score", "run", "--qrels", "nist.txt", "-m", "AP", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "no document that the runs return is judged" in said.err
    assert said.err.startswith("assay: o (other.txt): " if "o=other.txt" in words else "assay: other.txt: ")


def test_each_set_of_judgments_is_diagnosed_under_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    Path("few.txt").write_text("1 0 c 1\n2 0 x 0\n")  # c alone of four documents that the run returns
    said = answer(capsys, "--qrels", "nist.txt", "--qrels", "few=few.txt", "-m", "AP", "-m", "AP/qrels=few")
    shares = {note["code"]: note["text"] for note in said["notes"] if note["code"] in SHARES}
    assert shares["judged_shares"].startswith("judged are 100% at rank 1")  # both documents at rank 1, by nist.txt
    assert shares["rarely_judged"].startswith("few, all judgments: ")
    assert "0% at rank 1" in shares["rarely_judged"]
