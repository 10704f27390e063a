"""The threshold at which the verdict on a claim of jones2015 changes, where the paper gives no number."""

from __future__ import annotations

from assay.core.thresholds import Threshold

DECIDING_SHARE = Threshold(
    "deciding_share",
    0.5,
    unit="share of the variance",
    meaning="from which on a single property decides whether two measures agree",
)
