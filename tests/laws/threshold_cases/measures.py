"""Examples just inside and just outside the thresholds of `measures`."""

from __future__ import annotations

from assay.analyses.measures.analysis import measures
from tests.laws.threshold_cases.case import Case
from tests.laws.threshold_cases.refusals import refused


def refuses(depth: int) -> bool:
    """Whether rank weights to a depth are refused."""
    return refused(lambda: measures("P@1", weights=True, depth=depth))


CASES: dict[str, Case] = {
    "deepest_rank_weights": Case(lambda: refuses(10_000), lambda: refuses(10_001), moved=9_999, rule="measures"),
}
