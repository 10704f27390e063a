"""Examples just inside and just outside the thresholds of `simulate`."""

from __future__ import annotations

import numpy as np

from assay.analyses.simulate.fitting import fit
from assay.analyses.simulate.model import Size
from assay.analyses.simulate.truth import check_truth
from assay.scoring.scores import Scores
from tests.laws.threshold_cases.case import Case
from tests.laws.threshold_cases.refusals import refused

SMALL = Size(n_runs=5, n_topics=5, n_docs=1000, n_relevant=20, depth=100, n_contributors=2, n_equal=0)


def refuses_fit(n_runs: int) -> bool:
    """Whether no model is fitted to the scores of so many runs on five topics."""
    value = np.random.default_rng(0).random((1, n_runs, 5))
    return refused(lambda: fit(Scores(("AP",), tuple("abcde"[:n_runs]), tuple("12345"), value), SMALL))


def refuses_size(**size: int) -> bool:
    """Whether a collection of this size is refused."""
    return refused(lambda: Size(**({"n_relevant": 2} | size)))


CASES: dict[str, Case] = {
    "fewest_truth_topics": Case(
        lambda: refused(lambda: check_truth([], 40)),
        lambda: refused(lambda: check_truth([], 39)),
        moved=41,
        rule="simulate",
    ),
    "fewest_fitted": Case(lambda: refuses_fit(5), lambda: refuses_fit(4), moved=6, rule="simulate"),
    "fewest_documents": Case(
        lambda: refuses_size(n_docs=10), lambda: refuses_size(n_docs=9), moved=11, rule="simulate"
    ),
    "highest_grade": Case(lambda: refuses_size(top=100), lambda: refuses_size(top=101), moved=99, rule="simulate"),
    "largest_generality": Case(
        lambda: refuses_size(n_docs=100, n_relevant=50),
        lambda: refuses_size(n_docs=100, n_relevant=51),
        moved=0.49,
        rule="simulate",
    ),
}
