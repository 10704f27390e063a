"""Designs for a budget of judgments: pools counted by hand, phi by plain loops, and a truth that is known."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from assay.analyses.budget.analysis import MEASURES, budget
from assay.analyses.budget.budgets import Affordable, DesignPowers, affordable, answer, compare_budget, may_be_best
from assay.analyses.budget.designs import JudgingDesign, PilotPools, pool_sizes
from assay.analyses.budget.phi import extrapolated_phi, observed_phi, shuffled_halves, spearman_brown
from assay.analyses.predictivity.analysis import predictivity
from assay.cli import main
from assay.core.errors import InputError, MeasureError, UsageError
from assay.data.judged import Collection, Negative, judge
from assay.data.read import read_qrels, read_runs
from assay.data.tables import IN_POOL
from assay.measures.grammar import parse
from assay.results.result import Result
from assay.scoring.conditions import score_conditions
from assay.stats.splits import splits
from tests.builders.dense import collection

DEPTHS = (5, 10, 20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve runs on sixteen topics, sixty documents each, all judged, in three grades."""
    at = tmp_path_factory.mktemp("pilot")
    collection(n_runs=12, n_topics=16, n_docs=60, rng=3).write(at)
    return at


@pytest.fixture(scope="module")
def pilot(folder: Path) -> Collection:
    return Collection(read_runs(folder / "runs"), read_qrels(folder / "qrels.txt"))


@pytest.fixture(scope="module")
def result(pilot: Collection) -> Result:
    return budget(pilot, budget=["150,300", "2000"], pool_depth="5,10,20", splits=200)


def pooled(folder: Path, depth: int) -> dict[str, set[str]]:
    """The documents in a pool: a plain loop over the lines of the runs."""
    pool: dict[str, set[str]] = {}
    for file in sorted((folder / "runs").iterdir()):
        for line in gzip.decompress(file.read_bytes()).decode().splitlines():
            topic, _, doc, rank, *_ = line.split()
            if int(rank) <= depth:
                pool.setdefault(topic, set()).add(doc)
    return pool


# --- what topics cost


def test_judged_topics_that_no_run_answers_are_left_out_and_cost_nothing(tmp_path: Path, folder: Path) -> None:
    lines = (folder / "qrels.txt").read_text() + "".join(f"new{i} 0 d{i} 1\n" for i in range(16))
    (tmp_path / "more.txt").write_text(lines)
    runs = read_runs(folder / "runs")
    same, more = (
        budget(Collection(runs, read_qrels(path)), budget=["150"], pool_depth="5", splits=20)
        for path in (folder / "qrels.txt", tmp_path / "more.txt")
    )
    assert more.table.equals(same.table)
    assert more.tables["pools"].equals(same.tables["pools"])
    (note,) = (note for note in more.notes if note.code == "unanswered_topics")
    assert "16 judged topics" in note.text
    assert "unanswered_topics" not in {note.code for note in same.notes}


def test_no_pool_is_deeper_than_the_deepest_run(pilot: Collection) -> None:
    pools = budget(pilot, budget=["900"], pool_depth="5,60,500,9000", splits=20).tables["pools"]
    assert pools["pool_depth"].to_list() == [5, 60]


def test_a_topic_costs_the_documents_in_its_pool(result: Result, folder: Path) -> None:
    pools = result.tables["pools"]
    assert pools["pool_depth"].to_list() == list(DEPTHS)
    for depth, n_judged, per_topic in pools.select("pool_depth", "n_judged", "per_topic").iter_rows():
        n = sum(len(docs) for docs in pooled(folder, depth).values())
        assert (n_judged, per_topic) == (n, n / 16)


def with_judgments(folder: Path, tmp_path: Path, every: int, *, drop: bool) -> Collection:
    """The pilot without one of so many judgments, or with one of so many only."""
    lines = (folder / "qrels.txt").read_text().splitlines()
    some = [line for i, line in enumerate(lines) if bool(i % every) is drop]
    (tmp_path / "some.txt").write_text("\n".join(some) + "\n")
    return Collection(read_runs(folder / "runs"), read_qrels(tmp_path / "some.txt"))


