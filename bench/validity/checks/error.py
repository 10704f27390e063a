"""What `error` says: the bias of small samples of documents, means over topics and what explains them."""

from __future__ import annotations

from assay.analyses.error.sentences import NOTABLE_BIAS, NOTABLE_ERROR
from assay.core.thresholds import Threshold
from assay.results.result import Result
from bench.validity.collections import CHOICE, CONFIRMATION, CollectionTruth
from bench.validity.declare import Facts, IntervalCheck, Key, NotStudied, SentenceCheck, Settings
from bench.validity.documents import document_facts

REPLICATES = 60
TRUTHS = tuple(name for name in CHOICE | CONFIRMATION if name.endswith("of the documents"))
"""Only of these is the bias known: samples hold a share of a known population of documents."""

_MORE: Settings = (("measure", ("P@10",)), ("n_docs", 600_000), ("resamples", 20))


def _true_bias(truth: CollectionTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    facts = document_facts(truth.name)
    return {(run,): float(bias) for run, bias in zip(facts.runs, facts.bias, strict=True)}


def _true_share(truth: CollectionTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    return {(): document_facts(truth.name).bias_share}


_BIAS = "what AP is above the precision of all documents at the same relevant ones, in the mean over topics"
_RUN = ("run",)
_SLOPES = ("generality", "hardness")
INTERVALS: tuple[IntervalCheck, ...] = (
    IntervalCheck("error: bias", "error", None, _RUN, "bias", "bias_low", "bias_high", _BIAS, _true_bias),
    IntervalCheck("error: random-effects mean", "error", None, _RUN, "random_mean", "low", "high"),
    IntervalCheck(
        "error: bias share of all runs",
        "error",
        "overall",
        (),
        *("bias_share", "share_low", "share_high"),
        "the mean of that over MAP, runs averaged",
        _true_share,
    ),
    IntervalCheck(
        "error: document over topic error", "error", "overall", (), "error_ratio", "ratio_low", "ratio_high"
    ),
    IntervalCheck("error: micro-average", "error", "micro", ("run", "average"), "micro", "low", "high"),
    IntervalCheck("error: mean of the hierarchy", "error", "hierarchy", _RUN, "mean", "low", "high"),
    IntervalCheck(
        "error: spread between topics", "error", "hierarchy", _RUN, "between_sd", "between_low", "between_high"
    ),
    *(
        IntervalCheck(f"error: slope of {name}", "error", "hierarchy", _RUN, name, f"{name}_low", f"{name}_high")
        for name in _SLOPES
    ),
    IntervalCheck(
        "error: inverse pairwise error",
        "error",
        "single",
        _RUN,
        *("inverse", "inverse_low", "inverse_high"),
        settings=_MORE,
        label="exact for any distribution, because the mean of an inverse hangs on topics that few samples hold",
    ),
    *(
        IntervalCheck(
            f"error: {value} with relevant documents",
            "error",
            "stability",
            ("measure",),
            *(value, low, high),
            settings=_MORE,
        )
        for value, low, high in (
            ("tau", "tau_low", "tau_high"),
            ("tau_relative", "relative_low", "relative_high"),
        )
    ),
)
NOT_STUDIED: tuple[NotStudied, ...] = (
    NotStudied(
        "error",
        "topics",
        "low",
        "an interval of one topic's value in an unlimited collection: samples here hold other topics each time; "
        "`python -m bench.documents` holds it against score models whose value is known",
    ),
    NotStudied(
        "error",
        "single_topics",
        "low",
        "an interval of one topic, from the rank of one document: Clopper and Pearson's is exact for it, and another "
        "sample would hold other topics",
    ),
)


def _claim(result: Result, name: str) -> float | None:
    """The lower end of what a sentence says."""
    return next((sentence.low for sentence in result.sentences if sentence.name == name), None)


def _notable(name: str, fact: str, least: Threshold) -> SentenceCheck:
    """A sentence that says that something is at least as large as a threshold."""

    def is_notable(facts: Facts) -> bool:
        return float(getattr(document_facts(facts.population.name), fact)) >= least.value

    return SentenceCheck(
        name, "error", lambda result: _claim(result, name), lambda _, facts: not is_notable(facts), is_notable
    )


SENTENCES: tuple[SentenceCheck, ...] = (
    _notable("small_sample_bias", "bias_share", NOTABLE_BIAS),
    _notable("document_errors", "error_ratio", NOTABLE_ERROR),
)
