"""Runs that lack topics: every command that takes runs asks what to do about it, and does it or refuses in a line."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from assay.cli import _loader, _parser, main
from assay.results.analysis import find, index
from assay.scoring.missing import Missing
from tests.laws.test_flags import BASE, DATA

RULES = get_args(Missing)
N_TOPICS, N_ANSWERED = 9, 6  # by all runs, and by the one that lacks some
ON_RUNS: dict[str, tuple[str, ...]] = {
    "disagreement": ("runs", "--qrels", "qrels", "-m", "AP", "-m", "RR", "--depth", "2"),
    "properties": ("runs", "--qrels", "qrels", "-m", "AP@3"),
    "population": ("runs", "--qrels", "qrels", "-m", "AP", "--subsample", "--samples", "2"),
    "subset": (*DATA, "--splits", "2", "--topics", "1"),
    "topics": DATA,
}


def taking_runs() -> list[str]:
    return [name for name in index() if _loader(find(name).function) is not None]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with four runs, one of which lacks the last topics."""
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for i in range(4):
        topics = range(N_ANSWERED if i == 3 else N_TOPICS)
        lines = [f"{t} Q0 d{(t * (i + 1) + r) % 7} {r} {9 - r} run{i}\n" for t in topics for r in range(4)]
        Path(f"runs/run{i}").write_text("".join(lines))
    Path("qrels").write_text("".join(f"{t} 0 d{d} {(d + t) % 3}\n" for t in range(N_TOPICS) for d in range(7)))
    Path("other").write_text("".join(f"{t} 0 d{d} {d * t % 3}\n" for t in range(N_TOPICS) for d in range(7)))


def test_every_command_that_takes_runs_asks_what_to_do_with_missing_topics() -> None:
    names = taking_runs()
    assert {"score", "power", "depth", "weights", "budget", "report", "glance"} <= set(names)
    for name in names:
        function = find(name).function
        flags = {a.dest: a for a in _parser(name, function, _loader(function), described=True)._actions}
        assert list(flags["missing"].choices or ()) == list(RULES), name
        assert flags["missing"].default is None, name  # what is usual depends on runs or scores
        assert "default: zero" in str(flags["missing"].help), name


def test_commands_without_runs_do_not_ask() -> None:
    for name in ("case", "simulate", "reproduce", "demo", "measures", "audit"):
        function = find(name).function
        assert "missing" not in {a.dest for a in _parser(name, function, _loader(function), described=False)._actions}


@pytest.mark.parametrize("command", taking_runs())
def test_every_command_takes_every_rule(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ON_RUNS.get(command, BASE.get(command, DATA))
    assert main([command, *words, "--missing", "fail"]) == 2
    refusal = capsys.readouterr().err
    assert refusal.startswith("assay: 3 lists missing, the first that of run 'run3' for topic 6; give all, or choose")
    assert refusal.count("\n") == 1
    for rule in ("pairwise", "common"):
        assert main([command, *words, "--missing", rule]) in (0, 1), (rule, capsys.readouterr().err)
        assert "run3 has 6 of 9 topics" in capsys.readouterr().out, rule
    chosen = [word for run in ("run0", "run1", "run2") for word in ("--select", run)]
    assert main([command, *words, *chosen, "--missing", "fail"]) in (0, 1), capsys.readouterr().err
