"""`assay weights`: the table, its evidence, its notes, the file it writes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau
from scipy.stats import t as t_dist

from assay.analyses.weights.analysis import weights
from assay.analyses.weights.graded_lists import lists_of
from assay.analyses.weights.optimise.optimum import optimise
from assay.analyses.weights.tables import same_first
from assay.cli import main
from assay.core.errors import UsageError
from assay.data.judged import Collection, judge
from assay.data.read import read_qrels, read_runs
from assay.data.tables import Qrels
from assay.measures.grammar import parse
from assay.render.formats import pick_table
from assay.results.result import Result
from assay.scoring.engine import score
from assay.stats.variance import COEFFICIENT_NAMES
from tests.builders.packed import open_packed

QUICK: dict[str, Any] = {"draws": 3, "resamples": 50, "cutoffs": "2,6"}
BOTH, LOG2 = "optimal gain, optimal", "linear gain, log2"


def lists(
    n_runs: int = 12, n_topics: int = 16, depth: int = 12, grades: Sequence[int] = (0, 0, 0, 1, 2), rng: int = 4
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Runs of very different skill on topics of the same thirty documents: a better run puts higher grades first."""
    random = np.random.default_rng(rng)
    qrels = {f"t{t}": {f"d{d}": int(random.choice(grades)) for d in range(30)} for t in range(n_topics)}
    runs: dict[str, Any] = {}
    for r in range(n_runs):
        skill = 2.5 * r / max(n_runs - 1, 1)
        runs[f"r{r:02}"] = {
            topic: dict(
                sorted(
                    ((d, skill * min(g, 1) + skill * g / 4 + random.normal(0, 1.5)) for d, g in docs.items()),
                    key=lambda pair: -pair[1],
                )[:depth]
            )
            for topic, docs in qrels.items()
        }
    return runs, qrels


def synthetic(**settings: Any) -> Collection:
    runs, qrels = lists(**settings)
    return Collection(read_runs(runs), read_qrels(qrels))


@pytest.fixture(scope="module")
def small() -> Collection:
    return synthetic()


@pytest.fixture(scope="module")
def found(small: Collection) -> Result:
    return weights(small, depth=6, **QUICK)


@pytest.fixture(scope="module")
def covid(data: Path) -> Collection:
    packed = open_packed(data / "trec-covid" / "round1", "qrels.covid-round1.txt.gz")
    return Collection(packed.runs, packed.qrels)


def stability(x: np.ndarray) -> tuple[float, float]:
    """Phi and E-rho^2 at one topic, from the expected mean squares written out; x is [run, topic]."""
    n_runs, n_topics = x.shape
    rest = x - x.mean(1, keepdims=True) - x.mean(0) + x.mean()
    by_run = n_topics * x.mean(1).var(ddof=1)
    by_topic = n_runs * x.mean(0).var(ddof=1)
    error = (rest**2).sum() / ((n_runs - 1) * (n_topics - 1))
    run, topic = (by_run - error) / n_topics, (by_topic - error) / n_runs
    return run / (run + topic + error), run / (run + error)


def scores_of(data: Collection, measure: str) -> np.ndarray:
    return score(judge(data.runs, data.qrels), [parse(measure)]).value[0]


def notes(result: Result) -> dict[str, str]:
    """The texts of notes by their codes."""
    return {note.code: note.text for note in result.notes}


def row(result: Result, variant: str) -> dict[str, Any]:
    return result.table.row(by_predicate=pl.col("variant") == variant, named=True)


