"""Pairs that two orders put differently, counted by sorting: against looking at every pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.correlation.discordance import PairCounts, compare_pairs, discordant, inversions, tied_pairs

Pairs = st.lists(st.tuples(st.integers(-1, 40), st.integers(-1, 40), st.integers(0, 6)), max_size=90)


def looked_at(x: list[int], y: list[int], weight: list[int]) -> PairCounts:
    """Look at every pair."""
    opposite = tie_only = total = 0
    for i in range(len(x)):
        for j in range(i):
            a = 0 if min(x[i], x[j]) < 0 else (x[i] > x[j]) - (x[i] < x[j])
            b = 0 if min(y[i], y[j]) < 0 else (y[i] > y[j]) - (y[i] < y[j])
            both = weight[i] * weight[j]
            total += both
            opposite += both * (a * b < 0)
            tie_only += both * ((a == 0) != (b == 0))
    return PairCounts(opposite, tie_only, total)


@settings(max_examples=60, deadline=None)
@given(Pairs)
def test_counts_are_those_of_looking_at_every_pair(rows: list[tuple[int, int, int]]) -> None:
    x, y, weight = (np.array([row[i] for row in rows], dtype=np.int64) for i in range(3))
    ones = [1] * len(rows)
    assert compare_pairs(x, y) == looked_at(x.tolist(), y.tolist(), ones)
    assert compare_pairs(x, y, weight) == looked_at(x.tolist(), y.tolist(), weight.tolist())


def test_a_weight_counts_like_so_many_copies_that_are_not_compared_with_each_other() -> None:
    x, y, weight = np.array([0, 1, 2, 3]), np.array([3, 1, 1, 0]), np.array([2, 1, 3, 0])
    copies = np.repeat(np.arange(4), weight)
    assert compare_pairs(x, y, weight).n_opposite == compare_pairs(x[copies], y[copies]).n_opposite
    assert compare_pairs(x, y, weight).n_pairs == 2 * 1 + 2 * 3 + 1 * 3


def test_a_long_reversed_order_inverts_every_pair() -> None:
    n = 5000  # many blocks, and none of them full at the end
    assert inversions(np.arange(n)[::-1]) == n * (n - 1) // 2
    assert inversions(np.arange(n)) == 0
    assert discordant(np.arange(n), np.arange(n)[::-1]) == n * (n - 1) // 2


def test_scipy_counts_the_same_discordant_pairs() -> None:
    from scipy.stats import kendalltau

    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 900, 3000), rng.integers(0, 900, 3000)
    pairs = 3000 * 2999 // 2
    tied_x, tied_y, tied = tied_pairs(x), tied_pairs(y), tied_pairs(x * 900 + y)
    untied = pairs - tied_x - tied_y + tied
    tau = (untied - 2 * discordant(x, y)) / np.sqrt((pairs - tied_x) * (pairs - tied_y))
    assert tau == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


def test_orders_with_few_levels_are_counted_as_those_with_many() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 5, 400), rng.integers(0, 7, 400)
    spread = discordant(x * 1000, y * 1000)  # too many levels for a table of both
    assert discordant(x, y) == spread > 0


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_things_make_no_pair(n: int) -> None:
    assert compare_pairs(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)) == PairCounts(0, 0, 0)


def test_counts_add_up() -> None:
    assert PairCounts(1, 2, 10).n_disagree == 3
