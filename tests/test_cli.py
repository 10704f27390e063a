"""The command from end to end: what it prints, what it writes, and one line for everything that can go wrong."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

from assay.cli import main
from assay.results.analysis import index

RUN = "1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n2 Q0 b 1 9 x\n2 Q0 a 2 8 x\n"
OTHER = "1 Q0 b 1 9 y\n1 Q0 a 2 8 y\n2 Q0 a 1 9 y\n"
QRELS = "1 0 a 2\n1 0 b 0\n2 0 a 1\n"
Answer = tuple[int, str, str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with two runs and their judgments."""
    monkeypatch.chdir(tmp_path)
    Path("x").write_text(RUN)
    Path("y").write_text(OTHER)
    Path("qrels").write_text(QRELS)
    return tmp_path


@pytest.fixture
def assay(here: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    def run(*words: str) -> Answer:
        code = main(words)
        out, err = capfd.readouterr()
        return code, out, err

    return run


def refuse(assay: Callable[..., Answer], *words: str) -> str:
    """Expect a refusal: code 2, one line, no output, no file left behind. Return the line."""
    before = sorted(Path().iterdir())
    code, out, err = assay(*words, "-o", "out.json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("assay: ")
    assert sorted(Path().iterdir()) == before
    return err.removeprefix("assay: ").rstrip("\n")


BAD_RUNS = {
    "too few fields": (b"1 Q0 a 1 9\n", "5 fields, expected 6 (topic Q0 doc rank score tag)"),
    "too many fields": (b"1 Q0 a 1 9 x y\n", "7 fields, expected 6 (topic Q0 doc rank score tag)"),
    "a word for a score": (b"1 Q0 a 1 high x\n", "score 'high' is not a number"),
    "a score of NaN": (b"1 Q0 a 1 NaN x\n", "score is NaN, not a number"),
    "a document twice": (
        b"1 Q0 z 2 1 x\n",
        "document z appears twice for topic 1 (--duplicates first keeps the first)",
    ),
}


@pytest.mark.parametrize("case", BAD_RUNS)
@pytest.mark.parametrize(
    "before",
    [
        b"1 Q0 z 1 9 x\n",
        b"# a comment\n\n1 Q0 z 1 9 x\n",
        b"\xef\xbb\xbf# a comment\r\n  \r\n1\tQ0  z 1 9 x\r\n\r\n",
        b"1\tQ0\tz\t1\t9\tx\r",
    ],
)
def test_a_bad_line_of_a_run_is_named(assay: Callable[..., Answer], case: str, before: bytes) -> None:
    line, message = BAD_RUNS[case]
    Path("bad").write_bytes(before + line)
    number = len((before + line).splitlines())
    assert refuse(assay, "score", "x", "bad", "--qrels", "qrels", "-m", "AP") == f"bad:{number}: {message}"


BAD_QRELS = {
    "too few fields": (b"1 0 a\n", "3 fields, expected 4 (topic iteration doc grade)"),
    "too many fields": (b"1 0 a 1 x\n", "5 fields, expected 4 (topic iteration doc grade)"),
    "an infinite grade": (b"1 0 a inf\n", "grade inf is out of range (grades go up to 127)"),
    "a word for a grade": (b"1 0 a good\n", "grade 'good' is not a number"),
    "a grade that does not fit": (b"1 0 a 128\n", "grade 128 is above 127, the highest there is"),
    "a contradiction": (b"1 0 z 2\n", "document z of topic 1 has grade 2 here but 1 at bad:{first}"),
}


@pytest.mark.parametrize("case", BAD_QRELS)
@pytest.mark.parametrize(("before", "first"), [(b"1 0 z 1\n", 1), (b"# so\r\n\r\n1\t0 z 1\r\n\r\n", 3)])
def test_a_bad_judgment_is_named(assay: Callable[..., Answer], case: str, before: bytes, first: int) -> None:
    line, message = BAD_QRELS[case]
    Path("bad").write_bytes(before + line)
    number = len((before + line).splitlines())
    said = refuse(assay, "score", "x", "--qrels", "bad", "-m", "AP")
    assert said.startswith(f"bad:{number}: {message.format(first=first)}")


BAD_FILES: dict[str, tuple[str, bytes, str]] = {
    "empty": ("bad", b"", "bad: an empty file"),
    "blank": ("bad", b" \n\t\r\n", "bad: an empty file"),
    "comments only": ("bad", b"# nothing\n# here", "bad: an empty file, but for comments"),
    "binary": ("bad", b"\x7fELF\x00\x01", "bad: a binary file, not text"),
    "truncated gzip": ("bad.gz", gzip.compress(RUN.encode())[:-4], "bad.gz: truncated gzip archive"),
    "truncated bzip2": ("bad.bz2", bz2.compress(RUN.encode())[:-4], "bad.bz2: truncated bzip2 archive"),
    "truncated xz": ("bad.xz", lzma.compress(RUN.encode())[:-4], "bad.xz: truncated xz archive"),
    "truncated zstandard": (
        "bad.zst",
        zstandard.compress(RUN.encode())[:-4],
        "bad.zst: truncated zstandard archive",
    ),
    "damaged gzip": (
        "bad.gz",
        gzip.compress(RUN.encode())[:-8] + bytes(8),
        "bad.gz: damaged gzip archive (Error -3 while decompressing data: incorrect data check)",
    ),
    "no gzip at all": ("bad.gz", RUN.encode(), "bad.gz: not a .gz archive, though its name says so"),
}


@pytest.mark.parametrize("case", BAD_FILES)
@pytest.mark.parametrize("role", ["run", "judgments"])
def test_a_file_that_cannot_be_used_is_one_line(assay: Callable[..., Answer], case: str, role: str) -> None:
    name, data, message = BAD_FILES[case]
    Path(name).write_bytes(data)
    run, qrels = ("x", name) if role == "judgments" else (name, "qrels")
    assert refuse(assay, "score", run, "--qrels", qrels, "-m", "AP") == message


def test_no_topic_in_common_is_one_line(assay: Callable[..., Answer]) -> None:
    Path("others").write_text("301 0 a 1\n302 0 a 1\n")
    assert refuse(assay, "score", "x", "--qrels", "others", "-m", "AP") == (
        "others: no topic in common with the runs (judged: 301, 302; retrieved: 1, 2): "
        "are the judgments of another collection or round?"
    )


def test_missing_files_directories_and_globs_are_one_line(assay: Callable[..., Answer]) -> None:
    Path("folder").mkdir()
    Path("folder/.hidden").write_text("x")
    ask = ("--qrels", "qrels", "-m", "AP")
    assert refuse(assay, "score", "nowhere", *ask) == "nowhere: no such file"
    assert refuse(assay, "score", "z*", *ask) == "z*: nothing matches"
    assert refuse(assay, "score", "folder", *ask).startswith("folder: a directory without runs")
    assert refuse(assay, "score", "x", "--qrels", "nowhere", "-m", "AP") == "nowhere: no such file"
    assert refuse(assay, "score", "x", "--qrels", "folder", "-m", "AP") == (
        "folder: a directory without judgments (it holds no file that is not hidden)"
    )


def test_two_runs_of_one_name_are_one_line(assay: Callable[..., Answer]) -> None:
    for folder in ("p", "q"):
        Path(folder).mkdir()
        Path(folder, "same").write_text(RUN)
    assert refuse(assay, "score", "p", "q", "--qrels", "qrels", "-m", "AP") == (
        "q/same and p/same are both named 'same'; give the files different names or the runs different tags"
    )


def test_judgments_in_the_place_of_a_run_are_told_where_they_belong(assay: Callable[..., Answer]) -> None:
    said = refuse(assay, "score", "qrels", "--qrels", "qrels", "-m", "AP")
    assert said.endswith("expected 6 (topic Q0 doc rank score tag); judgments are given with --qrels")
    said = refuse(assay, "score", "x", "--qrels", "x", "-m", "AP")
    assert said.endswith("expected 4 (topic iteration doc grade); this looks like a run, not like judgments")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ties", "trek"], "argument --ties: 'trek' is not one of trec, file, rank; did you mean 'trec'?"),
        (["--duplicates", "frist"], "'frist' is not one of error, first; did you mean 'first'?"),
        (["--interval", "boot"], "'boot' is not one of t, bootstrap; did you mean 'bootstrap'?"),
        (["--format", "jsn"], "; did you mean 'json'?"),
        (["--levle", "0.9"], "--levle is not understood; did you mean '--level'?"),
        (["--level", "high"], "argument --level: 'high' is not a number (`assay score --help`)"),
        (["--resamples", "1e3"], "argument --resamples: '1e3' is not a whole number"),
        (["--level", "95"], "level 95 is not between 0 and 1; did you mean 0.95?"),
        (["--level", "0"], "level 0 is not between 0 and 1, such as 0.95"),
        (["--interval", "bootstrap", "--resamples", "0"], "resamples 0 is not a whole number from 1 up"),
        (["--resamples", "99999999999"], "resamples 99999999999 is more than 1,000,000, the most there is"),
        (["-m", "aR@99999999999999999999"], "aR@99999999999999999999: a cutoff is at most 10,000,000"),
        (["-m", "AP/pool=99999999999"], "pool=99999999999 is not a depth from 0 to 10,000,000"),
        (["--interval", "bootstrap", "--rng", "-1"], "rng -1 is not a whole number from 0 up"),
        (["--select", "z"], "no run 'z'"),
        (["-m", "APP"], "no measure 'APP'; did you mean 'AP'?"),
        (["-m", "P"], "P needs a cutoff, as in P@10"),
        (["-m", "AP"], "measure AP is asked for twice"),
        (["--table", "topics"], "no table 'topics' (there is long, tiers)"),
        (["--qrels"], "argument --qrels: expected one argument"),
    ],
)
def test_a_word_that_is_not_understood_is_one_line(
    assay: Callable[..., Answer], words: list[str], message: str
) -> None:
    assert message in refuse(assay, "score", "x", "--qrels", "qrels", "-m", "AP", *words)


