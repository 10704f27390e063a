"""Agreement on conclusions: the tables of pairs, of counts and of decisions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel

from assay.analyses.compare.analysis import compare
from assay.analyses.judges.systems.conclusions import Corrected, conclusion_notes, conclusion_tables
from assay.core.arrays import Array
from assay.scoring.judges.judges import Judges
from tests.builders.judged_scores import judges_of_arrays


def scores(n_runs: int, n_topics: int = 25, *, seed: int = 0) -> tuple[Array, Array]:
    """Synthetic scores under a reference and a noisy judge who prefers the first run. Two of [run, topic]"""
    rng = np.random.default_rng(seed)
    x = 0.6 * rng.beta(1, 2, size=(n_runs, n_topics)) + 0.4 * rng.random(n_topics) + 0.03 * np.arange(n_runs)[:, None]
    y = x + 0.1 * rng.normal(size=x.shape)
    y[0] += 0.4
    return x, y


def tables_of(judges: Judges, correction: Corrected = "holm") -> dict[str, pl.DataFrame]:
    return conclusion_tables(judges, alpha=0.05, level=0.95, correction=correction, seed=0)


def test_the_counts_are_those_of_the_pairs() -> None:
    x, y = scores(12)
    tables = tables_of(judges_of_arrays({"human": x, "model": y, "same": x}), "none")
    for row in tables["conclusions"].to_dicts():
        pairs = tables["pairs"].filter(judge=row["judge"])
        assert row["n_pairs"] == pairs.height == 66
        assert row["changed"] == pairs["changes"].sum()
        for word in ("same", "opposite", "only reference", "only judge", "neither"):
            assert row[word.replace(" ", "_")] == (pairs["conclusion"] == word).sum()
        assert row["same"] + row["opposite"] + row["only_reference"] == row["significant_reference"]
        assert row["same"] + row["opposite"] + row["only_judge"] == row["significant_judge"]
        assert row["share_kept"] == pytest.approx(row["same"] / row["significant_reference"])
    assert tables["conclusions"].filter(judge="same")["share_kept"].item() == 1
    assert "decisions" not in tables


def test_opposite_conclusions_come_first_then_changed_differences_the_largest_first() -> None:
    x, y = scores(12)
    pairs = tables_of(judges_of_arrays({"human": x, "model": y}), "none")["pairs"]
    place = pairs.select(
        pl.when(pl.col("conclusion") == "opposite")
        .then(0)
        .when("changes")
        .then(1)
        .when(pl.col("conclusion").str.starts_with("only"))
        .then(2)
        .otherwise(3)
        .alias("place"),
        "interaction",
    )
    assert set(place["place"]) == {0, 1, 2, 3}
    assert place["place"].is_sorted()
    for (_,), rows in place.group_by("place"):
        assert rows["interaction"].abs().is_sorted(descending=True)
    assert pairs["run_a"][0] == "r0"


def test_a_lower_best_measure_has_its_own_signs() -> None:
    x, y = scores(5)
    up = tables_of(judges_of_arrays({"human": x, "model": y}))
    down = tables_of(judges_of_arrays({"human": -x, "model": -y}, lower=(True,)))
    same = ["judge", "run_a", "run_b", "conclusion", "p", "changes"]
    assert up["pairs"].select(same).equals(down["pairs"].select(same))
    for name in ("difference_reference", "difference_judge", "interaction"):
        assert up["pairs"][name].to_numpy() == pytest.approx(-down["pairs"][name].to_numpy())
    assert up["pairs"]["low"].to_numpy() == pytest.approx(-down["pairs"]["high"].to_numpy())
    assert up["decisions"]["verdict_judge"].equals(down["decisions"]["verdict_judge"])
    assert up["decisions"]["low"].to_numpy() == pytest.approx(-down["decisions"]["high"].to_numpy())


def test_decisions_of_a_few_systems_are_those_of_compare_under_each_judge() -> None:
    x, y = (np.stack([side, np.round(side, 1)]) for side in scores(4))
    judges = judges_of_arrays({"human": x, "model": y}, measures=("fine", "coarse"))
    decisions = tables_of(judges)["decisions"]
    for side, one in zip(("reference", "judge"), judges.scores, strict=True):
        verdicts = compare(one).table
        assert decisions.select("measure", "run_a", "run_b").equals(verdicts.select("measure", "run_a", "run_b"))
        assert decisions[f"verdict_{side}"].to_list() == verdicts["verdict"].to_list()
    assert decisions["verdict_reference"].to_list() != decisions["verdict_judge"].to_list()
    row = decisions.row(0, named=True)
    interaction = ttest_rel((y - x)[0, 0], (y - x)[0, 1])
    low, high = interaction.confidence_interval()
    assert (row["low"], row["high"]) == pytest.approx((low, high))


def test_pairs_with_too_few_topics_under_both_judges_have_no_conclusion() -> None:
    x, y = scores(3)
    x[0, 1:] = np.nan
    judges = judges_of_arrays({"human": x, "model": y})
    tables = tables_of(judges)
    untested = tables["pairs"].filter(run_a="r0")
    assert untested["conclusion"].to_list() == untested["p"].to_list() == untested["changes"].to_list() == [None] * 2
    assert untested["n_topics"].to_list() == [1, 1]
    assert tables["conclusions"]["n_pairs"].item() == 1
    assert tables["decisions"].height == 1
    assert [note.code for note in conclusion_notes(judges)] == ["untested_pairs"]


def test_one_run_and_judges_without_common_scores_have_no_tables() -> None:
    one = judges_of_arrays({"human": np.ones((1, 9)), "model": np.zeros((1, 9))})
    assert tables_of(one) == {}
    assert [note.code for note in conclusion_notes(one)] == ["one_run"]
    x, y = scores(3)
    x[:, :10], y[:, 10:] = np.nan, np.nan
    apart = judges_of_arrays({"human": x, "model": y})
    assert tables_of(apart) == {}
    assert [note.code for note in conclusion_notes(apart)] == ["no_common_scores"]


def test_one_topic_decides_nothing() -> None:
    x, y = scores(3, n_topics=1)
    tables = tables_of(judges_of_arrays({"human": x, "model": y}))
    assert tables["pairs"]["conclusion"].to_list() == [None] * 3
    assert tables["conclusions"].select("n_pairs", "same", "share_kept").row(0) == (0, 0, None)


def test_no_interval_where_no_pair_is_significant() -> None:
    rng = np.random.default_rng(4)
    x = rng.random((4, 20))
    row = tables_of(judges_of_arrays({"human": x, "model": x}))["conclusions"].row(0, named=True)
    assert (row["significant_reference"], row["share_kept"], row["low"], row["high"]) == (0, None, None, None)
