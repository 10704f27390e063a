r"""Differences between runs, shrunken towards 0 by what all pairs of the same runs show.

A pair that is named because it is significant, or the largest, owes part of its difference to chance: on few topics
twice the true one and more. Empirical Bayes with adaptive shrinkage (stephens2017): true differences are drawn from a
mixture of normal distributions around 0, whose shares \(\pi_k\) are those of most likelihood,

.. math:: d_i \sim \sum_k \pi_k \, N(0, \sigma_k^2 + s_i^2),

for the observed difference d_i with standard error s_i, and the estimate is its posterior mean. It does not depend on
which pairs are named. The mixture is symmetric, so that the order of two runs does not matter. Pairs that share a run
are not independent: that costs precision of the shares, and is no bias of theirs.
"""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array

_RATIO = 2.0  # between neighbouring deviations of the mixture
_LEAST = 0.1  # of the least standard error: the smallest deviation that is not 0
_ROUNDS = 200  # of expectation and maximisation; more change no digit that is shown


def shrunken(difference: Array, error: Array) -> Array:
    """Shrink differences towards 0, each by its standard error; what has no error stays as it is. [pair]

    >>> x = np.array([0.5, -0.5, 0.02, -0.01, 0.03, 0.0])
    >>> shrunken(x, np.full(6, 0.1)).round(3).tolist()
    [0.456, -0.456, 0.004, -0.002, 0.006, 0.0]
    """
    varies = error > 0  # not where it is NaN
    out = difference.copy()
    if varies.any():
        d, s = difference[varies], error[varies]
        deviation = _deviations(d, s)
        variance = deviation**2 + s[:, None] ** 2  # [pair, part]
        likelihood = _likelihood(d, variance)
        share = _shares(likelihood)
        of_part = likelihood * share
        of_part /= of_part.sum(-1, keepdims=True)
        out[varies] = d * (of_part * deviation**2 / variance).sum(-1)
    return out


def _deviations(d: Array, s: Array) -> Array:
    """The standard deviations of the mixture: 0, and a grid up to twice what the largest difference asks for."""
    least = _LEAST * float(s.min())
    most = 2 * np.sqrt(max(float((d * d - s * s).max()), least**2))
    steps = int(np.ceil(np.log(most / least) / np.log(_RATIO)))
    return np.concatenate([[0.0], least * _RATIO ** np.arange(steps + 1)])


def _likelihood(d: Array, variance: Array) -> Array:
    """The density of every difference under every part, but for a factor of its own. [pair, part]"""
    log = -0.5 * (d[:, None] ** 2 / variance + np.log(variance))
    return np.asarray(np.exp(log - log.max(-1, keepdims=True)))


def _shares(likelihood: Array) -> Array:
    """The shares of the mixture, by expectation and maximisation. [part]"""
    n, parts = likelihood.shape
    share = np.full(parts, 1 / parts)
    for _ in range(_ROUNDS):
        share = share * ((1 / (likelihood @ share)) @ likelihood) / n
    return share
