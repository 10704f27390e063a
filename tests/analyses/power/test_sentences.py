"""What `power` says: each sentence is triggered and not, and its thresholds hold at their borders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.power.analysis import power
from assay.analyses.power.comparisons import compare_measures, multiplicity_correction, run_pairs
from assay.analyses.power.sentences import INCONCLUSIVE, best_measures, different_runs, weaker_measures
from assay.results.sentences import Sentence
from assay.scoring.scores import Scores
from assay.stats.significance.declare import significance_tests
from tests.builders.results import assert_says, powered, text


def test_one_measure_says_its_power() -> None:
    said = best_measures(powered({"AP": 0.5}))
    assert_says(said, "AP separates 50.0% of the 66 pairs of runs", "each tested by itself at 0.05")
    assert_says(said, "95% interval 45.0% to 55.0%")
    assert said is not None
    assert (said.value, said.low, said.high) == pytest.approx((0.5, 0.45, 0.55))
    assert (said.shown, said.between) == ("50.0%", "45.0% to 55.0%")


@pytest.mark.parametrize(
    ("correction", "test", "how"),
    [
        ("none", "t", "each tested by itself at 0.05"),
        ("holm", "t", "tested together after Holm's correction at 0.05"),
        ("bh", "sign", "tested together after Benjamini and Hochberg's correction at 0.05"),
        ("none", "tukey", "tested together by Tukey's HSD test at 0.05"),
    ],
)
def test_how_pairs_were_tested_is_said(correction: str, test: str, how: str) -> None:
    assert_says(best_measures(powered({"AP": 0.5}, correction=correction, test=test)), "66 pairs of runs", how)


@pytest.mark.parametrize("name", significance_tests())
def test_a_test_corrects_for_the_number_of_pairs_if_it_is_declared_to_be_family_wise(name: str) -> None:
    correction = multiplicity_correction(powered({"AP": 0.5}, test=name))
    assert (correction is not None) is significance_tests()[name].family_wise
    if correction is not None:
        assert correction.title == significance_tests()[name].title


def test_the_set_of_best_measures_holds_all_that_are_not_significantly_weaker() -> None:
    said = best_measures(powered({"AP": 0.7, "nDCG": 0.69, "P@10": 0.6}, p={"nDCG": 0.8, "P@10": 0.01}))
    assert_says(said, "AP and nDCG separate these runs best", INCONCLUSIVE)
    assert_says(said, "AP separates 70.0% of the 66 pairs of runs", "each tested by itself at 0.05", "65.0% to 75.0%")
    assert_says(said, "nDCG 69.0% (64.0% to 74.0%)", "the lead of AP over nDCG is 1.0 points", "-4.0 to 6.0")


def test_two_measures_with_nobody_behind_them_are_not_praised() -> None:
    said = best_measures(powered({"AP": 0.7, "nDCG": 0.69}))
    assert_says(said, "Which of AP and nDCG separates these runs better is", INCONCLUSIVE)
    assert_says(said, "AP separates 70.0%", "65.0% to 75.0%", "nDCG 69.0% (64.0% to 74.0%)")
    assert_says(said, "the lead of AP over nDCG is 1.0 points", "-4.0 to 6.0")
    assert "best" not in text(said)


def test_a_lead_whose_interval_leaves_zero_out_but_is_inconclusive_says_why() -> None:
    apart = powered({"AP": 0.7, "nDCG": 0.6, "P@10": 0.59}, p={"nDCG": 0.11, "P@10": 0.2})
    within = powered({"AP": 0.7, "nDCG": 0.69, "P@10": 0.59}, p={"nDCG": 0.11, "P@10": 0.2})
    assert_says(best_measures(apart), "10.0 points", "5.0 to 15.0; p = 0.110 by multiple", INCONCLUSIVE)
    assert_says(best_measures(within), "1.0 points", "-4.0 to 6.0", INCONCLUSIVE)
    assert "p = " not in text(best_measures(within))


def test_a_significant_difference_whose_interval_holds_zero_says_why() -> None:
    """At a level higher than that of the tests an interval can hold 0 all the same."""
    said = weaker_measures(powered({"AP": 0.7, "P@10": 0.68, "RR": 0.6}, p={"P@10": 0.04, "RR": 0.001}))
    assert_says(said, "RR (10.0 points fewer", "5.0 to 15.0)")
    assert_says(said, "P@10 (2.0 points fewer", "-3.0 to 7.0; p = 0.040 after Holm's correction)")


def test_a_measure_that_is_not_the_best_is_called_weaker_only_after_correction_for_all_pairs() -> None:
    """The set loses the best in 5%, which is no test that a named measure is below the one that came out best."""
    result = powered({"AP": 0.7, "P@10": 0.6, "RR": 0.5}, p={"P@10": 0.04, "RR": 0.001})
    differences = result.tables["differences"].with_columns(p_holm=2 * pl.col("p_holm"))
    result = replace(result, tables={**result.tables, "differences": differences})
    assert text(best_measures(result)).startswith("AP separates these runs best: ")
    assert_says(weaker_measures(result), "Fewer pairs than AP", "RR (20.0 points fewer")
    assert "P@10" not in text(weaker_measures(result))


@pytest.mark.parametrize(("p", "alone"), [(0.0499, True), (0.05, False)])
def test_a_measure_leaves_the_set_below_alpha_only(p: float, *, alone: bool) -> None:
    result = powered({"AP": 0.7, "P@10": 0.6, "RR": 0.5}, p={"P@10": p, "RR": p})
    assert text(best_measures(result)).startswith("AP separates these runs best: ") is alone
    assert (weaker_measures(result) is not None) is alone


def test_a_single_best_measure_is_named_with_its_significant_lead() -> None:
    result = powered({"AP": 0.7, "P@10": 0.6}, p={"P@10": 0.0123})
    said = best_measures(result)
    assert_says(said, "10.0 points more than P@10", "95% interval 5.0 to 15.0", "p = 0.012 by multiple comparisons")
    assert weaker_measures(result) is None  # it would say the same


def test_a_lead_has_its_sign_and_ends_reversed_where_the_better_measure_comes_second() -> None:
    lead = compare_measures(powered({"P@10": 0.6, "AP": 0.7})).others[0]
    assert (lead["lead"], lead["lead_low"], lead["lead_high"]) == pytest.approx((0.1, 0.05, 0.15))


def test_no_winner_is_declared_where_all_measures_are_alike() -> None:
    result = powered({"AP": 0.7, "nDCG": 0.69, "P@10": 0.68})
    assert_says(best_measures(result), "Any of the 3 measures may separate these runs best")
    assert weaker_measures(result) is None


def test_a_large_set_names_the_next_and_the_last() -> None:
    said = best_measures(powered({"A": 0.7, "B": 0.69, "C": 0.68, "D": 0.67, "E": 0.66, "F": 0.3}, p={"F": 0.001}))
    assert_says(said, "A, B, C, D and E separate these runs best", INCONCLUSIVE, "A separates 70.0%")
    assert_says(said, "B 69.0% (64.0% to 74.0%), down to E 66.0% (61.0% to 71.0%)", "the lead of A over B")
    assert "C 68.0%" not in text(said)


def test_a_difference_without_p_is_inconclusive() -> None:
    comparison = compare_measures(powered({"AP": 0.7, "P@10": 0.6}, p={"P@10": float("nan")}))
    assert [row["measure"] for row in comparison.inconclusive] == ["P@10"]


def test_measures_that_separate_nothing_are_said_to() -> None:
    facts = "any of the 66 pairs of runs", "each tested by itself at 0.05"
    assert_says(best_measures(powered({"AP": 0.0, "RR": 0.0})), "No measure separates", *facts)
    assert_says(best_measures(powered({"AP": 0.0})), "AP does not separate", *facts)


def test_few_runs_do_not_say_which_measure_is_best() -> None:
    result = powered({"AP": 0.5, "RR": 1 / 6}, n_runs=4, p={"RR": 0.001})
    assert_says(best_measures(result), "4 runs make 6 pairs", "too few", "AP separates 3 of them, RR 1")
    assert weaker_measures(result) is None
    assert best_measures(powered({"AP": 0.5}, n_runs=4)) is None


def test_two_runs_make_one_pair_of_which_no_counts_are_given() -> None:
    said = best_measures(powered({"AP": 1.0, "RR": 0.0}, n_runs=2, means=[0.1, 0.2]))
    assert_says(said, "2 runs make only 1 pair", "too few")
    assert "AP" not in text(said)


def test_weaker_measures_are_named_worst_first_with_their_differences() -> None:
    said = weaker_measures(powered({"AP": 0.7, "P@10": 0.6, "RR": 0.5}, p={"P@10": 0.01, "RR": 0.001}))
    assert_says(said, "Fewer pairs than AP", "RR (20.0 points fewer, 95% interval 15.0 to 25.0)")
    assert_says(said, "RR", "P@10 (10.0 points fewer, 5.0 to 15.0)")
    assert said is not None
    assert said.value == pytest.approx(0.2)
    assert said.shown == "20.0 points"


def test_many_runs_are_counted_after_holm_and_those_that_may_be_best_are_named() -> None:
    said = different_runs(powered({"AP": 0.9}, means=[0.1] * 10 + [0.6, 0.61], p_pair=0.3))
    assert_says(said, "By AP", "2 of 12 runs may be the best (95% confidence): r11 and r10")
    assert_says(said, "20 of the 66 pairs of runs (30.3%) are significantly different", "Holm's correction")


def test_one_run_that_may_be_best_is_the_best_and_all_of_them_are_inconclusive() -> None:
    means = [0.1] * 10 + [0.3, 0.61]
    assert_says(different_runs(powered({"AP": 0.9}, means=means, may_be_best=[11])), "r11 is the best of the 12 runs")
    every = different_runs(powered({"AP": 0.9}, means=means, may_be_best=range(12)))
    assert_says(every, "which of the 12 runs is the best", INCONCLUSIVE)


def test_of_many_runs_that_may_be_best_some_are_named() -> None:
    said = different_runs(powered({"AP": 0.9}, may_be_best=range(4, 12)))
    assert_says(said, "8 of 12 runs may be the best", "r11, r10", "more")


def test_many_runs_that_all_score_alike_have_no_best() -> None:
    said = different_runs(powered({"AP": 0.0}, means=[0.0] * 12, p_pair=1.0))
    assert said == Sentence("By AP, these runs do not differ at all.", 0.0)


@pytest.mark.parametrize("n_runs", [3, 12])
def test_one_topic_allows_no_test_and_the_sentence_says_so(n_runs: int) -> None:
    x = np.linspace(0.1, 0.3, n_runs)[None, :, None]
    one = power(Scores(("AP",), tuple(f"r{i:02d}" for i in range(n_runs)), ("1",), x))
    assert [said.name for said in one.sentences] == ["different_runs"]
    assert best_measures(one) is None
    said = different_runs(one)
    assert_says(said, "By AP, no difference", "on one topic", f"r{n_runs - 1:02d} over r00, 0.200.")


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


def test_few_runs_are_compared_by_name_under_the_first_measure() -> None:
    said = different_runs(powered({"RR": 0.2, "AP": 0.9}, n_runs=3, means=[0.1, 0.2, 0.5], p_pair=0.8))
    assert_says(
        said, "By RR", "r2 is better than r0 by 0.400 (95% simultaneous interval 0.350 to 0.450; shrunken 0.360)"
    )
    assert_says(said, "r2 is better than r1 by 0.300 (95% simultaneous interval 0.250 to 0.350; shrunken 0.270)")
    assert_says(said, "2 of the 3 pairs are significantly different (Holm's correction)", INCONCLUSIVE)


def test_few_runs_say_whether_the_best_beats_the_second() -> None:
    close = different_runs(powered({"AP": 0.2}, n_runs=3, means=[0.1, 0.49, 0.5], p_pair=0.8))
    assert_says(close, "2 of the 3 pairs are significantly different (Holm's correction)", INCONCLUSIVE)
    assert_says(
        close, "the lead of the best, r2, over the second, r1, 0.010 (95% interval -0.040 to 0.060; shrunken 0.009)."
    )
    level = different_runs(powered({"AP": 0.2}, n_runs=3, means=[0.1, 0.5, 0.5], p_pair=0.8))
    assert_says(level, "among them that of r1 and r2, which score best and alike.")
    beaten = different_runs(powered({"AP": 1.0}, n_runs=4, means=[0.1, 0.2, 0.4, 0.5], p_pair=0.1))
    assert_says(
        beaten, "the best, r3, is better than the second, r2, by 0.100 (95% interval 0.050 to 0.150; shrunken 0.090)"
    )
    assert_says(beaten, "all 6 pairs are significantly different (Holm's correction).")


def test_the_lead_of_the_only_run_that_may_be_best_is_given() -> None:
    one = different_runs(powered({"AP": 0.9}, n_runs=12, p_pair=0.5, may_be_best=[11]))
    assert_says(one, "r11 is the best of the 12 runs", "ahead of every other by 0.100 (95% interval 0.050 to 0.150)")
    two = different_runs(powered({"AP": 0.9}, n_runs=12, p_pair=0.5, may_be_best=[11, 10]))
    assert "ahead" not in text(two)


def test_two_runs_are_one_pair() -> None:
    said = different_runs(powered({"AP": 1.0}, n_runs=2, means=[0.1, 0.5], p_pair=0.5))
    assert text(said) == "By AP, r1 is better than r0 by 0.400 (95% interval 0.350 to 0.450)."


def test_where_nothing_is_significant_the_topics_it_would_take_are_estimated() -> None:
    """Sample size of a two-sided test at 0.05 / 3 with power 0.8, effect at the upper end, 0.25."""
    said = different_runs(powered({"AP": 0.0}, n_runs=3, means=[0.1, 0.12, 0.14], p_pair=1.0, half=0.01))
    critical = stats.norm.ppf(1 - 0.05 / 6)
    needed = ((critical + stats.norm.ppf(0.8)) / 0.25) ** 2 + critical**2 / 2
    assert_says(said, "By AP, none of the 3 differences between these runs is significant")
    assert_says(said, "r2 over r0, 0.040 (95% simultaneous interval 0.030 to 0.050")
    assert_says(said, f"would need at least {needed + 0.5:.0f} topics")


def test_no_estimate_is_made_where_there_are_that_many_topics_already() -> None:
    said = different_runs(powered({"AP": 0.0}, n_runs=2, means=[0.1, 0.14], p_pair=1.0, topics=1000))
    assert_says(
        said, "By AP, the difference", f"is {INCONCLUSIVE}: r1 over r0, 0.040 (95% interval -0.010 to 0.090)."
    )
    assert "would need" not in text(said)


def test_runs_that_score_alike_do_not_differ() -> None:
    said = different_runs(powered({"AP": 0.0}, n_runs=2, means=[0.3, 0.3], p_pair=1.0))
    assert text(said) == "By AP, these runs do not differ at all."
