r"""The share of pairs of runs that a test finds different, with what it takes for an interval over topics.

The share is that of all topics. How it varies is seen between disjoint halves of them (`stats.subsampling`). Its
standard error with all topics, beside that with half of them, is as the share of pairs that are close to the critical
value, which is what another sample would move across it: few where power is low, most where it is about a half, fewer
again where it is high, so that no single rate would do. Close means within one standard error of t.

For the t test, all halves are tested by matrix products. With the sum s and the sum of squares q of a pair's
differences over h topics, t^2 > c^2 where s^2 > q c^2 h / (h - 1 + c^2).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools
from assay.stats.intervals import t_quantile
from assay.stats.resampling import portions, stacked
from assay.stats.significance.pairs import check_finite, moments, rounding
from assay.stats.splits import Splits
from assay.stats.subsampling import GROWTH, SubsampledShare, half_changes

_NEAR = 1.0  # standard errors of t from the critical value
_FEW = 0.04  # of all pairs: added to those near, so that none near one of two sizes is no infinite rate
_CANCELLED = 1e-7  # of the squares, or of t: what is less may be rounding
_VARIED = 1 - 1e-5  # of all squares, more in the mean alone is a difference that does not vary


def subsampled_power(x: Array, split: Splits | None, *, alpha: float) -> SubsampledShare:
    """The share of pairs of runs that a paired t test finds different; `x` is [run, topic], without gaps."""
    n_runs, n = x.shape
    n_pairs = n_runs * (n_runs - 1) // 2
    share, near = _on_all(x, alpha)
    if split is None:
        return SubsampledShare(share, np.zeros(0), 1.0, n, n_pairs)
    significant, near_in_halves = _on_halves(x, split, alpha)
    return SubsampledShare(share, half_changes(significant), _growth(near, near_in_halves), n, n_pairs)


def significant_share(x: Array, *, alpha: float) -> float:
    """The share of pairs of runs that a paired t test finds different; `x` is [run, topic], without gaps."""
    return _on_all(x, alpha)[0]


def _on_all(x: Array, alpha: float) -> tuple[float, float]:
    """The share of pairs that are significant, and of those near the critical value.

    By one product of the runs with themselves. Where its rounding could decide, the test itself is done.
    """
    check_finite(x)
    n_runs, n = x.shape
    if n < 2 or n_runs < 2:
        return 0.0, 0.0
    critical = t_quantile(1 - alpha, n - 1)
    first, second = np.triu_indices(n_runs, 1)
    centred = x - x.mean(0)
    products = np.concatenate([centred[part] @ centred.T for part in portions(n_runs, n, columns=n_runs)])
    own, sums = products.diagonal(), centred.sum(1)
    size = own[first] + own[second]
    squares = size - 2 * products[first, second]  # of the differences
    total = (sums[first] - sums[second]) ** 2
    rest = n * squares - total
    unsure = (rest <= _CANCELLED * n * size) | (total <= _CANCELLED * _CANCELLED * n * size)
    t = np.sqrt(np.divide(total * (n - 1), rest, out=np.zeros(total.size), where=~unsure))
    unsure |= np.abs(t - critical) <= _CANCELLED
    if unsure.any():
        mean, sd = moments(x[first[unsure]] - x[second[unsure]], rounding(x))
        t[unsure] = np.divide(np.abs(mean) * np.sqrt(n), sd, out=np.zeros(mean.size), where=sd > 0)
    return float((t > critical).mean()), float((np.abs(t - critical) <= _NEAR).mean())


def _growth(near: float, near_in_halves: float) -> float:
    """The standard error with all topics over that with half of them, from the pairs near the critical value."""
    return float(np.clip((near + _FEW) / (near_in_halves + _FEW), *GROWTH))


@np.errstate(invalid="ignore", divide="ignore")
def _on_halves(x: Array, split: Splits, alpha: float) -> tuple[Array, float]:
    """The share of pairs that are significant [2 x split], and of those near the critical value.

    In single precision, which could decide otherwise only on a pair at the very critical value of one half.
    """
    h = split.size
    critical = t_quantile(1 - alpha, h - 1)
    bar, low, high = (t * t * h / (h - 1 + t * t) for t in (critical, max(critical - _NEAR, 0.0), critical + _NEAR))
    first, second = np.triu_indices(len(x), 1)
    x = (x - x.mean(0)).astype(np.float32)  # differences stay, and sums are small
    stacks = [block.astype(np.float32) for block in stacked(np.concatenate(split.masks()))]
    sums = [x @ block for block in stacks]  # [stack, run, half]
    counts = [np.zeros((block.shape[0], block.shape[2]), dtype=np.int64) for block in stacks]
    near = np.zeros(counts[0][:1].shape, dtype=np.int64)
    for part in portions(first.size, x.shape[1]):
        one, other = first[part], second[part]
        square = x.take(one, 0)
        square -= x.take(other, 0)
        np.square(square, out=square)
        for i, block in enumerate(stacks):
            total = sums[i].take(one, 1)
            total -= sums[i].take(other, 1)  # [stack, pair, half]
            np.square(total, out=total)
            total /= square @ block  # from 0 to h; h where nothing varies
            significant = total > bar
            significant &= total < h * _VARIED
            counts[i] += _count(significant)
            if i == 0:
                near += _count((total[:1] > low) & (total[:1] <= high))
    n = max(first.size, 1)
    return np.concatenate([count.ravel() for count in counts]) / n, float(near.mean()) / n


def _count(x: Bools) -> NDArray[np.integer]:
    """Count the pairs of a portion: few enough for a narrow integer, which is faster. [stack, half]"""
    narrow = np.uint8 if x.shape[1] < 1 << 8 else np.int16
    return np.add.reduce(x.view(np.uint8), axis=1, dtype=narrow)


def subsampled_power_by(
    p_values_on: Callable[[Array, Bools], Array], x: Array, split: Splits | None, *, whole: Array, alpha: float
) -> SubsampledShare:
    """The same by any test, from its p-values of all pairs, NaN where a pair is not tested; `x` is [run, topic].

    `p_values_on` takes the scores and sets of topics, and gives p-values by [set, pair].

    `whole` is those of all topics. Each half is tested anew. A pair that only all topics can test counts as not
    significant on a half.
    """
    tested = ~np.isnan(whole)
    share, near = _shares(whole[tested], alpha)
    n, n_pairs = x.shape[1], int(tested.sum())
    if split is None:
        return SubsampledShare(share, np.zeros(0), 1.0, n, n_pairs)
    p = p_values_on(x, np.concatenate(split.masks()).astype(bool))
    on_halves = np.array([_shares(row, alpha) for row in p[:, tested]])
    growth = _growth(near, float(on_halves[:, 1].mean()))
    return SubsampledShare(share, half_changes(on_halves[:, 0]), growth, n, n_pairs)


def _shares(p: Array, alpha: float) -> tuple[float, float]:
    """The share of pairs that are significant, and of those near the critical value, as a normal test would be."""
    from scipy.special import ndtri

    distance = ndtri(np.nan_to_num(p, nan=1.0) / 2) - ndtri(alpha / 2)
    return float((p < alpha).mean()), float((np.abs(distance) <= _NEAR).mean())
