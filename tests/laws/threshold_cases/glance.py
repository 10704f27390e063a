"""Examples just inside and just outside the thresholds of `glance`."""

from __future__ import annotations

from assay.results.result import Result
from assay.results.sentences import RULES, load_sentences
from tests.builders.results import seen
from tests.laws.threshold_cases.case import Case

load_sentences("glance")


def warns(name: str, glance: Result) -> bool:
    """Whether a caveat is said of a collection."""
    return bool(RULES[name].speak(glance))


CASES: dict[str, Case] = {
    "unjudged_share": Case(
        lambda: warns("unjudged_documents", seen(judged=(0.89, 1.0))),
        lambda: warns("unjudged_documents", seen(judged=(0.9, 1.0))),
        moved=0.12,
        rule="unjudged_documents",
    ),
    "ties_share": Case(
        lambda: warns("ties", seen(unsettled=(0.11, 0.0))),
        lambda: warns("ties", seen(unsettled=(0.1, 0.0))),
        moved=0.12,
        rule="ties",
    ),
    "small_topics_share": Case(
        lambda: warns("small_topics", seen(n_relevant=[4] * 6 + [9] * 44)),
        lambda: warns("small_topics", seen(n_relevant=[4] * 5 + [9] * 45)),
        moved=0.15,
        rule="small_topics",
    ),
    "few_relevant": Case(
        lambda: warns("small_topics", seen(n_relevant=[4] * 50)),
        lambda: warns("small_topics", seen(n_relevant=[5] * 50)),
        moved=4,
        rule="small_topics",
    ),
    "missing_share": Case(
        lambda: warns("missing_lists", seen(n_lists=(50, 48))),
        lambda: warns("missing_lists", seen(n_lists=(50, 49))),
        moved=0.03,
        rule="missing_lists",
    ),
}
