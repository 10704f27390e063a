"""Scores of a made-up collection without its lists: where relevant documents stand, and which of them were pooled.

Only what measures of binary relevance need is drawn, in a fortieth of the time of the lists: every run meets
non-relevant documents of its own. The model is fitted with it, to TREC-8 or to a matrix of scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.synthetic.model import (
    TOPICS,
    Array,
    Bools,
    Field,
    Index,
    Model,
    Size,
    even_traits,
    fallout,
    generality,
    middle,
    stream,
)


@dataclass(frozen=True, slots=True)
class QuickScores:
    """Scores of the runs on the topics, by the judgments of the pool."""

    ap: Array  # [run, topic]
    p10: Array  # [run, topic]
    ndcg: Array  # [run, topic]
    n_relevant: Index  # [topic] judged relevant


def quick_scores(model: Model, size: Size, field: Field, seed: int, *, even: bool = False) -> QuickScores:
    """Score every run on every topic by AP, P@10 and nDCG of binary relevance.

    Topics are drawn; or they lie evenly over what makes a topic, which shows what the model expects of few of them.
    """
    rngs = [stream(seed, TOPICS, topic) for topic in range(size.n_topics)]
    traits = even_traits(size.n_topics, 2, stream(seed, TOPICS)) if even else [rng.standard_normal(2) for rng in rngs]
    made = [_topic(model, size, field, trait, rng) for trait, rng in zip(traits, rngs, strict=True)]
    value = np.stack([scores for scores, _ in made], axis=-1)
    return QuickScores(value[0], value[1], value[2], np.array([n for _, n in made]))


def _topic(model: Model, size: Size, field: Field, trait: Array, rng: np.random.Generator) -> tuple[Array, int]:
    """Score every run on one topic [measure, run]; count what was judged relevant."""
    share = float(generality(model, size, trait[0]))
    n_relevant = max(1, int(rng.binomial(size.n_docs, share)))
    place = middle(model, size, trait) + field.quality + field.fickleness * rng.standard_normal(size.n_runs)
    seen, own = rng.standard_normal(n_relevant), rng.standard_normal((size.n_runs, n_relevant))
    shift = np.sqrt(model.shared) * seen + np.sqrt(1 - model.shared) * own
    rank = _ranks(size, fallout(place[:, None] + field.spread[:, None] * shift), rng)
    judged = (rank[field.contributes] <= size.pool_depth).any(0)
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
    there: Bools = rank <= size.depth
    ap = np.where(there, place / rank, 0.0).sum(1) / n
    gain = np.where(there, 1 / np.log2(rank + 1.0), 0.0).sum(1) / (1 / np.log2(place + 1.0)).sum()
    return np.stack([ap, (rank <= 10).sum(1) / 10, gain])
