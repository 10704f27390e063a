"""Disagreement about means over several topics: sampled, with its error, or counted where there is little to count.

On one topic, what a score is divided by does not matter where it is the same for every ranking: DCG, SDCG and nDCG
agree. Over topics with different numbers of relevant documents, or lists of different length, their means disagree.
The runs are random, ranking by ranking, or real ones over sets of their topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import polars as pl

from assay.analyses.disagreement.pair_disagreement import disagreement_weights
from assay.analyses.disagreement.ranked_lists import RankedLists
from assay.core.arrays import Array, Bools, Grades, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted
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
    """What sampled pairs of runs show: one row per pair of measures, and notes."""

    table: pl.DataFrame
    notes: tuple[Note, ...]


def disagreement_of_means(
    measures: Sequence[Measure],
    *,
    n_topics: int,
    depths: Sequence[int],
    n_rels: Sequence[int | tuple[int, ...]],
    samples: int = SAMPLES,
    level: float = 0.95,
    rng: int = 0,
) -> DisagreementOfMeans:
    """Compare the means of two runs over several topics, whose rankings are random.

    For every topic a depth k and a number R of relevant documents, or numbers of documents of grade 1, 2, ..., are
    sampled, each of those given being as likely as any other (repeat one to make it likelier), and for both runs a
    ranking out of all those of k documents with at most so many of each grade. Two runs that are alike on every topic
    are no pair. An undefined score counts as 0.

    The table has measure_a, measure_b; disagreement, low, high in percent, the interval being Wilson's, over samples;
    n_disagree, n_opposite, n_tie_only, n_pairs.
    """
    check_n_topics(n_topics)
    pools = [(n,) if isinstance(n, int) else tuple(n) for n in n_rels]
    sampler = _TopicSampler(n_topics, np.asarray(depths), pools)
    for m in measures:
        cut(m, int(sampler.depths.min()))
    return _of_samples(measures, sampler, samples=samples, level=level, rng=rng)


def disagreement_of_run_means(
    lists: RankedLists,
    measures: Sequence[Measure],
    *,
    n_topics: int,
    samples: int = SAMPLES,
    level: float = 0.95,
    rng: int = 0,
) -> DisagreementOfMeans:
    """Compare the means of two real runs, chosen at random, over random sets of so many of their topics.

    All pairs of runs over all sets are counted, without an interval, where they are no more than would be sampled. A
    topic is in a set at most once. A list that is not there, or that a measure cannot score, counts as 0. Two runs
    whose lists are the same to all measures on every topic of the set are no pair. The table is that of
    `disagreement_of_means`.
    """
    check_n_topics(n_topics)
    at = np.flatnonzero(lists.included.any(0))
    n_runs = len(lists.judged.runs)
    if n_runs < 2:
        raise UsageError("n-topics: one run has no mean to be compared with; give at least two")
    if n_topics > at.size:
        raise UsageError(
            f"n-topics {n_topics}: the runs have {counted(at.size, 'topic')} with relevant documents; give fewer"
        )
    scores = lists.score(measures)[:, :, at]
    looks = np.stack([lists.alike(scores[:, :, i], int(t)) for i, t in enumerate(at)], axis=-1)
    defined = np.stack([np.nan_to_num(own, nan=_worst(m)) for own, m in zip(scores, measures, strict=True)])
    sampler = _RunSampler(n_topics, defined, looks)
    if n_runs * (n_runs - 1) // 2 * math.comb(at.size, n_topics) <= samples:
        return _of_all_pairs(measures, sampler)
    return _of_samples(measures, sampler, samples=samples, level=level, rng=rng)


def _worst(m: Measure) -> float:
    """What an undefined score counts as, where higher is better."""
    return m.declaration.sign * m.declaration.undefined


def check_n_topics(n_topics: int) -> None:
    """Refuse a number of topics over which no mean can be taken, or that is too large."""
    most = int(TOPICS_OF_MEANS.value)
    if not 1 <= n_topics <= most:
        raise UsageError(f"n-topics {n_topics} is not a whole number from 1 to {most:,}, such as 50")


def _of_samples(
    measures: Sequence[Measure], sampler: _TopicSampler | _RunSampler, *, samples: int, level: float, rng: int
) -> DisagreementOfMeans:
    """Sample pairs of runs, and count those on whose means measures disagree."""
    parts = ((size, stream) for whole, stream in streams(samples, rng) for size in _portions(whole, sampler.n_topics))
    counts = _count(len(measures), (sampler.means(measures, size, stream) for size, stream in parts))
    text = f"sampled: {counts.n:,} pairs of runs; the interval is over samples, not over topics"
    notes = Note("sampled_means", "info", text, tables=("means",)), *_notes(counts, samples)
    return DisagreementOfMeans(_table(measures, counts, level), notes)


def _of_all_pairs(measures: Sequence[Measure], sampler: _RunSampler) -> DisagreementOfMeans:
    """Take every pair of runs over every set of topics."""
    counts = _count(len(measures), sampler.every_mean())
    _, n_runs, n_all = sampler.scores.shape
    n_pairs, n_sets = n_runs * (n_runs - 1) // 2, math.comb(n_all, sampler.n_topics)
    sets = "all topics" if n_sets == 1 else f"all {n_sets:,} sets of {sampler.n_topics:,} topics"
    text = f"counted: {counted(n_pairs, 'pair')} of runs over {sets}, so that there is no interval"
    notes = Note("counted_means", "info", text, tables=("means",)), *_notes(counts, n_pairs * n_sets)
    return DisagreementOfMeans(_table(measures, counts, None), notes)


@dataclass(slots=True)
class _MeanCounts:
    """Pairs of runs, and those on whose means measures differ or are opposite. [measure, measure]"""

    differ: Array
    opposite: Array
    n: int = 0  # pairs
    n_near: int = 0  # differences that rounding might have made


def _count(n_measures: int, every: Iterable[tuple[Array, Bools]]) -> _MeanCounts:
    """Count the pairs on whose means measures disagree, from the means of both and which pairs are alike."""
    counts = _MeanCounts(*np.zeros((2, n_measures, n_measures)))
    for mean, alike in every:
        weights = disagreement_weights(preferred_sides(mean[:, 0], mean[:, 1]), (~alike).astype(np.float64))
        counts.differ += weights.differ
        counts.opposite += weights.opposite
        counts.n += int(weights.total)
        counts.n_near += n_near_ties(mean[:, 0], mean[:, 1])
    return counts


def _portions(size: int, n_topics: int) -> Iterator[int]:
    """Cut a block of samples so that its rankings can be held at once."""
    step = max(1, _LISTS // (2 * n_topics))
    for start in range(0, size, step):
        yield min(step, size - start)


@dataclass(frozen=True, slots=True)
class _TopicSampler:
    """What topics with random rankings are sampled from."""

    n_topics: int
    depths: Index  # each as likely as any other
    pools: Sequence[tuple[int, ...]]  # documents of each grade from 1 up; each as likely as any other

    def means(self, measures: Sequence[Measure], size: int, rng: np.random.Generator) -> tuple[Array, Bools]:
        """Sample pairs of runs: the mean of each under each measure, and which pairs are alike.

        [measure, side, pair], [pair]
        """
        k = np.repeat(rng.choice(self.depths, size * self.n_topics), 2)
        pool = np.repeat(rng.choice(len(self.pools), size * self.n_topics), 2)
        n_grades = np.array([len(own) for own in self.pools])[pool]
        total = np.zeros((len(measures), k.size))
        same = np.zeros(k.size // 2, dtype=bool)
        for depth, top in np.unique(np.stack([k, n_grades]), axis=1).T.tolist():
            at = np.flatnonzero((k == depth) & (n_grades == top))
            grade = random_rankings(depth, self.pools, pool[at], rng)
            counts = np.array([own if len(own) == top else (0,) * top for own in self.pools])[pool[at]]
            every = np.column_stack([np.maximum(counts.sum(-1), depth), counts])
            lists = Rankings(grade, every, top=top)
            for own, m in zip(total, measures, strict=True):
                own[at] = np.nan_to_num(cut(m, depth).quality(lists), nan=_worst(m))
            same[at[::2] // 2] = (grade[::2] == grade[1::2]).all(-1)
        mean = total.reshape(len(measures), size, self.n_topics, 2).mean(2)
        return mean.transpose(0, 2, 1), np.asarray(same.reshape(size, self.n_topics).all(-1))


@dataclass(frozen=True, slots=True)
class _RunSampler:
    """What pairs of real runs, and sets of their topics, are sampled from."""

    n_topics: int
    scores: Array  # [measure, run, topic]
    looks: Index  # [run, topic]: equal where two lists are the same to all measures

    def means(self, _: Sequence[Measure], size: int, rng: np.random.Generator) -> tuple[Array, Bools]:
        """Sample pairs of runs and sets of topics: the mean of each under each measure, and which pairs are alike.

        [measure, side, pair], [pair]
        """
        _, n_runs, n_all = self.scores.shape
        first = rng.integers(n_runs, size=size)
        run = np.stack([first, (first + rng.integers(1, n_runs, size=size)) % n_runs])[:, :, None]
        topic = np.argsort(rng.random((size, n_all)), axis=-1)[:, : self.n_topics]
        return self._means_of(run, topic)

    def every_mean(self) -> Iterator[tuple[Array, Bools]]:
        """The same of every pair of runs, set of topics by set of topics."""
        _, n_runs, n_all = self.scores.shape
        run = np.stack(np.triu_indices(n_runs, 1))[:, :, None]
        for chosen in combinations(range(n_all), self.n_topics):
            yield self._means_of(run, np.array(chosen))

    def _means_of(self, run: Index, topic: Index) -> tuple[Array, Bools]:
        """[measure, side, pair], [pair], from [side, pair, 1] and [(pair,) topic]"""
        mean = np.stack([own[run, topic].mean(-1) for own in self.scores])
        return mean, np.asarray((self.looks[run[0], topic] == self.looks[run[1], topic]).all(-1))


def random_rankings(k: int, pools: Sequence[tuple[int, ...]], which: Index, rng: np.random.Generator) -> Grades:
    """Sample rankings of k documents, each for one of the pools, which all have as many grades.

    All rankings with at most so many documents of each grade are as likely: first how many a ranking holds of each
    grade, by the number of rankings with as many, then where they stand. [list, rank], from the pool of each [list]
    """
    share, places = rng.random(which.size), np.argsort(rng.random((which.size, k)), axis=-1)
    grade = np.zeros((which.size, k), dtype=np.int8)
    for i in np.unique(which):
        at = np.flatnonzero(which == i)
        held, ways = _compositions(k, pools[i])
        ends = np.cumsum(held[np.searchsorted(ways, share[at] * ways[-1], side="right")], axis=-1)  # [list, grade]
        for g in range(len(pools[i]), 0, -1):  # the first places are of grade 1, the next of grade 2, and so on
            grade[at] = np.where(places[at] < ends[:, g - 1, None], np.int8(g), grade[at])
    return grade


def _compositions(k: int, pool: tuple[int, ...]) -> tuple[Index, Array]:
    """How many documents of each grade a ranking may hold, and in how many ways up to each. [way, grade], [way]"""
    held = [c for c in product(*(range(min(n, k) + 1) for n in pool)) if sum(c) <= k]
    ways = [math.factorial(k) // math.prod(math.factorial(n) for n in (*c, k - sum(c))) for c in held]
    return np.array(held, dtype=np.int64), np.cumsum(ways, dtype=np.float64)


def _table(measures: Sequence[Measure], counts: _MeanCounts, level: float | None) -> pl.DataFrame:
    """Lay out the shares of pairs; without a level there is no interval."""
    rows = []
    n = counts.n
    for i, j in combinations(range(len(measures)), 2):
        n_disagree, n_opposite = int(counts.differ[i, j]), int(counts.opposite[i, j])
        ends: tuple[float | None, ...] = (None, None)
        if n and level is not None:
            ends = tuple(100 * end for end in wilson_interval(n_disagree, n, level))
        share = 100 * n_disagree / n if n else None
        of_pairs = (n_disagree, n_opposite, n_disagree - n_opposite, n)
        rows.append((str(measures[i]), str(measures[j]), share, *ends, *of_pairs))
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

    return wilson_ends(successes / n, n, NormalDist().inv_cdf((1 + level) / 2)) if n else (math.nan, math.nan)


def wilson_ends(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of a share of n, which may be an effective number, by the quantile of its distribution."""
    square = quantile * quantile
    middle = share + square / (2 * n)
    half = quantile * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    low, high = ((middle + side * half) / (1 + square / n) for side in (-1, 1))
    return max(low, 0.0) if share > 0 else 0.0, min(high, 1.0) if share < 1 else 1.0


def _notes(counts: _MeanCounts, n_all: int) -> Iterator[Note]:
    if counts.n < n_all:
        text = f"{counted(n_all - counts.n, 'pair')} of runs that are alike on every topic left out"
        yield Note("identical_runs", "info", text, tables=("means",))
    if counts.n_near:
        text = f"{counted(counts.n_near, 'difference')} of means so small that rounding might have made it"
        yield Note("near_ties", "caution", text, tables=("means",))
