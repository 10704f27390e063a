"""Any measure when documents are resampled: how unstable scores of topics with few relevant documents are.

Documents are bootstrapped, relevant and others, each as often as a Poisson number says, the same in all lists (its
copies stand one below the other), and the measure is computed on the lists that result. Few measures estimate
anything of an unlimited collection; but of all of them one can ask how much other documents would have changed a
score. A measure that is given the size of the collection (`n_docs`) gets that of the resampled one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.analyses.error.topics import relevant_ranges, topic_lists
from assay.core.arrays import Array, Counts, Grades, Index
from assay.core.errors import UsageError
from assay.core.progress import steps
from assay.data.judged import Judged
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT
from assay.measures.declare import Measure
from assay.results.charts import Chart, category, field, lines
from assay.results.schemas import schema, table
from assay.stats.correlation.coefficients import tau_b
from assay.stats.intervals import jackknife_interval
from assay.stats.leave_one_out import topic_sets

_RANGES = schema("measure", "n_relevant", "n_topics", "mean", "error", "relative", n_relevant=pl.String)
_MEASURES = schema(
    *("measure", "n_topics", "mean", "error", "tau", "tau_low", "tau_high", "tau_relative"),
    *("relative_low", "relative_high"),
)


@dataclass(frozen=True, slots=True)
class Instability:
    """Scores of every measure on every topic that has relevant documents, and how far resampling moves them."""

    measures: tuple[str, ...]
    topics: tuple[str, ...]
    n_rel: Index  # [topic]
    mean: Array  # [measure, topic] over runs
    error: Array  # [measure, topic] standard deviation over resampled documents, mean over runs

    @property
    def relative(self) -> Array:
        """The error as a share of the mean; NaN where that is 0. [measure, topic]"""
        return np.divide(self.error, self.mean, out=np.full(self.mean.shape, np.nan), where=self.mean > 0)


def instability(judged: Judged, measures: Sequence[Measure], *, rel: int, resamples: int, rng: int) -> Instability:
    """Resample the documents of every topic, and score all runs again."""
    n_rel = judged.n_rel(rel)
    chosen = np.flatnonzero(n_rel >= 1)
    names = tuple(judged.topics[t] for t in chosen)
    shape = len(measures), chosen.size
    mean, error = np.empty(shape), np.empty(shape)
    for i, _ in enumerate(steps(names, doing="resampling documents of topic ", lines=False)):
        documents = ListedDocuments.of(judged, int(chosen[i]))
        _check_sizes(measures, documents.size, names[i])
        draws = documents.resampled(rel, resamples, np.random.default_rng([rng, i, 1]))
        scores = np.stack([_scores(documents, times, measures) for times in draws])  # [draw, measure, run]
        mean[:, i] = _scores(documents, np.ones(documents.size, dtype=np.int64), measures).mean(-1)
        error[:, i] = scores.std(0, ddof=1).mean(-1)
    return Instability(tuple(map(str, measures)), names, n_rel[chosen], mean, error)


def _check_sizes(measures: Sequence[Measure], known: int, topic: str) -> None:
    """Refuse a size of the collection that the documents of a topic exceed."""
    for m in measures:
        if (n_docs := m.parameters.get("n_docs")) is not None and n_docs < known:
            raise UsageError(
                f"{m}: n_docs is less than the {known:,} documents that lists and judgments of topic {topic} hold"
            )


def _scores(documents: ListedDocuments, times: Counts, measures: Sequence[Measure]) -> Array:
    """Score the lists in which documents stand so many times; the worst where a measure is undefined. [measure, run]

    Of documents that are in no list and not judged, as many are taken as there are.
    """
    lists, more = documents.lists(times), int(times.sum()) - documents.size
    sizes = [m.parameters.get("n_docs") for m in measures]
    sized = [m if n is None else m(n_docs=n + more) for m, n in zip(measures, sizes, strict=True)]
    return np.stack([np.nan_to_num(m.compute(lists), nan=m.declaration.undefined) for m in sized])


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """The documents of one topic: those in lists, by number, then those that only the judgments have."""

    number: Index  # [run, rank]; -1 beyond the end of a list
    grade: Grades  # [document], of those in lists
    unlisted: Counts  # [grade]: judged documents that no list holds
    top: int
    cutoff: int | None

    @classmethod
    def of(cls, judged: Judged, topic: int) -> ListedDocuments:
        """Number the documents of a topic's lists."""
        grade, doc = topic_lists(judged, topic)
        there = grade != ABSENT
        codes, first, which = np.unique(doc[there], return_index=True, return_inverse=True)
        number = np.full(grade.shape, -1, dtype=np.int64)
        number[there] = which.ravel()
        own = grade[there][first] if codes.size else np.zeros(0, dtype=np.int8)
        seen = np.array([(own == g).sum() for g in range(judged.pool.shape[1])])
        return cls(number, own, np.maximum(judged.pool[topic] - seen, 0), judged.top, judged.cutoff)

    @property
    def size(self) -> int:
        """How many documents there are."""
        return int(self.grade.size + self.unlisted.sum())

    def resampled(self, rel: int, draws: int, rng: np.random.Generator) -> Iterator[Counts]:
        """How many times each document is drawn, Poisson numbers; again where no relevant one is. [document]"""
        relevant = np.concatenate([self.grade, np.repeat(np.arange(self.unlisted.size), self.unlisted)]) >= rel
        for _ in range(draws):
            times = rng.poisson(1.0, self.size)
            while not times[relevant].any():
                times = rng.poisson(1.0, self.size)
            yield times

    def lists(self, times: Counts) -> Rankings:
        """The lists in which every document stands so many times, as long as they were at most. [document]"""
        listed = times[: self.grade.size]
        copies = np.where(self.number >= 0, listed[self.number], 0)
        length = np.minimum(copies.sum(-1), (self.number >= 0).sum(-1))
        repeated = np.repeat(self.grade[self.number[self.number >= 0]], copies[self.number >= 0])
        start = np.cumsum(copies.sum(-1)) - copies.sum(-1)
        width = max(1, int(length.max(initial=0)))
        grade = np.full((len(length), width), ABSENT, dtype=np.int8)
        inside = np.arange(width) < length[:, None]
        grade[inside] = repeated[(start[:, None] + np.arange(width))[inside]]
        pool = np.broadcast_to(self._pool(times), (len(length), self.unlisted.size))
        return Rankings(grade, pool, self.top, self.cutoff)

    def _pool(self, times: Counts) -> NDArray[np.int64]:
        """How many judged documents of each grade there are now. [grade]"""
        every = np.arange(self.unlisted.size)
        known = self.grade >= 0
        in_lists = np.bincount(self.grade[known], times[: self.grade.size][known], minlength=every.size)
        others = np.bincount(np.repeat(every, self.unlisted), times[self.grade.size :], minlength=every.size)
        return np.asarray(in_lists[: every.size] + others, dtype=np.int64)


