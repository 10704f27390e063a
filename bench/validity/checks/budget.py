"""What `budget` says: the predictive power of designs, and which of them a budget is best spent on."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.results.result import Result
from bench.validity.declare import Facts, IntervalCheck, NotStudied, SentenceCheck, said

_SETTINGS = (("splits", 200),)  # as in the report
_AT_BUDGET = "budget: phi, budget"
_DESIGN, _POINT = ("measure", "pool_depth"), ("measure", "pool_depth", "n_topics")
_PHI, _SELF = ("phi", "low", "high"), ("phi_self", "self_low", "self_high")
INTERVALS = (
    IntervalCheck(_AT_BUDGET, "budget", None, _DESIGN, *_PHI, settings=_SETTINGS),
    IntervalCheck("budget: phi_self, budget", "budget", None, _DESIGN, *_SELF, settings=_SETTINGS),
    IntervalCheck("budget: phi, curve", "budget", "curve", _POINT, *_PHI, settings=_SETTINGS),
    IntervalCheck("budget: phi_self, curve", "budget", "curve", _POINT, *_SELF, settings=_SETTINGS),
)
NOT_STUDIED = tuple(
    NotStudied("budget", "budget", low, "the same intervals as in the answer, for every budget")
    for low in ("low", "self_low")
)


def _may_be_best(result: Result) -> list[list[str]] | None:
    if not said(result, "best_design"):
        return None
    rows = result.table.filter("best").select(_DESIGN).rows()
    return [[str(cell) for cell in row] for row in rows]


def _best_is_missing(designs: Sequence[Sequence[str]], facts: Facts) -> bool:
    """Whether the design of the highest expected phi is not among those said to be best."""
    expected = facts.expected[_AT_BUDGET]
    most = max(value for value in expected.values() if not math.isnan(value))
    return not any(expected[tuple(design)] >= most - 1e-12 for design in designs)


SENTENCES = (SentenceCheck("best_design", "budget", _may_be_best, _best_is_missing, settings=_SETTINGS),)
