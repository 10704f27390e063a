"""The sentences of the verdict: each is triggered and not, its thresholds hold at their borders, and the laws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.agreement import agreement
from assay.analyses.glance import glance
from assay.analyses.power import power
from assay.analyses.redundancy import AS_WELL, OPEN, REDUNDANT, WORSE
from assay.analyses.reuse import reuse
from assay.analysis import Result, find
from assay.inputs import Collection, as_scores
from assay.longtable import RETRIEVED_ONLY
from assay.read import read_qrels, read_runs
from assay.references import REFERENCES
from assay.rules import MANY, OWN, RULES, SENTENCES, Sentence, likeness, pools, rule, rules_table, separation, verdict
from assay.rules.evidence import duels, trial
from assay.rules.wording import listed, points, span
from assay.scores import Scores
from tests.dense import collection
from tests.test_error import made_up as sampled
from tests.test_preference_rules import MEANT, THREE
from tests.test_preference_rules import made as disagreed
from tests.test_reliability_rules import compared, studied
from tests.test_subset import sized as subsets
from tests.test_swap import told as swapped
from tests.test_weights_rules import EDGE, fitted

HALF = 0.05  # half the width of every interval made up here


def powered(
    measures: Mapping[str, float],
    *,
    n_runs: int = 12,
    p: Mapping[str, float] | None = None,
    means: Sequence[float] | None = None,
    p_pair: float = 0.5,
    correction: str = "none",
    test: str = "t",
    **basis: int,
) -> Result:
    """Make up a result of power: shares of pairs, p_holm against the first measure, runs by their means."""
    n = n_runs * (n_runs - 1) // 2
    table = pl.DataFrame(
        [
            {"measure": m, "power": x, "low": x - HALF, "high": x + HALF, "n_pairs": n, "n_significant": round(x * n)}
            for m, x in measures.items()
        ]
    )
    names = ["measure_a", "measure_b", "difference", "low", "high", "p", "p_holm"]
    rows = []
    for a, b in combinations(measures, 2):
        d = measures[a] - measures[b]
        rows.append((a, b, d, d - HALF, d + HALF, 0.01, (p or {}).get(b, 1.0)))
    kinds = dict(zip(names, [pl.String, pl.String, *[pl.Float64] * 5], strict=True))
    tables = {"differences": pl.DataFrame(rows, schema=kinds, orient="row")}
    scores = means or [0.1 * i for i in range(n_runs)]
    tables["pairs"] = pl.concat([paired(m, scores, p_pair) for m in measures])
    settings = {"alpha": 0.05, "level": 0.95, "correction": correction, "test": test}
    return Result("power", table, tables, {"runs": n_runs, "topics": 50} | basis, settings)


def paired(measure: str, means: Sequence[float], p: float) -> pl.DataFrame:
    """All pairs of runs r0, r1, ... under a measure; the larger the difference, the smaller p."""
    rows = []
    for i, j in combinations(range(len(means)), 2):
        d = means[i] - means[j]
        ends = {"difference": d, "low": d - HALF, "high": d + HALF, "effect": d / 0.2}
        rows.append({"measure": measure, "run_a": f"r{i}", "run_b": f"r{j}", **ends, "p": p ** (1 + abs(d) * 100)})
    return pl.DataFrame(rows)


def text(said: Sentence | None) -> str:
    """What was said."""
    assert said is not None
    return said.text


def test_one_measure_says_its_power() -> None:
    said = separation.best_measures(powered({"AP": 0.5}))
    assert text(said) == (
        "AP tells apart 50.0% of the 66 pairs of runs, each tested by itself at 0.05 (95% interval 45.0% to 55.0%)."
    )
    assert said is not None
    assert (said.value, said.low, said.high) == pytest.approx((0.5, 0.45, 0.55))
    assert (said.shown, said.between) == ("50.0%", "45.0% to 55.0%")


@pytest.mark.parametrize(
    ("correction", "test", "how"),
    [
        ("none", "t", "each tested by itself at 0.05"),
        ("holm", "t", "tested together after Holm's correction at 0.05"),
        ("bh", "sign", "tested together after Benjamini and Hochberg's correction at 0.05"),
        ("none", "tukey", "tested together by Tukey's test at 0.05"),
    ],
)
def test_how_pairs_were_tested_is_said(correction: str, test: str, how: str) -> None:
    found = powered({"AP": 0.5}, correction=correction, test=test)
    assert f"of the 66 pairs of runs, {how} (" in text(separation.best_measures(found))


def test_the_set_of_best_measures_holds_all_that_are_not_settled_to_be_weaker() -> None:
    found = powered({"AP": 0.7, "nDCG": 0.69, "P@10": 0.6}, p={"nDCG": 0.8, "P@10": 0.01})
    assert text(separation.best_measures(found)) == (
        "AP and nDCG separate these runs best, and which of the two does better is not settled: AP tells apart 70.0% "
        "of the 66 pairs of runs, each tested by itself at 0.05 (95% interval 65.0% to 75.0%), nDCG 69.0% (64.0% to "
        "74.0%); the lead of AP over nDCG is 1.0 points (95% interval -4.0 to 6.0)."
    )


def test_two_measures_with_nobody_behind_them_are_not_praised() -> None:
    assert text(separation.best_measures(powered({"AP": 0.7, "nDCG": 0.69}))) == (
        "Which of AP and nDCG separates these runs better is not settled: AP tells apart 70.0% of the 66 pairs of "
        "runs, each tested by itself at 0.05 (95% interval 65.0% to 75.0%), nDCG 69.0% (64.0% to 74.0%); the lead of "
        "AP over nDCG is 1.0 points (95% interval -4.0 to 6.0)."
    )


def test_a_lead_whose_interval_leaves_zero_out_but_is_not_settled_says_why() -> None:
    apart = powered({"AP": 0.7, "nDCG": 0.6, "P@10": 0.59}, p={"nDCG": 0.11, "P@10": 0.2})
    within = powered({"AP": 0.7, "nDCG": 0.69, "P@10": 0.59}, p={"nDCG": 0.11, "P@10": 0.2})
    assert text(separation.best_measures(apart)).endswith(
        "10.0 points (95% interval 5.0 to 15.0; p = 0.110 after Holm's correction), is not settled."
    )
    assert text(separation.best_measures(within)).endswith("1.0 points (95% interval -4.0 to 6.0), is not settled.")


def test_a_settled_difference_whose_interval_holds_zero_says_why() -> None:
    """At a level higher than that of the tests an interval can hold 0 all the same."""
    found = powered({"AP": 0.7, "P@10": 0.68, "RR": 0.6}, p={"P@10": 0.04, "RR": 0.001})
    assert text(separation.weaker_measures(found)).endswith(
        "RR (10.0 points fewer, 95% interval 5.0 to 15.0) and P@10 (2.0 points fewer, -3.0 to 7.0; p = 0.040 after "
        "Holm's correction)."
    )


@pytest.mark.parametrize(("p", "alone"), [(0.0499, True), (0.05, False)])
def test_a_measure_leaves_the_set_below_alpha_only(p: float, *, alone: bool) -> None:
    found = powered({"AP": 0.7, "P@10": 0.6, "RR": 0.5}, p={"P@10": p, "RR": p})
    assert text(separation.best_measures(found)).startswith("AP separates these runs best: ") is alone
    assert (separation.weaker_measures(found) is not None) is alone


def test_a_single_best_measure_is_named_with_its_settled_lead() -> None:
    found = powered({"AP": 0.7, "P@10": 0.6}, p={"P@10": 0.0123})
    assert text(separation.best_measures(found)).endswith(
        ", 10.0 points more than P@10, the next (95% interval 5.0 to 15.0; p = 0.012 after Holm's correction)."
    )
    assert separation.weaker_measures(found) is None  # it would say the same


def test_a_lead_has_its_sign_and_ends_turned_where_the_better_measure_comes_second() -> None:
    found = powered({"P@10": 0.6, "AP": 0.7}, p={"AP": 0.001})
    lead = trial(found).weaker[0]
    assert (lead["lead"], lead["lead_low"], lead["lead_high"]) == pytest.approx((0.1, 0.05, 0.15))


def test_no_winner_is_declared_where_all_measures_are_alike() -> None:
    found = powered({"AP": 0.7, "nDCG": 0.69, "P@10": 0.68})
    assert text(separation.best_measures(found)).startswith("None of the 3 measures can be told from the best")
    assert separation.weaker_measures(found) is None


def test_a_large_set_tells_the_next_and_the_last() -> None:
    found = powered({"A": 0.7, "B": 0.69, "C": 0.68, "D": 0.67, "E": 0.66, "F": 0.3}, p={"F": 0.001})
    said = text(separation.best_measures(found))
    assert said.startswith("A, B, C, D and E cannot be told from the best at separating these runs: A tells apart ")
    assert "), B 69.0% (64.0% to 74.0%), down to E 66.0% (61.0% to 71.0%); the lead of A over B, " in said


def test_a_difference_without_p_is_not_settled() -> None:
    found = powered({"AP": 0.7, "P@10": 0.6}, p={"P@10": float("nan")})
    assert [row["measure"] for row in trial(found).tied] == ["P@10"]


def test_measures_that_separate_nothing_are_said_to() -> None:
    assert text(separation.best_measures(powered({"AP": 0.0, "RR": 0.0}))) == (
        "No measure tells any of the 66 pairs of runs apart, each tested by itself at 0.05."
    )
    assert text(separation.best_measures(powered({"AP": 0.0}))) == (
        "AP does not tell any of the 66 pairs of runs apart, each tested by itself at 0.05."
    )


def test_few_runs_do_not_say_which_measure_is_best() -> None:
    found = powered({"AP": 0.5, "RR": 1 / 6}, n_runs=4, p={"RR": 0.001})
    assert text(separation.best_measures(found)) == (
        "4 runs make 6 pairs, too few to say which measure separates runs better (AP tells 3 of them apart, RR 1)."
    )
    assert separation.weaker_measures(found) is None
    assert separation.best_measures(powered({"AP": 0.5}, n_runs=4)) is None


def test_weaker_measures_are_named_worst_first_with_their_differences() -> None:
    found = powered({"AP": 0.7, "P@10": 0.6, "RR": 0.5}, p={"P@10": 0.01, "RR": 0.001})
    assert text(separation.weaker_measures(found)) == (
        "Fewer pairs than AP are told apart by RR (20.0 points fewer, 95% interval 15.0 to 25.0) and P@10 (10.0 "
        "points fewer, 5.0 to 15.0)."
    )


def test_many_runs_are_counted_after_holm_and_the_best_is_named() -> None:
    found = powered({"AP": 0.9}, means=[0.1] * 10 + [0.6, 0.61], p_pair=0.3)
    assert text(separation.different_runs(found)) == (
        "By AP, 20 of the 66 pairs of runs (30.3%) differ beyond chance (Holm's correction over all pairs); the best "
        "run, r11, is told apart from 10 of the other 11, and its lead over r10, 0.010 (95% interval -0.040 to "
        "0.060), is not settled."
    )


def test_a_pair_of_many_that_one_test_would_settle_is_told_with_its_corrected_p() -> None:
    """p is 0.6^7 = 0.028, times the 46 pairs that are left after 20 with a smaller one."""
    found = powered({"AP": 0.9}, means=[0.1] * 10 + [0.54, 0.6], p_pair=0.6)
    said = text(separation.different_runs(found))
    assert said.endswith(
        "its lead over r10, 0.060 (95% interval 0.010 to 0.110; p = 1.000 after Holm's correction), is not settled."
    )


def test_runs_that_share_the_first_place_are_not_ranked() -> None:
    two = text(separation.different_runs(powered({"AP": 0.9}, means=[0.1] * 10 + [0.6, 0.6], p_pair=0.3)))
    assert two.endswith("(Holm's correction over all pairs); no run is the best: r10 and r11 score the same.")


def test_many_runs_that_all_score_alike_have_no_best() -> None:
    said = separation.different_runs(powered({"AP": 0.0}, means=[0.0] * 12, p_pair=1.0))
    assert said == Sentence("By AP, these runs do not differ at all.", 0.0)


@pytest.mark.parametrize("n_runs", [3, 12])
def test_one_topic_allows_no_test_and_the_sentence_says_so(n_runs: int) -> None:
    x = np.linspace(0.1, 0.3, n_runs)[None, :, None]
    one = power(Scores(("AP",), tuple(f"r{i:02d}" for i in range(n_runs)), ("1",), x))
    assert separation.best_measures(one) is None
    assert text(separation.different_runs(one)) == (
        "By AP, no difference between these runs can be tested on one topic; the largest is that of "
        f"r{n_runs - 1:02d} over r00, 0.200."
    )


def test_holm_is_applied_once_and_not_to_tukey() -> None:
    means, p = [0.0, 0.01, 0.02], 0.2
    raw, holmed, tukey = (
        duels(powered({"AP": 0.5}, n_runs=3, means=means, p_pair=p, correction=correction, test=test), "AP")
        for correction, test in (("none", "t"), ("holm", "t"), ("none", "tukey"))
    )
    # p-values 0.2^3, 0.2^2, 0.2^2; times 3, 2 and 1
    assert raw.pairs["p"].to_list() == pytest.approx([0.024, 0.08, 0.08])
    assert holmed.pairs["p"].to_list() == tukey.pairs["p"].to_list() == pytest.approx([0.008, 0.04, 0.04])
    assert (raw.guard, tukey.guard) == ("Holm's correction", "Tukey's test")
    assert raw.runs == ["r2", "r1", "r0"]


def test_few_runs_are_compared_by_name_under_the_first_measure() -> None:
    found = powered({"RR": 0.2, "AP": 0.9}, n_runs=3, means=[0.1, 0.2, 0.5], p_pair=0.8)
    assert text(separation.different_runs(found)) == (
        "By RR, r2 is better than r0 by 0.400 (95% interval 0.350 to 0.450) and r2 is better than r1 by 0.300 "
        "(95% interval 0.250 to 0.350); 2 of the 3 pairs differ beyond chance (Holm's correction), the others are "
        "not settled."
    )


def test_few_runs_say_whether_the_best_beats_the_second() -> None:
    open_lead = powered({"AP": 0.2}, n_runs=3, means=[0.1, 0.49, 0.5], p_pair=0.8)
    assert text(separation.different_runs(open_lead)).endswith(
        "; 2 of the 3 pairs differ beyond chance (Holm's correction), the others are not settled, among them the "
        "lead of the best, r2, over the second, r1, 0.010 (95% interval -0.040 to 0.060)."
    )
    level = powered({"AP": 0.2}, n_runs=3, means=[0.1, 0.5, 0.5], p_pair=0.8)
    assert text(separation.different_runs(level)).endswith(
        ", among them that of r1 and r2, which score best and alike."
    )
    beaten = powered({"AP": 1.0}, n_runs=4, means=[0.1, 0.2, 0.4, 0.5], p_pair=0.1)
    assert text(separation.different_runs(beaten)).endswith(
        " and the best, r3, is better than the second, r2, by 0.100 (95% interval 0.050 to 0.150); all 6 pairs "
        "differ (Holm's correction)."
    )


def test_two_runs_are_one_pair() -> None:
    found = powered({"AP": 1.0}, n_runs=2, means=[0.1, 0.5], p_pair=0.5)
    assert (
        text(separation.different_runs(found))
        == "By AP, r1 is better than r0 by 0.400 (95% interval 0.350 to 0.450)."
    )


def test_where_nothing_is_settled_the_topics_it_would_take_are_guessed() -> None:
    """Sample size of a two-sided test at 0.05 / 3 with power 0.8, effect 0.2: ((z + z) / 0.2)^2."""
    found = powered({"AP": 0.0}, n_runs=3, means=[0.1, 0.12, 0.14], p_pair=1.0)
    needed = ((stats.norm.ppf(1 - 0.05 / 6) + stats.norm.ppf(0.8)) / 0.2) ** 2
    assert text(separation.different_runs(found)) == (
        "By AP, none of the 3 differences between these runs is settled; the largest is that of r2 over r0, 0.040 "
        f"(95% interval -0.010 to 0.090), which would need about {needed + 0.5:.0f} topics if it is real (a rough "
        "guess, by the normal distribution)."
    )


def test_no_guess_is_made_where_there_are_that_many_topics_already() -> None:
    found = powered({"AP": 0.0}, n_runs=2, means=[0.1, 0.14], p_pair=1.0, topics=1000)
    assert text(separation.different_runs(found)) == (
        "By AP, the difference between these runs is not settled: r1 over r0, 0.040 (95% interval -0.010 to 0.090)."
    )


def test_runs_that_score_alike_do_not_differ() -> None:
    found = powered({"AP": 0.0}, n_runs=2, means=[0.3, 0.3], p_pair=1.0)
    assert text(separation.different_runs(found)) == "By AP, these runs do not differ at all."


Cell = tuple[float, float, float, float]  # lost, low, high, tau


def grid(
    cells: Mapping[int, Cell],
    by: str,
    *,
    measure: str = "AP",
    n_runs: int = 12,
    coverage: Mapping[int, float | None] | None = None,
) -> Result:
    """Make up a result of depth: one measure, one edge of the grid."""
    fixed = "pool_depth" if by == "depth" else "depth"
    form = "abbreviated" if measure == "nDCG" else "expanded"
    rows = [
        {"measure": measure, "normalization": form, fixed: 100, by: k, "power": 0.7 - lost}
        | {"lost": lost, "lost_low": low, "lost_high": high, "tau": tau}
        for k, (lost, low, high, tau) in cells.items()
    ]
    forms = pl.DataFrame({"measure": [measure], "normalization": [form], "computed": [f"{measure}@k"]})
    held = coverage or {10: 1.0, 100: 1.0}
    tables = {
        "edges": pl.DataFrame(rows),
        "forms": forms,
        "pools": pl.DataFrame({"pool_depth": list(held), "coverage": list(held.values())}),
    }
    return Result("depth", pl.DataFrame(), tables, {"runs": n_runs}, {"level": 0.95})


def together(*results: Result) -> Result:
    """Put results of depth for several measures into one."""
    tables = {name: pl.concat([r.tables[name] for r in results]) for name in ("edges", "forms")}
    return Result("depth", pl.DataFrame(), tables | {"pools": results[0].tables["pools"]}, {"runs": 12})


DEEPEST = (0.0, 0.0, 0.0, 1.0)
SAID = {"depth": pools.evaluation_depth, "pool_depth": pools.pool_depth}


def test_evaluation_may_stop_where_next_to_nothing_is_lost() -> None:
    cells = {10: (0.09, 0.05, 0.13, 0.8), 100: (0.008, -0.001, 0.017, 0.95), 1000: DEEPEST}
    assert text(pools.evaluation_depth(grid(cells, "depth"))) == (
        "As far as this collection can tell, evaluation may stop at depth 100 instead of 1,000 for AP (power "
        "lost: 0.8 points, 95% interval -0.1 to 1.7; tau 0.95)."
    )


def test_no_shallower_pool_is_called_as_good_unless_it_is_shown_to_be() -> None:
    cells = {10: (0.031, 0.010, 0.052, 0.95), 100: DEEPEST}
    assert text(pools.pool_depth(grid(cells, "pool_depth", measure="nDCG"))) == (
        "As far as this collection can tell, no pool shallower than 100 is shown to do nearly as well, not even 10, "
        "for nDCG (power lost: 3.1 points, 95% interval 1.0 to 5.2; tau 0.95)."
    )


@pytest.mark.parametrize(("coverage", "warns"), [(0.899, True), (0.9, False), (None, False)])
def test_what_pools_that_were_not_judged_would_add_is_not_told(coverage: float | None, *, warns: bool) -> None:
    cells = {10: (0.0, -0.01, 0.01, 0.95), 50: DEEPEST}
    said = text(pools.pool_depth(grid(cells, "pool_depth", coverage={10: 1.0, 50: 0.95, 100: coverage})))
    assert "a pool of depth 10 does nearly as well as one of 50 for AP (" in said
    more = "; what deeper ones would add is not told: only 89.9% of a pool of depth 100 is judged."
    assert said.endswith(more) is warns


def test_how_deep_to_pool_is_not_told_where_no_pool_was_judged() -> None:
    cells = {5: (0.0, -0.01, 0.01, 0.95), 10: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}
    none = pools.pool_depth(grid(cells, "pool_depth", coverage={5: 0.8, 10: 0.5, 100: 0.1}))
    assert none == Sentence(
        "How deep to pool cannot be told: only 80.0% of a pool of depth 5 is judged.", 0.8, shown="80.0%"
    )
    one = pools.pool_depth(grid({5: DEEPEST}, "pool_depth", coverage={5: 0.95, 10: 0.5, 100: 0.1}))
    assert text(one) == "How deep to pool cannot be told: only 50.0% of a pool of depth 10 is judged."


def test_a_reader_who_asks_for_more_coverage_is_told_less() -> None:
    cells = {10: (0.0, -0.01, 0.01, 0.95), 50: DEEPEST}
    found = grid(cells, "pool_depth", coverage={10: 1.0, 50: 0.95})
    assert text(pools.pool_depth(found)).startswith("As far as this collection can tell, a pool of depth 10 does ")
    assert text(pools.pool_depth(found, covered=0.96)) == (
        "How deep to pool cannot be told: only 95.0% of a pool of depth 50 is judged."
    )


def test_a_pool_that_does_the_same_as_a_deeper_one_is_said_to() -> None:
    cells = {20: (0.0, -0.024, 0.024, 1.0), 50: DEEPEST, 100: DEEPEST}
    assert text(pools.pool_depth(grid(cells, "pool_depth", measure="nDCG"))) == (
        "As far as this collection can tell, a pool of depth 50 does the same as one of 100, and none shallower is "
        "shown to do nearly as well, not even 20, for nDCG (power lost: 0.0 points, 95% interval -2.4 to 2.4; tau "
        "1.00)."
    )
    good = {20: (0.0, -0.01, 0.01, 1.0), 50: DEEPEST, 100: DEEPEST}
    said = text(pools.pool_depth(grid(good, "pool_depth")))
    assert "a pool of depth 20 does nearly as well as one of 100 for AP (" in said


def test_number_and_clause_of_a_depth_are_of_the_same_measure() -> None:
    good, bad = {50: (0.01, -0.001, 0.015, 0.95), 100: DEEPEST}, {50: (0.05, 0.03, 0.07, 0.95), 100: DEEPEST}
    said = pools.evaluation_depth(together(grid(bad, "depth"), grid(good, "depth", measure="nDCG")))
    assert said is not None
    assert said.text.startswith(
        "As far as this collection can tell, evaluation may stop at depth 50 instead of 100 for"
    )
    assert (said.value, said.shown, said.between) == (0.01, "depth 50", "-0.1 to 1.5 points lost")
    none = pools.evaluation_depth(grid(bad, "depth"))
    assert none is not None
    assert (none.value, none.shown, none.between) == (0.05, "5.0 points lost", "3.0 to 7.0")


@pytest.mark.parametrize("by", ["depth", "pool_depth"])
@pytest.mark.parametrize(("high", "tau", "does"), [(0.0199, 0.9, True), (0.02, 0.9, False), (0.0199, 0.899, False)])
def test_margin_and_tau_hold_at_their_borders(by: str, high: float, tau: float, *, does: bool) -> None:
    said = text(SAID[by](grid({50: (0.01, 0.0, high, tau), 100: DEEPEST}, by)))
    assert ("is shown to do nearly as well" not in said) is does


def test_a_good_cell_above_a_bad_one_does_not_count() -> None:
    cells = {10: (0.0, -0.01, 0.01, 0.95), 50: (0.05, 0.03, 0.07, 0.95), 100: (0.0, -0.01, 0.01, 0.99), 200: DEEPEST}
    assert "may stop at depth 100 instead of 200 for AP" in text(pools.evaluation_depth(grid(cells, "depth")))


def test_depths_beyond_the_lists_are_no_depths() -> None:
    cells = {50: (0.05, 0.03, 0.07, 0.95), 100: DEEPEST, 200: DEEPEST, 500: DEEPEST}
    said = text(pools.evaluation_depth(grid(cells, "depth")))
    assert (
        "to depth 100 does the same as to 500, and none shallower is shown to do nearly as well, not even 50," in said
    )
    assert pools.evaluation_depth(grid({100: DEEPEST, 200: DEEPEST}, "depth")) is None


def test_power_that_rises_with_fewer_judgments_is_no_gain() -> None:
    cells = {5: (-0.03, -0.05, -0.01, 0.8), 50: (-0.001, -0.01, 0.01, 0.97), 100: DEEPEST}
    said = text(pools.pool_depth(grid(cells, "pool_depth")))
    assert "a pool of depth 50 does nearly as well as one of 100 for AP (" in said
    assert said.endswith("; that AP separates 3.0 points more at pool depth 5 is no gain (tau 0.80).")


def test_two_measures_have_a_clause_each() -> None:
    good, bad = {50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}, {50: (0.05, 0.03, 0.07, 0.95), 100: DEEPEST}
    said = text(pools.evaluation_depth(together(grid(bad, "depth"), grid(good, "depth", measure="nDCG"))))
    assert "may stop at depth 50 instead of 100 for nDCG (" in said
    assert "; no evaluation shallower than 100 is shown to do nearly as well, not even 50, for AP (" in said
    assert "for AP (power lost: 5.0 points, " in said


def test_measures_that_need_the_same_depth_share_a_clause() -> None:
    cells = {50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}
    said = text(pools.evaluation_depth(together(grid(cells, "depth"), grid(cells, "depth", measure="nDCG"))))
    assert said.count("may stop at depth 50 instead of 100 for AP (") == said.count("may stop") == 1
    assert "tau 0.95) and nDCG (power lost: 0.0" in said


@pytest.mark.parametrize("by", ["depth", "pool_depth"])
def test_depths_are_not_spoken_of_without_enough_evidence(by: str) -> None:
    cells = {50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}
    whole = grid(cells, by)
    assert SAID[by](whole) is not None
    assert SAID[by](grid(cells, by, n_runs=9)) is None
    assert SAID[by](grid({100: DEEPEST}, by)) is None
    assert SAID[by](grid({50: (0.0, float("nan"), float("nan"), 0.95), 100: DEEPEST}, by)) is None
    without = {name: table for name, table in whole.tables.items() if name != "edges"}
    assert SAID[by](Result("depth", whole.table, without, whole.basis)) is None


def agreed(rows: Mapping[tuple[str, str], float | None], *, n: int = 12, of: str = "means") -> Result:
    """Make up a result of agreement, with intervals of the same width."""
    table = pl.DataFrame(
        [
            {"measure_a": a, "measure_b": b, "correlation": x, "low": x and x - HALF, "high": x and x + HALF, "n": n}
            for (a, b), x in rows.items()
        ],
        schema_overrides={"correlation": pl.Float64, "low": pl.Float64, "high": pl.Float64},
    )
    return Result("agreement", table, settings={"of": of, "correlation": "tau-b", "level": 0.95})


def test_the_two_measures_that_rank_least_alike_are_named() -> None:
    found = agreed({("AP", "nDCG"): 0.95, ("AP", "RR"): 0.7, ("nDCG", "RR"): 0.75})
    assert text(likeness.unlike_measures(found)) == (
        "AP and RR rank the runs least alike of all 3 pairs of measures: tau 0.70 (95% interval 0.65 to 0.75)."
    )


def test_measures_that_all_rank_alike_are_said_to() -> None:
    found = agreed({("AP", "nDCG"): 0.97, ("AP", "RR"): 0.96, ("nDCG", "RR"): 0.98})
    assert text(likeness.unlike_measures(found)) == (
        "All 3 measures rank the runs alike: the least alike, AP and RR, have tau 0.96 (95% interval 0.91 to 1.01)."
    )


@pytest.mark.parametrize(
    ("tau", "said"),
    [
        (0.96, "AP and RR rank the runs alike: tau 0.96 (95% interval 0.91 to 1.01)."),
        (0.9, "AP and RR rank the runs alike: tau 0.90 (95% interval 0.85 to 0.95); less than 0.9 is not ruled out."),
        (0.89, "AP and RR rank the runs differently: tau 0.89 (95% interval 0.84 to 0.94); 0.9 and more is not ruled "
         "out."),
        (0.8, "AP and RR rank the runs differently: tau 0.80 (95% interval 0.75 to 0.85)."),
    ],
)  # fmt: skip
def test_likeness_is_settled_by_its_interval(tau: float, said: str) -> None:
    assert text(likeness.unlike_measures(agreed({("AP", "RR"): tau}))) == said


def test_agreement_is_not_spoken_of_without_enough_evidence() -> None:
    pair = ("AP", "RR")
    assert likeness.unlike_measures(agreed({pair: 0.7}, n=10)) is not None
    assert likeness.unlike_measures(agreed({pair: 0.7}, n=9)) is None
    assert likeness.unlike_measures(agreed({pair: None})) is None
    assert likeness.unlike_measures(agreed({pair: 0.7}, of="pvalues")) is None


def left_out(tau: float | None, drop: float, fall: int, *, what: str = "run", depth: int | str = 100) -> Result:
    """Make up a result of reuse."""
    row = {"measure": "AP", "what": what, "n": 15, "tau": tau, "largest_drop": drop, "run": "x"}
    summary = pl.DataFrame([row | {"largest_fall": fall, "fallen": "y"}], schema_overrides={"tau": pl.Float64})
    table = pl.DataFrame({"run": [f"r{i}" for i in range(20)]})
    return Result("reuse", table, {"summary": summary}, settings={"pool_depth": depth})


def test_new_runs_are_judged_fairly_where_no_contributor_falls_far() -> None:
    assert text(pools.new_runs(left_out(0.95, 0.012, 2))) == (
        "New runs as different as these would be judged fairly: without its own documents a run loses at most 0.012 "
        "of AP (x) and falls by at most 2 places of 20 (y, AP), tau is 0.95; this describes the 15 contributing runs "
        "and has no interval."
    )


@pytest.mark.parametrize(("tau", "fall", "fair"), [(0.9, 2, True), (0.899, 2, False), (0.9, 3, False)])
def test_fairness_holds_at_its_borders(tau: float, fall: int, *, fair: bool) -> None:
    assert ("would be judged fairly" in text(pools.new_runs(left_out(tau, 0.01, fall)))) is fair


def test_the_mild_test_without_a_pool_depth_can_only_be_failed() -> None:
    assert pools.new_runs(left_out(0.95, 0.01, 1, depth="as judged")) is None
    assert pools.new_runs(left_out(1.0, 0.0, 0, depth="as judged")) is None
    failed = text(pools.new_runs(left_out(0.8, 0.01, 1, depth="as judged")))
    assert failed.startswith("New runs as different as these may be judged unfairly: ")


@pytest.mark.parametrize(
    ("taus", "said"), [((0.95, 0.97), "0.95 or more"), ((0.95,), "0.95"), ((1.0, 0.999), "1.00")]
)
def test_tau_is_not_said_to_be_more_than_one(taus: Sequence[float], said: str) -> None:
    summary = pl.concat([left_out(t, 0.01, 1).tables["summary"] for t in taus])
    found = Result("reuse", left_out(1.0, 0.0, 0).table, {"summary": summary}, settings={"pool_depth": 100})
    assert f", tau is {said}; " in text(pools.new_runs(found))


def test_whole_groups_are_the_harder_test() -> None:
    runs, groups = left_out(0.99, 0.001, 0), left_out(0.8, 0.1, 9, what="group")
    both = pl.concat([runs.tables["summary"], groups.tables["summary"]])
    said = text(pools.new_runs(Result("reuse", runs.table, {"summary": both})))
    assert said.startswith(
        "New runs as different as these may be judged unfairly: without the documents of its group"
    )
    assert said.endswith("this describes the 15 contributing groups and has no interval.")


def test_reuse_says_so_where_nothing_is_lost_and_nothing_where_nothing_is_known() -> None:
    assert text(pools.new_runs(left_out(1.0, 0.0, 0))).startswith(
        "Left out of the pool, no run would lose any score; "
    )
    assert "and keeps its place, tau" in text(pools.new_runs(left_out(1.0, 0.001, 0)))
    assert pools.new_runs(left_out(None, 0.1, 1)) is None


def seen(
    *,
    judged: Sequence[float] = (1.0, 1.0),
    unsettled: Sequence[float] = (0.0, 0.0),
    n_relevant: Sequence[int] = (9,) * 50,
    n_lists: Sequence[int] = (50, 50),
    same: Sequence[str | None] = (None, None),
    notes: tuple[str, ...] = (),
) -> Result:
    """Make up a result of glance: two runs on 50 topics with nothing to beware of."""
    runs = pl.DataFrame(
        {"run": ["a", "b"], "n_lists": n_lists, "judged10": judged, "unsettled10": unsettled, "same_as": same},
        schema_overrides={"same_as": pl.String},
    )
    tables = {"runs": runs, "topics": pl.DataFrame({"n_relevant": n_relevant})}
    return Result("glance", pl.DataFrame(), tables, notes=notes)


def sized(runs: int = 10, topics: int = 25) -> Result:
    """Make up a result of so many runs and topics."""
    return Result("score", pl.DataFrame(), basis={"runs": runs, "topics": topics})


CAVEATS: dict[str, tuple[Result, Result, str]] = {
    "few_topics": (
        sized(topics=24),
        sized(),
        "only 24 topics, fewer than the 25 that a stable ranking of runs needs",
    ),
    "few_runs": (sized(runs=9), sized(), "only 9 runs, too few for statements about measures"),
    "unjudged_documents": (
        seen(judged=[0.89, 0.95]),
        seen(judged=[0.9, 0.95]),
        "1 run has more than 10% of the first 10 documents unjudged (most: a, 11.0%)",
    ),
    "ties": (
        seen(unsettled=[0.2, 0.6]),
        seen(unsettled=[0.1, 0.0]),
        "2 runs have the first 10 decided by the tie rule in more than 10% of lists (most: b, 60.0%)",
    ),
    "small_topics": (
        seen(n_relevant=[4] * 6 + [5] * 44),
        seen(n_relevant=[4] * 5 + [5] * 44 + [0]),
        "12.0% of topics have 1 to 4 relevant documents",
    ),
    "empty_topics": (seen(n_relevant=[0, *[9] * 49]), seen(), "1 topic without a relevant document"),
    "retrieved_only": (
        seen(notes=(f"t.jsonl: known; {RETRIEVED_ONLY}",)),
        seen(notes=("another",)),
        "no document is judged that no run returned, so recall, AP and nDCG are too high",
    ),
    "missing_lists": (
        seen(n_lists=[50, 48]),
        seen(n_lists=[50, 49]),
        "2.0% of lists missing, counted as empty (2 lists)",
    ),
    "worst_runs_decide": (
        compared((2.0, 1.5, 2.5), (0.5, 0.4, 0.8)),
        compared((2.0, 1.5, 2.5), (0.5, 0.4, 1.01)),
        "P@10 is more stable than AP with all runs (Phi 0.950 and 0.900), less stable without the worst quarter of "
        "them (0.700 and 0.800: 2.00 times as many topics, 95% interval 1.25 to 2.50)",
    ),
    "same_runs": (seen(same=[None, "a"]), seen(), "1 run repeats another (b = a)"),
}
"""Caveat -> what triggers it, what just does not, and what it says."""


@pytest.mark.parametrize("name", CAVEATS)
def test_a_caveat_is_said_beyond_its_threshold_only(name: str) -> None:
    triggers, does_not, said = CAVEATS[name]
    assert text(RULES[name].function(triggers)) == said
    assert RULES[name].function(does_not) is None


WEAKER = {"AP": 0.7, "P@10": 0.6, "RR": 0.5}
SHALLOW = {50: (0.0, -0.01, 0.01, 0.95), 100: DEEPEST}


def predicted(verdict: str, *, runs: int = 12) -> Result:
    """Make up a result of predictivity: what is said of P@10 given AP, and how both follow an outcome."""
    row = {
        "measure": "P@10",
        "given": "AP",
        "phi_given": 0.52,
        "phi_both": 0.55,
        "both_se": 0.001,
        "difference": 0.02,
    }
    redundancy = pl.DataFrame([row | {"low": 0.01, "high": 0.03, "verdict": verdict}])
    names = ("phi", "low", "high", "behind", "behind_low", "behind_high")
    rows = [
        {"measure": m, "target": "clicks"} | dict(zip(names, (x, x - HALF, x + HALF, 0.7 - x, 0.0, 0.2), strict=True))
        for m, x in (("AP", 0.7), ("P@10", 0.6))
    ]
    tables = {"redundancy": redundancy, "target": pl.DataFrame(rows)}
    return Result("predictivity", redundancy, tables, {"runs": runs}, {"level": 0.95})


SPEAKS: dict[str, tuple[Result, Result]] = {
    "best_measures": (powered({"AP": 0.5}), powered({"AP": 0.5}, n_runs=9)),
    "weaker_measures": (powered(WEAKER, p={"P@10": 0.01, "RR": 0.01}), powered(WEAKER)),
    "evaluation_depth": (grid(SHALLOW, "depth"), grid(SHALLOW, "depth", n_runs=9)),
    "pool_depth": (grid(SHALLOW, "pool_depth"), grid(SHALLOW, "pool_depth", n_runs=9)),
    "new_runs": (left_out(0.95, 0.01, 1), left_out(0.95, 0.01, 1, depth="as judged")),
    "unlike_measures": (agreed({("AP", "RR"): 0.7}), agreed({("AP", "RR"): 0.7}, n=9)),
    "redundant_measures": (predicted(REDUNDANT), predicted(OPEN)),
    "measures_predicted_as_well": (predicted(AS_WELL), predicted(REDUNDANT)),
    "unsettled_redundancy": (predicted(OPEN), predicted(WORSE)),
    "measure_of_an_outcome": (predicted(OPEN), predicted(OPEN, runs=9)),
    "lasting_differences": (swapped(("AP", 0.04, 0.62)), swapped(("AP", 0.04, 0.62), runs=9)),
    "topics_enough": (subsets(("AP", 66.6)), subsets(("AP", 66.6), runs=9)),
    "topics_for_stability": (studied(), studied(runs=9)),
    "lasting_weights": (fitted("survives"), fitted("survives", runs=9)),
    "lost_gain": (fitted("lost"), fitted("survives")),
    "drawn_pool": (fitted(edge=EDGE), fitted()),
    "small_sample_bias": (sampled(0.03, 0.01), sampled(0.001, 0.01)),
    "document_errors": (sampled(0.03, 0.01), sampled(0.03, 0.005)),
    "contentious_measures": (disagreed(THREE), disagreed(THREE, n_pairs=99)),
    "what_a_choice_means": (disagreed(THREE, said=MEANT), disagreed(THREE)),
}
"""Rule that is no caveat -> what makes it speak, and what just does not."""

ALWAYS = {"different_runs"}  # something is always to be said of the runs


@pytest.mark.parametrize("name", SPEAKS)
def test_a_rule_speaks_where_its_evidence_allows_it_only(name: str) -> None:
    speaks, does_not = SPEAKS[name]
    assert text(RULES[name].function(speaks)).endswith(".")
    assert RULES[name].function(does_not) is None


def test_every_rule_is_made_to_speak_and_not_to() -> None:
    assert {one.name for one in RULES.values() if one.caveat} == set(CAVEATS)
    assert {one.name for one in RULES.values() if not one.caveat} == set(SPEAKS) | ALWAYS


@pytest.mark.parametrize("name", [*SPEAKS, *CAVEATS, *ALWAYS])
def test_what_a_page_sets_apart_stands_in_the_sentence(name: str) -> None:
    triggers = {"different_runs": powered({"AP": 0.9})} | {
        n: case[0] for n, case in [*SPEAKS.items(), *CAVEATS.items()]
    }
    said = RULES[name].function(triggers[name])
    assert said is not None
    assert bool(said.shown) is (said.value is not None)
    assert bool(said.between) is (said.low is not None)
    assert all(number in said.text for number in re.findall(r"-?[\d,]+\.?\d*%?", said.shown))


@pytest.mark.parametrize("name", RULES)
def test_every_rule_says_what_it_does_by_which_thresholds_and_after_whom(name: str) -> None:
    one = RULES[name]
    assert one.says.endswith((".", ":"))
    assert one.says.split()[0].endswith("s")  # a rule says, names, warns
    assert one.thresholds
    assert all(isinstance(value, int | float) for value in one.thresholds.values())
    assert one.cite
    assert all(key == OWN or key in REFERENCES for key in one.cite)


@pytest.mark.parametrize("name", RULES)
def test_a_number_of_runs_that_is_too_few_is_this_projects_own_threshold(name: str) -> None:
    assert "few" not in RULES[name].thresholds or OWN in RULES[name].cite


def test_the_rules_are_laid_out_for_a_reader_to_disagree_with() -> None:
    rows = {row["rule"]: row for row in rules_table()}
    assert list(rows) == list(RULES)
    assert all(word in rows["best_measures"]["says"] for word in ("jackknife", "Holm", "each pair tested by itself"))
    assert "ends below the margin" in rows["evaluation_depth"]["says"]
    assert all("\n" not in row["says"] and "  " not in row["says"] for row in rows.values())
    assert rows["few_topics"] == {
        "rule": "few_topics",
        "says": "Warns of too few topics: at least 25 are needed, 50 are better.",
        "thresholds": "least = 25",
        "cite": "buckley2000, voorhees2002",
    }


@pytest.mark.parametrize(("section", "cited"), [("depth", "edges"), ("reuse", "summary"), ("power", "differences")])
def test_the_rows_that_sentences_cite_stand_open_on_the_page(section: str, cited: str) -> None:
    how = find(section).section
    assert how is not None
    assert how.shown[0] == cited


@pytest.fixture
def empty_rules() -> Iterator[dict[str, Any]]:
    """Let a test declare rules of its own; afterwards they are as they were."""
    before = dict(RULES)
    RULES.clear()
    yield RULES
    RULES.clear()
    RULES.update(before)


@pytest.mark.usefixtures("empty_rules")
def test_a_verdict_is_cut_to_seven_sentences_and_keeps_the_caveats() -> None:
    for i in range(9):
        named(f"plain{i}", "power")
    named("ware", "glance", caveat=True)
    named("beware", caveat=True)
    results = {"power": sized(), "glance": sized()}
    found = verdict(results)
    assert len(found) == SENTENCES
    assert [name for name, _, _ in found[:-1]] == [f"plain{i}" for i in range(6)]
    assert found[-1] == ("ware, beware", "glance", Sentence("Beware: ware; beware."))


@pytest.mark.usefixtures("empty_rules")
def test_a_verdict_without_caveats_has_seven_sentences_and_does_not_warn() -> None:
    for i in range(9):
        named(f"plain{i}", "power")
    assert [s.text for _, _, s in verdict({"power": sized()})] == [f"plain{i}" for i in range(7)]


@pytest.mark.usefixtures("empty_rules")
@pytest.mark.parametrize(("runs", "first"), [(MANY, "best_measures"), (MANY - 1, "different_runs")])
def test_differences_between_runs_lead_where_runs_are_few(runs: int, first: str) -> None:
    named("best_measures", "power")
    named("different_runs", "power")
    assert verdict({"power": sized(runs=runs)})[0][0] == first


@pytest.mark.usefixtures("empty_rules")
def test_a_rule_is_asked_only_where_all_its_evidence_is_there() -> None:
    named("both", "power", "depth")
    assert verdict({"power": sized()}) == []
    assert verdict({"depth": sized(), "power": sized()}) == [("both", "power", Sentence("both"))]


def named(name: str, *of: str, caveat: bool = False) -> None:
    """Declare a rule that says its own name."""

    def says(*_: Result) -> Sentence:
        """Says its name."""
        return Sentence(name)

    says.__name__ = name
    rule(*of, caveat=caveat)(says)


@pytest.mark.parametrize(("n_runs", "n_topics"), [(2, 5), (4, 30), (10, 20), (30, 50)])
def test_a_verdict_on_a_made_up_collection_is_in_whole_sentences(tmp_path: Path, n_runs: int, n_topics: int) -> None:
    runs, qrels = collection(n_runs=n_runs, n_topics=n_topics, n_docs=100, rng=1).write(tmp_path)
    read = Collection(read_runs(runs), read_qrels(qrels))
    scores = as_scores(read, measure=["nDCG@10", "AP", "RR"])
    results = {
        "glance": glance(read),
        "power": power(scores),
        "agreement": agreement(scores),
        "reuse": reuse(read, measure=["AP"]),
    }
    found = verdict(results)
    assert 3 <= len(found) <= SENTENCES
    assert found[0][0] == ("best_measures" if n_runs >= MANY else "different_runs")
    assert ("few_topics" in found[-1][0]) is (n_topics < 25)
    for _, section, sentence in found:
        assert section in results
        assert sentence.text[0].isupper() or sentence.text[0].isdigit() or sentence.text.startswith("nDCG")
        assert sentence.text.endswith(".")
        assert "nan" not in sentence.text.lower().replace("finance", "")
        assert "None " not in sentence.text.replace("None of", "")
    by_rule = {name: sentence for name, _, sentence in found}
    if n_runs >= MANY:
        best = results["power"].table.sort("power", descending=True).row(0, named=True)
        assert by_rule["best_measures"].value == best["power"]


def test_words_for_numbers() -> None:
    assert span({"low": None, "high": 1.0}, points) == "no interval"
    assert span({"low": 0.1, "high": 0.2}, points, level=0.9) == "90% interval 10.0 to 20.0"
    assert points(-1e-9) == "0.0"
    assert (listed(["a"]), listed(["a", "b"])) == ("a", "a and b")
