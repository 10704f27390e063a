"""Measures against slow twins in plain Python on random graded lists, and against values worked out by hand.

The twins (`by_hand.py`) follow the papers' formulas one rank at a time. Lists hold unjudged and pooled documents and
end early; every measure is compared at several cutoffs, beyond the end of lists too, and at all depths in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from assay.data.rankings import Rankings
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from tests.reference import by_hand as hand
from tests.reference.by_hand import Topic, topics

Twin = Callable[[Topic, int | None], float | None]
CUTOFFS = (1, 2, 3, 7, 10, 25, 40)
CLOSE = 1e-12
ABSENT = -3

GAINS: dict[str, hand.Gain] = {
    "gain='linear'": hand.linear_gain,
    "gain='exp'": hand.exponential_gain,
    "gains={0: 0.5, 1: 3, 2: 1.5}": hand.mapped_gain({0: 0.5, 1: 3, 2: 1.5}),
    "gains={1: 0}": hand.mapped_gain({1: 0}),
}
DISCOUNTS: dict[str, hand.Weight] = {
    "discount='log2'": hand.log2_discount,
    "discount='jk'": hand.jk_discount(2),
    "discount='jk', base=3.0": hand.jk_discount(3),
    "discount='jk', base=10.0": hand.jk_discount(10),
    "discount='zipf'": lambda i: 1 / i,
    "discount='none'": lambda i: 1.0,
    "discount=[1, 0.7, 0.7, 0.2]": hand.listed_discount([1, 0.7, 0.7, 0.2]),
}
DCG_FAMILY: dict[str, Callable[..., float | None]] = {
    "DCG": hand.dcg,
    "nDCG": hand.ndcg,
    "enDCG": hand.expanded_ndcg,
    "SDCG": hand.scaled_dcg,
    "SNDCG": hand.self_normalised_dcg,
}


def by_linear(name: str, gain: str) -> Callable[[Topic, int], float | None]:
    """A discount that runs down to 0 just after k."""
    return lambda t, k: DCG_FAMILY[name](t, k, GAINS[gain], hand.linear_discount(k))


TWINS: dict[str, Twin] = {
    "SP": hand.sum_of_precisions,
    "SP(rel=2)": lambda t, k: hand.sum_of_precisions(t, k, 2),
    "AP": hand.average_precision,
    "AP(rel=2)": lambda t, k: hand.average_precision(t, k, 2),
    "aAP": hand.abbreviated_ap,
    "aAP(rel=2)": lambda t, k: hand.abbreviated_ap(t, k, 2),
    "SNAP": hand.self_normalised_ap,
    "SNAP(rel=2)": lambda t, k: hand.self_normalised_ap(t, k, 2),
    "GMAP": hand.floored_ap,
    "Q": lambda t, k: hand.q_measure(t, k, 1, hand.linear_gain),
    "Q(beta=0.5)": lambda t, k: hand.q_measure(t, k, 0.5, hand.linear_gain),
    "Q(beta=0.0)": hand.abbreviated_ap,
    "Q(gain='exp', rel=2)": lambda t, k: hand.q_measure(t, k, 1, hand.exponential_gain, 2),
    "Q(gain={1: 3, 2: 1})": lambda t, k: hand.q_measure(t, k, 1, hand.mapped_gain({1: 3, 2: 1})),
    "Rprec(mult=0.2)": lambda t, k: hand.precision_at_multiple_of_r(t, k, 0.2),
    "Rprec(mult=1.4, rel=2)": lambda t, k: hand.precision_at_multiple_of_r(t, k, 1.4, 2),
    "IAP": lambda t, k: hand.interpolated_average(t, k, [x / 10 for x in range(11)]),
    "IAP(points=[0.25, 0.5, 0.75], rel=2)": lambda t, k: hand.interpolated_average(t, k, [0.25, 0.5, 0.75], 2),
    "RBP": lambda t, k: hand.rbp(t, k, 0.8),
    "RBP(p=0.95)": lambda t, k: hand.rbp(t, k, 0.95),
    "RBP(p=0.5, rel=2)": lambda t, k: hand.rbp(t, k, 0.5, 2),
    "nRBP": lambda t, k: hand.normalised_rbp(t, k, 0.8),
    "nRBP(p=0.95, rel=1)": lambda t, k: hand.normalised_rbp(t, k, 0.95, 1),
    "ERR": lambda t, k: hand.err(t, k, t.top),
    "ERR(max_rel=4)": lambda t, k: hand.err(t, k, 4),
}
"""Measures that may be cut or not."""

CUT: dict[str, Callable[[Topic, int], float | None]] = {
    "RBP(residual=0.1)": lambda t, k: hand.rbp(t, k, 0.1 ** (1 / k)),
    "RBP(residual=0.5, rel=1)": lambda t, k: hand.rbp(t, k, 0.5 ** (1 / k), 1),
    "nRBP(residual=0.1)": lambda t, k: hand.normalised_rbp(t, k, 0.1 ** (1 / k)),
    "BPM": lambda t, k: hand.bejewelled(t, k, 1),
    "BPM(T=2.5)": lambda t, k: hand.bejewelled(t, k, 2.5),
    **{f"{name}(discount='linear', {gain})": by_linear(name, gain) for name in DCG_FAMILY for gain in GAINS},
}
"""Measures that need a cutoff, or whose weights depend on it."""


def side_by_side(drawn: list[Topic]) -> Rankings:
    """Put lists into one array, the short ones filled up with ABSENT."""
    width = max(len(t.ranking) for t in drawn)
    grade = np.array([[*t.ranking, *[ABSENT] * (width - len(t.ranking))] for t in drawn], dtype=np.int8)
    top = drawn[0].top
    pool = np.array([[t.judged.count(g) for g in range(top + 1)] for t in drawn], dtype=np.int64)
    return Rankings(grade, pool, top)


def nan_for_none(values: list[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in values]


def assert_equal_to_twin(
    m: Measure, twin: Callable[[Topic, int], float | None], cutoffs: tuple[int, ...] = CUTOFFS
) -> None:
    """Hold a measure against its twin: cut anew at each depth, and at every depth in one pass."""
    for top in (1, 3, 4):
        drawn = topics(top, top=top)
        lists = side_by_side(drawn)
        curve = m.curve(lists, max(cutoffs))
        for k in cutoffs:
            expected = nan_for_none([twin(t, k) for t in drawn])
            np.testing.assert_allclose((m @ k).compute(lists), expected, rtol=0, atol=CLOSE)
            np.testing.assert_allclose(curve[:, k - 1], expected, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("name", TWINS)
def test_a_measure_is_its_slow_twin(name: str) -> None:
    assert_equal_to_twin(parse(name), TWINS[name])
    for top in (1, 3, 4):
        drawn = topics(10 + top, top=top)
        expected = nan_for_none([TWINS[name](t, None) for t in drawn])
        np.testing.assert_allclose(parse(name).compute(side_by_side(drawn)), expected, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("name", CUT)
def test_a_measure_that_depends_on_its_cutoff_is_its_slow_twin(name: str) -> None:
    assert_equal_to_twin(parse(f"{name}@1"), CUT[name])


@pytest.mark.parametrize("discount", DISCOUNTS)
@pytest.mark.parametrize("gain", GAINS)
@pytest.mark.parametrize("name", DCG_FAMILY)
def test_every_gain_and_discount(name: str, gain: str, discount: str) -> None:
    twin = DCG_FAMILY[name]
    m = parse(f"{name}({gain}, {discount})@1")
    assert_equal_to_twin(m, lambda t, k: twin(t, k, GAINS[gain], DISCOUNTS[discount]), (1, 3, 10, 40))


@pytest.mark.parametrize("T", [0.5, 1.0, 2.5])
@pytest.mark.parametrize("name", ["INST", "INSQ"])
def test_infinite_normalisation_is_a_long_sum(name: str, T: float) -> None:
    m = parse(f"{name}(T={T})")
    drawn = topics(5, top=3, n=8)
    lists = side_by_side(drawn)
    for k in (2, 10, None):
        expected = [hand.read_on(t, k, T, adaptive=name == "INST") for t in drawn]
        found = (m if k is None else m @ k).compute(lists)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_q_without_gain_is_abbreviated_ap() -> None:
    lists = side_by_side(topics(7, top=4, n=200))
    for k in CUTOFFS:
        np.testing.assert_allclose(
            parse(f"Q(beta=0.0)@{k}").compute(lists), parse(f"aAP@{k}").compute(lists), rtol=0, atol=CLOSE
        )


HAND = [
    # (6/pi^2) x 1: after a full gain T + T_i is T again, so that W(i) is proportional to 1/i^2
    ("INST(T=1.0)", [1, 0, 0], {}, 6 / math.pi**2),
    # W(1) = 2^-2 over the sum of l^-2 from l = 2
    ("INSQ(T=1.0)", [1, 0, 0], {}, 0.25 / (math.pi**2 / 6 - 1)),
    # C(1) = (1/2)^2, C(2) = (2/3)^2 after one gain, so W = 1, 1/4, 1/9 to depth 3: 1 / (49/36)
    ("INST(T=1.0, depth=3)", [1, 0, 0], {}, 36 / 49),
    # W proportional to 1/4, 1/9, 1/16 to depth 3: (1/9) / (61/144)
    ("INSQ(T=1.0, depth=3)", [0, 1, 0], {}, 16 / 61),
    # half a gain, then half a gain: satisfied at rank 3 of 10
    ("BPM(T=1.0)@10", [1, 0, 1, 2], {"top": 2}, 1 / 3),
    # never satisfied: all of rank 1 to 10 read for half a gain
    ("BPM(T=1.0)@10", [1, 0, 0], {"top": 2}, 0.05),
    # R = (2^g - 1) / 2^3: 7/8 at rank 1, then (1/8) x 3/8 at half the worth
    ("ERR", [3, 2], {"top": 3}, 7 / 8 + 1 / 8 * 3 / 8 / 2),
    # 0.2 x (1 + 0.8^2 x 1/2)
    ("RBP(p=0.8)", [2, 0, 1], {"top": 2}, 0.2 * 1.32),
    # p = 0.25^(1/2) = 0.5: 1/2 at rank 1, 1/4 at rank 2, a quarter beyond
    ("RBP(residual=0.25)@2", [1, 1], {}, 0.75),
    # 1/2 of the best two, (1 + 1/2)
    ("nRBP(p=0.5)@2", [0, 1], {"n_rel": 5}, 1 / 3),
    # blended: (1 + 1)/(1 + 2) and (2 + 3)/(3 + 3): ideal gains 2, 3, 3
    ("Q", [1, 0, 2], {"n_rel": 2}, (2 / 3 + 5 / 6) / 2),
    # precisions 1/1 and 2/3, over min(3, 20), over 2 found, over 20
    ("aAP@3", [1, 0, 1], {"n_rel": 20}, (1 + 2 / 3) / 3),
    ("SNAP@3", [1, 0, 1], {"n_rel": 20}, (1 + 2 / 3) / 2),
    ("AP@3", [1, 0, 1], {"n_rel": 20}, (1 + 2 / 3) / 20),
    ("SP@3", [1, 0, 1], {"n_rel": 20}, 1 + 2 / 3),
    # weights 3/3, 2/3, 1/3
    ("DCG(discount='linear')@3", [2, 1, 1], {}, 2 + 2 / 3 + 1 / 3),
    ("SDCG(discount='linear')@3", [2, 1, 1], {}, 3 / 4),
    ("DCG(discount='zipf', gain='exp')@3", [2, 1, 3], {}, 3 + 1 / 2 + 7 / 3),
    # 1 at rank 1; the whole ideal has two of them; retrieved are 2 and 1 after a 0
    ("enDCG@1", [1, 0], {"n_rel": 2}, 1 / (1 + 1 / math.log2(3))),
    ("SNDCG", [0, 2, 1], {"n_rel": 9}, (2 / math.log2(3) + 1 / 2) / (2 + 1 / math.log2(3))),
    # R = 3: 1 of the first ceil(0.5 x 3) = 2; 3 of ceil(2 x 3) = 6, though the list ends at 4
    ("Rprec(mult=0.5)", [1, 0, 1, 1], {"n_rel": 3}, 1 / 2),
    ("Rprec(mult=2.0)", [1, 0, 1, 1], {"n_rel": 3}, 3 / 6),
    # at recall 1/4 and 1/2 of 4: 1 and 2 relevant documents, best precisions 1 and 2/3
    ("IAP(points=[0.25, 0.5])", [1, 0, 1], {"n_rel": 4}, (1 + 2 / 3) / 2),
]


@pytest.mark.parametrize(("name", "grades", "topic", "expected"), HAND)
def test_values_worked_out_by_hand(name: str, grades: list[int], topic: dict[str, int], expected: float) -> None:
    assert parse(name).of(grades, **topic) == pytest.approx(expected, abs=CLOSE)


def test_a_score_does_not_depend_on_the_lists_beside_it() -> None:
    """Short and long lists, small and large pools, alone and in company."""
    drawn = topics(11, top=3)
    chosen = ("nDCG(gains={0: 0.5})", "nRBP(rel=0)", "enDCG", "Q", "SNDCG", "INST", "INSQ(depth=5)", "Bpref", "infAP")
    for m in (*map(parse, chosen), parse("SDCG@30"), parse("BPM@30")):
        alone = np.concatenate([m.compute(side_by_side([t])) for t in drawn])
        np.testing.assert_allclose(m.compute(side_by_side(drawn)), alone, rtol=0, atol=CLOSE)


# TOIS 20(4), 2002, pages 424 to 427, as printed: a ranking G', a recall base I', and discounts with b = 2
RANKING = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
IDEAL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
CG = [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
NORMALISED_CG = [1, 0.83, 0.89, 0.73, 0.62, 0.6, 0.69, 0.76, 0.89, 0.84]
DISCOUNTED_CG = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
IDEAL_DCG = [3, 6, 7.89, 8.89, 9.75, 10.52, 10.88, 11.21, 11.53, 11.83]


def depths_of(name: str, grades: list[int]) -> list[float]:
    """Score a ranking of the paper's example at ranks 1 to 10."""
    pool = np.array([[10, *(IDEAL.count(g) for g in (1, 2, 3))]], dtype=np.int64)
    scores = parse(name).curve(Rankings(np.array([grades], dtype=np.int8), pool, 3), 10)[0]
    return [float(x) for x in scores]


def added_as_printed(sums: list[float]) -> list[float]:
    """Round each step to two decimals before adding, as the paper must have done: 9.75 + 0.77 = 10.52."""
    steps = np.diff([0.0, *sums]).round(2)
    return [float(x) for x in steps.cumsum().round(2)]


def test_the_example_of_jarvelin_and_kekalainen() -> None:
    assert depths_of("DCG(discount='none')", RANKING) == CG
    assert added_as_printed(depths_of("DCG(discount='jk')", RANKING)) == DISCOUNTED_CG
    assert added_as_printed(depths_of("DCG(discount='jk')", IDEAL)) == IDEAL_DCG
    assert [round(x, 2) for x in depths_of("nDCG(discount='none')", RANKING)] == NORMALISED_CG
    ratios = [a / b for a, b in zip(DISCOUNTED_CG, IDEAL_DCG, strict=True)]
    assert depths_of("nDCG(discount='jk')", RANKING) == pytest.approx(ratios, abs=0.001)
