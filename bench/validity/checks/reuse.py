"""What `reuse` says: tau of rankings with and without runs' own documents, and whether new runs are judged fairly."""

from __future__ import annotations

from assay.analyses.reuse.analysis import reuse
from assay.analyses.reuse.sentences import FAIR_FALL, fairness
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU
from bench.validity.collections import CollectionTruth
from bench.validity.declare import Facts, IntervalCheck, SentenceCheck, Settings, said

SIZES = (25, 50)
_ASKED: Settings = (("measure", ("AP", "nDCG@10")), ("pool_depth", 10))
_TAU = "reuse: tau"
INTERVALS: tuple[IntervalCheck, ...] = (
    IntervalCheck(
        _TAU,
        "reuse",
        "summary",
        ("measure", "what"),
        "tau",
        "tau_low",
        "tau_high",
        settings=_ASKED,
        label="taus near 1, whose spread between halves of the topics is larger than that of all of them",
    ),
)


def _verdict(result: Result) -> bool | None:
    """Fair or not; None where nothing is said, or that it is inconclusive."""
    return fairness(result) if said(result, "new_runs") else None


_FALLS: dict[str, float] = {}  # by population


def _largest_fall(truth: CollectionTruth) -> float:
    """The most places that a run falls, on all topics of the population, as a share of all places."""
    if truth.name not in _FALLS:
        falls = reuse(truth.whole(), **dict(_ASKED)).tables["summary"]["largest_fall"]
        _FALLS[truth.name] = max(falls.to_list()) / truth.n_runs
    return _FALLS[truth.name]


def _is_fair(facts: Facts) -> bool:
    """Whether the rankings are expected to be alike, and no run falls far on all topics."""
    assert isinstance(facts.population, CollectionTruth)
    alike = min(facts.expected[_TAU].values()) >= EQUIVALENT_TAU.value
    return alike and _largest_fall(facts.population) <= FAIR_FALL.value


def _is_wrong(fair: bool, facts: Facts) -> bool:  # noqa: FBT001
    return fair != _is_fair(facts)


SENTENCES: tuple[SentenceCheck, ...] = (SentenceCheck("new_runs", "reuse", _verdict, _is_wrong, settings=_ASKED),)
