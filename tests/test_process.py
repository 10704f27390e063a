"""The command among others: streams that are closed, terminals that know ASCII only, and signals that end it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.cli import main

RUN = "1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n2 Q0 b 1 9 x\n2 Q0 a 2 8 x\n"
QRELS = "1 0 a 2\n1 0 b 0\n2 0 a 1\n"
SCORE = ("score", "x", "--qrels", "qrels", "-m", "AP", "--format", "csv")
MEANS = "rank,run,AP,low,high\n1,x,0.75,"
FLAGS = ("--n-runs", "6", "--n-topics", "5", "--n-docs", "3000", "--n-relevant", "30", "--depth", "60")
WAITING = """
import time
from pathlib import Path
from assay import Result, analysis
import polars as pl

@analysis(name="wait", group="make")
def wait() -> Result:
    "Does it end?"
    Path("started").touch()
    time.sleep(60)
    return Result("wait", pl.DataFrame())
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("x").write_text(RUN)
    Path("qrels").write_text(QRELS)
    return tmp_path


def shell(line: str, *words: str) -> tuple[int, str, str]:
    """Run the command in a shell, with what the line adds to it: code, standard output, standard error."""
    whole = ["bash", "-c", f'"$@" {line}', "bash", sys.executable, "-m", "assay", *words]
    done = subprocess.run(whole, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def test_a_closed_standard_error_loses_errors_but_neither_answers_nor_codes() -> None:
    code, out, _ = shell("2>&-", *SCORE)
    assert code == 0
    assert out.startswith(MEANS)
    assert shell("2>&-", "score", "nowhere", "--qrels", "qrels") == (2, "", "")


def test_a_closed_standard_output_is_one_line_unless_nothing_is_printed() -> None:
    said = "assay: standard output is closed; open it, or write to a file by -o\n"
    assert shell(">&-", *SCORE) == (2, "", said)
    assert shell(">&-", "--help") == (2, "", said)
    assert shell(">&-", *SCORE, "-o", "out.csv") == (0, "", "")
    assert Path("out.csv").read_text().startswith(MEANS)
    assert shell(">&-", "score", "nowhere", "--qrels", "qrels") == (2, "", "assay: nowhere: no such file\n")


def test_a_closed_standard_input_is_one_line_if_it_is_read() -> None:
    assert shell("<&-", "score", "-", "--qrels", "qrels") == (2, "", "assay: -: standard input is closed\n")
    assert shell("<&-", *SCORE)[0] == 0


def test_with_all_streams_closed_a_file_gets_the_answer_and_nothing_else() -> None:
    assert shell("<&- >&- 2>&-", *SCORE, "-o", "out.csv") == (0, "", "")
    assert Path("out.csv").read_text().startswith(MEANS)
    assert Path("out.csv").read_text().count("\n") == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")
def test_full_devices_behind_the_streams_are_one_line_or_none() -> None:
    assert shell("2>/dev/full", "score", "nowhere", "--qrels", "qrels") == (2, "", "")
    assert shell(">/dev/full", *SCORE) == (2, "", "assay: no space left on device\n")
    assert shell(">/dev/full 2>/dev/full", *SCORE) == (2, "", "")


ALL_FORMATS = """
import sys
from assay.cli import main
for form in ("table", "csv", "latex", "markdown", "trec_eval", "json"):
    assert main([*sys.argv[1:], "--format", form]) == 0
    print("---", flush=True)
"""


@pytest.mark.parametrize(
    "surroundings",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
    ids=["encoding", "locale"],
)
def test_a_terminal_that_knows_ascii_only_gets_names_spelled_out(surroundings: dict[str, str]) -> None:
    environment = os.environ | surroundings
    Path("other").write_text(RUN.replace(" x\n", " caf\u00e9\n"), encoding="utf-8")
    words = ("score", "other", "--qrels", "qrels", "-m", "AP")
    done = subprocess.run(
        [sys.executable, "-c", ALL_FORMATS, *words], capture_output=True, check=True, env=environment
    )
    assert done.stderr == b""
    *texts, data, _ = done.stdout.decode("ascii").split("---\n")
    assert len(texts) == 5
    assert all("xe9" in text for text in texts)
    assert json.loads(data)["table"][0]["run"] == "caf\u00e9"


def test_errors_and_tables_on_an_ascii_terminal_are_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    Path("other").write_text(RUN.replace(" x\n", " caf\u00e9\n"), encoding="utf-8")
    assert shell("", "score", "n\u00e9", "--qrels", "qrels")[2] == "assay: n\\xe9: no such file\n"
    ours, theirs = pty.openpty()
    words = ("score", "other", "--qrels", "qrels", "-m", "AP")
    subprocess.run([sys.executable, "-m", "assay", *words], stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 65536).decode("ascii")
    os.close(ours)
    assert "caf\\xe9" in shown


def started(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "assay", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for(process: subprocess.Popen[bytes], pattern: str) -> None:
    """Wait until the command has made a file or a folder."""
    while not list(Path().glob(pattern)):
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, "assay: interrupted\n"),
        (signal.SIGTERM, 143, "assay: terminated\n"),
        (signal.SIGHUP, 129, "assay: terminated, the terminal is gone\n"),
    ],
)
def test_a_signal_ends_the_command_with_one_line(number: signal.Signals, code: int, said: str) -> None:
    Path("waiting.py").write_text(WAITING)
    process = started("wait", "--declare", "waiting.py", "-o", "out.json")
    wait_for(process, "started")
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.decode()) == (code, b"", said)
    assert not Path("out.json").exists()


