"""Examples just inside and just outside the thresholds of `report`, and of those that all analyses share."""

from __future__ import annotations

from dataclasses import replace

from assay.analyses.report.sentences import few_runs, few_topics
from assay.analyses.report.verdict import verdict
from assay.results.sentences import Sentence
from assay.scoring.default_measures import measures_for
from tests.builders.results import sized
from tests.laws.threshold_cases.case import Case


def warns_of_topics(n: int) -> bool:
    """Whether so many topics are called too few."""
    return few_topics(sized(topics=n)) is not None


def warns_of_runs(n: int) -> bool:
    """Whether so many runs are called too few."""
    return few_runs(sized(runs=n)) is not None


def last_sentence(n: int) -> str:
    """The last sentence of a verdict that could have n."""
    said = tuple(Sentence(f"sentence {i}", name=f"own_{i}") for i in range(n))
    return verdict({"power": replace(sized(), sentences=said)})[-1][1].text


CASES: dict[str, Case] = {
    "many_runs": Case(lambda: warns_of_runs(10), lambda: warns_of_runs(9), moved=11, rule="few_runs"),
    "enough_topics": Case(lambda: warns_of_topics(25), lambda: warns_of_topics(24), moved=26, rule="few_topics"),
    "most_sentences": Case(lambda: last_sentence(7), lambda: last_sentence(6), moved=6, rule="report"),
    "deep_lists": Case(
        lambda: measures_for(100, graded=False), lambda: measures_for(99, graded=False), moved=101, rule="report"
    ),
}
