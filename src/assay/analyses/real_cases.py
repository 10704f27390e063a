"""The real cases that divide measures most: two runs on one topic, and one run on two topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.analyses.disputed import CASES, Disputed
from assay.analyses.real_lists import By, Gathered, Group, Real, compared
from assay.numeric.contention import Divided, cross, divided, joined, ranked, seldom, spread
from assay.rankings import Array
from assay.tables import ABSENT, Index

_USES = 2  # of one ranking, or topic, in all cases of a kind
_KEPT = 200  # of one group, from which cases are chosen


def contentious(real: Real, scores: Array, gathered: Gathered, *, most: int = CASES) -> list[Disputed]:
    """Find the pairs of real rankings that divide measures most, the side that more measures prefer first.

    Measures that say the same of every pair here have one vote. No topic (of two topics: no run either) is shown more
    than twice, nor is any row of relevant and other documents. `scores` is [measure, run, topic].
    """
    voting = scores[_voices(scores, gathered.groups)]
    flat = voting.reshape(len(voting), -1)
    unit = spread(flat)
    n_topics = scores.shape[2]
    parts = []
    for group in gathered.groups:
        cell = group.run * n_topics + group.topic
        found = divided(flat[:, cell], unit, most=_KEPT)
        parts.append(Divided(cell[found.first], cell[found.second], found.n_opposite, found.n_differ, found.margin))
    every = joined(parts)
    order = every.take(ranked(every))
    order = order.take(np.flatnonzero(order.n_opposite > 0))
    key = _keys(real, order, gathered.by)
    new = np.sort(np.unique(np.sort(key[:, :2], axis=-1), axis=0, return_index=True)[1])
    chosen = order.take(new[seldom(key[new], uses=_USES, most=most)])
    cells = zip(chosen.first, chosen.second, strict=True)
    return [_case(real, scores, gathered.by, (int(a), int(b))) for a, b in cells]


def _voices(scores: Array, groups: Sequence[Group]) -> list[int]:
    """Choose, of measures that say the same of every pair, the first."""
    differ = sum((cross(*compared(scores, group)).differ for group in groups), np.zeros((len(scores), len(scores))))
    return [i for i in range(len(scores)) if not (differ[i, :i] == 0).any()]


def _keys(real: Real, pairs: Divided, by: By) -> Index:
    """Number what is not to be shown too often: how the two rankings look, and what they belong to. [pair, key]"""
    n_topics = len(real.judged.topics)
    looks = np.unique(real.grade.reshape(-1, real.depth) > 0, axis=0, return_inverse=True)[1].ravel()
    topics = [-1 - pairs.first % n_topics, -1 - pairs.second % n_topics]
    run = -1 - n_topics - pairs.first // n_topics
    of = topics[:1] if by == "two runs" else [*topics, run]
    return np.column_stack([looks[pairs.first], looks[pairs.second], *of])


def _case(real: Real, scores: Array, by: By, cells: tuple[int, int]) -> Disputed:
    at = [divmod(cell, len(real.judged.topics)) for cell in cells]
    n_rel = real.judged.n_rel()
    (r, s), (t, u) = zip(*at, strict=True)
    return Disputed(
        by,
        (real.judged.runs[r], real.judged.runs[s]),
        (real.judged.topics[t], real.judged.topics[u]),
        (int(n_rel[t]), int(n_rel[u])),
        (_word(real, r, t), _word(real, s, u)),
        np.stack([scores[:, r, t], scores[:, s, u]], axis=-1),
    )


def _word(real: Real, run: int, topic: int) -> str:
    """Write a ranking as a row of grades, letters from ten up; ? is a document without one."""
    return "".join("?" if g < 0 else np.base_repr(g, 36) for g in real.grade[run, topic].tolist() if g != ABSENT)
