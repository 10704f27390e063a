"""Scores of several sources: merged by run, measure and topic; contradictions name both places; columns by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import AssayError, InputError, read_scores
from assay.cli import main
from assay.scoring.scores import Scores

AP = {"bm25": {"401": 0.5, "402": 0.25}, "dense": {"401": 0.125, "402": 0.75}}
P10 = {"bm25": {"401": 0.3, "402": 0.1}, "dense": {"401": 0.2, "402": 0.4}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def trec_eval(run: str, measures: dict[str, Any], *, runid: bool = True) -> str:
    """Print one run as trec_eval -q does."""
    lines = [f"{name}\t{topic}\t{value:.4f}" for name, of in measures.items() for topic, value in of[run].items()]
    averages = [f"{name}\tall\t{sum(of[run].values()) / 2:.4f}" for name, of in measures.items()]
    return "\n".join([*lines, *([f"runid\tall\t{run}"] if runid else []), *averages]) + "\n"


def write_runs(folder: str = "out", *, runid: bool = True) -> None:
    Path(folder).mkdir()
    for run in AP:
        text = trec_eval(run, {"map": AP, "P_10": P10}, runid=runid)
        Path(folder, run if not runid else f"eval.{run}").write_text(text)


def assert_is_the_example(scores: Scores) -> None:
    assert (scores.conditions, scores.runs, scores.topics) == (("AP", "P@10"), ("bm25", "dense"), ("401", "402"))
    expected = [[[of[run][topic] for topic in scores.topics] for run in scores.runs] for of in (AP, P10)]
    np.testing.assert_array_equal(scores.value, expected)


def complaint(*sources: str, **options: Any) -> str:
    with pytest.raises(AssayError) as caught:
        read_scores(list(sources), **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def means(capsys: pytest.CaptureFixture[str], *words: str) -> dict[tuple[str, str], float]:
    assert main(["score", *words, "--format", "json"]) == 0, capsys.readouterr().err
    rows = json.loads(capsys.readouterr().out)["tables"]["long"]
    return {(row["run"], row["measure"]): row["mean"] for row in rows}


# one file per run


@pytest.mark.parametrize("runid", [True, False])
def test_one_file_per_run_as_trec_eval_writes_it_is_read_from_a_directory_or_a_glob(runid: bool) -> None:
    write_runs(runid=runid)
    for source in ("out", "out/*", ["out/eval.bm25", "out/eval.dense"] if runid else ["out/bm25", "out/dense"]):
        assert_is_the_example(read_scores(source))


def test_the_command_takes_scores_more_than_once(capsys: pytest.CaptureFixture[str]) -> None:
    write_runs()
    expected = {("bm25", "AP"): 0.375, ("bm25", "P@10"): 0.2, ("dense", "AP"): 0.4375, ("dense", "P@10"): 0.3}
    for words in (["--scores", "out"], ["--scores", "out/eval.bm25", "--scores", "out/eval.dense"]):
        assert means(capsys, *words) == pytest.approx(expected)
    assert means(capsys, "--scores", "out", "-m", "map", "--select", "dense") == {("dense", "AP"): 0.4375}


def test_files_of_measures_of_runs_and_of_topics_make_one_table() -> None:
    Path("x.ap.csv").write_text("topic,bm25\n401,0.5\n402,0.25\n")
    Path("rest.csv").write_text("run,topic,measure,value\ndense,401,map,0.125\n")
    Path("more.jsonl").write_text('{"run": "dense", "topic": 402, "measure": "AP", "value": 0.75}\n')
    Path("p.csv").write_text("topic,run,P@10\n401,bm25,0.3\n402,bm25,0.1\n401,dense,0.2\n402,dense,0.4\n")
    scores = read_scores(["x.ap.csv", "rest.csv", "more.jsonl", "p.csv"])
    assert_is_the_example(scores)
    assert scores.basis.scores == "x.ap.csv, rest.csv, more.jsonl and p.csv"


def test_what_is_in_no_source_is_missing() -> None:
    Path("a.csv").write_text("run,topic,AP\na,1,0.5\n")
    Path("b.csv").write_text("run,topic,AP\nb,2,0.25\n")
    scores = read_scores(["a.csv", "b.csv"])
    np.testing.assert_array_equal(scores.value, [[[0.5, np.nan], [np.nan, 0.25]]])
    (note,) = scores.notes
    assert note.text.startswith("a.csv and b.csv: 2 scores missing, ")
    assert "a has 1 of 2 topics, b 1" in note.text


# contradictions


def test_sources_that_contradict_each_other_are_an_error_with_both_places() -> None:
    Path("a.csv").write_text("run,topic,measure,value\na,1,map,0.5\na,2,map,0.75\n")
    Path("b.csv").write_text("topic,run,AP\n1,a,0.5\n2,a,0.25\n")
    assert complaint("a.csv", "b.csv") == "b.csv:3: run a, topic 2, AP is 0.25 here, but 0.75 at a.csv:3"


def test_the_same_score_from_two_sources_counts_once_and_a_note_says_so() -> None:
    Path("a.csv").write_text("run,topic,measure,value\na,1,map,0.5\na,2,map,0.75\n")
    Path("b.csv").write_text("topic,run,AP\n1,a,0.5\n3,a,0.25\n2,a,NA\n")
    scores = read_scores(["a.csv", "b.csv"])
    assert scores.wide().rows() == [("a", "1", 0.5), ("a", "2", 0.75), ("a", "3", 0.25)]
    assert [(note.code, note.text) for note in scores.notes] == [
        ("repeated_scores", "2 scores given by more than one of 2 sources, all alike")
    ]


def test_a_score_twice_in_one_source_is_an_error_even_if_alike() -> None:
    Path("a.csv").write_text("run,topic,AP\na,1,0.5\na,1,0.5\n")
    assert complaint("a.csv") == "a.csv:3: a second score for run a, topic 1, AP, after a.csv:2"
    Path("b.csv").write_text("run,topic,AP\nb,1,0.5\n")
    assert complaint("b.csv", "a.csv") == "a.csv:3: a second score for run a, topic 1, AP, after a.csv:2"


def test_what_many_sources_have_in_common_is_said_once() -> None:
    write_runs()
    notes = [(note.code, note.text) for note in read_scores("out").notes]
    assert notes == [("averages_left_out", "2 sources: 2 averages (topic 'all') left out")]


def test_a_sparse_table_that_would_fill_the_memory_is_refused() -> None:
    rows = "".join(f"r{i},t{i},AP,0.5\n" for i in range(6000))
    Path("a.csv").write_text("run,topic,measure,value\n" + rows)
    assert complaint("a.csv") == (
        "a.csv: 1 measure x 6,000 runs x 6,000 topics would take 0.3 GB for 6,000 scores; "
        "are run and topic the right columns?"
    )


# directories


def test_what_holds_no_scores_in_a_directory_is_skipped_and_named() -> None:
    write_runs()
    Path("out/README.md").write_text("# Results\n\nMade by trec_eval.\n")
    Path("out/job.log").write_text("started\nfinished in 3 s\n")
    Path("out/.hidden").write_text("nothing")
    Path("out/config.json").write_text('{"model": "bm25", "k1": 0.9, "stages": [1, 2]}')
    scores = read_scores("out")
    assert_is_the_example(scores)
    (note,) = (note for note in scores.notes if note.code == "skipped_files")
    assert note.text == "out: README.md, config.json and job.log skipped: not scores"


def test_a_file_of_scores_that_is_broken_is_not_skipped() -> None:
    write_runs()
    Path("out/eval.dense").write_text("map\t401\t0.5\nmap\t402\n")
    assert complaint("out") == "out/eval.dense:2: 2 fields, expected 3 as in the first line"
    Path("out/eval.dense").unlink()
    Path("out/sizes.csv").write_text("file,bytes\na,1\n")  # it may be a matrix
    assert "out/sizes.csv: a matrix whose first header cell is 'file', neither topic nor run" in complaint("out")
    Path("out/sizes.csv").unlink()
    Path("out/x.csv").write_text("run,topic\na,1\n")
    assert complaint("out") == "out/x.csv: no column of scores beside run and topic"


def test_a_directory_without_scores_is_an_error() -> None:
    Path("docs").mkdir()
    Path("docs/README").write_text("nothing here\n")
    assert complaint("docs") == "docs: no scores in it (not in README)"


# columns by name

ROWS = "q;who;what;how\n1;a;AP;0,5\n1;b;AP;0,25\n"


def test_columns_are_named_as_in_runs(capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.csv").write_text(ROWS)
    columns = "topic=q,run=who,measure=what,value=how"
    assert means(capsys, "--scores", "t.csv", "--columns", columns) == {("a", "AP"): 0.5, ("b", "AP"): 0.25}
    mapping = {"topic": "q", "run": "who", "measure": "what", "value": "how"}
    assert read_scores("t.csv", columns=mapping).runs == ("a", "b")


def test_one_column_of_values_is_a_measure_of_its_name() -> None:
    Path("t.csv").write_text("case,bot,ms,tokens\n1,a,12,7\n2,a,15,9\n")
    scores = read_scores("t.csv", columns="topic=case,run=bot,value=ms")
    assert scores.wide().rows() == [("a", "1", 12.0), ("a", "2", 15.0)]
    assert scores.conditions == ("ms",)
    assert read_scores("t.csv", columns="topic=case,run=bot").conditions == ("ms", "tokens")


def test_a_topic_that_is_named_makes_one_run_of_a_table_of_numbers() -> None:
    Path("mine.csv").write_text("case,ms,tokens\n1,12,7\n2,15,9\n")
    scores = read_scores("mine.csv", columns="topic=case")
    assert (scores.runs, scores.conditions, scores.topics) == (("mine",), ("ms", "tokens"), ("1", "2"))


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ("topic=qq", "t.csv: no column 'qq' (--columns topic=qq); did you mean 'q'?"),
        ("run=nobody", "t.csv: no column 'nobody' (--columns run=nobody); there are q, who, what, how"),
        ("value=how", "t.csv: no column for the run or the topic or the measure; name it by"),
        ("doc=q", "--columns: there is nothing called 'doc'; columns are run, topic, measure, value"),
        ("topic", "--columns: 'topic' is not of the form topic=q,run=model"),
    ],
)
def test_a_column_that_is_not_there_is_one_line(
    columns: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("t.csv").write_text(ROWS.replace("q;", "q;", 1))
    assert main(["power", "--scores", "t.csv", "--columns", columns]) == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert printed.removeprefix("assay: ").startswith(problem)


def test_runs_have_no_measures_to_name(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run").write_text("1 Q0 a 1 1.0 r\n")
    assert main(["score", "run", "--qrels", "run", "--columns", "measure=x"]) == 2
    assert "there is nothing called 'measure'" in capsys.readouterr().err


def test_a_matrix_and_columns_by_name_exclude_each_other() -> None:
    Path("t.csv").write_text(ROWS)
    problem = complaint("t.csv", columns="topic=q", orient="topic-by-run")
    assert problem == "--orient says what a matrix is, --columns what a table is; give one of them"


def test_an_input_error_is_of_our_own_kind() -> None:
    with pytest.raises(InputError):
        read_scores("nothing.csv")
