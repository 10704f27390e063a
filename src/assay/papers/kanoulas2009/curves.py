"""Shapes of discounts: how far they are apart, where they level off, how uneven they are further down."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array


def distance(one: Array, other: Array, first: int | None = None) -> float:
    """The share of weight by which two discounts differ: half the sum of absolute differences, at the first ranks.

    >>> distance(np.array([3.0, 1.0]), np.array([1.0, 1.0])), distance(np.array([3.0, 1.0]), np.array([1.0, 1.0]), 1)
    (0.25, 0.125)
    """
    apart = np.abs(one / one.sum() - other / other.sum())
    return float(apart[:first].sum()) / 2


def levels_off(discount: Array) -> int:
    """The rank at which a falling discount bends: where it lies furthest below the line from its first to its last.

    >>> levels_off(np.array([9.0, 5.0, 1.0, 1.0, 1.0, 1.0]))
    3
    """
    chord = np.linspace(discount[0], discount[-1], discount.size)
    return int(np.argmax(chord - discount)) + 1


def unevenness(discount: Array, after: int) -> float:
    """The share of the weight below a rank that would have to move for it to be constant there.

    >>> unevenness(np.array([5.0, 3.0, 1.0]), 1)
    0.25
    """
    rest = discount[after:]
    return float(np.abs(rest - rest.mean()).sum() / 2 / rest.sum())


def rises(discount: Array) -> float:
    """By how much weight a discount rises from rank to rank, all rises together.

    >>> rises(np.array([0.5, 0.125, 0.375]))
    0.25
    """
    return float(np.maximum(np.diff(discount / discount.sum()), 0.0).sum())


def falling(discount: Array) -> Array:
    """The nearest discount that does not rise: neighbours out of order share their mean (isotonic regression). [rank]

    >>> falling(np.array([0.5, 0.125, 0.375])).tolist()
    [0.5, 0.25, 0.25]
    """
    blocks: list[tuple[float, int]] = []
    for weight in discount:
        blocks.append((float(weight), 1))
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            (a, n), (b, m) = blocks[-2:]
            blocks[-2:] = [((a * n + b * m) / (n + m), n + m)]
    return np.concatenate([np.full(n, mean) for mean, n in blocks])
