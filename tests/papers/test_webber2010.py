"""webber2010: its tables 1 to 3, figure 2 and claims, computed again on TREC-8."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.analyses.agreement.analysis import agreement
from assay.analyses.power.analysis import power as power_command
from assay.analyses.reproduce.analysis import reproduce
from assay.core.errors import AssayError
from assay.papers.webber2010.statistics import best_first, power, rank, tau, tau_of_p
from assay.results.papers import ERROR, HOLDS, INCONCLUSIVE, Verdict, find_paper, paper
from assay.results.result import Result
from assay.scoring.scored_collection import ScoredCollection, from_scores
from assay.scoring.scores import Scores
from assay.stats.significance.paired_t import t_test
from tests.papers.pages import page_rows, stated_counts, summary_counts

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "webber2010.md"

pytestmark = pytest.mark.xdist_group("trec8")


@pytest.fixture(scope="module")
def trec8(data: Path) -> Result:
    """All rows whose data can be had, without the figures, which take as long again."""
    whole = find_paper("webber2010")
    paper(replace(whole, figures=None))
    try:
        return of_public_files(data)
    finally:
        paper(whole)


def of_public_files(data: Path) -> Result:
    places = dict(find_paper("webber2010").public_files)
    runs, qrels = (str(data / places.pop(key)) for key in ("runs", "qrels"))
    files = [f"{key}={','.join(str(data / path) for path in paths.split(','))}" for key, paths in places.items()]
    return reproduce("webber2010", runs=[runs], qrels=qrels, data=files)


def obtained(result: Result, item: str) -> dict[str, float]:
    rows = result.table.filter((pl.col("item") == item) & pl.col("obtained").is_not_null())
    return dict(rows.select("cell", "obtained").iter_rows())


def test_every_number_that_can_be_computed_is_within_tolerance_but_three_that_are_known(trec8: Result) -> None:
    off = trec8.table.filter(pl.col("ok").not_(), pl.col("item") != ERROR).select("item", "cell", "note").rows()
    assert [row[:2] for row in off] == [
        ("section 3.3", "groups"),
        ("section 3.3", "manual runs among the best 11 by AP@10"),
        ("table 1", "AP@1000, T5"),
    ]
    assert all(note for _, _, note in off)
    assert trec8.failed


def test_every_item_has_all_its_cells(trec8: Result) -> None:
    summary = {row["item"]: (row["n"], row["ok"]) for row in trec8.tables["summary"].iter_rows(named=True)}
    # T8 with its mean, AP and P@10 of T5 and T04, one of them off, and the 11 means of what is printed
    assert summary["table 1"] == (47, 20)
    assert summary["section 3.3"] == (17, 15)  # sizes of collections without scores from judgments and run means
    assert summary["table 2"] == (49, 49)
    assert summary["table 3"] == (36, 36)
    assert summary["figure 2"] == (3, 3)
    assert summary["section 3.1"] == (6, 6)
    assert summary["section 4.2"] == (11, 11)


def test_table_1_is_equal_to_three_decimals_on_trec_8(trec8: Result) -> None:
    """Table 1, column T8; of columns T5 and T04, what public scores at four decimals give."""
    shares = {cell: round(value, 3) for cell, value in obtained(trec8, "table 1").items()}
    table_1 = {
        "P@10": 0.645,
        "RBP .8": 0.657,
        "RBP .95": 0.691,
        "AP@1000": 0.725,
        "nDCG@1000": 0.718,
        "mean": 0.687,
    }
    assert {row: shares[f"{row}, T8"] for row in table_1} == table_1
    # table 1 has 0.628, 0.516 and 0.680, too, but 0.638 for AP on T5: three or four of 1,830 pairs more
    others = {"P@10, T5": 0.628, "AP@1000, T5": 0.636, "P@10, T04": 0.516, "AP@1000, T04": 0.680}
    assert {cell: shares[cell] for cell in others} == others


def test_intervals_hold_their_estimates_and_counts_have_none(trec8: Result) -> None:
    table = trec8.table.filter(pl.col("low").is_not_null())
    assert table.height > 100
    assert ((table["low"] <= table["obtained"]) & (table["obtained"] <= table["high"])).all()
    assert trec8.table.filter(pl.col("item") == "section 3.3")["low"].is_null().all()


@pytest.mark.parametrize(
    ("cell", "verdict"),
    [
        ("both are more alike than rankings of different depth", HOLDS),
        ("extended evaluation ranks more like deep than shallow does", HOLDS),
        ("p-values of extended evaluation are closer to deep than to shallow", HOLDS),
        ("nDCG@20 gains from a pool of 5 in place of 20, but not significantly", HOLDS),
        ("nDCG separates more pairs than RBP .95 on TREC-8 ad hoc", INCONCLUSIVE),
        ("normalisation helps DCG slightly where evaluation goes beyond the pool", INCONCLUSIVE),
        ("AP separates more pairs than P@10 on TREC-8 ad hoc", HOLDS),
        ("AP separates more pairs than P@10 on TREC-5 ad hoc", INCONCLUSIVE),
        ("the bootstrap and the randomisation test separate as many pairs as the t test", HOLDS),
        ("manual runs return more relevant documents that no other run does", HOLDS),
        ("manual runs lose ranks under extended evaluation", INCONCLUSIVE),
        ("power is affected more by evaluation depth than by the choice of measure", INCONCLUSIVE),
        ("than between two measures at the same depth", HOLDS),
        ("than between measures at depth 100", INCONCLUSIVE),  # against the range of all
        ("with abbreviated normalisation a pool beyond the evaluation depth does no harm", HOLDS),
        ("it rises as fast as if the pool were deepened too, or faster", INCONCLUSIVE),
        ("abbreviated normalisation would benefit the stability of recall", HOLDS),
        ("under full assessment power rises with depth, for all measures", HOLDS),
        ("on a pool of 5, power of DCG and AP does not fall up to evaluation depth 1,000", INCONCLUSIVE),
        ("nor does it on any other pool", INCONCLUSIVE),
    ],
)
def test_claims_hold_or_are_inconclusive(trec8: Result, cell: str, verdict: Verdict) -> None:
    row = row_of(trec8, cell)
    assert row["verdict"] == verdict
    assert row["ok"] is (True if verdict == HOLDS else None)


def row_of(result: Result, cell: str) -> dict[str, Any]:
    (row,) = result.table.filter(pl.col("cell").str.ends_with(cell)).iter_rows(named=True)
    return row


# estimate and interval as computed with numpy and scipy from the same files, apart from assay
@pytest.mark.parametrize(
    ("cell", "value", "low", "high"),
    [
        ("manual runs are penalised by extended evaluation", 0.156, 0.111, 0.201),
        ("manual runs lose their lead under extended evaluation", 0.033, 0.021, 0.044),
        ("drops back to the next ones under extended evaluation", 0.0445, 0.018, 0.071),
        ("expanded normalisation of AP a pool beyond the evaluation depth hurts", 0.043, 0.015, 0.071),
        ("expanded normalisation of AP a pool short of the evaluation depth helps", 0.022, 0.001, 0.043),
        ("expanded normalisation of nDCG a pool beyond the evaluation depth hurts", 0.020, 0.002, 0.039),
        ("expanded normalisation of nDCG a pool short of the evaluation depth helps", 0.009, -0.007, 0.025),
    ],
)
def test_claims_about_scores_and_many_cells_are_as_computed_apart(
    trec8: Result, cell: str, value: float, low: float, high: float
) -> None:
    row = row_of(trec8, cell)
    assert (row["obtained"], row["low"], row["high"]) == pytest.approx((value, low, high), abs=0.0012)
    assert row["verdict"] == (HOLDS if low > 0 else INCONCLUSIVE)


def test_leads_of_the_second_run_are_as_computed_apart(trec8: Result) -> None:
    leads = obtained(trec8, "section 4.1")
    assert leads["lead of that run over the next five by deep nDCG"] == pytest.approx(0.048, abs=5e-4)
    assert leads["lead of that run over the next five by extended nDCG"] == pytest.approx(0.004, abs=5e-4)


def test_normalisation_beyond_the_pool_has_every_cell_beside_its_average(trec8: Result) -> None:
    cell = "section 4.2: normalisation helps DCG slightly where evaluation goes beyond the pool"
    shown = trec8.tables["comparisons"].filter(pl.col("claim") == cell)
    values = dict(shown.select("comparison", "obtained").iter_rows())
    assert values["@1000, pool 100"] == pytest.approx(0.0185, abs=5e-5)
    assert values["@500, pool 100"] == pytest.approx(0.0142, abs=5e-5)
    assert values["average"] == pytest.approx(np.mean([v for name, v in values.items() if name != "average"]))


# power at depth 1,000 less that at 200, on a pool of 5, as computed with numpy from the same files, apart from assay
def test_far_beyond_the_pool_power_of_every_measure_is_held_against_the_end(trec8: Result) -> None:
    cell = "section 4.2: on a pool of 5, power of DCG and AP does not fall up to evaluation depth 1,000"
    shown = trec8.tables["comparisons"].filter(pl.col("claim") == cell)
    values = dict(shown.select("comparison", "obtained").iter_rows())
    assert len(values) == 12
    from_200 = [value for name, value in values.items() if name.endswith("@200")]
    assert np.mean(from_200) == pytest.approx(-0.0005, abs=5e-5)


def test_rough_shares_from_margins_are_shown_and_never_counted(trec8: Result) -> None:
    rough = trec8.table.filter(pl.col("item") == "table 1, rough")
    shares = {
        cell.removesuffix(", from run means and topic factors"): value
        for cell, value in rough.select("cell", "obtained").iter_rows()
    }
    expected = {
        "AP@1000, T5": 0.600,
        "AP@1000, T8": 0.666,
        "AP@1000, T01": 0.591,
        "P@10, T05": 0.539,
        "AP@1000, T05": 0.711,
    }
    assert shares == pytest.approx(expected, abs=5e-4)
    assert rough["ok"].is_null().all()
    assert rough["note"].str.contains("rough").all()


def test_errors_of_the_paper_are_off_and_say_why(trec8: Result) -> None:
    errors = trec8.table.filter(pl.col("item") == ERROR)
    assert (errors["ok"] == False).all()  # noqa: E712 - null is not false
    assert all(len(note) > 20 for note in errors["note"])
    assert errors["obtained"].round(3).to_list() == [0.901, 40, 21, 13]  # 900 / 999, and counts


def test_the_change_on_shallower_pools_is_the_sum_of_its_parts(trec8: Result) -> None:
    found = obtained(trec8, "explanation")
    for form in ("nDCG", "aAP"):
        whole = f"power of {form} on a pool short of the evaluation, less full assessment"
        parts = [value for cell, value in found.items() if cell.startswith(f"{whole}: ")]
        assert len(parts) == 3
        assert sum(parts) == pytest.approx(found[whole], abs=1e-12)


def test_the_least_certain_comparison_is_the_one_that_is_shown(trec8: Result) -> None:
    cell = "section 4: P@10 and RBP .8 separate fewest pairs on TREC-8 ad hoc"
    compared = trec8.tables["comparisons"].filter(pl.col("claim") == cell)
    (row,) = trec8.table.filter(pl.col("cell") == cell).iter_rows(named=True)
    assert compared.height == 6
    assert row["low"] in compared["low"].to_list()
    shares = obtained(trec8, "table 1")
    shown = dict(compared.select("comparison", "obtained").iter_rows())
    assert shown["AP@1000, P@10"] == pytest.approx(shares["AP@1000, T8"] - shares["P@10, T8"], abs=1e-12)


def test_what_lacks_data_has_no_value_and_says_what_it_needs(trec8: Result) -> None:
    lacking = trec8.table.filter(pl.col("needs").is_not_null())
    assert lacking.select("obtained", "low", "high", "ok", "verdict").null_count().row(0) == (lacking.height,) * 5
    needs = dict(lacking.select("cell", "needs").iter_rows())
    assert needs["nDCG@1000, T01"] == "TREC 2001 web: --data T01=FILE[,FILE]"
    assert needs["RBP .8, T5"] == "RBP(p=0.8)@1000 of TREC-5 ad hoc (--data T5=FILE)"


@pytest.mark.slow
def test_every_figure_is_drawn_with_what_the_paper_says_of_it(data: Path) -> None:
    trec8 = of_public_files(data)
    numbers, *figures = trec8.charts
    assert numbers.table.height > 100
    assert {chart.name for chart in figures} == set(find_paper("webber2010").said_of_figures)
    assert all(trec8.tables[chart.name].height for chart in figures)
    power = trec8.tables["figure_4"].filter(normalization="standardised", pool_depth=100, depth=100)
    assert power.filter(measure="AP")["power"].item() == pytest.approx(0.716, abs=5e-4)


def test_the_page_shows_what_comes_out(trec8: Result) -> None:
    shown = trec8.table.filter(pl.col("obtained").is_not_null(), pl.col("low").is_not_null())
    found = {(row["item"], row["cell"]): row for row in shown.iter_rows(named=True)}
    stated = [row for row in page_rows(PAGE) if tuple(row[:2]) in found and " to " in row[4]]
    assert len(stated) > 25
    for item, cell, published, value, ends in stated:
        row = found[item, cell]
        assert (float(published) if published else None) == row["published"]
        assert [value, *ends.split(" to ")] == [f"{row[name]:.3f}" for name in ("obtained", "low", "high")]
    assert stated_counts(PAGE, trec8.tables["summary"]) == summary_counts(trec8.tables["summary"])


# --- without the real runs


def test_the_page_counts_what_the_atlas_counts() -> None:
    in_atlas = {row[1]: row[2:] for row in page_rows(PAGE.with_name("atlas.md")) if row[0] == "webber2010"}
    in_page = {row[0]: row[1:] for row in page_rows(PAGE) if row[0] in in_atlas and len(row) == 6}
    assert in_page == in_atlas
    (holds, _, still_open) = in_page["claim"][1:4]
    prose = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"{holds} of its claims hold on TREC-8, none fails, and {still_open} are inconclusive" in prose


def test_sizes_are_counted_in_public_run_means_and_judgments(tmp_path: Path) -> None:
    (tmp_path / "means.csv").write_text("track,task,run,map\nTREC-10 (2001) web,adhoc,a,0.1\nTREC-8 adhoc,,b,0.2\n")
    (tmp_path / "qrels").write_text("451 0 d 1\n501 0 d 1\n502 0 d 0\n503 0 d 2\n")
    files = [f"T01.means={tmp_path / 'means.csv'}", f"T01.qrels={tmp_path / 'qrels'}"]
    found = obtained(reproduce("webber2010", item="section 3.3", data=files), "section 3.3")
    assert found == {"runs of TREC 2001 web": 1, "topics of TREC 2001 web": 2}
    with_range = [files[0], f"T05.qrels={tmp_path / 'qrels'}:501-502"]
    found = obtained(reproduce("webber2010", item="section 3.3", data=with_range), "section 3.3")
    assert found == {"runs of TREC 2001 web": 1, "topics of TREC 2005 terabyte": 1}


def test_a_size_without_data_names_both_ways_to_it() -> None:
    needs = dict(reproduce("webber2010", item="section 3.3").table.select("cell", "needs").iter_rows())
    assert "--data T05=FILE" in needs["runs of TREC 2005 terabyte"]
    assert "--data T05.means=FILE" in needs["runs of TREC 2005 terabyte"]
    assert "--data T05.qrels=FILE" in needs["topics of TREC 2005 terabyte"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("T01.mean=x", r"no 'T01.mean' .*T01.means"),
        ("T9.means=x", "no collection 'T9' "),
        ("T01.qrels=nowhere.txt", "nowhere.txt: no such file"),
        ("T01.factors=one.csv", "in two files"),
        ("T01.qrels=", "is not KEY=FILE"),
        ("T01.means=x --data T01.means=y", "data T01.means is there twice"),
        ("types=x --data types=y", "data types is there twice"),
        ("T5=x,x", "data T5=x is there twice"),
        ("T01.factors=a,b --data T01.factors=a,b", "data T01.factors is there twice"),
    ],
)
def test_margins_that_are_not_there_are_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message) as refusal:
        reproduce("webber2010", data=text.split(" --data "))
    assert "\n" not in str(refusal.value)


def test_without_data_only_weights_are_computed() -> None:
    result = reproduce("webber2010")
    computed = result.table.filter(pl.col("needs").is_null())
    assert computed.group_by("item").len().sort("item").rows() == [
        ("claim", 1),
        ("error", 1),
        ("section 3.1", 6),
        ("table 1", 11),
    ]
    assert computed.filter(pl.col("item") != ERROR)["ok"].all()
    assert [chart.name for chart in result.charts if chart.name != "numbers"] == ["figure_1"]
    needs = set(result.table.filter(pl.col("item") == "table 2")["needs"])
    assert needs == {"TREC-8 ad hoc: --runs DIR --qrels FILE"}


def test_a_mean_over_collections_names_all_that_lack_data() -> None:
    needs = dict(reproduce("webber2010", item="table 1").table.select("cell", "needs").iter_rows())
    assert needs["P@10, mean"] == needs["mean, mean"] == "T5, T8, T01, T04, T05, as their rows say"


def test_weights_are_those_of_the_formulas() -> None:
    """Sums of 1 / log2(max(2, i)) and of p^(i - 1), and 0.1^(1/k), computed here."""
    found = obtained(reproduce("webber2010", item="section 3.1"), "section 3.1")
    ranks = np.arange(1, 1001)
    dcg = 1 / np.log2(np.maximum(2, ranks))
    assert found["share of DCG(discount='jk')'s weight at ranks 101-1,000"] == pytest.approx(
        dcg[100:].sum() / dcg.sum(), abs=1e-12
    )
    for p in (0.95, 0.9977):
        share = (p**100 - p**1000) / (1 - p**1000)
        assert found[f"share of RBP(p={p})'s weight at ranks 101-1,000"] == pytest.approx(share, abs=1e-12)
    for depth in (10, 100, 1000):
        assert found[f"p for a residual of 0.1 at depth {depth:,}"] == pytest.approx(0.1 ** (1 / depth), abs=1e-12)


# --- the statistics are those of the commands


@pytest.fixture(scope="module")
def scores() -> Scores:
    """Coarse scores with ties; a pair without variance, and one that has none once a topic is left out."""
    x, y = np.round(np.random.default_rng(1).random((2, 9, 12)) ** 2, 1)
    x[1] = x[0]
    x[2] = x[0]
    x[2, 3] += 0.25
    return Scores(("AP@1000", "P@10"), tuple("abcdefghi"), tuple(map(str, range(12))), np.stack([x, y]))


@pytest.fixture(scope="module")
def made(scores: Scores) -> ScoredCollection:
    return from_scores([scores], "made")


def test_power_is_that_of_the_command(scores: Scores, made: ScoredCollection) -> None:
    table = power_command(scores).table
    for name in scores.conditions:
        (row,) = table.filter(measure=name).iter_rows(named=True)
        assert power(made, name)[0] == row["power"]


def test_power_without_a_topic_is_the_power_of_the_other_topics(scores: Scores, made: ScoredCollection) -> None:
    x = scores.value[0]
    subsets: Iterable[np.ndarray] = (x, *(np.delete(x, t, axis=1) for t in range(12)))
    assert power(made, "AP@1000") == pytest.approx([(t_test(one) < 0.05).mean() for one in subsets], abs=1e-12)


def test_power_of_the_best_runs_is_that_of_the_best_by_ap(scores: Scores, made: ScoredCollection) -> None:
    order = sorted(range(9), key=lambda run: (-scores.value[0, run].mean(), scores.runs[run]))
    best = scores.value[1, sorted(order[:6])]
    assert power(made, "P@10", top=6)[0] == (t_test(best) < 0.05).mean()
    assert best_first(made, "AP@1000").tolist() == order


def test_standardised_scores_have_mean_0_and_deviation_1_on_every_topic(
    scores: Scores, made: ScoredCollection
) -> None:
    x = scores.value[1]
    z = (x - x.mean(0)) / x.std(0, ddof=1)
    assert power(made, "P@10", standardised=True)[0] == (t_test(z) < 0.05).mean()


def test_correlations_are_those_of_the_command(scores: Scores, made: ScoredCollection) -> None:
    from assay.stats.estimates import estimate

    for of, statistic in (("means", tau), ("pvalues", tau_of_p)):
        (row,) = agreement(scores, of=of).table.iter_rows(named=True)
        one = estimate(statistic(made, "AP@1000", "P@10"))
        assert one.value == pytest.approx(row["correlation"], abs=1e-12)


def test_a_rank_counts_the_runs_that_are_better_with_each_topic_left_out(
    scores: Scores, made: ScoredCollection
) -> None:
    x = scores.value[1]
    left = [np.arange(12), *(np.delete(np.arange(12), t) for t in range(12))]
    ranks = [1 + (x[:, t].mean(-1).round(9) > x[4, t].mean().round(9)).sum() for t in left]
    assert rank(made, "P@10", 4).tolist() == ranks
