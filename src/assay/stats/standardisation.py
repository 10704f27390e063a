"""Scores relative to reference runs, topic by topic: z and the curves that map it into [0, 1].

The deviation has the divisor n - 1, as in the factors that Webber, Moffat and Zobel published. Where the reference
runs do not differ, the deviation is 0 and so is z, as in trec_eval: such a topic says nothing about runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools

FLOOR = 1e-9  # deviations below this share of the topic's largest reference score are rounding, not differences
SPREAD = 12**-0.5  # deviation of the uniform distribution on [0, 1]


@dataclass(frozen=True, slots=True)
class Factors:
    """What makes scores on one topic comparable with scores on another."""

    mean: Array  # [..., topic] of the reference runs
    deviation: Array  # [..., topic] as used: 0 where the reference runs do not differ
    floored: Bools  # [..., topic] whether the deviation found was too small to be used


def factors(reference: Array, *, floor: float = 0.0) -> Factors:
    """Take mean and deviation (divisor n - 1) of every topic over the runs of [..., run, topic]; NaN left out.

    Deviations below `floor` are raised to it. Without a floor, those below `FLOOR` of the topic's largest score
    become 0, and so does the deviation of fewer than two scores.
    """
    there = ~np.isnan(reference)
    n = there.sum(-2)
    filled = np.where(there, reference, 0.0)
    mean = filled.sum(-2) / np.maximum(n, 1)
    square = np.where(there, (reference - mean[..., None, :]) ** 2, 0.0).sum(-2)
    deviation = np.sqrt(square / np.maximum(n - 1, 1))
    least = np.maximum(floor, FLOOR * np.abs(filled).max(-2, initial=0.0))
    floored = (deviation < least) | (deviation == 0.0)
    return Factors(np.where(n > 0, mean, np.nan), np.where(floored, floor, deviation), floored)


def apply(value: Array, by: Factors) -> Array:
    """Express scores [..., run, topic] in deviations from the topic's mean; 0 where there is no deviation."""
    away = value - by.mean[..., None, :]
    deviation = np.broadcast_to(by.deviation[..., None, :], away.shape)
    scored = np.where(np.isnan(away), np.nan, 0.0)
    return np.divide(away, deviation, out=scored, where=deviation > 0)


def z(value: Array, reference: Array | None = None, *, floor: float = 0.0) -> Array:
    """Standardise scores [..., run, topic] by topic: by themselves, or by reference runs in the same layout."""
    return apply(value, factors(value if reference is None else reference, floor=floor))


def normal(score: Array) -> Array:
    """Map z into [0, 1] by the normal distribution: the share of runs below, were they normal."""
    from scipy.special import ndtr

    return np.asarray(ndtr(score), dtype=np.float64)


def linear(score: Array, *, a: float, b: float) -> Array:
    """Map z into [0, 1] by a z + b, cut off at both ends."""
    return np.clip(a * score + b, 0.0, 1.0)


def uniform(score: Array) -> Array:
    """Map z into [0, 1] by the uniform distribution of mean 0 and deviation 1."""
    return linear(score, a=SPREAD, b=0.5)


def empirical(value: Array, reference: Array | None = None) -> Array:
    """Map scores [..., run, topic] to the share of reference runs at or below them; NaN left out."""
    runs = value if reference is None else reference
    cells = np.full(value.shape, np.nan)
    for at in np.ndindex(*value.shape[:-2], value.shape[-1]):
        here = (*at[:-1], slice(None), at[-1])
        known = np.sort(runs[here][~np.isnan(runs[here])])
        if known.size:
            share = np.searchsorted(known, value[here], side="right") / known.size
            cells[here] = np.where(np.isnan(value[here]), np.nan, share)
    return cells
