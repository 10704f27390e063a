"""How many queries one measure needs for each one that another needs, to separate the same systems as often.

What a query tells of some pairs of systems is its noncentrality: the sum of the squares of their differences over
the sum of the variances that these have over queries. The power of n queries is that of n times as much, so the
measure with half of it needs twice the queries. The sum over pairs is defined where some systems do not differ; of
one pair it is the square of the standardised effect, and of all pairs the variance of systems over that of their
interaction with queries (but for a constant). Squares of means are too large by their sampling variance, which is
taken off.

The interval is the jackknife's, of the logarithm of the ratio. On samples of 25, 50 and 300 topics of two tracks,
with 2, 4 and 8 runs, it held the ratio in 94% to 97%. Fieller's, of the root of the noncentrality, held it as often,
and was there for fewer samples. The sum over pairs of squared effects, each over its own variance, had intervals that
were wider, by up to a third on a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.compare.evidence import Pairing
from assay.core.arrays import Array, Bools, Index
from assay.core.notes import Note
from assay.core.text import listed
from assay.results.schemas import schema, table
from assay.stats.intervals import grouped, jackknife_interval
from assay.stats.significance.pairs import EPSILON, LEAST_SHARED

_SCHEMA = schema("measure_a", "measure_b", "ratio", "low", "high", "n_topics")


@dataclass(frozen=True, slots=True)
class Sums:
    """Counts, sums and sums of squares of the differences of pairs, by group of queries. [group, pair] each"""

    n: Array
    total: Array
    square: Array
    rounding: float  # what rounding may make of a difference

    @classmethod
    def of(cls, x: Array, pairs: Pairing, group: Index) -> Sums:
        """Add up the differences of runs, without computing them one by one; `x` is [run, query]."""
        there = ~np.isnan(x)
        n_runs = np.maximum(there.sum(0), 1)
        centre = np.where(there, x, 0.0).sum(0) / n_runs  # of each query: sums then do not cancel
        filled, known = np.where(there, x - centre, 0.0), there.astype(np.float64)
        parts = []
        for g in range(int(group.max(initial=-1)) + 1):
            own, both = filled[:, group == g], known[:, group == g]
            cross = both @ (own**2).T
            parts.append((both @ both.T, own @ both.T - both @ own.T, cross + cross.T - 2 * own @ own.T))
        n, total, square = np.array(parts).transpose(1, 0, 2, 3)[..., pairs.first, pairs.second]
        return cls(n, total, square, EPSILON * float(np.abs(np.where(there, x, 0.0)).max(initial=0.0)))

    def without(self) -> Sums:
        """The same of all queries, and of all but those of each group; the former is the last. [group + 1, pair]"""
        n, total, square = (np.concatenate([x.sum(0) - x, x.sum(0)[None]]) for x in (self.n, self.total, self.square))
        return Sums(n, total, square, self.rounding)


@dataclass(frozen=True, slots=True)
class Noncentrality:
    """What a query tells of the differences of all pairs: without each group of queries, and of all. [group + 1]"""

    of: Array

    @classmethod
    def estimate(cls, sums: Sums, tested: Bools) -> Noncentrality:
        """Sum squared differences, less their sampling variance, over the variances, of the pairs tested."""
        n, total, square = (x[:, tested] for x in (sums.n, sums.total, sums.square))
        with np.errstate(divide="ignore", invalid="ignore"):  # too few queries, or none that differ: no number
            mean = total / n
            variance = (square - total * mean) / (n - 1)
            varies = (square > n * sums.rounding**2) & (variance > EPSILON * square / n)  # else it is rounding
            variance = np.where(varies | np.isnan(variance), variance, 0.0)
            return cls(np.asarray((mean**2 - variance / n).sum(-1) / variance.sum(-1)))

    @property
    def is_positive(self) -> bool:
        """Whether the systems differ by more than chance, whichever group of queries is left out."""
        return bool((self.of > 0).all() and np.isfinite(self.of).all())


def efficiency_table(measures: Sequence[str], working: Array, pairs: Pairing, *, alpha: float) -> pl.DataFrame:
    """How many queries every further measure needs for each one that the first needs; `working` is as in `Scores`.

    The intervals hold for all further measures at once. A ratio is empty where the systems differ too little by
    either measure, because nothing then says how many queries it needs.
    """
    group = grouped(working.shape[-1])
    every = [Sums.of(x, pairs, group).without() for x in working]
    level = 1 - alpha / max(len(measures) - 1, 1)
    rows = []
    for name, own in list(zip(measures, every, strict=True))[1:]:
        tested = np.all(np.minimum(own.n, every[0].n) >= LEAST_SHARED, axis=0)
        signals = [Noncentrality.estimate(sums, tested) for sums in (own, every[0])]
        n = int(np.minimum(own.n, every[0].n)[-1].max(initial=0))
        rows.append((name, measures[0], *_ratio(*signals, level=level), n))
    return table(rows, _SCHEMA)


def _ratio(own: Noncentrality, first: Noncentrality, *, level: float) -> tuple[float, float, float]:
    """The ratio of the queries that two measures need, and its interval; NaN where it is not known."""
    if not (own.is_positive and first.is_positive):
        return np.nan, np.nan, np.nan
    log = np.log(first.of) - np.log(own.of)
    if np.ptp(log) <= EPSILON:  # by one measure twice: the ratio does not vary
        return (float(np.exp(log[-1])),) * 3
    low, high = jackknife_interval(log[-1], log[:-1], level=level)
    return float(np.exp(log[-1])), float(np.exp(low)), float(np.exp(high))


def efficiency_notes(efficiency: pl.DataFrame) -> Iterator[Note]:
    """Say of which measures the ratio is not known."""
    if unknown := efficiency.filter(pl.col("ratio").is_null())["measure_a"].to_list():
        text = (
            f"how many queries {listed(unknown)} would need beside {efficiency['measure_b'][0]} is not known: "
            "these systems differ too little on these queries, or by as much on all"
        )
        yield Note("unknown_efficiency", "info", text)
