"""Means of runs that can be compared although some lack scores: what is left when topics are taken out.

A run that lacks hard topics has a high mean for that alone. The additive model, a mean for every run and an effect of
every topic, is fitted by least squares to the scores that are there; where none is missing, its means are the plain
ones.
"""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array, Bools


def additive_means(x: Array, there: Bools, weight: Array) -> Array:
    """The mean of every run, topics taken out, for several weightings of the topics. [weighting, ..., run]

    `x` is [..., run, topic], `there` [run, topic] says which scores count, and `weight` is [weighting, topic], 0 for
    topics that are left out. NaN for a run without a score.
    """
    filled = np.where(there, x, 0.0)
    inside = there.astype(np.float64)
    n_runs = len(inside)
    share = weight / np.maximum(inside.sum(0), 1)  # [weighting, topic]
    size = weight @ inside.T  # [weighting, run]
    design = -(inside * share[:, None]) @ inside.T
    design[:, np.arange(n_runs), np.arange(n_runs)] += size
    design += 1.0 / n_runs  # effects add up to 0
    by_run = np.moveaxis(filled @ weight.T, -1, 0)
    by_topic = filled.sum(-2)  # [..., topic]
    target = by_run - np.moveaxis((by_topic[..., None, :] * inside) @ share.T, -1, 0)
    flat = target.reshape(len(weight), -1, n_runs)
    effect = np.moveaxis(_solved(design, np.moveaxis(flat, -1, 1)), 1, -1).reshape(target.shape)
    levels = np.einsum("wt,...t->w...", share, by_topic)
    explained = np.einsum("w...r,rt,wt->w...", effect, inside, share)
    covered = np.where(inside.any(0), weight, 0.0).sum(1)
    level = (levels - explained) / covered.reshape(-1, *[1] * (levels.ndim - 1))
    return np.where(size.reshape(len(weight), *[1] * (x.ndim - 2), n_runs) > 0, effect + level[..., None], np.nan)


def _solved(design: Array, target: Array) -> Array:
    """Solve for the effects; where runs share no topics with others, as near to 0 as can be."""
    try:
        return np.asarray(np.linalg.solve(design, target))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(design) @ target)


def residuals(x: Array, there: Bools, means: Array) -> Array:
    """What the additive model leaves of scores, 0 where there are none; `means` is [..., run]. [..., run, topic]"""
    left = np.where(there, x - means[..., None], 0.0)
    topic = left.sum(-2, keepdims=True) / np.maximum(there.sum(-2, keepdims=True), 1)
    return np.where(there, left - topic, 0.0)
