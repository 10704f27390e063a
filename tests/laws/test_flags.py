"""Every flag of every command with what nobody should give it: one line and code 2, or an answer; nothing else.

A value is of the wrong type, negative, huge, not a number, empty, or given twice. Where the type of a flag says that
it is wrong, it must be refused by a line that names the flag; elsewhere it may mean something.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.cli import _loader, _parser, main
from assay.results.analysis import find, index

HUGE, ENDLESS = "9" * 30, "9" * 5000
WRONG_NUMBER = ("", " ", "word", "nan", "inf", "-inf", "1e999", "0x10", "1_000", "\u0663", ENDLESS, "--")
WRONG_WHOLE = (*WRONG_NUMBER, "1.5", "1e3")
WRONG_WORD = (" ", "word", "-1", "nan", HUGE, ENDLESS, "\udcff", "--")
DOUBTFUL = {
    "_number": ("-1", "0", "1e300", "1e-300"),
    "_whole": ("-1", "0", HUGE, "9223372036854775808"),
    "str": ("word", "\udcff", ENDLESS, "-1", "--", " ", "0", "nan", HUGE, "=1+1", "a,b=c", "/dev/zero", "."),
}
"""What may mean something; the first three of each are tried in every test, the others in the slow one."""
SLOW = {"demo"}  # where what is not refused takes too long for a test
SHARED = "power"  # the command by which the flags of all data are tried

DATA = ("runs", "--qrels", "qrels", "-m", "AP")
BASE: dict[str, tuple[str, ...]] = {
    "glance": ("runs", "--qrels", "qrels"),
    "agreement": (*DATA, "-m", "RR"),
    "measures": (),
    "topics": (*DATA, "--cost-per-judgment", "1"),
    "judges": (*DATA, "--qrels", "model=other", "--splits", "2", "--budget", "2"),
    "audit": ("--n-topics", "10", "--mean", "0.5", "--against", "0.4"),
    "budget": (*DATA, "--splits", "2", "--budget", "100"),
    "weights": ("runs", "--qrels", "qrels", "--depth", "2", "--draws", "1", "--resamples", "2", "--cutoffs", "1,2"),
    "error": (*DATA, "--resamples", "2"),
    "informativeness": (*DATA, "--lists", "3"),
    "disagreement": ("-m", "AP", "-m", "RR", "--depth", "2", "--n-rel", "2"),
    "case": ("110", "011"),
    "properties": ("-m", "AP", "--depth", "2", "--n-rel", "2"),
    "population": ("--n-rel", "8", "--n-nonrel", "50", "--samples", "2", "--populations", "1", "--halvings", "1"),
    "simulate": ("made", "--n-runs", "2", "--n-topics", "2", "--n-docs", "50", "--n-relevant", "3", "--depth", "5"),
    "reproduce": ("webber2008",),
    "report": ("runs", "--qrels", "qrels", "-m", "AP", "-m", "RR", "--fast", "--sections", "glance"),
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
    Path("other").write_text("".join(f"{t} 0 d{d} {d * t % 3}\n" for t in range(6) for d in range(7)))
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


def kind_of(action: argparse.Action) -> str:
    return "choice" if action.choices is not None else getattr(action.type, "__name__", "str")


def refused(action: argparse.Action) -> tuple[str, ...]:
    """Values that the type of a flag says are wrong; a word without a flag may be left empty."""
    match kind_of(action):
        case "choice":
            return ("", *WRONG_WORD) if action.option_strings else WRONG_WORD[:-1]
        case "_number":
            return WRONG_NUMBER
        case "_whole":
            return WRONG_WHOLE
    return ("",) if action.option_strings and action.nargs != 0 else ()


def doubtful(action: argparse.Action, *, thorough: bool) -> tuple[str, ...]:
    """Values that may mean something."""
    values = DOUBTFUL.get(kind_of(action), ()) if action.nargs != 0 else ()
    return values if thorough else values[:3]


def spelled(action: argparse.Action, value: str) -> list[str]:
    return [f"{action.option_strings[-1]}={value}"] if action.option_strings else [value]


Answer = Callable[..., str]


@pytest.fixture
def problem(capfd: pytest.CaptureFixture[str]) -> Answer:
    """Call the command; say what is not as it should be."""

    def call(words: list[str], *, naming: argparse.Action | None = None) -> str:
        """With `naming`, the words must be refused, by a line that names this flag."""
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
            names = [] if naming is None else [*naming.option_strings, naming.dest, str(naming.metavar)]
            one_line = err.startswith("assay: ") and err.count("\n") == 1 and len(err) < 2000
            fine = one_line and not out and after == before and (not names or any(name in err for name in names))
            return "" if fine else f"{out[:80]!r} {err[:200]!r} {after - before}"
        return f"code {code}, though it is wrong" if naming or code not in (0, 1) else ""

    return call


def listing() -> set[str]:
    return {str(file) for file in Path().iterdir()}


@pytest.mark.parametrize("command", list(index()))
def test_a_value_of_the_wrong_type_is_one_line_that_names_the_flag(command: str, problem: Answer) -> None:
    wrong = []
    for action in actions(command):
        for value in refused(action):
            words = [command, *base(command, action), *spelled(action, value)]
            if said := problem(words, naming=action):
                wrong.append(f"{' '.join(words)[:150]!r}: {said}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("command", [name for name in index() if name not in SLOW])
@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_value_that_may_be_wrong_is_one_line_or_an_answer(command: str, problem: Answer, *, thorough: bool) -> None:
    wrong = []
    for action in tried(command):
        for value in doubtful(action, thorough=thorough):
            words = [command, *base(command, action), *spelled(action, value)]
            if said := problem(words):
                wrong.append(f"{' '.join(words)[:150]!r}: {said}")
    assert not wrong, "\n".join(wrong)


def test_all_flags_are_tried_and_most_can_be_refused() -> None:
    every = [action for command in index() for action in actions(command)]
    assert {kind_of(action) for action in every} >= {"choice", "_number", "_whole", "str"}
    assert all(refused(action) for action in every if action.option_strings and action.nargs != 0)
    assert {a.dest for command in index() for a in tried(command)} == {action.dest for action in every}


@pytest.mark.parametrize("command", list(index()))
def test_a_flag_given_twice_is_one_line(command: str, problem: Answer) -> None:
    wrong = []
    for action in actions(command):
        if action.default == [] or not action.option_strings:  # what repeats, repeats
            continue
        kind = getattr(action.type, "__name__", "str")
        value = next(iter(action.choices or ()), {"_number": "0.5", "_whole": "1"}.get(kind, "x.json"))
        words = [action.option_strings[-1] + (f"={value}" if action.nargs != 0 else "")] * 2
        if said := problem([command, *base(command, action), *words], naming=action):
            wrong.append(f"{command} {words}: {said}")
    assert not wrong, "\n".join(wrong)


def test_every_command_works_as_it_is_tried() -> None:
    """Else all of the above would be refused for another reason."""
    for command in index():
        if command not in SLOW:
            assert main([command, *BASE.get(command, DATA)]) in (0, 1), command
            shutil.rmtree("made", ignore_errors=True)