@pytest.mark.parametrize(
    ("variant", "measure"),
    [
        (LOG2, "nDCG@6"),
        ("linear gain, jk", "nDCG(discount='jk')@6"),
        ("linear gain, zipf", "nDCG(discount='zipf')@6"),
        ("linear gain, linear", "nDCG(discount='linear')@6"),
        ("linear gain, none", "nDCG(discount='none')@6"),
        ("exp gain, log2", "nDCG(gain='exp')@6"),
    ],
)
def test_a_standard_variant_is_as_stable_as_the_measure_itself(
    small: Collection, found: Result, variant: str, measure: str
) -> None:
    phi, e_rho2 = stability(scores_of(small, measure))
    own = row(found, variant)
    assert (own["phi"], own["e_rho2"]) == pytest.approx((phi, e_rho2), abs=1e-12)
    assert own["topics_90"] == np.ceil(9 * (1 - phi) / phi)
    assert own["topics_95"] == np.ceil(19 * (1 - phi) / phi)
    assert (own["kkt"], own["converged"]) == (None, None)


def test_the_optimum_is_above_the_standard_variants_and_has_converged(found: Result) -> None:
    fitted = found.table.filter(pl.col("kkt").is_not_null())
    assert fitted["variant"].to_list() == [
        "linear gain, optimal",
        "optimal gain, log2",
        BOTH,
        "linear gain, unconstrained",
        "unconstrained gain, log2",
    ]
    assert fitted["converged"].all()
    assert (fitted["kkt"] < 1e-8).all()
    usual = found.table.filter(pl.col("kkt").is_null())
    assert row(found, BOTH)["phi"] >= usual["phi"].to_numpy().max()
    assert row(found, BOTH)["loss"] == 0
    assert (usual["loss"] >= 0).all()
    assert (found.table["low"] < found.table["phi"]).all()
    assert (found.table["high"] > found.table["phi"]).all()


def test_what_is_written_scores_as_stably_as_the_table_says(small: Collection, found: Result, tmp_path: Path) -> None:
    path = tmp_path / "best.json"
    path.write_text(json.dumps(found.to_dict()))
    phi, e_rho2 = stability(scores_of(small, f"nDCG(weights={str(path)!r})@6"))
    assert (row(found, BOTH)["phi"], row(found, BOTH)["e_rho2"]) == pytest.approx((phi, e_rho2), abs=1e-12)
    assert found.settings["best"] == BOTH


@pytest.mark.parametrize(
    ("asked", "best"),
    [
        ({"free": "discount"}, "linear gain, optimal"),
        ({"free": "gain"}, "optimal gain, log2"),
        ({"free": "gain", "discount": "zipf"}, "optimal gain, zipf"),
        ({"free": "discount", "gain": "exp"}, "exp gain, optimal"),
        ({"free": "discount", "unconstrained": True}, "linear gain, unconstrained"),
        ({"unconstrained": True}, "unconstrained gain, unconstrained"),
        ({"ridge": 0.1}, "shrunk gain, shrunk"),
        ({"worst_over": "folds", "folds": 2}, "worst-case gain, worst-case"),
    ],
    ids=str,
)
def test_the_best_is_what_was_asked_for_and_is_read_from_the_file(
    small: Collection, asked: dict[str, Any], best: str, tmp_path: Path
) -> None:
    result = weights(small, depth=6, **QUICK | asked)
    assert result.settings["best"] == best
    path = tmp_path / "best.json"
    path.write_text(json.dumps(result.to_dict()))
    phi, _ = stability(scores_of(small, f"nDCG(weights={str(path)!r})@6"))
    assert row(result, best)["phi"] == pytest.approx(phi, abs=1e-12)
    assert best in result.tables["held_out"]["variant"].to_list()


def test_a_ridge_shrinks_the_best_towards_log2_and_shows_its_path(small: Collection) -> None:
    weak, strong = (weights(small, depth=6, free="discount", ridge=ridge, **QUICK) for ridge in (0.001, 5.0))
    curves = [
        r.tables["discounts"].filter(variant="linear gain, shrunk")["discount"].to_numpy() for r in (weak, strong)
    ]
    log2 = weak.tables["discounts"].filter(variant=LOG2)["discount"].to_numpy()
    far = [float(np.abs(curve - log2).sum()) for curve in curves]
    assert far[1] < far[0] / 2
    assert weak.tables["ridge"]["ridge"].to_list() == [0.0, 0.001, 0.01, 0.1, 1.0]
    path = weak.tables["ridge"]
    assert path["in_sample"][0] > path["in_sample"][-1] > path["standard"][-1]
    assert row(strong, "linear gain, shrunk")["loss"] > 0


