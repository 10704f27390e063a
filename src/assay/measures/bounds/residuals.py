"""How far unjudged documents could move a score: the least and the most over everything they might turn out to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from assay.core.arrays import Array
from assay.data.judged import Judged
from assay.data.rankings import Rankings
from assay.measures.bounds.ratio import in_portions
from assay.measures.declare import Measure
from assay.measures.unjudged import Bounds, Tail, at_highest

__all__ = ["Bounds", "Tail", "bounds", "bounds_of_runs", "completed_scores", "kind"]


def kind(m: Measure) -> Literal["none", "residual", "range"]:
    """Say what a measure offers: "residual" (the score is the least), "range" (it is not) or "none".

    With `judged_only` there is none: a document that gains a grade would enter the condensed list.
    """
    rule = m.declaration.unjudged
    return "none" if rule is None or m.judged_only else rule.kind


def bounds(m: Measure, lists: Rankings, *, tail: Tail = "unseen") -> Bounds | None:
    """Bound the score of every list over all completions of its unjudged documents; None where no bound is offered.

    A document without a grade, or with a negative one, may turn out to be of any grade from 0 to the highest; the
    score itself, for which it has no gain, is always within the bounds. Undefined scores count as they do in
    `score` by default. Only documents that the measure sees, to its cutoff, are open.

    For measures of kind "residual" the score is the least, and most minus score the residual. With
    `tail="unseen"` it includes what the ranks after the end of a list could hold, down to the cutoff, or to
    infinity where there is none: then it may be infinite. RBP, INSQ and INST are sums to infinity, of which a cutoff
    evaluates a part: what stands below it, judged or not, counts as unassessed, so that the residual of RBP at k is
    at least :math:`p^k` (webber2010, section 3.1). With `tail="empty"` nothing follows, neither the list nor the
    cutoff.

    For measures of kind "range" newly relevant documents join the recall base and the ideal ranking; those that
    no list holds are not imagined, so `tail` makes no difference. The ranges are attained, but for Q on graded
    judgments and lists with many unjudged documents, where they are outer bounds.

    Parameters
    ----------
    m
        The measure.
    lists
        Judged lists, as `Judged.rankings` hands them out.
    tail
        Whether something unseen may follow the end of a list.

    Returns
    -------
    tuple of arrays or None
        The least and the most, [list] each.

    Examples
    --------
    >>> from assay.measures import AP, RBP
    >>> bounds(RBP(p=0.5), Rankings.of([1, -1, 0]))
    (array([0.5]), array([0.875]))
    >>> bounds(RBP(p=0.5) @ 2, Rankings.of([1, 1, 0]))
    (array([0.75]), array([1.]))
    >>> bounds(AP, Rankings.of([-1, 1, -1], n_rel=1))
    (array([0.5]), array([1.]))
    """
    rule = m.declaration.unjudged
    if rule is None or m.judged_only:
        return None
    ready = m.prepare(lists)
    score = partial(_settled, m)
    extremes = []
    portions = in_portions(ready.grade.shape[0], max(ready.grade.shape[1], ready.depth or 0))
    for part in portions:
        # undivided lists share with other measures what was computed of them
        some = (
            ready if len(portions) == 1 else replace(ready, grade=ready.grade[part], pool=ready.pool[part], _memo={})
        )
        extremes.append(rule.bounds(score, some, m.parameters, tail))
    if not extremes:
        return np.zeros(0), np.zeros(0)
    known = [pair for pair in extremes if pair is not None]
    if len(known) < len(extremes):
        return None
    return np.concatenate([pair[0] for pair in known]), np.concatenate([pair[1] for pair in known])


def _settled(m: Measure, lists: Rankings) -> Array:
    """Score lists that are as the measure asks; undefined scores count as they do in `score` by default."""
    value = m.declaration.formula(lists, **m.parameters)
    return np.where(np.isnan(value), max(0.0, m.declaration.low), value)


def bounds_of_runs(judged: Judged, measures: Sequence[Measure], *, tail: Tail = "unseen") -> Bounds:
    """Bound every score of a collection: [measure, run, topic] each, NaN where no bound is offered."""
    shape = len(measures), len(judged.runs), len(judged.topics)
    least, most = np.full(shape, np.nan), np.full(shape, np.nan)
    for cell, lists in judged.rankings():
        for i, m in enumerate(measures):
            extremes = bounds(m, lists, tail=tail)
            if extremes is not None:
                least.reshape(shape[0], -1)[i, cell], most.reshape(shape[0], -1)[i, cell] = extremes
    return least, most


def completed_scores(judged: Judged, measures: Sequence[Measure]) -> Array:
    """Score a collection with all unjudged documents of each list at the highest grade. [measure, run, topic]

    That is one completion of the judgments, so the score is within the bounds; often it is the most.
    """
    out = np.full((len(measures), len(judged.runs) * len(judged.topics)), np.nan)
    for cell, lists in judged.rankings():
        for i, m in enumerate(measures):
            out[i, cell] = _settled(m, at_highest(m.prepare(lists)))
    return out.reshape(len(measures), len(judged.runs), len(judged.topics))
