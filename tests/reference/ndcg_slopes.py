"""Stability or smoothed power of nDCG, with exact slopes by every gain and discount: checks what the optimiser finds.

The slope by each score, of a ratio of two quadratic forms, is carried through both halves of nDCG topic by topic: the
discounted gain, and the ideal one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.ndcg import CriterionName, Ideal, criterion, ndcg
from assay.core.arrays import Array, Counts, Index


@dataclass(frozen=True, slots=True)
class StabilitySlopes:
    """A coefficient at one topic, and how it changes with gain and discount."""

    value: float
    by_gain: Array  # [grade]
    by_discount: Array  # [rank]


def stability_slopes(
    lists: GradedLists, gain: Array, discount: Array, coefficient: CriterionName = "phi", *, ideal: Ideal = "gain"
) -> StabilitySlopes:
    """Where two gains are equal and the ideal is sorted by gain, the slope is as if the higher grade came first."""
    x = ndcg(lists, gain, discount, ideal=ideal)
    at_scores = criterion(coefficient)(x)
    value, slope = at_scores.value, at_scores.slope()
    by_gain, by_discount = np.zeros(gain.size), np.zeros(discount.size)
    for topic in range(lists.n_topics):
        best = _ideal_grades(lists.pool[topic], gain, ideal)[: discount.size]
        whole = float(gain[best] @ discount[: best.size])
        if whole == 0:
            continue
        for run in range(lists.n_runs):
            grades = lists.grade[run, topic, : discount.size]
            own, times = slope[run, topic] / whole, -slope[run, topic] * x[run, topic] / whole
            for ranked, weight in ((grades, own), (best, times)):
                for rank, grade in enumerate(ranked):
                    if grade >= 0:
                        by_gain[grade] += weight * discount[rank]
                        by_discount[rank] += weight * gain[grade]
    return StabilitySlopes(value, by_gain, by_discount)


def _ideal_grades(pool: Counts, gain: Array, ideal: Ideal) -> Index:
    """The grades of the ideal ranking, the first first; those without gain are not in it. [rank]"""
    grades = [g for g in range(gain.size - 1, -1, -1) if (gain[g] > 0 if ideal == "gain" else gain[g] != 0)]
    ordered = sorted(grades, key=lambda g: -gain[g]) if ideal == "gain" else grades
    return np.repeat(np.array(ordered, dtype=np.intp), [int(pool[g]) for g in ordered])
