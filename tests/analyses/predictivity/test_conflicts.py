"""Conflicts between measures and significant differences, followed to the other topics: against plain loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from assay.analyses.predictivity.conflicts import conflicts, significant
from assay.core.arrays import Array
from assay.stats.correlation.bitwise_tau import count_bits
from assay.stats.significance.paired_t import t_test
from assay.stats.splits import splits
from tests.builders.arrays import measure_scores


def test_conflicts_are_those_of_a_plain_loop() -> None:
    x = measure_scores(2, 8, 10)
    chosen = splits(10, 5, 6, seed=1)
    found = conflicts(x, chosen, alpha=0.05, replicates=1)
    seen = [_followed(x, s, t) for s, t in zip(chosen.first, chosen.second, strict=True)]
    back = [_followed(x, t, s) for s, t in zip(chosen.first, chosen.second, strict=True)]
    both = np.nanmean([seen, back], axis=0)
    share, by_a, by_b = np.nanmean(both, axis=0)
    assert (found.share[0, 1], found.by_a[0, 1], found.by_b[0, 1]) == pytest.approx((share, by_a, by_b), abs=1e-12)
    assert found.by_a[1, 0] == pytest.approx(1 - by_b, abs=1e-12)  # in the other direction, b is the one to side with


def _followed(x: Array, here: Array, there: Array) -> tuple[float, float, float]:
    a, b, later_a, later_b = (x[k][:, s].sum(-1).round(9) for s in (here, there) for k in (0, 1))
    both = by_a = sided_a = by_b = sided_b = conflict = 0
    for i, j in combinations(range(len(a)), 2):
        first, second = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
        both += int(first * second != 0)
        if first * second < 0:
            conflict += 1
            after = np.sign(later_a[i] - later_a[j]), np.sign(later_b[i] - later_b[j])
            by_a, sided_a = by_a + int(after[0] != 0), sided_a + int(after[0] == first)
            by_b, sided_b = by_b + int(after[1] != 0), sided_b + int(after[1] == first)
    return conflict / both, sided_a / by_a if by_a else np.nan, sided_b / by_b if by_b else np.nan


def test_significance_on_a_set_is_that_of_the_t_test() -> None:
    x, chosen = measure_scores(2, 9, 12), np.array([[0, 2, 3, 5, 8, 11], [1, 2, 4, 6, 7, 9]])
    bits = significant(x, chosen, 0.05)
    for s, members in enumerate(chosen):
        for m in range(2):
            p = t_test(x[m][:, members])
            assert count_bits(bits[s, m]) == (p < 0.05).sum()
    assert count_bits(significant(x, chosen[:, :1], 0.05)).sum() == 0


def test_significant_differences_are_followed_to_the_other_set() -> None:
    x = measure_scores(1, 10, 16)
    chosen = splits(16, 8, 5, seed=0)
    found = conflicts(x, chosen, alpha=0.1, replicates=1)
    shares = []
    for s, t in [*zip(chosen.first, chosen.second, strict=True), *zip(chosen.second, chosen.first, strict=True)]:
        (p, q), (d, e) = ([t_test(x[0][:, k]) for k in (s, t)], [_differences(x[0][:, k]) for k in (s, t)])
        sure, again = p < 0.1, q < 0.1
        same = sure & (d * e > 0)
        shares.append((sure.mean(), same.sum() / sure.sum(), (same & again).sum() / sure.sum()))
    expected = np.mean(shares, axis=0)
    assert (found.significant[0], found.same_order[0], found.repeated[0]) == pytest.approx(expected, abs=1e-12)


def _differences(x: Array) -> Array:
    first, second = np.triu_indices(len(x), 1)
    return np.asarray((x[first] - x[second]).mean(-1).round(9))
