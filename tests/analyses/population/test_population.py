"""Populations: the command, its tables, notes and charts.

Reference values are those of tests/reference/document_populations.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.analyses.population.analysis import population
from assay.cli import main
from assay.core.errors import UsageError
from assay.results.result import Result
from assay.stats.document_population import DocumentPopulation
from assay.stats.score_models import normal_exponential

FIRST = normal_exponential()


def notes(result: Result) -> dict[str, str]:
    """The notes of a result, by code."""
    return {note.code: note.text for note in result.notes}


SMALL: dict[str, Any] = {"n_rel": 16, "n_nonrel": 16_000, "halvings": "1-2", "populations": 4, "samples": 50}


def test_the_table_has_a_row_for_every_measure_and_size() -> None:
    found = population(**SMALL)
    assert found.table.columns == ["measure", "n", "n_relevant", "mean", "sd", "bias", "expected", "error"]
    assert found.table["measure"].unique(maintain_order=True).to_list() == [
        *("AP", "P@10", "P@pN, fixed score", "P@pN, fixed rank"),
        *("P@recall=0.5, fixed score", "P@recall=0.5, in sample", "nDCG"),
        *("ln AP", "pairwise error", "RR", "Success@10", "Success@pN"),
    ]
    own = found.table.filter(pl.col("measure") == "AP")
    assert own["n"].to_list() == [0, 1, 2]
    assert own["n_relevant"].to_list() == [16, 8, 4]
    j = DocumentPopulation.of(FIRST, 16, 16_000).average_precision()
    assert own["bias"].to_numpy() == pytest.approx(own["expected"].to_numpy() - j, abs=1e-12)
    assert found.table.filter(pl.col("measure").is_in(["P@10", "nDCG"]))["bias"].null_count() == 6


def test_the_paper_s_own_setting_is_the_default() -> None:
    found = population(populations=1, samples=1, halvings="5")
    exact = dict(found.tables["exact"].select("quantity", "value").iter_rows())
    assert exact["J, population AP"] == pytest.approx(0.140157, abs=1e-6)
    assert exact["highest precision at any threshold"] == pytest.approx(0.428723, abs=1e-6)
    assert found.table.filter(pl.col("measure") == "AP")["expected"].to_list() == pytest.approx(
        [0.149728, 0.246752], abs=1e-6
    )
    assert found.settings["n_nonrel"] == 12_800_000
    assert "AP is expected to be 0.150, where the population's is 0.140; with 4 of them 0.247" in found.text
    assert "43.5% of the population's relevant documents" in notes(found)["estimated_ranks"]


def test_measures_say_whether_they_have_a_value_and_why() -> None:
    table = population(**SMALL).tables["measures"]
    without = set(table.filter(~pl.col("has_value"))["measure"])
    assert without == {"P@10", "Success@10", "Success@pN", "nDCG@10", "AP@10", "RBP", "RR", "nDCG"}
    assert table["reason"].str.len_chars().min() > 10  # type: ignore[operator]
    limits = dict(table.select("measure", "limit").iter_rows())
    assert (limits["P@10"], limits["Success@10"], limits["nDCG"], limits["AP@10"]) == (0.0, 0.0, 1.0, 0.0)
    assert limits["Success@pN"] == 1.0
    second = dict(
        population(model="normal-normal", **SMALL).tables["measures"].select("measure", "limit").iter_rows()
    )
    assert (second["P@10"], second["Success@10"], second["RR"]) == (1.0, 1.0, 1.0)


def test_ndcg_is_followed_to_ten_to_the_hundred_relevant_documents() -> None:
    growth = population(populations=1, samples=1, halvings="1").tables["growth"]
    by = {round(row["log10_relevant"], 2): row for row in growth.to_dicts()}
    # tests/reference/document_populations.py, 1 : 100,000; of nDCG_left (1 - nDCG) ln R
    assert by[100]["nDCG"] == pytest.approx(0.988545, abs=1e-6)
    assert by[50]["nDCG_left"] == pytest.approx(2.6009, abs=1e-4)
    assert by[2.41]["P@10"] == pytest.approx(0.427, abs=1e-3)
    assert growth["nDCG"].is_sorted()
    assert by[100]["AP"] == pytest.approx(0.140157, abs=1e-6)


def test_means_lie_around_their_expectations() -> None:
    """All cells within 3 standard errors over 100 populations, of a seed that was not chosen for it."""
    table = population(n_rel=32, n_nonrel=320_000, halvings="1-3", populations=100, samples=100).table
    z = z_scores(table.filter(pl.col("measure") != "pairwise error"))  # whose tail is too heavy for 100 populations
    assert z.size == 4 * 10
    assert np.abs(z).max() < 3
    assert np.abs(z).mean() > 0.1


def z_scores(table: pl.DataFrame) -> np.ndarray:
    """How far means are from what is expected, in standard errors; 0 where all samples are alike, as expected."""
    known = table.drop_nulls("expected")
    away, error = (known["mean"] - known["expected"]).to_numpy(), known["error"].to_numpy()
    alike = error == 0
    assert (np.abs(away[alike]) < 0.001).all()
    return np.where(alike, 0.0, away / np.where(alike, 1.0, error))


@pytest.mark.parametrize(
    "settings",
    [
        {"relevance": "random"},
        {"generality": "varying"},
        {"generality": "rising"},
        pytest.param({"relevance": "random", "generality": "varying"}, marks=pytest.mark.slow),
        pytest.param({"relevance": "random", "generality": "rising"}, marks=pytest.mark.slow),
    ],
)
def test_means_lie_around_their_expectations_in_other_ways_of_sampling_too(settings: dict[str, Any]) -> None:
    table = population(n_rel=16, n_nonrel=16_000, halvings="2", populations=200, samples=50, **settings).table
    z = z_scores(table)
    assert len(z) == (16 if settings.get("relevance") == "random" else 22)
    assert np.abs(z).max() < 3


def test_a_shallow_depth_leaves_precision_at_a_rank_as_it_is() -> None:
    """A document that is known to be beyond the depth is not estimated to be within it."""
    settings: dict[str, Any] = {"n_rel": 32, "n_nonrel": 320_000, "halvings": "1", "samples": 50}
    shallow, deep = (population(**settings, depth=depth).table for depth in (10, 1000))
    one, other = (table.filter(pl.col("measure") == "P@10")["mean"] for table in (shallow, deep))
    assert one[0] == other[0]
    assert one[1] == pytest.approx(other[1], abs=0.01)


def test_with_varying_generality_the_population_changes_with_the_sample() -> None:
    """Bias of AP by n: tests/reference/document_populations.py."""
    found = population(n_nonrel=3_200_000, generality="varying", populations=1, samples=1)
    bias = found.table.filter(pl.col("measure") == "AP")["bias"].to_numpy()
    assert bias == pytest.approx([0.008265, 0.016543, 0.027437, 0.038124, 0.046279, 0.051480], abs=2e-6)


def test_samples_without_relevant_documents_are_counted() -> None:
    found = population(n_rel=4, n_nonrel=4000, halvings="2", relevance="random", populations=10, samples=100)
    assert "empty_samples" in notes(found)
    assert found.table.filter(pl.col("measure") == "AP")["mean"].is_not_nan().all()


def test_rounded_numbers_of_relevant_documents_are_noted() -> None:
    rounded = notes(population(**(SMALL | {"n_rel": 20, "halvings": "1-3"})))["rounded_numbers"]
    assert "n = 3: 2 in place of 2.5" in rounded
    assert "rounded_numbers" not in notes(population(**SMALL))


def test_the_level_is_the_share_of_populations_between_the_ends() -> None:
    narrow, wide = (population(**SMALL, level=level).tables["populations"] for level in (0.5, 0.9))
    own, others = (table.filter((pl.col("measure") == "AP") & (pl.col("n") == 0)) for table in (narrow, wide))
    assert others["low"][0] < own["low"][0] < own["high"][0] < others["high"][0]


def test_one_relevant_document_has_no_spread_in_words_and_a_note_says_why() -> None:
    settings: dict[str, Any] = {**SMALL, "n_rel": 1, "generality": "rising"}
    found = population(**settings)
    assert "rest on 4 relevant documents" in notes(found)["one_relevant_document"]
    assert "standard deviation" not in (found.text or "")
    more = population(**{**settings, "n_rel": 2})
    assert "one_relevant_document" not in notes(more)
    assert "standard deviation" in (more.text or "")


def test_equal_seeds_give_equal_tables() -> None:
    first, again, other = (population(**SMALL, rng=seed).table for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_charts_show_the_two_figures_and_growth() -> None:
    found = population(**SMALL)
    by = {chart.name: chart for chart in found.charts}
    assert list(by) == ["ap", "curves", "sizes", "growth", "roc", "estimators"]
    assert by["ap"].table["population"].to_numpy() == pytest.approx(
        DocumentPopulation.of(FIRST, 16, 16_000).average_precision()
    )
    assert by["curves"].table["of"].unique(maintain_order=True).to_list()[:2] == [
        "population",
        "the whole, one draw: 16 relevant",
    ]
    assert by["growth"].table["log10_relevant"].max() == 100


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_rel": 0}, "nothing is relevant"),
        ({"n_nonrel": 0}, "every precision is 1"),
        ({"halvings": "8"}, "give at most 7"),
        ({"n_rel": 1, "halvings": "1"}, "of 1 relevant document is none; .* --generality rising"),
        ({"thresholds": "low"}, "thresholds 'low' are not numbers such as 0.5,1"),
        ({"halvings": "0"}, "from 1 up"),
        ({"recall": 1.0}, "between 0 and 1"),
        ({"retrieved": 2000, "n_nonrel": 1000}, "not less than the 1128"),
        ({"retrieved": 2000}, "retrieved 2000 is beyond depth 1000, where ranks are estimated: give --depth 2000"),
        ({"depth": 5}, "rank 10 is beyond depth 5"),
        ({"n_rel": 2, "n_nonrel": 4, "halvings": "1"}, "rank 10 is not less than the 6"),
        ({"relevant": "1"}, "mean and standard deviation of a normal"),
        ({"model": "gamma-gamma", "nonrelevant": "0,1"}, "shape of a gamma distribution is 0"),
        ({"model": "empirical"}, "give RUN --qrels QRELS"),
        ({"model": "normal"}, "not one of normal-exponential"),
        ({"topic": "3"}, "--topic goes with --model empirical"),
        ({"subsample": True}, "--subsample thins real documents"),
        ({"samples": 0}, "samples 0 is not a whole number from 1 up"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_the_work(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        population(**settings)


def _written(folder: Path) -> list[str]:
    """A run of ten documents on one topic, of which ranks 1, 3 and 6 are relevant, and one that it missed."""
    run, qrels = folder / "run.txt", folder / "qrels.txt"
    run.write_text("".join(f"7 Q0 d{i} {i} {11 - i} mine\n" for i in range(1, 11)))
    qrels.write_text("".join(f"7 0 d{i} {int(i in (1, 3, 6, 11))}\n" for i in range(1, 12)))
    return [str(run), "--qrels", str(qrels), "--model", "empirical"]


def test_a_run_gives_its_own_distributions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["population", *_written(tmp_path), "--halvings", "1", "--samples", "20", "--format", "json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["basis"]["scores"] == "mine on topic 7, 3 of 4 relevant documents retrieved"
    assert (found["basis"]["relevant"], found["basis"]["non_relevant"]) == (4, 7)
    value = {row["quantity"]: row["value"] for row in found["tables"]["exact"]}
    # of the four relevant documents the first has nothing above, the second 1 of 7, the third 3, the last all 7
    assert value["pairwise error"] == pytest.approx((0 + 1 / 7 + 3 / 7 + 1) / 4, abs=0.04)


def test_model_empirical_takes_one_run_and_no_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = _written(tmp_path)
    (tmp_path / "two.txt").write_text("7 Q0 d1 1 1.0 other\n")
    for more, said in (
        (["--relevant", "1,2"], "--relevant is not for model empirical"),
        (["--topic", "8"], "no topic '8'"),
        (["--n-nonrel", "3"], "n-nonrel 3 is less than the 7"),
        ([str(tmp_path / "two.txt")], "--select one"),
    ):
        assert main(["population", *words, *more]) == 2
        assert said in capsys.readouterr().err


def test_a_real_collection_is_thinned_where_that_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["population", *_written(tmp_path)[:3], "--subsample", "--halvings", "1", "--samples", "20"]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["policy"] for row in found["table"]} >= {"skip", "zero"}
    whole = [row["mean"] for row in found["table"] if row["n"] == 0]
    assert whole == pytest.approx([(1 + 2 / 3 + 3 / 6) / 4] * len(whole))
    assert main([*words, "--n-rel", "3"]) == 2
    assert "--n-rel is of a model; --subsample has none" in capsys.readouterr().err
    for name, value in (("depth", "100"), ("relevance", "random"), ("populations", "3"), ("model", "gamma-gamma")):
        assert main([*words, f"--{name}", value]) == 2
        assert f"--{name} is of a model; --subsample has none" in capsys.readouterr().err


def test_runs_without_a_use_for_them_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["population", *_written(tmp_path)[:3]]) == 2
    assert "--model empirical (their scores), --fit (forms of these) or --subsample" in capsys.readouterr().err
