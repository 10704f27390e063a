"""Examples just inside and just outside the thresholds of `error`."""

from __future__ import annotations

from dataclasses import replace

from assay.analyses.error.analysis import error
from assay.analyses.error.sentences import document_errors, small_sample_bias
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from tests.builders.error import sampled
from tests.laws.threshold_cases.case import Case


def interval_of(n_relevant: int) -> str:
    """Whether the error bar of a topic with so many relevant documents is estimated."""
    docs = [f"d{i}" for i in range(n_relevant)]
    ranked = {doc: float(n_relevant - i) for i, doc in enumerate([*docs, "other"])}
    qrels = {"t": dict.fromkeys(docs, 1) | {"other": 0}}
    data = Collection(read_runs({"r": {"t": ranked}}), read_qrels(qrels))
    return str(error(data, resamples=2).tables["topics"]["interval"].item())


ERRORS = Case(  # a quarter of the error by topics, 0.03, and a quarter more
    lambda: document_errors(sampled(0.03, 0.0095)) is not None,
    lambda: document_errors(sampled(0.03, 0.0093)) is not None,
    moved=0.26,
    rule="document_errors",
)
CASES: dict[str, Case] = {
    "estimable_relevant": Case(lambda: interval_of(8), lambda: interval_of(7), moved=9, rule="error"),
    "notable_bias": Case(  # of an AP of 0.3
        lambda: small_sample_bias(sampled(0.0061, 0.01)) is not None,
        lambda: small_sample_bias(sampled(0.0059, 0.01)) is not None,
        moved=0.03,
        rule="small_sample_bias",
    ),
    "notable_document_error": ERRORS,
    "overstated_document_error": replace(ERRORS, moved=1.3),
}
