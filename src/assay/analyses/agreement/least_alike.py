"""Which two measures rank the runs least alike, as far as these topics say, and what noise of topics does to a tau.

Rankings by few topics differ by chance, so that two measures seem less alike than they are: with unlimited topics
tau would be higher. Two halves of the topics that share none show how much of the distance is noise (Spearman's
correction for attenuation, on the correlation behind a tau); it overcorrects where measures are least alike, so that
the two taus are the ends of a bracket, and neither is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.results.schemas import schema, table
from assay.stats.correlation.bitwise_tau import every_tau_b, pair_orders
from assay.stats.prediction import average, ranked
from assay.stats.subsampling import SubsampledShare, best_shares, halves
from assay.stats.unlimited_topics import kendall, latent

_SPLITS = 200  # of the topics into halves
_PAIRS = schema(
    "measure_a", "measure_b", "tau", "low", "high", "tau_corrected", "may_be_least", may_be_least=pl.Boolean
)


def least_alike_table(conditions: Sequence[str], taus: HalfTaus, *, level: float, seed: int) -> pl.DataFrame:
    """Lay out every pair of measures, the least alike first: tau, its interval, corrected tau, may it be least."""
    low, high = taus.simultaneous_interval(level=level)
    least = taus.least_p(seed=seed) >= 1 - level
    names = list(combinations(conditions, 2))
    order = np.argsort(np.nan_to_num(taus.whole, nan=np.inf), kind="stable")
    columns = (taus.whole, low, high, taus.corrected)
    rows = ((*names[i], *(float(v[i]) for v in columns), bool(least[i])) for i in order)
    return table(rows, _PAIRS)


@dataclass(frozen=True, slots=True)
class HalfTaus:
    """Tau-b between every two measures on all topics, and on disjoint halves of them.

    Halves are independent samples, so that their differences show how much tau varies with half of the topics; from
    there to all topics errors are taken for proportional to the distance of tau from 1. Leaving out one topic at a
    time would give errors up to twice too large. The estimand is the mean over samples of as many topics.
    """

    whole: Array  # [pair]
    on_halves: Array  # [2 x split, pair]: on all first halves, then on all second ones; none where topics are too few
    corrected: Array  # [pair]: without the noise of topics; NaN where halves do not agree
    n_topics: int
    n_runs: int

    @classmethod
    def of(cls, x: Array, *, seed: int) -> HalfTaus:
        """Rank by all measures; `x` is [measure, run, topic]."""
        pair = np.triu_indices(len(x), 1)
        n = x.shape[-1]
        every = pair_orders(x.sum(-1)[None])
        whole = every_tau_b(every, every)[0][pair]
        split = halves(n, n_splits=_SPLITS, seed=seed)
        if split is None:
            return cls(whole, np.zeros((0, whole.size)), np.full(whole.size, np.nan), n, x.shape[1])
        one, other = ranked(x, split)
        own = np.concatenate([every_tau_b(one, one), every_tau_b(other, other)])[:, *pair]
        return cls(whole, own, corrected_taus(every_tau_b(one, other))[pair], n, x.shape[1])

    @property
    def shares(self) -> list[SubsampledShare]:
        """The shares of pairs of runs in another order, (1 - tau) / 2, with what halves say of them. [pair]"""
        n_pairs = self.n_runs * (self.n_runs - 1) // 2
        whole, on_halves = (1 - self.whole) / 2, (1 - self.on_halves) / 2
        return [
            SubsampledShare.of_distance(float(one), half, self.n_topics, n_pairs)
            for one, half in zip(whole, on_halves.T, strict=True)
        ]

    def simultaneous_interval(self, *, level: float) -> tuple[Array, Array]:
        """Intervals over topics with the level shared among all pairs (Bonferroni), for one that was picked. [pair]

        They go by Wilson's rule for the share of pairs in another order, and so stay between -1 and 1.
        """
        return distance_intervals(self.shares, level=1 - (1 - level) / self.whole.size, scale=2)

    def least_p(self, *, seed: int) -> Array:
        """Test of each pair whether it may be the least alike of all. [pair]

        As `best_p_values` has it, of the share of pairs in another order. Those with p of at least alpha are a set
        that holds the least alike pair in a share 1 - alpha of samples. 1 where topics are too few.
        """
        if not len(self.on_halves):
            return np.ones(self.whole.size)
        p, _ = best_shares(self.shares, seed=seed)  # the lowest tau is the highest share
        return np.nan_to_num(p, nan=1.0)


def distance_intervals(shares: Sequence[SubsampledShare], *, level: float, scale: float) -> tuple[Array, Array]:
    """Intervals of 1 - scale x share; NaN where it is not known, with all topics or on a half. Two of [share]"""
    ends = []
    for share in shares:
        is_known = not (np.isnan(share.value) or np.isnan(share.changes).any())
        ends.append((share.interval(level) if is_known else None) or (np.nan, np.nan))
    low, high = np.array(ends).reshape(-1, 2).T
    return 1 - scale * high, 1 - scale * low


def corrected_taus(crossed: Array) -> Array:
    """Tau between measures without the noise of topics, from taus between disjoint halves. [a, b]

    `crossed` is [split, a, b]: measure a on one half, b on the other. NaN where halves do not agree. With n = 25 and
    50 the bias of a plain tau was -.20 to -.02 (by population), that of this one -.01 to +.06.
    """
    tau = average(crossed)
    r = latent((tau + tau.T) / 2)
    own = np.diagonal(r)
    scale = np.sqrt(np.outer(own, own), out=np.full(r.shape, np.nan), where=(own > 0)[:, None] & (own > 0))
    return np.asarray(kendall(r / scale))
