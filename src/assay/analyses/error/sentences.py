"""What documents as a sample mean: how much of MAP is bias, and how much error documents bring."""

from __future__ import annotations

from typing import Any

from assay.core.text import known, percent
from assay.core.thresholds import Threshold
from assay.results.result import Result
from assay.results.sentences import Sentence, sentence

NOTABLE_BIAS = Threshold(
    "notable_bias", 0.02, unit="of MAP", meaning="from which on the bias of small samples is said"
)
NOTABLE_ERROR = Threshold(
    "notable_document_error",
    0.25,
    unit="of the error by topics",
    meaning="from which on the error by documents is said",
)
OVERSTATED_ERROR = Threshold(
    "overstated_document_error",
    1.25,
    unit="times the true ratio",
    meaning="what draws of documents may show, so that the ratio said must be so many times the one worth saying",
)


@sentence("error", cite="robertson2007, own")
def small_sample_bias(error: Result) -> Sentence | None:
    """Says which share of MAP is the bias of small samples of documents.

    Where the interval of that share, runs averaged, is above {notable_bias:.0%} (own); topics, each with its sample
    of documents, are the sample.
    """
    row = _overall(error)
    if not known(row["share_low"]) or row["share_low"] < NOTABLE_BIAS.value:
        return None
    why = "part of it is bias, as AP counts every relevant document of a sample in its own favour"
    ends = ("bias_share", "share_low", "share_high")
    return Sentence.of("Read MAP as too high", row, percent, why=why, ends=ends, shown="{} of MAP")


@sentence("error", cite="robertson2007, cormack2006, own")
def document_errors(error: Result) -> Sentence | None:
    """Says how large the error by documents is beside that by topics.

    Where the interval of their ratio is above {notable_document_error:.0%} (own), times {overstated_document_error}
    (own): so much may draws of documents overstate it, where populations are known. Both are standard errors of mean
    AP_LOO, their variances averaged over runs.
    """
    row = _overall(error)
    if not known(row["ratio_low"]) or row["ratio_low"] < OVERSTATED_ERROR.value * NOTABLE_ERROR.value:
        return None
    why = "other documents for the same topics would also move a run's mean"
    ends = ("error_ratio", "ratio_low", "ratio_high")
    shown = "{} as far as other topics would"
    return Sentence.of("Count documents as a source of error", row, percent, why=why, ends=ends, shown=shown)


def _overall(error: Result) -> dict[str, Any]:
    """What all runs together have; nothing where no topic has two relevant documents."""
    overall = error.tables.get("overall")
    return {"share_low": None, "ratio_low": None} if overall is None else overall.row(0, named=True)
