"""Which runs are best by their means: one rule for ties, wherever the best runs are asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.core.arrays import Array, Index

TOP = 30  # runs whose pairs are tested in sakai2006 and kanoulas2009: near-zero runs say nothing


def best_first(mean: Array, names: Sequence[str] | None = None) -> Index:
    """Where the runs stand from best to worst by their means; ties go by name, or as they stand without names.

    >>> best_first(np.array([0.2, 0.3, 0.3]), ["a", "c", "b"]).tolist()
    [2, 1, 0]
    """
    ties: Sequence[str] | Sequence[int] = range(mean.size) if names is None else names
    return np.array(sorted(range(mean.size), key=lambda run: (-mean[run], ties[run])), dtype=np.intp)


def best_positions(mean: Array, n: int, names: Sequence[str] | None = None) -> Index:
    """Where the n best runs by their means stand, in the runs' own order.

    >>> best_positions(np.array([0.2, 0.3, 0.3]), 1, ["a", "c", "b"]).tolist()
    [2]
    """
    return np.sort(best_first(mean, names)[:n])


def leading(standard: Array, top: int = TOP) -> Index:
    """The best runs by their mean under a standard, in their own order; `standard` is [run, topic]. [run]"""
    return best_positions(standard.mean(-1), top)
