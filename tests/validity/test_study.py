"""The study counts right: intervals of known coverage, a sentence that is false as often as it was made to be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench.validity import study
from bench.validity.checks import INTERVALS
from bench.validity.study import Part, parts, run_part, table
from bench.validity.truths import Truth

NORMAL = Truth(
    "normal",
    ("AP", "RR"),
    np.random.default_rng(1).normal(0.5, 0.1, size=(2, 12, 4000)) + np.arange(12)[:, None] / 50,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parts of a study on normal scores."""
    where = tmp_path_factory.mktemp("validity")
    for part in _parts():
        run_part(part, NORMAL, 30, where)
    return where


def _parts() -> list[Part]:
    return [part for part in parts(["normal"], [30]) if part.analysis in ("score", "power")]


def test_t_intervals_of_normal_scores_hold_the_mean_in_95_percent(folder: Path) -> None:
    found = table(_parts(), {"normal": NORMAL}, folder)
    mean = found.filter(what="score: mean").row(0, named=True)
    assert mean["rate"] == pytest.approx(0.95, abs=0.03)
    assert mean["said"] == 1.0
    assert 0 < mean["error"] < 0.02
    assert mean["lowest"] <= mean["rate"]


def test_no_significant_pair_is_in_the_wrong_order(folder: Path) -> None:
    found = table(_parts(), {"normal": NORMAL}, folder).filter(what="different_runs").row(0, named=True)
    assert found["said"] == 1.0
    assert found["rate"] <= 0.1


def test_what_was_done_is_kept_and_a_longer_study_begins_like_a_shorter_one(folder: Path, tmp_path: Path) -> None:
    part = next(part for part in _parts() if part.analysis == "score")
    stored = folder / f"{part.name}.json"
    before = stored.stat().st_mtime_ns
    run_part(part, NORMAL, 30, folder)
    assert stored.stat().st_mtime_ns == before
    run_part(part, NORMAL, 3, tmp_path)
    few = json.loads((tmp_path / stored.name).read_text())["rows"]["score: mean"]
    assert few == json.loads(stored.read_text())["rows"]["score: mean"][: len(few)]


def test_intervals_that_are_moved_no_longer_cover(folder: Path, tmp_path: Path) -> None:
    part = next(part for part in _parts() if part.analysis == "score")
    stored = json.loads((folder / f"{part.name}.json").read_text())
    moved = [[r, key, value, low + 1, high + 1] for r, key, value, low, high in stored["rows"]["score: mean"]]
    (tmp_path / f"{part.name}.json").write_text(json.dumps(stored | {"rows": {"score: mean": moved}}))
    assert table([part], {"normal": NORMAL}, tmp_path).row(0, named=True)["rate"] == 0.0


def test_every_interval_has_a_name_of_its_own() -> None:
    assert len({check.name for check in INTERVALS}) == len(INTERVALS)
    assert set(study.SCHEMA) >= {"rate", "error", "said", "could"}
