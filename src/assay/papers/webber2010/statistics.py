"""The statistics of webber2010, on all topics and then without each, as the commands compute them.

Power is that of `power`, from `separation`; correlations are of dense ranks, as in `agreement`; the best runs are
those of --top; scores are standardised as in `standardize` and `depth`, the runs themselves the reference. Ranks and
standardised scores of single runs are those of `standardize`.

Depths are the paper's where the collection has them: pools count as deep as they are judged, evaluation goes as deep
as the lists.
"""

from __future__ import annotations

import numpy as np

from assay.analyses.depth.sufficiency import POOL_JUDGED
from assay.core.arrays import Array, Index
from assay.data.tables import ABSENT
from assay.papers.webber2010.published import COMPUTED, EVALUATION_DEPTHS, POOL_DEPTHS, STANDARDISED
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, judged_lists, per_collection
from assay.stats import best
from assay.stats.correlation.coefficients import DenseRanks, correlate_ranks
from assay.stats.leave_one_out import pair_ranks, replicates, run_ranks
from assay.stats.significance.declare import find_test
from assay.stats.significance.paired_t import separated
from assay.stats.standardisation import z

ALPHA = 0.05
RESAMPLES = 2000  # of the bootstrap and the randomisation test
_FEW_GROUPS = 10


# --- what a collection has


@per_collection
def longest(c: ScoredCollection) -> int:
    """How many documents the longest list has."""
    return int(judged_lists(c).source.count.max(initial=0))


@per_collection
def _pools(c: ScoredCollection) -> tuple[int, ...]:
    grades = judged_lists(c).cube(POOL_DEPTHS[-1])
    there, judged = ((grades != ABSENT), (grades >= 0))
    shares = {d: judged[..., :d].sum() / max(1, there[..., :d].sum()) for d in POOL_DEPTHS if d <= longest(c)}
    return tuple(d for d, share in shares.items() if share >= POOL_JUDGED.value)


def pool_depths(c: ScoredCollection) -> tuple[int, ...]:
    """The paper's pool depths to which the runs are judged, at least two of them."""
    if len(pools := _pools(c)) < 2:
        raise MissingDataError(f"pools of two depths from {POOL_DEPTHS[0]} to {POOL_DEPTHS[-1]} that are judged")
    return pools


def shallower_pools(c: ScoredCollection) -> list[tuple[int, int]]:
    """Evaluation depths with the pool depths short of them."""
    return [(k, pool) for k in pool_depths(c) for pool in pool_depths(c) if pool < k]


def evaluation_depths(c: ScoredCollection) -> tuple[int, ...]:
    """The paper's evaluation depths to which the lists go, at least two of them."""
    depths = tuple(k for k in EVALUATION_DEPTHS if k <= longest(c))
    if len(depths) < 2:
        raise MissingDataError(f"lists of {EVALUATION_DEPTHS[1]} documents")
    return depths


def far_below(c: ScoredCollection) -> int:
    """The evaluation depth far below the pool, 1,000."""
    if longest(c) < EVALUATION_DEPTHS[-1]:
        raise MissingDataError(f"lists of {EVALUATION_DEPTHS[-1]:,} documents")
    return EVALUATION_DEPTHS[-1]


def shallow_and_deep(c: ScoredCollection) -> tuple[int, int]:
    """Depths 10 and 100, or the first and the last to which the runs are judged."""
    pools = pool_depths(c)
    return (10 if 10 in pools[:-1] else pools[0]), pools[-1]


# --- statistics


@per_collection
def power(c: ScoredCollection, condition: str, *, standardised: bool = False, top: int | None = None) -> Array:
    """Share of pairs of runs significantly different; of the best runs by AP, if `top` says how many. [replicate]"""
    x = z(c.scores(condition)) if standardised else c.scores(condition)
    if top is not None:
        x = x[best.best_positions(c.scores("AP@1000").mean(-1), top, c.runs)]
    share, left_out = separated(x, alpha=ALPHA)
    return np.concatenate([[share], left_out])


@per_collection
def power_beyond_t(c: ScoredCollection, condition: str, test: str) -> Array:
    """The same share by another test, less that by t. [replicate]

    Few groups of topics are left out: each has the noise of its own resamples, which the number of groups multiplies.
    """

    def beyond_t(scores: Array) -> float:
        by_test, by_t = (find_test(of).p_values(scores, resamples=RESAMPLES) < ALPHA for of in (test, "t"))
        return float(by_test.mean() - by_t.mean())

    return replicates(beyond_t, c.scores(condition), groups=_FEW_GROUPS)


def form_power(c: ScoredCollection, form: str, k: int, pool: int) -> Array:
    """Power of one of the figures' measures. [replicate]"""
    measure = COMPUTED[form]
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


@per_collection
def standardised(c: ScoredCollection, condition: str) -> Array:
    """Scores standardised by topic. [run, topic]"""
    return z(c.scores(condition))


def mean_over_topics(x: Array) -> Array:
    """The mean of a number per topic. [replicate]"""
    return replicates(lambda values: values.mean(-1), x)
