"""Forms fitted to scores: against scipy's fits, and on synthetic scores whose distributions are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.population.analysis import population
from assay.analyses.population.calibration import CALIBRATION, Predictions, brier, calibration_rows, predictions
from assay.analyses.population.score_fits import (
    FORMS,
    TopicScores,
    fit,
    fit_exponential,
    fit_gamma,
    fit_normal,
    ks_distance,
    relevance,
)
from assay.cli import main
from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.results.schemas import table
from assay.stats.score_models import Exponential, Gamma, Normal


def synthetic(
    rng: np.random.Generator, *, n_relevant: int = 200, n_rest: int = 800, shift: float = 0.0
) -> TopicScores:
    """Normal scores of relevant documents and exponential ones of others, from a zero of one's own."""
    score = np.concatenate([rng.normal(3.0, 0.7, n_relevant), rng.exponential(1.0, n_rest)]) + shift
    order = np.argsort(-score)
    return TopicScores(score[order], (np.arange(score.size) < n_relevant)[order])


@pytest.mark.parametrize("shape", [0.3, 1.0, 8.0, 3000.0])
def test_fits_are_those_of_scipy(shape: float) -> None:
    x = np.random.default_rng(1).gamma(shape, 2.0, 150)
    gamma, likelihood, _ = fit_gamma(x)
    a, _, scale = stats.gamma.fit(x, floc=0)
    assert isinstance(gamma, Gamma)
    assert (gamma.shape, gamma.scale) == pytest.approx((a, scale), rel=1e-6)
    assert likelihood == pytest.approx(stats.gamma.logpdf(x, a, 0, scale).sum(), abs=1e-5)
    normal, likelihood, _ = fit_normal(x)
    assert isinstance(normal, Normal)
    assert (normal.mean, normal.sd) == pytest.approx(stats.norm.fit(x))
    assert likelihood == pytest.approx(stats.norm.logpdf(x, *stats.norm.fit(x)).sum())
    exponential, likelihood, _ = fit_exponential(x)
    assert isinstance(exponential, Exponential)
    assert exponential.mean == pytest.approx(stats.expon.fit(x, floc=0)[1])
    assert likelihood == pytest.approx(stats.expon.logpdf(x, 0, exponential.mean).sum())
    for ours, law in (
        (gamma, stats.gamma(a, 0, scale)),
        (normal, stats.norm(normal.mean, normal.sd)),
        (exponential, stats.expon(0, exponential.mean)),
    ):
        assert ks_distance(ours, x) == pytest.approx(stats.kstest(x, law.cdf).statistic, abs=1e-6)


def test_the_form_that_scores_come_from_fits_best_and_its_chances_are_right() -> None:
    rng = np.random.default_rng(0)
    scores = synthetic(rng, n_relevant=2000, n_rest=8000)
    fits = {form: fit(scores, form) for form in FORMS}
    assert min(fits, key=lambda form: fits[form].aic) == "normal-exponential"
    at = np.array([0.5, 2.0, 3.0, 4.0])
    exact = 0.2 * stats.norm.pdf(at, 3, 0.7) / (0.2 * stats.norm.pdf(at, 3, 0.7) + 0.8 * stats.expon.pdf(at))
    assert fits["normal-exponential"].posterior(at) == pytest.approx(exact, abs=0.03)
    half = fits["normal-exponential"].score_at(0.5, 0.0, 5.0)
    assert float(np.interp(half, at, exact)) == pytest.approx(0.5, abs=0.12)
    assert np.isnan(fits["normal-exponential"].score_at(1.1, 0.0, 5.0))


def test_chances_by_topic_are_calibrated_where_scores_of_topics_are_not_comparable() -> None:
    rng = np.random.default_rng(5)
    lists = [("r", synthetic(rng, shift=10.0 * t)) for t in range(12)]
    predicted = predictions(lists)
    shown = table(calibration_rows(predicted), CALIBRATION)
    own = shown.filter(form="normal-exponential", scores="topic").filter(pl.col("n_documents") > 150)
    assert own["observed"].to_numpy() == pytest.approx(own["predicted"].to_numpy(), abs=0.05)
    assert (own["low"] <= own["observed"]).all()
    assert (own["observed"] <= own["high"]).all()
    by_topic, pooled, share = (
        brier(predicted, "r", "normal-exponential", way) for way in ("topic", "pooled", "share")
    )
    assert by_topic < 0.08
    assert pooled > share - 0.01  # thrown together, scores say nothing
    assert share == pytest.approx(0.16, abs=0.001)
    assert np.isnan(brier(predicted, "s", "normal-exponential", "topic"))


def test_no_document_takes_part_in_its_own_prediction() -> None:
    scores = synthetic(np.random.default_rng(2), n_relevant=7, n_rest=21)
    halves = [scores.half(which) for which in (0, 1)]
    assert sorted([*halves[0].score, *halves[1].score]) == sorted(scores.score)
    assert [int(half.relevant.sum()) for half in halves] == [3, 4]


def test_where_neither_form_has_a_density_the_share_of_relevant_documents_is_all_that_is_known() -> None:
    assert relevance(np.array([0.0, 2.0]), np.array([0.0, 0.0]), 0.1).tolist() == [0.1, 1.0]


