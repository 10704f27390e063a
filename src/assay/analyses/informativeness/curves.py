"""Recall-precision curves, actual and inferred, and how far they are apart."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array, Bools, Index

_REACHED = 1e-9  # an expected number that falls short by rounding

LEVELS = tuple(x / 10 for x in range(1, 11))


def actual_precision(hit: Bools, most: int) -> Array:
    """Precision at the first, second, ... relevant document; NaN where there are fewer. [list, number]"""
    precision = np.full((hit.shape[0], most), np.nan)
    lists, ranks = np.nonzero(hit)
    place = np.cumsum(hit, axis=-1)[lists, ranks]
    precision[lists, place - 1] = place / (ranks + 1)
    return precision


def inferred_precision(probability: Array, n_hits: Array, most: int) -> Array:
    """Precision where the expected number of relevant documents reaches 1, 2, ...; NaN beyond `n_hits`.

    Between two ranks the expected number grows in proportion. [list, number]
    """
    number = np.arange(1, most + 1)
    precision = np.full((n_hits.size, most), np.nan)
    for i, (own, n) in enumerate(zip(probability, n_hits.astype(np.int64), strict=True)):
        reached = np.concatenate([[0.0], np.cumsum(own)])
        goal = np.minimum(number[:n], reached[-1])
        end = np.searchsorted(reached, goal - _REACHED)  # the first rank there, not the last of some that add nothing
        rank = end - np.clip((reached[end] - goal) / own[end - 1], 0.0, 1.0)
        precision[i, :n] = number[:n] / np.maximum(rank, number[:n])
    return precision


def errors(actual: Array, inferred: Array) -> tuple[Array, Array]:
    """The root mean squared and the mean absolute error over the relevant documents retrieved. [list] each"""
    gap = actual - inferred
    return np.sqrt(np.nanmean(gap**2, axis=-1)), np.nanmean(np.abs(gap), axis=-1)


def at_recall(precision: Array, n_rel: Index, level: float) -> Array:
    """Precision at a level of recall; 0 where the list does not reach it. [list]"""
    number = np.maximum(np.ceil(level * n_rel - 1e-9), 1).astype(np.int64)
    inside = number <= precision.shape[1]
    value = precision[np.arange(number.size), np.minimum(number, precision.shape[1]) - 1]
    return np.where(inside, np.nan_to_num(value), 0.0)
