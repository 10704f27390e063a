"""What people had and could not read: files, objects and flags that now go in as they are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import polars as pl
import pytest

import assay
from assay import AssayError, read_qrels, read_runs, read_scores, score
from assay.cli import main
from tests.users.conftest import Ask, Refusal, means, severities

RUN = "1 Q0 a 1 3 bm25\n1 Q0 b 2 2 bm25\n1 Q0 c 3 1 bm25\n2 Q0 c 1 2 bm25\n2 Q0 a 2 1 bm25\n"
QRELS = "1 0 b 1\n2 0 c 1\n"
RR = (1 / 2 + 1) / 2


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """A run and its judgments."""
    Path("run").write_text(RUN)
    Path("qrels").write_text(QRELS)


def frame(run: str = RUN) -> pd.DataFrame:
    rows = [line.split() for line in run.splitlines()]
    return pd.DataFrame(
        {"qid": [r[0] for r in rows], "docno": [r[2] for r in rows], "score": [float(r[4]) for r in rows]}
    )


# --columns, directories and globs with --scores


def test_columns_are_not_ignored_with_scores(ask: Ask) -> None:
    Path("own.csv").write_text("case,bot,quality\n1,x,0.5\n2,x,0.25\n")
    answer = ask("score", "--scores", "own.csv", "--columns", "topic=case,run=bot,value=quality", "--name", "AP")
    assert means(answer) == {("x", "AP"): 0.375}


@pytest.mark.parametrize("source", [["out"], ["out/*.eval"], ["out/x.eval", "out/y.eval"]])
def test_one_file_a_run_as_trec_eval_writes_it_goes_in(source: list[str], ask: Ask) -> None:
    Path("out").mkdir()
    for run, values in {"x": (0.5, 0.25), "y": (1.0, 0.0)}.items():
        lines = [f"map\t{t}\t{value}\n" for t, value in enumerate(values, 1)]
        Path(f"out/{run}.eval").write_text(f"runid\tall\t{run}\n" + "".join(lines) + f"map\tall\t{sum(values) / 2}\n")
    words = [word for one in source for word in ("--scores", one)]
    assert means(ask("score", *words)) == {("x", "AP"): 0.375, ("y", "AP"): 0.5}


def test_a_csv_of_semicolons_goes_in_as_run_judgments_and_scores(ask: Ask) -> None:
    Path("run.csv").write_text("\ufeffquery;doc;score\r\n1;a;0,3\r\n1;b;0,2\r\n", encoding="utf-8")
    Path("qrels.csv").write_text("query;doc;grade\n1;b;1\n")
    assert means(ask("score", "run.csv", "--qrels", "qrels.csv", "-m", "RR")) == {("run.csv", "RR"): 0.5}
    Path("scores.csv").write_text("run;topic;AP\nx;1;0,5\nx;2;0,25\n")
    assert means(ask("score", "--scores", "scores.csv")) == {("x", "AP"): 0.375}


def test_exports_of_evaluation_frameworks_go_in(ask: Ask) -> None:
    """The files as the packages themselves write them are in tests/reference/exports."""
    Path("small.jsonl").write_text(
        "".join(json.dumps({"user_input": f"q{i}", "response": "r", "faithfulness": i / 4}) + "\n" for i in range(3))
    )
    assert means(ask("score", "--scores", "small.jsonl")) == {("small", "faithfulness"): 0.25}
    Path("runs.csv").write_text("inputs.question,feedback.correctness,example_id\nq1,1,e1\nq2,0,e2\n")
    assert means(ask("score", "--scores", "runs.csv")) == {("runs", "correctness"): 0.5}
    Path("beir.json").write_text(json.dumps({"1": {"a": 3.0, "b": 2.0}, "2": {"c": 1.0}}))
    assert means(ask("score", "beir.json", "--qrels", "qrels", "-m", "RR")) == {("beir.json", "RR"): RR}


# the same document with different grades


@pytest.mark.parametrize(("conflicts", "grade"), [("first", 1), ("max", 3), ("min", 1), ("mean", 2), ("majority", 1)])
def test_an_export_with_a_judge_per_system_goes_in(conflicts: str, grade: float, ask: Ask, refusal: Refusal) -> None:
    rows = [("bm25", 1), ("dense", 3)]
    text = "".join(f"1,{run},a,1,{g}\n1,{run},{run},2,0\n" for run, g in rows)
    Path("judged.csv").write_text("query,system,doc,rank,grade\n" + text)
    line = refusal("score", "judged.csv", "-m", "DCG@1")
    assert "judged.csv:4" in line
    assert "judged.csv:2" in line
    assert "--conflicts" in line
    answer = ask("score", "judged.csv", "-m", "DCG@1", "--conflicts", conflicts)
    assert means(answer) == dict.fromkeys([("bm25", "DCG@1"), ("dense", "DCG@1")], grade)
    assert "conflicting_judgments" in severities(answer)


def test_a_readme_beside_the_runs_aborts_nothing(ask: Ask) -> None:
    Path("runs").mkdir()
    Path("runs/bm25").write_text(RUN)
    Path("runs/README.md").write_text("# Runs\n\nThese are ours.\n")
    Path("runs/.DS_Store").write_bytes(b"\0\0\0\1Bud1")
    Path("runs/build.log").write_text("ok\n")
    answer = ask("score", "runs", "--qrels", "qrels", "-m", "RR")
    assert means(answer) == {("bm25", "RR"): RR}
    note = next(note["text"] for note in answer["notes"] if note["code"] == "skipped_files")
    assert "README.md" in note
    assert "build.log" in note


# objects of Python

SCORED = [ir_measures.ScoredDoc(r[0], r[2], float(r[4])) for r in map(str.split, RUN.splitlines())]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ({"bm25": frame(), "dense": frame()}, ("bm25", "dense")),
        ({"bm25": SCORED}, ("bm25",)),
        ([frame(), frame()], ("run1", "run2")),
        ({"bm25": {"1": ["a", "b", "c"], "2": ["c", "a"]}}, ("bm25",)),
        ({"bm25": "run", "dense": frame()}, ("bm25", "dense")),
    ],
    ids=["frames by name", "ScoredDocs by name", "a list of frames", "rankings by name", "files and frames"],
)
def test_several_runs_go_in_as_python_objects(source: Any, names: tuple[str, ...]) -> None:
    runs = read_runs(source)
    assert runs.names == names
    assert score(runs, "qrels", ["RR"]).mean()[0].tolist() == [RR] * len(names)


def test_measures_of_ir_measures_are_measures() -> None:
    judged = assay.judge(read_runs("run"), read_qrels("qrels"))
    scores = score(judged, [ir_measures.nDCG @ 10, ir_measures.RR])
    assert scores.conditions == ("nDCG@10", "RR")
    assert scores.mean()[1].tolist() == [RR]


def test_runs_and_judgments_are_scored_in_one_call() -> None:
    assert score(read_runs("run"), read_qrels("qrels"), ["RR"]).mean().tolist() == [[RR]]
    assert score("run", {"1": {"b": 1}, "2": {"c": 1}}, "RR").mean().tolist() == [[RR]]


def test_a_frame_of_scores_raises_nothing_of_anothers_kind() -> None:
    wide = pd.DataFrame({"run": ["x", "x"], "topic": ["1", "2"], "AP": [0.5, 0.25]})
    assert read_scores(wide)["AP"].mean().tolist() == [[0.375]]
    with pytest.raises(AssayError):
        read_scores(pd.DataFrame({"one": ["a"], "two": ["b"]}))


def test_scores_have_labels() -> None:
    scores = score("run", "qrels", ["RR", "P@1"])
    assert scores["RR"].conditions == ("RR",)
    assert scores.means().rows() == [("bm25", RR, 0.5)]
    assert scores.means().columns == ["run", "RR", "P@1"]
    assert scores.wide().columns == ["run", "topic", "RR", "P@1"]
    assert scores.to_pandas().shape == (4, 4)


def test_a_table_that_is_not_there_is_answered_with_those_that_are() -> None:
    result = assay.glance(assay.Collection(read_runs("run"), read_qrels("qrels")))
    with pytest.raises(AssayError, match="ranks, topics"):
        result.tables["nope"]


BAD: list[Any] = [
    None,
    3,
    [],
    {},
    object(),
    "",
    b"x",
    [None],
    [1, 2],
    {"a": None},
    {"a": {"1": None}},
    {"1": {"a": "x"}},
    {"1": {"a": float("nan")}},
    {"1": {None: 1.0}},
    {float("nan"): {"a": 1.0}},
    pd.DataFrame(),
    pd.DataFrame({"x": [1]}),
    pd.DataFrame({"qid": [float("nan")], "docno": ["a"], "score": [1.0], "grade": [1]}),
    pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": ["high"], "grade": ["?"]}),
    pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": [None], "grade": [None]}),
    pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": [float("nan")], "grade": [float("nan")]}),
    [("1", "a")],
    [("1", "a", 1.0), ("1", "a")],
    [{"qid": "1"}],
    {"a": []},
    [pd.DataFrame(), pd.DataFrame()],
    {"a": pd.DataFrame({"x": [1]})},
    {"a": object()},
    iter([]),
    Path("nope.txt"),
    ["run", None],
    ["run", 3],
    [Path("run"), pd.DataFrame()],
]


WITHOUT_DOCUMENTS: list[Any] = [
    pd.DataFrame({"qid": ["1"], "docno": [None], "score": [1.0], "grade": [1]}),
    pl.DataFrame({"qid": ["1"], "docno": [["a"]], "score": [1.0], "grade": [1]}),
]


@pytest.mark.parametrize("reader", [read_runs, read_qrels])
@pytest.mark.parametrize("source", WITHOUT_DOCUMENTS, ids=["none", "a list"])
def test_a_document_that_is_none_is_an_error_of_our_own_kind(reader: Any, source: Any) -> None:
    with pytest.raises(AssayError):
        reader(source)


@pytest.mark.parametrize("reader", [read_runs, read_qrels, read_scores])
@pytest.mark.parametrize("source", BAD, ids=[f"{i} {type(bad).__name__}" for i, bad in enumerate(BAD)])
def test_a_bad_input_is_an_error_of_our_own_kind_in_one_line(reader: Any, source: Any) -> None:
    with pytest.raises(AssayError) as problem:
        reader(source)
    assert str(problem.value)
    assert "\n" not in str(problem.value)


# the command


def test_python_m_assay_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "assay", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert assay.__version__ in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--completion", shell]) == 0
    assert "disagreement" in capsys.readouterr().out


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five runs on ten topics, sound but small."""
    folder = tmp_path_factory.mktemp("small")
    docs = [f"d{i:02d}" for i in range(30)]
    for r in range(5):
        lines = [
            f"{t} Q0 {docs[(i * (r + 3) + 7 * t) % 29]} {i + 1} {30 - i} run{r}\n"
            for t in range(10)
            for i in range(20)
        ]
        (folder / f"run{r}").write_text("".join(lines))
    grades = [f"{t} 0 {doc} {(i * 5 + t) % 3 // 2}\n" for t in range(10) for i, doc in enumerate(docs)]
    (folder / "qrels").write_text("".join(grades))
    return folder


