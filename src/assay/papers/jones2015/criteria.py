"""The thresholds at which verdicts on claims of jones2015 change, where the paper gives no number."""

from __future__ import annotations

from assay.core.thresholds import Threshold

DECIDING_SHARE = Threshold(
    "deciding_share",
    0.5,
    unit="share of the variance",
    meaning="from which on a single property decides whether two measures agree",
)

WELL_CORRELATED = Threshold(
    "well_correlated",
    0.8,
    unit="Kendall's tau",
    meaning="from which on two measures that rank runs by their means correlate well",
)
