"""All rankings of one length, and the exact order in which measures put them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import lcm

import numpy as np
import pytest

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.measures.declare import CATALOGUE, Measure, Rankings, measure
from assay.measures.grammar import parse, parse_open
from assay.measures.universe.exhaustive import (
    UNIVERSE_MEMORY,
    TopicRankings,
    check_size,
    cut,
    dense_ranks,
    extremes,
    memory,
    n_lists,
    separation,
    universe,
)
from assay.stats.correlation.discordance import compare_pairs

FIFTEEN = (
    *("AP", "SP", "DCG", "SDCG", "nDCG", "SNDCG", "SNAP", "RBP(p=0.85)", "RBP(p=0.95)", "RBP(p=0.5)"),
    *("RR", "ERR", "P", "R", "Rprec"),
)


def exact(name: str, grades: tuple[int, ...], n_rel: int) -> Fraction | None:
    """Score a ranking in fractions, from the definition; None where there is no score."""
    k, hits = len(grades), [i for i, g in enumerate(grades, start=1) if g]
    sum_of_precisions = sum((Fraction(c, i) for c, i in enumerate(hits, start=1)), Fraction(0))
    half = Fraction(1, 2)
    scores = {
        "AP": sum_of_precisions / n_rel,
        "SP": sum_of_precisions,
        "SNAP": sum_of_precisions / len(hits) if hits else None,
        "RR": Fraction(1, hits[0]) if hits else Fraction(0),
        "P": Fraction(len(hits), k),
        "R": Fraction(len(hits), n_rel),
        "Rprec": Fraction(sum(i <= n_rel for i in hits), n_rel),
        "ERR": sum((half**c / i for c, i in enumerate(hits, start=1)), Fraction(0)),
        "ERR(stop=1.0)": Fraction(1, hits[0]) if hits else Fraction(0),
        "ERR(stop=0.3)": sum(
            (Fraction(3, 10) * Fraction(7, 10) ** (c - 1) / i for c, i in enumerate(hits, start=1)), Fraction(0)
        ),
        "Rprec(form='recall')": Fraction(len(hits), n_rel),
        "Rprec(form='capped')": Fraction(sum(i <= n_rel for i in hits), min(k, n_rel)),
        "RBP(p=0.5)": sum((half**i for i in hits), Fraction(0)),
        "RBP(p=0.85)": sum((Fraction(17, 20) ** (i - 1) * Fraction(3, 20) for i in hits), Fraction(0)),
        "RBP(p=0.95)": sum((Fraction(19, 20) ** (i - 1) * Fraction(1, 20) for i in hits), Fraction(0)),
    }
    return scores[name]


RATIONAL = [name for name in FIFTEEN if "DCG" not in name]
RATIONAL += ["ERR(stop=1.0)", "ERR(stop=0.3)", "Rprec(form='recall')", "Rprec(form='capped')"]


@pytest.mark.parametrize(("k", "n_rel"), [(1, 1), (4, 2), (5, 9), (9, 5), (10, 10)])
@pytest.mark.parametrize("name", RATIONAL)
def test_ranks_are_those_of_scores_in_fractions(name: str, k: int, n_rel: int) -> None:
    lists = universe(k, n_rel)
    scores = [exact(name, tuple(row), n_rel) for row in lists.grade.tolist()]
    levels = {score: i for i, score in enumerate(sorted({s for s in scores if s is not None}))}
    found = dense_ranks(parse_open(name), lists)
    assert found.rank.tolist() == [-1 if score is None else levels[score] for score in scores]
    assert found.n_ambiguous == 0


def test_sums_of_precisions_at_depth_16_have_the_ranks_of_whole_numbers() -> None:
    lists = universe(16, 8)
    whole = lcm(*range(1, 17)) // np.arange(1, 17)
    sums = (np.cumsum(lists.grade, axis=-1) * lists.grade * whole).sum(-1)
    hits = lists.grade.sum(-1, dtype=np.int64)
    for name, number in (("AP", sums), ("SNAP", sums * (lcm(*range(1, 17)) // np.maximum(hits, 1)))):
        has = hits > 0 if name == "SNAP" else np.ones(len(lists), dtype=bool)
        expected = np.full(len(lists), -1)
        expected[has] = np.unique(number[has], return_inverse=True)[1]
        assert np.array_equal(dense_ranks(parse_open(name), lists).rank, expected)


@pytest.mark.parametrize("name", ["DCG", "nDCG", "SDCG", "RBP(p=0.85)", "RBP(p=0.95)"])
def test_dcg_and_rbp_never_tie_two_rankings(name: str) -> None:
    rank = dense_ranks(parse_open(name), universe(12, 12)).rank
    assert sorted(rank.tolist()) == list(range(4096))


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_no_difference_of_a_catalogue_measure_is_ambiguous(name: str) -> None:
    own = CATALOGUE[name](recall=0.5) if name == "IPrec" else CATALOGUE[name]
    for k, n_rel in ((7, 3), (12, 6)):
        assert dense_ranks(own, universe(k, n_rel)).n_ambiguous == 0


def test_a_universe_holds_every_ranking_once() -> None:
    lists = universe(6, 3)
    rows = [tuple(row) for row in lists.grade.tolist()]
    assert sorted(rows) == sorted(row for row in product((0, 1), repeat=6) if sum(row) <= 3)
    assert len(rows) == n_lists(6, 3) == 42
    assert (lists.k, lists.n_rel) == (6, 3)


def test_rankings_are_numbered_from_the_last_rank() -> None:
    rows = universe(5, 5).grade.astype(np.int64) @ (1 << np.arange(5))
    assert rows.tolist() == list(range(32))


def test_a_graded_universe_holds_at_most_so_many_documents_of_each_grade() -> None:
    rows = [tuple(row) for row in universe(4, (2, 1)).grade.tolist()]
    every = product((0, 1, 2), repeat=4)
    assert sorted(rows) == sorted(row for row in every if row.count(1) <= 2 and row.count(2) <= 1)
    assert len(rows) == n_lists(4, (2, 1))


def test_totals_are_those_of_the_rankings_that_the_paper_describes() -> None:
    # the rankings that section 3.1 of jones2015 describes, enumerated in tests/reference/rankings.py
    sizes = [n_lists(k, n) for k in range(1, 11) for n in range(1, 11)]
    assert sum(sizes) == 13_279
    assert sum(n * (n - 1) // 2 for n in sizes) == 3_699_340


@pytest.mark.parametrize(("k", "n_rel"), [(3, 2), (6, 6), (7, 3)])
def test_counts_equal_those_of_comparing_every_pair(k: int, n_rel: int) -> None:
    assert_every_pair_agrees(k, n_rel)


@pytest.mark.slow
@pytest.mark.parametrize("k", range(1, 9))
def test_counts_equal_those_of_comparing_every_pair_everywhere(k: int) -> None:
    for n_rel in range(1, 9):
        assert_every_pair_agrees(k, n_rel)


def assert_every_pair_agrees(k: int, n_rel: int) -> None:
    """Hold every pair of measures against a comparison of all scores with each other."""
    lists = universe(k, n_rel)
    measures = [parse_open(name) for name in FIFTEEN]
    ranks = [dense_ranks(m, lists).rank for m in measures]
    signs = [_signs(m, name, lists) for m, name in zip(measures, FIFTEEN, strict=True)]
    for i, j in combinations(range(len(measures)), 2):
        found = compare_pairs(ranks[i], ranks[j])
        assert found.n_opposite == np.count_nonzero(signs[i] * signs[j] < 0), (FIFTEEN[i], FIFTEEN[j])
        assert found.n_disagree == np.count_nonzero(signs[i] != signs[j]), (FIFTEEN[i], FIFTEEN[j])
        assert found.n_pairs == signs[i].size


def _signs(m: Measure, name: str, lists: TopicRankings) -> np.ndarray:
    """Say which ranking of every pair scores higher: in fractions where scores are, else beyond rounding."""
    if name in RATIONAL:
        scores = [exact(name, tuple(row), lists.n_rel) for row in lists.grade.tolist()]
        level = {s: i for i, s in enumerate(sorted({s for s in scores if s is not None}))}
        value = np.array([np.nan if s is None else level[s] for s in scores])
    else:
        value = (m @ lists.k).compute(lists.rankings())
    first, second = np.triu_indices(len(lists), 1)
    gap = np.nan_to_num(value[first] - value[second])
    return np.where(np.abs(gap) < 1e-9, 0, np.sign(gap))


@pytest.mark.parametrize("pair", [("AP", "SP"), ("DCG", "SDCG"), ("DCG", "nDCG"), ("P", "R"), ("R", "NumRelRet")])
def test_measures_that_differ_by_a_factor_never_disagree(pair: tuple[str, str]) -> None:
    for k, n_rel in product(range(1, 11), (1, 3, 10)):
        lists = universe(k, n_rel)
        one, other = (dense_ranks(parse_open(name), lists).rank for name in pair)
        assert np.array_equal(one, other)


def test_reciprocal_rank_never_contradicts_rbp_of_persistence_one_half() -> None:
    # the first hit outweighs all that follow it
    for k in range(1, 13):
        lists = universe(k, k)
        found = compare_pairs(
            dense_ranks(parse_open("RR"), lists).rank, dense_ranks(parse_open("RBP(p=0.5)"), lists).rank
        )
        assert found.n_opposite == 0
        assert (found.n_tie_only > 0) == (k > 1)


def test_a_threshold_on_grades_finds_relevant_documents_that_just_reach_it() -> None:
    lists = universe(4, 2)
    one, other = (dense_ranks(parse_open(name), lists).rank for name in ("AP", "AP(rel=3)"))
    assert np.array_equal(one, other)


def test_a_gain_that_values_grades_alike_ties_what_linear_gain_orders() -> None:
    lists = universe(2, (1, 1))
    linear, flat = (dense_ranks(parse_open(m), lists).rank for m in ("DCG", "DCG(gain={1: 1, 2: 1})"))
    assert (linear.max(), flat.max()) == (6, 3)  # 00 01 10 02 20 12 21, and 00, one hit low, one high, two


def test_a_declared_measure_with_differences_as_small_as_rounding_is_called_ambiguous(
    catalogue: dict[str, Measure],
) -> None:
    @measure(claims=(), cite="jones2015")
    def Doubtful(j: Rankings) -> Array:
        return 1 + 2.0**-46 * j.total(j.hit(1))

    assert catalogue["Doubtful"] is Doubtful
    found = dense_ranks(Doubtful, universe(3, 3))
    assert found.n_ambiguous == 3
    assert found.rank.max() == 3


def test_a_chain_of_ties_that_reaches_too_far_is_called_ambiguous(catalogue: dict[str, Measure]) -> None:
    @measure(claims=(), cite="jones2015")
    def Creeping(j: Rankings) -> Array:
        return 1 + 2.0**-49 * j.total(j.hit(1) * 2.0 ** (j.rank - 1))

    assert catalogue["Creeping"] is Creeping
    assert dense_ranks(Creeping, universe(4, 4)).n_ambiguous == 1


def test_a_measure_without_any_score_has_no_ranks(catalogue: dict[str, Measure]) -> None:
    @measure(claims=(), cite="jones2015")
    def Nowhere(j: Rankings) -> Array:
        return np.full(j.grade.shape[0], np.nan)

    assert set(dense_ranks(catalogue["Nowhere"], universe(3, 1)).rank.tolist()) == {-1}


def test_a_redeclared_name_does_not_inherit_what_is_known_of_the_old_formula(catalogue: dict[str, Measure]) -> None:
    lists = universe(3, 3)
    assert separation(catalogue["P"], lists) == pytest.approx(1 / 3)

    @measure(claims=(), cite="jones2015")
    def P(j: Rankings) -> Array:
        return j.total(j.hit(1)) / 1000

    assert separation(P, lists) is None
    assert dense_ranks(P, lists).rank.max() == 3


def test_a_cutoff_of_its_own_is_kept_where_rankings_reach_it() -> None:
    assert str(cut(parse_open("nDCG@3"), 5)) == "nDCG@3"
    assert str(cut(parse_open("nDCG"), 5)) == "nDCG@5"
    with pytest.raises(UsageError, match=r"nDCG@20 needs 20 ranks; there are rankings of 5: give nDCG"):
        cut(parse_open("nDCG@20"), 5)


@pytest.mark.parametrize(
    ("k", "n_rel", "said"),
    [
        (0, 1, "depth 0 is not a whole number from 1 up"),
        (5, 0, "n-rel 0: with nothing relevant all rankings are alike"),
        (30, 15, f"614,429,672 rankings.*GB; {UNIVERSE_MEMORY} GB are the limit: a depth of 2[0-9] fits"),
        (20, (9, 9, 9), f"{UNIVERSE_MEMORY} GB are the limit"),
    ],
)
def test_what_does_not_fit_is_refused_before_it_is_laid_out(k: int, n_rel: int | tuple[int, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_size(k, n_rel, 15)


def test_the_largest_case_of_the_documentation_fits() -> None:
    check_size(20, 10, 15)
    assert memory(20, 10, 15) < 0.2e9


def test_scores_that_are_all_different_are_not_tied_however_deep_the_list() -> None:
    lists = universe(60, 1)  # 61 rankings: RBP(p=0.5) scores them 0 and 2**-i, which floats hold exactly
    found = dense_ranks(parse("RBP(p=0.5)@60"), lists)
    assert sorted(found.rank.tolist()) == list(range(61))


def test_ties_that_rounding_might_have_made_are_counted_as_doubtful() -> None:
    assert dense_ranks(parse("RBP(p=0.5)@60"), universe(60, 1)).n_ambiguous == 0
    assert dense_ranks(parse("AP@50"), universe(50, 2)).n_ambiguous > 0


def test_more_relevant_documents_than_ranks_are_as_many_as_asked() -> None:
    lists = universe(3, 40_000)
    assert (len(lists), lists.n_rel) == (8, 40_000)


def test_an_infinite_score_is_refused() -> None:
    own = parse("P@2")
    infinite = replace(own, declaration=replace(own.declaration, formula=lambda j, **_: 1 / (j.hit(9).sum(-1) * 1.0)))
    with pytest.raises(UsageError, match="infinitely"), np.errstate(divide="ignore"):
        dense_ranks(infinite, universe(2, 1))


def test_the_extremes_of_a_universe_are_its_lowest_and_highest_ranking() -> None:
    for k, n_rel in ((4, 2), (2, 5), (4, (1, 2))):
        lists, ends = universe(k, n_rel), extremes(k, n_rel)
        every = lists.score(parse(f"DCG@{k}"))
        assert ends.score(parse(f"DCG@{k}")).tolist() == [every.min(), every.max()]
        assert ends.pool == lists.pool
