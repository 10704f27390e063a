"""Examples just inside and just outside the thresholds of corrections in `judges`."""

from __future__ import annotations

import numpy as np

from assay.analyses.judges.correction.extra_topics import on_extra_topics
from assay.analyses.judges.correction.tables import on_correction
from tests.analyses.judges.simulated import judges
from tests.laws.threshold_cases.case import Case


def few_topics(n: int) -> set[str]:
    """What is said of a correction with n topics judged by people."""
    model = np.linspace(0.1, 0.9, n + 20)[None]
    human = np.where(np.arange(n + 20) < n, model, np.nan)
    return {note.code for note in on_correction(judges(human, model))}


def few_ones(n: int) -> set[str]:
    """What is said where n of 40 scores by people are 1, and the others 0."""
    model = (np.arange(60) % 3 == 0).astype(float)[None]
    human = np.where(np.arange(60) < 40, (np.arange(60) < n).astype(float), np.nan)[None]
    return {note.code for note in on_correction(judges(human, model))}


def shifted(by: float) -> set[str]:
    """What is said of 20 extra topics whose scores are higher by so many standard errors than those of 20 others."""
    one = np.tile([-1.0, 1.0], 10)
    error = float(np.sqrt(2 * one.var(ddof=1) / one.size))
    model = np.concatenate([one, one + by * error])[None]
    human = np.where(np.arange(40) < 20, model, np.nan)
    return {note.code for note in on_extra_topics(judges(human, model))}


CASES: dict[str, Case] = {
    "few_labelled_topics": Case(lambda: few_topics(10), lambda: few_topics(9), moved=11),
    "few_outcomes": Case(lambda: few_ones(5), lambda: few_ones(4), moved=6),
    "extra_topics_doubted": Case(lambda: shifted(1.68), lambda: shifted(1.69), moved=0.2),
    "extra_topics_differ": Case(lambda: shifted(2.33), lambda: shifted(2.34), moved=0.2),
}
