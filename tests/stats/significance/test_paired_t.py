"""The paired t test against scipy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from assay.stats.significance.paired_t import t_test
from tests.stats.significance.kinds import Kind, differences, every_kind, few_nearly_equal, near_identical


@every_kind
def test_the_t_test_is_scipys_pair_by_pair(kind: Kind) -> None:
    whole, unit = kind(np.random.default_rng(2))
    found = t_test(whole / unit)
    for p, d in zip(found, differences(whole), strict=True):
        expected = scipy.stats.ttest_rel(d, np.zeros(d.size)).pvalue if np.ptp(d) else 1.0
        assert p == pytest.approx(expected, rel=1e-6 if kind in (near_identical, few_nearly_equal) else 1e-10)


def test_the_t_test_keeps_its_digits_far_from_zero() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(-50, 50, size=(5, 30)) / 64
    assert t_test(x + 2.0**20) == pytest.approx(t_test(x), rel=1e-12)
