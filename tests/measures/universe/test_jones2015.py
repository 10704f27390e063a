"""The rankings and the arithmetic of jones2015: counts equal to plain loops over its lists, and to its tables."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest

from assay.core.arrays import Array
from assay.core.errors import MeasureError, UsageError
from assay.measures import AP, DCG, RR, SNAP, SNDCG, SP, P, R
from assay.measures.declare import Measure, Rankings, measure
from assay.measures.grammar import parse_open
from assay.measures.universe.jones2015 import (
    EPSILON,
    UNDEFINED,
    PaperCounts,
    compared,
    paper_counts,
    paper_lists,
    paper_preferences,
    paper_scores,
)

TEN = range(1, 11)

NAMES = [
    *("AP", "DCG", "RR", "P", "SDCG", "nDCG"),
    *("RBP(p=0.85)", "RBP(p=0.95)", "RBP(p=0.5)", "SP", "R", "SNAP", "SNDCG"),
]
TABLE_2 = """
    AP           1.32 30.10 20.62  1.32  1.32  2.13  3.51  8.67  0.01 20.62 31.20 31.68
    DCG               29.38 20.80  0.00  0.00  2.83  3.91  8.06  1.31 20.80 31.11 31.07
    RR                      40.50 29.38 29.38 31.55 33.06 23.82 30.09 40.50 40.95 40.62
    P                             20.80 20.80 19.45 17.78 28.81 20.62  0.00 51.64 51.87
    SDCG                                 0.00  2.83  3.91  8.06  1.31 20.80 31.11 31.07
    nDCG                                       2.83  3.91  8.06  1.31 20.80 31.11 31.07
    RBP(p=0.85)                                      1.85 10.15  2.12 19.45 32.68 33.15
    RBP(p=0.95)                                           11.97  3.50 17.78 34.52 34.98
    RBP(p=0.5)                                                   8.67 28.81 26.08 24.80
    SP                                                                20.62 31.20 31.67
    R                                                                       51.64 51.87
    SNAP                                                                           1.88
"""
"""Copied from the paper, ERR and R-Prec left out: it ran forms of them that are not the catalogue's."""


@pytest.fixture(scope="module")
def found() -> PaperCounts:
    return paper_counts([parse_open(name) for name in NAMES], TEN, TEN)


def pair(found: PaperCounts, one: str, other: str) -> int:
    return int(found.n_disagree[:, NAMES.index(one), NAMES.index(other)].sum())


def test_both_totals_are_those_of_the_paper(found: PaperCounts) -> None:
    assert found.n_lists.sum() == 61_430
    assert found.n_pairs.sum() == 32_062_341


def test_every_cell_of_table_2_comes_out_to_two_decimals(found: PaperCounts) -> None:
    printed = {
        (row[0], other): float(cell)
        for row in map(str.split, TABLE_2.strip().splitlines())
        for other, cell in zip(NAMES[NAMES.index(row[0]) + 1 :], row[1:], strict=True)
    }
    assert len(printed) == 13 * 12 // 2
    ours = {names: 100 * pair(found, *names) / 32_062_341 for names in printed}
    assert {names: round(value, 2) for names, value in ours.items()} == printed


def test_counts_that_another_implementation_found(found: PaperCounts) -> None:
    """tests/reference/rankings.py, which compares all 32 million pairs."""
    assert pair(found, "AP", "DCG") == 423_287
    assert pair(found, "AP", "SP") == 3_437  # the same order: all of it rounding


def test_what_is_opposite_or_undefined_is_part_of_what_disagrees(found: PaperCounts) -> None:
    assert (found.n_opposite + found.n_undefined <= found.n_disagree).all()
    assert (found.n_disagree == found.n_disagree.transpose(0, 2, 1)).all()
    snap, sndcg, ap = (NAMES.index(name) for name in ("SNAP", "SNDCG", "AP"))
    assert found.n_undefined[:, snap, sndcg].sum() == 0  # both have no score where nothing is relevant
    share = found.n_undefined[:, ap, snap].sum() / found.n_pairs.sum()
    assert share == pytest.approx(0.187, abs=0.0005)  # of all pairs, those with such a list


def bits(x: int, k: int) -> tuple[int, ...]:
    return tuple(x >> i & 1 for i in range(k))


def by_hand(name: str, x: int, k: int, n_rel: int) -> float:
    """Scores in plain Python, added up from rank 1 down."""
    total, hits = 0.0, 0
    for rank, hit in enumerate(bits(x, k), 1):
        hits += hit
        total += hit * hits / rank
    if name == "SNAP":
        return total / hits if hits else math.nan
    if name == "RR":
        return next((1 / rank for rank, hit in enumerate(bits(x, k), 1) if hit), 0.0)
    return total / n_rel


def state(a: float, b: float) -> str:
    if math.isnan(a) or math.isnan(b):
        return "undefined"
    return "tie" if abs(a - b) < 2**-53 else "a" if a > b else "b"


@pytest.mark.parametrize(("k", "n_rel"), [(1, 1), (2, 5), (3, 2), (5, 1), (9, 1), (10, 2)])
def test_counts_are_those_of_the_plain_loop_over_all_pairs_of_lists(k: int, n_rel: int) -> None:
    measures = {"AP": AP, "SNAP": SNAP, "RR": RR}
    n_lists, n_pairs, apart = 0, 0, Counter[tuple[str, str]]()
    scores = {(name, x): by_hand(name, x, k, n_rel) for name in measures for x in range(2**k)}
    for a in range(1024):
        if a.bit_count() > n_rel:
            continue
        n_lists += 1
        for b in range(a + 1, 1024):
            if (b % 2**k).bit_count() > n_rel:
                continue
            n_pairs += 1
            said = {name: state(scores[name, a % 2**k], scores[name, b % 2**k]) for name in measures}
            apart.update(names for names in combinations(measures, 2) if said[names[0]] != said[names[1]])
    found = paper_counts(list(measures.values()), [k], [n_rel])
    assert (found.n_lists.tolist(), found.n_pairs.tolist()) == ([n_lists], [n_pairs])
    for one, other in combinations(range(3), 2):
        assert found.n_disagree[0, one, other] == apart[list(measures)[one], list(measures)[other]]
    assert apart["AP", "SNAP"] > 0


