"""The tables of the page on formats: every command and every call in them is run, and gives the same scores."""

from __future__ import annotations

import json
import re
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from assay import Qrels, Runs, Scores, read_qrels, read_runs, score
from assay.cli import main
from tests import ROOT
from tests.builders.dense import Collection, collection
from tests.builders.formats import write_formats
from tests.test_docs import Reader, blocks

PAGE = ROOT / "docs" / "how-to" / "formats.md"
ROW = re.compile(r"^\| (.+?) \| (`.+?`|-) \| (`.+?`|-) \|$", re.MULTILINE)
NOT_HERE = {"ranx": "ranx.", "ir_datasets": "dataset", "ranx after evaluate": "evaluated_run"}


def cells(column: int) -> list[Any]:
    """The cells of one column, each with its section and format."""
    section, found = "", []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        section = line.removeprefix("## ") if line.startswith("## ") else section
        if (row := ROW.match(line)) and row[column] != "-":
            found.append(pytest.param(section, row[column].strip("`"), id=f"{section}: {row[1]}"))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run in all formats."""
    folder = tmp_path_factory.mktemp("formats")
    made: Collection = collection(n_runs=2, n_topics=5, n_docs=40)
    made.write(folder)
    with pytest.MonkeyPatch.context() as here:
        here.chdir(folder)
        words = ["score", "runs", "--qrels", "qrels.txt", "-m", "AP", "--per-topic", "-o", "scores.csv"]
        assert main(words) == 0
        write_formats("runs/run01.gz", "qrels.txt", "scores.csv")
    return folder


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, float]:
    """AP of the two runs, as read from TREC files."""
    scores = score(read_runs(folder / "runs"), read_qrels(folder / "qrels.txt"), ["AP"])
    return dict(zip(scores.runs, scores.mean()[0].tolist(), strict=True))


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def check(section: str, means: dict[str, float], expected: dict[str, float]) -> None:
    """Compare with what TREC files give; other tools' own files hold other things."""
    if "run01" in means or section != "Scores":
        wanted = expected if section == "Scores" else {next(iter(means)): expected["run01"]}
        assert means == {run: pytest.approx(value, abs=1e-12) for run, value in wanted.items()}
    elif means.keys() == {"bm25"}:
        assert means == {"bm25": pytest.approx(expected["run01"], abs=1e-12)}
    else:
        assert means


@pytest.mark.parametrize(("section", "command"), cells(2))
def test_every_command_of_the_tables_reads_its_file(
    section: str, command: str, expected: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.split(command)
    assert words[0] == "assay"
    assert main([*words[1:], "--format", "json"]) == 0, capsys.readouterr().err
    table = json.loads(capsys.readouterr().out)["tables"]["long"]
    check(section, {row["run"]: row["mean"] for row in table}, expected)


@pytest.mark.filterwarnings("ignore")  # of packages that are not ours
@pytest.mark.parametrize(("section", "call"), cells(3))
def test_every_call_of_the_tables_reads_its_object(section: str, call: str, expected: dict[str, float]) -> None:
    reader = Reader()
    for block in blocks(PAGE):
        reader.do(block)
    names = reader.names | _other_tools(call, reader.names)
    read = eval(compile(call, "page", "eval"), names)
    if isinstance(read, Qrels):
        scores = score("run.txt", read, ["AP"])
    else:
        scores = score(read, "qrels.txt", ["AP"]) if isinstance(read, Runs) else read
    assert isinstance(scores, Scores)
    check(section, dict(zip(scores.runs, scores.mean()[0].tolist(), strict=True)), expected)


def _other_tools(call: str, names: dict[str, Any]) -> dict[str, Any]:
    """What a call needs of packages that only `make test-full` installs; without them it is skipped."""
    package = next((name.split()[0] for name, word in NOT_HERE.items() if word in call), None)
    if package is None:
        return {}
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    tool = import_module(package)
    if package == "ir_datasets":
        return {"dataset": _dataset(tool)}
    run = tool.Run(names["by_topic"], name="bm25")
    tool.evaluate(tool.Qrels(names["graded"]), run, ["map"])
    return {"ranx": tool, "evaluated_run": run}


def _dataset(package: Any) -> Any:
    local = package.util.LocalDownload
    return package.datasets.base.Dataset(
        package.formats.TrecQrels(local("qrels.txt"), {}), package.formats.TrecScoredDocs(local("run.txt"))
    )


def test_the_tables_have_all_formats_and_no_cell_that_is_not_run() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rows = [line for line in lines if not line.startswith("| format |")]
    assert all(map(ROW.match, rows))
    assert len(rows) > 35
    text = "\n".join(rows)
    for name in ("Excel", "BEIR", "MS MARCO", "PyTerrier", "ranx", "ir_measures", "ir_datasets", "MTEB", "ragas"):
        assert name in text
    assert len(cells(2)) + len(cells(3)) == text.count("`assay ") + text.count("`read_")
