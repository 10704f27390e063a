"""Differences of all pairs of runs."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.significance.pairs import pairs


def test_the_differences_come_with_their_pairs_means_and_deviations() -> None:
    x = np.array([[0.5, 0.1, 0.3], [0.2, 0.2, 0.2], [0.0, 0.0, 0.9]])
    d = pairs(x)
    assert list(zip(d.first.tolist(), d.second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert d.mean == pytest.approx([0.1, 0.0, -0.1])
    assert d.mean[1] == 0.0
    assert d.sd == pytest.approx(np.std(x[[0, 0, 1]] - x[[1, 2, 2]], axis=1, ddof=1))
    assert d.t == pytest.approx(d.mean / d.sd * np.sqrt(3))
