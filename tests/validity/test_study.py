"""The study counts right: intervals of known coverage, a sentence that is false as often as it was made to be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bench.validity import study
from bench.validity.checks import INTERVALS
from bench.validity.declare import Key
from bench.validity.study import Part, parts, run_part, table, updated, without_rates
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
        run_part(part, 30, where, NORMAL)
    return where


def _parts() -> list[Part]:
    return [part for part in parts({"normal": "scores"}, [25]) if part.analysis in ("score", "power")]


def test_t_intervals_of_normal_scores_hold_the_mean_in_95_percent(folder: Path) -> None:
    found = table(_parts(), {"normal": NORMAL}, folder)
    mean = found.filter(what="score: mean").row(0, named=True)
    assert mean["coverage"] == pytest.approx(0.95, abs=0.03)
    assert mean["said"] == 1.0
    assert 0 < mean["error"] < 0.02
    assert mean["lowest"] <= mean["coverage"]


def test_no_significant_pair_is_in_the_wrong_order(folder: Path) -> None:
    found = table(_parts(), {"normal": NORMAL}, folder).filter(what="different_runs").row(0, named=True)
    assert found["said"] == 1.0
    assert found["false"] <= 0.1


def test_what_was_done_is_kept_and_a_longer_study_begins_like_a_shorter_one(folder: Path, tmp_path: Path) -> None:
    part = next(part for part in _parts() if part.analysis == "score")
    stored = folder / f"{part.name}.json"
    before = stored.stat().st_mtime_ns
    run_part(part, 30, folder, NORMAL)
    assert stored.stat().st_mtime_ns == before
    run_part(part, 3, tmp_path, NORMAL)
    few = json.loads((tmp_path / stored.name).read_text())["intervals"]["score: mean"]["samples"]
    assert few == json.loads(stored.read_text())["intervals"]["score: mean"]["samples"][:3]


def test_a_table_keeps_the_rows_that_were_not_studied_again(folder: Path) -> None:
    both = table(_parts(), {"normal": NORMAL}, folder, seed=1)
    gone = both.head(1).with_columns(what=pl.lit("nothing shows this"))
    score = table([part for part in _parts() if part.analysis == "score"], {"normal": NORMAL}, folder, seed=2)
    after = updated(pl.concat([both, gone]), pl.concat([score, without_rates()]))
    seeds = dict(after.filter(pl.col("note").is_null()).select("what", "seed").iter_rows())
    assert seeds.keys() == set(both["what"])
    assert {what for what, seed in seeds.items() if seed == 2} == set(score["what"])
    assert after.filter(pl.col("note").is_not_null()).equals(without_rates())


def test_a_tally_counts_what_holds_by_cell_and_by_sample() -> None:
    tally = study.Tally({("a",): 1.0, ("b",): 5.0}, [])
    tally.add([(("a",), 1.1, 0.9, 1.3), (("b",), 4.0, 3.0, 4.9)])
    tally.add([(("a",), 1.5, 1.2, 1.8), (("b",), 5.0, float("nan"), float("nan"))])
    counted = tally.counted()
    assert counted["cells"] == [[2, 2, 1], [2, 1, 0]]
    assert counted["samples"] == [[2, 1], [1, 0]]


def test_intervals_that_hold_at_once_are_counted_by_family() -> None:
    true: dict[Key, float] = {("AP", "a"): 1.0, ("AP", "b"): 2.0, ("RR", "a"): 3.0}
    tally = study.Tally(true, [], "at once")
    tally.add([(("AP", "a"), 1, 0, 2), (("AP", "b"), 1, 0, 1), (("RR", "a"), 3, 2, 4)])
    tally.add([(("AP", "a"), 1, 0, 2), (("AP", "b"), 1, 0, 2), (("RR", "a"), 3, float("nan"), 4)])
    counted = tally.counted()
    assert counted["cells"] == [[2, 2, 1], [2, 1, 1]]
    assert counted["samples"] == [[2, 1], [1, 1]]


def test_a_sample_that_selects_nothing_has_nothing_wrong() -> None:
    tally = study.Tally({("a",): 1.0}, [], "selected")
    tally.add([(("a",), 3.0, 2.0, 4.0)])
    tally.add([])
    assert tally.counted()["samples"] == [[1, 0], [1, 1]]


def test_where_the_truth_is_not_known_it_is_the_mean_over_samples() -> None:
    tally = study.Tally(None, [])
    tally.add([(("a",), 1.0, 0.0, 1.4)])
    tally.add([(("a",), 2.0, 1.0, 3.0)])
    counted = tally.counted()
    assert counted["true"] == [["a", 1.5]]
    assert counted["cells"] == [[2, 2, 1]]


def test_all_sentences_of_a_sample_are_false_where_one_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = _parts()
    monkeypatch.setattr(study, "parts", lambda *_: every)
    rows = table(_parts(), {"normal": NORMAL}, folder)
    each = rows.filter(kind="sentence")["false"]
    whole = rows.filter(what=study.REPORT).row(0, named=True)
    assert whole["replicates"] == 30
    assert each.max() <= whole["false"] <= each.sum()


def test_a_study_of_some_analyses_has_no_row_of_all_sentences(folder: Path) -> None:
    assert table(_parts(), {"normal": NORMAL}, folder).filter(what=study.REPORT).is_empty()


def test_every_interval_has_a_name_of_its_own() -> None:
    assert len({check.name for check in INTERVALS}) == len(INTERVALS)
    assert set(study.SCHEMA) >= {"coverage", "error", "said", "could"}