def test_another_coefficient_is_maximised_and_its_loss_shown(small: Collection) -> None:
    result = weights(small, depth=6, coefficient="e_rho2", **QUICK)
    assert row(result, BOTH)["e_rho2"] >= result.table.filter(pl.col("kkt").is_null())["e_rho2"].to_numpy().max()
    np.testing.assert_allclose(result.table["loss"], row(result, BOTH)["e_rho2"] - result.table["e_rho2"], atol=1e-15)


def test_power_itself_is_maximised_and_compared_with_stability_and_the_standard_functions(
    small: Collection,
) -> None:
    result = weights(small, depth=6, coefficient="power", **QUICK)
    phi = weights(small, depth=6, **QUICK)
    rival = "phi-optimal gain, phi-optimal"
    assert row(result, rival)["phi"] == pytest.approx(row(phi, BOTH)["phi"], abs=1e-9)
    assert result.table["loss"].min() == pytest.approx(0, abs=1e-9)
    assert row(result, BOTH)["loss"] == 0
    contest = result.tables["contest"].filter(statistic="power")
    assert set(contest["other"]) == {
        *result.table.filter(pl.col("kkt").is_null())["variant"],
        *(rival, "e_rho2-optimal gain, e_rho2-optimal"),
    }
    held_out = result.tables["held_out"].filter(statistic="power", variant=BOTH).row(0, named=True)
    usual = contest.filter(other=LOG2).row(0, named=True)
    shared = ("held_out", "difference", "low", "high")
    assert [usual[of] for of in shared] == [held_out[of] for of in shared]
    assert "contest" in [chart.name for chart in result.charts]
    for one in result.tables["contest"].iter_rows(named=True):
        assert one["verdict"] == ("more" if one["low"] > 0 else "less" if one["high"] < 0 else "inconclusive")
    in_sample = result.tables["powers"].filter(variant=BOTH, runs=12)["power"].item()
    assert usual["in_sample"] == pytest.approx(in_sample)
    n = contest.filter(verdict="more").height
    assert f"significantly more than {n} of {contest.height} others" in notes(result)["power_optimum"]
    assert "of power on the topics of the fit" in notes(result)["lost_gain"]
    assert "of smoothed power" in notes(result)["nearest_standard"]
    assert "contest" not in phi.tables
    with pytest.raises(UsageError, match=r"no table 'contest' with these settings .*; `assay weights --help` says"):
        pick_table(phi, "contest")


def test_the_best_runs_are_those_by_ndcg_and_nothing_else_is_fitted_to(small: Collection) -> None:
    best = weights(small, depth=6, top="5", **QUICK)
    names = [f"r{r:02}" for r in np.sort(np.argsort(-scores_of(small, "nDCG@6").mean(1))[:5])]
    assert best.tables["means"].filter(variant=LOG2)["run"].to_list() == names
    alone = weights(Collection(small.runs.select(names), small.qrels), depth=6, **QUICK)
    assert row(best, BOTH)["phi"] == row(alone, BOTH)["phi"]
    assert best.basis.chosen == "best 5 of 12 by nDCG@6"


def test_power_of_binary_judgments_is_maximised_by_the_discount(small: Collection) -> None:
    result = weights(synthetic(grades=(0, 0, 1)), depth=4, coefficient="power", **QUICK)
    assert result.settings["free"] == "discount"
    assert "phi-optimal" in "".join(result.tables["contest"]["other"])


