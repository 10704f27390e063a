"""The threshold at which the verdict on a claim of webber2010 changes, where the paper gives no number."""

from __future__ import annotations

from assay.core.thresholds import Threshold

SCARCELY_CLOSER = Threshold(
    "scarcely_closer",
    0.02,
    unit="tau",
    meaning="below which rankings are scarcely closer: under half of the least that the paper calls closer, 0.045",
)
