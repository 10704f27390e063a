"""The best runs by their means: ties, and the order in which they are given."""

from __future__ import annotations

import numpy as np

from assay.stats.best import best_first, best_positions


def test_ties_go_by_name_or_as_the_runs_stand() -> None:
    mean = np.array([0.2, 0.5, 0.5, 0.1])
    assert best_first(mean, ["d", "c", "b", "a"]).tolist() == [2, 1, 0, 3]
    assert best_first(mean).tolist() == [1, 2, 0, 3]


def test_the_best_are_given_in_the_runs_own_order() -> None:
    mean = np.array([0.2, 0.5, 0.7, 0.1])
    assert best_positions(mean, 2).tolist() == [1, 2]
    assert best_positions(mean, 9).tolist() == [0, 1, 2, 3]
