"""Which differences unjudged documents could reverse, from exact bounds of every score.

Bounds cost far more than scores, so they are computed for some queries at a time, and only until a pair is decided:
on all other queries the run ahead has its score at most, and the run behind its score at least. A list without
unjudged documents has its score, whatever happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from assay.analyses.compare.comparisons import Comparisons
from assay.analyses.compare.evidence import Pairing
from assay.core.arrays import Array, Bools, Index
from assay.data.judged import Judged
from assay.data.judgments.scale import IN_POOL, UNJUDGED
from assay.measures.bounds.residuals import bounds_of_runs
from assay.measures.declare import Measure
from assay.scoring.conditions import Ingredients, Under, parse_condition
from assay.scoring.scores import Scores
from assay.stats.significance.pairs import EPSILON

_FEWEST, _PARTS = 250, 40  # queries whose bounds are computed together, at least; into how many parts, at most


def flippable(data: Scores, source: Ingredients, of: Sequence[Comparisons], pairing: Pairing) -> Array:
    """Which differences unjudged documents could reverse: 1 or 0, NaN without a bound. [measure, pair]

    From exact bounds of each score: the unjudged documents of the one all not relevant, those of the other all of the
    highest grade; as if none stood in both lists, so that no completion of the judgments reverses more.
    """

    @cache
    def judged(under: Under) -> Judged:
        return source.judged_for(data, under)

    return np.array([_flips(data, m, judged, compared, pairing) for m, compared in enumerate(of)])


def _flips(data: Scores, m: int, judged: Callable[[Under], Judged], compared: Comparisons, pairing: Pairing) -> Array:
    """Which differences by one measure unjudged documents could reverse. [pair]"""
    flips = np.full(pairing.first.size, np.nan)
    condition = parse_condition(data.conditions[m])
    if condition.normalization != "raw":
        return flips
    leads = compared.mean > 0
    ahead = np.where(leads, pairing.first, pairing.second)
    behind = np.where(leads, pairing.second, pairing.first)
    sign = -1 if data.lower_of(m) else 1
    ends = np.stack([sign * data.value[m]] * 2)  # the score itself, until its bounds are known
    scored = ~np.isnan(ends[0])
    rounding = EPSILON * np.abs(np.where(scored, ends[0], 0.0)).max(initial=0.0) * len(data.topics)
    undecided = np.flatnonzero(np.abs(compared.mean) > 0)
    for i, topics in enumerate(_parts(len(data.topics))):
        if not undecided.size:
            break
        wanted = np.zeros(scored.shape, dtype=np.bool_)
        wanted[np.ix_(np.unique([ahead[undecided], behind[undecided]]), topics)] = True
        # all lists of the first part, since they also say whether the measure has bounds
        bounds, bounded = _bounds(judged(condition.under), condition.measure, wanted, only_open=i > 0)
        bounded &= scored
        ends[:, bounded] = np.sort(sign * bounds[:, bounded], axis=0)
        lead = _leads(ends, scored)[ahead[undecided], behind[undecided]]
        flips[undecided[lead < -rounding]] = 1.0
        undecided = undecided[lead >= -rounding]
    flips[undecided] = 0.0
    return flips


def _parts(n_topics: int) -> Iterator[Index]:
    """Split topics into parts that should be alike, whatever the order of the topics."""
    n = min(max(n_topics // _FEWEST, 1), _PARTS)
    return (np.arange(i, n_topics, n) for i in range(n))


def _bounds(judged: Judged, measure: Measure, wanted: Bools, *, only_open: bool) -> tuple[Array, Bools]:
    """The least and the most of scores, and which were asked for: those wanted, or of these only what can change.

    [end, run, topic] and [run, topic]
    """
    asked = np.zeros(wanted.size, dtype=np.bool_)
    blocks = []
    for block in judged.blocks:
        rows = np.flatnonzero(wanted.ravel()[block.cell])
        grade = block.grade[rows]
        if only_open:
            seen = grade[:, : measure.cutoff]
            is_open = ((seen == UNJUDGED) | (seen == IN_POOL)).any(-1)
            rows, grade = rows[is_open], grade[is_open]
        asked[block.cell[rows]] = True
        blocks.append(replace(block, cell=block.cell[rows], grade=grade))
    ends = bounds_of_runs(replace(judged, blocks=tuple(blocks)), [measure], tail="empty")
    return np.concatenate(ends), asked.reshape(wanted.shape)


def _leads(ends: Array, scored: Bools) -> Array:
    """By how much each run leads every other at the least, summed over the topics that both have. [run, run]"""
    if scored.all():
        totals = ends.sum(-1)
        return np.asarray(totals[0][:, None] - totals[1])
    least, most = np.where(scored, ends, 0.0)
    there = scored.astype(np.float64)
    # not by matrix products: for sums as small as these, their threads cost more than they save
    return np.asarray(np.einsum("at,bt->ab", least, there) - np.einsum("at,bt->ab", there, most))
