"""What `glance` warns of: each caveat is triggered and not, and its threshold holds at its border."""

from __future__ import annotations

import pytest

from assay.analyses.glance import sentences as caveats
from assay.core.notes import Note
from assay.data.judgments.merging import RETRIEVED_ONLY
from assay.results.result import Result
from assay.results.sentences import RULES
from tests.builders.results import assert_says, seen, text

CASES: dict[str, tuple[Result, Result, tuple[str, ...]]] = {
    "unjudged_documents": (
        seen(judged=[0.89, 0.95]),
        seen(judged=[0.9, 0.95]),
        ("a has", "unjudged documents among the first 10", "11.0%"),
    ),
    "ties": (
        seen(unsettled=[0.2, 0.6]),
        seen(unsettled=[0.1, 0.0]),
        ("2 runs have", "ties", "first 10", "most of all b", "60.0%"),
    ),
    "small_topics": (
        seen(n_relevant=[4] * 6 + [5] * 44),
        seen(n_relevant=[4] * 5 + [5] * 44 + [0]),
        ("6 topics", "fewer than 5 relevant documents", "12.0% of topics"),
    ),
    "empty_topics": (seen(n_relevant=[0, *[9] * 49]), seen(), ("1 topic has no relevant document",)),
    "retrieved_only": (
        seen(notes=(Note(RETRIEVED_ONLY, "warning", "judged where retrieved"),)),
        seen(notes=(Note("another", "warning", "judged where retrieved"),)),
        ("only retrieved documents are judged", "too high"),
    ),
    "missing_lists": (
        seen(n_lists=[50, 48]),
        seen(n_lists=[50, 49]),
        ("2 lists are missing and count as empty", "2.0% of lists"),
    ),
    "same_runs": (seen(same=[None, "a"]), seen(), ("1 run repeats another", "b = a")),
}
"""Caveat -> what triggers it, what just does not, and what it says."""


@pytest.mark.parametrize("name", CASES)
def test_a_caveat_is_said_beyond_its_threshold_only(name: str) -> None:
    triggers, does_not, facts = CASES[name]
    assert RULES[name].caveat
    assert_says(RULES[name].speak(triggers), *facts)
    assert RULES[name].speak(does_not) == ()


def test_every_caveat_of_glance_has_its_case() -> None:
    assert {rule.name for rule in RULES.values() if rule.of == ("glance",)} == set(CASES)


def test_of_several_runs_the_furthest_above_is_named() -> None:
    said = caveats.unjudged_documents(seen(judged=[0.8, 0.3]))
    assert_says(said, "2 runs have", "most of all b", "70.0%")
    assert said is not None
    assert said.value == pytest.approx(0.7)
    assert said.shown == "70.0%"


def test_topics_without_any_relevant_document_are_counted_by_themselves() -> None:
    both = seen(n_relevant=[0] * 10 + [1] * 6 + [9] * 34)
    assert_says(caveats.small_topics(both), "6 topics", "12.0% of topics")
    assert_says(caveats.empty_topics(both), "10 topics")


def test_many_runs_that_repeat_another_are_counted_and_two_are_named() -> None:
    runs = seen().tables["runs"]
    many = runs.with_columns(same_as=runs["run"])
    three = Result("glance", many, {"runs": many.vstack(many), "topics": seen().tables["topics"]})
    assert text(caveats.same_runs(three)) == "4 runs repeat another: a = a, b = b and 2 more"
