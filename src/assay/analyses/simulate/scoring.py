"""Scores of a synthetic collection without its lists: where relevant documents stand, and which of them are pooled.

Only what measures of binary relevance need is drawn, in a fortieth of the time of the lists: every run meets
non-relevant documents of its own. The model is fitted with it, to TREC-8 or to a matrix of scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.analyses.simulate.model import (
    TOPICS,
    Model,
    SimulatedRuns,
    Size,
    even_traits,
    fallout,
    generality,
    middle,
    stream,
)
from assay.core.arrays import Array, Bools, Index
from assay.measures.gain import log2_discount


@dataclass(frozen=True, slots=True)
class QuickScores:
    """Scores of the runs on the topics, by the judgments of the pool."""

    ap: Array  # [run, topic]
    p10: Array  # [run, topic]
    ndcg: Array  # [run, topic]
    n_relevant: Index  # [topic] judged relevant


def quick_scores(model: Model, size: Size, runs: SimulatedRuns, seed: int, *, even: bool = False) -> QuickScores:
    """Score every run on every topic by AP, P@10 and nDCG of binary relevance.

    Topics are random; or they lie evenly over what makes a topic, which shows what the model expects of few of them.
    """
    rngs = [stream(seed, TOPICS, topic) for topic in range(size.n_topics)]
    traits = even_traits(size.n_topics, 2, stream(seed, TOPICS)) if even else [rng.standard_normal(2) for rng in rngs]
    topics = [_topic(model, size, runs, trait, rng) for trait, rng in zip(traits, rngs, strict=True)]
    value = np.stack([scores for scores, _ in topics], axis=-1)
    return QuickScores(value[0], value[1], value[2], np.array([n for _, n in topics]))


def _topic(
    model: Model, size: Size, runs: SimulatedRuns, trait: Array, rng: np.random.Generator
) -> tuple[Array, int]:
    """Score every run on one topic [measure, run]; count what was judged relevant."""
    share = float(generality(model, size, trait[0]))
    n_relevant = max(1, int(rng.binomial(size.n_docs, share)))
    place = middle(model, size, trait) + runs.quality + runs.fickleness * rng.standard_normal(size.n_runs)
    seen, own = rng.standard_normal(n_relevant), rng.standard_normal((size.n_runs, n_relevant))
    shift = np.sqrt(model.shared) * seen + np.sqrt(1 - model.shared) * own
    rank = _ranks(size, fallout(place[:, None] + runs.spread[:, None] * shift), rng)
    judged = (rank[runs.contributes] <= size.pool_depth).any(0)
    return _scores(size, np.sort(rank[:, judged], axis=1)), int(judged.sum())


def _ranks(size: Size, share: Array, rng: np.random.Generator) -> Index:
    """Rank relevant documents among those that are not, as far as lists are deep. [run, document]"""
    n_runs, n_relevant = share.shape
    n = size.n_docs - n_relevant
    depth = min(size.depth, n)
    gaps = rng.standard_exponential((n_runs, depth)).cumsum(1)
    bars = gaps / (gaps[:, -1:] + rng.standard_gamma(n + 1 - depth, size=(n_runs, 1)))
    row = np.arange(n_runs)[:, None]  # each run's numbers lie in a unit interval of their own
    above = np.searchsorted((bars + row).ravel(), (share + row).ravel()).reshape(share.shape) - row * depth
    order = np.argsort(share, axis=1)
    rank = np.empty_like(above)
    np.put_along_axis(rank, order, np.take_along_axis(above, order, 1) + np.arange(1, n_relevant + 1), 1)
    return rank


def _scores(size: Size, rank: Index) -> Array:
    """AP, P@10 and nDCG from the ranks of the judged relevant documents, best first. [measure, run]"""
    n_runs, n = rank.shape
    if n == 0:
        return np.zeros((3, n_runs))
    place = np.arange(1, n + 1)
    listed: Bools = rank <= size.depth
    ap = np.where(listed, place / rank, 0.0).sum(1) / n
    gain = np.where(listed, log2_discount(rank), 0.0).sum(1) / log2_discount(place).sum()
    return np.stack([ap, (rank <= 10).sum(1) / 10, gain])
