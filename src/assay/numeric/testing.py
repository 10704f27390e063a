"""Tests of all pairs of runs by name, their corrections, and the difference that would have sufficed."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.numeric.intervals import t_quantile
from assay.numeric.multiplicity import benjamini_hochberg, holm
from assay.numeric.rank_tests import sign_test, wilcoxon_test
from assay.numeric.resampling import multinomials
from assay.numeric.significance import bootstrap_test, pairs, randomisation_test, t_test
from assay.numeric.tukey import randomised_tukey_test, standard_error, studentised_range, tukey_test

Array = NDArray[np.float64]
Test = Literal["t", "bootstrap", "randomisation", "sign", "wilcoxon", "tukey", "randomised-tukey"]
Correction = Literal["none", "holm", "bh"]

RESAMPLES: dict[str, int] = {"bootstrap": 1000, "randomisation": 10_000, "randomised-tukey": 10_000}
"""How many resamples each Monte-Carlo test draws, unless told otherwise."""


def p_values(x: Array, test: Test, *, resamples: int, seed: int) -> Array:
    """Test all pairs of runs; `x` is [run, topic]. [pair]"""
    if test == "bootstrap":
        return bootstrap_test(x, resamples=resamples, seed=seed)
    if test == "randomisation":
        return randomisation_test(x, resamples=resamples, seed=seed)
    if test == "randomised-tukey":
        return randomised_tukey_test(x, resamples=resamples, seed=seed)
    return {"t": t_test, "sign": sign_test, "wilcoxon": wilcoxon_test, "tukey": tukey_test}[test](x)


def corrected(p: Array, correction: Correction) -> Array:
    """Adjust p-values for the number of comparisons."""
    return {"none": lambda p: p, "holm": holm, "bh": benjamini_hochberg}[correction](p)


def sufficient_difference(x: Array, test: Test, *, alpha: float, resamples: int, seed: int) -> Array | None:
    """The difference of means at which each pair would just be significant (sakai2006); None for rank tests. [pair]

    It is the test's own critical value times the pair's standard error. No correction is applied.
    """
    d = pairs(x)
    n = x.shape[1]
    if n < 2:
        return None
    error = d.sd / np.sqrt(n)
    if test == "t":
        return error * t_quantile(1 - alpha, n - 1)
    if test == "bootstrap":
        return error * _bootstrap_critical(d.difference, alpha, resamples, seed)
    if test == "tukey":
        return np.full(d.mean.size, _tukey_critical(x, alpha))
    return None


def _bootstrap_critical(difference: Array, alpha: float, resamples: int, seed: int) -> Array:
    """The quantile of |t*| over resamples of the shifted differences. [pair]"""
    n = difference.shape[1]
    shifted = difference - difference.mean(-1, keepdims=True)
    drawn = np.concatenate(list(multinomials(n, resamples, seed))).T
    found = np.empty(len(difference))
    for i in range(0, len(difference), 128):
        part = shifted[i : i + 128]
        mean = part @ drawn / n
        variance = np.maximum((part * part) @ drawn / n - mean * mean, 0.0) * n / (n - 1)
        far = np.where(np.abs(mean) > 1e-15, np.inf, 0.0)  # a resample without variance, unless its mean is 0
        t = np.divide(np.abs(mean), np.sqrt(variance / n), out=far, where=variance > 1e-30)
        found[i : i + 128] = np.quantile(t, 1 - alpha, axis=-1)
    return found


def _tukey_critical(x: Array, alpha: float) -> float:
    """The difference of means that HSD finds significant, the same for every pair; by bisection."""
    m, n = x.shape
    dof = (m - 1) * (n - 1)
    low, high = 0.0, 1.0
    while studentised_range(np.array([high]), m, dof)[0] > alpha:
        low, high = high, high * 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if studentised_range(np.array([middle]), m, dof)[0] > alpha else (low, middle)
    return high * standard_error(x)
