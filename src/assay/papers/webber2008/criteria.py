"""The thresholds at which verdicts on webber2008's claims change, where the paper gives no number."""

from __future__ import annotations

from assay.core.thresholds import Threshold

PHI_MARGIN = Threshold(
    "phi_margin",
    0.01,
    unit="phi",
    meaning="by which a measure may predict another less well than that predicts itself, and still do as well",
)
PHI_LIKENESS = Threshold(
    "phi_likeness",
    0.05,
    unit="phi",
    meaning="by which measures may differ and still behave alike: neighbours in table 1 differ by as much",
)
LEAST_TO_PREDICT = Threshold(
    "least_to_predict", 10, unit="runs or topics", meaning="below which a collection is left out of --everywhere"
)
SAME_SCORES = Threshold(
    "same_scores", 0.99, unit="share of P@10", meaning="that is equal in two files of one collection"
)
PATIENT_RBP = Threshold(
    "patient_rbp", 0.9, unit="persistence", meaning="from which on RBP looks deep enough to stand beside AP"
)