def test_the_ratio_by_cutoff_has_the_interval_of_refits_without_each_topic(small: Collection, found: Result) -> None:
    cube = lists_of(judge(small.runs, small.qrels), 6)
    log2 = 1 / np.log2(np.arange(6) + 2)
    ratios = []
    for t in range(cube.n_topics):
        rest = cube.select(topics=np.delete(np.arange(cube.n_topics), t))
        gain = optimise(rest, free="gain", gain=np.arange(3.0), discount=log2).gain
        ratios.append(gain[2] / gain[1])
    half = t_dist.ppf(0.975, 15) * np.sqrt(15 / 16 * np.sum((ratios - np.mean(ratios)) ** 2))
    own = found.tables["cutoffs"].filter(depth=6).row(0, named=True)
    assert own["high"] == pytest.approx(own["log2"] + half, rel=1e-6)
    assert own["low"] == pytest.approx(max(own["log2"] - half, 1), rel=1e-6)


def test_stability_by_topics_is_that_of_the_spearman_brown_formula(found: Result) -> None:
    at_one = row(found, LOG2)
    curve = found.tables["stability"].filter(variant=LOG2)
    n = curve["n_topics"].to_numpy()
    for of in ("phi", "e_rho2"):
        expected = n * at_one[of] / (1 + (n - 1) * at_one[of])
        assert curve[of].to_numpy() == pytest.approx(expected, abs=1e-12)


def test_the_first_runs_in_the_same_order_are_counted_one_by_one() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        one, other = rng.integers(6, size=(2, 5)).astype(float)
        other = np.where(rng.random(5) < 0.7, one, other)
        tiers = [[set(np.flatnonzero(x == v)) for v in sorted(set(x), reverse=True)] for x in (one, other)]
        same = 0
        for a, b in zip(*tiers, strict=False):
            if a != b:
                break
            same += len(a)
        assert same_first(one, other) == same


def test_discounts_sum_to_one_and_gains_start_from_one(found: Result) -> None:
    sums = found.tables["discounts"].group_by("variant").agg(pl.col("discount").sum())
    np.testing.assert_allclose(sums["discount"], 1.0, atol=1e-12)
    bound = found.tables["discounts"].filter(variant=BOTH)["discount"].to_numpy()
    assert (np.diff(bound) <= 1e-15).all()
    gains = found.tables["gains"]
    assert gains.filter(variant=BOTH)["grade"].to_list() == [0, 1, 2]
    assert gains.filter(pl.col("grade") == 0)["gain"].unique().to_list() == [0.0]
    top = gains.filter(variant=BOTH)["gain"].to_list()
    assert top[1] == 1.0
    assert top[2] == pytest.approx(row(found, BOTH)["ratio"])


def test_likeness_is_kendalls_tau_and_the_root_mean_square_of_means(small: Collection, found: Result) -> None:
    one, other = (scores_of(small, m).mean(1) for m in ("nDCG@6", "nDCG(gain='exp')@6"))
    table = found.tables["likeness"].filter(variant=LOG2, other="exp gain, log2")
    assert table["tau"].item() == pytest.approx(kendalltau(one, other).statistic, abs=1e-12)
    assert table["rms"].item() == pytest.approx(np.sqrt(((one - other) ** 2).mean()), abs=1e-12)
    assert found.tables["likeness"].height == 11 * 10 // 2
    means = found.tables["means"].filter(variant=LOG2)
    np.testing.assert_allclose(means["mean"], one, atol=1e-12)
    assert means["run"].to_list() == list(small.runs.names)


def test_ranks_count_what_stands_there(small: Collection, found: Result) -> None:
    cube = judge(small.runs, small.qrels).cube(6)
    table = found.tables["ranks"]
    for of, hits in {"judged": cube >= 0, "grade 1": cube == 1, "grade 2": cube == 2}.items():
        np.testing.assert_allclose(table.filter(of=of)["share"], hits.mean((0, 1)), atol=1e-15)
    assert table.height == 3 * 6


