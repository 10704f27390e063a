"""How much the differences of two runs vary over topics: a typical pair, with each group of topics left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.core.arrays import Array, Index
from assay.stats.intervals import skewed_jackknife_interval
from assay.stats.significance.pairs import LEAST_SHARED, pairs_with_gaps, shared_topics

Middle = Callable[..., Array]


def typical_variances(x: Array, group: Index, *, middle: Middle = np.median) -> tuple[Array, Array]:
    """The median over pairs of the variance of their differences: of all topics, and without each group. [group]

    The mean instead, with `middle=np.mean`: half of it is the residual variance of a two-way analysis of variance.
    `x` is [run, topic]. NaN where no pair varies; no group where leaving one out leaves too few topics, or nothing
    that varies.
    """
    d, n = pairs_with_gaps(x), shared_topics(x)
    tested = (n >= LEAST_SHARED) & (d.sd > 0)
    if not tested.any():
        return np.array(np.nan), np.zeros(0)
    left, rest = variances_without(d.difference[tested], group)
    without = middle(left, axis=0)
    enough = (rest >= LEAST_SHARED).all() and (without > 0).all()
    return np.asarray(middle(d.sd[tested] ** 2)), without if enough else np.zeros(0)


def variance_interval(variance: Array, without: Array, *, level: float) -> tuple[Array, Array]:
    """Interval of a variance over topics, from what it is without each group of them; `without` is [group, ...].

    By a jackknife of the logarithm that allows for its skewness. On the truths that it was chosen on, 25 and 50
    topics, 2.2% of the upper ends of nominal 95% intervals were too low and 1.2% of the lower ends too high; by
    Student's interval 4.5 and 1.2%, and up to 7.5% on one truth (4.1% here).
    """
    with np.errstate(divide="ignore", over="ignore"):
        low, high = skewed_jackknife_interval(np.log(variance), np.log(without), level=level)
        return np.exp(low), np.exp(high)


def variances_without(difference: Array, group: Index) -> tuple[Array, Array]:
    """The variance of every pair's differences without each group of topics, and on how many topics it then rests.

    `difference` is [pair, topic], NaN where a run has no score; `group` [topic] is from 0 up. Two of [pair, group]
    """
    there = ~np.isnan(difference)
    n = there.sum(-1)
    mean = np.where(there, difference, 0.0).sum(-1) / np.maximum(n, 1)
    centred = np.where(there, difference - mean[:, None], 0.0)
    member = (group[:, None] == np.arange(group.max(initial=-1) + 1)).astype(np.float64)  # [topic, group]
    gone, total, squares = there @ member, centred @ member, centred**2 @ member  # [pair, group]
    rest = n[:, None] - gone
    # about their own mean: those that are left add up to minus the total of those that are gone
    left = squares.sum(-1, keepdims=True) - squares - total**2 / np.maximum(rest, 1)
    return left / np.maximum(rest - 1, 1), rest
