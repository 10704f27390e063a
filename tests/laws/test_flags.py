"""Every flag of every command with what nobody should give it: one line and code 2, or an answer; nothing else.

A value is of the wrong type, negative, huge, not a number, empty, or given twice. Where the type of a flag says that
it is wrong it must be refused; elsewhere it may mean something.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.cli import _loader, _parser, main
from assay.results.analysis import find, index

HUGE, ENDLESS = "9" * 30, "9" * 5000
WRONG_TEXT = ("", " ", "word", "-1", "0", "nan", HUGE, ENDLESS, "\udcff", "=1+1", "a,b=c", "/dev/zero", ".", "--")
WRONG_NUMBER = ("", " ", "word", "nan", "inf", "-inf", "1e400", "0x10", ENDLESS, "--")
DOUBTFUL_NUMBER = ("-1", "0", "1e-300", "1e300")
WRONG_WHOLE = (*WRONG_NUMBER, "1.5", "1e3")
DOUBTFUL_WHOLE = ("-1", "0", HUGE, "1_0")
SLOW = {"demo"}  # where what is not refused takes too long for a test
SHARED = "power"  # the command by which the flags of all data are tried

DATA = ("runs", "--qrels", "qrels", "-m", "AP")
BASE: dict[str, tuple[str, ...]] = {
    "glance": ("runs", "--qrels", "qrels"),
    "agreement": (*DATA, "-m", "RR"),
    "measures": (),
    "topics": (*DATA, "--splits", "2", "--budget", "100"),
    "weights": ("runs", "--qrels", "qrels", "--depth", "2", "--draws", "1", "--resamples", "2", "--cutoffs", "1,2"),
    "error": (*DATA, "--resamples", "2"),
    "informativeness": (*DATA, "--lists", "3"),
    "disagreement": ("-m", "AP", "-m", "RR", "--depth", "2", "--n-rel", "2"),
    "case": ("110", "011"),
    "properties": ("-m", "AP", "--depth", "2", "--n-rel", "2"),
    "population": ("--n-rel", "8", "--n-nonrel", "50", "--samples", "2", "--populations", "1", "--halvings", "1"),
    "simulate": ("made", "--n-runs", "2", "--n-topics", "2", "--n-docs", "50", "--n-relevant", "3", "--depth", "5"),
    "reproduce": ("webber2008",),
    "report": ("runs", "--qrels", "qrels", "-m", "AP", "-m", "RR", "--fast"),
    "demo": (),
    "predictivity": (*DATA, "-m", "RR", "--splits", "4"),
    "swap": (*DATA, "--splits", "2"),
    "subset": (*DATA, "--splits", "2", "--topics", "1"),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with four runs and their judgments."""
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for i in range(4):
        lines = [f"{t} Q0 d{(t * (i + 1) + r) % 7} {r} {9 - r} run{i}\n" for t in range(6) for r in range(4)]
        Path(f"runs/run{i}").write_text("".join(lines))
    Path("qrels").write_text("".join(f"{t} 0 d{d} {(d + t) % 3}\n" for t in range(6) for d in range(7)))
    return tmp_path


def actions(command: str) -> list[argparse.Action]:
    function = find(command).function
    return [a for a in _parser(command, function, _loader(function), described=False)._actions if a.dest != "help"]


def shared() -> set[str]:
    """The flags that most commands have: they are tried with one of them."""
    return {a.dest for a in actions("glance")} | {"undefined", "missing", "contributors", "top", "drop", "by"}


def tried(command: str) -> list[argparse.Action]:
    everywhere = shared() if command not in (SHARED, "glance") else set()
    return [a for a in actions(command) if a.dest not in everywhere or not a.option_strings]


def base(command: str, without: argparse.Action) -> list[str]:
    """The words of a command that works, without a flag."""
    words = list(BASE.get(command, DATA))
    for flag in without.option_strings:
        while flag in words:
            at = words.index(flag)
            del words[at : at + 1 + (without.nargs != 0)]
    return words if without.option_strings else words[len(_positionals(words)) :]


def _positionals(words: list[str]) -> list[str]:
    at = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    return words[:at]


def attempts(action: argparse.Action) -> Iterator[tuple[str, bool]]:
    """Values for a flag, and whether each must be refused."""
    kind = getattr(action.type, "__name__", "str")
    if action.choices is not None:
        yield from ((value, value != "--" or action.option_strings != []) for value in WRONG_TEXT if value != "")
        yield "", bool(action.option_strings)
    elif kind in ("_number", "_whole"):
        yield from ((value, True) for value in (WRONG_NUMBER if kind == "_number" else WRONG_WHOLE))
        yield from ((value, False) for value in (DOUBTFUL_NUMBER if kind == "_number" else DOUBTFUL_WHOLE))
    elif action.nargs != 0:
        yield from ((value, False) for value in WRONG_TEXT)


def spelled(action: argparse.Action, value: str) -> list[str]:
    return [f"{action.option_strings[-1]}={value}"] if action.option_strings else [value]


Answer = Callable[..., str]


@pytest.fixture
def problem(capfd: pytest.CaptureFixture[str]) -> Answer:
    """Call the command; say what is not as it should be."""

    def call(words: list[str], *, refused: bool) -> str:
        before = listing()
        try:
            code = main(words)
        except Exception as caught:  # a traceback is our bug
            capfd.readouterr()
            return f"{type(caught).__name__}: {caught}"
        out, err = capfd.readouterr()
        after = listing()
        for name in after - before:
            shutil.rmtree(name) if Path(name).is_dir() else Path(name).unlink(missing_ok=True)
        if code == 2:
            one_line = err.startswith("assay: ") and err.count("\n") == 1 and len(err) < 2000
            return "" if one_line and not out and after == before else f"{out[:80]!r} {err[:200]!r} {after - before}"
        return f"code {code}, though it is wrong" if refused or code not in (0, 1) else ""

    return call


def listing() -> set[str]:
    return {str(file) for file in Path().iterdir()}


@pytest.mark.parametrize("command", list(index()))
def test_a_wrong_value_is_one_line_or_an_answer(command: str, problem: Answer) -> None:
    wrong = []
    for action in tried(command):
        for value, refused in attempts(action):
            if command in SLOW and not refused:
                continue
            words = [command, *base(command, action), *spelled(action, value)]
            if said := problem(words, refused=refused):
                wrong.append(f"{' '.join(words)[:150]!r}: {said}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("command", list(index()))
def test_a_flag_given_twice_is_one_line(command: str, problem: Answer) -> None:
    wrong = []
    for action in actions(command):
        if action.default == [] or not action.option_strings:  # what repeats, repeats
            continue
        kind = getattr(action.type, "__name__", "str")
        value = next(iter(action.choices or ()), {"_number": "0.5", "_whole": "1"}.get(kind, "x.json"))
        words = [action.option_strings[-1] + (f"={value}" if action.nargs != 0 else "")] * 2
        if said := problem([command, *base(command, action), *words], refused=True):
            wrong.append(f"{command} {words}: {said}")
    assert not wrong, "\n".join(wrong)


def test_every_command_works_as_it_is_tried() -> None:
    """Else all of the above would be refused for another reason."""
    for command in index():
        if command not in SLOW:
            assert main([command, *BASE.get(command, DATA)]) in (0, 1), command
            shutil.rmtree("made", ignore_errors=True)
