"""Halving samples of topics against drawing from all of them: plain loops, and the large collections."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from assay.analyses.predictivity.analysis import predictivity
from assay.analyses.predictivity.halving import (
    SAMPLES,
    halved,
    halving_size,
    halving_table,
    independent_sets,
    own_taus,
)
from assay.cli import main
from assay.core.arrays import Array, Index
from assay.scoring.best_runs import best_runs
from assay.scoring.score_files import read_scores
from assay.stats.splits import Splits, splits
from tests.builders.arrays import measure_scores


def tau(x: Array, one: Index, other: Index) -> float:
    return float(kendalltau(x[:, one].mean(-1).round(9), x[:, other].mean(-1).round(9)).statistic)


def test_a_sample_of_two_sets_is_at_most_half_of_the_topics() -> None:
    assert [halving_size(*at) for at in ((249, 25), (249, 124), (50, 25))] == [25, 62, 12]
    assert halving_table(["a"], measure_scores(1, 6, 7), 3, 100, level=0.95, seed=0) is None


def test_sets_drawn_with_replacement_are_averaged_as_often_as_they_hold_a_topic() -> None:
    x = measure_scores(2, 8, 12)
    first, second = independent_sets(12, 5, 20, seed=3)
    assert (first.sum(1) == 5).all()
    assert first.max() > 1
    assert (first != second).any()
    found = own_taus(x, first, second)
    for m in range(2):
        plain = [
            tau(x[m], np.repeat(np.arange(12), a.astype(int)), np.repeat(np.arange(12), b.astype(int)))
            for a, b in zip(first, second, strict=True)
        ]
        assert found[:, m] == pytest.approx(plain, abs=1e-12)


def test_halves_are_those_of_random_samples() -> None:
    x = measure_scores(1, 8, 20)
    found = halved(x, 3, 50, seed=1)
    assert found.shape == (SAMPLES, 10, 1)  # all halves that six topics have
    chosen = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(7,))).choice(20, 6, replace=False)
    every = [tau(x[0], chosen[list(one)], np.delete(chosen, one)) for one in combinations(range(6), 3) if 0 in one]
    assert found[7, :, 0].mean() == pytest.approx(np.mean(every), abs=1e-12)


def test_the_seed_draws_the_samples_and_how_they_are_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def recorded(n: int, size: int, n_splits: int, seed: int) -> Splits:
        seeds.append(seed)
        return splits(n, size, n_splits, seed)

    monkeypatch.setattr("assay.analyses.predictivity.halving.splits", recorded)
    x = measure_scores(1, 8, 40)
    one, again, other = (halved(x, 8, 5, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert seeds[:SAMPLES] == seeds[SAMPLES : 2 * SAMPLES]
    assert len({*seeds[:SAMPLES], *seeds[2 * SAMPLES :]}) == 2 * SAMPLES
    assert not np.array_equal(one, other)


def test_over_many_samples_halves_are_disjoint_sets() -> None:
    """The mean over samples is that over all disjoint sets, but for the number of samples."""
    x = measure_scores(1, 10, 16)
    (row,) = halving_table(["a"], x, 4, 2000, level=0.95, seed=0).to_dicts()  # type: ignore[union-attr]
    chosen = splits(16, 4, 4000, 5)
    exact = np.mean([tau(x[0], one, other) for one, other in zip(chosen.first, chosen.second, strict=True)])
    assert row["halving"] == pytest.approx(exact, abs=4 * row["halving_sd"] / np.sqrt(SAMPLES) + 0.01)
    assert row["disjoint"] == pytest.approx(exact, abs=0.02)
    assert row["independent"] > row["disjoint"]  # they share topics
    assert row["low"] < row["difference"] < row["high"]


@pytest.mark.parametrize(
    ("file", "name", "disjoint", "independent"),
    [
        ("urbano/robust2004.ap.tsv.gz", "AP", 0.492, 0.507),
        ("urbano/robust2004.p10.tsv.gz", "P@10", 0.307, 0.326),
        ("newbestsub/million-query2007.ap.tsv.gz", "AP", 0.383, 0.391),
    ],
)
def test_large_collections_give_what_another_implementation_found(
    data: Path, file: str, name: str, disjoint: float, independent: float
) -> None:
    """Numbers worked out apart from this project (halves of 50 topics, best three quarters of the runs)."""
    scores = read_scores(str(data / "score-matrices" / file), name=name)
    scores = scores.select(runs=best_runs(scores, "75%"))
    (row,) = halving_table([name], scores.working(), 25, 2000, level=0.95, seed=0).to_dicts()  # type: ignore[union-attr]
    assert (row["disjoint"], row["independent"]) == pytest.approx((disjoint, independent), abs=0.008)
    assert row["halving"] == pytest.approx(disjoint, abs=0.035)
    assert abs(row["difference"]) < 0.05


def test_the_command_shows_it_where_there_are_topics_enough(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    file = tmp_path / "ap.csv"
    rows = [f"t{t}," + ",".join(f"{v:.3f}" for v in rng.random(6)) for t in range(12)]
    file.write_text("topic," + ",".join(f"r{i}" for i in range(6)) + "\n" + "\n".join(rows) + "\n")
    words = ["predictivity", "--scores", str(file), "--name", "AP", "--splits", "60"]
    assert main([*words, "--table", "halving", "--format", "csv"]) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert header == "measure,n_topics,n_samples,halving,halving_sd,disjoint,independent,difference,low,high"
    assert row.startswith(f"AP,3,{SAMPLES},")
    few = read_scores(str(file), name="AP").select(topics=[f"t{i}" for i in range(6)])
    assert "halving" not in predictivity(few, splits=10).tables
