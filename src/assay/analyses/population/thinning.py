"""Samples of documents from a ranked population, drawn without drawing the documents.

To thin a population is to keep each of its documents by chance, at one rate.

What becomes of a ranking when documents are sampled depends on scores only through how many non-relevant documents
stand above each relevant one. So a pair of score distributions is given as a curve, recall -> fallout: the share of
non-relevant documents that score above the relevant document at this recall. Three shortcuts, all exact, save time:

* a population's relevant documents are uniform in recall, and the numbers of non-relevant documents between them are
  binomial, each given those above it: 128 binomials in place of 12.8 million scores;
* in a sample, the number of non-relevant documents between two sampled relevant ones is binomial too, and where they
  are few, coins at the rate 2^-n are bits of random words;
* documents far below the depth of evaluation are not counted: their ranks are estimated anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools, Codes, Counts, Index
from assay.measures.gain import log2_discount
from assay.stats.resampling import BLOCK

Curve = Callable[[Array], Array]
Relevance = Literal["fixed", "random"]
Generality = Literal["fixed", "varying", "rising"]
Kind = TypeVar("Kind", bound=np.generic)
Value = TypeVar("Value", float, Array)


def measure_names(rank: str = "n", recall: str = "P@recall") -> tuple[str, ...]:
    """Name what is measured of every sample, in this order; with the rank and the recall where they are known."""
    by_recall = (f"{recall}, fixed score", f"{recall}, in sample")
    printed = ("AP", f"P@{rank}", "P@pN, fixed score", "P@pN, fixed rank", *by_recall, "nDCG")
    return (*printed, "ln AP", "pairwise error", "RR", f"Success@{rank}", "Success@pN")


MEASURES = measure_names()
"""What is measured of every sample, in this order."""

_BEYOND = 9.0  # standard deviations: so far below the depth no sample lifts a document above it (chance < 1e-17)
_WORD = 64  # coins of a random word
_COINS = 1024  # above it a binomial variable is faster than words
_AT_ONCE = 1 << 21  # relevant documents of the samples that are drawn together, at most


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """How populations are drawn, sampled and measured; as it stands, simulations 1, 2 and 4 of robertson2007."""

    n_relevant: int = 128
    n_nonrelevant: int = 12_800_000
    halvings: tuple[int, ...] = (0, 1, 2, 3, 4, 5)  # n: samples at the rate 2^-n; 0 is the population itself
    n_samples: int = 10_000  # of every population at every rate
    relevance: Relevance = "fixed"  # numbers of relevant documents as given, or each document relevant by chance
    generality: Generality = "fixed"  # varying: only relevant documents are thinned (simulation 3); rising: others
    depth: int | None = 1000  # ranks beyond it are estimated; None: all are counted
    rank: int = 10  # of P@n
    share: int = 320  # documents of the population at which P@pN is measured
    recall: float = 0.5  # at which precision is measured

    def relevant(self, halving: int) -> int:
        """How many relevant documents a sample has; on average, where that is by chance."""
        return round(self.n_relevant * self.relevant_rate(halving))

    def relevant_rate(self, halving: int) -> float:
        """The chance of a relevant document to be in a sample."""
        return 1.0 if self.generality == "rising" else 0.5**halving

    def nonrelevant_rate(self, halving: int) -> float:
        """The chance of a non-relevant document to be in a sample."""
        return 1.0 if self.generality == "varying" else 0.5**halving

    def rank_in_share(self, halving: int) -> float:
        """The rank at which P@pN is measured in a sample, at least 1; between two ranks it is interpolated."""
        return max(1.0, self.share * self.nonrelevant_rate(halving))


@dataclass(frozen=True, slots=True)
class Population:
    """One ranked population."""

    above: Counts  # [relevant]: non-relevant documents above each relevant one, best first
    fallout: Array  # [relevant]: the share of all non-relevant documents that is expected above it
    n_nonrelevant: int

    @property
    def rank(self) -> Counts:
        """The rank of every relevant document. [relevant]"""
        return self.above + np.arange(1, self.above.size + 1)

    def within(self, n: int) -> tuple[int, int]:
        """Count relevant and non-relevant documents among the first n."""
        hits = int(np.count_nonzero(self.rank <= n))
        return hits, min(n - hits, self.n_nonrelevant)

    def at_recall(self, recall: float) -> tuple[int, int]:
        """Count relevant and non-relevant documents down to the one that reaches a recall."""
        hits = int(places(np.array([self.above.size]), recall)[0])
        return hits, int(self.above[hits - 1]) if hits else 0


@dataclass(frozen=True, slots=True)
class Samples:
    """Some samples of a population."""

    rank: Array  # [sample, relevant]: ranks of the relevant documents, best first; inf where there is none
    n_relevant: Counts  # [sample]
    n_nonrelevant: Counts  # [sample]: retrieved or not
    hits: Counts  # [sample, threshold]: relevant documents above a place of the population
    false: Counts  # [sample, threshold]: non-relevant documents above it

    @property
    def precision(self) -> Array:
        """Precision at every relevant document; 0 where there is none. [sample, relevant]"""
        return np.arange(1, self.rank.shape[1] + 1) / self.rank

    @property
    def average_precision(self) -> Array:
        """AP; NaN of a sample without relevant documents. [sample]"""
        return _ratio(self.precision.sum(-1), self.n_relevant)

    @property
    def ndcg(self) -> Array:
        """nDCG of binary relevance, discount log2(rank + 1); NaN without relevant documents. [sample]"""
        discount = log2_discount(np.arange(1.0, self.rank.shape[1] + 1))
        ideal = np.concatenate([[0.0], np.cumsum(discount)])
        return _ratio(log2_discount(self.rank).sum(-1), ideal[self.n_relevant])

    @property
    def above_threshold(self) -> Array:
        """Precision of what scores above each threshold; 0 where nothing does. [sample, threshold]"""
        retrieved = self.hits + self.false
        return self.hits / np.maximum(retrieved, 1)

    @property
    def pairwise_error(self) -> Array:
        """The share of pairs in which the non-relevant document is above; NaN without documents of either kind."""
        others = self.rank - np.arange(1, self.rank.shape[1] + 1)
        above = np.where(np.isfinite(others), np.minimum(others, self.n_nonrelevant[:, None]), 0.0)
        return _ratio(above.sum(-1), self.n_relevant * self.n_nonrelevant)

    @property
    def reciprocal_rank(self) -> Array:
        """The reciprocal rank of the first relevant document; NaN without relevant documents. [sample]"""
        first = self.rank[:, 0] if self.rank.shape[1] else np.full(len(self.rank), np.inf)
        return np.where(self.n_relevant > 0, 1 / first, np.nan)

    def precision_at(self, rank: float) -> Array:
        """Precision at a rank, or interpolated between two of them. [sample]"""
        return between_ranks(lambda k: np.asarray(np.count_nonzero(self.rank <= k, axis=-1) / k), rank)

    def success_at(self, rank: float) -> Array:
        """Whether a relevant document is within a rank, or interpolated between two of them. [sample]"""
        return between_ranks(lambda k: np.asarray((self.rank <= k).any(-1), dtype=np.float64), rank)

    def precision_at_recall(self, recall: float) -> Array:
        """Precision at the relevant document that reaches a recall; NaN without relevant documents. [sample]"""
        if not self.rank.shape[1]:
            return np.full(len(self.rank), np.nan)
        place = np.maximum(places(self.n_relevant, recall), 1)
        precision = np.take_along_axis(self.precision, place[:, None] - 1, axis=1)[:, 0]
        return np.where(self.n_relevant > 0, precision, np.nan)


@dataclass(frozen=True, slots=True)
class SampleMoments:
    """Moments over the samples of every population at every rate."""

    measures: tuple[str, ...]
    rate: Array  # [n]
    n_relevant: Array  # [population, n]: mean over the samples
    mean: Array  # [population, n, measure]: over samples with a score; NaN where no sample has one
    sd: Array  # [population, n, measure]: NaN of the population itself, of which there is one
    empty: Array  # [population, n]: share of the samples without relevant documents, which have no AP and no nDCG


def between_ranks(value: Callable[[int], Value], rank: float) -> Value:
    """Take a value at a rank; where that is no whole number, interpolate between the ranks above and below.

    >>> between_ranks(lambda k: float(k * k), 2.5)
    6.5
    """
    low = int(rank)
    part = rank - low
    return value(low) if part == 0 else (1 - part) * value(low) + part * value(low + 1)


def places(n_relevant: Counts, recall: float) -> Counts:
    """Say which relevant document reaches a recall, the first being 1; 0 where there is none."""
    return np.minimum(np.maximum(np.ceil(n_relevant * recall - 1e-9), 1), n_relevant).astype(np.int64)


def draw(
    curve: Curve, n_relevant: int, n_nonrelevant: int, rng: np.random.Generator, *, relevance: Relevance = "fixed"
) -> Population:
    """Draw one population.

    `curve` gives fallout for recall (arrays of the same shape, never decreasing). With relevance at random every
    document is relevant with the chance n_relevant / (n_relevant + n_nonrelevant).

    >>> perfect = draw(lambda recall: 0 * recall, 3, 1000, np.random.default_rng(0))
    >>> perfect.rank.tolist()
    [1, 2, 3]
    """
    if n_relevant < 0 or n_nonrelevant < 0 or n_relevant + n_nonrelevant == 0:
        raise ValueError(f"no population of {n_relevant} relevant and {n_nonrelevant} other documents")
    if relevance == "random":
        size = n_relevant + n_nonrelevant
        n_relevant = int(rng.binomial(size, n_relevant / size))
        n_nonrelevant = size - n_relevant
    fallout = np.clip(curve(np.sort(rng.random(n_relevant))), 0.0, 1.0)
    return Population(_counts_above(fallout, n_nonrelevant, rng), fallout, n_nonrelevant)


def _counts_above(fallout: Array, n: int, rng: np.random.Generator) -> Counts:
    """Count what scores above each of some thresholds: binomials, each given the one before."""
    above = np.zeros(fallout.size, dtype=np.int64)
    count, before = 0, 0.0
    for i, share in enumerate(fallout):
        rest = 1 - before
        count += int(rng.binomial(n - count, min(1.0, max(0.0, (share - before) / rest)))) if rest > 0 else 0
        above[i], before = count, share
    return above


def thin(
    population: Population,
    rate: float,
    n_samples: int,
    rng: np.random.Generator,
    *,
    thresholds: Sequence[tuple[int, int]] = (),
    relevance: Relevance = "fixed",
    generality: Generality = "fixed",
    depth: int | None = 1000,
) -> Samples:
    """Draw samples of a population, all at once.

    Relevant documents are drawn without replacement, a share of them rounded to a whole number, or each by a coin
    (`relevance="random"`); non-relevant ones each by a coin. All non-relevant documents are kept where generality is
    "varying", and all relevant ones where it is "rising". A relevant document beyond `depth` gets the rank that the
    distribution lets expect, k + N q fallout, as in robertson2007, but none within the depth: that it is not there is
    known. `thresholds` are places of the population, (relevant, non-relevant documents above), such as
    `Population.within(320)`: what of these is in each sample is counted.
    """
    keep = 1.0 if generality == "varying" else rate
    columns = _columns(population, thresholds, _ceiling(depth, keep))
    column = _chosen(columns, 1.0 if generality == "rising" else rate, n_samples, rng, relevance)
    gap = np.diff(columns.edge[column], prepend=0, axis=1)
    false = np.cumsum(_tossed(gap, keep, rng), axis=1, dtype=np.int64)
    relevant = columns.relevant[column]
    k = np.cumsum(relevant, axis=1, dtype=np.int64)
    rank = (k + false).astype(np.float64)
    if depth is not None:
        estimated = k + (population.n_nonrelevant * keep * columns.fallout)[column]
        rank = np.where(rank <= depth, rank, np.maximum(estimated, depth + 1))
    marked = columns.mark[column] >= 0
    order = np.argsort(columns.mark[columns.mark >= 0])
    counts = [x[marked].reshape(n_samples, len(thresholds))[:, order] for x in (k, false)]
    return Samples(
        rank=_packed(rank[relevant], relevant, np.inf),
        n_relevant=np.count_nonzero(relevant, axis=1),
        n_nonrelevant=_all_others(population, columns, column, false, keep, rng),
        hits=counts[0],
        false=counts[1],
    )


def _all_others(
    population: Population, columns: _Columns, column: Index, false: Counts, keep: float, rng: np.random.Generator
) -> Counts:
    """Count the non-relevant documents of every sample: those above what was counted last, and those below."""
    if not column.shape[1]:
        return rng.binomial(np.full(len(column), population.n_nonrelevant), keep)
    return false[:, -1] + rng.binomial(population.n_nonrelevant - columns.edge[column[:, -1]], keep)


def _tossed(n: Counts, rate: float, rng: np.random.Generator) -> Counts:
    """Toss a coin for each of n documents: how many are kept. Few coins are bits of words, many are drawn at once."""
    halvings = round(-np.log2(rate))
    if halvings not in (1, 2, 3) or 0.5**halvings != rate:  # with more of them words are no faster
        return rng.binomial(n, rate)
    many = n * halvings > _COINS
    few = np.where(many, 0, n)
    kept = _heads((np.uint64(1) << (few % _WORD).astype(np.uint64)) - np.uint64(1), halvings, rng).astype(np.int64)
    words = few.ravel() // _WORD
    heads = np.cumsum(_heads(np.full(words.sum(), ~np.uint64(0)), halvings, rng), dtype=np.int64)
    kept += np.diff(np.append(0, heads)[np.cumsum(words)], prepend=0).reshape(n.shape)
    kept[many] = rng.binomial(n[many], rate)
    return kept


def _heads(bits: Codes, halvings: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Count the bits of every word that so many coins in a row all leave."""
    for _ in range(halvings):
        bits = bits & rng.integers(2**_WORD, size=bits.shape, dtype=np.uint64)
    return np.bitwise_count(bits)