def test_too_little_memory_is_one_line(assay: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("assay.cli._deliver", fail)
    assert refuse(assay, "score", "x", "--qrels", "qrels", "-m", "AP").startswith("not enough memory; ask for less")


def test_runs_are_words_without_a_flag_in_every_command_that_takes_runs(assay: Callable[..., Answer]) -> None:
    help_texts = {name: assay(name, "--help")[1] for name in index()}
    taking = [name for name, text in help_texts.items() if "--qrels QRELS" in text]
    assert {"score", "disagreement", "properties", "population", "informativeness", "reproduce"} <= set(taking)
    assert [name for name in taking if "[RUN ...]" not in help_texts[name]] == ["reproduce"]
    refusal = refuse(assay, "reproduce", "webber2008", "x")
    assert refusal == "x is not understood: give runs by --runs x"


def test_an_unknown_command_is_one_line(assay: Callable[..., Answer]) -> None:
    assert assay("scroe", "x") == (2, "", "assay: no command 'scroe'; did you mean 'score'?\n")
    assert assay("42") == (2, "", "assay: no command '42' (`assay --help` lists them)\n")
    assert assay("Plan", "--sd", "1") == (2, "", "assay: no command 'Plan'; did you mean 'topics'?\n")


def test_runs_and_judgments_must_be_given_and_measures_need_not_be(assay: Callable[..., Answer]) -> None:
    assert refuse(assay, "score", "--qrels", "qrels", "-m", "AP").startswith("no runs")
    assert refuse(assay, "score", "x", "-m", "AP").startswith("no judgments")
    code, out, _ = assay("score", "x", "--qrels", "qrels", "--format", "csv")
    assert code == 0
    assert "nDCG@" in out


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("out.xls", "out.xls: unknown extension '.xls'"),
        ("nowhere/out.json", "nowhere/out.json: no such directory 'nowhere'"),
        ("folder.json", "folder.json: a directory, where a file is to be written"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    assay: Callable[..., Answer], out: str, message: str
) -> None:
    Path("folder.json").mkdir()
    code, printed, err = assay("score", "not-even-a-run", "--qrels", "qrels", "-m", "AP", "-o", out)
    assert (code, printed) == (2, "")
    assert err.startswith(f"assay: {message}")


@pytest.mark.parametrize(("flag", "content"), [("--select", "x\n"), ("--declare", "x = 1\n")])
def test_no_file_that_a_flag_names_is_written_over(assay: Callable[..., Answer], flag: str, content: str) -> None:
    Path("mine.txt").write_text(content)
    words = ("score", "x", "--qrels", "qrels", "-m", "AP", flag, "mine.txt", "-o")
    said = "assay: ./mine.txt: is read, and would be written over; give another name by -o\n"
    assert assay(*words, "./mine.txt") == (2, "", said)
    assert Path("mine.txt").read_text() == content
    assert assay(*words, "other.txt") == (0, "", "")


def test_an_empty_value_of_a_flag_is_one_line(assay: Callable[..., Answer]) -> None:
    said = "assay: argument --select: '' is empty; is a variable of the shell not set? (`assay score --help`)\n"
    assert assay("score", "x", "--qrels", "qrels", "--select", "") == (2, "", said)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    assay: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    Path("out.json").write_text("old")
    before = sorted(Path().iterdir())
    monkeypatch.setattr(Path, "replace", fail)
    answer = assay("score", "x", "--qrels", "qrels", "-m", "AP", "-o", "out.json")
    assert answer == (2, "", "assay: out.json: no space left on device\n")
    assert Path("out.json").read_text() == "old"
    assert sorted(Path().iterdir()) == before


def test_the_first_of_repeated_documents_is_kept_on_demand(assay: Callable[..., Answer]) -> None:
    Path("twice").write_text("1 Q0 b 1 9 x\n1 Q0 a 2 8 x\n1 Q0 b 3 7 x\n2 Q0 a 1 9 x\n2 Q0 a 1 9 x\n")
    words = ("score", "twice", "--qrels", "qrels", "-m", "RR", "--duplicates", "first", "--format", "json")
    code, out, _ = assay(*words)
    answer = json.loads(out)
    assert code == 0
    assert answer["table"][0]["RR"] == 0.75
    text = "twice:3: 2 repeated documents dropped from here on, the first of each kept"
    assert answer["notes"][0] == {"code": "repeated_documents", "severity": "caution", "text": text}


def test_json_says_everything(assay: Callable[..., Answer]) -> None:
    code, out, err = assay("score", "x", "y", "--qrels", "qrels", "-m", "RR", "-m", "P@1", "--format", "json")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert list(answer) == ["analysis", "settings", "basis", "table", "tables", "sentences", "notes"]
    assert answer["analysis"] == "score"
    assert answer["settings"] == {"interval": "t", "level": 0.95, "rng": 0}
    assert answer["basis"] == {
        "runs": 2,
        "topics": 2,
        "judged": 3,
        "relevant": 2,
        "order": "score descending, then document id descending",
        "tied_cells": 0,
        "cells": 4,
        "judgments": "qrels",
        "negative": "pooled",
        "top_grade": 2,
        "undefined": "zero",
    }
    assert [(row["rank"], row["run"], row["RR"], row["P@1"]) for row in answer["table"]] == [
        (1, "x", 0.75, 0.5),
        (2, "y", 0.75, 0.5),
    ]
    assert [(row["run"], row["measure"], row["mean"]) for row in answer["tables"]["long"]] == [
        ("x", "RR", 0.75),
        ("x", "P@1", 0.5),
        ("y", "RR", 0.75),
        ("y", "P@1", 0.5),
    ]
    assert set(answer["tables"]["long"][0]) == {"run", "measure", "mean", "low", "high", "n_topics"}
    assert list(answer["tables"]) == ["long", "tiers"]
    assert [(note["code"], note["severity"]) for note in answer["notes"]] == [
        ("judged_shares", "info"),
        ("exact_intervals", "info"),
    ]


def test_labels_print_the_parameters_that_were_stated(assay: Callable[..., Answer]) -> None:
    words = ("score", "x", "--qrels", "qrels", "-m", "RBP(p=0.8)", "-m", "map", "-m", "rbp(p=.80)/pool=1")
    code, out, _ = assay(*words, "--table", "long", "--format", "csv")
    assert code == 0
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == ["RBP(p=0.8)", "AP", "RBP(p=0.8)/pool=1"]
    again = refuse(assay, "score", "x", "--qrels", "qrels", "-m", "RBP", "-m", "RBP(p=0.8)")
    assert again == "measure RBP(p=0.8) is asked for twice"


def test_the_package_is_the_command(here: Path) -> None:
    words = ["score", "x", "--qrels", "qrels", "-m", "RR", "--format", "csv"]
    done = subprocess.run([sys.executable, "-m", "assay", *words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "rank,run,RR,low,high"
    done = subprocess.run([sys.executable, "-m", "assay", "scor"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "assay: no command 'scor'; did you mean 'score'?\n"


def test_the_tie_rule_decides_and_is_said(assay: Callable[..., Answer]) -> None:
    Path("tied").write_text("1 Q0 a 2 5 t\n1 Q0 b 1 5 t\n2 Q0 a 1 5 t\n")
    found = {}
    for rule in ("--ties trec", "--ties file", "--ties rank", "--order rank", "--order file"):
        _, out, _ = assay("score", "tied", "--qrels", "qrels", "-m", "RR", *rule.split(), "--format", "json")
        answer = json.loads(out)
        found[rule] = (answer["table"][0]["RR"], answer["basis"]["order"], answer["basis"]["tied_cells"])
    assert found == {
        "--ties trec": (0.75, "score descending, then document id descending", 1),
        "--ties file": (1.0, "score descending, then as in the file", 1),
        "--ties rank": (0.75, "score descending, then rank ascending", 1),
        "--order rank": (0.75, "rank ascending, then document id descending", 0),
        "--order file": (1.0, "as in the file", 0),
    }


def test_flags_and_runs_may_stand_in_any_order(assay: Callable[..., Answer]) -> None:
    expected = assay("score", "x", "y", "--qrels", "qrels", "-m", "AP")
    assert assay("score", "x", "--qrels", "qrels", "y", "-m", "AP") == expected
    assert assay("score", "--qrels", "qrels", "-m", "AP", "x", "y") == expected
    assert assay("score", "-m", "AP", "x", "--qrels", "qrels", "y") == expected
    assert expected[0] == 0


def test_negative_grades_count_as_the_flag_says(assay: Callable[..., Answer]) -> None:
    Path("pooled").write_text("1 0 a 1\n1 0 b -1\n2 0 a 1\n")
    ask = ("score", "x", "--qrels", "pooled", "-m", "Judged@2", "--format", "json", "--negative")
    means = [json.loads(assay(*ask, rule)[1])["table"][0]["Judged@2"] for rule in ("pooled", "nonrelevant")]
    assert means == [0.5, 0.75]


def test_topics_that_are_not_judged_are_ignored_and_noted(assay: Callable[..., Answer]) -> None:
    Path("one").write_text("1 0 a 1\n")
    _, out, _ = assay("score", "x", "--qrels", "one", "-m", "AP")
    assert "caution: 1 topic not in the judgments, ignored (1 list)" in out


def test_scores_by_topic_are_a_long_table(assay: Callable[..., Answer]) -> None:
    _, out, _ = assay("score", "x", "--qrels", "qrels", "-m", "RR", "--per-topic", "--format", "csv")
    assert out == "run,topic,measure,value\nx,1,RR,1.0\nx,2,RR,0.5\n"


def test_trec_eval_lines_of_several_runs_follow_one_another(assay: Callable[..., Answer]) -> None:
    words = ("score", "x", "y", "--qrels", "qrels", "-m", "map", "-m", "num_ret", "--format", "trec_eval")
    assert assay(*words)[1].splitlines() == [
        "runid                 \tall\tx",
        "map                   \tall\t0.7500",
        "num_ret               \tall\t4",
        "runid                 \tall\ty",
        "map                   \tall\t0.7500",
        "num_ret               \tall\t3",
    ]
    assert assay(*words, "--per-topic")[1].splitlines()[:4] == [
        "runid                 \tall\tx",
        "map                   \t1\t1.0000",
        "num_ret               \t1\t2",
        "map                   \t2\t0.5000",
    ]


def test_a_file_is_written_by_its_extension_and_nothing_is_printed(assay: Callable[..., Answer]) -> None:
    ask = ("score", "x", "--qrels", "qrels", "-m", "AP")
    for form, name in (("json", "o.json"), ("csv", "o.csv"), ("latex", "o.tex"), ("markdown", "o.md")):
        assert assay(*ask, "-o", name) == (0, "", "")
        assert Path(name).read_text() == assay(*ask, "--format", form)[1]
    assert assay(*ask, "-o", "o.parquet") == (0, "", "")
    assert pl.read_parquet("o.parquet")["AP"].to_list() == [0.75]
    assert assay(*ask, "--format", "trec_eval", "-o", "o.eval") == (0, "", "")
    assert Path("o.eval").read_text().startswith("runid")
    assert not [f for f in Path().iterdir() if f.name.startswith(".")]


@pytest.mark.parametrize(
    "how", [("--format", "csv"), ("--format", "trec_eval"), ("-o", "o.csv"), ("-o", "o.parquet")]
)
def test_warnings_that_a_format_has_no_place_for_go_to_standard_error(
    how: tuple[str, str], assay: Callable[..., Answer]
) -> None:
    Path("deep").write_text("".join(f"1 Q0 u{i} {i} {-i} deep\n" for i in range(1, 10)) + "1 Q0 a 10 -10 deep\n")
    code, _, err = assay("score", "deep", "--qrels", "qrels", "-m", "AP", *how)
    assert code == 0
    assert "0% at rank 1" in err
    assert all(line.startswith(("assay: warning: ", "assay: caution: ")) for line in err.splitlines())


def test_a_device_or_pipe_may_be_the_output(assay: Callable[..., Answer]) -> None:
    ask = ("score", "x", "--qrels", "qrels", "-m", "AP", "--format", "csv", "-o", os.devnull)
    assert assay(*ask) == (0, "", "")
    assert Path(os.devnull).is_char_device()


def test_a_run_may_be_piped_in(assay: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    expected = assay("score", "x", "--qrels", "qrels", "-m", "AP", "--format", "csv")
    assert assay("score", "-", "--qrels", "qrels", "-m", "AP", "--format", "csv") == expected


def test_every_infinite_number_is_null_in_json(assay: Callable[..., Answer]) -> None:
    Path("one").write_text("1 0 a 1\n")
    for words in (["measures", "DCG"], ["measures"], ["score", "x", "--qrels", "one", "-m", "AP"]):
        code, out, _ = assay(*words, "--format", "json")
        assert code == 0
        assert "Infinity" not in out
        assert "NaN" not in out
        assert json.loads(out)["table"]


def test_help_lists_commands_and_a_commands_help_its_flags(assay: Callable[..., Answer]) -> None:
    code, out, _ = assay("--help")
    assert code == 0
    assert "  score " in out
    assert assay()[:2] == assay("help")[:2] == (0, out)
    code, out, _ = assay("score", "--help")
    assert code == 0
    for flag in ("--qrels", "--ties {trec,file,rank}", "-m MEASURE", "--interval", "-o FILE", "--format"):
        assert flag in out


@pytest.mark.parametrize("command", list(index()))
def test_help_shows_no_markup_of_docstrings(assay: Callable[..., Answer], command: str) -> None:
    code, out, _ = assay(command, "--help")
    assert code == 0
    assert "---\n" not in out
    assert "\n\n\n" not in out


def test_help_says_what_the_columns_and_tables_are_and_where_to_read_on(assay: Callable[..., Answer]) -> None:
    out = assay("agreement", "--help")[1]
    parts = [out.index(f"\n\n{name}:\n  ") for name in ("columns", "tables", "notes", "references", "options")]
    assert parts == sorted(parts)
    assert "\ntables:\n  matrix: " in out


def test_a_missing_file_is_told_its_nearest_neighbour(assay: Callable[..., Answer]) -> None:
    assert refuse(assay, "score", "x", "--qrels", "qrel", "-m", "AP") == ("qrel: no such file; did you mean 'qrels'?")
    Path("folder").mkdir()
    Path("folder/bm25.gz").write_text("x")
    assert refuse(assay, "score", "folder/bm25", "--qrels", "qrels", "-m", "AP") == (
        "folder/bm25: no such file; did you mean 'bm25.gz'?"
    )


def test_measures_need_no_cutoff_where_depths_or_rankings_give_it(assay: Callable[..., Answer]) -> None:
    assert assay("depth", "x", "y", "--qrels", "qrels", "-m", "P")[0] == 0
    assert assay("case", "110", "011", "-m", "P")[0] == 0
    assert assay("disagreement", "-m", "P", "-m", "AP", "--depth", "2", "--n-rel", "1")[0] == 0


def test_measures_can_be_declared_where_no_data_is_needed(assay: Callable[..., Answer], catalogue: object) -> None:
    Path("mine.py").write_text(
        "from assay import measure, Rankings\n\n@measure(claims={'bounded'}, cite='me', cutoff='required')\n"
        "def Mine(j: Rankings):\n    'Half of P.'\n    return j.total(j.hit(1)) / j.cutoff / 2\n"
    )
    code, out, _ = assay("disagreement", "--declare", "mine.py", "-m", "Mine", "-m", "P", "--depth", "1-3")
    assert code == 0
    assert [line.split()[2] for line in out.splitlines() if line.startswith("Mine")] == ["0"]


def test_the_version_is_said(assay: Callable[..., Answer]) -> None:
    code, out, _ = assay("--version")
    assert (code, out[:6]) == (0, "assay ")
    assert "(compiled reader)" in out or "(pure Python reader)" in out


def test_the_compiled_part_can_be_declined() -> None:
    done = subprocess.run(
        command("--version"), capture_output=True, text=True, check=True, env={**os.environ, "ASSAY_PURE": "1"}
    )
    assert done.stdout.endswith(" (pure Python reader)\n")


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", "import sys; from assay.cli import main; sys.exit(main())", *words]


def test_a_file_whose_name_is_not_text_can_be_read_and_named(here: Path) -> None:
    Path("tea").write_text(RUN)
    try:
        Path(os.fsdecode(b"caf\xe9")).write_text(RUN)
    except OSError:
        pytest.skip("this file system takes no name that is not text")
    words = command("score", os.fsdecode(b"caf\xe9"), "tea", "--qrels", "qrels", "-m", "AP", "--format", "json")
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    answer = json.loads(subprocess.run(words, stdout=subprocess.PIPE, env=strict, check=True).stdout)
    assert [row["run"] for row in answer["table"]] == ["café", "tea"]


def test_a_reader_that_has_seen_enough_is_no_error(here: Path) -> None:
    lines = [f"{t} Q0 d{i} 1 {-i} x\n" for t in range(2000) for i in range(2)]
    Path("long").write_text("".join(lines))
    Path("many").write_text("".join(f"{t} 0 d0 0\n{t} 0 d1 1\n" for t in range(2000)))
    flags = [word for m in ("AP", "RR", "nDCG", "Rprec", "Bpref", "P@5") for word in ("-m", m)]
    words = command("score", "long", "--qrels", "many", *flags, "--per-topic", "--format", "csv")  # 200 kB
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"run,topic,measure,value\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")
def test_a_full_disk_behind_standard_output_is_one_line(here: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        words = command("score", "x", "--qrels", "qrels", "-m", "AP")
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"assay: no space left on device\n")


def test_a_terminal_gets_a_rich_table_and_a_pipe_a_plain_one(here: Path) -> None:
    words = command("score", "x", "--qrels", "qrels", "-m", "AP")
    piped = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.decode()
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "300"}
    environment.pop("NO_COLOR", None)
    subprocess.run(words, stdout=theirs, env=environment, check=True)
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert "\x1b[" not in piped
    assert b"\x1b[" in shown
    assert "0.750" in piped
    assert b"0.750" in shown


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:  # Linux says so when the other end of a terminal is closed
        return b""
