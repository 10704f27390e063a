"""All properties in one model: against numpy's least squares, and against trying every relabelling."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from assay.analyses.properties.joint_model import best_sets, explained, unique
from assay.analyses.properties.pair_groups import group_of_pairs, one_way

N = 5
RNG = np.random.default_rng(8)
VALUE = RNG.random(N * (N - 1) // 2)
HAS = {
    "a": np.array([True, True, False, False, True]),
    "b": np.array([True, False, True, False, False]),
}
PAIRS = list(combinations(range(N), 2))


def columns(has: np.ndarray) -> np.ndarray:
    """Both, and neither, pair by pair."""
    return np.array([[has[i] and has[j], not (has[i] or has[j])] for i, j in PAIRS], dtype=float)


def share(y: np.ndarray, *blocks: np.ndarray) -> float:
    """The share of the variance that least squares explains."""
    x = np.column_stack([np.ones(y.size), *blocks])
    fit = x @ np.linalg.lstsq(x, y, rcond=None)[0]
    return float(1 - ((y - fit) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def moved(values: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """Values of pairs, the items relabelled."""
    place = {frozenset(pair): i for i, pair in enumerate(PAIRS)}
    return np.array([values[place[frozenset((order[i], order[j]))]] for i, j in PAIRS])


def test_the_explained_share_is_that_of_least_squares_and_p_that_of_every_relabelling() -> None:
    blocks = [columns(has) for has in HAS.values()]
    whole = share(VALUE, *blocks)
    every = [share(moved(VALUE, order), *blocks) for order in permutations(range(N))]
    ours = explained(VALUE, list(HAS.values()), draws=999, seed=0)
    assert ours.share == pytest.approx(whole, abs=1e-12)
    assert ours.by_chance == pytest.approx(np.mean(every), abs=1e-12)
    assert ours.p == pytest.approx(np.mean([x >= whole - 1e-9 for x in every]), abs=1e-12)


def test_one_property_alone_explains_what_the_analysis_of_variance_says() -> None:
    ours = explained(VALUE, [HAS["a"]], draws=10, seed=0)
    assert ours.share == pytest.approx(one_way(VALUE, group_of_pairs(HAS["a"]))[2], abs=1e-12)


def test_the_unique_share_is_what_falls_without_it_and_its_p_that_of_semi_partialling() -> None:
    a, b = (columns(has) for has in HAS.values())
    found = unique(VALUE, HAS, draws=999, seed=0)["a"]
    own = share(VALUE, a, b) - share(VALUE, b)
    assert found.share == pytest.approx(own, abs=1e-12)
    z = np.column_stack([np.ones(VALUE.size), b])
    left = a - z @ np.linalg.lstsq(z, a, rcond=None)[0]
    added = []
    for order in permutations(range(N)):
        shuffled = np.column_stack([moved(left[:, 0], order), moved(left[:, 1], order)])
        added.append(share(VALUE, b, shuffled) - share(VALUE, b))
    assert found.p == pytest.approx(np.mean([x >= own - 1e-9 for x in added]), abs=1e-12)
    x = np.column_stack([np.ones(VALUE.size), a, b])
    slope = np.linalg.lstsq(x, VALUE, rcond=None)[0]
    assert (found.both, found.neither) == pytest.approx(slope[1:3], abs=1e-9)


def test_a_property_that_another_determines_adds_nothing() -> None:
    found = unique(VALUE, {"a": HAS["a"], "same": HAS["a"], "b": HAS["b"]}, draws=99, seed=0)
    assert found["a"].share == pytest.approx(0, abs=1e-12)
    assert found["a"].p == 1.0
    assert np.isnan(found["a"].both)


def test_the_best_set_of_each_size_is_the_one_that_explains_most_and_relabellings_choose_too() -> None:
    (one, n, alone), (both, _, together) = best_sets(VALUE, HAS, draws=999, seed=0, largest=2)
    shares = {name: share(VALUE, columns(has)) for name, has in HAS.items()}
    assert one == (max(shares, key=lambda name: shares[name]),)
    assert n == 2
    assert alone.share == pytest.approx(max(shares.values()), abs=1e-12)
    assert both == ("a", "b")
    every = [max(share(moved(VALUE, o), columns(has)) for has in HAS.values()) for o in permutations(range(N))]
    assert alone.p == pytest.approx(np.mean([x >= alone.share - 1e-9 for x in every]), abs=1e-12)
    assert together.share >= alone.share


def test_where_not_all_relabellings_are_tried_p_is_never_0() -> None:
    has = np.arange(12) < 6
    value = np.where(group_of_pairs(has) == 0, 1.0, 0.0)
    assert explained(value, [has], draws=199, seed=1).p == pytest.approx(1 / 200)


def test_one_property_alone_adds_all_that_it_explains() -> None:
    value, has = np.array([1.0, 2, 3, 4, 5, 6]), np.array([True, True, False, False])
    alone = explained(value, [has], draws=99, seed=0)
    own = unique(value, {"only": has}, draws=99, seed=0)["only"]
    assert own.share == pytest.approx(alone.share)
    assert (own.both, own.neither) == pytest.approx((1 - 3.5, 6 - 3.5))
