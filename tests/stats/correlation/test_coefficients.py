"""Rank correlations: against scipy, published examples, and twins that go by the definitions alone."""

from __future__ import annotations

import itertools
import re
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from assay.stats.correlation.coefficients import correlate, dense_ranks, smaller_after, tau_b

Array = NDArray[np.float64]

tau_a = partial(correlate, coefficient="tau-a")
tau_ap_a = partial(correlate, coefficient="tau-ap-a")
tau_ap_b = partial(correlate, coefficient="tau-ap-b")
rbo = partial(correlate, coefficient="rbo")

IRCOR = {
    "alike": (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        (0.8519, 0.7454, 0.8333, 0.7321),
    ),
    "unlike": (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        (0.2504, 0.2692, 0.2880, 0.297),
    ),
    "opposite": (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        (-0.6971, -0.5558, -0.668, -0.7047),
    ),
}
"""R package ircor 1.0 by Urbano and Marrero, its own test data and values (tests/testthat, four decimals): tauAP and
tauAP_a of (x, y); tauAP_a with y rounded to one decimal; tauAP_b of (x, y); tauAP_b with both rounded."""

CORSI = (
    ("i2 i5 i3 (i1 i4)", "i5 i8 i2 (i3 i9)", 0.968922741966306, 0.580287544332462),
    ("i3 (i1 i5 i7) i9", "(i1 i9) i7 i3 i4", 0.930093081332594, 0.697096710334179),
    (
        "i14 (i5 i12 i16) (i1 i17) (i3 i11) i8",
        "i12 i3 i17 i9 i8 i4 i15 (i13 i14)",
        0.942991097099648,
        0.456106059590995,
    ),
    ("i1 (i4 i5 i6 i7 i9 i10 i12)", "(i2 i8 i10 i11 i16) (i3 i9 i13)", 0.93104225303903, 0.210506059521637),
    (
        "(i1 i6 i12 i13 i14 i16 i17 i18 i20) (i4 i22)",
        "i6 (i1 i3 i4 i5 i7 i8 i9 i11 i12 i13)",
        0.932756867472415,
        0.415703796861517,
    ),
)
"""Rankings, p and w.ext of lists of equal length from julian-urbano/sigir2024-rbo, rbo/test.csv, commit 463d6d51584
(Corsi and Urbano, SIGIR 2024); parentheses are ties."""


def scores_of(text: str, items: list[str]) -> Array:
    """Turn a ranking into scores; items that it does not hold follow at its end."""
    score = {item: -float(i) for i, item in enumerate(items, start=1000)}
    for place, group in enumerate(re.findall(r"\([^)]*\)|\S+", text)):
        score |= dict.fromkeys(group.strip("()").split(), -float(place))
    return np.array([score[item] for item in items])


def rough(rng: np.random.Generator, rows: int, n: int, kinds: int) -> tuple[Array, Array]:
    """Draw two related vectors with ties."""
    x = rng.integers(kinds, size=(rows, n)).astype(np.float64)
    return x, x + rng.integers(-kinds, kinds, size=(rows, n)) // 2


def all_orders(x: Array) -> list[Array]:
    """Break the ties of a vector in every way."""
    groups = [np.flatnonzero(x == value) for value in np.unique(x)]
    found = []
    for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
        broken = np.empty(x.size)
        broken[np.concatenate([np.array(o, dtype=np.intp) for o in orders])] = np.arange(x.size)
        found.append(broken)
    return found


def plain_tau_ap(reference: Array, y: Array) -> float:
    """Yilmaz, Aslam, Robertson (2008), without ties: go down y, count what stands rightly above."""
    order = np.argsort(-y)
    shares = [np.mean(reference[order[:i]] > reference[order[i]]) for i in range(1, y.size)]
    return float(2 * np.mean(shares) - 1)


def plain_rbo(x: Array, y: Array, p: float) -> float:
    """Webber, Moffat, Zobel (2010), equations 4 and 23, ties at the first of their ranks."""
    n = x.size
    agreement = []
    for depth in range(1, n + 1):
        seen = [{i for i in range(n) if (side > side[i]).sum() < depth} for side in (x, y)]
        agreement.append(2 * len(seen[0] & seen[1]) / (len(seen[0]) + len(seen[1])))
    return (1 - p) / p * sum(a * p**d for d, a in enumerate(agreement, 1)) + agreement[-1] * p**n


