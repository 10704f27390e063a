"""Means of runs with topics taken out: against least squares with a column for every run and topic."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analyses.judges.bias.run_means import additive_means, residuals
from assay.core.arrays import Array, Bools


def by_least_squares(x: Array, there: Bools) -> tuple[Array, Array]:
    """Means of runs, at the mean effect of topics, and residuals, from the design matrix itself."""
    n_runs, n_topics = x.shape
    run, topic = np.nonzero(there)
    design = np.concatenate([np.eye(n_runs)[run], np.eye(n_topics)[topic]], axis=1)
    effect = np.linalg.lstsq(design, x[there], rcond=None)[0]
    left = np.zeros(x.shape)
    left[there] = x[there] - design @ effect
    return effect[:n_runs] + effect[n_runs:].mean(), left


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_means_and_residuals_are_those_of_least_squares(gaps: float) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(5, 1)) + rng.normal(size=12) + rng.normal(0, 0.2, (5, 12))
    there = rng.random(x.shape) >= gaps
    means, left = by_least_squares(x, there)
    one = np.ones((1, 12))
    ours = additive_means(np.where(there, x, np.nan), there, one)[0]
    np.testing.assert_allclose(ours, means, atol=1e-12)
    np.testing.assert_allclose(residuals(x, there, ours), left, atol=1e-12)


def test_a_weight_of_0_is_as_if_the_topic_were_not_there() -> None:
    rng = np.random.default_rng(4)
    x, there = rng.normal(size=(2, 4, 9)), rng.random((4, 9)) > 0.2
    weight = np.ones((2, 9))
    weight[1, [2, 5]] = 0
    rest = np.delete(np.arange(9), [2, 5])
    both = additive_means(x, there, weight)
    np.testing.assert_allclose(both[1], additive_means(x[..., rest], there[:, rest], np.ones((1, 7)))[0], atol=1e-12)


def test_means_of_complete_scores_are_plain() -> None:
    x = np.random.default_rng(5).random((3, 6))
    np.testing.assert_allclose(additive_means(x, x >= 0, np.ones((1, 6)))[0], x.mean(1), atol=1e-14)


def test_a_run_that_lacks_the_hard_topics_is_not_better_for_it() -> None:
    x = np.array([0.2, 0.5, 0.8]) + np.array([[0.0], [0.0], [0.1]])
    there = np.array([[True] * 3, [False, True, True], [True] * 3])
    means = additive_means(np.where(there, x, np.nan), there, np.ones((1, 3)))[0]
    np.testing.assert_allclose(means, [0.5, 0.5, 0.6])
