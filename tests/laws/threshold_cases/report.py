"""Examples just inside and just outside the thresholds of `report`, and of those that all analyses share."""

from __future__ import annotations

from dataclasses import replace

from assay.analyses.report.sentences import few_runs, few_topics
from assay.analyses.report.verdict import lacking, verdict
from assay.results.result import Result
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


def spoken(n: int) -> dict[str, Result]:
    """A result that says n sentences, on few topics."""
    said = tuple(Sentence(f"sentence {i}", name=f"own_{i}") for i in range(n))
    return {"power": replace(sized(topics=3), sentences=said)}


def last_sentence(n: int) -> str:
    """The last decided sentence of a verdict that could have n."""
    return [said.text for _, said in verdict(spoken(n)) if said.status == "decided"][-1]


def says_what_is_lacking(n: int) -> bool:
    """Whether a verdict of so many sentences says what is lacking."""
    return bool(lacking(verdict(spoken(n)), spoken(n)))


CASES: dict[str, Case] = {
    "many_runs": Case(lambda: warns_of_runs(10), lambda: warns_of_runs(9), moved=11, rule="few_runs"),
    "enough_topics": Case(lambda: warns_of_topics(25), lambda: warns_of_topics(24), moved=26, rule="few_topics"),
    "most_sentences": Case(lambda: last_sentence(6), lambda: last_sentence(5), moved=5, rule="report"),
    "few_sentences": Case(lambda: says_what_is_lacking(3), lambda: says_what_is_lacking(2), moved=4, rule="report"),
    "deep_lists": Case(
        lambda: measures_for(100, graded=False), lambda: measures_for(99, graded=False), moved=101, rule="report"
    ),
}