def test_ratios_are_shown_at_the_cutoffs_that_the_lists_reach(small: Collection) -> None:
    table = weights(small, depth=6, **QUICK | {"cutoffs": "3-4,6,500"}).tables["cutoffs"]
    assert table["depth"].to_list() == [3, 4, 6]
    assert table["linear"].to_list() == [2.0] * 3
    assert table["exp"].to_list() == [3.0] * 3
    assert (table["log2"] >= 1).all()
    again = weights(small, depth=4, **QUICK).table.filter(variant="optimal gain, log2")["ratio"].item()
    assert table.filter(depth=4)["log2"].item() == pytest.approx(again, rel=1e-6)


def test_the_worst_case_over_cutoffs_is_no_worse_than_log2_there(small: Collection) -> None:
    result = weights(small, depth=6, worst_over="cutoffs", worst_by="value", **QUICK | {"cutoffs": "3"})
    table = result.tables["worst"]
    assert table["problem"].to_list() == ["nDCG@3", "nDCG@6"]
    assert table["value"].to_numpy().min() >= table["standard"].to_numpy().min()
    assert (table["own_optimum"] >= table["value"] - 1e-9).all()
    assert table["loss"].to_numpy() == pytest.approx((table["own_optimum"] - table["value"]).to_numpy())
    phi, _ = stability(scores_of(small, "nDCG@3"))
    assert table["standard"][0] == pytest.approx(phi, abs=1e-12)


def test_the_worst_loss_over_cutoffs_is_shared_and_below_that_of_the_worst_value(small: Collection) -> None:
    by_loss, by_value = (
        weights(small, depth=6, worst_over="cutoffs", worst_by=by, **QUICK | {"cutoffs": "2"})
        for by in ("loss", "value")
    )
    ours, theirs = by_loss.tables["worst"], by_value.tables["worst"]
    assert ours["decides"].to_list() == [True, True]
    assert ours["loss"][0] == pytest.approx(ours["loss"][1], abs=1e-9)
    assert 0 < ours["loss"][0] < theirs["loss"].to_numpy().max()
    assert theirs["value"].to_numpy().min() > ours["value"].to_numpy().min()
    assert notes(by_loss)["worst_case"] == "the worst case is decided by nDCG@2, nDCG@6"
    assert by_loss.settings["worst_by"] == "loss"


def test_the_search_shows_how_it_ended_and_that_the_constraints_are_met(found: Result) -> None:
    table = found.tables["search"]
    fitted = found.table.filter(pl.col("kkt").is_not_null())
    assert table.select("variant", "kkt", "converged").equals(fitted.select("variant", "kkt", "converged"))
    bound = table.filter(~pl.col("variant").str.contains("unconstrained"))
    assert bound.select("gain_falls", "discount_rises").to_numpy().max() == 0
    assert table["sum_off"].to_numpy().max() < 1e-12
    free = table.filter(variant="linear gain, unconstrained").row(0, named=True)
    assert free["discount_rises"] > 0
    assert free["n_starts"] >= 4 > free["n_short"] >= 0


def test_the_worst_case_over_collections_reads_the_others(small: Collection, tmp_path: Path) -> None:
    runs, qrels = lists(rng=9)
    lines = [
        f"{topic} Q0 {doc} 0 {value} {run}\n"
        for run, topics in runs.items()
        for topic, docs in topics.items()
        for doc, value in docs.items()
    ]
    for run in runs:
        (tmp_path / f"{run}.run").write_text("".join(line for line in lines if line.endswith(f" {run}\n")))
    judgments = tmp_path / "others.qrels"
    judgments.write_text("".join(f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items()))
    other = f"{tmp_path}/*.run,{judgments}"
    table = weights(small, depth=6, worst_over="collections", other=[other], **QUICK).tables["worst"]
    assert table["problem"].to_list() == ["these runs", other]
    elsewhere = Collection(read_runs(runs), read_qrels(qrels))
    assert table["standard"][1] == pytest.approx(stability(scores_of(elsewhere, "nDCG@6"))[0], abs=1e-12)


