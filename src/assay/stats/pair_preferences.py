"""Which of two items a score prefers: ties up to rounding, and differences that rounding might have made.

Larger scores are better. Two scores tie where they differ by no more than rounding, and where one of them does not
exist (NaN): without a score there is no preference.
"""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array, Grades

Sides = Grades  # 1 the first item is preferred, -1 the second, 0 neither

A, B, TIE = "a", "b", "tie"
PREFERRED = {1: A, -1: B, 0: TIE}
"""The preferred side in a word."""

TIED, SURE = 2.0**-48, 2.0**-45  # of the larger score: equal up to here, surely different from there


def preferred_sides(a: Array, b: Array) -> Sides:
    """Say which of two scores is better.

    >>> preferred_sides(np.array([0.3, 0.1 + 0.2, np.nan]), np.array([0.2, 0.3, 0.5])).tolist()
    [1, 0, 0]
    """
    difference = a - b
    clear = np.abs(difference) > TIED * np.maximum(np.abs(a), np.abs(b))  # False where there is no score
    return np.where(clear, np.sign(difference), 0.0).astype(np.int8)


def n_near_ties(a: Array, b: Array) -> int:
    """Count differences that are no ties, but so small that rounding might have made them."""
    size, difference = np.maximum(np.abs(a), np.abs(b)), np.abs(a - b)
    return int(((difference > TIED * size) & (difference < SURE * size)).sum())
