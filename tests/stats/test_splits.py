"""Splits of a sample: disjoint, reproducible, complete where they are few; and means over sets."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.resampling import BLOCK
from assay.stats.splits import masked, means, n_different, splits
from tests.builders.arrays import measure_scores


@pytest.mark.parametrize(("n", "size"), [(50, 25), (49, 24), (49, 3), (4, 2), (3, 1), (2, 1)])
def test_the_two_sets_are_disjoint_and_as_large_as_asked(n: int, size: int) -> None:
    found = splits(n, size, 100, seed=1)
    for first, second in zip(found.first, found.second, strict=True):
        members = {*first.tolist(), *second.tolist()}
        assert len(members) == 2 * size
        assert members <= set(range(n))


def test_every_topic_is_as_often_in_either_set() -> None:
    first, second = splits(13, 4, 20_000, seed=3).masks()
    assert np.abs(first.mean(0) - 4 / 13).max() < 0.015  # four standard errors
    assert np.abs(second.mean(0) - 4 / 13).max() < 0.015


def test_a_longer_series_begins_like_a_shorter_one_and_small_sets_are_part_of_large_ones() -> None:
    longer, shorter = splits(30, 15, 2 * BLOCK, seed=5), splits(30, 15, BLOCK, seed=5)
    assert (longer.first[:BLOCK] == shorter.first).all()
    small = splits(30, 6, BLOCK, seed=5)
    assert all(set(a) <= set(b) for a, b in zip(small.first, shorter.first, strict=True))
    assert all(set(a) <= set(b) for a, b in zip(small.second, shorter.second, strict=True))
    assert (splits(30, 15, BLOCK, seed=6).first != shorter.first).any()


@pytest.mark.parametrize(("n", "size", "count"), [(4, 2, 3), (5, 2, 15), (6, 3, 10), (10, 5, 126), (5, 1, 10)])
def test_few_splits_are_all_taken_once(n: int, size: int, count: int) -> None:
    """Counts by hand: n! / (size! size! (n - 2 size)!) / 2."""
    found = splits(n, size, 1000, seed=0)
    assert found.complete
    assert len(found) == n_different(n, size) == count
    both = zip(found.first.tolist(), found.second.tolist(), strict=True)
    pairs = {frozenset([frozenset(a), frozenset(b)]) for a, b in both}
    assert len(pairs) == count
    assert not splits(n, size, count - 1, seed=0).complete
    assert not found.head(count - 1).complete


def test_sets_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="no two disjoint sets of 3 out of 5"):
        splits(5, 3, 10, seed=0)


def test_means_are_those_of_the_members_and_of_none_there_is_none() -> None:
    x, chosen = measure_scores(), np.array([[0, 3, 5], [1, 2, 7]])
    found = means(x, masked(chosen, 12))
    assert found == pytest.approx(np.stack([x[:, :, members].mean(-1) for members in chosen]), abs=1e-15)
    assert np.isnan(means(x, np.zeros((1, 12)))).all()
    large = np.random.default_rng(0).random((400, 300))  # in several products
    assert means(large, np.ones((20, 300)))[0] == pytest.approx(large.mean(-1), abs=1e-14)


def test_all_splits_there_are_come_either_way_and_random_ones_once() -> None:
    every, some = splits(4, 2, 100, seed=0), splits(40, 20, 10, seed=0)
    both = every.both_ways()
    pairs = [
        (tuple(sorted(a)), tuple(sorted(b))) for a, b in zip(both.first.tolist(), both.second.tolist(), strict=True)
    ]
    assert len(set(pairs)) == len(pairs) == 6
    assert set(pairs) == {(b, a) for a, b in pairs}
    assert some.both_ways() is some
