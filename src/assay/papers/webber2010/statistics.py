"""The statistics of webber2010, on all topics and then without each, as the commands compute them.

Power is that of `power`, from `separation`; correlations are of dense ranks, as in `agreement`; the best runs are
those of --top; scores are standardised as in `standardize` and `depth`, the runs themselves the reference. Ranks of
single runs are not offered elsewhere.
"""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array, Index
from assay.papers.webber2010.published import EXPANDED, FORMS, STANDARDISED
from assay.scoring.scored_collection import ScoredCollection, per_collection
from assay.stats import best
from assay.stats.correlation.coefficients import DenseRanks, correlate_ranks
from assay.stats.leave_one_out import pair_ranks, run_ranks
from assay.stats.significance.paired_t import separated
from assay.stats.standardisation import z

ALPHA = 0.05


@per_collection
def power(c: ScoredCollection, condition: str, *, standardised: bool = False, top: int | None = None) -> Array:
    """Share of pairs of runs significantly different; of the best runs by AP, if `top` says how many. [replicate]"""
    x = z(c.scores(condition)) if standardised else c.scores(condition)
    if top is not None:
        x = x[best.best_positions(c.scores("AP@1000").mean(-1), top, c.runs)]
    share, left_out = separated(x, alpha=ALPHA)
    return np.concatenate([[share], left_out])


def form_power(c: ScoredCollection, form: str, k: int, pool: int) -> Array:
    """Power of one of the figures' measures. [replicate]"""
    measure = (FORMS | EXPANDED)[form]
    return power(c, f"{measure}@{k}/pool={pool}", standardised=form in STANDARDISED)


@per_collection
def _run_ranks(c: ScoredCollection, condition: str) -> DenseRanks:
    return run_ranks(c.scores(condition))


def tau(c: ScoredCollection, one: str, other: str) -> Array:
    """Kendall's tau-b of two rankings of the runs. [replicate]"""
    return correlate_ranks(_run_ranks(c, one), _run_ranks(c, other), "tau-b")


@per_collection
def _pair_ranks(c: ScoredCollection, condition: str) -> DenseRanks:
    return pair_ranks(c.scores(condition))


@per_collection
def tau_of_p(c: ScoredCollection, one: str, other: str) -> Array:
    """Kendall's tau-b of two rankings of the pairs of runs by p-value. [replicate]"""
    return correlate_ranks(_pair_ranks(c, one), _pair_ranks(c, other), "tau-b")


def rank(c: ScoredCollection, condition: str, run: int) -> Array:
    """Rank of a run, 1 the best; tied runs share the better rank. [replicate]"""
    ranking = _run_ranks(c, condition)
    return 1.0 + (ranking < ranking[:, [run]]).sum(-1)


def best_first(c: ScoredCollection, condition: str) -> Index:
    """Runs from best to worst by their mean over all topics."""
    return best.best_first(c.scores(condition).mean(-1), c.runs)
