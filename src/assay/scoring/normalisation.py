"""Normalised scores: by the ideal ranking of the topic, for any measure, or by what all runs score on the topic.

`ERR@20/abbreviated` divides a score by that of the ideal ranking, cut at k too; `ERR@20/expanded` by that of the
whole ideal ranking (webber2010, section 3.1); `AP@100/standardised` is z: the score less the mean of all runs on the
topic, in units of their deviation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted
from assay.data.judged import Judged
from assay.data.rankings import Rankings, ratio
from assay.data.tables import ABSENT
from assay.measures.declare import Measure
from assay.scoring.missing import note_on_common
from assay.scoring.scores import Scores
from assay.stats import standardisation
from assay.stats.standardisation import Factors

Normalization = Literal["raw", "abbreviated", "expanded", "standardised"]
NORMALIZATIONS: tuple[Normalization, ...] = get_args(Normalization)


def normalised(scores: Scores, judged: Judged, m: Measure, how: Normalization) -> Scores:
    """Normalise the scores of one measure; where the ideal ranking scores 0 or nothing, to the least: 0."""
    if how == "standardised":
        return standardised(scores)
    if not _rewards_relevance(m):
        raise UsageError(f"{m}/{how}: {m.name} does not depend on relevance, so that no ranking is ideal")
    if m.declaration.lower:
        raise UsageError(f"{m}/{how}: lower is better by {m.name}, so that a share of the ideal score says nothing")
    ideal = ideal_scores(judged, m, cut=how == "abbreviated")
    share = ratio(scores.value, np.broadcast_to(ideal, scores.value.shape))
    nothing = scores.value if scores.average_of(0) == "geometric" else 0.0  # 0 has no logarithm; the least score has
    settled = np.where(np.isnan(share) & ~np.isnan(scores.value), nothing, share)
    averages = tuple("mean" if average == "sum" else average for average in scores.averages)
    return replace(scores, value=settled, averages=averages)


def _rewards_relevance(m: Measure) -> bool:
    """Whether relevant documents score otherwise than judged ones that are not, where there are some of both."""
    top, n = max(m.rel, 1), 3
    pool = np.zeros((2, top + 1), dtype=np.int64)
    pool[:, [0, top]] = n
    relevant, others = m.compute(Rankings(np.repeat([[top], [0]], n, axis=1).astype(np.int8), pool, top))
    return bool(relevant != others)


def ideal_scores(judged: Judged, m: Measure, *, cut: bool) -> Array:
    """Score the ideal ranking of every topic: its relevant documents, the highest grade first. [topic]

    Cut at the measure's k or, if not, whole, while all that depends on k still does: P@k then counts R/k and
    RBP(residual=0.1)@k has the persistence of depth k. NaN where the measure is undefined. Ideal means best for
    measures that never lose by a higher grade or by a relevant document that moves up.
    """
    relevant = judged.pool[:, :0:-1]  # [topic, grade], highest grade first
    grades = np.arange(judged.top, 0, -1)
    width = max(1, int(relevant.sum(-1).max(initial=0)))
    grade = np.full((len(judged.topics), width), ABSENT, dtype=np.int8)
    for row, counts in zip(grade, relevant, strict=True):
        row[: counts.sum()] = np.repeat(grades, counts)
    lists = Rankings(grade, judged.pool, judged.top, judged.cutoff, fractions=judged.fractions)
    if cut:
        return m.compute(lists)
    depths = [k for k in (judged.cutoff, m.cutoff) if k is not None]
    return m.declaration.formula(replace(lists, depth=min(depths, default=None)), **m.parameters)


def standardised(scores: Scores) -> Scores:
    """Express scores in deviations from the topic's mean over all runs, on the scale on which they are averaged.

    Where lower is better, a lower z is.

    Where the runs do not differ on a topic, z is 0 for all of them. Where some run has no score, none has a z: the
    mean of other runs says something else of a topic.
    """
    if len(scores.runs) < 2:
        raise UsageError(f"{scores.conditions[0]}/standardised: a deviation needs at least 2 runs, there is 1")
    raw = scores.scaled()
    left_out: tuple[Note, ...] = ()
    if scores.gaps().any():
        raw = np.where(scores.common(), raw, np.nan)
        left_out = (replace(note_on_common(scores), measures=scores.conditions),)
    by = standardisation.factors(raw)
    notes = (*scores.notes, *left_out, *_flat_topics(scores, by), *reference_notes(len(scores.runs), own=True))
    return replace(scores, value=standardisation.apply(raw, by), averages=(), notes=notes)


def reference_notes(n_runs: int, *, own: bool) -> Iterator[Note]:
    """The notes on reference runs: that they are the scored ones themselves, that they are only two."""
    if own:
        text = "standardised by the runs themselves: hardly any topic variance is left, so Phi is about E-rho^2"
        yield Note("own_reference", "caution", text)
    if n_runs == 2:
        what = "on every topic one scores 0.71 and the other -0.71, however much they differ"
        text = f"2 reference runs: {what if own else 'the deviation of two says little of a topic'}"
        yield Note("two_reference_runs", "caution", text)


def _flat_topics(scores: Scores, by: Factors) -> Iterator[Note]:
    for name, flat in zip(scores.conditions, by.floored & ~np.isnan(by.mean), strict=True):
        if n := int(flat.sum()):
            text = f"{name}/standardised: {counted(n, 'topic')} where the runs do not differ, and all score 0"
            yield Note("floored_topics", "caution", text)
