"""What `informativeness` says: how well a score predicts the recall-precision curve, and which does best."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analyses.informativeness.analysis import NOTHING
from assay.results.result import Result
from bench.validity.declare import Facts, IntervalCheck, SentenceCheck, said

_RMS = "informativeness: rms"
INTERVALS = (
    IntervalCheck(_RMS, "informativeness", None, ("measure",), "rms", "low", "high"),
    IntervalCheck("informativeness: mae", "informativeness", None, ("measure",), "mae", "mae_low", "mae_high"),
    IntervalCheck(
        "informativeness: difference",
        "informativeness",
        "pairs",
        ("measure_a", "measure_b"),
        *("difference", "low", "high"),
    ),
)


def _may_be_best(result: Result) -> list[str] | None:
    if not said(result, "most_informative"):
        return None
    return list(result.table.filter("best")["measure"])


def _best_is_missing(measures: Sequence[str], facts: Facts) -> bool:
    """Whether the measure of the lowest expected error is not among those said to be best."""
    expected = {key[0]: value for key, value in facts.expected[_RMS].items() if key[0] != NOTHING}
    return min(expected, key=lambda m: expected[m]) not in measures


SENTENCES = (SentenceCheck("most_informative", "informativeness", _may_be_best, _best_is_missing),)
