"""How often the sign of a difference is reversed between two sets of topics, for all pairs of runs at once.

Means of runs are [run, draw]: a draw is a pair of topic sets, on each of which every run has a mean. Differences of
means below 1e-10 of the largest are rounding: exact ties, which never swap and are counted apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Counts, Index
from assay.stats.resampling import multinomials
from assay.stats.splits import end_sets, means

BINS = 101  # of differences: a hundred, and one for what is beyond
_DRAWS = 256  # draws compared at a time: what stays in cache
_EPSILON = 1e-10  # of the largest mean: closer ones are ties
_EDGE = 1e-7  # of a bin: what rounding may do to a difference that lies on an edge


@dataclass(frozen=True, slots=True)
class Swaps:
    """Decisions about pairs of runs, by the size of the difference on the first set."""

    same: Counts  # [bin]: the same order on both sets
    swapped: Counts  # [bin]: the opposite order
    tied: Counts  # [bin]: an exact tie on one of the sets

    @property
    def n(self) -> Counts:
        """How many decisions there are in each bin, ties and all. [bin]"""
        return self.same + self.swapped + self.tied

    @property
    def rates(self) -> Array:
        """The share of decisions that are swapped, bin by bin; NaN where a bin is empty. [bin]"""
        return np.divide(self.swapped, self.n, out=np.full(BINS, np.nan), where=self.n > 0)

    @property
    def rate(self) -> float:
        """The share of all decisions that are swapped; NaN where all are ties."""
        return int(self.swapped.sum()) / int(self.n.sum()) if (self.same + self.swapped).any() else np.nan

    @property
    def tie_share(self) -> float:
        """The share of decisions that are exact ties."""
        return int(self.tied.sum()) / max(1, int(self.n.sum()))


def disjoint_swaps(x: Array, order: Index, sizes: Sequence[int], *, width: float) -> tuple[list[Swaps], list[Array]]:
    """Count swaps between disjoint sets of every size, and hand out the means on all sets; `x` is [run, topic].

    Where all splits are no more than the orders, each is taken once, either set first.
    """
    means_of = [_on_both_sets(x, order, size) for size in sizes]
    group = np.repeat(np.arange(len(sizes)), [first.shape[1] for first, _ in means_of])
    first, second = (np.concatenate(side, axis=1) for side in zip(*means_of, strict=True))
    return count_swaps(first, second, width=width, group=group), [a for a, _ in means_of]


def _on_both_sets(x: Array, order: Index, size: int) -> tuple[Array, Array]:
    """Average every run on the first and the second set of every split. Two of [run, split]"""
    first, second = (means(x, mask).T for mask in end_sets(order, size).both_ways().masks())
    return first, second


def bootstrap_swaps(x: Array, n_draws: int, seed: int, *, width: float) -> Swaps:
    """Count swaps between two sets of as many topics, each drawn with replacement, independently (sakai2006)."""
    counts = np.concatenate(list(multinomials(x.shape[1], 2 * n_draws, seed)))
    first, second = means(x, counts[:n_draws]).T, means(x, counts[n_draws:]).T
    return count_swaps(first, second, width=width)[0]


def count_swaps(first: Array, second: Array, *, width: float, group: Index | None = None) -> list[Swaps]:
    """Compare the order of every pair of runs on two sets, by group of draws; `first`, `second` are [run, draw].

    A pair falls into bin floor(|difference| / width) by its difference on the first set; the last bin has no end.
    """
    group = np.zeros(first.shape[1], dtype=np.intp) if group is None else group
    n_groups = int(group.max(initial=0)) + 1
    small, count = tie_tolerance(first, second), np.zeros(3 * BINS * n_groups, dtype=np.int64)
    for start in range(0, first.shape[1], _DRAWS):
        part = slice(start, start + _DRAWS)
        a, b = np.ascontiguousarray(first[:, part]), np.ascontiguousarray(second[:, part])
        offset = (3 * BINS * group[part]).astype(np.uint16)
        for i in range(len(first) - 1):
            code = _code(a[i + 1 :] - a[i], b[i + 1 :] - b[i], small, width)
            code += offset
            count += np.bincount(code.ravel(), minlength=count.size)
    return [Swaps(*counted) for counted in count.reshape(n_groups, 3, BINS)]


def _code(here: Array, there: Array, small: float, width: float) -> NDArray[np.uint16]:
    """Say of every difference whether it is the same, swapped or tied (0, 1, 2), and its bin; overwrites both."""
    both = here * there
    code = (both < 0).view(np.uint8) * np.uint16(BINS)
    np.abs(here, out=here)
    np.abs(both, out=both)
    largest = float(here.max(initial=0.0))
    if both.min(initial=np.inf) <= small * largest:  # else no difference on the second set is that small
        code[np.abs(there) <= small] = 2 * BINS
    if here.min(initial=np.inf) <= small:
        code[here <= small] = 2 * BINS
    here *= 1 / width
    here += _EDGE
    if largest / width + 1 > BINS - 1:
        np.minimum(here, BINS - 1, out=here)
    code += here.astype(np.uint16)
    return code


def count_votes(means: Array, *, fuzziness: float) -> tuple[float, float]:
    """The error rate and the tie rate of buckley2000; `means` is [run, set].

    Every topic set votes for one run of a pair, or for a tie where the two are within `fuzziness` of the larger mean.
    The minority of a pair's votes are errors; both rates are shares of all votes.
    """
    small = tie_tolerance(means)
    errors = ties = 0
    for i in range(len(means) - 1):
        gap = means[i + 1 :] - means[i]
        margin = fuzziness * np.maximum(np.abs(means[i + 1 :]), np.abs(means[i])) + small
        above, below = (gap > margin).sum(-1), (gap < -margin).sum(-1)
        errors += int(np.minimum(above, below).sum())
        ties += int(gap.size - above.sum() - below.sum())
    votes = len(means) * (len(means) - 1) // 2 * means.shape[1]
    return errors / votes, ties / votes


def tie_tolerance(*means: Array) -> float:
    """What counts as 0 beside these means."""
    return _EPSILON * max(float(np.abs(m).max(initial=0.0)) for m in means)


@dataclass(frozen=True, slots=True)
class Decay:
    """Swap rates that fall with the size of topic sets: rate = a exp(-b size), bin by bin."""

    a: Array  # [bin]; NaN where there is nothing to fit
    b: Array  # [bin]

    def at(self, size: int) -> Array:
        """The rates on sets of this size. [bin]"""
        return np.asarray(np.minimum(self.a * np.exp(-self.b * size), 1.0))


def fit_decay(sizes: Sequence[int], swaps: Sequence[Swaps]) -> Decay:
    """Fit the fall of the swap rate with the size of topic sets (voorhees2002).

    Least squares of the logarithm, each size weighted by its swaps (the inverse of the logarithm's variance). A bin
    whose swaps have ceased at the largest size stays at 0; rates are taken never to rise with size.
    """
    n = np.array([s.n for s in swaps], dtype=np.float64)  # [size, bin]
    weight = np.array([s.swapped for s in swaps], dtype=np.float64)
    used = (weight > 0) & (n > 0)
    y = np.log(np.divide(weight, n, out=np.ones_like(n), where=used))
    x = np.broadcast_to(np.asarray(sizes, dtype=np.float64)[:, None], y.shape)
    total = np.maximum(weight.sum(0), 1.0)
    mean_x, mean_y = (weight * x).sum(0) / total, (weight * y).sum(0) / total
    spread = (weight * (x - mean_x) ** 2).sum(0)
    slope = np.divide((weight * (x - mean_x) * (y - mean_y)).sum(0), spread, out=np.zeros(BINS), where=spread > 0)
    b = np.maximum(-slope, 0.0)
    a = np.exp(mean_y + b * mean_x)
    a = np.where(weight[-1] > 0, a, 0.0)
    return Decay(np.where(n[-1] > 0, a, np.nan), b)


def needed_difference(rates: Array, n: NDArray[np.number], *, width: float, target: float) -> float:
    """The difference from which on at most `target` of decisions are swapped; NaN where there is none.

    Rates are first made to fall with the difference (neighbours that do not are pooled, weighted by `n`), then read
    off between the middles of bins.
    """
    there = np.flatnonzero((n > 0) & ~np.isnan(rates))
    falling = falling_fit(rates[there], n[there].astype(np.float64))
    middle = (there + 0.5) * width
    below = np.flatnonzero(falling <= target)
    if not below.size:
        return np.nan
    j = int(below[0])
    if j == 0:
        return 0.0
    share = (falling[j - 1] - target) / (falling[j - 1] - falling[j])
    return float(middle[j - 1] + share * (middle[j] - middle[j - 1]))


def falling_fit(values: Array, weight: Array) -> Array:
    """The closest sequence that never rises, by weighted least squares: neighbours that rise are pooled.

    >>> falling_fit(np.array([0.4, 0.5, 0.1]), np.array([1.0, 3.0, 1.0])).round(6).tolist()
    [0.475, 0.475, 0.1]
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for value, own in zip(values.tolist(), weight.tolist(), strict=True):
        mean, total, size = value, own, 1
        while pools and pools[-1][0] < mean:
            before, more, n = pools.pop()
            mean = (mean * total + before * more) / (total + more)
            total, size = total + more, size + n
        pools.append((mean, total, size))
    return np.repeat([p[0] for p in pools], [p[2] for p in pools]) if pools else np.zeros(0)
