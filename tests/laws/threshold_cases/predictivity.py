"""Examples just inside and just outside the thresholds of `predictivity`."""

from __future__ import annotations

import numpy as np

from assay.analyses.predictivity.analysis import predictivity
from assay.scoring.scores import Scores
from tests.builders.arrays import measure_scores
from tests.laws.threshold_cases.case import Case


def verdicts(splits: int) -> set[str]:
    """The verdicts on a measure and its copy, from so many splits."""
    x = measure_scores(1, 12, 24)[0]
    runs, topics = (tuple(f"{word}{i}" for i in range(n)) for word, n in (("r", 12), ("t", 24)))
    copies = Scores(("a", "b"), runs, topics, np.stack([x, x]))
    return set(predictivity(copies, splits=splits).tables["redundancy"]["verdict"])


CASES: dict[str, Case] = {
    "least_splits": Case(lambda: verdicts(50), lambda: verdicts(49), moved=51, rule="predictivity"),
}
