"""What `properties` says of runs: how many lists violate a property."""

from __future__ import annotations

from bench.validity.declare import IntervalCheck

INTERVALS = (
    IntervalCheck(
        "properties: violated",
        "properties",
        "on_runs",
        ("measure", "property"),
        *("violated", "low", "high"),
        settings=(("measure", ("AP", "RR", "nDCG", "Rprec")),),
    ),
)