def test_unjudged_documents_of_a_pool_cost_as_much_and_are_said(tmp_path: Path, folder: Path) -> None:
    outcome = budget(with_judgments(folder, tmp_path, 20, drop=True), pool_depth="5", splits=20)
    (pool,) = outcome.tables["pools"].to_dicts()
    n = sum(len(docs) for docs in pooled(folder, 5).values())
    assert pool["n_judged"] < n
    assert (pool["n_documents"], pool["per_topic"]) == (n, n / 16)
    notes = {note.code: note for note in outcome.notes}
    assert "pool_coverage" in notes
    assert "unjudged_pools" not in notes


def test_pools_that_were_not_judged_are_left_out_or_warned_of(tmp_path: Path, folder: Path) -> None:
    half = with_judgments(folder, tmp_path, 2, drop=True)
    usual = budget(half, budget=["1000"], splits=60)
    notes = {note.code: note for note in usual.notes}
    assert set(usual.table["pool_depth"]) == {5}  # the shallowest, where none was judged in full
    assert usual.tables["pools"].height > 1
    assert "depths 10, 20, 50 and 60 are left out" in notes["left_out_pools"].text
    assert notes["unjudged_pools"].severity == "warning"
    assert usual.text.startswith("Only ")
    assert usual.sentences == ()
    asked = budget(half, budget=["1000"], pool_depth="5,20", splits=60)
    assert set(asked.table["pool_depth"]) == {5, 20}
    assert "left_out_pools" not in {note.code for note in asked.notes}


@pytest.mark.parametrize("negative", ["pooled", "nonrelevant"])
def test_runs_are_judged_by_a_pool_as_by_its_judgments_alone(pilot: Collection, negative: Negative) -> None:
    """The twin looks every document up again, in the judgments of the pool."""
    grade = pilot.qrels.grade.copy()
    grade[::7] = IN_POOL
    data = replace(pilot, qrels=replace(pilot.qrels, grade=grade), negative=negative)
    few = np.arange(len(data.runs.names)) % 3 == 0
    pools = PilotPools.of(data, judge(data.runs, data.qrels, negative=negative), [3, 9], few)
    for depth in (3, 9):
        again = judge(data.runs, pools.grid.pool(pools.first, depth), negative=negative)
        at_once = pools.judged(depth)
        np.testing.assert_array_equal(at_once.cube(), again.cube())
        np.testing.assert_array_equal(at_once.pool, again.pool)
    assert again.pool.sum() > judge(data.runs, pools.grid.pool(pools.first, 3), negative=negative).pool.sum()


def test_pools_that_contributors_fill_hold_their_documents_only(folder: Path, pilot: Collection) -> None:
    few = np.isin(pilot.runs.names, pilot.runs.names[:3])
    files = sorted((folder / "runs").iterdir())
    named = [file for file in files if file.name.split(".")[0] in pilot.runs.names[:3]]
    assert len(named) == 3
    documents = {
        (topic, doc)
        for file in named
        for topic, _, doc, rank, *_ in map(str.split, gzip.decompress(file.read_bytes()).decode().splitlines())
        if int(rank) <= 7
    }
    assert pool_sizes(pilot.runs, pilot.qrels.topics, few, [7]).sum(-1).tolist() == [len(documents)]
    by_topic = [len({doc for of, doc in documents if of == topic}) for topic in pilot.qrels.topics]
    assert pool_sizes(pilot.runs, (*pilot.qrels.topics, "none"), few, [7]).tolist() == [[*by_topic, 0]]


def test_each_design_has_the_most_topics_that_a_budget_pays_for(result: Result) -> None:
    per_topic = dict(result.tables["pools"].select("pool_depth", "per_topic").iter_rows())
    assert result.table["budget"].unique().sort().to_list() == [150, 300, 2000]
    for limit, depth, n, judged in result.table.select("budget", "pool_depth", "n_topics", "n_judged").iter_rows():
        assert n * per_topic[depth] <= limit < (n + 1) * per_topic[depth]
        assert judged == int(np.ceil(n * per_topic[depth] - 1e-9))
    assert result.tables["budget"].equals(result.table)