def instability_table(moved: Instability) -> pl.DataFrame:
    """One row per measure and range of the number of relevant documents."""
    return table(_by_range(moved), _RANGES)


def _by_range(moved: Instability) -> Iterator[tuple[object, ...]]:
    for m, name in enumerate(moved.measures):
        for label, here in relevant_ranges(moved.n_rel, least=1):
            mean, error = float(moved.mean[m, here].mean()), float(moved.error[m, here].mean())
            yield name, label, int(here.sum()), mean, error, error / mean if mean > 0 else np.nan


def stability_table(moved: Instability, level: float) -> pl.DataFrame:
    """One row per measure: does the error fall with the number of relevant documents?"""
    rows = []
    for m, name in enumerate(moved.measures):
        taus = [part for error in (moved.error[m], moved.relative[m]) for part in _tau(error, moved.n_rel, level)]
        rows.append((name, len(moved.topics), float(moved.mean[m].mean()), float(moved.error[m].mean()), *taus))
    return table(rows, _MEASURES)


def tau_with_relevant(value: Array, n_rel: Index) -> Array:
    """Kendall's tau-b of topics' values with their relevant documents, then without each group. [replicate]

    NaN of fewer than three topics; values that are NaN are left out.
    """
    known = ~np.isnan(value)
    x, y = value[known], n_rel[known].astype(np.float64)
    if x.size < 3:
        return np.full(1, np.nan)
    return np.array([float(tau_b(x[kept], y[kept])) for kept in topic_sets(x.size)])


def _tau(error: Array, n_rel: Index, level: float) -> tuple[float, float, float]:
    taus = tau_with_relevant(error, n_rel)
    if (taus == taus[0]).all():  # as of three topics in order: of no variation there is no estimate
        return float(taus[0]), np.nan, np.nan
    low, high = jackknife_interval(taus[0], taus[1:], level=level)
    return float(taus[0]), max(float(low), -1.0), min(float(high), 1.0)


def instability_chart(rows: pl.DataFrame) -> Chart:
    """Relative errors by the number of relevant documents."""
    ranges = list(dict.fromkeys(rows["n_relevant"]))
    x = category("n_relevant", ranges, title="relevant documents of the topic", axis={"labelAngle": 0})
    y = field("relative", title="error by documents, as a share of the mean")
    drawing = lines(x, y, category("measure", list(dict.fromkeys(rows["measure"]))), points=True)
    return Chart("instability", "How far other documents would move scores", rows, drawing)
