"""Means over several topics: where measures that agree on each of them disagree."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.analyses.disagreement.analysis import disagreement
from assay.analyses.disagreement.ranked_lists import RankedLists
from assay.analyses.disagreement.topic_means import (
    DisagreementOfMeans,
    disagreement_of_means,
    disagreement_of_run_means,
    random_rankings,
    wilson_interval,
)
from assay.core.errors import UsageError
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import dense_ranks, universe
from assay.stats.correlation.discordance import compare_pairs
from tests.builders.disagreement import collected

FAMILY = [parse_open(name) for name in ("DCG", "SDCG", "nDCG")]


def shares(found: DisagreementOfMeans) -> dict[tuple[str, str], float]:
    return {(a, b): share for a, b, share in found.table.select("measure_a", "measure_b", "disagreement").iter_rows()}


def test_with_one_topic_the_sample_holds_the_exact_share() -> None:
    """All pairs of the universe of one depth and one R, counted exactly; 99.9% intervals of six pairs of measures."""
    measures = [parse_open(name) for name in ("AP", "DCG", "RR", "RBP(p=0.95)")]
    found = disagreement_of_means(measures, n_topics=1, depths=[6], n_rels=[4], samples=20_000, level=0.999)
    lists = universe(6, 4)
    ranks = [dense_ranks(m, lists).rank for m in measures]
    for row, (x, y) in zip(found.table.iter_rows(named=True), combinations(ranks, 2), strict=True):
        exact = compare_pairs(x, y)
        assert row["low"] <= 100 * exact.n_disagree / exact.n_pairs <= row["high"]
        opposite = stats.binomtest(row["n_opposite"], row["n_pairs"], exact.n_opposite / exact.n_pairs).pvalue
        assert opposite > 0.001
        assert row["n_disagree"] == row["n_opposite"] + row["n_tie_only"]


def test_dcg_and_its_normalised_forms_agree_on_one_topic_and_disagree_over_several() -> None:
    one = shares(disagreement_of_means(FAMILY, n_topics=1, depths=range(1, 11), n_rels=range(1, 11), samples=2000))
    assert set(one.values()) == {0.0}
    several = shares(
        disagreement_of_means(FAMILY, n_topics=25, depths=range(1, 11), n_rels=range(1, 11), samples=2000)
    )
    assert min(several.values()) > 2


def test_at_one_depth_sdcg_never_disagrees_with_dcg_and_ndcg_does() -> None:
    """SDCG is DCG over what k documents could gain: at one depth that is one factor for all topics."""
    found = shares(disagreement_of_means(FAMILY, n_topics=25, depths=[10], n_rels=range(1, 11), samples=2000))
    assert found["DCG", "SDCG"] == 0
    assert found["DCG", "nDCG"] == found["SDCG", "nDCG"] > 5


def test_with_one_number_of_relevant_documents_ndcg_does_not_disagree_either() -> None:
    found = shares(disagreement_of_means(FAMILY, n_topics=25, depths=[10], n_rels=[7], samples=1000))
    assert set(found.values()) == {0.0}


def test_every_ranking_with_few_enough_relevant_documents_is_as_likely_as_any_other() -> None:
    n = 22_000
    rows = Counter(map(bytes, random_rankings(5, [(2,)], np.zeros(n, dtype=int), np.random.default_rng(4))))
    assert len(rows) == 1 + 5 + 10
    assert stats.chisquare(list(rows.values())).pvalue > 0.001
    assert random_rankings(3, [(99,)], np.zeros(50, dtype=int), np.random.default_rng(0)).sum(-1).max() == 3


def test_the_interval_is_wilsons() -> None:
    """The textbook example of scipy's own method, binomtest(...).proportion_ci(method="wilson")."""
    for found, n in ((0, 50), (3, 50), (25, 50), (50, 50)):
        theirs = stats.binomtest(found, n).proportion_ci(0.95, method="wilson")
        assert wilson_interval(found, n, 0.95) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_the_same_seed_gives_the_same_numbers_and_another_gives_others() -> None:
    settings: dict[str, Any] = {"n_topics": 5, "depths": [5], "n_rels": [1, 3], "samples": 1500}
    measures = [parse_open("AP"), parse_open("nDCG")]
    first, again, other = (disagreement_of_means(measures, rng=seed, **settings).table for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_runs_that_are_alike_on_every_topic_are_no_pair() -> None:
    """With k = 1, half of the draws of two rankings are alike."""
    found = disagreement_of_means(FAMILY[:2], n_topics=1, depths=[1], n_rels=[1], samples=4000)
    n = found.table["n_pairs"][0]
    assert stats.binomtest(n, 4000, 0.5).pvalue > 0.001
    assert (found.notes[1].code, found.notes[1].text.split()[0]) == ("identical_runs", f"{4000 - n:,}")


def test_a_number_of_relevant_documents_given_twice_is_twice_as_likely() -> None:
    """Topics with 10 relevant of 10 ranks are alike less often than topics with 1; the mix lies where it must."""
    n = 6000
    alike = {}
    for name, n_rels in {"few": [1], "many": [3], "mixed": [1, 1, 3]}.items():
        found = disagreement_of_means(FAMILY[:2], n_topics=1, depths=[3], n_rels=n_rels, samples=n)
        alike[name] = 1 - found.table["n_pairs"][0] / n
    assert (alike["few"], alike["many"]) == pytest.approx((1 / 4, 1 / 8), abs=0.02)
    assert alike["mixed"] == pytest.approx(2 / 3 * 1 / 4 + 1 / 3 * 1 / 8, abs=0.02)


def test_what_cannot_be_sampled_is_refused_before_the_work() -> None:
    with pytest.raises(UsageError, match="n-topics 0 is not a whole number from 1 to 131,072, such as 50"):
        disagreement_of_means(FAMILY, n_topics=0, depths=[5], n_rels=[2])
    with pytest.raises(UsageError, match="P@10 needs 10 ranks"):
        disagreement_of_means([*FAMILY, parse_open("P@10")], n_topics=2, depths=[5, 10], n_rels=[2])


def test_graded_rankings_are_all_as_likely() -> None:
    """Of three ranks with at most two documents of grade 1 and one of grade 2: every word of them, one by one."""
    words = [w for w in product(range(3), repeat=3) if w.count(1) <= 2 and w.count(2) <= 1]
    n = 1000 * len(words)
    rows = Counter(
        map(tuple, random_rankings(3, [(2, 1)], np.zeros(n, dtype=int), np.random.default_rng(2)).tolist())
    )
    assert set(rows) == set(words)
    assert stats.chisquare(list(rows.values())).pvalue > 0.001


def test_with_one_graded_topic_the_sample_holds_the_exact_share() -> None:
    """All pairs of the universe of two grades, counted exactly; 99.9% intervals."""
    measures = [parse_open(name) for name in ("nDCG", "nDCG(gain='exp')", "P", "ERR")]
    found = disagreement_of_means(measures, n_topics=1, depths=[4], n_rels=[(2, 2)], samples=20_000, level=0.999)
    lists = universe(4, (2, 2))
    ranks = [dense_ranks(m, lists).rank for m in measures]
    for row, (x, y) in zip(found.table.iter_rows(named=True), combinations(ranks, 2), strict=True):
        exact = compare_pairs(x, y)
        assert row["low"] <= 100 * exact.n_disagree / exact.n_pairs <= row["high"]


def test_binary_and_graded_topics_may_be_mixed() -> None:
    found = shares(disagreement_of_means(FAMILY, n_topics=3, depths=[4], n_rels=[(2,), (1, 1)], samples=600))
    assert found["DCG", "nDCG"] > 0


LISTS = {
    "a": {"t1": "10010", "t2": "00111", "t3": "11000"},
    "b": {"t1": "01100", "t2": "10000", "t3": "10001"},
    "c": {"t1": "00011", "t2": "11100", "t3": "00000"},
    "d": {"t1": "10010", "t2": "00111", "t3": "11000"},
}


def means_by_hand(names: tuple[str, str], n_topics: int) -> tuple[float, float]:
    """All pairs of runs over all sets of so many topics, one by one: percent that disagree, and the pairs."""
    lists = RankedLists.of(collected(LISTS), 5)
    n_rel = dict(zip(lists.judged.topics, lists.judged.n_rel().tolist(), strict=True))
    disagree, n = 0, 0
    for topics in combinations(n_rel, n_topics):
        for one, other in combinations(LISTS, 2):
            if all(LISTS[one][t] == LISTS[other][t] for t in topics):
                continue
            signs = []
            for name in names:
                m = parse_open(name) @ 5
                gap = sum(
                    m.of([int(g) for g in LISTS[one][t]], n_rel=n_rel[t])
                    - m.of([int(g) for g in LISTS[other][t]], n_rel=n_rel[t])
                    for t in topics
                )
                signs.append(0 if abs(gap) < 1e-12 else np.sign(gap))
            disagree, n = disagree + (signs[0] != signs[1]), n + 1
    return 100 * disagree / n, n


@pytest.mark.parametrize("n_topics", [1, 2, 3])
@pytest.mark.parametrize("names", [("AP", "RR"), ("P", "nDCG")])
def test_means_of_real_runs_are_those_of_all_pairs_and_sets_of_topics(names: tuple[str, str], n_topics: int) -> None:
    measures = [parse_open(name) for name in names]
    lists = RankedLists.of(collected(LISTS), 5)
    share, n = means_by_hand(names, n_topics)
    assert n == 5 * comb(3, n_topics)  # runs a and d are alike
    counted = disagreement_of_run_means(lists, measures, n_topics=n_topics, samples=6 * comb(3, n_topics))
    assert (counted.table["disagreement"][0], counted.table["n_pairs"][0]) == (pytest.approx(share), n)
    assert counted.table["low"].null_count() == counted.table["high"].null_count() == 1
    assert [note.code for note in counted.notes] == ["counted_means", "identical_runs"]


def test_where_there_is_more_to_count_than_to_sample_means_are_sampled() -> None:
    measures = [parse_open(name) for name in ("AP", "RR")]
    lists = RankedLists.of(collected(LISTS), 5)
    found = disagreement_of_run_means(lists, measures, n_topics=2, samples=17, level=0.999)
    assert found.notes[0].code == "sampled_means"
    share, _ = means_by_hand(("AP", "RR"), 2)
    assert found.table["low"][0] <= share <= found.table["high"][0]


def test_means_of_real_runs_need_two_runs_and_enough_topics() -> None:
    lists = RankedLists.of(collected(LISTS), 5)
    with pytest.raises(UsageError, match="n-topics 4: the runs have 3 topics with relevant documents; give fewer"):
        disagreement_of_run_means(lists, FAMILY, n_topics=4)
    single = RankedLists.of(collected({run: {"1": "10"} for run in "ab"}), 5)
    with pytest.raises(UsageError, match="n-topics 2: the runs have 1 topic with relevant documents; give fewer"):
        disagreement_of_run_means(single, FAMILY, n_topics=2)
    one = RankedLists.of(collected({"a": LISTS["a"]}), 5)
    with pytest.raises(UsageError, match="one run has no mean to be compared with"):
        disagreement_of_run_means(one, FAMILY, n_topics=1)


def test_the_command_compares_the_means_of_the_runs_it_is_given() -> None:
    found = disagreement(collected(LISTS), measure=("AP", "RR"), depth="5", n_rel="5", n_topics=3)
    share, _ = means_by_hand(("AP", "RR"), 3)
    row = found.tables["means"].row(0, named=True)
    assert (row["disagreement"], row["low"]) == (pytest.approx(share), None)
    assert {"means", "topics", "runs", "lists"} <= found.tables.keys()
