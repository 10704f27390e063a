"""Discriminative power: against published cells, a plain loop, and inputs that leave nothing to test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.power.analysis import NOT_SIGNIFICANT, SIGNIFICANT, power
from assay.analyses.power.placebo import of_measures
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.data.judged import Collection
from assay.results.result import Result
from assay.scoring.conditions import score_conditions
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores
from assay.stats.intervals import deletions
from assay.stats.significance.declare import significance_tests
from assay.stats.significance.paired_t import t_test
from assay.stats.significance.subsampled_power import subsampled_power
from assay.stats.subsampling import halves
from tests.builders.dense import collection

TABLE_1 = {
    "P@10": 0.645,
    "RBP(p=0.8)@1000": 0.657,
    "RBP(p=0.95)@1000": 0.691,
    "AP@1000": 0.725,
    "nDCG(discount='jk')@1000": 0.718,
}
"""webber2010, table 1, column T8: discriminative power on the 129 runs of TREC-8, paired t, alpha 0.05."""


def codes(result: Result) -> list[str]:
    return [note.code for note in result.notes]


def noted(result: Result, code: str) -> Note:
    (note,) = (note for note in result.notes if note.code == code)
    return note


def made(n_runs: int = 8, n_topics: int = 20, *, seed: int = 0) -> Scores:
    """Synthetic scores of two measures, the second coarse and full of ties."""
    rng = np.random.default_rng(seed)
    x = rng.beta(1, 3, size=(n_runs, n_topics)) + np.linspace(0, 0.2, n_runs)[:, None]
    runs, topics = (tuple(f"{w}{i}" for i in range(n)) for w, n in (("r", n_runs), ("t", n_topics)))
    return Scores(("fine", "coarse"), runs, topics, np.stack([x, x.round(1)]))


@pytest.mark.xdist_group("trec8")
def test_table_1_of_webber2010_comes_out_to_three_decimals(adhoc8: Collection) -> None:
    scores = score_conditions(adhoc8.runs, adhoc8.qrels, TABLE_1)
    table = of_measures(power(scores).table)
    assert [round(p, 3) for p in table["power"]] == list(TABLE_1.values())
    assert table["n_pairs"].to_list() == [129 * 128 // 2] * 5


@pytest.mark.parametrize(("name", "published"), [("adhoc5.p10", 0.628), ("adhoc8.p10", 0.645), ("adhoc8.ap", 0.725)])
def test_score_matrices_give_the_cells_of_table_1_that_they_can(data: Path, name: str, published: float) -> None:
    """The matrices are rounded to four decimals: within 0.001 (webber2010, table 1)."""
    found = power(read_scores(str(data / "score-matrices" / "urbano" / f"{name}.tsv.gz"))).table["power"][0]
    assert found == pytest.approx(published, abs=0.0011)


def test_every_pair_is_tested_as_scipy_tests_it() -> None:
    scores = made()
    result = power(scores)
    for m, x in zip(scores.conditions, scores.value, strict=True):
        for row in result.tables["pairs"].filter(pl.col("measure") == m).iter_rows(named=True):
            a, b = x[scores.runs.index(row["run_a"])], x[scores.runs.index(row["run_b"])]
            theirs = stats.ttest_rel(a, b)
            interval = theirs.confidence_interval(0.95)
            assert row["p"] == pytest.approx(theirs.pvalue, abs=1e-12)
            assert (row["difference"], row["low"], row["high"]) == pytest.approx(
                ((a - b).mean(), *interval), abs=1e-12
            )
            assert row["effect"] == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
            assert row["significant"] == (theirs.pvalue < 0.05)
    assert result.table["n_significant"].to_list() == [
        int(result.tables["pairs"].filter((pl.col("measure") == m) & pl.col("significant")).height)
        for m in scores.conditions
    ]


def test_the_interval_is_that_of_halves_of_the_topics() -> None:
    scores = made()
    row = power(scores, level=0.9, rng=3).table.row(0, named=True)
    share = subsampled_power(scores.value[0], halves(len(scores.topics), seed=3), alpha=0.05)
    assert (row["power"], row["low"], row["high"]) == (share.value, *(share.interval(0.9) or ()))


def test_differences_are_paired_over_topics() -> None:
    scores = made()
    found = power(scores).tables["differences"].row(0, named=True)
    split = halves(len(scores.topics))
    a, b = (subsampled_power(x, split, alpha=0.05) for x in scores.value)
    assert found["difference"] == pytest.approx(a.value - b.value)
    assert (found["low"], found["high"]) == (a - b).interval(0.95)


def test_differences_are_tested_together_by_holms_method() -> None:
    """All pairs of three measures; the twin steps down through the p-values."""
    rng = np.random.default_rng(5)
    x = rng.beta(1, 3, size=(20, 25)) + np.linspace(0, 0.3, 20)[:, None]
    noisy = [x, x.round(1), x + rng.normal(0, 0.6, x.shape)]
    runs, topics = tuple(f"r{i}" for i in range(20)), tuple(map(str, range(25)))
    result = power(Scores(("a", "b", "c"), runs, topics, np.stack(noisy)))
    found = result.tables["differences"]
    shares = [subsampled_power(each, halves(25), alpha=0.05) for each in noisy]
    p = [(shares[a] - shares[b]).p for a, b in ((0, 1), (0, 2), (1, 2))]
    best = result.tables["best"]
    assert best["measure"].to_list() == ["a", "b", "c"]
    assert best["may_be_best"].to_list() == [True, True, False]
    assert best["above"][2] in {"a", "b"}
    assert found["p"].to_list() == pytest.approx(p, abs=1e-12)
    smallest, middle, largest = sorted(p)
    stepped = {smallest: min(1, 3 * smallest)}
    stepped[middle] = max(stepped[smallest], min(1, 2 * middle))
    stepped[largest] = max(stepped[middle], largest)
    assert found["p_holm"].to_list() == pytest.approx([stepped[q] for q in p], abs=1e-12)
    assert smallest < 0.05 < max(found["p_holm"])


def test_measures_that_never_differ_have_p_one() -> None:
    scores = made()
    twins = Scores(("a", "b"), scores.runs, scores.topics, scores.value[[0, 0]])
    assert power(twins).tables["differences"].row(0)[2:] == (0.0, 0.0, 0.0, 1.0, 1.0)


def test_measures_on_different_topics_are_not_compared_even_if_they_have_as_many() -> None:
    scores = made()
    holed = scores.value.copy()
    holed[0, :, 3], holed[1, :, 4] = np.nan, np.nan
    result = power(Scores(scores.conditions, scores.runs, scores.topics, holed))
    row = result.tables["differences"].row(0, named=True)
    assert np.isnan([row["low"], row["high"], row["p"], row["p_holm"]]).all()
    assert result.tables["best"].select("p", "may_be_best").rows() == [(None, True)] * 2
    assert "different_topics" in codes(result)


def test_fewer_than_eight_topics_give_no_interval_of_power() -> None:
    few, enough = (power(made(8, n)) for n in (7, 8))
    assert np.isnan(few.table.select("low", "high").row(0)).all()
    assert np.isnan(few.tables["differences"].select("low", "high", "p", "p_holm").row(0)).all()
    assert few.tables["best"].select("p", "may_be_best").row(0) == (None, True)
    assert not np.isnan(enough.table.select("low", "high").row(0)).any()


def test_many_topics_are_left_out_in_groups_that_cover_them_all() -> None:
    kept = list(deletions(249))
    assert len(kept) == 50
    gone = np.concatenate([np.setdiff1d(np.arange(249), k) for k in kept])
    assert sorted(gone) == list(range(249))


@pytest.mark.parametrize("test", significance_tests())
def test_the_interval_contains_its_estimate_on_pure_noise(test: str) -> None:
    rng = np.random.default_rng(7)
    noise = Scores(("m",), tuple("abcdef"), tuple(map(str, range(12))), rng.normal(size=(1, 6, 12)))
    row = power(noise, test=test, resamples=200).table.row(0, named=True)
    assert row["low"] <= row["power"] <= row["high"]


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["ap", "p10"])
def test_the_interval_covers_what_it_should_on_topics_of_robust_2004(data: Path, measure: str) -> None:
    """50 of 249 topics at a time, all 110 runs; the truth is the mean power over many such samples."""
    x = read_scores(str(data / "score-matrices" / "urbano" / f"robust2004.{measure}.tsv.gz")).value[0]
    rng = np.random.default_rng(1)
    truth = np.mean([_share(x[:, rng.permutation(249)[:50]]) for _ in range(400)])
    held = 0
    for _ in range(200):
        sample = x[:, rng.permutation(249)[:50]]
        low, high = subsampled_power(sample, halves(50), alpha=0.05).interval(0.95) or (np.nan, np.nan)
        held += int(low <= truth <= high)
    assert 0.92 <= held / 200 <= 0.99


def _share(x: Array) -> float:
    return float((t_test(x) < 0.05).mean())


@pytest.mark.parametrize("test", [name for name, test in significance_tests().items() if test.critical])
def test_delta_is_the_largest_critical_difference_and_its_median(test: str) -> None:
    scores = made(10, 25, seed=3)
    row = power(scores, test=test, resamples=500, rng=1).table.row(0, named=True)
    declared = significance_tests()[test]
    critical = declared.critical_differences(scores.value[0], alpha=0.05, resamples=500, seed=1)
    assert critical is not None
    assert (row["delta"], row["delta_median"]) == (critical.max(), np.median(critical))


def test_rank_tests_have_no_critical_difference() -> None:
    table = power(made(), test="sign").table
    assert table["delta"].null_count() == table["delta_median"].null_count() == 2


def test_corrections_never_find_more() -> None:
    found = {c: power(made(), correction=c).table["n_significant"][0] for c in ("none", "bh", "holm")}
    assert found["none"] >= found["bh"] >= found["holm"]


def test_the_same_seed_gives_the_same_result_and_another_seed_another() -> None:
    first, again, other = (
        power(made(), test="bootstrap", rng=seed).tables["pairs"]["p"].to_list() for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert power(made(), test="bootstrap").settings["resamples"] == significance_tests()["bootstrap"].resamples


def test_one_run_is_refused_and_identical_runs_are_not_separated() -> None:
    scores = made()
    with pytest.raises(UsageError, match="one run"):
        power(scores.select(runs=["r0"]))
    twins = Scores(
        ("m",), ("a", "b"), scores.topics, np.stack([scores.value[0, :1], scores.value[0, :1]], axis=1)[0][None]
    )
    result = power(twins)
    assert result.table["power"][0] == 0
    assert noted(result, "constant_differences").text.endswith("not significant: 1 with m")


def test_one_topic_gives_no_interval_and_says_so() -> None:
    result = power(made().select(topics=["t3"]))
    assert np.isnan(result.table["low"][0])
    assert noted(result, "one_topic").severity == "caution"


def test_all_zero_scores_separate_nothing() -> None:
    nothing = Scores(("m",), ("a", "b", "c"), ("1", "2"), np.zeros((1, 3, 2)))
    assert power(nothing).table.row(0, named=True)["n_significant"] == 0


def test_topics_that_no_run_has_are_left_out_with_a_note() -> None:
    scores = made()
    holed = scores.value.copy()
    holed[0, :, 5] = np.nan
    whole = power(scores.select(topics=[t for t in scores.topics if t != "t5"])).table.row(0)
    result = power(Scores(scores.conditions, scores.runs, scores.topics, holed))
    assert result.table.row(0) == whole
    assert "incomplete_topics" in codes(result)


def test_the_command_reads_files_keeps_the_best_and_draws(tmp_path: Path) -> None:
    runs, qrels = collection(n_runs=12, n_topics=10, n_docs=60).write(tmp_path)
    ask = ["power", str(runs), "--qrels", str(qrels), "-m", "AP", "-m", "nDCG@10/pool=5", "--top", "75%"]
    assert main([*ask, "-o", str(tmp_path / "p.json")]) == 0
    found = json.loads((tmp_path / "p.json").read_text())
    rows = [(row["measure"], row["placebo"]) for row in found["table"]]
    assert rows == [("AP", False), ("nDCG@10/pool=5", False), ("NumRet", True), ("Judged@60", True)]
    assert found["table"][0]["n_pairs"] == 9 * 8 // 2
    assert found["basis"]["runs"] == 9
    for name in ("power", "asl"):
        assert main([*ask, "--table", name, "-o", str(tmp_path / f"{name}.svg")]) == 0
        assert (tmp_path / f"{name}.svg").read_text().startswith("<svg")


def test_the_charts_say_what_the_tables_say() -> None:
    result = power(made(40, 20), alpha=0.1)
    charts = {chart.name: chart.spec() for chart in result.charts}
    assert list(charts) == ["power", "asl"]
    assert {row["measure"] for row in charts["power"]["data"]["values"]} == {"fine", "coarse"}
    drawn = result.tables["asl"].filter(pl.col("p") <= 0.15)
    assert charts["asl"]["data"]["values"] == drawn.to_dicts()
    assert {"datum": 0.1} in [layer["encoding"]["y"] for layer in charts["asl"]["layer"]]


@pytest.mark.parametrize("correction", ["none", "holm"])
def test_few_pairs_are_drawn_first_one_by_one_and_as_corrected(correction: str) -> None:
    result = power(made(10, 20), correction=correction)
    chart = result.charts[0]
    assert [c.name for c in result.charts] == ["pairs", "power", "asl"]
    assert chart.table.height == 2 * 45
    verdicts = [SIGNIFICANT if found else NOT_SIGNIFICANT for found in result.tables["pairs"]["significant"]]
    assert chart.table["verdict"].to_list() == verdicts
    legend = chart.spec()["spec"]["layer"][1]["encoding"]["fill"]
    assert legend["title"] == ("at 0.05" if correction == "none" else "at 0.05 after Holm's correction")
    assert result.charts[2].table.height == 2 * 45
    assert power(made(11, 20)).charts[0].name == "power"


def test_a_chart_of_pairs_holds_as_many_measures_as_a_page_can() -> None:
    x = np.random.default_rng(0).random((50, 10, 8))
    many = Scores(tuple(f"m{i}" for i in range(50)), tuple("abcdefghij"), tuple(map(str, range(8))), x)
    chart = power(many).charts[0]
    assert chart.table["measure"].unique(maintain_order=True).to_list() == [f"m{i}" for i in range(44)]


@pytest.mark.parametrize("name", significance_tests())
def test_a_test_whose_caveat_is_noted_says_it_with_every_result(name: str) -> None:
    result = power(made(3, 8), test=name, resamples=20)
    declared = significance_tests()[name]
    assert ("significance_test_caveat" in codes(result)) is declared.noted
    if declared.noted:
        note = noted(result, "significance_test_caveat")
        assert (note.severity, note.text) == ("caution", f"{declared.title} is {declared.caveat}")


@pytest.mark.parametrize("name", significance_tests())
def test_a_correction_on_top_of_a_family_wise_test_is_noted(name: str) -> None:
    result = power(made(3, 8), test=name, resamples=20, correction="holm")
    assert ("corrected_twice" in codes(result)) is significance_tests()[name].family_wise
    assert "corrected_twice" not in codes(power(made(3, 8), test=name, resamples=20))


def test_few_runs_are_noted_and_counted_in_the_basis() -> None:
    few, many = power(made(9)), power(made(10))
    assert noted(few, "few_runs").text.startswith("9 runs are too few")
    assert "few_runs" not in codes(many)
    assert (few.basis.runs, few.basis.topics) == (9, 20)


def test_the_section_needs_two_runs_and_has_nothing_of_its_own_for_few() -> None:
    assert power.section is not None
    assert (power.section.n_runs, power.section.few) == (2, None)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"test": "foo"}, "test: 'foo' is not one of t, bootstrap"),
        ({"test": "bootstrap", "resamples": 0}, "resamples 0 is not a whole number from 1 up"),
        ({"test": "bootstrap", "rng": -1}, "rng -1 is not a whole number from 0 up"),
        ({"level": 95}, r"level 95 is not between 0 and 1; did you mean 0\.95\?"),
        ({"alpha": 0}, r"alpha 0 is not between 0 and 1, such as 0\.05"),
    ],
)
def test_settings_that_cannot_be_are_one_line_each(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        power(made(), **settings)


def test_data_of_another_kind_are_refused() -> None:
    with pytest.raises(UsageError, match="power takes Scores, not dict"):
        power({"a": 1})
