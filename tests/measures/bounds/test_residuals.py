"""What unjudged documents could do to a score: every bound against a twin that tries every completion."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.arrays import Array
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT, IN_POOL, UNJUDGED
from assay.measures import AP, BPM, DCG, ERR, INSQ, INST, RBP, RR, SP, P, Q, R, nDCG, unjudged
from assay.measures.bounds.residuals import bounds, kind
from assay.measures.declare import CATALOGUE, Measure, built_in, measure
from assay.measures.grammar import parse
from assay.measures.unjudged import Residual, Tail

CLOSE = 1e-12

FORMS = """
AP; AP@3; AP(rel=2); AP(rel=2)@4; AP(rel=9); aAP; aAP@3; aAP(rel=2)@2; SNAP; SNAP@4; SNAP(rel=2); GMAP; GMAP@4
SP; SP@4; SP(rel=2); Q; Q@3; Q(beta=0); Q(rel=2); Q(beta=2.0, gain='exp')@4; R@3; R(rel=2)@5; R@9
aR@3; aR(rel=2)@5; aR@9; Success@3; Success(rel=2)@9; P@1; P@3; P(rel=2)@9; RR; RR@3; RR(rel=2)
Rprec; Rprec@3; Rprec(mult=0.5); Rprec(mult=2.0); Rprec(rel=2); IPrec@0.0; IPrec@0.1; IPrec(rel=2)@0.5; IPrec@1.0
Rprec(form='recall'); Rprec(form='recall')@3; Rprec(form='capped')@3; Rprec(form='capped', rel=2)@4
ERR(stop=1.0); ERR(stop=1.0)@3; ERR(stop=0.3, max_rel=2)@4
IAP; IAP@3; IAP(rel=2); SetP; SetP@3; SetR; SetF; SetF(beta=2.0); SetAP; SetAP(rel=2)
RBP; RBP@3; RBP(p=0.5); RBP(rel=2); RBP(residual=0.1)@5; nRBP; nRBP@3; nRBP(p=0.5); nRBP(rel=2); enRBP; enRBP@3
enRBP(p=0.5)@2; enRBP(rel=2)@4; enRBP(residual=0.1)@3
ERR; ERR@3; ERR(max_rel=4); ERR(max_rel=1); INSQ; INSQ@3; INSQ(T=2.5); INSQ(depth=8); INSQ(depth=3); INSQ(max_rel=4)
INST; INST@3; INST(T=0.5); INST(T=2.5); INST(max_rel=1); INST(depth=8); INST(depth=3); INST(max_rel=4)@4
DCG; DCG@3; DCG(gain='exp')@4; DCG(gain={1: 3, 2: 1})@4; DCG(discount=[1, 0.5]); DCG(gain={0: -1})@4
SDCG@3; SDCG(gain='exp')@9; SDCG(discount='linear')@4; SDCG(max_rel=4)@4
nDCG; nDCG@3; nDCG(gain='exp'); nDCG(gain='exp')@4; nDCG(discount='jk')@5; nDCG(discount='zipf')@5
nDCG(discount='linear')@4; nDCG(discount='none')@4; nDCG(discount=[1, 0.5, 0.5]); nDCG(gain={1: 3, 2: 1})
nDCG(gain={1: 0}); enDCG; enDCG@3; enDCG(gain='exp')@2; SNDCG; SNDCG@3; SNDCG(gain='exp')
"""
MEASURES = [parse(form) for line in FORMS.strip().splitlines() for form in line.split(";")]
WITHOUT = {"AP_LOO", "AUC", "BPM", "Bpref", "Judged", "NumRel", "NumRelRet", "NumRet", "Specificity", "infAP"}


@st.composite
def rankings(draw: st.DrawFn, *, top: int | None = None, longest: int = 6) -> Rankings:
    """A few short lists of one width, the shorter ones padded, with more relevant documents than they hold."""
    top = draw(st.sampled_from([1, 2, 3])) if top is None else top
    longest = min(longest, 5) if top > 2 else longest
    width = draw(st.integers(1, longest))
    codes = st.sampled_from([UNJUDGED, UNJUDGED, IN_POOL, *range(top + 1)])
    rows, pools = [], []
    for _ in range(draw(st.integers(1, 3))):
        row = draw(st.lists(codes, max_size=width))
        rows.append(row + [ABSENT] * (width - len(row)))
        more = draw(st.lists(st.integers(0, 3), min_size=top + 1, max_size=top + 1))
        pools.append([row.count(g) + n for g, n in enumerate(more)])
    return Rankings(np.array(rows, dtype=np.int8), np.array(pools), top)


def settled(m: Measure, lists: Rankings) -> Array:
    value = m.compute(lists)
    return np.where(np.isnan(value), max(0.0, m.declaration.low), value)


def completions(lists: Rankings, row: int, depth: int, *, more: int = 0) -> Rankings:
    """Every completion of one list: all grades for what is unjudged down to a depth, and for `more` further ranks."""
    grade = [*lists.grade[row].tolist(), *[ABSENT] * more]
    ends = [i for i, g in enumerate(grade) if g == ABSENT]
    free = [i for i, g in enumerate(grade) if g in (UNJUDGED, IN_POOL) and i < depth] + ends[:more]
    grades, pools = [], []
    for labels in product(range(lists.top + 1), repeat=len(free)):
        full, pool = list(grade), lists.pool[row].tolist()
        for place, label in zip(free, labels, strict=True):
            full[place] = label
            pool[label] += 1
        grades.append(full)
        pools.append(pool)
    return Rankings(np.array(grades, dtype=np.int8), np.array(pools), lists.top)


def twin(m: Measure, lists: Rankings) -> list[tuple[float, float]]:
    """The extremes of the score itself and of every completion of the retrieved documents, one list at a time."""
    base = settled(m, lists)
    extent = []
    for row in range(len(base)):
        scores = settled(m, completions(lists, row, m.cutoff or 99))
        extent.append((min(base[row], scores.min()), max(base[row], scores.max())))
    return extent


def found(m: Measure, lists: Rankings, tail: Tail = "empty") -> tuple[Array, Array]:
    pair = bounds(m, lists, tail=tail)
    assert pair is not None
    return pair


def single(m: Measure, grades: list[int], tail: Tail = "empty", **pool: int) -> tuple[float, float]:
    least, most = found(m, Rankings.of(grades, **pool), tail)
    return float(least[0]), float(most[0])


def test_every_measure_offers_a_bound_or_is_known_not_to() -> None:
    names = set(built_in())
    assert {m.name for m in MEASURES} == names - WITHOUT
    assert {name for name in names if kind(CATALOGUE[name]) == "none"} == WITHOUT
    assert all(bounds(parse(f"{name}@3"), Rankings.of([-1, 1])) is None for name in sorted(WITHOUT))


@pytest.mark.parametrize("m", MEASURES, ids=str)
@settings(max_examples=15, deadline=None)
@given(lists=rankings())
def test_least_and_most_are_those_of_all_completions(m: Measure, lists: Rankings) -> None:
    least, most = found(m, lists)
    expected = np.array(twin(m, lists))
    np.testing.assert_allclose(least, expected[:, 0], rtol=0, atol=CLOSE)
    np.testing.assert_allclose(most, expected[:, 1], rtol=0, atol=CLOSE)


@pytest.mark.parametrize("m", [m for m in MEASURES if kind(m) == "range"], ids=str)
@settings(max_examples=10, deadline=None)
@given(lists=rankings(top=1, longest=10))
def test_binary_ranges_to_length_ten_are_exact(m: Measure, lists: Rankings) -> None:
    least, most = found(m, lists)
    expected = np.array(twin(m, lists))
    np.testing.assert_allclose(least, expected[:, 0], rtol=0, atol=CLOSE)
    np.testing.assert_allclose(most, expected[:, 1], rtol=0, atol=CLOSE)


@pytest.mark.parametrize("m", [m for m in MEASURES if kind(m) == "residual"], ids=str)
@settings(max_examples=12, deadline=None)
@given(lists=rankings(longest=4), more=st.integers(0, 3))
def test_documents_appended_stay_within_the_unseen_tail(m: Measure, lists: Rankings, more: int) -> None:
    pair = bounds(m, lists)
    if pair is None:
        assert (m.name, m.parameters["max_rel"]) == ("INST", 4)
        return
    for row in range(lists.grade.shape[0]):
        scores = settled(m, completions(lists, row, 99, more=more))
        assert scores.min() >= pair[0][row] - CLOSE
        assert scores.max() <= pair[1][row] + CLOSE


def partial(m: Measure) -> bool:
    """Whether a cutoff evaluates a part of a ranking that has no end."""
    return m.name in {"RBP", "INSQ", "INST"}


@pytest.mark.parametrize("m", [m for m in MEASURES if kind(m) == "residual" and m.cutoff], ids=str)
@settings(max_examples=10, deadline=None)
@given(lists=rankings(top=1, longest=4))
def test_a_tail_that_the_cutoff_ends_is_attained(m: Measure, lists: Rankings) -> None:
    if partial(m):
        return
    _, most = found(m, lists, "unseen")
    for row in range(lists.grade.shape[0]):
        n = int((lists.grade[row] != ABSENT).sum())
        full = completions(lists, row, 99, more=max(0, (m.cutoff or 0) - n))
        assert abs(max(settled(m, full).max(), settled(m, lists)[row]) - most[row]) <= CLOSE


@pytest.mark.parametrize("m", [m for m in MEASURES if partial(m) and m.cutoff], ids=str)
@settings(max_examples=10, deadline=None)
@given(lists=rankings(longest=6))
def test_below_the_cutoff_of_a_partial_evaluation_all_is_unassessed(m: Measure, lists: Rankings) -> None:
    """The twin forgets what stands below k, grades it and 20,000 ranks more as the best, and evaluates all of it."""
    pair = bounds(m, lists)
    if pair is None:
        assert m.name == "INST"
        return
    k = m.cutoff or 0
    whole = replace(m, cutoff=None) if "residual" not in m.parameters else _fixed_persistence(m)
    seen = np.pad(lists.grade, ((0, 0), (0, max(0, k - lists.grade.shape[1]))), constant_values=ABSENT)[:, :k]
    best = np.where(seen < 0, lists.top, seen)
    long = np.pad(best, ((0, 0), (0, 20_000)), constant_values=lists.top).astype(np.int8)
    np.testing.assert_allclose(pair[0], settled(m, lists), rtol=0, atol=CLOSE)
    # 20,000 ranks leave 1/20,000 of the weight of INSQ
    wide = 1e-4 if m.name in {"INSQ", "INST"} else 1e-9
    np.testing.assert_allclose(pair[1], settled(whole, Rankings(long, lists.pool, lists.top)), rtol=0, atol=wide)


def _fixed_persistence(m: Measure) -> Measure:
    residual = m.parameters["residual"]
    p = m.parameters["p"] if residual is None else residual ** (1 / (m.cutoff or 1))
    return RBP(p=p, rel=m.parameters["rel"])


def test_the_residual_of_rbp_at_k_is_the_weight_beyond_k() -> None:
    """webber2010, section 3.1: p is chosen so that the weights from k + 1 to infinity add up to the residual."""
    for k in (1, 10, 1000):
        judged = Rankings.of([1, 0] * 600)
        least, most = found(RBP(residual=0.1) @ k, judged, "unseen")
        assert most[0] - least[0] == pytest.approx(0.1, abs=1e-12)
        assert found(RBP(residual=0.1) @ k, judged, "empty")[1] == pytest.approx(least)
        assert found(P @ k, judged, "unseen")[1] == found(P @ k, judged, "unseen")[0]  # k ranks are all there is


@pytest.mark.parametrize("m", [m for m in MEASURES if kind(m) == "residual"], ids=str)
@given(lists=rankings())
@settings(max_examples=10, deadline=None)
def test_the_score_is_the_least_of_a_residual(m: Measure, lists: Rankings) -> None:
    if m != parse("DCG(gain={0: -1})@4"):  # a grade 0 that costs: the one score that a judgment can lower
        np.testing.assert_array_equal(found(m, lists)[0], settled(m, lists))


@pytest.mark.parametrize("form", ["RBP", "RBP(p=0.99)", "ERR", "ERR(max_rel=4)", "INST", "INST(T=3.0)", "RR"])
def test_the_endless_tail_is_approached_by_a_very_long_one(form: str) -> None:
    m = parse(form)
    lists = Rankings.of([1, UNJUDGED, 0, 0, UNJUDGED], top=2) if form != "RR" else Rankings.of([0, UNJUDGED - 1, 0])
    full = np.where(lists.open, lists.top, lists.grade)
    long = np.pad(full, ((0, 0), (0, 4000)), constant_values=lists.top).astype(np.int8)
    assert found(m, lists, "unseen")[1] == pytest.approx(m.compute(Rankings(long, lists.pool, lists.top)), abs=1e-13)


def test_the_endless_tail_of_insq_is_the_weight_that_is_left() -> None:
    _, most = found(INSQ, Rankings.of([0, -1]), "unseen")
    # weights (i + 1)^-2 over zeta(2) - 1 = 0.6449340668: all but the first rank's
    assert most[0] == pytest.approx(1 - 0.25 / 0.6449340668482264, abs=1e-15)


def test_a_tail_without_end_or_discount_is_infinite() -> None:
    assert single(SP, [0, 1], "unseen") == (0.5, np.inf)
    assert single(DCG, [0, 1], "unseen")[1] == np.inf
    assert single(SP(rel=2), [0, 1], "unseen") == (0.0, 0.0)  # no grade reaches 2
    assert single(DCG(discount=(1.0, 0.5, 0.25)), [0, 1], "unseen") == (0.5, 0.75)


def test_residuals_by_hand() -> None:
    assert single(RBP(p=0.5), [1, -1, 0], "empty") == (0.5, 0.75)
    assert single(RBP(p=0.5), [1, -1, 0], "unseen") == (0.5, 0.875)  # p^3 = 0.125 lies beyond
    assert single(P @ 5, [1, -1, 0], "empty") == (0.2, 0.4)
    assert single(P @ 5, [1, -1, 0], "unseen") == (0.2, 0.8)
    assert single(RR, [0, 0, 0], "unseen") == (0.0, 0.25)
    assert single(ERR @ 2, [0], "unseen") == (0.0, 0.25)


def test_ranges_by_hand() -> None:
    assert single(AP, [1, -1, -1], n_rel=1) == pytest.approx(((1 + 2 / 3) / 2, 1.0))  # least: one more, at rank 3
    assert single(nDCG, [1, -1, -1], n_rel=1) == pytest.approx(((1 + 1 / 2) / (1 + 1 / np.log2(3)), 1.0))
    assert single(R @ 1, [-1, -1], n_rel=3) == (0.0, 0.25)  # what lies below the cutoff stays as it is


def test_a_cutoff_of_the_lists_counts_as_one_of_the_measure() -> None:
    lists = Rankings.of([1, -1, 0, -1], n_rel=3)
    for m in (RBP, AP, ERR, nDCG):
        np.testing.assert_array_equal(found(m, lists.head(3), "unseen"), found(m @ 3, lists, "unseen"))


def test_judged_only_lists_offer_no_bound() -> None:
    assert kind(AP(judged_only=True)) == "none"
    assert bounds(AP(judged_only=True), Rankings.of([1, -1])) is None


def test_inst_offers_no_bound_where_more_gain_can_lower_it() -> None:
    m = INST(T=0.3)
    assert m.of([3, 0, 0], top=4) > m.of([4, 0, 0], top=4)
    assert bounds(m, Rankings.of([-1, 0, 0], top=4)) is None


def test_bpm_can_fall_when_a_grade_rises() -> None:
    assert (BPM @ 3).of([0, 9, 10], top=10) > (BPM @ 3).of([1, 9, 10], top=10)


def test_gains_and_weights_of_unknown_shape_offer_no_bound() -> None:
    lists = Rankings.of([1, -1], top=2)
    assert bounds(nDCG(discount=(0.5, 1.0)), lists) is None
    assert bounds(nDCG(gain={0: 1}), lists) is None
    assert bounds(nDCG(gain={1: -1}), lists) is None
    assert bounds(DCG(discount=(1.0, -1.0)), lists) is None


@settings(max_examples=40, deadline=None)
@given(lists=rankings(top=2, longest=7))
def test_q_too_large_to_try_out_has_an_outer_range(lists: Rankings) -> None:
    exact = found(Q, lists)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unjudged, "_AFFORDABLE", 1)
        outer = found(Q, lists)
    assert (outer[0] <= exact[0] + CLOSE).all()
    assert (outer[1] >= exact[1] - CLOSE).all()


def long_lists(seed: int, *, top: int, width: int, n: int) -> Rankings:
    """Lists as pooling leaves them: judged at the top, ever more unjudged below."""
    rng = np.random.default_rng(seed)
    grade = rng.choice(top + 1, p=[0.6, *[0.4 / top] * top], size=(n, width)).astype(np.int8)
    chance = rng.uniform(0.2, 1, (n, 1)) * np.linspace(0, 1, width)
    grade = np.where(rng.random((n, width)) < chance, np.int8(UNJUDGED), grade)
    pool = np.stack([(grade == g).sum(-1) for g in range(top + 1)], axis=-1)
    return Rankings(grade, pool + rng.integers(0, 20, pool.shape), top)


@pytest.mark.parametrize("form", ["AP", "AP@50", "aAP@20", "Rprec", "Q", "IPrec@0.3", "IAP", "nDCG", "nRBP(p=0.95)"])
def test_binary_ranges_of_long_lists_are_those_of_every_number_lowest_and_highest(form: str) -> None:
    m, lists = parse(form), long_lists(3, top=1, width=80, n=12)
    least, most = found(m, lists)
    for row in range(12):
        places = np.flatnonzero(lists.open[row][: m.cutoff])
        filled = []
        for order in (places, places[::-1]):
            grade = np.repeat(lists.grade[[row]], places.size + 1, axis=0)
            for new in range(places.size + 1):
                grade[new, order[:new]] = 1
            pool = lists.pool[row] + np.arange(places.size + 1)[:, None] * [0, 1]
            filled.append(m.compute(Rankings(grade, pool, 1)))
        assert most[row] == pytest.approx(filled[0].max(), abs=CLOSE)
        assert least[row] == pytest.approx(filled[1].min(), abs=CLOSE)


@pytest.mark.parametrize("form", ["nDCG", "nDCG(gain='exp')@40", "enDCG@30"])
def test_graded_ranges_of_long_lists_are_those_of_every_multiset_lowest_and_highest(form: str) -> None:
    m, lists = parse(form), long_lists(5, top=2, width=40, n=8)
    least, most = found(m, lists)
    for row in range(8):
        places = np.flatnonzero(lists.open[row][: m.cutoff])
        pairs = [(one, two) for one in range(places.size + 1) for two in range(places.size + 1 - one)]
        pool = lists.pool[row] + np.array([[0, one, two] for one, two in pairs])
        filled = []
        for order in (places, places[::-1]):
            grade = np.repeat(lists.grade[[row]], len(pairs), axis=0)
            for i, (one, two) in enumerate(pairs):
                grade[i, order[:two]] = 2
                grade[i, order[two : two + one]] = 1
            filled.append(m.compute(Rankings(grade, pool, 2)))
        assert most[row] == pytest.approx(filled[0].max(), abs=CLOSE)
        assert least[row] == pytest.approx(filled[1].min(), abs=CLOSE)


def test_many_lists_are_bounded_as_each_of_them_alone() -> None:
    lists = long_lists(7, top=2, width=900, n=300)
    for m in (AP, RBP, nDCG):
        together = found(m, lists, "unseen")
        alone = found(m, Rankings(lists.grade[250:251], lists.pool[250:251], 2), "unseen")
        assert (together[0][250], together[1][250]) == pytest.approx((alone[0][0], alone[1][0]), abs=1e-15)


def test_a_measure_of_ones_own_offers_what_it_declares() -> None:
    @measure(claims=(), cite="own")
    def Plain(j: Rankings) -> Array:
        """Count relevant documents."""
        return j.total(j.hit(1))

    @measure(claims=(), cite="own", unjudged=Residual())
    def Declared(j: Rankings) -> Array:
        """Count relevant documents."""
        return j.total(j.hit(1))

    try:
        lists = Rankings.of([1, -1])
        assert (kind(Plain), bounds(Plain, lists)) == ("none", None)
        assert kind(Declared) == "residual"
        assert single(Declared, [1, -1]) == (1.0, 2.0)
        assert single(Declared @ 5, [1, -1], "unseen") == (1.0, 5.0)
        assert bounds(Declared, lists, tail="unseen") is None  # nobody said what an endless tail adds
    finally:
        del CATALOGUE["Plain"], CATALOGUE["Declared"]
