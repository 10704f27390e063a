"""Populations: exact values by two quadratures, closed forms, invariance, and the command.

Reference values were worked out apart from the project, by Gauss-Legendre along scores, adaptive quadrature along
recall and 30-digit arithmetic; the second model is N(1, 0.25) and N(0, 0.25).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import integrate, special

from assay.analyses.population import population
from assay.cli import main
from assay.errors import UsageError
from assay.numeric.population import Axis, Model, precision, rule
from assay.numeric.score_models import Gamma, Normal, Pair, Tabulated, gamma_gamma, normal_exponential, normal_normal

Array = NDArray[np.float64]

FIRST, SECOND = normal_exponential(), normal_normal()
MILLIONS = 128 / 12_800_000
FULL = 128 / 12_800_128
FEWER, FEWER_FULL = 128 / 3_200_000, 128 / 3_200_128
AXES: tuple[Axis, Axis] = ("recall", "score")


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(
    ("generality", "first", "second"),
    [
        (MILLIONS, 0.140158, 0.320724),
        (FULL, 0.140157, 0.320723),
        (FEWER, 0.332174, 0.455872),
        (FEWER_FULL, 0.332168, 0.455868),
    ],
)
def test_j_is_that_of_the_reference(axis: Axis, generality: float, first: float, second: float) -> None:
    assert Model(FIRST, generality).average_precision(axis) == pytest.approx(first, abs=1e-6)
    assert Model(SECOND, generality).average_precision(axis) == pytest.approx(second, abs=1e-6)


@pytest.mark.parametrize("pair", [FIRST, SECOND, gamma_gamma(), normal_normal(nonrelevant_sd=0.4)])
def test_two_quadratures_give_the_same_integrals(pair: Pair) -> None:
    model = Model(pair, FULL)
    for value in (model.average_precision, model.log_precision, model.pairwise_error):
        assert value("score") == pytest.approx(value("recall"), abs=1e-12)
    for axis in AXES:
        assert rule(pair, axis).weight.sum() == pytest.approx(1.0, abs=1e-12)


def test_j_is_that_of_an_adaptive_quadrature() -> None:
    def at(u: float) -> float:
        s = 1 - 0.25 * special.ndtri(u)
        return float(u / (u + (1 / MILLIONS - 1) * np.exp(-10 * max(s, 0.0))))

    value, _ = integrate.quad(at, 0, 1, points=(1e-4, 1e-2, 0.1), epsabs=1e-12, epsrel=1e-12, limit=500)
    assert Model(FIRST, MILLIONS).average_precision() == pytest.approx(value, abs=1e-10)


def test_quantities_at_thresholds_are_those_of_the_reference() -> None:
    first, second = Model(FIRST, MILLIONS), Model(SECOND, MILLIONS)
    assert first.precision_at_recall([0.1, 0.5, 0.9]) == pytest.approx([0.351689, 0.099207, 0.007985], abs=1e-6)
    assert second.precision_at_recall([0.1, 0.5, 0.9]) == pytest.approx([0.939809, 0.136348, 0.002737], abs=1e-6)
    share = 320 / 12_800_000
    assert first.threshold(share) == pytest.approx(1.076165, abs=1e-6)
    assert second.threshold(share) == pytest.approx(1.025698, abs=1e-6)
    assert first.precision_at_share(share) == pytest.approx(0.152125, abs=1e-6)
    assert second.precision_at_share(share) == pytest.approx(0.183625, abs=1e-6)
    assert first.precision_at_share(10 / 12_800_000) == pytest.approx(0.418942, abs=1e-6)
    assert second.precision_at_share(10 / 12_800_000) == pytest.approx(0.965252, abs=1e-6)


def test_log_precision_and_discounts_are_those_of_the_reference() -> None:
    assert Model(FIRST, MILLIONS).log_precision() == pytest.approx(2.676080, abs=1e-6)
    assert Model(FIRST, FULL).log_precision() == pytest.approx(2.676088, abs=1e-6)
    assert Model(SECOND, MILLIONS).log_precision() == pytest.approx(2.523729, abs=1e-6)
    powers = [Model(FIRST, FULL).power_discount(a) for a in (0.25, 0.5, 0.75)]
    assert powers == pytest.approx([0.585275, 0.429115, 0.341953], abs=1e-6)
    powers = [Model(SECOND, FULL).power_discount(a) for a in (0.25, 0.5)]
    assert powers == pytest.approx([0.675493, 0.647921], abs=1e-6)


def test_the_steepest_power_discount_is_that_of_a_quadrature_that_knows_its_pole() -> None:
    def at(w: float) -> float:  # u = w^4 takes u^-0.75 du into 4 dw
        u = w**4
        return float(4 * (u / (u + 1e5 * special.ndtr(special.ndtri(u) - 4))) ** 0.75)

    value, _ = integrate.quad(at, 1e-60, 1, points=(0.05, 0.1, 0.3), epsabs=1e-11, limit=400)
    # the reference prints 0.758171; this and both quadratures of the house say 0.758189
    assert Model(SECOND, FULL).power_discount(0.75) == pytest.approx(0.25 * value, abs=1e-6)
    assert 0.25 * value == pytest.approx(0.758189, abs=1e-6)


@pytest.mark.parametrize("axis", AXES)
def test_pairwise_error_has_closed_forms(axis: Axis) -> None:
    mean, sd, fall = 1.0, 0.25, 10.0
    closed = np.exp(-fall * mean + (fall * sd) ** 2 / 2) * special.ndtr((mean - fall * sd**2) / sd)
    closed += special.ndtr(-mean / sd)
    assert Model(FIRST, 0.1).pairwise_error(axis) == pytest.approx(closed, abs=1e-13)
    assert closed == pytest.approx(0.000995937, abs=1e-9)
    assert Model(SECOND, 0.1).pairwise_error(axis) == pytest.approx(special.ndtr(-4 / np.sqrt(2)), abs=1e-13)
    wide = Model(normal_normal(nonrelevant_sd=0.5), 0.1).pairwise_error(axis)
    assert wide == pytest.approx(special.ndtr(-1 / np.hypot(0.25, 0.5)), abs=1e-13)
    # the chance that a gamma variable of shape a and scale 1 exceeds one of shape b and scale 1: a beta integral
    gammas = Model(Pair(Gamma(5.0, 1.0), Gamma(2.0, 1.0)), 0.1).pairwise_error(axis)
    assert gammas == pytest.approx(special.betainc(5.0, 2.0, 0.5), abs=1e-12)


@pytest.mark.parametrize("axis", AXES)
def test_j_has_a_closed_form_where_scores_are_in_blocks(axis: Axis) -> None:
    """Relevant scores between 1 and 2, a share of the non-relevant ones above 2: J is 1 - a ln(1 + 1/a)."""
    share, generality = 1e-4, 1e-3
    blocks = Tabulated(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, share, share, 0.0]))
    model = Model(Pair(Tabulated(np.array([1.0, 2.0]), np.array([1.0, 0.0])), blocks), generality)
    a = model.odds * share
    assert model.average_precision(axis) == pytest.approx(1 - a * np.log1p(1 / a), abs=1e-12)


def test_a_share_that_ends_in_a_gap_has_a_precision_all_the_same() -> None:
    relevant = Tabulated(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.5, 0.5, 0.0]))
    other = Tabulated(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.25, 0.25, 0.0]))
    model = Model(Pair(relevant, other), 0.5)
    share = float(model.retrieved(1.5))
    assert relevant.density(1.5) == other.density(1.5) == 0.0
    assert model.precision_at_share(share) == pytest.approx(2 / 3)
    assert model.precision([1.0, 1.2, 2.0]) == pytest.approx([2 / 3] * 3)


TRANSFORMATIONS: dict[str, tuple[Callable[[Array], Array], ...]] = {
    "exp": (np.exp, np.log, np.exp),
    "cube": (lambda s: s**3 + s, lambda s: _root(s), lambda s: 3 * s**2 + 1),
    "arctan": (np.arctan, np.tan, lambda s: 1 / (1 + s**2)),
}


def _root(y: Array) -> Array:
    """The one real root of s^3 + s = y."""
    return np.asarray(2 / np.sqrt(3) * np.sinh(np.arcsinh(1.5 * np.sqrt(3) * y) / 3))


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("pair", [FIRST, SECOND, gamma_gamma()])
def test_all_values_survive_a_monotone_transformation(pair: Pair, name: str) -> None:
    forward = TRANSFORMATIONS[name][0]
    before, after = Model(pair, FULL), Model(pair.transformed(*TRANSFORMATIONS[name]), FULL)
    for value in ("average_precision", "log_precision", "pairwise_error"):
        for axis in AXES:
            assert getattr(after, value)(axis) == pytest.approx(getattr(before, value)("recall"), abs=1e-7)
    share = 320 / 12_800_128
    assert after.precision_at_share(share) == pytest.approx(before.precision_at_share(share), abs=1e-7)
    assert after.threshold(share) == pytest.approx(float(forward(np.array(before.threshold(share)))), rel=1e-6)
    t = np.array([0.4, 0.9, 1.3])
    assert after.recall(forward(t)) == pytest.approx(before.recall(t), rel=1e-9)
    assert after.fallout(forward(t)) == pytest.approx(before.fallout(t), rel=1e-9)
    assert after.precision(forward(t)) == pytest.approx(before.precision(t), rel=1e-9)


def test_precision_of_the_first_model_falls_again_at_the_very_top() -> None:
    model = Model(FIRST, FULL)
    # from the reference: the peak, and H at 1.75, 2 and 2.5
    assert float(model.precision(1.535621)) == pytest.approx(0.428723, abs=1e-6)
    assert model.precision([1.75, 2.0, 2.5]) == pytest.approx([0.350, 0.133, 0.0007], abs=5e-4)


def test_a_second_model_of_the_same_j_is_where_the_reference_has_it() -> None:
    assert Model(normal_normal(nonrelevant_mean=0.125751), FULL).average_precision() == pytest.approx(
        0.140157, abs=1e-5
    )


def test_precision_where_nothing_is_retrieved_is_not_a_number() -> None:
    assert np.isnan(precision(np.array(0.0), np.array(0.0), 10.0))


@pytest.mark.parametrize(
    ("generality", "said"),
    [
        (0.0, "nothing is relevant"),
        (1.0, "every precision is 1"),
        (-0.5, "between 0 and 1"),
        (np.nan, "between 0 and 1"),
    ],
)
def test_a_generality_that_leaves_nothing_to_measure_is_refused(generality: float, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Model(FIRST, generality)


@pytest.mark.parametrize("ask", [lambda m: m.threshold(0.0), lambda m: m.power_discount(1.0)])
def test_a_share_or_power_out_of_its_limits_is_refused(ask: Callable[[Model], float]) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        ask(Model(Pair(Normal(1.0, 1.0), Normal(0.0, 1.0)), 0.5))


SMALL: dict[str, Any] = {"n_rel": 16, "n_nonrel": 16_000, "halvings": "1-2", "populations": 4, "samples": 50}


def test_the_table_has_a_row_for_every_measure_and_size() -> None:
    found = population(**SMALL)
    assert found.table.columns == ["measure", "n", "n_relevant", "mean", "sd", "bias", "expected", "error"]
    assert found.table["measure"].unique(maintain_order=True).to_list() == [
        *("AP", "P@10", "P@pN, fixed score", "P@pN, fixed rank"),
        *("P@recall=0.5, fixed score", "P@recall=0.5, in sample", "nDCG"),
    ]
    own = found.table.filter(pl.col("measure") == "AP")
    assert own["n"].to_list() == [0, 1, 2]
    assert own["n_relevant"].to_list() == [16, 8, 4]
    j = Model.of(FIRST, 16, 16_000).average_precision()
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
    assert any("43.5% of the population's relevant documents" in note for note in found.notes)


def test_measures_say_whether_they_have_a_value_and_why() -> None:
    table = population(**SMALL).tables["measures"]
    without = set(table.filter(~pl.col("has_value"))["measure"])
    assert without == {"P@10", "Success@10", "nDCG@10", "AP@10", "RBP", "RR", "nDCG"}
    assert table["reason"].str.len_chars().min() > 10  # type: ignore[operator]
    limits = dict(table.select("measure", "limit").iter_rows())
    assert (limits["P@10"], limits["Success@10"], limits["nDCG"], limits["AP@10"]) == (0.0, 0.0, 1.0, 0.0)
    second = dict(
        population(model="normal-normal", **SMALL).tables["measures"].select("measure", "limit").iter_rows()
    )
    assert (second["P@10"], second["Success@10"], second["RR"]) == (1.0, 1.0, 1.0)


def test_ndcg_is_followed_to_ten_to_the_hundred_relevant_documents() -> None:
    growth = population(populations=1, samples=1, halvings="1").tables["growth"]
    by = {round(row["log10_relevant"], 2): row for row in growth.to_dicts()}
    # reference values, 1 : 100,000
    assert by[100]["nDCG"] == pytest.approx(0.988545, abs=1e-6)
    assert by[50]["nDCG_left"] == pytest.approx(2.6009, abs=1e-4)
    assert by[2.41]["P@10"] == pytest.approx(0.427, abs=1e-3)
    assert growth["nDCG"].is_sorted()
    assert by[100]["AP"] == pytest.approx(0.140157, abs=1e-6)


def test_means_lie_around_their_expectations() -> None:
    """All 28 cells within 3 standard errors over 100 populations, of a seed that was not chosen for it."""
    table = population(n_rel=32, n_nonrel=320_000, halvings="1-3", populations=100, samples=100).table
    z = ((table["mean"] - table["expected"]) / table["error"]).to_numpy()
    assert len(z) == 28
    assert np.abs(z).max() < 3
    assert np.abs(z).mean() > 0.1


@pytest.mark.parametrize(
    "settings", [{"relevance": "random"}, {"generality": "varying"}, {"relevance": "random", "generality": "varying"}]
)
def test_means_lie_around_their_expectations_in_other_ways_of_sampling_too(settings: dict[str, Any]) -> None:
    table = population(n_rel=16, n_nonrel=16_000, halvings="2", populations=200, samples=50, **settings).table
    known = table.drop_nulls("expected")
    z = ((known["mean"] - known["expected"]) / known["error"]).to_numpy()
    assert len(z) == (8 if settings.get("relevance") == "random" else 14)
    assert np.abs(z).max() < 3


def test_a_shallow_depth_leaves_precision_at_a_rank_as_it_is() -> None:
    """A document that is known to be beyond the depth is not estimated to be within it."""
    settings: dict[str, Any] = {"n_rel": 32, "n_nonrel": 320_000, "halvings": "1", "samples": 50}
    shallow, deep = (population(**settings, depth=depth).table for depth in (10, 1000))
    one, other = (table.filter(pl.col("measure") == "P@10")["mean"] for table in (shallow, deep))
    assert one[0] == other[0]
    assert one[1] == pytest.approx(other[1], abs=0.01)


def test_with_varying_generality_the_population_changes_with_the_sample() -> None:
    """Bias of AP by n as in the reference's table of simulation 3 taken apart."""
    found = population(n_nonrel=3_200_000, generality="varying", populations=1, samples=1)
    bias = found.table.filter(pl.col("measure") == "AP")["bias"].to_numpy()
    assert bias == pytest.approx([0.008265, 0.016543, 0.027437, 0.038124, 0.046279, 0.051480], abs=2e-6)


