"""Results that were wrong without a word: now they are right, refused, or the first line says what is odd."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from math import log2
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay import read_runs
from assay.cli import main
from assay.core.arrays import Codes
from assay.data import codes, tables
from tests.users.conftest import Ask, Refusal, means, severities

# 1. A table with ranks and a lower-is-better score


def test_a_distance_beside_ranks_is_not_read_in_reverse(ask: Ask) -> None:
    rows = "".join(f"q,d{rank},{rank},{rank / 10}\n" for rank in range(1, 11))
    Path("dense.csv").write_text("query,doc,rank,score\n" + rows)
    Path("qrels").write_text("q 0 d1 1\nq 0 d4 1\n")
    answer = ask("score", "dense.csv", "--qrels", "qrels", "-m", "nDCG@10")
    by_hand = (1 + 1 / log2(5)) / (1 + 1 / log2(3))
    assert means(answer) == {("dense.csv", "nDCG@10"): pytest.approx(by_hand)}
    assert severities(answer)["ranks_contradict_scores"] == "info"
    reversed_lists = ask("score", "dense.csv", "--qrels", "qrels", "-m", "nDCG@10", "--order", "score")
    in_reverse = (1 / log2(8) + 1 / log2(11)) / (1 + 1 / log2(3))  # d4 at rank 7, d1 at rank 10
    assert means(reversed_lists) == {("dense.csv", "nDCG@10"): pytest.approx(in_reverse)}


# 4. No document in common with the judgments


@pytest.mark.parametrize(
    ("judged", "reason"),
    [
        ("clueweb12-0001wb-02-00003", "another collection"),
        ("ft911-1", "upper and lower case"),
        ("FT944-9", "another round"),
        ("trec_FT911-1", "what stands before them"),
    ],
    ids=["another collection", "upper case", "residual judgments of another round", "a prefix"],
)
@pytest.mark.parametrize("command", [["score", "-m", "AP"], ["glance"], ["power"], ["report", "-o", "report.html"]])
def test_judgments_that_share_topics_but_no_document_do_not_score_zero(
    command: list[str], judged: str, reason: str, refusal: Refusal
) -> None:
    for name in ("bm25", "dense"):
        Path(name).write_text("".join(f"{t} Q0 FT911-{i} {i} {-i} {name}\n" for t in (1, 2, 3) for i in (1, 2)))
    Path("qrels").write_text("".join(f"{t} 0 {judged} 1\n" for t in (1, 2, 3)))
    line = refusal(*command, "bm25", "dense", "--qrels", "qrels")
    assert line.startswith("qrels: no document that the runs return is judged")
    assert f"(retrieved: FT911-1, FT911-2; judged: {judged}" in line
    assert reason in line
    assert not Path("report.html").exists()


# 5. The last one wins


def test_scores_given_twice_are_merged_and_the_last_does_not_win(ask: Ask, refusal: Refusal) -> None:
    Path("a.csv").write_text("run,topic,AP\nbm25,1,0.5\nbm25,2,0.25\n")
    Path("b.csv").write_text("run,topic,AP\ndense,1,0.125\ndense,2,0.375\n")
    answer = ask("score", "--scores", "a.csv", "--scores", "b.csv")
    assert means(answer) == {("bm25", "AP"): 0.375, ("dense", "AP"): 0.25}
    Path("c.csv").write_text("run,topic,AP\nbm25,2,0.75\n")
    line = refusal("score", "--scores", "a.csv", "--scores", "c.csv")
    assert line == "c.csv:2: run bm25, topic 2, AP is 0.75 here, but 0.25 at a.csv:3"


def test_judgments_given_twice_are_merged_and_the_last_do_not_win(ask: Ask, refusal: Refusal) -> None:
    Path("run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n")
    Path("first").write_text("1 0 a 1\n")
    Path("second").write_text("1 0 b 1\n2 0 a 1\n")
    assert means(ask("score", "run", "--qrels", "first", "--qrels", "second", "-m", "P@2")) == {
        ("t", "P@2"): pytest.approx(0.75)
    }
    Path("third").write_text("1 0 a 0\n")
    line = refusal("score", "run", "--qrels", "first", "--qrels", "third", "-m", "AP")
    assert "third:1" in line
    assert "first:1" in line
    assert "--conflicts" in line


# 6. Scores that rise with rank in a TREC file


@pytest.mark.parametrize("command", [["score", "-m", "RR"], ["glance"]])
def test_scores_that_rise_with_rank_are_the_first_thing_said(
    command: list[str], ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("run").write_text("".join(f"{t} Q0 d{i} {i} {i / 10} t\n" for t in (1, 2) for i in range(1, 6)))
    Path("qrels").write_text("".join(f"{t} 0 d{i} {i % 2}\n" for t in (1, 2) for i in range(1, 6)))
    words = [*command, "run", "--qrels", "qrels"]
    assert severities(ask(*words))["ranks_contradict_scores"] == "warning"
    assert main(words) == 0
    lines = capsys.readouterr().out.split("\n")
    warning = next(i for i, line in enumerate(lines) if line.startswith("warning: ranks contradict scores in 2 of 2"))
    table = next(i for i, line in enumerate(lines) if line.startswith(("rank  ", "fact  ")))
    assert "scores rise with rank, as distances do" in lines[warning]
    assert warning < table


# 7. An unset variable of the shell


@pytest.mark.parametrize(
    "words",
    [["score", "", "--qrels", "qrels"], ["score", "run", "--qrels", ""], ["score", "--scores", ""]],
    ids=["runs", "judgments", "scores"],
)
def test_an_unset_variable_does_not_read_every_file_of_the_folder(words: list[str], refusal: Refusal) -> None:
    Path("run").write_text("1 Q0 a 1 2 t\n")
    Path("qrels").write_text("1 0 a 1\n")
    assert re.search("is an empty path|is empty; is a variable of the shell not set", refusal(*words))


# 8. Repeated keys, half characters, stray quotes, parameters twice, NaN


@pytest.mark.parametrize("others", ["", '{"query": "2", "doc": "a", "score": 1, "note": "x"}\n'])
def test_a_key_twice_in_json_takes_neither_value(others: str, refusal: Refusal) -> None:
    Path("run.jsonl").write_text('{"query": "1", "doc": "a", "score": 1, "score": 2}\n' + others)
    Path("qrels").write_text("1 0 a 1\n")
    assert (
        refusal("score", "run.jsonl", "--qrels", "qrels")
        == "run.jsonl:1: key 'score' twice in one object; give it once"
    )


def test_two_halves_of_characters_do_not_become_one_id(refusal: Refusal) -> None:
    rows = [f'{{"query": "1", "doc": "a\\u{half}", "score": 1}}\n' for half in ("d800", "d801")]
    Path("run.jsonl").write_text("".join(rows))
    Path("qrels").write_text("1 0 a 1\n")
    assert "run.jsonl:1: \\ud800 is half of a character" in refusal("score", "run.jsonl", "--qrels", "qrels")


@pytest.mark.parametrize(
    "rows",
    ['1,"a,2\n1,b",1\n', '1,"a"b"c",2\n'],
    ids=["rows", "fields"],
)
def test_an_even_number_of_stray_quotes_merges_nothing(rows: str, refusal: Refusal) -> None:
    Path("run.csv").write_text("query,doc,score\n" + rows)
    Path("qrels").write_text("1 0 a 1\n")
    assert refusal("score", "run.csv", "--qrels", "qrels").startswith("run.csv:2: ")


def test_a_quote_inside_a_name_is_part_of_it(ask: Ask) -> None:
    Path("run.csv").write_text('query,doc,score\n1,a"x,2\n1,b"x,1\n')
    Path("qrels").write_text('1 0 b"x 1\n')
    assert means(ask("score", "run.csv", "--qrels", "qrels", "-m", "RR")) == {("run.csv", "RR"): 0.5}


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("RBP(p=0.8, p=0.5)", "p twice"),
        ('RBP(**{"p": 0.5})', "parameters need names"),
        ("AP/pool=10/pool=20", "pool twice"),
    ],
)
def test_a_parameter_that_is_given_twice_or_unpacked_is_not_accepted(
    measure: str, reason: str, refusal: Refusal
) -> None:
    Path("run").write_text("1 Q0 a 1 2 t\n")
    Path("qrels").write_text("1 0 a 1\n")
    assert reason in refusal("score", "run", "--qrels", "qrels", "-m", measure)


@pytest.mark.parametrize(("command", "flag"), [("standardize", "--b"), ("predictivity", "--margin")])
def test_nan_is_no_setting(command: str, flag: str, refusal: Refusal) -> None:
    rows = "".join(f"{run},{t},0.{t}\n" for run in "abc" for t in range(1, 9))
    Path("scores.csv").write_text("run,topic,AP\n" + rows)
    assert "nan" in refusal(command, "--scores", "scores.csv", flag, "nan")


# 9. Two processes with one output


def test_two_simulations_into_one_folder_leave_one_whole_collection(folder: Path) -> None:
    size = ["--n-runs", "3", "--n-topics", "4", "--n-docs", "200", "--depth", "20", "--truth-topics", "40"]
    words = [sys.executable, "-m", "assay", "simulate"]

    def start(place: str, seed: int) -> subprocess.Popen[bytes]:
        command = [*words, place, *size, "-m", "AP", "--rng", str(seed)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    both = [start("both", seed) for seed in (1, 2)]
    said = [process.communicate()[1] for process in both]
    assert all(process.returncode in (0, 2) for process in both), said
    assert 0 in [process.returncode for process in both]
    for seed in "12":
        assert main(["simulate", seed, *size, "-m", "AP", "--rng", seed]) == 0

    def contents(place: str) -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in sorted((folder / place).rglob("*")) if file.is_file()}

    assert contents("both") in (contents("1"), contents("2"))


# 10. Two ids with the same 64-bit code


def test_a_document_with_the_code_of_a_judged_one_gets_no_credit(
    refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def same(ids: pl.Series) -> Codes:
        return np.zeros(len(ids), dtype=np.uint64)

    for module in (codes, tables):
        monkeypatch.setattr(module, "encode", same)
    Path("run").write_text("1 Q0 returned 1 2 t\n")
    Path("qrels").write_text("1 0 judged 1\n")
    line = refusal("score", "run", "--qrels", "qrels", "-m", "AP")
    assert line.startswith("documents 'judged' and 'returned' have the same 64-bit code")


# Distances without ranks

_DISTANCES = [("1", "a", 0.1), ("1", "b", 0.2), ("1", "c", 0.5), ("2", "d", 0.1), ("2", "e", 0.3)]


def _write_distances(name: str, header: str, separator: str) -> None:
    lines = [header, *(separator.join(map(str, row)) for row in _DISTANCES)]
    Path(name).write_text("\n".join(line for line in lines if line) + "\n")
    Path("qrels").write_text("1 0 a 1\n1 0 c 0\n2 0 d 1\n2 0 e 0\n")


@pytest.mark.parametrize("source", ["table", "three columns", "BEIR", "frame"])
def test_scores_that_rise_in_every_list_are_a_warning_without_ranks_too(source: str) -> None:
    data: object = "run"
    if source == "table":
        _write_distances("run", "qid,docno,score", ",")
    elif source == "three columns":
        _write_distances("run", "", "\t")
    elif source == "BEIR":
        lists: dict[str, dict[str, float]] = {"1": {}, "2": {}}
        for topic, doc, number in _DISTANCES:
            lists[topic][doc] = number
        Path("run.json").write_text(json.dumps(lists))
        data = "run.json"
    else:
        data = pl.DataFrame(_DISTANCES, schema=["qid", "docno", "score"], orient="row")
    rising = [note for note in read_runs(data).notes if note.code == "rising_scores"]
    assert [note.severity for note in rising] == ["warning"]
    assert "--order distance" in rising[0].text
    assert [n.severity for n in read_runs(data, order="score").notes if n.code == "rising_scores"] == ["info"]
    assert not [note for note in read_runs(data, order="distance").notes if note.code == "rising_scores"]


def test_a_single_step_up_may_be_chance_and_one_step_down_clears_a_run_of_distances() -> None:
    assert not read_runs({"1": {"a": 1, "b": 2}}).notes
    assert read_runs({"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 2}}).notes
    assert not read_runs({"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 2}, "3": {"a": 2, "b": 1}}).notes


def test_a_column_of_distances_is_taken_as_such_or_warned_of(ask: Ask, refusal: Refusal) -> None:
    _write_distances("run.csv", "qid,docno,cosine distance", ",")
    words = ["score", "run.csv", "--qrels", "qrels", "-m", "RR"]
    hint = "--columns score=cosine distance --order distance"
    assert refusal(*words).endswith(f"did you mean 'cosine distance'? {hint}")
    named = [*words, "--columns", "score=cosine distance"]
    assert severities(ask(*named))["distance_column"] == "warning"
    assert means(ask(*named)) == {("run.csv", "RR"): pytest.approx((1 / 3 + 1 / 2) / 2)}
    right = ask(*named, "--order", "distance")
    assert "distance_column" not in severities(right)
    assert means(right) == {("run.csv", "RR"): 1.0}
