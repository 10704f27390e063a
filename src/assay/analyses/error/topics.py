"""Topic by topic: the lists, estimates of average precision in an unlimited collection, and their error bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, overload

import numpy as np

from assay.analyses.error.documents import Gaps, TopicDocuments, area, line_area, plain_draws, shared_weights
from assay.core.arrays import Array, Bools, Codes, Grades, Index
from assay.core.progress import steps
from assay.data.judged import Block, Judged
from assay.data.tables import ABSENT

Form = Literal["corrected", "model", "plain"]

ESTIMATORS = ("AP", "interpolated", "column", "one less", "AP_LOO")
"""Estimators of average precision in an unlimited collection, robertson2007's section 4.3 among them."""
_BINS = (1, 2, 4, 8, 16, 32, 64, 128)  # of the number of relevant documents; the last has no end
_PRIOR_LISTS = 2  # at which the top of a run's lists counts as that of all runs
_BLOCK = 50  # draws made at once: what they need stays small


@dataclass(frozen=True, slots=True)
class TopicEstimates:
    """Estimates and error bars for every run on every topic that has two relevant documents or more."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    n_rel: Index  # [topic]
    n_found: Index  # [run, topic] relevant documents in the list
    n_retrieved: Index  # [run, topic] documents in the list
    by_estimator: Array  # [estimator, run, topic], in the order of ESTIMATORS
    error: Array  # [run, topic] standard deviation of the draws
    low: Array  # [run, topic] ends of the interval
    high: Array  # [run, topic]
    means: Array  # [run, draw] average over topics of each draw, weights shared by the runs
    tops: TopRanks
    c: float | None  # precision of a relevant document at rank 1, where it is given

    @property
    def ap(self) -> Array:
        """Average precision. [run, topic]"""
        return np.asarray(self.by_estimator[0])

    @property
    def loo(self) -> Array:
        """Average precision with the bias taken off. [run, topic]"""
        return np.asarray(self.by_estimator[-1])


def estimate_topics(
    judged: Judged, *, rel: int, form: Form, c: float | None, resamples: int, level: float, rng: int
) -> TopicEstimates:
    """Estimate every topic, its documents taken as a sample."""
    n_rel = judged.n_rel(rel)
    chosen = np.flatnonzero(n_rel >= 2)
    every = [topic_documents(judged, int(t), rel) for t in chosen]
    tops = TopRanks.of([x.gaps for x in every])
    counted = np.full(tops.first.shape, c) if c is not None else tops.counted()
    estimates = np.stack([estimates_of_j(x.gaps, top) for x, top in zip(every, counted.T, strict=True)], -1)
    bars = np.empty((3, len(judged.runs), chosen.size))
    means = np.zeros((len(judged.runs), resamples))
    names = [judged.topics[t] for t in chosen]
    for i, _ in enumerate(steps(names, doing="documents of topic ", lines=False)):
        values = resample(every[i], form, resamples, [rng, i])
        means += values / chosen.size
        bars[:, :, i] = values.std(axis=-1, ddof=1), *interval(values, estimates[-1, :, i], form, level)
    error, low, high = bars
    sizes = n_rel[chosen]
    found = np.stack([x.gaps.n_found for x in every], -1)
    listed = found + np.stack([x.gaps.end for x in every], -1)
    counts = (sizes, found, listed)
    return TopicEstimates(judged.runs, tuple(names), *counts, estimates, error, low, high, means, tops, c)


def relevant_ranges(n_rel: Index, *, least: int = 2) -> Iterator[tuple[str, Bools]]:
    """Sort topics into ranges of the number of relevant documents, by name; those without any topic are left out.

    >>> [name for name, _ in relevant_ranges(np.array([2, 9, 300]))]
    ['2-3', '8-15', '128+']
    """
    bins = [low for low in _BINS if low >= least]
    for low, end in zip(bins, (*bins[1:], np.inf), strict=True):
        here = (n_rel >= low) & (n_rel < end)
        if here.any():
            yield f"{low}+" if end == np.inf else f"{low}-{int(end) - 1}" if end > low + 1 else f"{low}", here


def interval(values: Array, loo: Array, form: Form, level: float) -> Array:
    """The ends of the interval that draws [run, draw] give. [end, run]

    Of n draws the smallest is taken for the 1/(n + 1) quantile: with few of them intervals would be too short. An
    interval of J holds AP_LOO, which has nothing for what a list lacks, and can be below all draws.
    """
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=-1, method="weibull")
    return np.stack([low, high] if form == "plain" else [np.minimum(low, loo), np.maximum(high, loo)])


def resample(topic: TopicDocuments, form: Form, draws: int, seed: list[int]) -> Array:
    """Resample the documents by one of the forms, in blocks with a stream of their own: J by run. [run, draw]"""
    blocks = []
    for i, start in enumerate(range(0, draws, _BLOCK)):
        n, stream = min(_BLOCK, draws - start), np.random.default_rng([*seed, i])
        if form == "plain":
            blocks.append(plain_draws(topic, draws=n, rng=stream))
        else:
            curves = shared_weights(topic, draws=n, rng=stream)
            blocks.append(area(curves, topic.gaps) if form == "corrected" else line_area(curves, topic.gaps))
    return np.concatenate(blocks, axis=-1)


def topic_documents(judged: Judged, topic: int, rel: int) -> TopicDocuments:
    """Lay out the documents of one topic."""
    grade, doc = topic_lists(judged, topic)
    return TopicDocuments.of(doc, grade >= rel, grade != ABSENT, int(judged.n_rel(rel)[topic]))


def topic_lists(judged: Judged, topic: int) -> tuple[Grades, Codes]:
    """Lay the lists of one topic side by side: grades, ABSENT beyond the end, and documents. Both [run, rank]."""
    n_topics = len(judged.topics)
    blocks = [
        Block(block.cell[own], block.grade[own])
        for block in judged.blocks
        if (own := block.cell % n_topics == topic).any()
    ]
    width = max([1, *(int((block.grade != ABSENT).sum(-1).max()) for block in blocks)])
    grade = np.full((len(judged.runs), width), ABSENT, dtype=np.int8)
    doc = np.zeros(grade.shape, dtype=np.uint64)
    for block in blocks:
        run, rank = np.nonzero(block.grade != ABSENT)
        grade[block.cell[run] // n_topics, rank] = block.grade[run, rank]
        doc[block.cell[run] // n_topics, rank] = judged.source.doc[judged.rows(block)[run, rank]]
    return grade, doc


@dataclass(frozen=True, slots=True)
class TopRanks:
    """Which lists have a relevant document at rank 1, and which at rank 2: what its precision is taken from."""

    n_rel: Index  # [topic]
    first: Bools  # [run, topic]
    second: Bools  # [run, topic]

    @classmethod
    def of(cls, topics: Sequence[Gaps]) -> TopRanks:
        """Look at the lists of several topics."""
        first, second = (
            np.stack([((gaps.rank == rank) & gaps.there).any(-1) for gaps in topics], -1) for rank in (1, 2)
        )
        return cls(np.array([gaps.n_rel for gaps in topics]), first, second)

    def shares(self, chosen: Index | slice = slice(None)) -> Array:
        """Of each run's lists with a relevant document at rank 2, the share that has one at rank 1, too. [run]

        Shrunk towards that of all runs together, as if so many lists more had shown it: a run that has few such lists
        has hardly a share of its own. Of some topics, or of all.
        """
        second = self.second[:, chosen]
        both, seen = (second & self.first[:, chosen]).sum(-1), second.sum(-1)
        return (both + _PRIOR_LISTS * _share(int(both.sum()), int(seen.sum()))) / (seen + _PRIOR_LISTS)

    def counted(self, chosen: Index | slice = slice(None)) -> Array:
        """What a relevant document at rank 1 counts, by the shares of some topics, or of all. [run, topic]"""
        return top_of(self.shares(chosen)[:, None], self.n_rel)


def _share(both: int, second: int) -> float:
    return (both + 0.5) / (second + 1)


def pooled_top(topics: Iterable[Gaps]) -> float:
    """The share of lists with a relevant document at rank 1, of those that have one at rank 2, drawn towards 1/2.

    Half a list is added to those with both, and one to all, so that it is never 0 or 1, and 1/2 where there is none.
    Conditional on rank 2 it is nearly what precision is at the top, as a list's own rank 1 is not what chose it.
    """
    both = second = 0
    for gaps in topics:
        rank = np.where(gaps.there, gaps.rank, 0)
        second += int((rank == 2).sum())
        both += int(((rank == 1).any(-1) & (rank == 2).any(-1)).sum())
    return _share(both, second)


@overload
def top_of(share: float, n_rel: int) -> float: ...
@overload
def top_of(share: Array, n_rel: Index) -> Array: ...
def top_of(share: float | Array, n_rel: int | Index) -> float | Array:
    """What a relevant document at rank 1 counts, its topic having so many: one of them is left out."""
    odds = n_rel / (n_rel - 1) * share / (1 - share)
    return odds / (1 + odds)


def estimates_of_j(gaps: Gaps, c: float | Array) -> Array:
    """Estimate average precision in an unlimited collection in several ways. [estimator, run]

    `c` is what a relevant document at rank 1 counts, in all lists or by run.
    """
    from scipy.special import digamma

    place, there = np.arange(gaps.above.shape[1], dtype=np.float64), gaps.there
    rank = gaps.rank
    plain = np.where(there, (place + 1) / rank, 0.0)
    interpolated = np.maximum.accumulate(plain[:, ::-1], axis=-1)[:, ::-1]
    end = (gaps.end + gaps.n_found)[:, None] + 1.0
    following = np.concatenate([np.where(there[:, 1:], rank[:, 1:], end), end], axis=-1)
    columns = (place + 1) * (digamma(following) - digamma(rank)) / np.maximum(following - rank, 1)
    less, loo = (_left_out(place * alpha, gaps.above, c) for alpha in (1.0, gaps.n_rel / (gaps.n_rel - 1)))
    return np.stack([np.where(there, x, 0.0).sum(-1) for x in (plain, interpolated, columns, less, loo)]) / gaps.n_rel


def _left_out(relevant: Array, others: Index, c: float | Array) -> Array:
    """Precision above each relevant document, itself left out; `c` where nothing is above it."""
    above = relevant + others
    first = np.broadcast_to(np.reshape(c, (-1, 1)), above.shape).astype(np.float64)
    return np.divide(np.broadcast_to(relevant, above.shape), above, out=first, where=above > 0)
