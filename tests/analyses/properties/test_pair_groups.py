"""Groups of pairs by a property of their items: against scipy, and against counting by hand."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import f_oneway, tukey_hsd

from assay.analyses.properties.pair_groups import group_of_pairs, one_way, relabelled, tukey_kramer

HAS = np.array([True, False, True, True, False, False, True])
VALUE = np.random.default_rng(4).random(21).round(2)


def parts() -> list[np.ndarray]:
    group = group_of_pairs(HAS)
    return [VALUE[group == g] for g in range(3)]


def test_pairs_are_grouped_by_whether_both_neither_or_one_has_it() -> None:
    assert group_of_pairs(np.array([True, True, False, False])).tolist() == [0, 2, 2, 2, 2, 1]
    many = group_of_pairs(np.array([[True, False], [True, True], [False, False]]))
    assert many.tolist() == [[2], [0], [1]]


def test_the_analysis_of_variance_is_that_of_scipy() -> None:
    theirs = f_oneway(*parts())
    f, p, explained = one_way(VALUE, group_of_pairs(HAS))
    assert (f, p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10)
    inside = sum(((part - part.mean()) ** 2).sum() for part in parts())
    assert explained == pytest.approx(1 - inside / ((VALUE - VALUE.mean()) ** 2).sum(), rel=1e-12)


def test_tukeys_test_is_that_of_scipy_for_groups_of_unequal_size() -> None:
    theirs = tukey_hsd(*parts())
    assert sorted({part.size for part in parts()}) == [3, 6, 12]
    found = tukey_kramer(VALUE, group_of_pairs(HAS))
    assert list(found) == [(0, 1), (0, 2), (1, 2)]
    for (a, b), (gap, p) in found.items():
        assert gap == pytest.approx(theirs.statistic[a, b], abs=1e-12)
        assert p == pytest.approx(theirs.pvalue[a, b], abs=1e-6)


def test_one_group_or_as_many_values_as_groups_cannot_be_tested() -> None:
    assert np.isnan(one_way(VALUE, group_of_pairs(np.ones(7, dtype=bool)))).all()
    assert np.isnan(one_way(VALUE[:3], np.array([0, 1, 2]))).all()
    assert tukey_kramer(VALUE, group_of_pairs(np.ones(7, dtype=bool))) == {}
    assert np.isnan(tukey_kramer(VALUE[:2], np.array([0, 1]))[0, 1][1])


def test_groups_without_variance_are_as_far_apart_as_can_be() -> None:
    f, p, explained = one_way(np.array([1.0, 1.0, 2.0, 2.0]), np.array([0, 0, 1, 1]))
    assert (f, p, explained) == (np.inf, 0.0, 1.0)


def test_relabelling_tries_every_way_to_give_the_property_to_as_many_items() -> None:
    def between(has: tuple[bool, ...]) -> float:
        pairs = list(combinations(has, 2))
        found = 0.0
        for n_having in (0, 1, 2):
            inside = [value for value, pair in zip(VALUE, pairs, strict=True) if sum(pair) == n_having]
            found += len(inside) * (np.mean(inside) - VALUE.mean()) ** 2 if inside else 0.0
        return found

    ways = set(permutations(HAS.tolist()))
    assert len(ways) == 35
    as_much = sum(between(way) >= between(tuple(HAS.tolist())) - 1e-12 for way in ways)
    assert relabelled(VALUE, HAS, draws=99, seed=0) == (as_much / 35, True)


def test_where_not_all_ways_are_tried_p_is_near_and_never_0() -> None:
    exact, whole = relabelled(VALUE, HAS, draws=34, seed=0)
    drawn, part = relabelled(VALUE, HAS, draws=33, seed=1)
    assert (whole, part) == (True, False)
    assert drawn == pytest.approx(exact, abs=0.25)
    apart = np.where(group_of_pairs(np.arange(20) < 10) == 0, 1.0, 0.0)
    p, _ = relabelled(apart, np.arange(20) < 10, draws=199, seed=1)
    assert p == 1 / 200
    assert relabelled(apart, np.arange(20) < 10, draws=199, seed=1)[0] == p
