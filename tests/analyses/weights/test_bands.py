"""Bands of fitted weights over bootstrap samples of topics."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analyses.weights.bands import weight_bands
from assay.analyses.weights.graded_lists import GradedLists
from tests.builders.weights import LOG2, FixedWeights, fit_discount, graded_lists, standard_fit


def test_bands_hold_most_fits_and_weights_that_nothing_moves_do_not_weight_bands() -> None:
    lists = graded_lists()
    ranks, grades = weight_bands(lists, fit_discount, resamples=20)
    assert ranks["rank"].to_list() == list(range(1, 11))
    assert ranks["discount"].sum() == pytest.approx(1.0)
    assert (ranks["low"] <= ranks["median"]).all()
    assert (ranks["median"] <= ranks["high"]).all()
    assert (ranks["high"] - ranks["low"]).max() > 0.01  # type: ignore[operator]
    assert grades.select("gain", "low", "high").rows() == [(0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (2.0, 2.0, 2.0)]
    still, _ = weight_bands(lists, standard_fit, resamples=5)
    assert still["low"].to_numpy() == pytest.approx(LOG2, abs=1e-15)
    assert still["high"].to_numpy() == pytest.approx(LOG2, abs=1e-15)


def test_samples_that_lack_a_grade_say_nothing_of_gains() -> None:
    """One topic alone has the top grade: samples without it are left out. One topic twice is not fitted."""
    lists = graded_lists()
    grade, pool = (
        np.minimum(lists.grade, 1),
        np.stack([lists.pool[:, 0], lists.pool[:, 1:].sum(1), 0 * lists.pool[:, 0]], 1),
    )
    grade[:, 0], pool[0] = lists.grade[:, 0], lists.pool[0]

    def by_grades(some: GradedLists) -> FixedWeights:
        return FixedWeights(np.array([0.0, 1.0, 3.0 if some.grades.size == 2 else 1.0]), LOG2)

    _, grades = weight_bands(GradedLists(grade, pool), by_grades, resamples=20)
    assert grades.select("gain", "low", "high").rows() == [(0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (3.0, 3.0, 3.0)]
    two = graded_lists().select(topics=np.arange(2))
    empty = next(
        seed for seed in range(50) if weight_bands(two, standard_fit, resamples=1, rng=seed)[0]["low"][0] is None
    )
    assert weight_bands(two, standard_fit, resamples=1, rng=empty)[0]["discount"].to_numpy() == pytest.approx(
        LOG2, abs=1e-15
    )