def test_the_same_seed_gives_the_same_result(small: Collection, found: Result) -> None:
    assert weights(small, depth=6, **QUICK).to_dict() == found.to_dict()


def test_charts_and_tables_are_those_that_the_help_names(found: Result) -> None:
    doc = weights.function.__doc__ or ""
    named = [name for name in found.tables if f"tables.{name}:" not in doc and f"tables.{name}," not in doc]
    assert named == []
    assert list(found.table.columns) == [
        *("variant", "gain", "discount", "phi", "low", "high", "e_rho2", "topics_90", "topics_95"),
        *("ratio", "kkt", "converged", "loss"),
    ]
    assert [chart.name for chart in found.charts][:6] == [
        *("discounts", "fitted", "topics", "stability", "ranks", "means"),
    ]


def test_the_notes_say_how_flat_the_optimum_is_and_how_the_ideal_is_sorted(found: Result) -> None:
    nearest = found.table.filter(pl.col("kkt").is_null()).sort("loss").row(0, named=True)
    near = notes(found)["nearest_standard"]
    assert f"'{nearest['variant']}' comes nearest" in near
    assert f"{nearest['loss']:.4f} of {COEFFICIENT_NAMES['phi']} at one topic" in near
    assert {"in_sample", "ideal_sorted_by_gain", "weights_file"} <= set(notes(found))
    assert found.text == ""


def test_the_first_note_says_that_the_gain_is_not_shown_as_the_sentence_of_its_name_does(found: Result) -> None:
    first, (sentence,) = found.notes[0], found.sentences
    assert (first.code, first.severity) == (sentence.name, "caution")
    assert sentence.name == "lost_gain"
    held_out = found.tables["held_out"].filter(variant=BOTH, statistic="phi").row(0, named=True)
    gained = f"nDCG@6 ({BOTH}) gains {held_out['in_sample_gain']:.3f} of Phi"
    assert f"is {held_out['verdict']}: {gained}" in first.text
    assert f"95% interval {held_out['low']:.3f} to {held_out['high']:.3f}" in first.text
    assert (sentence.status, held_out["verdict"]) == ("inconclusive", "inconclusive")
    assert "nDCG@6 on held-out topics" in sentence.text


def graded(data: Collection, change: Any) -> Collection:
    """The same runs with other grades."""
    grade = np.array([change(int(g)) for g in data.qrels.grade], dtype=np.int8)
    qrels: Qrels = replace(data.qrels, grade=grade, top=int(grade.max()))
    return replace(data, qrels=qrels)


def test_binary_judgments_have_a_discount_and_refuse_a_gain(small: Collection) -> None:
    binary = graded(small, lambda g: min(g, 1))
    result = weights(binary, depth=6, **QUICK)
    assert result.settings["free"] == "discount"
    assert not {"cutoffs", "sweep", "gain_bands"} & set(result.tables)
    assert notes(result)["one_relevant_grade"].startswith("all relevant documents are of grade 1: gains cancel out")
    for free in ("gain", "both"):
        with pytest.raises(UsageError, match=r"all relevant documents are of grade 1: .*ask for --free discount"):
            weights(binary, free=free)


def test_a_single_grade_above_the_lowest_is_as_good_as_binary(small: Collection) -> None:
    binary, high = (graded(small, lambda g, x=x: x * min(g, 1)) for x in (1, 2))
    one, other = (weights(data, depth=6, **QUICK).table.filter(discount="optimal") for data in (binary, high))
    assert other["phi"].item() == pytest.approx(one["phi"].item(), abs=1e-12)
    assert other["ratio"].item() == 1.0


