"""One relevant document: the pairwise error that its rank shows, and its inverse (robertson2007, section 6).

The document at rank r has r - 1 of the N others above it: of the pairwise error e, the chance that another document
scores above it, these are a binomial sample. The maximum likelihood estimate of 1/e is N/(r-1), which rank 1 leaves
undefined; the paper smooths it to N/r, and normalises that to 1/r. (N+1)/r is a better form: its expectation is
(1 - (1-e)^(N+1)) / e, which is 1/e but for topics whose document is expected at rank 1. The interval of e is Clopper
and Pearson's. Of a document that a list lacks only that it is below is known: it lies there in an order of chance.

The mean over topics has a tail that no sample of a few topics shows: one document at rank 1 is worth a thousand at
rank 1,000. Student's interval held it in 72 to 81%. As a share of its largest value the mean of 1/r is between 0 and
1, and no variable there spreads more than one that is 0 or 1: so the ends are those of a share of as many topics with
that sum of successes (Clopper and Pearson's, of a sum that need not be whole; no proof is known). They held the mean
in 99% and more, and were narrower than Student's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.arrays import Array, Index
from assay.results.schemas import schema, table

_LEAST = 1e-12  # of a share: 0 has no logarithm
_RUNS = schema(
    *("run", "n_topics", "n_found", "rr", "topic_error", "others_above", "first"),
    *("pairwise_error", "inverse", "inverse_low", "inverse_high"),
    n_found=pl.Int64,
)
_TOPICS = schema(
    *("run", "topic", "rank", "rr", "likelihood", "plain", "smoothed", "low", "high"),
    rank=pl.Int64,
)


@dataclass(frozen=True, slots=True)
class SingleRelevant:
    """Where the one relevant document of topics that have just one is."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    rank: Array  # [run, topic]: NaN where the list lacks it
    length: Index  # [run, topic]: documents in the list
    n_others: int | None = None  # documents of the collection but for the relevant one; None where it is not known

    @property
    def rr(self) -> Array:
        """Reciprocal rank. [run, topic]"""
        return np.nan_to_num(1 / self.rank)

    def pairwise_error(self) -> Array:
        """The share of the other documents above the relevant one. [run, topic]"""
        n = self._others()
        return np.where(np.isnan(self.rank), (self.length + n) / 2, self.rank - 1) / n

    def likelihood(self) -> Array:
        """N/(r-1); NaN at rank 1 and where the document is not in the list. [run, topic]"""
        above = self.rank - 1
        return np.divide(self._others(), above, out=np.full(above.shape, np.nan), where=above > 0)

    def plain(self) -> Array:
        """N/r; NaN where the document is not in the list. [run, topic]"""
        return self._others() / self.rank

    def smoothed(self) -> Array:
        """(N+1)/r; its mean over the ranks that are left where the document is not in the list. [run, topic]"""
        from scipy.special import digamma

        n = self._others()
        left = np.maximum(n + 1 - self.length, 1)
        expected = (n + 1) / left * (digamma(n + 2) - digamma(self.length + 1))
        return np.where(np.isnan(self.rank), expected, (n + 1) / self.rank)

    def interval(self, level: float) -> tuple[Array, Array]:
        """The ends of 1/e; NaN above at rank 1. One-sided for a document that is not in the list. [run, topic]"""
        from scipy.special import betaincinv

        n, missing = self._others(), np.isnan(self.rank)
        above = np.where(missing, np.minimum(self.length, n), self.rank - 1)
        tail = np.where(missing, 1 - level, (1 - level) / 2)
        least = np.where(above > 0, betaincinv(np.maximum(above, 1), n - above + 1, tail), 0.0)
        most = np.where(
            missing | (above >= n), 1.0, betaincinv(above + 1, np.maximum(n - above, 1), 1 - (1 - level) / 2)
        )
        return 1 / most, np.divide(1.0, least, out=np.full(least.shape, np.nan), where=least > 0)

    def _others(self) -> int:
        if self.n_others is None:
            raise ValueError("the size of the collection is not known")
        return self.n_others


def share_interval(value: Array, *, level: float) -> tuple[Array, Array]:
    """Conservative interval of the mean over the last axis of values from 0 to 1, whatever their distribution."""
    from scipy.special import betaincinv

    n, successes = value.shape[-1], value.sum(-1)
    tail = (1 - level) / 2
    low = betaincinv(np.maximum(successes, _LEAST), n - successes + 1, tail)
    high = betaincinv(successes + 1, np.maximum(n - successes, _LEAST), 1 - tail)
    return np.where(successes > 0, low, 0.0), np.where(successes < n, high, 1.0)


def single_table(single: SingleRelevant, level: float) -> pl.DataFrame:
    """One row per run: reciprocal rank and pairwise error on topics with one relevant document."""
    return table(_by_run(single, level) if single.topics else (), _RUNS)


def _by_run(single: SingleRelevant, level: float) -> Iterator[tuple[object, ...]]:
    n = len(single.topics)
    error = np.full(len(single.runs), np.nan)
    inverse = ends = (error, error)
    if single.n_others is not None:
        error, value = single.pairwise_error().mean(-1), single.smoothed()
        most = single.n_others + 1
        low, high = share_interval(value / most, level=level)
        inverse, ends = (value.mean(-1), error), (np.maximum(most * low, 1.0), most * high)  # 1: at the very end
    for i, run in enumerate(single.runs):
        rr, known = single.rr[i], single.rank[i][~np.isnan(single.rank[i])]
        topic_error = float(rr.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan
        above = float(np.median(known - 1)) if known.size else np.nan
        own = (float(x[i]) for x in (error, inverse[0], *ends))
        yield run, n, known.size, float(rr.mean()), topic_error, above, float((known == 1).sum() / n), *own


def single_topic_table(single: SingleRelevant, level: float) -> pl.DataFrame:
    """One row per run and topic: the forms of the inverse pairwise error; empty where the size is not known."""
    if single.n_others is None or not single.topics:
        return table((), _TOPICS)
    columns: Sequence[Array] = (
        *(single.rr, single.likelihood(), single.plain(), single.smoothed()),
        *single.interval(level),
    )
    rows = (
        (
            run,
            topic,
            None if np.isnan(single.rank[i, t]) else int(single.rank[i, t]),
            *(float(c[i, t]) for c in columns),
        )
        for i, run in enumerate(single.runs)
        for t, topic in enumerate(single.topics)
    )
    return table(rows, _TOPICS)
