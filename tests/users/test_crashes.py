"""What ended in a traceback, an abort or silence: now one line with code 2, or an answer.

Closed streams, signals, full disks and terminals that know ASCII only are in tests/test_process.py, every flag of
every command in tests/laws/test_flags.py, names in every medium in tests/render/test_escaping.py.
"""

from __future__ import annotations

import gzip
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay import UsageError, read_qrels, read_runs, read_scores
from assay.cli import main
from tests.users.conftest import Ask, Refusal

RUN, QRELS = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", "1 0 a 1\n1 0 b 0\n"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """A run and its judgments."""
    Path("run").write_text(RUN)
    Path("qrels").write_text(QRELS)


DATA = ["run", "--qrels", "qrels"]


# names


@pytest.mark.parametrize("name", ["a\ufffe", "b\uffff", "c\U0001fffe"])
def test_a_run_name_with_a_noncharacter_does_not_abort_a_chart(name: str) -> None:
    for run in (name, "other"):
        lines = [f"{t} Q0 d{i} {i} {-i} {run}\n" for t in range(4) for i in (range(1, 4) if run == name else (3, 1))]
        Path(f"run-{run == name}").write_text("".join(lines), encoding="utf-8")
    Path("qrels").write_text("".join(f"{t} 0 d{t % 3 + 1} 1\n" for t in range(4)))
    code = main(["power", "run-True", "run-False", "--qrels", "qrels", "-m", "AP", "-m", "RR", "-o", "fig.svg"])
    assert code == 0
    assert "\ufffe" not in Path("fig.svg").read_text(encoding="utf-8")


# data files


def test_a_header_that_is_nearly_a_measure_is_a_name_or_one_line(ask: Ask) -> None:
    Path("scores.csv").write_text("run,topic,AP(rel={[]:1})\na,1,0.5\na,2,0.25\n")
    assert [row["mean"] for row in ask("score", "--scores", "scores.csv")["tables"]["long"]] == [0.375]


@pytest.mark.parametrize("flag", ["runs", "--qrels", "--scores"])
def test_deeply_nested_json_is_one_line(flag: str, refusal: Refusal) -> None:
    Path("deep.json").write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
    words = {"runs": ["deep.json", "--qrels", "qrels"], "--qrels": ["run", "--qrels", "deep.json"]}
    assert "deep.json" in refusal("score", *words.get(flag, ["--scores", "deep.json"]))


def test_a_number_of_400_digits_is_one_line(refusal: Refusal) -> None:
    digits = "1" * 400
    Path("weights.json").write_text(
        json.dumps({"gain": {"1": 1}, "discount": [1, 1]}).replace("[1, 1]", f"[1, {digits}]")
    )
    assert "weights.json" in refusal("score", *DATA, "-m", "nDCG(weights='weights.json')")
    Path("run.jsonl").write_text(f'{{"query": "1", "doc": "a", "score": {digits}}}\n')
    assert "run.jsonl:1" in refusal("score", "run.jsonl", "--qrels", "qrels", "-m", "AP")


def test_a_small_file_does_not_ask_for_gigabytes(refusal: Refusal) -> None:
    Path("sparse.csv").write_text("run,topic,AP\n" + "".join(f"r{i},t{i},0.5\n" for i in range(22_000)))
    line = refusal("score", "--scores", "sparse.csv")
    assert "22,000 runs x 22,000 topics would take 3.6 GB" in line


def test_a_truth_whose_batches_are_flat_is_one_line(refusal: Refusal) -> None:
    size = ["--n-runs", "3", "--n-topics", "4", "--n-docs", "200", "--depth", "20", "--truth-topics", "40"]
    assert main(["simulate", "made", *size, "-m", "AP", "-o", "made.json"]) == 0
    truth = json.loads(Path("made/truth.json").read_text())
    for each in truth["measures"].values():
        each["batches"] = each["batches"][0]
    Path("flat.json").write_text(json.dumps(truth))
    line = refusal("power", "made/runs", "--qrels", "made/qrels.txt", "-m", "AP", "--truth", "flat.json")
    assert line.startswith("flat.json: ")


# flags


@pytest.mark.parametrize(
    "measure",
    [
        "nDCG(dcg=[1])",
        "AP\udcff",
        f"AP@{'9' * 20}",
        f"AP@{'9' * 5000}",
        f"AP/pool={'9' * 20}",
        f"AP/pool={'9' * 5000}",
        "RBP(p=" + "9" * 5000 + ")",
        "(" * 5000,
        "AP" * 500_000,
    ],
    ids=["a list", "no character", "@20", "@5000", "pool 20", "pool 5000", "p", "brackets", "1 MB"],
)
def test_a_measure_that_is_none_is_one_short_line(measure: str, refusal: Refusal) -> None:
    assert len(refusal("score", *DATA, "-m", measure)) < 1500


@pytest.mark.parametrize(
    "words",
    [
        ["score", *DATA, "--ties=--"],
        ["population", "--n-rel", "9223372036854775808"],
        ["simulate", "made", "--n-docs", "9223372036854775808"],
        ["score", *DATA, "-o", "loop"],
        ["score", "/dev/zero", "--qrels", "qrels"],
        ["score", "run", "--qrels", "/dev/zero"],
        ["score", "--scores", "/dev/zero"],
    ],
    ids=["ties", "population", "simulate", "symlink loop", "device", "device of judgments", "device of scores"],
)
def test_a_flag_that_is_too_much_is_one_line_and_leaves_nothing(words: list[str], refusal: Refusal) -> None:
    Path("loop").symlink_to("loop")
    assert refusal(*words)
    assert sorted(file.name for file in Path().iterdir()) == ["loop", "qrels", "run"]


def test_a_line_without_end_is_one_line(refusal: Refusal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.data.files._LONGEST_LINE", 1 << 16)
    Path("long").write_text("1 Q0 a 1 2 t\n1 Q0 " + "b" * (1 << 17) + " 2 1 t\n")
    line = refusal("score", "long", "--qrels", "qrels", "-m", "AP")
    assert "long:2" in line


# output


@pytest.mark.parametrize("name", ["[x]", "*x", "\x1b[31mx", "=cmd|'/C calc'!A0", "<script>alert(1)</script>"])
def test_a_name_does_nothing_in_any_format(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.csv").write_text(f'query,system,doc,score\n1,"{name}",a,1\n')
    for form in ("table", "csv", "latex", "markdown", "trec_eval"):
        assert main(["score", "run.csv", "--qrels", "qrels", "-m", "AP", "--format", form]) == 0
        out = capsys.readouterr().out
        assert "\x1b" not in out
        if form == "csv":
            assert not any(line.startswith("=") for line in out.splitlines())
        if form == "latex":
            assert not any(line.startswith(("[", "*")) for line in out.splitlines())
        if form == "markdown":
            assert "<script" not in out


def test_an_error_does_not_quote_a_megabyte(refusal: Refusal) -> None:
    Path("bad").write_text(f"1 Q0 a 1 {'x' * 1_000_000} t\n")
    assert len(refusal("score", "bad", "--qrels", "qrels", "-m", "AP")) < 1500


def test_a_file_that_unpacks_without_end_is_one_line_and_the_limit_can_be_raised(
    ask: Ask, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"1 Q0 d{i} {i} {-i} t\n" for i in range(60_000)) + "1 Q0 a 99999 -99999 t\n"
    Path("bomb.gz").write_bytes(gzip.compress(rows.encode()))
    monkeypatch.setenv("ASSAY_MAX_SIZE", "1MB")
    assert "ASSAY_MAX_SIZE" in refusal("score", "bomb.gz", "--qrels", "qrels", "-m", "AP")
    monkeypatch.setenv("ASSAY_MAX_SIZE", "100MB")
    assert ask("score", "bomb.gz", "--qrels", "qrels", "-m", "AP")["table"]


def test_weights_on_tiny_data_say_nothing_of_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    for r in range(3):
        lines = [f"{t} Q0 d{(i + r * t) % 4} {i} {-i} r{r}\n" for t in range(3) for i in range(4)]
        Path(f"r{r}").write_text("".join(lines))
    Path("qrels").write_text("".join(f"{t} 0 d{i} {(i + t) % 3}\n" for t in range(3) for i in range(4)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code = main(["weights", "r0", "r1", "r2", "--qrels", "qrels"])
    assert code in (0, 2)
    assert "Warning" not in capsys.readouterr().err


# Settings of the readers that are of another kind

_ODD: list[Any] = [3, 1.5, ["a"], {"a": "b"}, b"x", object(), True]
_READERS: dict[str, tuple[Callable[..., Any], Any, tuple[str, ...]]] = {
    "read_qrels": (read_qrels, {"1": {"x": 1}}, ("grades", "conflicts")),
    "read_runs": (
        read_runs,
        {"1": {"x": 1}},
        ("order", "ties", "score_precision", "duplicates", "name", "columns"),
    ),
    "read_scores": (
        read_scores,
        [{"run": "a", "topic": "1", "m": 0.5}],
        ("orient", "name", "lower", "higher", "missing", "columns"),
    ),
}


@pytest.mark.parametrize(
    ("reader", "setting"), [(name, setting) for name, (_, _, settings) in _READERS.items() for setting in settings]
)
@pytest.mark.parametrize("value", _ODD, ids=[type(value).__name__ for value in _ODD])
def test_a_setting_of_another_kind_is_refused_by_its_name(reader: str, setting: str, value: object) -> None:
    read, data, _ = _READERS[reader]
    with pytest.raises(UsageError, match=rf"^(--)?{setting.replace('_', '.')}"):
        read(data, **{setting: value})
