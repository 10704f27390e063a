"""The default procedure: against scipy and statsmodels, by brute force, and where words and intervals must agree."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from assay.analyses.compare.comparisons import BETTER, EQUIVALENT, INCONCLUSIVE, UNRESOLVABLE, UNTESTED, WORSE
from assay.core.errors import UsageError
from assay.stats.significance.pairs import holm
from tests.builders.compare import compared, normal, scores

RNG = np.random.default_rng(3)


def test_one_pair_has_students_paired_test_and_interval() -> None:
    x = RNG.gamma(1.0, 0.2, (2, 40))
    row = compared(scores(x)).table.row(0, named=True)
    expected = stats.ttest_rel(x[0], x[1])
    interval = expected.confidence_interval(0.95)
    assert row["p"] == pytest.approx(expected.pvalue)
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
    assert row["difference"] == pytest.approx((x[0] - x[1]).mean())
    assert row["effect"] == pytest.approx((x[0] - x[1]).mean() / (x[0] - x[1]).std(ddof=1))
    assert (row["wins"], row["ties"], row["losses"]) == ((x[0] > x[1]).sum(), 0, (x[0] < x[1]).sum())


def test_a_family_of_pairs_is_corrected_by_bonferroni_in_p_and_interval_alike() -> None:
    x = RNG.normal(size=(4, 30)) + np.array([[0.0], [0.2], [0.9], [1.0]])
    table = compared(scores(x)).table
    assert table.height == 6
    for row in table.to_dicts():
        pair = [x["abcd".index(row[name])] for name in ("run_a", "run_b")]
        alone = stats.ttest_rel(*pair)
        interval = alone.confidence_interval(1 - 0.05 / 6)
        assert row["p"] == pytest.approx(min(1.0, 6 * alone.pvalue))
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))


def test_a_baseline_is_the_second_of_every_pair_and_the_family_is_all_against_it() -> None:
    x = RNG.normal(size=(4, 30))
    table = compared(scores(x), baseline=["c"]).table
    assert table.select("run_a", "run_b").rows() == [("a", "c"), ("b", "c"), ("d", "c")]
    assert table["p"][0] == pytest.approx(min(1.0, 3 * stats.ttest_rel(x[0], x[2]).pvalue))


@pytest.mark.parametrize(("wins", "losses", "n"), [(9, 1, 40), (6, 0, 10), (14, 8, 60)])
def test_scores_of_0_and_1_have_mcnemars_exact_test_and_the_interval_of_agresti_and_min(
    wins: int, losses: int, n: int
) -> None:
    a = np.array([1.0] * wins + [0.0] * losses + [1.0] * (n - wins - losses))
    b = np.array([0.0] * wins + [1.0] * losses + [1.0] * (n - wins - losses))
    row = compared(scores(np.stack([a, b]), measures=["S@1"])).table.row(0, named=True)
    both = n - wins - losses
    assert row["p"] == pytest.approx(mcnemar([[both, wins], [losses, 0]], exact=True).pvalue)
    total, d = n + 2, wins - losses
    half = stats.norm.ppf(0.975) * np.sqrt(wins + losses + 1 - d**2 / total) / total
    low, high = d / total - half, d / total + half
    significant = row["p"] < 0.05
    assert (row["low"], row["high"]) == pytest.approx((low, high) if significant else (min(low, 0), max(high, 0)))


def test_words_p_and_intervals_never_contradict_each_other() -> None:
    """Over all outcomes of 0 and 1 on 12 queries, and over skewed scores of several systems."""
    every = [(w, k) for w, k in product(range(13), repeat=2) if w + k <= 12]
    results = []
    for wins, losses in every:
        d = np.array([1.0] * wins + [-1.0] * losses + [0.0] * (12 - wins - losses))
        results.append(compared(scores(np.stack([np.maximum(d, 0), np.maximum(-d, 0)]))))
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.choice([0.0, 0.2, 0.5, 1.0], size=(4, 8 + seed)) ** rng.uniform(0.5, 2, (4, 1))
        results.append(compared(scores(x), alpha=0.2))
    seen = set()
    for result in results:
        for row in result.table.to_dicts():
            seen.add(row["verdict"])
            decided = row["verdict"] in (BETTER, WORSE)
            assert decided is (row["p"] < result.settings["alpha"]), row
            assert decided is (row["low"] > 0 or row["high"] < 0), row
            assert not decided or (row["verdict"] == BETTER) is (row["difference"] > 0)
    assert seen == {BETTER, WORSE, INCONCLUSIVE, UNRESOLVABLE}


@pytest.mark.parametrize("n_pairs", [1, 3])
def test_what_no_sign_test_could_find_is_unresolvable_and_says_how_many_queries_would_change_it(n_pairs: int) -> None:
    """With m differing queries p is at least 2 / 2^m: 6 are needed at .05, 7 at .05 / 3."""
    fewest = 6 if n_pairs == 1 else 7
    for m in (fewest - 1, fewest):
        d = np.zeros((2 if n_pairs == 1 else 3, 20))
        d[0, :m] = 0.5 + 0.001 * np.arange(m)
        row = compared(scores(d)).table.row(0, named=True)
        assert (row["verdict"] == UNRESOLVABLE) is (m < fewest)
        if m < fewest:
            assert row["topics_needed"] == np.ceil(fewest * 20 / m)


def test_the_queries_needed_are_those_of_the_upper_end_of_the_interval() -> None:
    data = normal(60, 0.005, sd=0.1)
    row = compared(data).table.row(0, named=True)
    assert row["verdict"] == INCONCLUSIVE
    d = data.value[0, 0] - data.value[0, 1]
    effect = row["high"] / d.std(ddof=1)
    n = row["topics_needed"]
    power = 1 - stats.nct.cdf(stats.t.ppf(0.975, n - 1), n - 1, effect * np.sqrt(n))
    assert power == pytest.approx(0.8, abs=0.01)
    assert compared(normal(60, 0.1)).table["topics_needed"][0] is None  # significant
    assert compared(normal(60, 0.02, sd=0.1)).table["topics_needed"][0] is None  # at least fewer than there are


def test_systems_are_equivalent_where_two_one_sided_tests_say_so() -> None:
    near, far = normal(300, 0.003, sd=0.03), normal(20, 0.003, sd=0.1)
    d = near.value[0, 0] - near.value[0, 1]
    ends = stats.t.interval(0.9, 299, d.mean(), stats.sem(d))
    assert max(map(abs, ends)) < 0.01
    both = compared(near, margin=0.01)
    assert both.table["verdict"][0] == EQUIVALENT
    assert compared(near, margin=0.99 * max(map(abs, ends))).table["verdict"][0] != EQUIVALENT
    assert compared(far, margin=0.01).table["verdict"][0] == INCONCLUSIVE
    assert compared(normal(300, 0.05), margin=0.01).table["verdict"][0] == BETTER


def test_a_difference_that_exists_and_is_smaller_than_the_margin_is_said_so() -> None:
    result = compared(normal(400, 0.005, sd=0.02), margin=0.01)
    assert result.table["verdict"][0] == EQUIVALENT
    assert result.table["p"][0] < 0.05
    assert "a difference exists but is smaller than the margin" in result.sentences[0].text
    assert [note.code for note in result.notes if note.code == "small_difference"]


def test_identical_systems_are_equivalent_only_where_the_share_that_may_differ_is_small() -> None:
    """None of 300 differing leaves at most 1% that may (the rule of three); of 30, 10%."""
    x = RNG.random(300)
    x[:2] = 0.0, 1.0
    assert compared(scores(np.stack([x, x])), margin=0.0101).table["verdict"][0] == EQUIVALENT
    few = compared(scores(np.stack([x[:30], x[:30]])), margin=0.01)
    assert few.table["verdict"][0] == UNRESOLVABLE
    assert "no query differs" in few.sentences[0].text


def test_further_measures_are_tested_behind_the_first_only() -> None:
    """a and b differ by the first measure, a and c do not; by the others all differ much."""
    n = 40
    first = RNG.normal(size=(3, n)) * 0.1 + np.array([[1.0], [0.0], [1.0]])
    first[2] = first[0] + 0.1 * RNG.normal(size=n) - (0.1 * RNG.normal(size=n)).mean()
    second = RNG.normal(size=(3, n)) + np.array([[1.0], [0.0], [-3.0]])
    third = RNG.normal(size=(3, n)) + np.array([[0.35], [0.0], [0.0]])
    result = compared(scores(np.stack([first, second, third]), measures=["AP", "RR", "P@5"]))
    table = result.table
    rows = {(row["measure"], row["run_a"], row["run_b"]): row for row in table.to_dicts()}
    assert rows["AP", "a", "b"]["verdict"] == BETTER
    assert rows["AP", "a", "c"]["verdict"] == INCONCLUSIVE
    assert rows["RR", "a", "c"]["p"] is None
    assert rows["RR", "a", "c"]["verdict"] == UNTESTED
    assert rows["RR", "a", "c"]["low"] > 0  # a single interval, of which a caution says that nothing was tested
    (note,) = [note for note in result.notes if note.code == "further_measures"]
    assert note.severity == "caution"
    assert "RR" in note.text
    alone = [stats.ttest_rel(x[0], x[1]).pvalue for x in (second, third)]
    expected = np.minimum(np.maximum(3 * holm(np.array(alone)), rows["AP", "a", "b"]["p"]), 1)
    assert [rows[m, "a", "b"]["p"] for m in ("RR", "P@5")] == pytest.approx(expected)
    single = stats.ttest_rel(third[0], third[1]).confidence_interval(0.95)
    assert (rows["P@5", "a", "b"]["low"], rows["P@5", "a", "b"]["high"]) == pytest.approx((single.low, single.high))
    assert {row["interval"] for key, row in rows.items() if key[0] != "AP"} == {"single"}


def test_each_pair_is_compared_on_the_queries_that_both_have() -> None:
    x = RNG.normal(size=(3, 20))
    x[0, :5] = np.nan
    x[2, 3:9] = np.nan
    table = compared(scores(x)).table
    assert table["n_topics"].to_list() == [15, 11, 14]
    both = ~np.isnan(x[0] - x[2])
    assert table["p"][1] == pytest.approx(min(1.0, 3 * stats.ttest_rel(x[0, both], x[2, both]).pvalue))


def test_queries_for_a_stated_difference_are_close_to_those_of_brute_force() -> None:
    """The true number by the exact power of the t test with the true deviation; the median over samples of 50."""
    sd, d = 0.2, 0.05
    n = next(n for n in range(5, 2000) if _power(n, d / sd) >= 0.8)
    rows = []
    for seed in range(200):
        x = np.random.default_rng(seed).normal(size=50) * sd
        result = compared(scores(np.stack([x, np.zeros(50)])), difference=d)
        rows.append(result.tables["needed"].select("n_topics", "low", "high").row(0))
    assert np.median([row[0] for row in rows]) == pytest.approx(n, rel=0.1)
    assert 0.9 <= np.mean([low <= n <= high for _, low, high in rows]) <= 0.99


def _power(n: int, effect: float) -> float:
    return float(1 - stats.nct.cdf(stats.t.ppf(0.975, n - 1), n - 1, effect * np.sqrt(n)))


def test_what_cannot_be_compared_is_refused_in_a_line() -> None:
    x = RNG.random((2, 10))
    with pytest.raises(UsageError, match="one system \\(a\\) has no other"):
        compared(scores(x[:1]))
    with pytest.raises(UsageError, match="--baseline d: no such system"):
        compared(scores(x), baseline=["d"])
    with pytest.raises(UsageError, match="every system is a --baseline"):
        compared(scores(x), baseline=["a", "b"])
    apart = np.full((2, 10), np.nan)
    apart[0, :5], apart[1, 5:] = 0.5, 0.25
    with pytest.raises(UsageError, match="no two of these systems have a query in common"):
        compared(scores(apart))
    with pytest.raises(UsageError, match="--margin"):
        compared(scores(x), margin=0.0)
    with pytest.raises(UsageError, match="--difference"):
        compared(scores(x), difference=-1.0)


def test_one_query_and_a_constant_measure_have_an_answer() -> None:
    one = compared(scores(np.array([[0.5], [0.25]])))
    assert one.table.select("verdict", "p", "low").row(0) == (UNRESOLVABLE, None, None)
    assert "one_topic" in [note.code for note in one.notes]
    same = compared(scores(np.full((2, 30), 0.5)))
    assert same.table.select("verdict", "difference", "p").row(0) == (UNRESOLVABLE, 0.0, 1.0)
    assert same.table.select("low", "high").row(0) == pytest.approx((-(1 - 0.025 ** (1 / 30)), 1 - 0.025 ** (1 / 30)))
    assert compared(scores(np.full((2, 30), 0.5)), margin=0.01).table["verdict"].item() == UNRESOLVABLE
    beyond = compared(scores(np.full((2, 30), 250.0)), margin=0.01)  # the range of such a number is not known
    assert beyond.table.select("verdict", "low", "high").row(0) == (UNRESOLVABLE, None, None)
    ahead = compared(scores(np.stack([np.full(30, 0.75), np.full(30, 0.5)])))
    assert ahead.table.select("verdict", "difference", "low", "high").row(0) == (BETTER, 0.25, 0.25, 0.25)


def test_a_system_without_any_score_has_no_query_in_common_and_the_others_are_compared() -> None:
    x = RNG.normal(size=(3, 30)) + np.array([[3.0], [0.0], [0.0]])
    x[2] = np.nan
    result = compared(scores(x))
    assert result.table["verdict"].to_list() == [BETTER, UNRESOLVABLE, UNRESOLVABLE]
    assert result.table["mean_b"].to_list()[1:] == [None, None]
    assert [one.text for one in result.sentences][1:] == [
        "which is better by nDCG@10 of 2 of the 3 pairs, as no query is common to both"
    ]


def test_the_means_beside_a_difference_are_those_of_the_queries_that_both_have() -> None:
    x = RNG.random((2, 20))
    x[0, :5] = np.nan
    row = compared(scores(x)).table.row(0, named=True)
    assert (row["mean_a"], row["mean_b"]) == pytest.approx((x[0, 5:].mean(), x[1, 5:].mean()))
    assert row["mean_a"] - row["mean_b"] == pytest.approx(row["difference"])


def test_near_identical_systems_are_equivalent_as_often_as_the_numbers_of_queries_allow() -> None:
    """The power of two one-sided tests at a true difference of 0: 2 Phi(margin / se - z) - 1, for n large."""
    sd, margin = 0.1, 0.01
    for n, least, most in ((857, 0.7, 0.9), (200, 0.0, 0.1)):  # 8.57 (sd / margin)^2 queries for 80%
        said = []
        for seed in range(100):
            d = np.random.default_rng(seed).normal(size=n) * sd
            said.append(compared(scores(np.stack([0.5 + d, np.full(n, 0.5)])), margin=margin).table["verdict"].item())
        assert least <= np.mean([one == EQUIVALENT for one in said]) <= most


def test_the_queries_on_which_the_better_system_is_most_behind_are_named() -> None:
    x = np.tile([0.2, 0.8], (40, 1)).T + 0.01 * RNG.normal(size=(2, 40))
    x[0, 7], x[0, 9] = 1.0, 0.9
    (note,) = [note for note in compared(scores(x)).notes if note.code == "regressions"]
    assert note.text.startswith("b is most behind a on t7 -0.")
    (other,) = [note for note in compared(scores(x), baseline=["b"]).notes if note.code == "regressions"]
    assert other.text.startswith("a is most behind b on t")


def test_systems_that_are_ahead_of_the_same_ones_are_preferred_together() -> None:
    lead = np.array([0.2, 0.2, 0.1, 0.0])[:, None]
    noise = 0.02 * np.random.default_rng(3).normal(size=(4, 80))
    said = compared(scores(0.5 + lead + noise - noise.mean(1, keepdims=True))).sentences[0]
    assert said.text.startswith("Prefer a and b to c and d: they are better")
    assert said.value == pytest.approx(0.1)