def _packed(value: NDArray[Kind], mask: Bools, fill: float) -> NDArray[Kind]:
    """Lay values out in rows, as many in each as a mask has there. [row, most that a row has]"""
    count = np.count_nonzero(mask, axis=1)
    width = int(count.max(initial=0))
    if value.size == count.size * width:
        return value.reshape(count.size, width)
    packed = np.full((count.size, width), fill, dtype=value.dtype)
    packed[np.arange(width) < count[:, None]] = value
    return packed


@dataclass(frozen=True, slots=True)
class _Columns:
    """Relevant documents and thresholds of a population, in the order of the ranking; the last is neither."""

    edge: Counts  # [column]: non-relevant documents above
    fallout: Array  # [column]
    relevant: Bools  # [column]
    mark: Counts  # [column]: which threshold; -1 of what is none


def _columns(population: Population, thresholds: Sequence[tuple[int, int]], ceiling: float) -> _Columns:
    hits, false = np.array(thresholds, dtype=np.int64).reshape(-1, 2).T
    n = population.above.size
    top = max(ceiling, false.max(initial=0))
    edge = np.concatenate([np.minimum(population.above, top).astype(np.int64), false])
    mark = np.concatenate([np.full(n, -1), np.arange(hits.size)])
    # A threshold comes after the relevant documents above it, so its place is that of the last of them.
    order = np.lexsort((edge, mark >= 0, np.concatenate([np.arange(1, n + 1), hits])))
    fallout = np.concatenate([population.fallout, np.zeros(hits.size)])
    return _Columns(
        edge=np.append(edge[order], edge.max(initial=0)),
        fallout=np.append(fallout[order], 0.0),
        relevant=np.append(mark[order] < 0, False),
        mark=np.append(mark[order], -1),
    )


