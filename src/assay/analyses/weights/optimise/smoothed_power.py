"""Discriminative power as a smooth function of the scores, with slope and curvature, so that it can be maximised.

Power is the share of pairs of runs whose paired t is beyond the critical value c: a step function, which no gradient
climbs. Here every pair counts t^4 / (t^4 + c^4): 0 without a difference, 1/2 at the critical value, 1 far beyond it.
With M the mean of a pair's differences and S their centred sum of squares, t^2 = n (n - 1) M^2 / S, and all follows
from the means of the runs and the products of their centred scores; no loop over pairs is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from assay.analyses.weights.optimise.products import inner_products, portions, product
from assay.core.arrays import Array, Bools
from assay.stats.intervals import t_quantile

_IDENTICAL = 1e-12  # of the squares of both runs: differences below this come of rounding
_FAR = 1e20  # of s = t^2 / c^2, where a pair counts 1 and has no slope
_IN_CACHE = 1 << 15  # numbers worked on at a time


class SmoothedPower:
    """The mean over pairs of runs of t^4 / (t^4 + c^4), c the critical value of a paired t test, at some scores."""

    def __init__(self, x: Array, *, alpha: float = 0.05) -> None:
        """Compare all pairs of runs, each in both orders; `x` is [run, topic]."""
        mean = x.mean(1)
        n = self.n_topics = x.shape[1]
        self.n_pairs = max(mean.size * (mean.size - 1) // 2, 1)
        self.bar = float(t_quantile(1 - alpha, n - 1)) ** 2 / (n * (n - 1))  # the critical value of M^2 / S
        self.centred = x - mean[:, None]
        products = product(self.centred, self.centred.T)
        own = np.diag(products)
        both = own[:, None] + own
        squares = both - 2 * products  # S [run, run]
        self.vary: Bools = squares > _IDENTICAL * both
        np.fill_diagonal(self.vary, val=False)
        self.squares = np.where(self.vary, squares, 1.0)
        self.mean = mean[:, None] - mean  # M [run, run]
        self.ratio = self.mean / self.squares
        self.beyond = np.where(self.vary, np.minimum(self.mean * self.ratio / self.bar, _FAR), 0.0)  # s [run, run]

    @property
    def value(self) -> float:
        """The smoothed power; NaN where no two runs differ by more than rounding."""
        power = self.beyond**2
        return float((power / (1 + power)).sum()) / 2 / self.n_pairs if self.vary.any() else np.nan

    @cached_property
    def _rise(self) -> Array:
        """The slope of what a pair counts by its M^2 / S. [run, run]"""
        s = self.beyond
        return np.where(s < _FAR, 2 * s / (1 + s**2) ** 2, 0.0) / self.bar

    @cached_property
    def _by_square(self) -> Array:
        """The slope of what a pair counts, in both orders, by its S, times 2. [run, run]"""
        return -2 * self._rise * self.ratio**2

    def slope(self) -> Array:
        """The slope by each score. [run, topic]"""
        by_mean = 2 * self._rise * self.ratio / self.n_topics
        return (by_mean.sum(1)[:, None] + self._through(self.centred)) / self.n_pairs

    def _through(self, centred: Array) -> Array:
        """How the squares of all pairs carry a change of centred scores [..., run, topic]."""
        weight = self._by_square
        return weight.sum(1)[:, None] * centred - product(weight, centred)

    def curvature(self, first: Array) -> Array:
        """The curvature along variables, `first` [variable, run, topic] the slope of the scores by each.

        With m the slope of a pair's M and q half of that of its S, M^2 / S has the slope 2 M / S (m - q M / S), and
        bends by 2 / S times the square of m - 2 q M / S, beside what the curvature of S itself adds.
        """
        mean = first.mean(2)  # [variable, run]
        centred = first - mean[:, :, None]
        n = len(first)
        s = self.beyond
        bend = np.where(self.vary & (s < _FAR), 2 * (1 - 3 * s**2) / (1 + s**2) ** 3, 0.0) / self.bar**2
        by_step = np.triu(4 * bend * self.ratio**2)
        by_tilt = np.triu(2 * self._rise / self.squares)
        own = (centred * self.centred).sum(2)  # [variable, run]
        bent = np.zeros((n, n))
        for rows, columns in self._blocks(n):
            half = self.centred[rows] @ centred[:, columns].transpose(0, 2, 1)  # [variable, row, column]
            half += centred[:, rows] @ self.centred[columns].T
            np.subtract(own[:, rows, None], half, out=half)
            half += own[:, None, columns]
            half *= self.ratio[rows, columns]  # q M / S
            step = mean[:, rows, None] - mean[:, None, columns]
            for weight in (by_step, by_tilt):
                step -= half
                flat = step.reshape(n, -1)
                bent += inner_products(weight[rows, columns].ravel() * flat, flat)
        spread = self._through(centred)
        return (bent + inner_products(centred.reshape(n, -1), spread.reshape(n, -1))) / self.n_pairs

    def _blocks(self, n: int) -> Iterator[tuple[slice, slice]]:
        """Runs, and the runs from there on: all pairs, each once, with n numbers for each."""
        n_runs = len(self.mean)
        most = max(1, _IN_CACHE // (n * n_runs))
        for part in portions(n_runs, self.n_topics * n_runs):
            for start in range(part.start, part.stop, most):
                yield slice(start, min(start + most, part.stop)), slice(start, n_runs)
