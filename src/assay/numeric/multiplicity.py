"""Corrections of p-values for the number of comparisons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def holm(p: Array) -> Array:
    """Adjust by Holm's method: the chance of any false discovery stays below alpha."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _back(np.minimum(stepped, 1.0), order)


def benjamini_hochberg(p: Array) -> Array:
    """Adjust by Benjamini and Hochberg's method: the expected share of false discoveries stays below alpha."""
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    return _back(np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0), order)


def _back(ordered: Array, order: NDArray[np.intp]) -> Array:
    out = np.empty_like(ordered)
    out[order] = ordered
    return out
