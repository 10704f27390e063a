"""Means over several topics: where measures that agree on each of them disagree."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.analyses.disagreement.topic_means import (
    DisagreementOfMeans,
    disagreement_of_means,
    random_rankings,
    wilson_interval,
)
from assay.core.errors import UsageError
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import dense_ranks, universe
from assay.stats.correlation.discordance import compare_pairs

FAMILY = [parse_open(name) for name in ("DCG", "SDCG", "nDCG")]


def shares(found: DisagreementOfMeans) -> dict[tuple[str, str], float]:
    return {(a, b): share for a, b, share in found.table.select("measure_a", "measure_b", "disagreement").iter_rows()}


def test_with_one_topic_the_sample_holds_the_exact_share() -> None:
    """All pairs of the universe of one depth and one R, counted exactly; 99.9% intervals of six pairs of measures."""
    measures = [parse_open(name) for name in ("AP", "DCG", "RR", "RBP(p=0.95)")]
    found = disagreement_of_means(measures, topics=1, depths=[6], n_rels=[4], samples=20_000, level=0.999)
    lists = universe(6, 4)
    ranks = [dense_ranks(m, lists).rank for m in measures]
    for row, (x, y) in zip(found.table.iter_rows(named=True), combinations(ranks, 2), strict=True):
        exact = compare_pairs(x, y)
        assert row["low"] <= 100 * exact.n_disagree / exact.n_pairs <= row["high"]
        opposite = stats.binomtest(row["n_opposite"], row["n_pairs"], exact.n_opposite / exact.n_pairs).pvalue
        assert opposite > 0.001
        assert row["n_disagree"] == row["n_opposite"] + row["n_tie_only"]


def test_dcg_and_its_normalised_forms_agree_on_one_topic_and_disagree_over_several() -> None:
    one = shares(disagreement_of_means(FAMILY, topics=1, depths=range(1, 11), n_rels=range(1, 11), samples=2000))
    assert set(one.values()) == {0.0}
    several = shares(disagreement_of_means(FAMILY, topics=25, depths=range(1, 11), n_rels=range(1, 11), samples=2000))
    assert min(several.values()) > 2


def test_at_one_depth_sdcg_never_disagrees_with_dcg_and_ndcg_does() -> None:
    """SDCG is DCG over what k documents could gain: at one depth that is one factor for all topics."""
    found = shares(disagreement_of_means(FAMILY, topics=25, depths=[10], n_rels=range(1, 11), samples=2000))
    assert found["DCG", "SDCG"] == 0
    assert found["DCG", "nDCG"] == found["SDCG", "nDCG"] > 5


def test_with_one_number_of_relevant_documents_ndcg_does_not_disagree_either() -> None:
    found = shares(disagreement_of_means(FAMILY, topics=25, depths=[10], n_rels=[7], samples=1000))
    assert set(found.values()) == {0.0}


def test_every_ranking_with_few_enough_relevant_documents_is_as_likely_as_any_other() -> None:
    n = 22_000
    rows = Counter(map(bytes, random_rankings(5, np.full(n, 2), np.random.default_rng(4))))
    assert len(rows) == 1 + 5 + 10
    assert stats.chisquare(list(rows.values())).pvalue > 0.001
    assert random_rankings(3, np.full(50, 99), np.random.default_rng(0)).sum(-1).max() == 3


def test_the_interval_is_wilsons() -> None:
    """The textbook example of scipy's own method, binomtest(...).proportion_ci(method="wilson")."""
    for found, n in ((0, 50), (3, 50), (25, 50), (50, 50)):
        theirs = stats.binomtest(found, n).proportion_ci(0.95, method="wilson")
        assert wilson_interval(found, n, 0.95) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_the_same_seed_gives_the_same_numbers_and_another_gives_others() -> None:
    settings: dict[str, Any] = {"topics": 5, "depths": [5], "n_rels": [1, 3], "samples": 1500}
    measures = [parse_open("AP"), parse_open("nDCG")]
    first, again, other = (disagreement_of_means(measures, rng=seed, **settings).table for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_runs_that_are_alike_on_every_topic_are_no_pair() -> None:
    """With k = 1, half of the draws of two rankings are alike."""
    found = disagreement_of_means(FAMILY[:2], topics=1, depths=[1], n_rels=[1], samples=4000)
    n = found.table["n_pairs"][0]
    assert stats.binomtest(n, 4000, 0.5).pvalue > 0.001
    assert (found.notes[1].code, found.notes[1].text.split()[0]) == ("identical_runs", f"{4000 - n:,}")


def test_a_number_of_relevant_documents_given_twice_is_twice_as_likely() -> None:
    """Topics with 10 relevant of 10 ranks are alike less often than topics with 1; the mix lies where it must."""
    n = 6000
    alike = {}
    for name, n_rels in {"few": [1], "many": [3], "mixed": [1, 1, 3]}.items():
        found = disagreement_of_means(FAMILY[:2], topics=1, depths=[3], n_rels=n_rels, samples=n)
        alike[name] = 1 - found.table["n_pairs"][0] / n
    assert (alike["few"], alike["many"]) == pytest.approx((1 / 4, 1 / 8), abs=0.02)
    assert alike["mixed"] == pytest.approx(2 / 3 * 1 / 4 + 1 / 3 * 1 / 8, abs=0.02)


def test_what_cannot_be_sampled_is_refused_before_the_work() -> None:
    with pytest.raises(UsageError, match="topics 0 is not a whole number from 1 to 131,072, such as 50"):
        disagreement_of_means(FAMILY, topics=0, depths=[5], n_rels=[2])
    with pytest.raises(UsageError, match="P@10 needs 10 ranks"):
        disagreement_of_means([*FAMILY, parse_open("P@10")], topics=2, depths=[5, 10], n_rels=[2])
