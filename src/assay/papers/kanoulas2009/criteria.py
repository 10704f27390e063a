"""Thresholds at which the verdict on a claim of kanoulas2009 changes, where the paper gives no number."""

from __future__ import annotations

from assay.core.thresholds import Threshold

CLOSE_DISCOUNTS = Threshold(
    "close_discounts", 0.1, unit="share of weight", meaning="by which discounts may differ and still be very close"
)

CLOSE_RATIOS = Threshold(
    "close_ratios", 0.2, unit="ratio of gains", meaning="by which ratios may differ and still be very close"
)
"""The largest difference in table 2 of what the paper calls very close: no test of that table, then."""

CLOSE_NEEDS = Threshold(
    "close_needs",
    0.1,
    unit="log of topics",
    meaning="by which topics needed may differ and still be almost identical",
)
"""Somewhat more than the 7% (28 to 30) that the paper calls almost identical."""
