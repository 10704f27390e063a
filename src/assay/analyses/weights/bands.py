"""Bands of fitted weights: how far gains and discounts vary from bootstrap sample to bootstrap sample of topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.cross_validation import Fit
from assay.core.arrays import Array
from assay.stats.resampling import multinomials


def weight_bands(
    lists: GradedLists, fit: Fit, *, resamples: int = 100, level: float = 0.95, rng: int = 0
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Refit the weights to bootstrap samples of the topics, and lay out where most of the fits lie.

    Discounts are scaled to a sum of 1, gains to 1 for the lowest relevant grade. The bands hold `level` of the fits
    rank by rank; a monotone optimum is a staircase whose steps move, so that a single fit is rougher than the band's
    edges. Topics sampled twice count twice; a sample with fewer than two different topics is not fitted, and one in
    which a grade does not occur says nothing of gains.

    Two tables: rank, discount, low, median, high; and grade, gain, low, median, high.
    """
    lowest = lists.grades[0]
    whole, fits = fit(lists), [(sample, fit(sample)) for sample in _bootstrap(lists, resamples, rng)]
    curves = [one.discount / one.discount.sum() for _, one in fits]
    gains = [one.gain / one.gain[lowest] for sample, one in fits if np.array_equal(sample.grades, lists.grades)]
    ranks = {"rank": np.arange(1, lists.depth + 1), "discount": whole.discount / whole.discount.sum()}
    grades = {"grade": np.arange(lists.top + 1), "gain": whole.gain / whole.gain[lowest]}
    bands = (pl.DataFrame(ranks | _band(curves, level)), pl.DataFrame(grades | _band(gains, level)))
    return bands[0], bands[1]


def _band(fits: Sequence[Array], level: float) -> dict[str, Array | None]:
    """Where most of the fits lie, place by place; nothing where there is none. [place] each"""
    if not fits:
        return {"low": None, "median": None, "high": None}
    low, median, high = np.quantile(np.stack(fits), [(1 - level) / 2, 0.5, (1 + level) / 2], axis=0)
    return {"low": low, "median": median, "high": high}


def _bootstrap(lists: GradedLists, resamples: int, rng: int) -> Iterator[GradedLists]:
    for block in multinomials(lists.n_topics, resamples, rng):
        for counts in block.astype(np.intp):
            if (counts > 0).sum() > 1:
                yield lists.select(topics=np.repeat(np.arange(lists.n_topics), counts))
