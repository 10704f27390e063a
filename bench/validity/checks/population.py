"""What `population` says with intervals: how far samples of documents move measures, and how chances come true."""

from __future__ import annotations

from bench.validity.declare import IntervalCheck, NotStudied, Settings

TRUTHS = ("NPL, resampled", "simulated, few runs, graded")
"""Samples of documents need judgments that are complete, and topics that are many."""

_SAMPLED: Settings = (("halvings", "1-3"), ("samples", 40), ("subsample", True))
_CELL = ("measure", "policy", "n")
_ENDS = ("bias", "low", "high")
INTERVALS: tuple[IntervalCheck, ...] = (
    IntervalCheck("population: bias of samples", "population", None, _CELL, *_ENDS, settings=_SAMPLED),
    IntervalCheck(
        "population: bias of samples, by run", "population", "runs", ("run", *_CELL), *_ENDS, settings=_SAMPLED
    ),
)
NOT_STUDIED: tuple[NotStudied, ...] = (
    NotStudied(
        "population",
        "populations",
        "low",
        "a range of means over populations drawn from a model, whose only error is that of their number: no data is "
        "a sample",
    ),
    NotStudied(
        "population",
        "calibration",
        "low",
        "only with --fit, on scores of runs: of the populations here one has scores, and these are those of a model; "
        "the others know ranks alone",
    ),
)
