"""Means of clustered values: Student's where clusters are single, the matrix form of CR2, a bootstrap of clusters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.core.arrays import Array, Index
from assay.stats.paired.clusters import clustered_mean

RNG = np.random.default_rng(18)


def test_values_that_are_their_own_clusters_have_students_error() -> None:
    x = RNG.gamma(1.0, 1.0, 30)
    mean, error, dof = clustered_mean(x, RNG.permutation(30))
    assert (mean, error, dof) == pytest.approx((x.mean(), stats.sem(x), 29))


def _by_matrices(x: Array, cluster: Index) -> tuple[float, float]:
    """CR2 and Satterthwaite's degrees of freedom as they are defined for any regression (bell2002), on a constant."""
    n = x.size
    design = np.ones((n, 1))
    hat = design @ design.T / n
    residual = x - hat @ x
    variance, columns = 0.0, []
    for g in np.unique(cluster):
        own = np.flatnonzero(cluster == g)
        value, vector = np.linalg.eigh(np.eye(own.size) - hat[np.ix_(own, own)])
        adjusted = vector @ np.diag(value**-0.5) @ vector.T
        weight = adjusted @ design[own, 0] / n
        variance += float(weight @ residual[own]) ** 2
        columns.append((np.eye(n) - hat)[:, own] @ weight)
    form = np.array(columns) @ np.array(columns).T
    return float(np.sqrt(variance)), float(np.trace(form) ** 2 / (form**2).sum())


@pytest.mark.parametrize("seed", range(5))
def test_the_closed_form_is_that_of_the_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, 7, 25)
    x = rng.normal(size=25) + rng.normal(size=7)[cluster]
    assert clustered_mean(x, cluster)[1:] == pytest.approx(_by_matrices(x, cluster))


@pytest.mark.parametrize("n_clusters", [50, 120])
def test_the_error_is_that_of_a_bootstrap_of_clusters(n_clusters: int) -> None:
    """Over many samples: of one, both are estimates. 400 samples leave an error of 1% of their ratio."""
    ratios = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        cluster = np.repeat(np.arange(n_clusters), 1 + rng.integers(0, 4, n_clusters))
        x = rng.gamma(1.0, 1.0, n_clusters)[cluster] + rng.normal(size=cluster.size)
        total, size = np.bincount(cluster, weights=x), np.bincount(cluster)
        drawn = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=400)
        ratios.append((drawn @ total / (drawn @ size)).std(ddof=1) / clustered_mean(x, cluster)[1])
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.02 if n_clusters < 100 else 0.012)


def test_intervals_of_clustered_skewed_values_hold_the_mean() -> None:
    """20 clusters of 1 to 4: as if all values were independent, Student's interval holds it far less often."""
    held = plain = 0
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        cluster = np.repeat(np.arange(20), 1 + rng.integers(0, 4, 20))
        x = rng.gamma(2.0, 1.0, 20)[cluster] + 0.5 * rng.normal(size=cluster.size)
        mean, error, dof = clustered_mean(x, cluster)
        held += abs(mean - 2.0) <= stats.t.ppf(0.975, dof) * error
        plain += abs(mean - 2.0) <= stats.t.ppf(0.975, x.size - 1) * stats.sem(x)
    assert 0.925 <= held / 1000 <= 0.97
    assert plain / 1000 < 0.85


def test_a_missing_value_counts_in_no_cluster() -> None:
    x, cluster = RNG.random(9), np.repeat([0, 1, 2], 3)
    gone = x.copy()
    gone[4] = np.nan
    assert clustered_mean(gone, cluster) == pytest.approx(clustered_mean(np.delete(x, 4), np.delete(cluster, 4)))


def test_one_cluster_has_no_error() -> None:
    mean, error, dof = clustered_mean(np.array([0.25, 0.75]), np.array([0, 0]))
    assert mean == 0.5
    assert np.isnan([error, dof]).all()