def test_cells_come_in_the_order_asked() -> None:
    found = paper_counts([AP, RR], [4, 2], [3, 1])
    assert list(zip(found.depth.tolist(), found.n_rel.tolist(), strict=True)) == [(4, 3), (4, 1), (2, 3), (2, 1)]
    alone = paper_counts([AP, RR], [2], [3])
    assert found.n_disagree[2].tolist() == alone.n_disagree[0].tolist()


def test_scores_are_those_of_the_measure_cut_at_each_depth() -> None:
    x = 0b1011  # relevant at ranks 1, 2 and 4
    for m, k in product((AP, DCG, P, R, SNAP, SNDCG), (1, 3, 10)):
        grades = paper_lists()[x][:k].tolist()
        assert grades == list(bits(x, k))
        assert paper_scores(m, 5)[x, k - 1] == pytest.approx((m @ k).of(grades, n_rel=5), rel=1e-12)
    assert np.isnan(paper_scores(AP, 2)[x]).all()  # three relevant documents where there are two


def test_a_difference_of_the_least_bit_is_none_and_an_undefined_score_is_its_own_state() -> None:
    a = np.array([1.0, 1.0, 0.5, np.nan, np.nan])
    b = np.array([1.0, 1.0 - EPSILON, 0.5 - EPSILON / 2, 0.5, np.nan])
    assert compared(a, b).tolist() == [0, 1, 0, UNDEFINED, UNDEFINED]


def test_perfect_lists_of_4_and_5_documents_fall_short_of_1_as_in_the_paper() -> None:
    """Bits of the platform's logarithm: 1 - 2^-52 and 1 - 2^-53 here."""
    score = paper_scores(SNDCG, 10)[:, 9]
    short = {n: 1 - score[2**n - 1] for n in range(1, 11)}
    assert {n for n, gap in short.items() if gap != 0} == {4, 5}
    assert (short[4], short[5]) == (2**-52, 2**-53)


def test_a_formula_that_gives_no_curve_counts_like_one_that_does(catalogue: dict[str, Measure]) -> None:
    @measure(claims=(), cite="mine", range=(0.0, np.inf))
    def Plain(j: Rankings) -> Array:
        return np.asarray((j.grade > 0).sum(-1), dtype=np.float64)

    found = paper_counts([Plain, P, AP], [2, 3], [2])
    assert found.n_disagree[:, 0, 1].sum() == 0
    assert found.n_disagree[:, 0, 2].tolist() == found.n_disagree[:, 1, 2].tolist()


def test_what_is_relevant_is_just_relevant_enough() -> None:
    found = paper_counts([AP, AP(rel=2), RR], [3], [2])
    assert found.n_disagree[0, 0, 1] == 0
    assert found.n_disagree[0, 0, 2] == found.n_disagree[0, 1, 2] > 0


def test_a_measure_with_a_cutoff_of_its_own_looks_no_deeper() -> None:
    found = paper_counts([P @ 1, RR @ 1, RR], [3], [3])
    assert found.n_disagree[0, 0, 1] == 0
    assert found.n_disagree[0, 0, 2] > 0


@pytest.mark.parametrize(
    ("measures", "depth", "n_rel", "problem"),
    [
        ([AP, RR], 11, 5, "depth 11: the lists of the paper's universe hold 10 documents; 1 to 10"),
        ([AP, RR], 0, 5, "depth 0"),
        ([AP, RR], 5, 0, "n-rel 0 is not a whole number from 1 up"),
        ([AP, P @ 10], 5, 5, "P@10 needs 10 ranks"),
    ],
)
def test_what_cannot_be_counted_is_refused(measures: list[Measure], depth: int, n_rel: int, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        paper_counts(measures, [depth], [n_rel])


def test_a_formula_that_fails_is_named(catalogue: dict[str, Measure]) -> None:
    @measure(claims=(), cite="mine")
    def Broken(j: Rankings) -> Array:
        raise ZeroDivisionError("nothing there")

    with pytest.raises(MeasureError, match="Broken@1: the formula fails: ZeroDivisionError: nothing there"):
        paper_counts([AP, Broken], [2], [2])


def test_preferences_are_shares_of_the_pairs_on_which_two_measures_disagree() -> None:
    """Table 4, AP and DCG: more relevant documents, the first relevant and the first non-relevant one earlier."""
    lists = paper_lists()
    first = [np.where(there.any(-1), there.argmax(-1), 10) for there in (lists == 1, lists == 0)]
    features = np.stack([lists.sum(-1), -first[0], -first[1]], axis=-1).astype(np.int64)
    share = paper_preferences([AP, DCG, DCG], features)
    assert share[0, 1].round(2).tolist() == [52.41, 4.07, 65.53]
    assert share[1, 0].round(2).tolist() == [22.10, 71.63, 14.34]
    assert np.isnan(share[1, 2]).all()  # no pair to take a share of


def test_sp_and_ap_agree_but_for_rounding() -> None:
    found = paper_counts([AP, SP], [10], [3])
    exact = paper_counts([AP, SP], [4], [2])
    assert exact.n_disagree[0, 0, 1] == 0
    assert 0 < found.n_disagree[0, 0, 1] < 1000
