"""The thresholds at which verdicts on robertson2007's claims change, where the paper gives no number."""

from __future__ import annotations

from assay.core.thresholds import Threshold

CONSISTENT_Z = Threshold(
    "consistent_z",
    3.0,
    unit="standard deviations",
    meaning="by which a printed cell may be off, given All of its table",
)
FEW_DOCUMENTS = Threshold(
    "few_documents",
    0.1,
    unit="of the relevant documents",
    meaning="that can still be called a few of them",
)
NEAR_ONE = Threshold(
    "near_one", 0.02, unit="score", meaning="by which a measure that has come to 1, or to 0, may be short of it"
)
STABLE_MEAN = Threshold(
    "stable_mean",
    0.001,
    unit="score",
    meaning="by which a mean may change and still be stable: the last digit that is printed",
)
