"""The command as people use it: in an empty folder, with a few files in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main

Ask = Callable[..., dict[str, Any]]
Refusal = Callable[..., str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Run a command that must succeed, and return its answer."""

    def answer(*words: str) -> dict[str, Any]:
        code = main([*words, "--format", "json"])
        said = capsys.readouterr()
        assert code == 0, said.err
        return dict(json.loads(said.out))

    return answer


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Refusal:
    """Run a command that must be refused in one line with code 2, and return the line."""

    def line(*words: str) -> str:
        assert main(list(words)) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        return said.err.removeprefix("assay: ").rstrip("\n")

    return line


def means(answer: dict[str, Any]) -> dict[tuple[str, str], float]:
    """The means of `score`, by run and measure."""
    return {(row["run"], row["measure"]): row["mean"] for row in answer["tables"]["long"]}


def severities(answer: dict[str, Any]) -> dict[str, str]:
    """The severity of each note of an answer, by its code."""
    return {note["code"]: note["severity"] for note in answer["notes"]}
