"""The randomisation test against a twin in whole numbers, and against scipy's exact one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from assay.stats.resampling import signs
from assay.stats.significance.randomisation import randomisation_test
from tests.stats.significance.kinds import RESAMPLES, Kind, Whole, differences, every_kind


def exact_randomisation(d: Whole, flips: Whole) -> float:
    """Sign flips of one pair in whole numbers."""
    if len(set(d.tolist())) == 1:
        return 2.0 / 2**d.size if d.any() else 1.0
    b = sum(
        abs(sum(s * v for s, v in zip(row, d.tolist(), strict=True))) >= abs(int(d.sum())) for row in flips.tolist()
    )
    return (b + 1) / (len(flips) + 1)


@every_kind
def test_the_randomisation_is_that_of_whole_numbers(kind: Kind) -> None:
    whole, unit = kind(np.random.default_rng(5))
    x = whole / unit
    flips = np.concatenate(list(signs(x.shape[1], RESAMPLES, 7))).astype(np.int64)
    expected = [exact_randomisation(d, flips) for d in differences(whole)]
    assert randomisation_test(x, resamples=RESAMPLES, seed=7).tolist() == expected


def test_the_randomisation_test_agrees_with_scipys_exact_one() -> None:
    rng = np.random.default_rng(11)
    x = rng.binomial(10, 0.4, size=(5, 10)) / 10
    n = 50_000
    found = randomisation_test(x, resamples=n, seed=1)
    for p, (i, j) in zip(found, combinations(range(5), 2), strict=True):
        exact = scipy.stats.permutation_test(
            (x[i], x[j]), lambda a, b, axis: (a - b).mean(axis), permutation_type="samples", vectorized=True
        ).pvalue  # all 2^10 assignments
        assert p == pytest.approx(exact, abs=4.5 * np.sqrt(exact * (1 - exact) / n) + 2 / n)
