"""What `agreement` says: the correlation of every two measures."""

from __future__ import annotations

from bench.validity.declare import IntervalCheck

INTERVALS = (
    IntervalCheck(
        "agreement: correlation", "agreement", None, ("measure_a", "measure_b"), "correlation", "low", "high"
    ),
)