def _ceiling(depth: int | None, rate: float) -> float:
    """The place in the population below which no document of a sample can be within the depth."""
    if depth is None:
        return np.inf
    return (depth + _BEYOND * np.sqrt(depth) + _BEYOND**2) / rate


def _chosen(columns: _Columns, rate: float, n_samples: int, rng: np.random.Generator, relevance: Relevance) -> Index:
    """Draw relevant documents, and put all thresholds among them. [sample, place], columns in order"""
    places, marks = np.flatnonzero(columns.relevant), np.flatnonzero(columns.mark >= 0)
    if relevance == "random":
        mask = rng.random((n_samples, places.size)) < rate
        drawn = _packed(places[np.nonzero(mask)[1]], mask, columns.edge.size - 1)
    else:
        drawn = places[_without_replacement(places.size, round(places.size * rate), n_samples, rng)]
    both = np.concatenate([drawn, np.broadcast_to(marks, (n_samples, marks.size))], axis=1)
    return np.sort(both, axis=1)


def _without_replacement(n: int, m: int, n_samples: int, rng: np.random.Generator) -> Index:
    """Draw m of n by Floyd's algorithm: one number per draw. [sample, m], in no order"""
    row, taken = np.arange(n_samples) * n, np.zeros(n_samples * n, dtype=bool)
    drawn = np.empty((m, n_samples), dtype=np.intp)
    for i, last in enumerate(range(n - m, n)):
        one = row + rng.integers(last + 1, size=n_samples)
        drawn[i] = np.where(taken[one], row + last, one)
        taken[drawn[i]] = True
    return (drawn - row).T


