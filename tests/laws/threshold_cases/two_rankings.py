"""Examples just inside and just outside the thresholds of `case`."""

from __future__ import annotations

from assay.analyses.case.analysis import case
from tests.laws.threshold_cases.case import Case
from tests.laws.threshold_cases.refusals import refused


def refuses(n_rel: int) -> bool:
    """Whether a case with so many relevant documents is refused."""
    return refused(lambda: case("10", "01", n_rel=n_rel, measure=["P"]))


CASES: dict[str, Case] = {
    "case_relevant": Case(lambda: refuses(1_000_000), lambda: refuses(1_000_001), moved=999_999, rule="case"),
}
