"""Where data came from: commands spelled out again, paths that others may see, hashes of what was read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.core.progress import shown, steps
from assay.data.judged import Collection
from assay.data.provenance import Origin, shown_path, spelled, taken
from assay.scoring.loaders import collection
from assay.scoring.scores import Scores

RUN = "1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n"


def asks(
    runs: Sequence[str] = (), *, measure: Sequence[str] = (), pool_depth: int | None = None, fast: bool = False
) -> None:
    """Take every kind of parameter that a command has."""


def test_options_are_spelled_as_they_are_typed() -> None:
    options = {"runs": ["a", "b"], "measure": ("AP", "RBP(p=0.8)"), "pool_depth": 10, "fast": True, "other": 1}
    assert spelled(asks, options) == ["a", "b", "-m", "AP", "-m", "RBP(p=0.8)", "--pool-depth", "10", "--fast"]


def test_what_is_as_by_default_is_not_spelled() -> None:
    assert spelled(asks, {"runs": [], "measure": (), "pool_depth": None, "fast": False}) == []


def test_a_function_is_given_only_what_it_takes() -> None:
    assert taken(asks, {"fast": True, "slow": False}) == {"fast": True}


def test_a_path_outside_the_working_directory_is_shown_by_its_last_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown_path(str(tmp_path / "runs" / "x.gz")) == "runs/x.gz"
    assert shown_path("/somewhere/else/qrels.txt") == "qrels.txt"
    assert shown_path("../runs") == "../runs"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "far").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "far" / "x").write_text(RUN)
    (tmp_path / "work" / "qrels").write_text("1 0 a 1\n")
    return tmp_path


def test_what_was_read_is_known_by_its_words_and_hashes(files: Path) -> None:
    found = collection([str(files / "far")], qrels="qrels", ties="file")
    assert isinstance(found, Collection)
    assert found.origin.words() == ("far", "--qrels", "qrels", "--ties", "file")
    assert found.origin.hashes() == [
        ("x", len(RUN), hashlib.sha256(RUN.encode()).hexdigest()),
        ("qrels", 8, hashlib.sha256(b"1 0 a 1\n").hexdigest()),
    ]


def test_scores_of_another_tool_know_their_file(files: Path) -> None:
    Path("s.csv").write_text("run,topic,measure,value\nx,1,AP,0.5\n")
    found = collection(scores="s.csv")
    assert isinstance(found, Scores)
    assert found.origin.words() == ("--scores", "s.csv")
    assert [name for name, _, _ in found.origin.hashes()] == ["s.csv"]


def test_paths_of_this_machine_are_taken_out_of_what_is_said(files: Path) -> None:
    far = str(files / "far" / "x")
    origin = Origin(files=(far, "qrels"))
    assert origin.redact(f"{far}: 3 documents twice; also in {files / 'far'}") == "x: 3 documents twice; also in far"
    assert origin.redact("qrels: fine") == "qrels: fine"


def test_a_library_is_silent_and_a_command_says_what_it_does(capfd: pytest.CaptureFixture[str]) -> None:
    assert list(steps(["power", "depth"])) == ["power", "depth"]
    assert capfd.readouterr().err == ""
    with shown():
        assert list(steps(["power", "de\x1b[31mpth"])) == ["power", "de\x1b[31mpth"]
        assert list(steps(["runs/x"], doing="reading ", lines=False)) == ["runs/x"]
    assert capfd.readouterr().err == "power (1 of 2)\nde\\x1b[31mpth (2 of 2)\n"
