"""Examples just inside and just outside the thresholds of `reuse`."""

from __future__ import annotations

from assay.analyses.reuse.sentences import fairness
from tests.builders.results import left_out
from tests.laws.threshold_cases.case import Case


def judged_fairly(fall: int) -> bool:
    """Whether new runs would be judged fairly where one of 20 falls by so many places."""
    return fairness(left_out(0.95, 0.01, fall)) is True


CASES: dict[str, Case] = {
    "fair_fall": Case(lambda: judged_fairly(2), lambda: judged_fairly(3), moved=0.09, rule="new_runs"),
}
