"""How far a ranking of runs by some topics is from the ranking by unlimited topics of the same kind.

The one place where "stable" is counted: the expected tau between the two rankings, and the share of pairs of runs
that the two order oppositely, (1 - tau) / 2, for any number of topics. A model carries what random halves and
quarters of the topics show to other numbers: runs and noise are normal scores behind the ranks (Greiner 1909), and
the noise of a mean falls about as one over its topics (Spearman 1904). Real runs are no normal scores: what quarters
say of the noise differs from what halves say, and half of that trend is carried on to more topics, which halved the
mean square of the bias on the populations it was chosen on (the whole trend gained less, and varied more). The error
of the model is part of every interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.core.remembered import remembers
from assay.stats.correlation.bitwise_tau import pair_orders, tau_b
from assay.stats.intervals import jackknife_error, t_quantile
from assay.stats.leave_one_out import topic_sets
from assay.stats.prediction import average
from assay.stats.splits import SPLIT_TOPICS, among, end_sets, means, random_orders
from assay.stats.variance import equal_means_p

GROUPS = 10  # of topics, left out in turn
TIMES = (1, 2, 4)  # as many topics as there are: further the model does not reach
_SPLITS = 100  # the same for all who ask, so that all get the same answer
_TREND = 0.5  # of the trend from quarters to halves, the share that is carried on
_STEEPEST = 0.5  # trend that is believed, as a power of the number of topics
_REMEMBERED = 32  # measures whose answers are kept: several analyses of one report ask for them
_MODEL_ERROR = 0.03  # of tau: the bias of the model where the truth is known (RR .05)


@dataclass(frozen=True, slots=True)
class UnlimitedTopics:
    """What rankings by numbers of topics are worth beside unlimited ones, for one measure and these runs."""

    n_topics: int
    noise: Array  # [1 + group]: of one topic over the variance of runs, by halves of all topics, then without a group
    trend: Array  # [1 + group]: the power of the number of topics that the noise changes with
    p: float  # of all runs having one mean

    def noise_at(self, n_topics: float | Array) -> Array:
        """The noise of one topic that makes rankings by so many topics what they are. [1 + group, ...]"""
        times = np.asarray(n_topics, dtype=np.float64) / max(self.n_topics // 2, 1)
        shape = (-1, *[1] * times.ndim)
        return np.asarray(self.noise.reshape(shape) * times ** self.trend.reshape(shape))

    def expected_tau(self, n_topics: float | Array) -> Array:
        """The expected tau with the ranking by unlimited topics; NaN where halves do not agree. [...]"""
        return tau_of_size(n_topics, self.noise_at(n_topics)[0])

    def tau(self, n_topics: float | Array, *, level: float) -> tuple[Array, Array, Array]:
        """The expected tau with the ranking by unlimited topics, and its interval, over topics. Three of [...]

        A jackknife of the logarithm of the noise, trend and all, one of ten groups left out at a time; the error of
        the model (.03) is added to the half widths as a root of squares. Where the runs do not differ significantly
        the interval begins at 0. NaN where halves of the topics do not agree, with all topics or without a group.
        """
        at = self.noise_at(n_topics)
        log = np.log(np.where(at > 0, at, np.nan))
        half = t_quantile(level, len(log) - 2) * jackknife_error(log[1:]) if len(log) > 2 else np.nan
        middle = tau_of_size(n_topics, at[0])
        low, high = (tau_of_size(n_topics, np.exp(log[0] + shift)) for shift in (half, -half))
        low = np.clip(middle - np.hypot(middle - low, _MODEL_ERROR), 0.0, 1.0)
        high = np.clip(middle + np.hypot(high - middle, _MODEL_ERROR), 0.0, 1.0)
        return middle, np.where(self.p < (1 - level) / 2, low, low * 0.0), high

    def topics_for(self, tau: float, *, level: float) -> tuple[int | None, int | None]:
        """The fewest and the most topics that a tau may take; None for more than four times as many as there are.

        Those for which `tau` is inside the interval: there is no best guess, as a tau .02 higher takes half as many
        topics again.
        """
        sizes = np.arange(1.0, TIMES[-1] * self.n_topics + 1)
        _, low, high = self.tau(sizes, level=level)
        return _first(sizes, high >= tau), _first(sizes, low >= tau)


def _first(sizes: Array, reached: Bools) -> int | None:
    return int(sizes[reached][0]) if reached.any() else None


@remembers(_REMEMBERED)
def unlimited_topics(x: Array, *, seed: int) -> UnlimitedTopics:
    """Compare random halves of the topics, all and without each group; `x` is [run, topic], without gaps."""
    n = x.shape[1]
    if n < SPLIT_TOPICS.value:
        return UnlimitedTopics(n, np.full(1, np.nan), np.zeros(1), np.nan)
    order = random_orders(n, _SPLITS, seed)
    parts = [(x[:, rest], among(order, rest)) for rest in topic_sets(n, groups=GROUPS)]
    by_halves = np.array([noise(own, orders) for own, orders in parts])
    by_quarters = np.array([noise(own, orders, share=4) for own, orders in parts])
    return UnlimitedTopics(n, by_halves, _trend(by_halves, by_quarters), float(equal_means_p(x)))


def _trend(by_halves: Array, by_quarters: Array) -> Array:
    """The power of the number of topics that noise is taken to change with; 0 where quarters do not agree. [...]"""
    known = (by_halves > 0) & (by_quarters > 0)
    times = np.divide(by_halves, by_quarters, out=np.ones_like(by_halves), where=known)
    return _TREND * np.clip(np.log2(times), -_STEEPEST, _STEEPEST)


def noise(x: Array, order: Index, *, share: int = 2) -> float:
    """How much topics disturb a ranking: the variance of the noise of one topic over that of the runs.

    From the mean tau-b between disjoint random sets, by default halves of the topics; NaN where these do not agree.
    """
    size = max(order.shape[1] // share, 1)
    first, second = (pair_orders(means(x, mask)) for mask in end_sets(order, size).masks())
    return noise_of(float(average(tau_b(first, second))), size)


def noise_of(tau: float, size: int) -> float:
    """What a tau between two disjoint sets of a size says about noise.

    >>> round(noise_of(0.5, 10), 6)
    4.142136
    """
    correlation = float(latent(tau))
    return size * (1 / correlation - 1) if correlation > 0 else np.nan


def latent(tau: float | Array) -> Array:
    """The correlation behind a tau (Greiner 1909)."""
    return np.asarray(np.sin(np.pi / 2 * np.asarray(tau)))


def kendall(correlation: float | Array) -> Array:
    """The tau of a correlation."""
    return np.asarray(2 / np.pi * np.arcsin(np.clip(correlation, -1.0, 1.0)))


def tau_of_size(size: float | Array, noise: float | Array) -> Array:
    """The tau between a ranking by so many random topics and that by unlimited ones."""
    return kendall(1 / np.sqrt(1 + np.asarray(noise) / np.asarray(size)))