def test_what_a_budget_cannot_pay_for_is_not_there() -> None:
    value = np.zeros((3, 4))
    designs = [JudgingDesign(parse("P@10"), depth, False, value) for depth in (5, 10)]
    assert list(affordable(designs, {5: 20.0, 10: 35.0}, 30)) == [Affordable(0, 1, 20)]
    assert list(affordable(designs, {5: 20.0, 10: 30.0}, 30))[1] == Affordable(1, 1, 30)


def test_a_measure_that_a_shallower_pool_scores_the_same_is_not_repeated(result: Result) -> None:
    """All of the first ten documents are in a pool of depth 10: one of depth 20 costs more for the same P@10."""
    p10 = result.tables["curve"].filter(measure="P@10")
    assert p10["pool_depth"].unique().sort().to_list() == [5, 10]
    assert result.tables["curve"].filter(measure="nDCG")["depth"].is_null().all()


# --- phi


def test_phi_with_half_of_the_topics_is_that_of_predictivity(result: Result, pilot: Collection) -> None:
    names = {"P@10/pool=10": ("P@10", 10), "nDCG@20/pool=20": ("nDCG@20", 20), "nDCG/pool=5": ("nDCG", 5)}
    scores = score_conditions(pilot.runs, pilot.qrels, [*names, "nDCG"])
    plain = predictivity(scores, splits=200)
    for name, (measure, depth) in names.items():
        (row,) = result.tables["curve"].filter(measure=measure, pool_depth=depth, n_topics=8).to_dicts()
        of_target = plain.table.filter(predictor=name, target="nDCG")["phi"].item()
        of_itself = plain.table.filter(predictor=name, target=name)["phi"].item()
        assert (row["phi"], row["phi_self"]) == pytest.approx((of_target, of_itself), abs=1e-12)
        assert row["low"] < row["phi"] < row["high"]


def test_power_over_itself_with_fewer_topics_is_that_of_predictivity(result: Result, pilot: Collection) -> None:
    scores = score_conditions(pilot.runs, pilot.qrels, ["P@10/pool=10"])
    for n in (2, 4):
        (row,) = result.tables["curve"].filter(measure="P@10", pool_depth=10, n_topics=n).to_dicts()
        assert row["phi_self"] == pytest.approx(predictivity(scores, n_topics=n, splits=200).table["phi"].item())


def test_with_fewer_topics_the_target_still_has_half_of_them() -> None:
    """A plain loop over scipy's tau-b, in both directions."""
    rng = np.random.default_rng(5)
    x, target = rng.normal(size=(2, 9, 20)), rng.normal(size=(9, 20)) + np.arange(9)[:, None] / 9
    halves = splits(20, 10, 30, seed=2)
    phi = observed_phi(x, target, halves, 3, replicates=5)
    for d in range(2):
        taus = [
            kendalltau(x[d][:, few].mean(-1), target[:, other].mean(-1)).statistic
            for one, two in zip(halves.first, halves.second, strict=True)
            for few, other in ((one[:3], two), (two[-3:], one))
        ]
        own = [
            kendalltau(x[d][:, one[:3]].mean(-1), x[d][:, two[-3:]].mean(-1)).statistic
            for one, two in zip(halves.first, halves.second, strict=True)
        ]
        assert phi.value[:, d] == pytest.approx((np.mean(taus), np.mean(own)), abs=1e-12)


def test_intervals_are_a_jackknife_over_topics() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(1, 8, 12)) + np.arange(8)[None, :, None] / 6
    target = rng.normal(size=(8, 12)) + np.arange(8)[:, None] / 6
    halves = splits(12, 6, 20, seed=2)
    phi = observed_phi(x, target, halves, 4, replicates=20)
    for topic in (0, 7):
        change = []
        for one, two in zip(halves.first, halves.second, strict=True):
            taus = []
            for without in (False, True):
                sets = [s[s != topic] if without else s for s in (one[:4], two[-4:], one, two)]
                mean = [x[0][:, s].mean(-1) for s in sets[:2]] + [target[:, s].mean(-1) for s in sets[2:]]
                taus.append(np.mean([kendalltau(mean[a], mean[b]).statistic for a, b in ((0, 3), (1, 2))]))
            change.append(taus[1] - taus[0])
        assert phi.changes[topic, :, 0, 0] == pytest.approx(change, abs=1e-12)


