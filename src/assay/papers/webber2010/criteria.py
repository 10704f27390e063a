"""The thresholds at which the verdict on a claim of webber2010 changes, where the paper gives no number."""

from __future__ import annotations

from assay.core.thresholds import Threshold

SCARCELY_CLOSER = Threshold(
    "scarcely_closer",
    0.02,
    unit="tau",
    meaning="below which rankings are scarcely closer: under half of the least that the paper calls closer, 0.045",
)

LEAST_DEEP = Threshold(
    "least_deep",
    100,
    unit="documents",
    meaning="in the longest list, from which on its end stands for depth 1,000: ten times as deep as 10",
)

LIKE_TESTS = Threshold(
    "like_tests",
    0.02,
    unit="of all pairs of runs",
    meaning="below which two tests separate as many: as little as a loss of power that is next to nothing",
)

NO_HARM = Threshold(
    "no_harm",
    0.01,
    unit="of all pairs of runs",
    meaning="below which a loss of power is no harm: half of the least that expanded normalisation loses, 0.020",
)
