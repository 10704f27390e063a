"""Examples just inside and just outside the thresholds of `properties`."""

from __future__ import annotations

from assay.analyses.properties.analysis import properties
from tests.laws.threshold_cases.case import Case


def groups(*measures: str) -> bool:
    """Whether measures are compared in groups."""
    return "groups" in properties(measure=measures).tables


CASES: dict[str, Case] = {
    "measures_for_groups": Case(
        lambda: groups("P", "R", "RR", "SetP"), lambda: groups("P", "R", "RR"), moved=5, rule="properties"
    ),
}