def test_a_share_without_variation_has_no_interval() -> None:
    topic, chance = np.array([0, 0, 1, 1]), np.full(4, 0.5)
    for relevant, n_without in ((np.array([True, False, False, True]), 0), (np.zeros(4, dtype=bool), 2)):
        rows = calibration_rows([Predictions("r", "f", "topic", chance, relevant, topic)])
        found = table(rows, CALIBRATION).row(0, named=True)
        assert found["observed"] == relevant.mean()
        assert [found["low"], found["high"]].count(None) == n_without


def collection(seed: int, *, n_topics: int = 4) -> Collection:
    """One run with normal and exponential scores, whose topics begin at different zeros."""
    rng = np.random.default_rng(seed)
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for t in range(n_topics):
        own = synthetic(rng, n_relevant=20, n_rest=180, shift=5.0 * t)
        run[f"t{t}"] = {f"d{i}": float(s) for i, s in enumerate(own.score)}
        qrels[f"t{t}"] = {f"d{i}": int(rel) for i, rel in enumerate(own.relevant)}
    return Collection(read_runs({"mine": run}), read_qrels(qrels))


def test_the_command_shows_fits_and_what_they_imply() -> None:
    found = population(collection(1), fit=True)
    assert found.table["form"].to_list() == list(FORMS)
    assert found.table["n_topics"].to_list() == [4] * 3
    assert found.table.sort("aic")["form"][-1] == "normal-normal"
    best = found.table.row(0, named=True)
    assert best["AP_expected"] == pytest.approx(best["AP"], abs=0.08)
    assert best["P@pN_fitted"] == pytest.approx(best["P@pN"], abs=0.15)
    assert best["brier"] < best["brier_share"]
    fits = found.tables["fits"]
    assert fits.filter(pl.col("topic") == "(pooled)").height == 3
    row = fits.filter((pl.col("topic") == "t0") & (pl.col("form") == "normal-exponential")).row(0, named=True)
    # the numbers are those that the model takes, and give the same J
    numbers: dict[str, Any] = {"relevant": row["relevant"], "nonrelevant": row["nonrelevant"], "n_rel": 20}
    model = population(**numbers, n_nonrel=180, halvings="1", populations=1, samples=2)
    exact = dict(model.tables["exact"].select("quantity", "value").iter_rows())
    assert row["J"] == pytest.approx(exact["J, population AP"], abs=1e-5)
    documents = found.tables["documents"]
    assert documents.height == 200
    assert documents["rank"].to_list() == list(range(1, 201))
    assert [chart.name for chart in found.charts] == ["fit", "calibration"]
    assert set(found.tables["thresholds"]["probability"]) == {0.1, 0.5, 0.9}


def test_the_topic_that_is_drawn_can_be_named_and_one_topic_is_enough() -> None:
    assert population(collection(1), fit=True, topic="t2").tables["documents"]["topic"].unique().to_list() == ["t2"]
    alone = population(collection(3, n_topics=1), fit=True)
    assert alone.tables["calibration"]["low"].null_count() == alone.tables["calibration"].height
    with pytest.raises(UsageError, match="no topic 't9'"):
        population(collection(1), fit=True, topic="t9")


def test_graded_judgments_count_from_grade_1_and_lists_without_spread_are_left_out() -> None:
    run = {"t": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5}, "u": {"a": 1.0, "b": 1.0}}
    data = Collection(read_runs({"r": run}), read_qrels({"t": {"a": 2, "b": 0, "c": 1}, "u": {"a": 1}}))
    found = population(data, fit=True)
    codes = {note.code: note.text for note in found.notes}
    assert found.table["n_topics"].to_list() == [1] * 3
    assert (found.basis.topics, found.basis.relevant) == (1, 2)  # of the topic that is fitted
    assert codes["not_fitted"].startswith("1 list ")
    assert "not_calibrated" in codes
    assert found.table["brier"].null_count() == 3
    one = Collection(read_runs({"r": {"t": {"a": 2.0, "b": 1.0}}}), read_qrels({"t": {"a": 1}}))
    with pytest.raises(UsageError, match="nothing to fit"):
        population(one, fit=True)


@pytest.mark.parametrize("score", [lambda r: -r, lambda r: 1 / (60 + r), lambda r: 1.0 - r // 2])
def test_scores_that_are_ranks_in_other_words_are_warned_of(score: Callable[[float], float]) -> None:
    run = {t: {f"d{i}": float(score(float(i))) for i in range(1, 41)} for t in "tu"}
    qrels = {t: {f"d{i}": int(i % 3 == 0) for i in range(1, 41)} for t in "tu"}
    found = population(Collection(read_runs({"mine": run}), read_qrels(qrels)), fit=True)
    note = found.notes[0]
    assert (note.code, note.severity) == ("scores_by_rank", "warning")
    assert "2 of 2 lists (mine)" in note.text
    assert "scores_by_rank" not in {note.code for note in population(collection(1), fit=True).notes}


def test_fit_refuses_what_it_does_not_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["population", "--fit"]) == 2
    assert "--fit fits forms to the scores of runs: give RUN --qrels QRELS" in capsys.readouterr().err
    run, qrels = tmp_path / "r.txt", tmp_path / "q.txt"
    run.write_text("1 Q0 a 1 2.0 r\n")
    qrels.write_text("1 0 a 1\n")
    words = ["population", str(run), "--qrels", str(qrels), "--fit"]
    for more in (["-m", "AP"], ["--n-rel", "3"], ["--halvings", "2"], ["--samples", "9"]):
        assert main([*words, *more]) == 2
        flag = "--measure" if more[0] == "-m" else more[0]
        assert f"{flag} does not go with --fit" in capsys.readouterr().err
