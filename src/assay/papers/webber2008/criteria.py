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
LARGE_POPULATION = Threshold(
    "large_population",
    200,
    unit="topics",
    meaning="from which on a collection stands for a large population: eight sets of 25 fit into it",
)
