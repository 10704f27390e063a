"""How many topics a difference between two runs needs, and how sure that number is.

A stated difference needs as many as the variance of the differences between runs says; that variance is an estimate,
and its interval over topics is the jackknife's, on the logarithm.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from assay.core.arrays import Array, Index
from assay.core.thresholds import Threshold

TARGET_POWER = Threshold(
    "target_power",
    0.8,
    unit="probability",
    meaning="chance of a significant difference, if it is real, that a number of topics is to give",
)
_ENDLESS = 1e15


def topics_for(effect: float, alpha: float) -> float:
    """The topics by which a difference is significant with the target power; `effect` is it over its deviation.

    Two-sided paired t test at alpha: the normal approximation with the term for the estimated deviation
    (guenther1981), within a topic of the exact number.

    >>> topics_for(0.5, 0.05)
    34.0
    """
    normal = NormalDist()
    critical = normal.inv_cdf(1 - alpha / 2)
    with np.errstate(over="ignore", divide="ignore"):  # of an effect close to 0 there is no end
        needed = np.square((critical + normal.inv_cdf(TARGET_POWER.value)) / np.float64(effect)) + critical**2 / 2
    return float(np.ceil(needed))


def topics_for_variance(variance: float, difference: float, alpha: float) -> int | None:
    """The topics that a difference of this variance needs; none where nothing varies, or beyond all that there are.

    >>> topics_for_variance(0.04, 0.1, 0.05), topics_for_variance(0.0, 0.1, 0.05)
    (34, None)
    """
    needed = topics_for(difference / np.sqrt(variance), alpha) if variance > 0 else np.inf
    return int(needed) if needed < _ENDLESS else None


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
