"""Law: every command answers within a screen, and its last line names what else there is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import cli
from assay.render.docstrings import documentation
from assay.render.screen import LINES, WIDTH, answer_of, heading, more, statements
from assay.render.text import plain
from assay.results.analysis import index
from assay.results.result import Report, Result
from tests.builders.dense import collection

ROWS = 5  # that are seen of a larger table, at least
ON_DATA: dict[str, str] = {
    "glance": "",
    "score": "-m AP -m nDCG@10 -m RR",
    "compare": "-m AP -m nDCG@10 -m RR",
    "judges": "-m nDCG@10 -m AP --splits 20",
    "budget": "--splits 20",
    "topics": "-m AP -m RR --width 0.1",
    "power": "-m AP -m nDCG@10 -m RR",
    "agreement": "",
    "depth": "-m AP -m P --depth 5,10,20 --pool-depth 5,10",
    "reuse": "--pool-depth 5",
    "standardize": "-m AP -m RR",
    "predictivity": "-m AP -m nDCG@10 -m RR -m P@10 --splits 40",
    "swap": "-m AP -m RR --splits 20",
    "subset": "-m AP -m RR --splits 20",
    "reliability": "-m AP -m RR",
    "weights": "--depth 5",
    "error": "--resamples 20",
    "informativeness": "-m AP -m P@5 --lists 20",
    "disagreement": "-m AP -m RR -m P --depth 5 --n-rel 5",
    "properties": "-m AP -m RR -m P --depth 5 --n-rel 5",
    "report": "-m AP -m RR --sections power,score",
}
WITHOUT_DATA: dict[str, str] = {
    "case": "1100010000 1000101100 --n-rel 10",
    "population": "--halvings 1-2",
    "audit": "--n-topics 10 --mean 1.0 --against 0.7",
    "simulate": "made --n-runs 6 --n-topics 10 --n-docs 500 --truth-topics 40",
    "reproduce": "jones2015",
}
NO_SCREEN = {"measures", "demo"}  # a catalogue, all of which is the answer; and a report with its files
SMALL = [*ON_DATA, *WITHOUT_DATA]


def asked(name: str, words: list[str]) -> Result:
    """Ask a command as the shell does, and return what it would print."""
    answers: list[Result] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "_deliver", lambda result, *_: answers.append(result))
        assert cli.main([name, *words]) in (0, 1)
    return answers[0]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The words that name a small collection."""
    folder = tmp_path_factory.mktemp("data")
    runs, qrels = collection(n_runs=12, n_topics=16, n_docs=80, rng=1).write(folder)
    lines = [line.split() for line in qrels.read_text().splitlines()]
    second = [" ".join([*words[:3], str(i % 2)]) for i, words in enumerate(lines)]
    (folder / "second").write_text("\n".join(second))
    return [str(runs), "--qrels", str(qrels), "--qrels", f"second={folder / 'second'}"]


@pytest.fixture(scope="module", params=SMALL)
def result(
    request: pytest.FixtureRequest, small: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Result]:
    """What each command answers."""
    name: str = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("here"))
        yield asked(name, [*(small if name in ON_DATA else []), *(ON_DATA | WITHOUT_DATA)[name].split()])


def on_screen(text: str) -> list[str]:
    """The lines of a text as a screen breaks them."""
    return [line[i * WIDTH :] for line in text.split("\n") for i in range(max(1, math.ceil(len(line) / WIDTH)))]


def check_screen(result: Result) -> None:
    """The answer, in words and at least a few rows of its table, is within a screen, after a short header."""
    text, header = plain(result), heading(result)
    lines = on_screen(text)
    assert len(header) <= 2
    assert all(len(line) <= WIDTH for line in header)
    assert text.split("\n")[: len(header)] == header
    if isinstance(result, Report):  # whose words are its verdict
        return
    assert "\n".join(statements(result)) in text
    _, table = answer_of(result)
    columns = next(i for i, line in enumerate(lines) if line and set(line.split()) <= set(table.columns))
    end = lines.index("", columns) if "" in lines[columns:] else len(lines)
    assert columns + 1 + min(ROWS, table.height) <= LINES
    assert end <= LINES or end - columns - 1 <= ROWS + 1
    assert all(len(line) <= WIDTH for line in text.split("\n") if line in lines[columns:end])
    if end - columns - 1 < table.height:
        assert f"of {table.height:,} rows" in lines[end - 1]


def check_rest(result: Result) -> None:
    """The last line names every table that is not shown, and help describes each."""
    last = plain(result).split("\n")[-1]
    assert last == more(result)
    if isinstance(result, Report):
        return
    name, _ = answer_of(result)
    other = {*result.tables, result.analysis} - {name, *({result.analysis} if name == result.analysis else ())}
    assert all(f"--table {one} (" in last for one in other)
    described = documentation(result.analysis).tables
    assert "NAME" in described or result.tables.keys() <= described.keys()


def test_every_command_is_tried() -> None:
    assert {*SMALL, *NO_SCREEN} == set(index())


def test_the_answer_is_within_a_screen(result: Result) -> None:
    check_screen(result)


def test_the_last_line_names_what_else_there_is(result: Result) -> None:
    check_rest(result)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ON_DATA if name != "report"])
def test_the_answer_on_trec_8_is_within_a_screen(name: str, data: Path) -> None:
    folder = data / "trec8-adhoc"
    words = [str(folder / "runs"), "--qrels", str(folder / "qrels.gz")]
    second = ["--qrels", f"shallow={data / 'trec8-extras' / 'depth10.qrels.gz'}"]
    found = asked(name, words + (second if name == "judges" else []))
    check_screen(found)
    check_rest(found)


@pytest.mark.parametrize("name", ["score", "power", "report"])
def test_a_wrong_table_is_refused_before_a_file_is_read(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name, "nowhere", "--qrels", "nowhere", "--table", "pair"]) == 2
    assert "no table 'pair'" in capsys.readouterr().err
    inner = "power.pairs" if name == "report" else "score"
    assert cli.main([name, "nowhere", "--qrels", "nowhere", "--table", inner]) == 2
    assert ("no table" in capsys.readouterr().err) == (name == "power")
