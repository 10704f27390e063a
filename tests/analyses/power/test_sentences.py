"""What `power` says: each sentence is triggered and not, and its thresholds hold at their borders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.power.analysis import power
from assay.analyses.power.comparisons import compare_measures, multiplicity_correction, run_pairs
from assay.analyses.power.sentences import best_measures, different_runs, weaker_measures
from assay.scoring.scores import Scores
from assay.stats.significance.declare import significance_tests
from tests.builders.results import assert_says, left_open, one, powered, text


def test_one_measure_says_its_power() -> None:
    said = one(best_measures(powered({"AP": 0.5})))
    assert_says(said, "by AP", "separates 33 of the 66 pairs of runs", "50.0% of pairs, 45.0% to 55.0%")
    assert (said.value, said.low, said.high) == pytest.approx((0.5, 0.45, 0.55))


@pytest.mark.parametrize(
    ("correction", "test", "how"),
    [
        ("none", "t", "50.0% of pairs"),
        ("holm", "t", "50.0% of pairs after Holm's correction"),
        ("bh", "sign", "50.0% of pairs after Benjamini and Hochberg's correction"),
        ("none", "tukey", "50.0% of pairs by Tukey's HSD test"),
    ],
)
def test_how_pairs_were_corrected_stands_beside_the_share(correction: str, test: str, how: str) -> None:
    assert one(best_measures(powered({"AP": 0.5}, correction=correction, test=test))).shown == how


@pytest.mark.parametrize("name", significance_tests())
def test_a_test_corrects_for_the_number_of_pairs_if_it_is_declared_to_be_family_wise(name: str) -> None:
    correction = multiplicity_correction(powered({"AP": 0.5}, test=name))
    assert (correction is not None) is significance_tests()[name].family_wise
    if correction is not None:
        assert correction.title == significance_tests()[name].title


def test_the_set_of_best_measures_holds_all_that_are_not_significantly_weaker() -> None:
    said = best_measures(powered({"AP": 0.7, "nDCG": 0.69, "P@10": 0.6}, p={"nDCG": 0.8, "P@10": 0.01}))
    assert_says(said, "Report AP or nDCG:", "any of them may", "most pairs", "P@10 separates fewer")
    assert_says(said, "70.0% of pairs by AP, 65.0% to 75.0%")
    assert left_open(said) == ["which of AP and nDCG separates these runs best"]


def test_measures_with_nobody_behind_them_are_not_praised() -> None:
    said = best_measures(powered({"AP": 0.7, "nDCG": 0.69}))
    assert left_open(said) == [text(said)] == ["which of AP and nDCG separates these runs best"]
    many = powered(dict.fromkeys("ABCDE", 0.7))
    assert left_open(best_measures(many)) == ["which of 5 measures separates these runs best"]
    assert weaker_measures(many) is None


def test_a_significant_difference_whose_interval_holds_zero_says_why() -> None:
    """At a level higher than that of the tests an interval can hold 0 all the same."""
    said = weaker_measures(powered({"AP": 0.7, "P@10": 0.69, "RR": 0.68}, p={"P@10": 0.04, "RR": 0.04}))
    assert_says(said, "RR or P@10", "2.0 points fewer by RR (p = 0.040 after Holm's correction)", "-3.0 to 7.0")


def test_a_measure_that_is_not_the_best_is_called_weaker_only_after_correction_for_all_pairs() -> None:
    """The set loses the best in 5%, which is no test that a named measure is below the one that came out best."""
    result = powered({"AP": 0.7, "P@10": 0.6, "RR": 0.5}, p={"P@10": 0.04, "RR": 0.001})
    differences = result.tables["differences"].with_columns(p_holm=2 * pl.col("p_holm"))
    result = replace(result, tables={**result.tables, "differences": differences})
    assert text(best_measures(result)).startswith("Report AP:")
    assert_says(weaker_measures(result), "RR", "than AP", "20.0 points fewer")
    assert "P@10" not in text(weaker_measures(result))


@pytest.mark.parametrize(("p", "alone"), [(0.0499, True), (0.05, False)])
def test_a_measure_leaves_the_set_below_alpha_only(p: float, *, alone: bool) -> None:
    result = powered({"AP": 0.7, "P@10": 0.6, "RR": 0.5}, p={"P@10": p, "RR": p})
    assert text(best_measures(result)).startswith("Report AP:") is alone
    assert (weaker_measures(result) is not None) is alone


def test_a_measure_that_is_neither_best_nor_weaker_is_among_those_that_separate_fewer() -> None:
    """Not best by comparisons with the best, not weaker after Holm over all pairs: it is named all the same."""
    result = powered({"AP": 0.7, "P@10": 0.69, "RR": 0.6}, p={"P@10": 0.03, "RR": 0.001})
    differences = result.tables["differences"].with_columns(p_holm=2 * pl.col("p_holm"))
    result = replace(result, tables={**result.tables, "differences": differences})
    assert_says(best_measures(result), "Report AP:", "RR and P@10 separate fewer")
    assert_says(weaker_measures(result), "RR")
    assert "P@10" not in text(weaker_measures(result))


def test_of_two_measures_the_better_is_named_once() -> None:
    result = powered({"AP": 0.7, "P@10": 0.6}, p={"P@10": 0.0123})
    assert_says(best_measures(result), "Report AP:", "P@10 separates fewer", "70.0% of pairs, 65.0% to 75.0%")
    assert weaker_measures(result) is None  # it would say the same


def test_a_lead_has_its_sign_and_ends_reversed_where_the_better_measure_comes_second() -> None:
    lead = compare_measures(powered({"P@10": 0.6, "AP": 0.7})).others[0]
    assert (lead["lead"], lead["lead_low"], lead["lead_high"]) == pytest.approx((0.1, 0.05, 0.15))


def test_of_a_large_set_and_of_many_outside_it_some_are_named() -> None:
    weak = dict(zip("FGHIJ", (0.34, 0.33, 0.32, 0.31, 0.3), strict=True))
    strong = {name: 0.7 - 0.01 * i for i, name in enumerate("ABCDE")}
    said = best_measures(powered(strong | weak, p=dict.fromkeys(weak, 0.001)))
    assert_says(said, "Report A, B, C or 2 more", "J, I and 3 more separate fewer", "70.0% of pairs by A")
    assert len(text(said).split()) <= 25


def test_a_difference_without_p_is_inconclusive() -> None:
    comparison = compare_measures(powered({"AP": 0.7, "P@10": 0.6}, p={"P@10": float("nan")}))
    assert [row["measure"] for row in comparison.inconclusive] == ["P@10"]


def test_measures_that_separate_nothing_are_said_to() -> None:
    facts = "Call no run better", "no measure separates any of the 66 pairs"
    assert_says(best_measures(powered({"AP": 0.0, "RR": 0.0})), *facts)
    assert_says(best_measures(powered({"AP": 0.0})), "Call no run better", "AP separates none of the 66 pairs")


def test_few_runs_do_not_say_which_measure_is_best() -> None:
    result = powered({"AP": 0.5, "RR": 1 / 6}, n_runs=4, p={"RR": 0.001})
    assert left_open(best_measures(result)) == ["which measure separates runs best"]
    assert weaker_measures(result) is None
    assert best_measures(powered({"AP": 0.5}, n_runs=4)) is None


def test_weaker_measures_are_named_worst_first() -> None:
    said = weaker_measures(powered({"AP": 0.7, "P@10": 0.6, "RR": 0.5}, p={"P@10": 0.01, "RR": 0.001}))
    assert_says(said, "RR or P@10 alone", "fewer pairs", "than AP", "20.0 points fewer by RR, 15.0 to 25.0")
    assert one(said).value == pytest.approx(0.2)


def test_of_many_runs_those_that_may_be_best_are_named() -> None:
    said = different_runs(powered({"AP": 0.9}, means=[0.1] * 10 + [0.6, 0.61], p_pair=0.3))
    assert_says(said, "Choose between r11 and r10", "best of the 12 runs by AP is one of them", "2 of 12 runs")


def test_one_run_that_may_be_best_is_the_best_with_its_lead() -> None:
    said = different_runs(powered({"AP": 0.9}, n_runs=12, p_pair=0.5, may_be_best=[11]))
    assert_says(said, "Prefer r11", "best of the 12 runs by AP", "ahead by 0.100, 0.050 to 0.150")


def test_where_all_runs_may_be_best_that_is_inconclusive_and_significant_pairs_are_counted() -> None:
    means = [0.1] * 10 + [0.3, 0.61]
    every = different_runs(powered({"AP": 0.9}, means=means, p_pair=0.3, may_be_best=range(12)))
    assert_says(every, "Trust 21 of the 66 differences by AP", "Holm's correction", "31.8% of pairs significant")
    assert left_open(every) == ["which is the best of the 12 runs by AP"]
    none = different_runs(powered({"AP": 0.9}, means=means, p_pair=1.0, may_be_best=range(12)))
    assert left_open(none) == [text(none)]


def test_of_many_runs_that_may_be_best_the_first_is_named() -> None:
    said = different_runs(powered({"AP": 0.9}, may_be_best=range(4, 12)))
    assert_says(said, "Choose among 8 runs, led by r11", "best of the 12 runs by AP", "8 of 12 runs")


@pytest.mark.parametrize("n_runs", [2, 12])
def test_runs_that_score_alike_have_no_best(n_runs: int) -> None:
    said = different_runs(powered({"AP": 0.0}, n_runs=n_runs, means=[0.3] * n_runs, p_pair=1.0))
    assert_says(said, "Call no run better", "by AP these runs do not differ at all")
    assert one(said).value == 0


@pytest.mark.parametrize("n_runs", [3, 12])
def test_one_topic_allows_no_test_and_the_sentence_says_so(n_runs: int) -> None:
    x = np.linspace(0.1, 0.3, n_runs)[None, :, None]
    alone = power(Scores(("AP",), tuple(f"r{i:02d}" for i in range(n_runs)), ("1",), x))
    assert [said.name for said in alone.sentences] == ["different_runs"]
    assert best_measures(alone) is None
    assert left_open(different_runs(alone)) == ["which of these runs differ, as one topic allows no test"]


def test_holm_is_applied_once_and_not_to_tukey() -> None:
    means, p = [0.0, 0.01, 0.02], 0.2
    raw, holmed, tukey = (
        run_pairs(powered({"AP": 0.5}, n_runs=3, means=means, p_pair=p, correction=correction, test=test), "AP")
        for correction, test in (("none", "t"), ("holm", "t"), ("none", "tukey"))
    )
    # p-values 0.2^3, 0.2^2, 0.2^2; times 3, 2 and 1
    assert raw.pairs["p"].to_list() == pytest.approx([0.024, 0.08, 0.08])
    assert holmed.pairs["p"].to_list() == tukey.pairs["p"].to_list() == pytest.approx([0.008, 0.04, 0.04])
    assert (raw.correction.title, tukey.correction.title) == ("Holm's correction", "Tukey's HSD test")
    assert raw.runs == ["r2", "r1", "r0"]


def test_of_few_runs_the_first_is_preferred_to_those_it_is_significantly_better_than() -> None:
    said = different_runs(powered({"RR": 0.2, "AP": 0.9}, n_runs=3, means=[0.1, 0.2, 0.5], p_pair=0.8))
    assert_says(said, "Prefer r2 to r1 and r0", "significantly better by RR", "0.300 over r1, 0.250 to 0.350")
    assert left_open(said) == []


def test_what_the_first_run_is_not_significantly_better_than_is_inconclusive() -> None:
    close = different_runs(powered({"AP": 0.2}, n_runs=3, means=[0.1, 0.49, 0.5], p_pair=0.8))
    assert_says(close, "Prefer r2 to r0:", "0.400, 0.350 to 0.450")
    assert left_open(close) == ["whether r2 is better than r1 by AP"]


def test_two_runs_are_one_pair() -> None:
    said = different_runs(powered({"AP": 1.0}, n_runs=2, means=[0.1, 0.5], p_pair=0.5))
    assert_says(said, "Prefer r1 to r0", "significantly better by AP", "0.400, 0.350 to 0.450")


def test_where_nothing_is_significant_the_topics_it_would_take_are_estimated() -> None:
    """Sample size of a two-sided test at 0.05 / 3 with power 0.8, effect at the upper end, 0.25."""
    said = different_runs(powered({"AP": 0.0}, n_runs=3, means=[0.1, 0.12, 0.14], p_pair=1.0, half=0.01))
    critical = stats.norm.ppf(1 - 0.05 / 6)
    needed = ((critical + stats.norm.ppf(0.8)) / 0.25) ** 2 + critical**2 / 2
    assert left_open(said) == ["which of these 3 runs is better by AP"]
    assert one(said).settled_by == f"at least {needed + 0.5:.0f} topics"


def test_no_estimate_is_made_where_there_are_that_many_topics_already() -> None:
    said = different_runs(powered({"AP": 0.0}, n_runs=2, means=[0.1, 0.14], p_pair=1.0, topics=1000))
    assert left_open(said) == ["whether r1 is better than r0 by AP"]
    assert one(said).settled_by == ""


def test_no_measure_is_best_where_it_may_separate_no_more_than_chance() -> None:
    p = {"nDCG": 0.8, "P@10": 0.01}
    result = powered({"AP": 0.08, "nDCG": 0.07, "P@10": 0.06}, p=p)
    at_chance = replace(result, table=result.table.with_columns(low=pl.lit(0.05)))
    above = replace(result, table=result.table.with_columns(low=pl.lit(0.051)))
    assert left_open(best_measures(at_chance)) == [
        "whether any measure separates more of these runs than chance would"
    ]
    assert_says(best_measures(above), "Report AP or nDCG:")
    assert weaker_measures(at_chance) is None
    assert_says(weaker_measures(above), "P@10")
