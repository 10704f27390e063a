"""Shrunken differences: the posterior mean by quadrature and another optimiser, known priors, limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from assay.analyses.power.shrinkage import _deviations, shrunken
from assay.core.arrays import Array

RNG = np.random.default_rng(16)


def _by_quadrature(d: Array, s: Array) -> Array:
    """The posterior means under the mixture that another optimiser fits, integrated over true differences."""
    deviation = _deviations(d, s)
    density = norm.pdf(d[:, None], scale=np.hypot(deviation, s[:, None]))

    def loss(logits: Array) -> float:
        share = np.exp(logits - logits.max())
        return -float(np.log(density @ (share / share.sum())).sum())

    logits = minimize(loss, np.zeros(deviation.size), method="BFGS").x
    share = np.exp(logits - logits.max())
    share /= share.sum()
    true = np.linspace(-3, 3, 60_001)
    prior = sum(w * norm.pdf(true, scale=sd) for w, sd in zip(share[1:], deviation[1:], strict=True))
    means = []
    for x, error in zip(d, s, strict=True):
        weight = prior * norm.pdf(x, true, error) * (true[1] - true[0])
        at_zero = share[0] * norm.pdf(x, 0, error)
        means.append((weight * true).sum() / (weight.sum() + at_zero))
    return np.array(means)


def test_it_is_the_posterior_mean_under_the_most_likely_mixture() -> None:
    true = np.concatenate([np.zeros(30), RNG.normal(0, 0.3, 30)])
    s = RNG.uniform(0.05, 0.15, 60)
    d = RNG.normal(true, s)
    np.testing.assert_allclose(shrunken(d, s), _by_quadrature(d, s), atol=0.004)


def test_where_true_differences_are_normal_it_shrinks_by_their_share_of_the_variance() -> None:
    d = RNG.normal(0, np.hypot(1.0, 0.5), 4000)
    ratio = shrunken(d, np.full(4000, 0.5))[np.abs(d) > 0.5] / d[np.abs(d) > 0.5]
    assert ratio.mean() == pytest.approx(1 / 1.25, abs=0.04)


def test_the_mean_of_those_selected_is_no_longer_too_large() -> None:
    true = RNG.normal(0, 0.05, 3000)
    d = RNG.normal(true, 0.05)
    named = np.abs(d) > 0.1
    sign = np.sign(d[named])
    size, observed = (sign * true[named]).mean(), (sign * d[named]).mean()
    assert observed > 1.6 * size
    assert (sign * shrunken(d, np.full(3000, 0.05))[named]).mean() == pytest.approx(size, rel=0.1)


def test_the_order_of_two_runs_does_not_matter_and_nothing_grows_or_changes_sign() -> None:
    d, s = RNG.normal(0, 0.2, 100), RNG.uniform(0.01, 0.2, 100)
    estimate = shrunken(d, s)
    np.testing.assert_allclose(shrunken(-d, s), -estimate)
    assert (np.abs(estimate) <= np.abs(d)).all()
    assert (estimate * d >= 0).all()
    np.testing.assert_allclose(shrunken(100 * d, 100 * s), 100 * estimate)


def test_what_does_not_vary_stays_as_it_is() -> None:
    d, s = np.array([0.3, 0.1, 0.0]), np.array([0.0, np.nan, 0.0])
    assert shrunken(d, s).tolist() == d.tolist()
