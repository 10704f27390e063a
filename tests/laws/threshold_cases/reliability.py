"""Examples just inside and just outside the thresholds of `reliability`."""

from __future__ import annotations

from assay.analyses.reliability.analysis import reliability
from tests.builders.reliability import noisy_scores
from tests.laws.threshold_cases.case import Case


def few_levels(n: int) -> bool:
    """Whether a note says that a facet of n levels has few."""
    names = tuple(f"AP/shard={i}" for i in range(n))
    return "few_levels" in {note.code for note in reliability(noisy_scores(4, 5, names=names)).notes}


CASES: dict[str, Case] = {
    "many_levels": Case(lambda: few_levels(5), lambda: few_levels(4), moved=6, rule="reliability"),
}
