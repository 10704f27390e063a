"""Thresholds, one relevant document, moves, estimators and generality: against scipy, closed forms and simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import integrate, stats

from assay.analyses.population import expected
from assay.analyses.population.analysis import population
from assay.analyses.population.expected import DocumentSample
from assay.analyses.population.moves import moves_table
from assay.analyses.population.thinning import SamplingPlan, between_ranks, blocks, populations
from assay.core.errors import UsageError
from assay.results.result import Result
from assay.stats.score_models import normal_exponential, normal_normal

FEW: dict[str, Any] = {"populations": 1, "samples": 2, "halvings": "1"}


def notes(result: Result) -> dict[str, str]:
    return {note.code: note.text for note in result.notes}


def test_recall_fallout_and_precision_are_known_above_any_score() -> None:
    table = population(thresholds="0.5,1,1.5", **FEW).tables["thresholds"]
    odds = 12_800_000 / 128
    for row in table.iter_rows(named=True):
        recall, fallout = stats.norm.sf(row["threshold"], 1, 0.25), stats.expon.sf(row["threshold"], 0, 0.1)
        assert (row["recall"], row["fallout"]) == pytest.approx((recall, fallout), rel=1e-9)
        assert row["precision"] == pytest.approx(recall / (recall + odds * fallout), rel=1e-9)
    assert table["precision"][1] == pytest.approx(0.099206, abs=1e-6)
    assert population(**FEW).tables["thresholds"]["recall"].to_list() == pytest.approx(
        [0.99, 0.9, 0.75, 0.5, 0.25, 0.1, 0.01]
    )
    with pytest.raises(UsageError, match="thresholds 'a' are not numbers"):
        population(thresholds="a", **FEW)


def test_curves_have_the_fallout_of_the_roc() -> None:
    curves = population(**FEW).tables["curves"].filter(pl.col("of") == "population")
    area = float(np.trapezoid(curves["fallout"].to_numpy(), curves["recall"].to_numpy()))
    exact = integrate.quad(lambda s: stats.norm.pdf(s, 1, 0.25) * stats.expon.sf(s, 0, 0.1), -2, 4, points=[0, 1])[0]
    assert exact == pytest.approx(0.000996, abs=1e-6)
    assert area == pytest.approx(exact, rel=0.02)


@pytest.mark.slow
def test_pairwise_error_has_no_bias_in_samples() -> None:
    """Two normal distributions near each other, whose fallout has no heavy tail."""
    found = population(
        model="normal-normal", relevant="1,1", n_rel=16, n_nonrel=160, halvings="1-2", populations=200, samples=50
    ).table.filter(pl.col("measure") == "pairwise error")
    exact = stats.norm.cdf(-1 / np.hypot(1, 0.25))
    assert found["expected"].to_list() == pytest.approx([exact] * 3, abs=1e-9)
    z = ((found["mean"] - exact) / found["error"]).to_numpy()
    assert np.abs(z).max() < 3


def test_log_ap_is_a_biased_estimator_of_log_j() -> None:
    """Samples of 4 relevant and 4,000 other documents, every one of them drawn, in numpy."""
    rng = np.random.default_rng(3)
    means = []
    for _ in range(4000):
        own, rest = np.sort(rng.normal(1, 0.25, 4))[::-1], np.sort(rng.exponential(0.1, 4000))
        k = np.arange(1, 5)
        rank = k + rest.size - np.searchsorted(rest, own)
        means.append(np.log((k / rank).mean()))
    found = population(n_rel=32, n_nonrel=32_000, halvings="3", populations=150, samples=100, depth=40_000).table
    row = found.filter((pl.col("measure") == "ln AP") & (pl.col("n") == 3)).row(0, named=True)
    assert row["mean"] == pytest.approx(np.mean(means), abs=4 * (row["error"] + np.std(means) / 63))
    j = found.filter((pl.col("measure") == "AP") & (pl.col("n") == 3)).row(0, named=True)
    assert row["bias"] == pytest.approx(row["mean"] - np.log(j["expected"] - j["bias"]))
    assert row["expected"] is None


def test_rr_and_success_are_expected_as_drawing_every_document_shows() -> None:
    rng = np.random.default_rng(4)
    own, rest = rng.normal(1, 0.25, (4000, 3)).max(1), rng.exponential(0.1, (4000, 900))
    rank = 1 + (rest > own[:, None]).sum(1)
    sampled = DocumentSample(3.0, 900.0)
    pair = normal_exponential()
    assert expected.reciprocal_rank(pair, sampled) == pytest.approx(np.mean(1 / rank), abs=0.01)
    for k in (1, 2, 5):
        assert expected.success_at_rank(pair, sampled, k) == pytest.approx(np.mean(rank <= k), abs=0.015)


def test_one_relevant_document_in_a_growing_collection() -> None:
    single = population(**FEW).tables["single"]
    by = {row["log10_nonrelevant"]: row for row in single.iter_rows(named=True)}
    # tests/reference/document_populations.py: E[AP] of R = 1, one in 100,000
    assert by[5]["RR"] == pytest.approx(0.356103, abs=1e-6)
    assert by[5]["bias"] == pytest.approx(0.215946, abs=1e-5)
    # N / r goes to the mean of 1 / fallout, e^(10 s) of a normal s above 0: a moment in closed form
    assert by[12]["N_RR"] == pytest.approx(np.exp(10 + 100 * 0.0625 / 2), rel=1e-4)
    assert by[12]["inverse_error"] == pytest.approx(1 / 0.000995937, rel=1e-5)


def test_with_rising_generality_one_relevant_document_stays_and_rr_is_ap() -> None:
    found = population(n_rel=1, n_nonrel=100_000, generality="rising", halvings="1-3", populations=60, samples=20)
    table = found.table
    ap, rr = (table.filter(pl.col("measure") == name) for name in ("AP", "RR"))
    assert ap["n_relevant"].to_list() == [1.0] * 4
    assert ap["mean"].to_list() == pytest.approx(rr["mean"].to_list(), abs=1e-12)
    assert ap["expected"].to_list() == pytest.approx(rr["expected"].to_list(), abs=1e-6)
    assert ap["expected"][0] == pytest.approx(0.356103, abs=1e-6)
    assert ap["bias"][0] == pytest.approx(0.215946, abs=1e-4)
    assert "with 1 in 8 of the others" in found.text
    assert "rounded_numbers" not in {note.code for note in found.notes}  # relevant documents are not thinned
    assert found.tables["estimators"]["mean"].null_count() == found.tables["estimators"].height
    assert found.charts[0].table["size"].to_list() == [1.0, 0.5, 0.25, 0.125]


def test_pairwise_error_is_not_top_heavy() -> None:
    table = moves_table(12_800_000)
    by = {row["measure"]: row for row in table.iter_rows(named=True)}
    error = by["AUC"]
    assert error["ratio"] == pytest.approx(1000, rel=1e-6)
    assert error["top"] == pytest.approx(1 / 12_800_000, rel=1e-6)
    assert (by["AP"]["top"], by["AP"]["deep"]) == pytest.approx((1 - 1 / 2, 1 / 1000 - 1 / 2000))
    log = 1 / np.log2(1001) - 1 / np.log2(2001)
    assert by["nDCG"]["ratio"] == pytest.approx(log / (1 - 1 / np.log2(3)))
    assert by["ln AP"]["ratio"] == pytest.approx(1.0)
    assert by["P@10"]["ratio"] is None
    assert (table.filter(~pl.col("measure").str.contains("AUC|ln"))["ratio"].drop_nulls() < 0.03).all()


@pytest.mark.slow
def test_estimators_have_the_bias_of_an_independent_simulation() -> None:
    """Samples of 4 relevant documents: an independent simulation of 200,000 has bias, SD and RMSE of each."""
    found = population(halvings="5", populations=400, samples=50).tables["estimators"]
    by = {row["estimator"]: row for row in found.filter(pl.col("n") == 5).iter_rows(named=True)}
    for name, bias, sd in (("AP", 0.1064, 0.180), ("AP_LOO", 0.0062, 0.146), ("AP_LOO, pooled c", -0.0055, 0.134)):
        assert by[name]["bias"] == pytest.approx(bias, abs=3 * by[name]["error"] + 0.001)
        assert by[name]["sd"] == pytest.approx(sd, abs=0.01)
        assert by[name]["rmse"] == pytest.approx(np.hypot(by[name]["bias"], by[name]["sd"]))


def test_few_populations_show_the_bias_of_estimators_since_that_of_ap_is_exact() -> None:
    """The same numbers as above; the mean of AP itself has an error of 0.015 here, of AP_LOO less AP one of 0.004."""
    found = population(halvings="5", populations=4, samples=500)
    table = found.tables["estimators"].filter(pl.col("n") == 5)
    by = {row["estimator"]: row for row in table.iter_rows(named=True)}
    assert (by["AP"]["bias"], by["AP"]["error"]) == pytest.approx((0.106595, 0.0), abs=1e-6)
    assert by["AP_LOO"]["bias"] == pytest.approx(0.0062, abs=0.01)
    ap = found.table.filter((pl.col("measure") == "AP") & (pl.col("n") == 5))
    assert by["AP_LOO"]["error"] < ap["error"][0] / 2


def test_estimators_are_those_of_section_4_3_on_the_samples_of_the_table() -> None:
    found = population(n_rel=8, n_nonrel=8000, halvings="1", populations=3, samples=20)
    own = found.tables["estimators"].filter(pl.col("estimator") == "AP")
    assert own["mean"].to_list() == pytest.approx(
        found.table.filter(pl.col("measure") == "AP")["mean"].to_list(), abs=1e-3
    )
    plan = SamplingPlan(8, 8000, (0, 1), 20, share=320)
    less = []
    for i, one in enumerate(populations(normal_exponential().curve, plan, 3, 0)):
        for part in blocks(one, plan, 1, (0, i)):
            own = part.rank.tolist()
            less += [np.mean([0.5 if r == 1 else k / (r - 1) for k, r in enumerate(ranks)]) for ranks in own]
    shown = found.tables["estimators"].filter((pl.col("estimator") == "one less") & (pl.col("n") == 1))
    assert shown["mean"][0] == pytest.approx(np.mean(less), abs=1e-3)
    assert shown["sd"][0] == pytest.approx(np.std(less), abs=1e-3)


@pytest.mark.slow
def test_generality_is_estimated_where_relevance_is_by_chance() -> None:
    settings: dict[str, Any] = {"n_rel": 16, "n_nonrel": 1600, "halvings": "1-2", "populations": 40, "samples": 50}
    found = population(relevance="random", **settings)
    assert "With 16 relevant documents" in found.text  # as expected, not as drawn
    assert "with 4 of them" in found.text
    table = found.tables["generality"]
    rng = np.random.default_rng(0)
    for row, rate in zip(table.iter_rows(named=True), (1.0, 0.5, 0.25), strict=True):
        relevant = rng.binomial(1616, 16 / 1616 * rate, 40_000)
        others = rng.binomial(1616 - relevant, 1600 / 1616 * rate / (1 - 16 / 1616 * rate))
        share = relevant / (relevant + others)
        assert row["generality"] == pytest.approx(share.mean(), rel=0.01)
        assert row["sd"] == pytest.approx(share.std(), rel=0.02)
        assert row["sd_added"] < row["sd_AP"]
        assert row["share"] == pytest.approx(row["sd_added"] ** 2 / row["sd_AP"] ** 2)
    assert "generality" not in population(**{**settings, "populations": 2, "samples": 2}).tables
    one, several = (
        expected.average_precision(normal_exponential(), DocumentSample(m, 1616 - m)) for m in (8.0, 24.0)
    )
    spread = 16**0.5 * abs(several - one) / 16  # a straight line between two numbers of documents
    assert table["sd_added"][0] == pytest.approx(spread, rel=0.2)


def test_p_at_pn_is_interpolated_between_ranks_and_a_note_says_so() -> None:
    assert between_ranks(lambda k: 1.0 / k, 12.5) == pytest.approx((1 / 12 + 1 / 13) / 2)
    settings: dict[str, Any] = {"n_rel": 16, "n_nonrel": 16_000, "populations": 100, "samples": 20}
    found = population(retrieved=50, halvings="2", **settings)
    assert "12.5 (n = 2)" in notes(found)["interpolated_ranks"]
    row = found.table.filter((pl.col("measure") == "P@pN, fixed rank") & (pl.col("n") == 2)).row(0, named=True)
    sampled = DocumentSample(4.0, 16_000.0, 0.25)
    ends = [expected.precision_at_rank(normal_exponential(), sampled, k) for k in (12, 13)]
    assert row["expected"] == pytest.approx(np.mean(ends), abs=1e-9)
    assert abs(row["mean"] - row["expected"]) < 3 * row["error"]
    shallow = population(retrieved=2, halvings="2", **{**settings, "populations": 2})
    assert "0.5 (n = 2)" in notes(shallow)["above_first_rank"]
    assert "interpolated_ranks" not in notes(population(**FEW))


def test_a_recall_that_is_passed_is_noted() -> None:
    found = population(n_rel=8, n_nonrel=800, recall=0.1, **FEW)
    assert "0.125 (n = 0) and 0.25 (n = 1)" in notes(found)["recall_passed"]
    assert "recall_passed" not in notes(population(**FEW))


def test_the_second_model_has_the_same_tables() -> None:
    found = population(model="normal-normal", **FEW)
    pair = normal_normal()
    rr = expected.reciprocal_rank(pair, DocumentSample(1.0, 1e5))
    row = found.tables["single"].filter(pl.col("log10_nonrelevant") == 5).row(0, named=True)
    assert row["RR"] == pytest.approx(rr, abs=1e-6)
    assert row["RR"] == pytest.approx(0.441549, abs=1e-6)  # tests/reference/document_populations.py
