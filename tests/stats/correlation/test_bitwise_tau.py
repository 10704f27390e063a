"""Rankings as bits of pairs: tau-b against scipy, ties, and marks of single pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from assay.stats.correlation import bitwise_tau
from assay.stats.correlation.bitwise_tau import count_bits, every_tau_b, pair_bits, pair_orders, tau_b
from assay.stats.correlation.coefficients import correlate


@pytest.mark.parametrize("n", [2, 3, 8, 9, 64, 129, 300])
def test_bits_give_the_tau_b_of_scipy_ties_and_all(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, max(2, n // 3), size=(2, 6, n)).astype(np.float64)
    theirs = np.array([stats.kendalltau(a, b).statistic for a, b in zip(x, y, strict=True)])
    assert tau_b(pair_orders(x), pair_orders(y)) == pytest.approx(theirs, abs=1e-12, nan_ok=True)
    crossed_over = every_tau_b(pair_orders(x[None]), pair_orders(y[None]))[0]
    assert np.diagonal(crossed_over) == pytest.approx(theirs, abs=1e-12, nan_ok=True)
    assert crossed_over[0, 1] == pytest.approx(stats.kendalltau(x[0], y[1]).statistic, abs=1e-12, nan_ok=True)


def test_means_that_differ_by_rounding_are_tied_as_everywhere() -> None:
    x = np.array([0.1 + 0.2, 0.3, 0.25, 0.3 * (1 + 1e-11)])
    y = np.array([1.0, 2.0, 3.0, 4.0])
    assert pair_orders(x).n_untied == 3
    assert tau_b(pair_orders(x), pair_orders(y)) == pytest.approx(correlate(x, y, "tau-b"), abs=1e-15)


def test_a_ranking_that_ties_everything_or_lacks_a_score_has_no_tau() -> None:
    ranked, flat, holed = (pair_orders(np.array(v)) for v in ([3.0, 2.0, 1.0], [1.0, 1.0, 1.0], [1.0, np.nan, 2.0]))
    assert np.isnan(tau_b(ranked, flat))
    assert np.isnan(tau_b(ranked, holed))
    assert np.isnan(tau_b(pair_orders(np.array([1.0])), pair_orders(np.array([2.0]))))


@pytest.mark.parametrize("n", [2, 5, 6])
def test_a_marked_pair_is_the_same_bit_as_in_a_ranking(n: int) -> None:
    scores = np.random.default_rng(n).permutation(n).astype(np.float64)
    ranking = pair_orders(scores)
    for i, j in combinations(range(n), 2):
        matrix = np.zeros((n, n), dtype=bool)
        matrix[i, j] = matrix[j, i] = True
        assert count_bits(pair_bits(matrix)) == count_bits(pair_bits(matrix) & ranking.untied) == 1
        tied = scores.copy()
        tied[[i, j]] = 0.0, 0.0
        others = pair_orders(tied).untied
        assert count_bits(pair_bits(matrix) & others) == 0


def test_no_ranking_is_an_empty_array_of_them() -> None:
    assert pair_orders(np.zeros((0, 4, 5))).shape == (0, 4)
    assert tau_b(pair_orders(np.zeros((0, 4, 5))), pair_orders(np.zeros((1, 4, 5)))).shape == (0, 4)


def test_ranking_many_at_a_time_is_ranking_each(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).integers(0, 40, size=(30, 21)).astype(np.float64)
    scores[::3] = np.random.default_rng(1).random((10, 21))  # without ties
    together = pair_orders(scores)
    monkeypatch.setattr(bitwise_tau, "_BYTES", 1)
    for some in (pair_orders(scores), pair_orders(scores.reshape(5, 6, 21))):
        assert np.array_equal(some.up.reshape(30, -1), together.up)
        assert np.array_equal(some.untied.reshape(30, -1), together.untied)
        assert np.array_equal(some.n_untied.ravel(), together.n_untied)
