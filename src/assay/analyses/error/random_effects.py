"""A mean over topics whose own values are uncertain: random effects, by restricted maximum likelihood.

Topic t of a run has the value y_t = m + b_t + e_t, where b_t, what is special about the topic, has a variance of its
own, and the variance of e_t, which comes from the sample of documents, is taken as known. It is taken from a smooth
function of the number of relevant documents: a topic's own estimate of it goes with its score (a low score has a
small one), and weights made of it would favour low scores.

Average precision is skewed: many topics have little, few have much, and Student's interval of a mean, Knapp and
Hartung's here, ends too low. That of its logarithm by the jackknife, skewness taken off (hall1992), is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.analyses.error.bias import skewed_interval
from assay.core.arrays import Array, Bools, Counts
from assay.stats.intervals import t_quantile

_STEPS = 60  # of the search for the variance between topics; each halves what is left
_FLAT = 1e-300


@dataclass(frozen=True, slots=True)
class RandomEffects:
    """A mean over topics, one for each run."""

    mean: Array  # [run]
    error: Array  # [run] standard error, Knapp and Hartung's
    between: Array  # [run] variance between topics
    n_topics: Counts  # [run]
    left_out: Array  # [topic, run] the mean without each topic, weights as they are

    def interval(self, level: float) -> tuple[Array, Array]:
        """The ends of each mean, at most 1; NaN below two topics, or where no topic differs. Both [run]

        Hall's of the logarithm; where that is not positive without some topic, and of two topics, Student's.

        Nominal 95% intervals on the truths it was chosen on, at 25 and 50 topics: .92-.96; Knapp and Hartung's
        .87-.95, Hall's without logarithm .90-.96. On runs that find next to nothing all are too low (.66-.89 of the
        worst run, .30-.38 by Knapp and Hartung).
        """
        times = np.array([t_quantile(level, int(n) - 1) if n > 1 else np.nan for n in self.n_topics])
        low, high = self.mean - times * self.error, self.mean + times * self.error
        replicates = np.vstack([self.mean, self.left_out])
        positive = (replicates > 0).all(0)
        ends = skewed_interval(np.log(replicates[:, positive]), level=level)
        skewed = np.full((2, len(self.mean)), np.nan)
        skewed[:, positive] = np.exp(ends)
        known, alike = (
            ~np.isnan(skewed[0]),
            self.error == 0,
        )  # a run that finds nothing: no topic shows how far off it is
        low, high = np.where(known, skewed[0], low), np.where(known, np.minimum(skewed[1], 1.0), high)
        return np.where(alike, np.nan, low), np.where(alike, np.nan, high)


def smooth_variance(own: Array, size: Array) -> Array:
    """Fit variances of topics by a power of their size: log v = a + b log size. The same shape as `own`.

    Rows are runs, fitted each by itself; `size` is that of the columns. A variance of 0 or NaN tells nothing; the fit
    is brought to the mean of the variances it was fitted to, which the mean of logarithms is below. b is at most 0.
    """
    there = np.nan_to_num(own) > 0
    y = np.log(np.where(there, own, 1.0))
    x = np.broadcast_to(np.log(np.maximum(size, 1.0)), own.shape)
    n = np.maximum(there.sum(-1, keepdims=True), 1)
    mean_x, mean_y = ((there * v).sum(-1, keepdims=True) / n for v in (x, y))
    away = (x - mean_x) * there
    square = (away * away).sum(-1, keepdims=True)
    slope = np.minimum((away * y).sum(-1, keepdims=True) / np.maximum(square, _FLAT), 0.0)
    fitted = np.exp(mean_y + slope * (x - mean_x))
    level = (there * np.where(there, own, 0.0)).sum(-1, keepdims=True)
    scale = level / np.maximum((there * fitted).sum(-1, keepdims=True), _FLAT)
    return np.where(there.any(-1, keepdims=True), fitted * scale, 0.0)


def random_effects(value: Array, within: Array) -> RandomEffects:
    """Estimate the mean and the variance between topics of each run. Both are [run, topic]; NaN is left out."""
    there = ~np.isnan(value) & ~np.isnan(within)
    y, v = np.where(there, value, 0.0), np.where(there, within, 0.0)
    between = _restricted(y, v, there)
    weight = _weights(v, between, there)
    total = np.maximum(weight.sum(-1), _FLAT)
    mean = np.where(there.any(-1), (weight * y).sum(-1) / total, np.nan)
    n = there.sum(-1)
    spread = (weight * (y - mean[:, None]) ** 2).sum(-1) / np.maximum(n - 1, 1)
    error = np.where(n > 1, np.sqrt(spread / total), np.nan)
    rest = np.maximum(total[:, None] - weight, _FLAT)
    left_out = np.where(n[:, None] > 1, ((weight * y).sum(-1, keepdims=True) - weight * y) / rest, np.nan)
    return RandomEffects(mean, error, between, n.astype(np.int64), left_out.T)


def _weights(within: Array, between: Array, there: Bools) -> Array:
    return np.where(there, 1 / np.maximum(within + between[:, None], 1e-12), 0.0)


def _restricted(y: Array, v: Array, there: Bools) -> Array:
    """The variance between topics where the restricted likelihood is highest, by halving; at least 0. [run]"""
    n = np.maximum(there.sum(-1), 1)
    centre = y.sum(-1) / n
    low, high = np.zeros(len(y)), 4 * (there * (y - centre[:, None]) ** 2).sum(-1) / np.maximum(n - 1, 1) + 1e-9
    rises = _slope(y, v, low, there) > 0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        up = _slope(y, v, middle, there) > 0
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return np.where(rises & (n > 1), low, 0.0)


def _slope(y: Array, v: Array, between: Array, there: Bools) -> Array:
    """The derivative of the restricted likelihood by the variance between topics. [run]"""
    w = _weights(v, between, there)
    total = np.maximum(w.sum(-1), _FLAT)
    mean = (w * y).sum(-1) / total
    residual = (w * w * (y - mean[:, None]) ** 2).sum(-1)
    return np.asarray((residual - total + (w * w).sum(-1) / total) / 2)
