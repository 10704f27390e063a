"""Examples just inside and just outside the thresholds of `agreement`."""

from __future__ import annotations

from assay.analyses.agreement.sentences import unlike_measures
from tests.builders.results import agreed, text
from tests.laws.threshold_cases.case import Case


def alike(tau: float) -> bool:
    """Whether two measures with this tau are said to rank the runs alike."""
    return "rank the runs alike" in text(unlike_measures(agreed({("AP", "RR"): tau}, half=0.0)))


CASES: dict[str, Case] = {
    "equivalent_tau": Case(lambda: alike(0.9), lambda: alike(0.899), moved=0.91, rule="unlike_measures"),
}