def test_a_set_that_leaves_nothing_behind_is_left_out_of_the_replicate() -> None:
    """Without its only topic a set ranks nothing: phi is then the mean over the other splits."""
    rng = np.random.default_rng(7)
    x, target = rng.normal(size=(1, 8, 12)), rng.normal(size=(8, 12))
    halves = splits(12, 6, 40, seed=2)
    phi = observed_phi(x, target, halves, 1, replicates=40)
    assert not np.isnan(phi.changes).any()
    taus, without = [], []
    for one, two in zip(halves.first, halves.second, strict=True):
        few, other = one[0], two[-1]
        taus.append(kendalltau(x[0][:, few], x[0][:, other]).statistic)
        if 0 not in (few, other):
            without.append(taus[-1])
    assert len(without) < 40
    assert phi.changes[0, :, 1, 0].mean() == pytest.approx(np.mean(without) - np.mean(taus), abs=1e-12)


def test_complete_splits_are_shuffled_within_each_half() -> None:
    halves = shuffled_halves(splits(8, 4, 500, seed=0), 0)
    assert halves.complete
    assert len(halves) == 35
    assert {tuple(sorted(row)) for row in halves.first} <= {tuple(sorted(r)) for r in splits(8, 4, 500, 0).first}
    assert (np.diff(halves.first, axis=1) < 0).any()


# --- beyond half of the topics