def score_samples(samples: Samples, plan: SamplingPlan, halving: int) -> Array:
    """Score samples whose thresholds are the plan's, under `MEASURES`. [measure, sample]"""
    by_score = samples.above_threshold
    return np.stack(
        [
            samples.average_precision,
            samples.precision_at(plan.rank),
            by_score[:, 0],
            samples.precision_at(plan.rank_in_share(halving)),
            by_score[:, 1],
            samples.precision_at_recall(plan.recall),
            samples.ndcg,
            np.log(samples.average_precision),
            samples.pairwise_error,
            samples.reciprocal_rank,
            samples.success_at(plan.rank),
            samples.success_at(plan.rank_in_share(halving)),
        ]
    )


def blocks(population: Population, plan: SamplingPlan, halving: int, key: Sequence[int]) -> Iterator[Samples]:
    """Draw the samples of a population at the rate 2^-halving, a block at a time; the stream is known by its key."""
    thresholds = (population.within(plan.share), population.at_recall(plan.recall))
    n_samples = plan.n_samples if halving else 1
    size = max(1, min(BLOCK, _AT_ONCE // max(1, population.above.size)))
    for i, start in enumerate(range(0, n_samples, size)):
        rng = np.random.default_rng(np.random.SeedSequence(key[0], spawn_key=(*key[1:], halving, i)))
        yield thin(
            population,
            2.0**-halving,
            min(size, n_samples - start),
            rng,
            thresholds=thresholds,
            relevance=plan.relevance if halving else "fixed",
            generality=plan.generality,
            depth=plan.depth,
        )


def populations(curve: Curve, plan: SamplingPlan, n: int, seed: int) -> Iterator[Population]:
    """Draw populations, each with a stream of its own: a longer series begins like a shorter one."""
    for i in range(n):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(i,)))
        yield draw(curve, plan.n_relevant, plan.n_nonrelevant, rng, relevance=plan.relevance)


