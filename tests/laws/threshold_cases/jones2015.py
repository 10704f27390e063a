"""Examples just inside and just outside the thresholds of the claims of jones2015 on any collection."""

from __future__ import annotations

import numpy as np

from assay.analyses.reproduce.decisions import decide
from assay.papers.jones2015.everywhere import above_good_correlation
from assay.results.papers import Claim, Paper, Sources, Verdict
from tests.laws.threshold_cases.case import Case

NO_DATA = Sources(Paper(key="x", cells=()))


def correlates(tau: float) -> Verdict | None:
    """The verdict on the claim that measures correlate well, where two have this tau."""
    return decide(Claim("c", lambda _: {"a, b": above_good_correlation(np.array([tau]))}), NO_DATA)[0].verdict


CASES: dict[str, Case] = {
    "well_correlated": Case(lambda: correlates(0.81), lambda: correlates(0.79), moved=0.9, rule="reproduce"),
}