def test_a_signal_that_is_to_be_ignored_is_ignored() -> None:
    Path("waiting.py").write_text(WAITING.replace("time.sleep(60)", "time.sleep(2)"))
    words = [sys.executable, "-m", "assay", "wait", "--declare", "waiting.py"]
    process = subprocess.Popen(["nohup", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(process, "started")
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=30)
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_collection_that_is_being_written_when_a_signal_comes_is_not_seen(number: signal.Signals) -> None:
    subprocess.run([sys.executable, "-m", "assay", "simulate", "made", *FLAGS], stdout=subprocess.DEVNULL, check=True)
    before = {file: file.read_bytes() for file in Path("made").rglob("*") if file.is_file()}
    for place in ("made", "new"):
        process = started("simulate", place, *FLAGS, "--rng", "1", "--truth-topics", "20000")
        wait_for(process, ".assay-*")
        process.send_signal(number)
        process.communicate(timeout=60)
        assert process.returncode != 0
        if number != signal.SIGKILL:
            assert not list(Path().glob(".assay-*"))
        for i, rest in enumerate(Path().glob(".assay-*")):
            rest.rename(f".rest-{place}-{i}")
    assert {file: file.read_bytes() for file in Path("made").rglob("*") if file.is_file()} == before
    assert not Path("new").exists()
    assert len(list(Path().glob(".rest-*"))) == 2 * (number == signal.SIGKILL)
    assert main(["simulate", "new", *FLAGS]) == 0  # what a killed process leaves is hidden, and in nobody's way


SLOW_WRITER = """
import os, signal, sys
from pathlib import Path
from assay.core.process import Terminated, surroundings
from assay.data import outputs

def replace(self, target):
    os.kill(os.getpid(), int(sys.argv[1]))
    raise AssertionError("a signal was lost")

Path.replace = replace
unlink = Path.unlink

def remove(self, missing_ok=False):
    os.kill(os.getpid(), signal.SIGTERM)  # a second signal, while the first one is dealt with
    unlink(self, missing_ok)

Path.unlink = remove
with surroundings():
    outputs.write_files([("page", b"new"), ("data", b"new")])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_between_writing_and_moving_leaves_the_old_files_and_nothing_else(number: signal.Signals) -> None:
    Path("page").write_bytes(b"old")
    before = sorted(file.name for file in Path().iterdir())
    done = subprocess.run(
        [sys.executable, "-c", SLOW_WRITER, str(int(number))], capture_output=True, text=True, check=False
    )
    assert "Terminated" in done.stderr.splitlines()[-1]
    assert Path("page").read_bytes() == b"old"
    assert sorted(file.name for file in Path().iterdir()) == before


WRITER = """
from assay.data.outputs import write_bytes
for i in range(10**9):
    write_bytes("out", bytes([65 + i % 2]) * 3_000_000)
"""


def test_a_file_is_whole_whenever_the_process_is_killed() -> None:
    for pause in (0.0, 0.003, 0.01, 0.02, 0.05):
        process = subprocess.Popen([sys.executable, "-c", WRITER])
        while not Path("out").exists():
            time.sleep(0.001)
        time.sleep(pause)
        process.kill()
        process.wait()
        data = Path("out").read_bytes()
        assert data in (b"A" * 3_000_000, b"B" * 3_000_000)
        Path("out").unlink()
