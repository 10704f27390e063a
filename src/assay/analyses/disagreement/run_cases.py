"""The lists of runs on which measures disagree most: of two runs on one topic, and of one run on two topics."""

from __future__ import annotations

import numpy as np

from assay.analyses.disagreement.cases import CASES, TWO_RUNS, Origin, RankingPair
from assay.analyses.disagreement.pair_disagreement import (
    ListPairs,
    concatenated,
    deviations,
    limited_reuse,
    most_disagreement,
)
from assay.analyses.disagreement.ranked_lists import GroupedLists, RankedLists, distinct_measures
from assay.core.arrays import Array, Index

_USES = 2  # of one ranking, or topic, in all cases of a kind
_CANDIDATES = 200  # pairs of one group, from which cases are chosen


def cases_of_runs(
    lists: RankedLists, scores: Array, grouped: GroupedLists, *, most: int = CASES
) -> list[RankingPair]:
    """Find the pairs of lists on which measures disagree most, the list that more of them prefer first.

    Of measures that prefer the same list of every pair here, one counts. No topic (of two topics: no run either) is
    shown more than `_USES` times, nor is any relevance vector. `scores` is [measure, run, topic].
    """
    voting = scores[distinct_measures(scores, grouped.groups)]
    flat = voting.reshape(len(voting), -1)
    unit = deviations(flat)
    n_topics = scores.shape[2]
    parts = []
    for group in grouped.groups:
        cell = group.run * n_topics + group.topic
        own = most_disagreement(flat[:, cell], unit, most=_CANDIDATES)
        parts.append(ListPairs(cell[own.first], cell[own.second], own.n_opposite, own.n_differ, own.margin))
    pairs = concatenated(parts).by_disagreement().with_opposite_preferences()
    key = _keys(lists, pairs, grouped.pairs)
    new = np.sort(np.unique(np.sort(key[:, :2], axis=-1), axis=0, return_index=True)[1])
    chosen = pairs.take(new[limited_reuse(key[new], uses=_USES, most=most)])
    cells = zip(chosen.first, chosen.second, strict=True)
    return [_case(lists, scores, grouped.pairs, (int(a), int(b))) for a, b in cells]


def _keys(lists: RankedLists, pairs: ListPairs, origin: Origin) -> Index:
    """Number what is not to be shown too often: relevance vectors, and what the lists belong to. [pair, key]"""
    n_topics = len(lists.judged.topics)
    looks = np.unique(lists.grade.reshape(-1, lists.depth) > 0, axis=0, return_inverse=True)[1].ravel()
    topics = [-1 - pairs.first % n_topics, -1 - pairs.second % n_topics]
    run = -1 - n_topics - pairs.first // n_topics
    of = topics[:1] if origin == TWO_RUNS else [*topics, run]
    return np.column_stack([looks[pairs.first], looks[pairs.second], *of])


def _case(lists: RankedLists, scores: Array, origin: Origin, cells: tuple[int, int]) -> RankingPair:
    at = [divmod(cell, len(lists.judged.topics)) for cell in cells]
    (r, s), (t, u) = zip(*at, strict=True)
    pools = tuple(lists.judged.pool[t].tolist()), tuple(lists.judged.pool[u].tolist())
    return RankingPair(
        origin,
        (lists.judged.runs[r], lists.judged.runs[s]),
        (lists.judged.topics[t], lists.judged.topics[u]),
        pools,
        lists.depth,
        (lists.word(r, t), lists.word(s, u)),
        np.stack([scores[:, r, t], scores[:, s, u]], axis=-1),
    )
