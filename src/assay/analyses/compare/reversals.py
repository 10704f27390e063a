"""Which differences unjudged documents could reverse, each on the queries that both systems have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.analyses.compare.comparisons import Comparisons
from assay.analyses.compare.evidence import Pairing
from assay.core.arrays import Array, Index
from assay.data.judged import Judged
from assay.scoring.conditions import Under
from assay.scoring.scores import Scores
from assay.scoring.unjudged.reversals import Question, reversible
from assay.stats.significance.pairs import EPSILON


def flippable(
    data: Scores, judged_under: Callable[[Under], Judged], of: Sequence[Comparisons], pairing: Pairing
) -> Array:
    """Which differences unjudged documents could reverse: 1 or 0, NaN without a bound. [measure, pair]

    From exact bounds of each score: the unjudged documents of the one all not relevant, those of the other all of the
    highest grade; as if none stood in both lists, so that no completion of the judgments reverses more.
    """
    differ = [np.flatnonzero(np.abs(compared.mean) > 0) for compared in of]
    questions = [
        _question(data, m, compared, pairing, pairs)
        for m, (compared, pairs) in enumerate(zip(of, differ, strict=True))
    ]
    flips = np.full((len(of), pairing.first.size), np.nan)
    for row, pairs, reversed_ in zip(flips, differ, reversible(data, judged_under, questions), strict=True):
        row[pairs] = reversed_
    return flips


def _question(data: Scores, m: int, compared: Comparisons, pairing: Pairing, pairs: Index) -> Question:
    """Ask of some pairs by one measure whether the difference can be reversed by more than rounding."""
    leads = compared.mean[pairs] > 0
    first, second = pairing.first[pairs], pairing.second[pairs]
    scored = ~np.isnan(data.value[m])
    rounding = EPSILON * np.nanmax(np.abs(data.value[m]), initial=0.0) * len(data.topics)

    def lead(ends: Array, ahead: Index, behind: Index) -> Array:
        return _leads(np.where(scored, ends, 0.0), scored)[ahead, behind] + rounding

    return Question(m, np.where(leads, first, second), np.where(leads, second, first), lead)


def _leads(ends: Array, scored: Array) -> Array:
    """By how much each run leads every other at the least, summed over the topics that both have. [run, run]"""
    if scored.all():
        totals = ends.sum(-1)
        return np.asarray(totals[0][:, None] - totals[1])
    there = scored.astype(np.float64)
    # not by matrix products: for sums as small as these, their threads cost more than they save
    return np.asarray(np.einsum("at,bt->ab", ends[0], there) - np.einsum("at,bt->ab", there, ends[1]))