def test_commands_without_measures_use_those_of_the_report(ask: Ask, collection: Path) -> None:
    data = [*(str(collection / f"run{r}") for r in range(5)), "--qrels", str(collection / "qrels")]
    scored = {row["measure"] for row in ask("score", *data)["tables"]["long"]}
    report = pl.DataFrame(ask("report", *data, "--sections", "power")["tables"]["power"])
    power = pl.DataFrame(ask("power", *data)["table"])
    assert scored == set(power.filter(~pl.col("placebo"))["measure"])
    assert scored == set(report.filter(~pl.col("placebo"))["measure"])
    assert {"AP@20", "nDCG@10"} <= scored  # lists have 20 documents


@pytest.mark.parametrize("command", ["disagreement", "properties", "agreement", "depth", "reuse", "swap", "error"])
def test_runs_need_no_flag(command: str, collection: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(collection / f"run{r}") for r in range(5)]
    code = main([command, *words, "--qrels", str(collection / "qrels"), "--nonsense"])
    assert (code, "--nonsense" in capsys.readouterr().err) == (2, True)  # and it is the flag, not the runs


# official TREC numbers


def test_scores_in_single_precision_tie_as_in_trec_eval_9(ask: Ask) -> None:
    Path("run").write_text("1 Q0 a 1 17.123456789012349 t\n1 Q0 b 2 17.123456789012345 t\n")
    words = ["score", "run", "--qrels", "qrels", "-m", "RR", "--select", "t"]
    Path("qrels").write_text("1 0 b 1\n")
    assert means(ask(*words)) == {("t", "RR"): 0.5}
    assert means(ask(*words, "--score-precision", "single")) == {("t", "RR"): 1.0}
