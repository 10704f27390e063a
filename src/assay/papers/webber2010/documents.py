"""The documents behind the scores: pools, and what single runs brought to them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.reuse.leave_out import sole_contributors
from assay.core.arrays import Array, Bools, Grades, Index
from assay.data.judged import Block, Judged, judge
from assay.data.tables import UNJUDGED, places
from assay.scoring.engine import score
from assay.scoring.scored_collection import ScoredCollection, judged_lists, judgments, per_collection


@per_collection
def _first_ranks(c: ScoredCollection) -> Index:
    """The highest rank that a run gives each judged document; beyond all where none returns it. [judgment]"""
    held = places(judgments(c), judged_lists(c).source)
    first = np.full(judgments(c).doc.size, np.iinfo(np.int64).max)
    np.minimum.at(first, held.judgment, held.rank)
    return first


def pooled(c: ScoredCollection, depth: int) -> Bools:
    """Which judged documents a pool of this depth holds. [judgment]"""
    return np.asarray(_first_ranks(c) <= depth)


def relevant_share(c: ScoredCollection, pool: int, deeper: int) -> Array:
    """Of the relevant documents of a deeper pool, the share that a shallower one holds. [topic]; NaN without any"""
    of, relevant = judgments(c), judgments(c).grade > 0
    here, there = (np.bincount(of.topic[relevant & pooled(c, d)], minlength=len(of.topics)) for d in (pool, deeper))
    return np.divide(here, there, out=np.full(here.shape, np.nan), where=there > 0)


@dataclass(frozen=True, slots=True)
class _Hits:
    """The relevant documents of the lists to a depth, under the pool of that depth."""

    judged: Judged
    grade: Grades  # [run, topic, rank]
    document: Index  # [hit] row of the judgments
    run: Index  # [hit]
    topic: Index  # [hit]
    rank: Index  # [hit] from 1


@per_collection
def _hits(c: ScoredCollection, k: int) -> _Hits:
    of, lists = judgments(c), judged_lists(c).source.head(k)
    judged = judge(lists, of.thin(pooled(c, k)))
    held = places(of, lists)
    relevant = of.grade[held.judgment] > 0
    document, run, rank = (column[relevant] for column in (held.judgment, held.run, held.rank))
    return _Hits(judged, judged.cube(k), document, run, of.topic[document], rank)


def share_of_hits(c: ScoredCollection, k: int, pool: int) -> Array:
    """Of the relevant documents of lists beyond the pool, to depth k, the share judged; 1 without any. [topic]"""
    hits = _hits(c, k)
    beyond = hits.rank > pool
    n_topics = len(c.topics)
    every = np.bincount(hits.topic[beyond], minlength=n_topics)
    judged = np.bincount(hits.topic[beyond & pooled(c, pool)[hits.document]], minlength=n_topics)
    return np.divide(judged, every, out=np.ones(n_topics), where=every > 0)


def scores_with_any_hits(c: ScoredCollection, measure: str, *, k: int, pool: int, seed: int) -> Array:
    """Scores to depth k where beyond the pool as many hits count as are judged, but of any documents. [run, topic]

    Down to the pool depth every relevant document counts. Beyond it each document counts or not, for every run, with
    the probability that makes as many hits of a topic count as the pool holds: whether other runs rank it high
    does not matter, as it does in the pool.
    """
    hits, n_docs = _hits(c, k), judgments(c).doc.size
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(k, pool)))
    counts = rng.random(n_docs) < share_of_hits(c, k, pool)[judgments(c).topic]
    lost = (hits.rank > pool) & ~counts[hits.document]
    grade = hits.grade.copy()
    grade[hits.run[lost], hits.topic[lost], hits.rank[lost] - 1] = UNJUDGED
    lists = Block(np.arange(grade.shape[0] * grade.shape[1]), grade.reshape(-1, grade.shape[-1]))
    return score(replace(hits.judged, blocks=(lists,)), [f"{measure}@{k}"]).working()[0]


def unique_relevant(c: ScoredCollection, depth: int) -> Array:
    """The relevant documents that each run alone brings to a pool, as `reuse` counts them. [run, topic]"""
    of, runs = judgments(c), judged_lists(c).source
    owner = sole_contributors(of, runs, depth=depth, unit=np.arange(len(runs.names)))
    mine = (owner >= 0) & (of.grade > 0)
    cell = owner[mine] * len(of.topics) + of.topic[mine]
    counts = np.bincount(cell, minlength=len(runs.names) * len(of.topics))
    return counts.reshape(len(runs.names), len(of.topics)).astype(np.float64)