def test_extrapolation_is_exact_where_its_model_is() -> None:
    """Closed form: r between means of n topics is n / (n + error), with a truth that has rank correlation c."""
    error, c, m = 30.0, 0.8, 25

    def phi(n: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        own = n / (n + error)
        return 2 / np.pi * np.arcsin([c * np.sqrt(own * m / (m + 5.0)), own])

    for n in (25, 50, 400):
        assert spearman_brown(phi(25)[:, None], 25, n)[:, 0] == pytest.approx(phi(n), abs=1e-12)


def test_extrapolation_meets_what_many_normal_topics_show() -> None:
    rng = np.random.default_rng(1)
    true = rng.normal(size=150)
    x = true[:, None] + rng.normal(size=(150, 800)) * 5
    target = 0.8 * true[:, None] + 0.6 * rng.normal(size=(150, 1)) + rng.normal(size=(150, 800)) * 5
    few = observed_phi(x[None, :, :80], target[:, :80], splits(80, 40, 60, 0), 40, replicates=20)
    guess = extrapolated_phi(few, 40, 160)
    assert guess.extrapolated
    halves = splits(800, 160, 30, 0)  # the target keeps the 40 topics it has there
    taus = [
        kendalltau(x[:, one].mean(-1), target[:, two[:40]].mean(-1)).statistic
        for one, two in zip(halves.first, halves.second, strict=True)
    ]
    own = [
        kendalltau(x[:, one].mean(-1), x[:, two].mean(-1)).statistic
        for one, two in zip(halves.first, halves.second, strict=True)
    ]
    assert guess.value[:, 0] == pytest.approx((np.mean(taus), np.mean(own)), abs=0.05)
    low, high = guess.interval(level=0.95)
    assert low[0, 0] < guess.value[0, 0] < high[0, 0]


def test_a_measure_that_does_not_predict_itself_is_not_extrapolated() -> None:
    assert np.isnan(spearman_brown(np.array([[0.2], [-0.1]]), 10, 20)).all()


def test_more_topics_than_half_are_marked(result: Result) -> None:
    assert (result.table["extrapolated"] == (result.table["n_topics"] > 8)).all()
    assert "extrapolated" in {note.code for note in result.notes}
    curve = result.tables["curve"].filter(measure="nDCG", pool_depth=5).sort("n_topics")
    assert curve["n_topics"].to_list() == [2, 4, 5, 7, 8, 16, 32]
    assert curve["phi"].diff().drop_nulls().min() > -0.01  # type: ignore[operator]


# --- which is best


def test_of_designs_with_a_known_truth_the_best_is_marked_first() -> None:
    """The same truth, measured with error 3 for 10 judgments or 2 for 100: for 400, forty noisy topics win."""
    rng = np.random.default_rng(4)
    true = rng.normal(size=(40, 1))
    target = true + rng.normal(size=(40, 100))
    cheap, dear = true + rng.normal(size=(40, 100)) * 3, true + rng.normal(size=(40, 100)) * 2
    designs = [JudgingDesign(parse("P@10"), 10, False, cheap), JudgingDesign(parse("AP"), 100, False, dear)]
    powers = DesignPowers(designs, target, splits(100, 50, 200, 0), replicates=25)
    few = compare_budget(powers, list(affordable(designs, {10: 10.0, 100: 100.0}, 400)), 400, level=0.95)
    assert [(row["measure"], row["n_topics"], row["best"]) for row in few] == [("P@10", 40, True), ("AP", 4, False)]
    same = compare_budget(powers, list(affordable(designs, {10: 10.0, 100: 10.0}, 400)), 400, level=0.95)
    assert same[0]["measure"] == "AP"  # for the same price the better measurement


def test_equal_designs_may_all_be_best_and_a_far_worse_one_not() -> None:
    changes = [np.random.default_rng(0).normal(size=(20, 10)) * 0.01] * 3
    changes[2] = changes[2] + np.random.default_rng(1).normal(size=(20, 1)) * 1e-3
    marked = may_be_best(np.array([0.7, 0.7, 0.5]), changes, exact=True, level=0.95)
    assert marked.tolist() == [True, True, False]
    assert may_be_best(np.array([0.7, 0.1]), [np.zeros((0, 5))] * 2, exact=True, level=0.95).all()  # no interval
    assert not may_be_best(np.full(2, np.nan), [np.zeros((4, 5))] * 2, exact=True, level=0.95).any()


def test_a_line_answers_every_budget(result: Result) -> None:
    first, *_ = lines = result.text.splitlines()
    assert len(lines) == 3
    best, *others = result.table.filter(budget=150).to_dicts()
    n = 1 + sum(row["best"] for row in others)
    assert first.startswith(f"With 150 judgments {n} of {len(others) + 1} designs may be best; ")
    assert f"{best['n_topics']} topics to depth {best['pool_depth']} by {best['measure']}" in first
    assert f"phi {best['phi']:.3f} (95% interval {best['low']:.3f} to {best['high']:.3f})" in first
    assert all(len(line.split()) <= 26 for line in lines)  # one word more where phi is extrapolated


def test_the_answer_calls_a_design_best_only_where_all_others_are_behind() -> None:
    rows = [
        {"budget": 1000, "n_topics": n, "pool_depth": 5, "measure": "AP", "extrapolated": n > 5, "best": best}
        | {"phi": phi, "low": None, "high": None}
        for n, phi, best in ((1, 0.7, True), (2, 0.6, False), (9, 0.5, False), (4, None, False))
    ]
    alone = answer(rows, "nDCG", 0.95)  # of the one without phi nothing is known
    assert "1 topic to depth 5 by AP predicts nDCG best of 3 designs: phi 0.700" in alone
    assert "best" not in answer(rows[:1], "nDCG", 0.95)
    both = answer([row | {"best": True} for row in rows[:2]], "nDCG", 0.95)
    assert "2 of 2 designs may be best; 1 topic to depth 5 by AP has phi 0.700" in both
    assert answer(rows[3:], "nDCG", 0.95) == "With 1,000 judgments no design has a predictive power on these runs."


def test_every_budget_has_its_sentence_with_the_phi_of_the_design_that_is_named(result: Result) -> None:
    budgets = result.table.partition_by("budget", maintain_order=True)
    assert len(result.sentences) == len(budgets)
    for said, part in zip(result.sentences, budgets, strict=True):
        first = part.row(0, named=True)
        assert said.name == "best_design"
        assert f"{first['budget']:,} judgments" in said.text
        if said.status == "decided":
            assert f"to depth {first['pool_depth']}, scored by {first['measure']}" in said.text
            assert (said.value, said.low, said.high) == (first["phi"], first["low"], first["high"])


def test_a_chart_shows_every_budget_and_marks_what_is_extrapolated(result: Result) -> None:
    chart = next(one for one in result.charts if one.name == "budget")
    assert chart.table["panel"].unique().sort().to_list() == ["150 judgments", "2,000 judgments", "300 judgments"]
    assert chart.table.group_by("budget").len()["len"].max() <= 20  # type: ignore[operator]
    assert (chart.table["design"].str.ends_with(", extrapolated") == chart.table["extrapolated"]).all()
    assert (chart.table["best"] == (chart.table["verdict"] == "may be best")).all()
    assert chart.spec()


def test_without_a_budget_it_is_half_of_what_the_shallowest_pool_holds(pilot: Collection, folder: Path) -> None:
    outcome = budget(pilot, pool_depth="5,10", splits=40)
    half = ceil(sum(map(len, pooled(folder, 5).values())) / 2)
    assert outcome.table["budget"].unique().to_list() == [half]
    assert outcome.table.filter(pool_depth=5)["n_topics"].unique().to_list() == [8]  # of the sixteen
    assert not outcome.table["extrapolated"].any()
    assert "default_budget" in {note.code for note in outcome.notes}
    assert {chart.name for chart in outcome.charts} == {"budget", "topics", "judgments"}


def test_the_curve_is_the_whole_grid_whatever_the_budget(result: Result, pilot: Collection) -> None:
    curve = budget(pilot, pool_depth="5,10,20", splits=200).tables["curve"]
    assert curve.equals(result.tables["curve"])
    assert curve["budget"].is_null().all()
    assert curve["best"].is_null().all()


# --- other data


def written(folder: Path, qrels: str, runs: dict[str, list[str]]) -> Collection:
    (folder / "runs").mkdir()
    for name, lines in runs.items():
        (folder / "runs" / name).write_text("".join(f"{line} {name}\n" for line in lines))
    (folder / "qrels").write_text(qrels)
    return Collection(read_runs(folder / "runs"), read_qrels(folder / "qrels"))


def test_binary_judgments_with_one_relevant_document_are_about_ap(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    runs = {
        f"r{i}": [f"{t} Q0 d{d} {k + 1} {9 - k}.0" for t in range(6) for k, d in enumerate(rng.permutation(5))]
        for i in range(4)
    }
    outcome = budget(written(tmp_path, "".join(f"{t} 0 d0 1\n" for t in range(6)), runs), budget=["30"], splits=10)
    assert outcome.settings["target"] == "AP"
    assert outcome.tables["pools"].select("n_judged", "n_documents", "per_topic").row(0) == (6, 30, 5.0)
    assert (outcome.table["n_topics"] == 6).all()
    assert outcome.table["phi"].is_between(-1, 1).all()


def test_graded_judgments_are_about_ndcg_unless_another_measure_is_asked(pilot: Collection, result: Result) -> None:
    assert result.settings["target"] == "nDCG"
    other = budget(pilot, budget=["300"], pool_depth="5", target="AP(rel=2)", measure=["P@5"], splits=20)
    assert other.settings["target"] == "AP(rel=2)"
    assert set(other.table["measure"]) == {"P@5", "AP(rel=2)"}


def test_what_cannot_be_designed_is_refused(tmp_path: Path, pilot: Collection) -> None:
    refused = {
        "0": "from 1 up",
        "5k": "'5k' is not a whole number",
        "1,000": "commas separate budgets; give 1000",
        "1000,": "'' is not a whole number",
        "100-200": "'100-200' is not a whole number",
        "99999999999999999999": "more than 10,000,000",
        "3": "one topic in the shallowest pool takes",
    }
    for text, what in refused.items():
        with pytest.raises(UsageError, match=what):
            budget(pilot, budget=[text])
    with pytest.raises(MeasureError, match="is not a measure"):
        budget(pilot, target="")
    with pytest.raises(MeasureError, match="a measure without conditions is asked for here: AP@100"):
        budget(pilot, measure=["AP@100/standardised"])
    with pytest.raises(UsageError, match="NumRet has no mean over topics"):
        budget(pilot, measure=["NumRet"])
    with pytest.raises(UsageError, match="NumRel has no mean over topics"):
        budget(pilot, target="NumRel")
    with pytest.raises(UsageError, match="measure AP is asked for twice"):
        budget(pilot, measure=["AP", "map"])
    one = written(tmp_path, "1 0 d0 1\n", {name: ["1 Q0 d0 1 1.0"] for name in "ab"})
    for budgets in (["10"], []):
        with pytest.raises(UsageError, match="1 topic cannot be split"):
            budget(one, budget=budgets)
    apart = Collection(one.runs, pilot.qrels)
    with pytest.raises(UsageError, match="no run answers a judged topic"):
        budget(apart)


def test_one_run_is_refused(tmp_path: Path) -> None:
    alone = written(tmp_path, "1 0 d0 1\n2 0 d0 1\n", {"a": ["1 Q0 d0 1 1.0", "2 Q0 d0 1 1.0"]})
    with pytest.raises(UsageError, match="one run has no ranking"):
        budget(alone)


def test_judgments_of_other_documents_are_refused(tmp_path: Path) -> None:
    other = written(tmp_path, "1 0 x 1\n2 0 x 1\n", {n: ["1 Q0 d0 1 1.0", "2 Q0 d0 1 1.0"] for n in "ab"})
    with pytest.raises(InputError, match="no document that the runs return is judged"):
        budget(other)


def test_runs_that_nothing_separates_have_no_phi(tmp_path: Path) -> None:
    same = {name: [f"{t} Q0 d0 1 1.0" for t in range(5)] for name in "ab"}
    outcome = budget(written(tmp_path, "".join(f"{t} 0 d0 1\n" for t in range(5)), same), budget=["3"], splits=10)
    assert outcome.table["phi"].is_null().all()
    assert not outcome.table["best"].any()
    assert "no design has a predictive power" in outcome.text


def test_the_command_answers_in_json_and_refuses_scores(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "budget",
        str(folder / "runs"),
        "--qrels",
        str(folder / "qrels.txt"),
        "--budget",
        "200",
        "--splits",
        "20",
    ]
    assert main([*words, "--pool-depth", "5,10", "--format", "json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["settings"]["budget"] == [200]
    assert [one["name"] for one in whole["sentences"]] == ["best_design"]
    assert "least_splits" in {note["code"] for note in whole["notes"]}  # 20, fewer than 50
    assert {"pools", "curve", "budget"} == whole["tables"].keys()
    scores = tmp_path / "ap.csv"
    scores.write_text("topic,a,b\n1,0.1,0.2\n2,0.3,0.1\n")
    assert main(["budget", "--scores", str(scores), "--name", "AP", "--budget", "100"]) == 2
    assert "needs runs and judgments" in capsys.readouterr().err


def test_the_usual_measures_are_those_of_the_paper() -> None:
    assert MEASURES == ("P@10", "RR", "AP", "nDCG", "RBP(p=0.95)")


@pytest.mark.slow
@pytest.mark.xdist_group("trec8")
def test_on_trec_8_pools_cost_what_depth_counts(data: Path) -> None:
    at = data / "trec8-adhoc"
    outcome = budget(
        Collection(read_runs(at / "runs"), read_qrels(at / "qrels.gz")),
        budget=["5000"],
        measure=["P@10"],
        pool_depth="5,10,100",
        splits=60,
    )
    assert outcome.tables["pools"]["n_judged"].to_list()[-1] <= 86830
    shallow, deep = (outcome.table.filter(pool_depth=d)["phi"].max() for d in (10, 100))
    assert shallow > deep  # type: ignore[operator]
