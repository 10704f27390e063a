"""Differences of all pairs of runs."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.significance.pairs import pair_moments, pairs


def test_the_differences_come_with_their_pairs_means_and_deviations() -> None:
    x = np.array([[0.5, 0.1, 0.3], [0.2, 0.2, 0.2], [0.0, 0.0, 0.9]])
    d = pairs(x)
    assert list(zip(d.first.tolist(), d.second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert d.mean == pytest.approx([0.1, 0.0, -0.1])
    assert d.mean[1] == 0.0
    assert d.sd == pytest.approx(np.std(x[[0, 0, 1]] - x[[1, 2, 2]], axis=1, ddof=1))
    assert d.t == pytest.approx(d.mean / d.sd * np.sqrt(3))


def test_moments_without_the_differences_are_those_of_the_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.stats.significance.pairs._ENTRIES", 30)  # so that there are several blocks
    x = np.random.default_rng(1).uniform(size=(7, 9))
    x[3] = x[2] + 0.25  # no variance
    whole = pairs(x)
    mean, sd = pair_moments(x)
    assert np.array_equal(mean, whole.mean)
    assert np.array_equal(sd, whole.sd)
    assert (sd == 0).sum() == 1
