"""Matrix products in portions that stay on one thread.

OpenBLAS hands larger products to threads. Where fits do thousands of them, each waits for all of its threads: with
other work on the machine that takes longer than the product itself. Nor do results depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.core.arrays import Array

_PORTION = 1 << 18  # multiplications in one product


def product(left: Array, right: Array) -> Array:
    """Multiply matrices [..., row, place] and [..., place, column], some rows at a time.

    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    rows = list(portions(left.shape[-2], right.shape[-2] * right.shape[-1]))
    if len(rows) == 1:
        return np.asarray(left @ right)
    return np.concatenate([left[..., some, :] @ right for some in rows], axis=-2)


def inner_products(left: Array, right: Array) -> Array:
    """The inner products of the rows of two matrices [row, place], some places at a time. [row, row]

    >>> inner_products(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[11.0, 2.0]]
    """
    places = portions(left.shape[1], len(left) * len(right))
    return np.asarray(sum(left[:, some] @ right[:, some].T for some in places))


def portions(n: int, each: int) -> Iterator[slice]:
    """Cut n rows or places, of so many multiplications each, into portions of one product."""
    step = max(1, _PORTION // max(1, each))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))