def test_samples_without_relevant_documents_are_counted() -> None:
    found = population(n_rel=4, n_nonrel=4000, halvings="2", relevance="random", populations=10, samples=100)
    assert any("no AP and no nDCG" in note for note in found.notes)
    assert found.table.filter(pl.col("measure") == "AP")["mean"].is_not_nan().all()


def test_rounded_numbers_of_relevant_documents_are_told() -> None:
    rounded = "numbers of relevant documents are rounded (n = 3: 2 in place of 2.5)"
    assert any(rounded in note for note in population(**(SMALL | {"n_rel": 20, "halvings": "1-3"})).notes)
    assert not any("rounded" in note for note in population(**SMALL).notes)


def test_equal_seeds_give_equal_tables() -> None:
    first, again, other = (population(**SMALL, rng=seed).table for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_charts_show_the_two_figures_and_growth() -> None:
    found = population(**SMALL)
    by = {chart.name: chart for chart in found.charts}
    assert list(by) == ["ap", "curves", "sizes", "growth"]
    assert by["ap"].table["population"].to_numpy() == pytest.approx(Model.of(FIRST, 16, 16_000).average_precision())
    assert by["curves"].table["of"].unique(maintain_order=True).to_list()[:2] == [
        "population",
        "one draw: 16 relevant",
    ]
    assert by["growth"].table["log10_relevant"].max() == 100


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_rel": 0}, "nothing is relevant"),
        ({"n_nonrel": 0}, "every precision is 1"),
        ({"halvings": "8"}, "give at most 7"),
        ({"n_rel": 1, "halvings": "1"}, "more of them are needed"),
        ({"halvings": "0"}, "from 1 up"),
        ({"recall": 1.0}, "between 0 and 1"),
        ({"retrieved": 20_000_000}, "not less than the 12800128"),
        ({"retrieved": 2000}, "retrieved 2000 is beyond depth 1000, where ranks are estimated: give --depth 2000"),
        ({"depth": 5}, "rank 10 is beyond depth 5"),
        ({"n_rel": 2, "n_nonrel": 4, "halvings": "1"}, "rank 10 is not less than the 6"),
        ({"relevant": "1"}, "mean and standard deviation of a normal"),
        ({"model": "gamma-gamma", "nonrelevant": "0,1"}, "shape of a gamma distribution is 0"),
        ({"model": "empirical"}, "give --runs RUN --qrels QRELS"),
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
    return ["--runs", str(run), "--qrels", str(qrels), "--model", "empirical"]


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
        (["--runs", str(tmp_path / "two.txt")], "--select one"),
    ):
        assert main(["population", *words, *more]) == 2
        assert said in capsys.readouterr().err


def test_a_real_collection_is_thinned_where_that_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["population", *_written(tmp_path)[:4], "--subsample", "--halvings", "1", "--samples", "20"]
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
    assert main(["population", *_written(tmp_path)[:4]]) == 2
    assert "--model empirical (their scores) or --subsample" in capsys.readouterr().err
