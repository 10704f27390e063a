"""webber2010: its tables 1 to 3, figure 2 and claims, computed again on TREC-8."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.agreement.analysis import agreement
from assay.analyses.power.analysis import power as power_command
from assay.analyses.reproduce.analysis import reproduce
from assay.papers.webber2010.statistics import best_first, power, rank, tau, tau_of_p
from assay.results.papers import HOLDS, INCONCLUSIVE, Verdict
from assay.results.result import Result
from assay.scoring.scored_collection import ScoredCollection, from_scores
from assay.scoring.scores import Scores
from assay.stats.significance.paired_t import t_test

pytestmark = pytest.mark.xdist_group("trec8")


@pytest.fixture(scope="module")
def trec8(data: Path) -> Result:
    """All rows whose data can be had."""
    folder, scores = data / "trec8-adhoc", data / "score-matrices" / "urbano"
    return reproduce(
        "webber2010",
        runs=[str(folder / "runs")],
        qrels=str(folder / "qrels.gz"),
        data=[
            f"T5={scores / 'adhoc5.ap.tsv.gz'},{scores / 'adhoc5.p10.tsv.gz'}",
            f"T04={scores / 'robust2004.ap.tsv.gz'}",
            f"T04={scores / 'robust2004.p10.tsv.gz'}",
            f"types={folder / 'runs.tsv'}",
        ],
    )


def obtained(result: Result, item: str) -> dict[str, float]:
    rows = result.table.filter((pl.col("item") == item) & pl.col("obtained").is_not_null())
    return dict(rows.select("cell", "obtained").iter_rows())


def test_every_number_that_can_be_computed_is_within_tolerance_but_three_that_are_known(trec8: Result) -> None:
    off = trec8.table.filter(pl.col("ok").not_()).select("item", "cell", "note").rows()
    assert [row[:2] for row in off] == [
        ("section 3.3", "groups"),
        ("section 3.3", "manual runs among the best 11 by AP@10"),
        ("table 1", "AP@1000, T5"),
    ]
    assert all(note for _, _, note in off)
    assert trec8.failed


def test_every_item_has_all_its_cells(trec8: Result) -> None:
    summary = {row["item"]: (row["n"], row["ok"]) for row in trec8.tables["summary"].iter_rows(named=True)}
    assert summary["table 1"] == (36, 9)  # T8 with its mean, and AP and P@10 of T5 and T04, one of them off
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
        ("normalisation helps DCG slightly", INCONCLUSIVE),
    ],
)
def test_claims_hold_or_are_inconclusive(trec8: Result, cell: str, verdict: Verdict) -> None:
    (row,) = trec8.table.filter(pl.col("cell").str.ends_with(cell)).iter_rows(named=True)
    assert row["verdict"] == verdict
    assert row["ok"] is (True if verdict == HOLDS else None)


def test_every_claim_that_was_computed_has_its_verdict_in_its_note(trec8: Result) -> None:
    claims = trec8.table.filter((pl.col("item") == "claim") & pl.col("needs").is_null())
    assert claims.height > 40
    assert all(note.startswith(verdict) for verdict, note in claims.select("verdict", "note").iter_rows())
    (note,) = (note for note in trec8.notes if note.code == "inconclusive_claims")
    assert note.text.startswith(f"{claims.filter(verdict=INCONCLUSIVE).height} claims are inconclusive")


def test_the_weakest_comparison_is_the_one_that_is_shown(trec8: Result) -> None:
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


def test_the_chart_shows_the_numbers_that_were_computed(trec8: Result) -> None:
    (chart,) = trec8.charts
    assert chart.table.height > 100
    assert set(chart.table["item"]) == {"section 3.1", "table 1", "table 2", "figure 2", "section 4.2", "table 3"}


# --- without the real runs


def test_without_data_only_weights_are_computed() -> None:
    result = reproduce("webber2010")
    computed = result.table.filter(pl.col("needs").is_null())
    assert set(computed["item"]) == {"section 3.1", "claim"}
    assert computed["ok"].all()
    assert computed.height == 7
    assert not result.failed
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


def test_correlations_are_those_of_the_command_with_its_intervals(scores: Scores, made: ScoredCollection) -> None:
    from assay.stats.estimates import estimate

    for of, statistic in (("means", tau), ("pvalues", tau_of_p)):
        (row,) = agreement(scores, of=of).table.iter_rows(named=True)
        one = estimate(statistic(made, "AP@1000", "P@10"))
        assert one.value == pytest.approx(row["correlation"], abs=1e-12)
        low, high = one.interval(0.95) or (np.nan, np.nan)
        assert (max(low, -1), min(high, 1)) == pytest.approx((row["low"], row["high"]), abs=1e-12)


def test_a_rank_counts_the_runs_that_are_better_with_each_topic_left_out(
    scores: Scores, made: ScoredCollection
) -> None:
    x = scores.value[1]
    left = [np.arange(12), *(np.delete(np.arange(12), t) for t in range(12))]
    ranks = [1 + (x[:, t].mean(-1).round(9) > x[4, t].mean().round(9)).sum() for t in left]
    assert rank(made, "P@10", 4).tolist() == ranks