def sample_moments(population: Population, plan: SamplingPlan, key: Sequence[int]) -> SampleMoments:
    """Sample and measure one population at every rate, by the stream of this key."""
    shape = 1, len(plan.halvings)
    mean, sd = np.full((2, *shape, len(MEASURES)), np.nan)
    n_relevant, empty = np.zeros((2, *shape))
    for j, halving in enumerate(plan.halvings):
        parts = list(blocks(population, plan, halving, key))
        value = np.concatenate([score_samples(part, plan, halving) for part in parts], axis=1)
        mean[0, j], sd[0, j] = moments(value)
        count = np.concatenate([part.n_relevant for part in parts])
        n_relevant[0, j], empty[0, j] = count.mean(), np.mean(count == 0)
    return SampleMoments(MEASURES, 2.0 ** -np.array(plan.halvings, dtype=np.float64), n_relevant, mean, sd, empty)


def side_by_side(parts: Sequence[SampleMoments]) -> SampleMoments:
    """Put populations of the same plan side by side."""
    first = parts[0]
    together = [
        np.concatenate([getattr(part, name) for part in parts]) for name in ("n_relevant", "mean", "sd", "empty")
    ]
    return SampleMoments(first.measures, first.rate, *together)


def moments(value: Array) -> tuple[Array, Array]:
    """Mean and standard deviation over what has a score; NaN where nothing, or only one, has. `value` is [..., n]"""
    known = ~np.isnan(value)
    n = known.sum(-1)
    mean = _ratio(np.where(known, value, 0.0).sum(-1), n)
    square = np.where(known, value - mean[..., None], 0.0) ** 2
    return mean, np.sqrt(_ratio(square.sum(-1), np.maximum(n - 1, 0)))


def _ratio(a: Array, b: Array | Counts) -> Array:
    return np.divide(a, b, out=np.full(np.shape(a), np.nan), where=np.asarray(b) > 0)
