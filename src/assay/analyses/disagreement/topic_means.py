"""Disagreement about means over several topics, which no exact count can reach: sampled, with its error.

On one topic, what a score is divided by does not matter where it is the same for every ranking: DCG, SDCG and nDCG
agree. Over topics with different numbers of relevant documents, or lists of different length, their means disagree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.disagreement.pair_disagreement import disagreement_weights
from assay.core.arrays import Array, Bools, Grades, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.thresholds import Threshold
from assay.data.rankings import Rankings
from assay.measures.declare import Measure
from assay.measures.universe.exhaustive import cut
from assay.stats.correlation.discordance import COUNTS
from assay.stats.pair_preferences import n_near_ties, preferred_sides
from assay.stats.resampling import streams

SAMPLES = 10_000
_LISTS = 1 << 18  # rankings held at a time
TOPICS_OF_MEANS = Threshold(
    "topics_of_means",
    _LISTS // 2,
    unit="topics",
    meaning="above which means are not compared: both rankings of each topic are held at a time",
)


@dataclass(frozen=True, slots=True)
class DisagreementOfMeans:
    """What sampled pairs of runs show: one row per pair of measures, and what to beware of."""

    table: pl.DataFrame
    notes: tuple[Note, ...]


def disagreement_of_means(
    measures: Sequence[Measure],
    *,
    topics: int,
    depths: Sequence[int],
    n_rels: Sequence[int],
    samples: int = SAMPLES,
    level: float = 0.95,
    rng: int = 0,
) -> DisagreementOfMeans:
    """Compare the means of two runs over several topics, whose rankings are random.

    For every topic a depth k and a number R of relevant documents are sampled, each of those given being as likely as
    any other (repeat one to make it likelier), and for both runs a ranking out of all those of k documents with at
    most R relevant ones. Two runs that are alike on every topic are no pair. An undefined score counts as 0.

    The table has measure_a, measure_b; disagreement, low, high in percent, the interval being Wilson's, over samples;
    n_disagree, n_opposite, n_tie_only, n_pairs.
    """
    most = int(TOPICS_OF_MEANS.value)
    if not 1 <= topics <= most:
        raise UsageError(f"topics {topics} is not a whole number from 1 to {most:,}, such as 50")
    sampler = _TopicSampler(topics, np.asarray(depths), np.asarray(n_rels))
    for m in measures:
        cut(m, int(sampler.depths.min()))
    differ, opposite = np.zeros((2, len(measures), len(measures)))
    n, n_near = 0, 0
    for size, stream in streams(samples, rng):
        for part in _portions(size, topics):
            mean, alike = sampler.means(measures, part, stream)
            weights = disagreement_weights(preferred_sides(mean[:, 0], mean[:, 1]), (~alike).astype(np.float64))
            differ, opposite = differ + weights.differ, opposite + weights.opposite
            n, n_near = n + int(weights.total), n_near + n_near_ties(mean[:, 0], mean[:, 1])
    return DisagreementOfMeans(_table(measures, differ, opposite, n, level), tuple(_notes(samples, n, n_near)))


def _portions(size: int, topics: int) -> Iterator[int]:
    """Cut a block of samples so that its rankings can be held at once."""
    step = max(1, _LISTS // (2 * topics))
    for start in range(0, size, step):
        yield min(step, size - start)


@dataclass(frozen=True, slots=True)
class _TopicSampler:
    """What topics are sampled from."""

    topics: int
    depths: Index  # each as likely as any other
    n_rels: Index

    def means(self, measures: Sequence[Measure], size: int, rng: np.random.Generator) -> tuple[Array, Bools]:
        """Sample pairs of runs: the mean of each under each measure, and which pairs are alike.

        [measure, side, pair], [pair]
        """
        k = np.repeat(rng.choice(self.depths, size * self.topics), 2)
        n_rel = np.repeat(rng.choice(self.n_rels, size * self.topics), 2)
        total = np.zeros((len(measures), k.size))
        same = np.zeros(k.size // 2, dtype=bool)
        for depth in np.unique(k):
            at = np.flatnonzero(k == depth)
            grade = random_rankings(int(depth), n_rel[at], rng)
            pool = np.stack([np.maximum(n_rel[at], depth), n_rel[at]], axis=-1)
            lists = Rankings(grade, pool, top=1)
            for own, m in zip(total, measures, strict=True):
                own[at] = np.nan_to_num(cut(m, int(depth)).compute(lists))
            same[at[::2] // 2] = (grade[::2] == grade[1::2]).all(-1)
        mean = total.reshape(len(measures), size, self.topics, 2).mean(2)
        return mean.transpose(0, 2, 1), np.asarray(same.reshape(size, self.topics).all(-1))


def random_rankings(k: int, n_rel: Index, rng: np.random.Generator) -> Grades:
    """Sample a ranking of k documents for each number of relevant ones, all with at most so many being as likely.

    First how many it holds, by the number of rankings with as many, then where they stand.
    """
    ways = np.cumsum([math.comb(k, r) for r in range(k + 1)], dtype=np.float64)
    within = ways[np.minimum(n_rel, k)]
    n = np.searchsorted(ways, rng.random(n_rel.size) * within, side="right")
    places = np.argsort(rng.random((n_rel.size, k)), axis=-1)
    return (places < n[:, None]).astype(np.int8)


def _table(measures: Sequence[Measure], differ: Array, opposite: Array, n: int, level: float) -> pl.DataFrame:
    rows = []
    for i, j in combinations(range(len(measures)), 2):
        n_disagree, n_opposite = int(differ[i, j]), int(opposite[i, j])
        low, high = wilson_interval(n_disagree, n, level)
        share = 100 * n_disagree / n if n else None
        ends = (100 * low, 100 * high) if n else (None, None)
        counts = (n_disagree, n_opposite, n_disagree - n_opposite, n)
        rows.append((str(measures[i]), str(measures[j]), share, *ends, *counts))
    shares = dict.fromkeys(("disagreement", "low", "high"), pl.Float64)
    whole = dict.fromkeys(COUNTS, pl.Int64)
    kinds = {"measure_a": pl.String, "measure_b": pl.String, **shares, **whole}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def wilson_interval(successes: int, n: int, level: float) -> tuple[float, float]:
    """Wilson's interval of a share (1927), over samples.

    >>> [round(x, 4) for x in wilson_interval(0, 1000, 0.95)]
    [0.0, 0.0038]
    """
    from statistics import NormalDist

    if n == 0:
        return math.nan, math.nan
    z, share = NormalDist().inv_cdf((1 + level) / 2), successes / n
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = ((middle + side * half) / (1 + z * z / n) for side in (-1, 1))
    return max(low, 0.0) if successes else 0.0, min(high, 1.0) if successes < n else 1.0


def _notes(samples: int, n: int, n_near: int) -> Iterator[Note]:
    text = f"sampled: {n:,} pairs of runs; the interval is over samples, not over topics"
    yield Note("sampled_means", "info", text)
    if n < samples:
        text = f"{samples - n:,} samples of two runs that are alike on every topic were left out"
        yield Note("identical_runs", "info", text)
    if n_near:
        text = f"{n_near:,} differences of means so small that rounding might have made them"
        yield Note("near_ties", "caution", text)
