"""Disagreement about means over several topics, which no exact count can reach: sampled, with its error.

On one topic, what a score is divided by does not matter where it is the same for every ranking: DCG, SDCG and nDCG
agree. Means over topics with different numbers of relevant documents, or lists of different length, tell them apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.catalogue import Measure
from assay.errors import UsageError
from assay.numeric.contention import cross, n_doubtful, verdicts
from assay.numeric.resampling import streams
from assay.rankings import Array, Rankings
from assay.tables import Bools, Index
from assay.universe import cut

SAMPLES = 10_000
_LISTS = 1 << 18  # rankings held at a time
_MOST = _LISTS // 2  # topics: both rankings of each are held


@dataclass(frozen=True, slots=True)
class Sampled:
    """What sampled pairs of runs show: a row a pair of measures, and what to beware of."""

    table: pl.DataFrame
    notes: tuple[str, ...]


def several_topics(
    measures: Sequence[Measure],
    *,
    topics: int,
    depths: Sequence[int],
    n_rels: Sequence[int],
    samples: int = SAMPLES,
    level: float = 0.95,
    rng: int = 0,
) -> Sampled:
    """Compare the means of two runs over several topics, whose rankings are drawn at random.

    For every topic a depth k and a number R of relevant documents are drawn, each of those given being as likely as
    any other (repeat one to make it likelier), and for both runs a ranking out of all those of k documents with at
    most R relevant ones. Two runs that are alike on every topic are no pair. An undefined score counts as 0.

    The table has measure_a, measure_b; disagreement, low, high in percent, the interval being Wilson's, over samples;
    n_disagree, n_opposite, n_tie_only, n_pairs.
    """
    if not 1 <= topics <= _MOST:
        raise UsageError(f"topics {topics} is not a whole number from 1 to {_MOST:,}, such as 50")
    draw = _Draw(topics, np.asarray(depths), np.asarray(n_rels))
    for m in measures:
        cut(m, int(draw.depths.min()))
    differ, opposite = np.zeros((2, len(measures), len(measures)))
    n, doubts = 0, 0
    for size, stream in streams(samples, rng):
        for part in _portions(size, topics):
            mean, alike = draw.means(measures, part, stream)
            seen = cross(verdicts(mean[:, 0], mean[:, 1]), (~alike).astype(np.float64))
            differ, opposite = differ + seen.differ, opposite + seen.opposite
            n, doubts = n + int(seen.total), doubts + n_doubtful(mean[:, 0], mean[:, 1])
    return Sampled(_table(measures, differ, opposite, n, level), tuple(_notes(samples, n, doubts)))


def _portions(size: int, topics: int) -> Iterator[int]:
    """Cut a block of samples so that its rankings can be held at once."""
    step = max(1, _LISTS // (2 * topics))
    for start in range(0, size, step):
        yield min(step, size - start)


@dataclass(frozen=True, slots=True)
class _Draw:
    """What topics are drawn from."""

    topics: int
    depths: Index  # each as likely as any other
    n_rels: Index

    def means(self, measures: Sequence[Measure], size: int, rng: np.random.Generator) -> tuple[Array, Bools]:
        """Draw pairs of runs: the mean of each under each measure, and which pairs are alike.

        [measure, side, pair], [pair]
        """
        k = np.repeat(rng.choice(self.depths, size * self.topics), 2)
        n_rel = np.repeat(rng.choice(self.n_rels, size * self.topics), 2)
        total = np.zeros((len(measures), k.size))
        same = np.zeros(k.size // 2, dtype=bool)
        for depth in np.unique(k):
            at = np.flatnonzero(k == depth)
            grade = drawn(int(depth), n_rel[at], rng)
            pool = np.stack([np.maximum(n_rel[at], depth), n_rel[at]], axis=-1)
            lists = Rankings(grade, pool, top=1)
            for own, m in zip(total, measures, strict=True):
                own[at] = np.nan_to_num(cut(m, int(depth)).compute(lists))
            same[at[::2] // 2] = (grade[::2] == grade[1::2]).all(-1)
        mean = total.reshape(len(measures), size, self.topics, 2).mean(2)
        return mean.transpose(0, 2, 1), np.asarray(same.reshape(size, self.topics).all(-1))


def drawn(k: int, n_rel: Index, rng: np.random.Generator) -> NDArray[np.int8]:
    """Draw a ranking of k documents for each number of relevant ones, all with at most so many being as likely.

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
        found, against = int(differ[i, j]), int(opposite[i, j])
        low, high = wilson(found, n, level)
        share = 100 * found / n if n else None
        ends = (100 * low, 100 * high) if n else (None, None)
        rows.append((str(measures[i]), str(measures[j]), share, *ends, found, against, found - against, n))
    shares = dict.fromkeys(("disagreement", "low", "high"), pl.Float64)
    counts = dict.fromkeys(("n_disagree", "n_opposite", "n_tie_only", "n_pairs"), pl.Int64)
    kinds = {"measure_a": pl.String, "measure_b": pl.String, **shares, **counts}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def wilson(found: int, n: int, level: float) -> tuple[float, float]:
    """Wilson's interval of a share (1927): what chance in drawing the sample leaves open.

    >>> [round(x, 4) for x in wilson(0, 1000, 0.95)]
    [0.0, 0.0038]
    """
    from statistics import NormalDist

    if n == 0:
        return math.nan, math.nan
    z, share = NormalDist().inv_cdf((1 + level) / 2), found / n
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = ((middle + side * half) / (1 + z * z / n) for side in (-1, 1))
    return max(low, 0.0) if found else 0.0, min(high, 1.0) if found < n else 1.0


def _notes(samples: int, n: int, doubts: int) -> Iterator[str]:
    yield f"sampled: {n:,} pairs of runs; the interval is about the draw, not about topics"
    if n < samples:
        yield f"{samples - n:,} draws of two runs that are alike on every topic were left out"
    if doubts:
        yield f"{doubts:,} differences of means so small that rounding might have made them"