@pytest.mark.parametrize("n", [2, 3, 7, 16, 129])
@pytest.mark.parametrize("kinds", [2, 5, 10_000])
def test_tau_b_is_scipys_with_and_without_ties(n: int, kinds: int) -> None:
    x, y = rough(np.random.default_rng(n), 20, n, kinds)
    assert tau_b(x, y) == pytest.approx(
        [stats.kendalltau(a, b).statistic for a, b in zip(x, y, strict=True)], nan_ok=True
    )


def test_tau_b_of_long_vectors_is_scipys() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=70_000)
    y = (x + rng.normal(size=x.size)).round(2)
    assert tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_tau_a_counts_a_tied_pair_as_no_agreement() -> None:
    x, y = rough(np.random.default_rng(3), 30, 9, 4)
    twin = [
        np.mean([np.sign((a[i] - a[j]) * (b[i] - b[j])) for i, j in itertools.combinations(range(9), 2)])
        for a, b in zip(x, y, strict=True)
    ]
    assert tau_a(x, y) == pytest.approx(twin)


def test_scores_that_differ_by_rounding_are_ties() -> None:
    # ten times 0.1 is not 1 in binary: on paper these are equal
    assert dense_ranks(np.array([sum([0.1] * 10), 1.0, 0.5])).tolist() == [0, 0, 1]
    assert dense_ranks(np.array([1.0, 1 - 2e-10, 0.5])).tolist() == [0, 1, 2]
    assert dense_ranks(np.array([1.0, 1 - 0.9e-10, 1 - 1.8e-10])).tolist() == [0, 0, 0]
    assert dense_ranks(np.array([[-3.0, -1.0], [0.0, 0.0]])).tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize("n", [2, 129, 256, 257, 300])
def test_short_and_long_rows_are_ranked_alike_whatever_their_signs(n: int) -> None:
    rng = np.random.default_rng(n)
    level = rng.integers(-40, 40, size=(50, n))
    scores = level / 7 * (1 + 1e-14 * rng.standard_normal(level.shape))  # ties differ by rounding
    expected = [np.unique(-row, return_inverse=True)[1] for row in level]
    assert np.array_equal(dense_ranks(scores), expected)


@pytest.mark.parametrize(("x", "y", "published"), IRCOR.values(), ids=IRCOR)
def test_ap_correlation_is_ircors(x: list[float], y: list[float], published: tuple[float, ...]) -> None:
    a, b = np.array(x), np.array(y)
    found = tau_ap_a(a, b), tau_ap_a(a, b.round(1)), tau_ap_b(a, b), tau_ap_b(a.round(1), b.round(1))
    assert found == pytest.approx(published, abs=5.1e-5)
    assert tau_ap_b(b.round(1), a.round(1)) == pytest.approx(published[3], abs=5.1e-5)


def test_ap_correlation_minds_the_top_more_than_the_bottom() -> None:
    # four items; by hand: 2/3 (0/1 + 2/2 + 3/3) - 1, and 2/3 (1/1 + 2/2 + 2/3) - 1
    truth = np.array([4.0, 3.0, 2.0, 1.0])
    assert tau_ap_a(truth, np.array([3.0, 4.0, 2.0, 1.0])) == pytest.approx(1 / 3)
    assert tau_ap_a(truth, np.array([4.0, 3.0, 1.0, 2.0])) == pytest.approx(7 / 9)


def test_ap_correlation_is_not_symmetric_and_the_first_is_the_reference() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 12))
    assert tau_ap_a(x, y) == pytest.approx(plain_tau_ap(x, y))
    assert tau_ap_a(y, x) == pytest.approx(plain_tau_ap(y, x))
    assert plain_tau_ap(x, y) != pytest.approx(plain_tau_ap(y, x))
    assert tau_ap_b(x, y) == pytest.approx((plain_tau_ap(x, y) + plain_tau_ap(y, x)) / 2)


