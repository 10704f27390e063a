"""Micro-averages with their error: topics pooled, so that those with many documents weigh most.

A micro-average is a ratio of two sums over topics: relevant documents retrieved over documents retrieved (precision)
or over relevant documents (recall), precision added over relevant documents over their number (AP). Topics are the
sample; a ratio of sums over a sample is biased, and the jackknife estimates both its error and that bias.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.error.topics import TopicEstimates
from assay.core.arrays import Array
from assay.data.rankings import ratio
from assay.results.schemas import schema, table
from assay.stats.intervals import jackknife_error, jackknife_interval

_COLUMNS = schema(
    *("run", "average", "macro", "micro", "error", "low", "high", "ratio_bias", "sample_bias"), average=pl.String
)


@dataclass(frozen=True, slots=True)
class RatioOfSums:
    """A ratio of two sums over topics; both [run, topic]."""

    part: Array
    whole: Array

    @property
    def value(self) -> Array:
        """The micro-average. [run]"""
        return ratio(self.part.sum(-1), self.whole.sum(-1))

    @property
    def macro(self) -> Array:
        """The mean of the topics' own ratios; a topic without any counts 0. [run]"""
        return np.asarray(np.nan_to_num(ratio(self.part, self.whole)).mean(-1))

    @property
    def left_out(self) -> Array:
        """The micro-average without each topic. [run, topic]"""
        part, whole = (x.sum(-1, keepdims=True) - x for x in (self.part, self.whole))
        return ratio(part, whole)

    @property
    def error(self) -> Array:
        """The jackknife's standard error; NaN below two topics. [run]"""
        if self.part.shape[-1] < 2:
            return np.full(len(self.part), np.nan)
        return jackknife_error(self.left_out.T)

    def interval(self, level: float) -> tuple[Array, Array]:
        """The jackknife's interval; NaN below two topics. [run]"""
        return jackknife_interval(self.value, self.left_out.T, level=level)

    @property
    def bias(self) -> Array:
        """The jackknife's estimate of how far the ratio is expected above that of all topics. [run]"""
        n = self.part.shape[-1]
        return (n - 1) * (self.left_out.mean(-1) - self.value) if n > 1 else np.full(len(self.part), np.nan)


def micro_averages(estimates: TopicEstimates) -> dict[str, RatioOfSums]:
    """Every micro-average, by name."""
    size = np.broadcast_to(estimates.n_rel.astype(np.float64), estimates.ap.shape)
    hits = estimates.n_found.astype(np.float64)
    return {
        "AP": RatioOfSums(estimates.ap * size, size),
        "AP_LOO": RatioOfSums(estimates.loo * size, size),
        "precision": RatioOfSums(hits, estimates.n_retrieved.astype(np.float64)),
        "recall": RatioOfSums(hits, size),
    }


def micro_table(estimates: TopicEstimates, level: float) -> pl.DataFrame:
    """One row per run and micro-average: its value, error and bias."""
    return table(_rows(estimates, level), _COLUMNS)


def _rows(estimates: TopicEstimates, level: float) -> Iterator[tuple[object, ...]]:
    ways = micro_averages(estimates)
    unknown = np.full(len(estimates.runs), np.nan)
    sampled = {"AP": ways["AP"].value - ways["AP_LOO"].value}
    computed = {
        name: (way.macro, way.value, way.error, *way.interval(level), way.bias, sampled.get(name, unknown))
        for name, way in ways.items()
    }
    for i, run in enumerate(estimates.runs):
        for name, columns in computed.items():
            yield run, name, *(float(c[i]) for c in columns)
