"""The threshold at which the verdict on a claim of kanoulas2009 changes, where the paper gives no number."""

from __future__ import annotations

from assay.core.thresholds import Threshold

CLOSE_DISCOUNTS = Threshold(
    "close_discounts", 0.1, unit="share of weight", meaning="by which discounts may differ and still be very close"
)
