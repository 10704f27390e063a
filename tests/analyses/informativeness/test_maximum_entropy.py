"""The maximum entropy method: against scipy's optimiser, closed forms and sums by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from assay.analyses.informativeness.curves import actual_precision, at_recall, errors, inferred_precision
from assay.analyses.informativeness.maximum_entropy import (
    ExpectedScore,
    cascade,
    maximum_entropy,
    precisions,
    weighted_sum,
)

N = 10
RANK = np.arange(1, N + 1)


def entropy(p: np.ndarray) -> float:
    return float(-(p * np.log(p) + (1 - p) * np.log(1 - p)).sum())


def best(expected: ExpectedScore, score: float, n: float) -> np.ndarray:
    """The list of maximal entropy by sequential least squares, from several starts."""
    rules = [
        {"type": "eq", "fun": lambda p: p.sum() - n},
        {"type": "eq", "fun": lambda p: expected.value(p[None])[0] - score},
    ]
    starts = [np.full(N, n / N), np.clip(n / N * 2 / RANK, 0.05, 0.9)]
    fits = [
        minimize(
            lambda p: -entropy(p),
            start,
            bounds=[(1e-9, 1 - 1e-9)] * N,
            constraints=rules,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        for start in starts
    ]
    return min((fit for fit in fits if fit.success), key=lambda fit: fit.fun).x


LISTS = [(0, 1, 1, 0, 0, 1, 0, 0, 0, 1), (1, 0, 0, 1, 0, 0, 0, 0, 1, 0), (0, 0, 1, 0, 1, 0, 0, 0, 0, 0)]


@pytest.mark.parametrize(
    ("name", "hits"),
    [
        (name, hits)
        for name in ("AP", "AP@5", "ERR", "DCG", "RR")
        for hits in LISTS
        if name != "RR" or not hits[0]  # a score of 1 leaves no room: see the test of lists at the edge
    ],
)
def test_it_is_the_list_of_maximal_entropy_that_scipy_finds(name: str, hits: tuple[int, ...]) -> None:
    hit = np.array(hits)
    n, n_rel = float(hit.sum()), hit.sum() + 2
    depth = 5 if name == "AP@5" else N
    weight = 1 / np.log2(RANK + 1)
    expected = {
        "AP": precisions(np.array([1 / n_rel]), N),
        "AP@5": precisions(np.array([1 / n_rel]), 5),
        "ERR": cascade(0.5, N),
        "RR": cascade(1.0, N),
        "DCG": weighted_sum(weight[None]),
    }[name]
    before = np.concatenate([[1.0], np.cumprod(1 - 0.5 * hit)[:-1]])
    score = {
        "DCG": (hit * weight).sum(),
        "ERR": (0.5 * hit * before / RANK).sum(),
        "RR": 1 / (1 + hit.argmax()),
    }.get(name, ((hit * np.cumsum(hit) / RANK)[:depth]).sum() / n_rel)
    ours = maximum_entropy(expected, np.array([score]), np.array([n]), np.ones((1, N), dtype=bool))
    assert ours.converged.all()
    assert expected.value(hit[None].astype(float))[0] == pytest.approx(score)
    theirs = best(expected, float(score), n)
    assert entropy(np.clip(ours.probability[0], 1e-12, 1 - 1e-12)) == pytest.approx(entropy(theirs), abs=1e-6)
    assert ours.probability[0] == pytest.approx(theirs, abs=1e-3)


@pytest.mark.parametrize("name", ["AP", "ERR", "DCG"])
def test_the_expectation_is_that_over_all_lists(name: str) -> None:
    """Brute force over all lists of six, weighted by independent ranks."""
    p = np.array([0.9, 0.2, 0.5, 0.4, 0.1, 0.7])
    rank = np.arange(1, 7)
    total = 0.0
    for code in range(64):
        hit = code >> np.arange(6) & 1
        chance = np.where(hit, p, 1 - p).prod()
        before = np.concatenate([[1.0], np.cumprod(1 - 0.5 * hit)[:-1]])
        score = {
            "AP": (hit * np.cumsum(hit) / rank).sum() / 4,
            "ERR": (0.5 * hit * before / rank).sum(),
            "DCG": (hit / np.log2(rank + 1)).sum(),
        }[name]
        total += chance * score
    expected = {
        "AP": precisions(np.array([0.25]), 6),
        "ERR": cascade(0.5, 6),
        "DCG": weighted_sum(1 / np.log2(rank + 1)[None]),
    }[name]
    assert expected.value(p[None])[0] == pytest.approx(total, abs=1e-12)
    step = 1e-6
    for i in range(6):
        up, down = p.copy(), p.copy()
        up[i] += step
        down[i] -= step
        slope = (expected.value(up[None])[0] - expected.value(down[None])[0]) / (2 * step)
        assert expected.gradient(p[None])[0, i] == pytest.approx(slope, abs=1e-6)


def test_it_converges_on_deep_lists_too() -> None:
    """Twelve relevant documents, ever further apart, of a thousand: no step may hide in what a score may be off."""
    hit = np.zeros((5, 1000))
    for i, row in enumerate(hit):
        row[(np.geomspace(1, 400, 12) * (1 + i / 10)).astype(int)] = 1.0
    ap = precisions(np.full(5, 1 / 20), 1000)
    score, n_hits = ap.value(hit), hit.sum(-1)
    inferred = maximum_entropy(ap, score, n_hits, np.ones(hit.shape, dtype=bool))
    assert inferred.converged.all()
    assert ap.value(inferred.probability) == pytest.approx(score, abs=1e-8)
    assert inferred.probability.sum(-1) == pytest.approx(n_hits, abs=1e-6)


def test_precision_at_k_spreads_evenly_above_and_below_k() -> None:
    weight = np.where(RANK <= 4, 0.25, 0.0)[None]
    ours = maximum_entropy(weighted_sum(weight), np.array([0.5]), np.array([3.0]), np.ones((1, N), dtype=bool))
    assert ours.probability[0] == pytest.approx([0.5] * 4 + [1 / 6] * 6, abs=1e-6)


@pytest.mark.parametrize(("score", "n", "first"), [(0.0, 2.0, 0.0), (1.0, 4.0, 1.0)])
def test_scores_at_the_edge_leave_no_room(score: float, n: float, first: float) -> None:
    weight = np.where(RANK <= 4, 0.25, 0.0)[None]
    ours = maximum_entropy(weighted_sum(weight), np.array([score]), np.array([n]), np.ones((1, N), dtype=bool))
    assert ours.converged.all()
    assert ours.probability[0, :4] == pytest.approx([first] * 4, abs=1e-4)
    assert ours.probability[0, 4:].sum() == pytest.approx(n - 4 * first, abs=1e-3)


@pytest.mark.parametrize("hits", [(1,), (1, 2), (1, 2, 3), (100,), (99, 100)])
@pytest.mark.parametrize("name", ["AP", "nDCG"])
def test_a_score_that_one_list_has_infers_that_list(name: str, hits: tuple[int, ...]) -> None:
    """The highest and the lowest score of so many relevant documents among a hundred."""
    hit = np.isin(np.arange(1, 101), hits)[None]
    discount = 1 / np.log2(np.arange(1, 101) + 1)
    expected = precisions(np.array([0.5]), 100) if name == "AP" else weighted_sum(discount[None])
    score = expected.value(hit.astype(np.float64))
    ours = maximum_entropy(expected, score, np.array([float(len(hits))]), np.ones((1, 100), dtype=bool))
    assert ours.converged.all()
    assert np.abs(ours.probability - hit).max() < 0.01


def test_without_a_measure_every_rank_is_as_likely() -> None:
    there = np.array([[True] * 5 + [False] * 5])
    ours = maximum_entropy(None, np.zeros(1), np.array([2.0]), there)
    assert ours.probability[0].tolist() == [0.4] * 5 + [0.0] * 5


def test_the_actual_curve_is_precision_at_each_relevant_document() -> None:
    hit = np.array([[True, False, True, False], [False, False, False, True]])
    assert actual_precision(hit, 2)[0].tolist() == [1.0, 2 / 3]
    assert actual_precision(hit, 2)[1, 0] == 0.25
    assert np.isnan(actual_precision(hit, 2)[1, 1])


def test_a_list_that_is_known_is_inferred_without_error() -> None:
    hit = np.array([[1, 0, 1, 0]], dtype=bool)
    inferred = inferred_precision(hit.astype(float), np.array([2.0]), 2)
    rms, mae = errors(actual_precision(hit, 2), inferred)
    assert (rms[0], mae[0]) == pytest.approx((0, 0))


def test_the_expected_number_grows_evenly_between_ranks() -> None:
    inferred = inferred_precision(np.array([[0.5, 0.5, 0.25, 0.25, 0.5]]), np.array([2.0]), 2)
    assert inferred[0] == pytest.approx([1 / 2, 2 / 5])
    rms, mae = errors(np.array([[1.0, 2 / 5]]), inferred)
    assert (rms[0], mae[0]) == pytest.approx((np.sqrt(0.25 / 2), 0.25))


def test_recall_that_is_not_reached_has_no_precision() -> None:
    precision = np.array([[1.0, 0.5]])
    assert [at_recall(precision, np.array([4]), x)[0] for x in (0.1, 0.5, 0.6, 1.0)] == [1.0, 0.5, 0.0, 0.0]