def test_tau_ap_b_leaves_out_pairs_tied_where_the_weight_is_and_counts_those_tied_elsewhere_as_not_agreeing() -> None:
    # by hand, weight on y: below its top one of three agree not, all tied; weight on x: -1, (1 - 1) / 2, (1 - 2) / 3
    x, y = np.array([4.0, 3.0, 2.0, 1.0]), np.array([1.0, 2.0, 1.0, 1.0])
    assert tau_ap_b(x, y) == pytest.approx(((-1 + 1 + 1) / 3 + (-1 + 0 - 1 / 3) / 3) / 2)
    assert tau_ap_b(x, y) != pytest.approx((tau_ap_a(x, y) + tau_ap_a(y, x)) / 2)  # all ways to break ties


def test_tau_ap_a_is_the_mean_over_all_ways_to_break_ties() -> None:
    x, y = rough(np.random.default_rng(6), 12, 6, 3)
    for a, b in zip(x, y, strict=True):
        twin = np.mean([plain_tau_ap(p, q) for p in all_orders(a) for q in all_orders(b)])
        assert tau_ap_a(a, b) == pytest.approx(twin)


def test_a_ranking_with_ties_agrees_fully_with_itself() -> None:
    x = np.array([3.0, 3.0, 2.0, 1.0, 1.0])
    assert [float(f(x, x)) for f in (tau_b, tau_ap_b, rbo)] == pytest.approx([1.0, 1.0, 1.0])
    assert tau_a(x, x) == pytest.approx(0.8)  # two of ten pairs are tied


@pytest.mark.parametrize(("x", "y", "p", "published"), CORSI)
def test_overlap_of_ties_is_that_of_corsi_and_urbano(x: str, y: str, p: float, published: float) -> None:
    items = sorted(set(re.findall(r"\w+", x + " " + y)))
    depth = len(re.findall(r"\w+", x))
    found = rbo(scores_of(x, items), scores_of(y, items), p=p, depth=depth)
    assert found == pytest.approx(published, abs=1e-12)


def test_overlap_of_a_whole_ranking_by_hand() -> None:
    # b4ny4n/rankmeasures, README: (1 2 3 4 5) and (2 3 4 1 5) at p = 0.9 give 0.828
    # by hand: agreement 0, 1/2, 2/3, 1, 1, and 1 from there on
    found = rbo(scores_of("1 2 3 4 5", list("12345")), scores_of("2 3 4 1 5", list("12345")), p=0.9)
    assert found == pytest.approx(0.1 * (0 + 0.9 / 2 + 0.81 * 2 / 3 + 0.729 + 0.6561) + 0.9**5)
    assert found == pytest.approx(0.828, abs=5e-4)


@pytest.mark.parametrize("p", [0.3, 0.9, 0.99])
def test_overlap_is_what_its_definition_says(p: float) -> None:
    x, y = rough(np.random.default_rng(8), 25, 8, 6)
    assert rbo(x, y, p=p) == pytest.approx([plain_rbo(a, b, p) for a, b in zip(x, y, strict=True)])


@pytest.mark.parametrize("n", [1, 2, 3, 8, 13, 64, 100])
def test_smaller_ones_after_each_number_are_counted(n: int) -> None:
    rng = np.random.default_rng(n)
    sequence = np.stack([rng.permutation(n) for _ in range(5)])
    twin = [[int((row[list(row).index(v) :] < v).sum()) for v in range(n)] for row in sequence]
    assert smaller_after(sequence).tolist() == twin


def test_leading_axes_are_broadcast() -> None:
    rng = np.random.default_rng(9)
    x, y = rng.normal(size=(3, 1, 10)), rng.normal(size=(4, 10))
    for f in (tau_b, tau_a, tau_ap_a, tau_ap_b, rbo):
        found = f(x, y)
        assert found.shape == (3, 4)
        assert found[2, 1] == pytest.approx(float(f(x[2, 0], y[1])), abs=1e-15)


def test_where_nothing_is_ranked_there_is_no_correlation() -> None:
    some, flat = np.array([1.0, 2.0, 3.0]), np.zeros(3)
    assert np.isnan([tau_b(some, flat), tau_b(flat, flat), tau_ap_b(some, flat)]).all()
    assert [float(tau_a(some, flat)), float(tau_ap_a(some, flat)), float(rbo(flat, flat))] == pytest.approx([0, 0, 1])
    assert np.isnan([f(np.ones(1), np.ones(1)) for f in (tau_b, tau_a, tau_ap_a, tau_ap_b, rbo)]).all()
