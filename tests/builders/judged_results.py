"""Results of `judges`, from scores and labels that are made so that something is, or is not, to be said."""

from __future__ import annotations

import numpy as np

from assay.analyses.judges.analysis import judges
from assay.core.arrays import Array
from assay.results.result import Result
from assay.scoring.judges.judges import Judges
from tests.builders.judges import judges_by_scores
from tests.builders.labels import labelled


def scored(
    *,
    n_runs: int = 12,
    n_topics: int = 30,
    lead: float = 0.05,
    shift: float = 0.0,
    first: float = 0.0,
    extra: int = 0,
) -> Result:
    """Runs that are `lead` apart by the reference; the judge adds `shift` to all, `first` to the first of them.

    Of `extra` topics more only the judge has scores.
    """
    rng = np.random.default_rng(4)
    n = n_topics + extra
    human = 0.3 + lead * np.arange(n_runs)[:, None] + rng.normal(0, 0.1, n) + rng.normal(0, 0.02, (n_runs, n))
    model: Array = human + shift + rng.normal(0, 0.02, (n_runs, n))
    model[0] += first
    human[:, n_topics:] = np.nan
    return judges(judges_by_scores({"human": human, "model": model}), splits=20)


def documents(n_wrong: int) -> Result:
    """A judge who calls n_wrong of 400 documents by another grade than the reference."""
    grade = np.arange(400) % 4.0
    model = grade.copy()
    model[:n_wrong] = (model[:n_wrong] + 2) % 4
    labels = labelled({"human": grade, "model": model}, topics=np.arange(400) % 20)
    return judges(Judges(labels.names, labels))
