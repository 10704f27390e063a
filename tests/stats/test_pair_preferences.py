"""Which of two scores is preferred: ties up to rounding."""

from __future__ import annotations

import numpy as np

from assay.stats.pair_preferences import n_near_ties, preferred_sides


def test_ties_are_told_from_small_differences() -> None:
    one = np.array([1.0, 1.0, 1.0, np.nan])
    other = np.array([1.0 + 2.0**-49, 1.0 + 2.0**-46, 0.9, 1.0])
    assert preferred_sides(one, other).tolist() == [0, -1, 1, 0]
    assert n_near_ties(one, other) == 1