def test_a_grade_that_never_occurs_gains_as_the_one_below_it_and_is_named(small: Collection, tmp_path: Path) -> None:
    sparse = graded(small, lambda g: 3 if g == 2 else g)
    result = weights(sparse, depth=6, **QUICK)
    assert notes(result)["grade_without_documents"].startswith("no document has grade 2: it gains as the grade below")
    gains = result.tables["gains"].filter(variant=BOTH)["gain"].to_list()
    assert gains[2] == gains[1] == 1.0
    dense = weights(small, depth=6, **QUICK)
    assert row(result, BOTH)["phi"] == pytest.approx(row(dense, BOTH)["phi"], abs=1e-9)
    path = tmp_path / "best.json"
    path.write_text(json.dumps(result.to_dict()))
    phi, _ = stability(scores_of(sparse, f"nDCG(weights={str(path)!r})@6"))
    assert phi == pytest.approx(row(result, BOTH)["phi"], abs=1e-12)


def test_topics_with_one_relevant_grade_are_counted() -> None:
    runs, qrels = lists()
    for topic in ("t1", "t4"):
        qrels[topic] = {doc: min(grade, 1) for doc, grade in qrels[topic].items()}
    result = weights(Collection(read_runs(runs), read_qrels(qrels)), depth=6, **QUICK)
    assert notes(result)["single_grade_topics"].startswith("2 topics with one relevant grade only")


def test_topics_without_relevant_documents_count_as_0_or_are_left_out() -> None:
    runs, qrels = lists()
    qrels["t3"] = dict.fromkeys(qrels["t3"], 0)
    data = Collection(read_runs(runs), read_qrels(qrels))
    zero, skip = (weights(data, depth=6, undefined=undefined, **QUICK) for undefined in ("zero", "skip"))
    x = scores_of(data, "nDCG@6")
    assert row(zero, LOG2)["phi"] == pytest.approx(stability(x)[0], abs=1e-12)
    others = [i for i, topic in enumerate(data.qrels.topics) if topic != "t3"]
    assert row(skip, LOG2)["phi"] == pytest.approx(stability(x[:, others])[0], abs=1e-12)
    assert notes(zero)["empty_topics"] == "1 topic without a relevant document; scores there count as 0"
    assert notes(skip)["empty_topics"] == "1 topic without a relevant document; left out"
    assert skip.basis.topics == 15


def test_few_runs_lead_with_a_warning() -> None:
    result = weights(synthetic(n_runs=4), depth=6, **QUICK)
    assert result.text.startswith("4 runs are too few for a coefficient to say much")


def test_few_topics_are_not_held_out() -> None:
    result = weights(synthetic(n_topics=3), depth=6, **QUICK)
    assert "held_out" not in result.tables
    assert notes(result)["nothing_held_out"] == "3 topics are too few to hold some out"
    some = weights(synthetic(n_topics=8), depth=6, **QUICK)
    assert notes(some)["fewer_folds"] == "4 folds, not 5: each takes two topics"
    assert some.settings["folds"] == 4


def test_a_depth_beyond_the_lists_ends_where_they_end(small: Collection) -> None:
    assert weights(small, depth=1000, **QUICK).settings["depth"] == 12


