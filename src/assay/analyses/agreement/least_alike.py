"""Which two measures rank the runs least alike, as far as these topics say, and what noise of topics does to a tau.

Rankings by few topics differ by chance, so that two measures seem less alike than they are: with unlimited topics
tau would be higher. Two halves of the topics that share none show how much of the distance is noise (Spearman's
correction for attenuation, on the correlation behind a tau); it overcorrects where measures are least alike, so that
the two taus are the ends of a bracket, and neither is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.results.schemas import schema, table
from assay.scoring.scores import Scores
from assay.stats.correlation.bitwise_tau import every_tau_b, pair_orders
from assay.stats.intervals import t_quantile
from assay.stats.prediction import average, crossed
from assay.stats.splits import SPLIT_TOPICS, means
from assay.stats.splits import splits as split_topics
from assay.stats.subsampling import GROWTH, best_p_values, halves
from assay.stats.unlimited_topics import kendall, latent

_SPLITS = 200  # of the topics into halves
_PAIRS = schema(
    "measure_a", "measure_b", "tau", "low", "high", "tau_corrected", "may_be_least", may_be_least=pl.Boolean
)


def least_alike_table(data: Scores, *, level: float, seed: int) -> pl.DataFrame:
    """Lay out every pair of measures, the least alike first: tau, its interval, corrected tau, may it be least."""
    x = data.working()
    first, second = (list(side) for side in zip(*combinations(range(len(x)), 2), strict=True))
    tau = HalfTaus.of(x, seed=seed)
    low, high = tau.simultaneous_interval(level=level)
    least = tau.least_p(seed=seed) >= 1 - level
    corrected = corrected_taus(x, seed=seed)[first, second]
    names = [(data.conditions[a], data.conditions[b]) for a, b in zip(first, second, strict=True)]
    order = np.argsort(np.nan_to_num(tau.whole, nan=np.inf), kind="stable")
    rows = ((*names[i], *(float(v[i]) for v in (tau.whole, low, high, corrected)), bool(least[i])) for i in order)
    return table(rows, _PAIRS)


@dataclass(frozen=True, slots=True)
class HalfTaus:
    """Tau-b between every two measures on all topics, and on disjoint halves of them.

    Halves are independent samples, so that their differences show how much tau varies with half of the topics; from
    there to all topics errors are taken for proportional to the distance of tau from 1. Leaving out one topic at a
    time would give errors up to twice too large. The estimand is the mean over samples of as many topics.
    """

    whole: Array  # [pair]
    changes: Array  # [split, pair]: what two halves differ by, on the scale of one of them; none below 8 topics
    growth: Array  # [pair]: of the standard error, from half of the topics to all
    n_topics: int

    @classmethod
    def of(cls, x: Array, *, seed: int) -> HalfTaus:
        """Rank by all measures; `x` is [measure, run, topic]."""
        first, second = np.triu_indices(len(x), 1)
        n = x.shape[-1]

        def taus(mean: Array) -> Array:  # of [set, measure, run]
            orders = pair_orders(mean)
            return every_tau_b(orders, orders)[:, first, second]

        whole = taus(x.mean(-1)[None])[0]
        split = halves(n, n_splits=_SPLITS, seed=seed)
        if split is None:
            return cls(whole, np.zeros((0, whole.size)), np.ones(whole.size), n)
        one, other = (taus(means(x, mask)) for mask in split.masks())
        step = 1 / (x.shape[1] * (x.shape[1] - 1))
        growth = (1 - whole + step) / (1 - (one.mean(0) + other.mean(0)) / 2 + step)
        return cls(whole, (one - other) / np.sqrt(2), np.clip(growth, *GROWTH), n)

    def simultaneous_interval(self, *, level: float) -> tuple[Array, Array]:
        """Intervals over topics with the level shared among all pairs (Bonferroni), for one that was picked. [pair]

        Of the pair with the lowest tau they held its mean tau in 1.00 of samples of 25 and 50 topics (one at the
        whole level: .80 to .95); of all pairs at once in .63 to .95, as those of a tau close to 1 are too narrow.
        """
        if not len(self.changes):
            return np.full(self.whole.shape, np.nan), np.full(self.whole.shape, np.nan)
        own = 1 - (1 - level) / self.whole.size
        half = t_quantile(own, self.n_topics - 1) * self.growth * np.sqrt((self.changes**2).mean(0))
        return np.maximum(self.whole - half, -1.0), np.minimum(self.whole + half, 1.0)

    def least_p(self, *, seed: int) -> Array:
        """Test of each pair whether it may be the least alike of all. [pair]

        As `best_p_values` has it, of the lowest in place of the highest. The set held the pair that is least alike in
        .98 to 1.00 of samples at .05, with 7 to 20 of 28 pairs in it (8 runs: 23). 1 where topics are too few.
        """
        p, _ = best_p_values(-self.whole, -self.changes, self.growth, self.n_topics, seed=seed)
        return np.nan_to_num(p, nan=1.0)


def corrected_taus(x: Array, *, seed: int) -> Array:
    """Tau between measures without the noise of topics, from halves of the topics; `x` is [measure, run, topic].

    NaN where halves do not agree, and below two halves of two topics. With n = 25 and 50 the bias of a
    plain tau was -.20 to -.02 (by population), that of this one -.01 to +.06. [a, b]
    """
    n = x.shape[-1]
    if n < SPLIT_TOPICS.value:
        return np.full((len(x), len(x)), np.nan)
    r = latent(average(crossed(x, split_topics(n, n // 2, _SPLITS, seed))))
    own = np.diagonal(r)
    scale = np.sqrt(np.outer(own, own), out=np.full(r.shape, np.nan), where=(own > 0)[:, None] & (own > 0))
    return np.asarray(kendall(r / scale))
