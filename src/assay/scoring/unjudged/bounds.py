"""How far unjudged documents could move scores, each under the judgments that its condition asks for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.data.judged import Judged
from assay.measures.bounds.residuals import Bounds, Tail, bounds_of_runs
from assay.scoring.conditions import Under, parse_condition
from assay.scoring.scores import Scores


def score_bounds(scores: Scores, judged_under: Callable[[Under], Judged], *, tail: Tail) -> Bounds:
    """The least and the most that each score could be, [condition, run, topic] each.

    NaN where there is no score, where a measure offers no bound, and for normalised scores. `judged_under` gives the
    same runs and topics under the judgments of a condition.
    """
    asked = [parse_condition(condition) for condition in scores.conditions]
    least, most = (np.full(scores.value.shape, np.nan) for _ in range(2))
    for under in dict.fromkeys(c.under for c in asked):
        rows = [i for i, c in enumerate(asked) if c.under == under and c.normalization == "raw"]
        least[rows], most[rows] = bounds_of_runs(judged_under(under), [asked[i].measure for i in rows], tail=tail)
    scored = ~np.isnan(scores.value)
    return np.where(scored, least, np.nan), np.where(scored, most, np.nan)