@pytest.mark.parametrize(
    ("settings", "asked", "said"),
    [
        ({"n_runs": 1}, {}, "one run has no variance between runs; give at least two"),
        ({"n_topics": 1}, {}, "one topic does not separate runs from chance; give at least two"),
        ({"grades": (0,)}, {}, "no judged document has a grade above 0: there is no gain to fit"),
        ({}, {"depth": 0}, "depth 0"),
        ({}, {"depth": 1001}, "depth 1001 is more than 1,000, the deepest that weights are fitted to"),
        ({}, {"cutoffs": "3,x"}, "cutoff 'x' is not a number, or a range such as 1-10"),
        ({}, {"cutoffs": "3,2000"}, "cutoff 2000 is more than 1,000"),
        ({}, {"ridge": -1.0}, "ridge -1 is not a number from 0 up, such as 0.01"),
        ({}, {"ridge": float("nan")}, "ridge nan is not a finite number"),
        ({}, {"ridge": float("inf")}, "ridge inf is not a finite number"),
        ({}, {"free": "discounts"}, "free: 'discounts' is not one of discount, gain, both; did you mean 'discount'?"),
        ({}, {"coefficient": "powr"}, "coefficient: 'powr' is not one of phi, e_rho2, power; did you mean 'power'?"),
        ({}, {"top": "1"}, "one run has no variance between runs; give at least two"),
        ({}, {"top": "0"}, "top '0' is not a number of runs, or a share such as 75%"),
        ({}, {"top": "13"}, "top '13' of 12 runs keeps 13; give a number from 1 to 12, or a share"),
        ({}, {"top": "x"}, "top 'x' is not a number of runs"),
        ({}, {"folds": 1}, "folds 1 is not a whole number from 2 up, such as 5"),
        ({}, {"worst_over": "collections"}, "--worst-over collections takes at least one more: --other RUNS,QRELS"),
        ({}, {"other": ["a,b"]}, "--other names a further collection; it goes with --worst-over collections"),
        ({}, {"worst_over": "collections", "other": ["runs"]}, "other 'runs' is not RUNS,QRELS"),
    ],
    ids=str,
)
def test_what_has_no_answer_is_refused_in_one_line(
    settings: dict[str, Any], asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        weights(synthetic(**settings), **asked)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_command_writes_a_file_that_the_next_command_scores_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, qrels = lists()
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for run, topics in runs.items():
        rows = [f"{t} Q0 {d} 0 {v} {run}\n" for t, docs in topics.items() for d, v in docs.items()]
        Path("runs", run).write_text("".join(rows))
    Path("qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items()))
    words = ["weights", "runs", "--qrels", "qrels", "--depth", "6", "--draws", "2", "-o", "best.json"]
    assert main(words) == 0
    made_of = json.loads(Path("best.json").read_text())
    assert main(["score", "runs", "--qrels", "qrels", "-m", "nDCG(weights='best.json')@6", "--format", "json"]) == 0
    scored = {r["run"]: r["mean"] for r in json.loads(capsys.readouterr().out)["tables"]["long"]}
    best = {r["run"]: r["mean"] for r in made_of["tables"]["means"] if r["variant"] == made_of["settings"]["best"]}
    assert scored == pytest.approx(best, abs=1e-12)


def test_the_reference_values_of_trec_covid_come_out(covid: Collection) -> None:
    """Phi at one topic, round 1, k = 10: what tests/reference/ndcg_weights.py prints (numpy and scipy alone)."""
    result = weights(covid, depth=10, draws=1, resamples=1, cutoffs="10", folds=2)
    wanted = {
        LOG2: ("0.37587", 2.0),
        "linear gain, zipf": ("0.3624", 2.0),
        "linear gain, linear": ("0.3746", 2.0),
        "linear gain, none": ("0.3694", 2.0),
        "exp gain, log2": ("0.3576", 3.0),
        "linear gain, optimal": ("0.377380", 2.0),
        "optimal gain, log2": ("0.391729", 1.123),
        BOTH: ("0.393353", 1.112),
    }
    for variant, (phi, ratio) in wanted.items():
        own = row(result, variant)
        assert f"{own['phi']:.{len(phi) - 2}f}" == phi
        assert own["ratio"] == pytest.approx(ratio, abs=5e-4)
    curve = [0.1769, 0.1524, 0.1151, 0.1017, 0.0885, 0.0885, 0.0841, 0.0818, 0.0554, 0.0554]
    found = result.tables["discounts"].filter(variant="linear gain, optimal")["discount"]
    np.testing.assert_allclose(found, curve, atol=5e-5)
    assert [note.code for note in result.notes[:2]] == ["discount_follows_pool", "lost_gain"]
    assert "follows the edge of the pool: it falls" in notes(result)["discount_follows_pool"]
    assert "on held-out topics" in notes(result)["lost_gain"]
