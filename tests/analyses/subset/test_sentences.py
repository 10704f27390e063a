"""What `subset` says: the facts of its sentence, and when there is none."""

from __future__ import annotations

import pytest

from assay.analyses.subset.sentences import topics_enough
from assay.results.sentences import MANY_RUNS
from tests.builders.results import assert_says, left_open, subset_sizes


def test_the_sentence_is_about_the_first_measure_and_orders_none() -> None:
    found = topics_enough(subset_sizes(("AP", 0.8), ("RR", 0.6)))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.8, 0.76, 0.84))
    assert_says(found, "by AP", "with 50 topics tau is below 0.9", "tau 0.80 with 50 topics, 0.76 to 0.84")
    assert "RR" not in found.text


@pytest.mark.parametrize(
    ("ends", "facts"),
    [
        ((30, 50), ("Keep these 50 topics", "unlimited topics")),
        ((30, 51), ("Use 51 topics", "may be below 0.9")),
        ((60, 180), ("Use 180 topics", "tau is below 0.9")),
        ((60, None), ("Use at least 60 topics", "tau is below 0.9")),
        ((None, None), ("Use more than 200 topics", "tau is below 0.9")),
    ],
)
def test_the_topics_to_use_are_the_upper_end_of_a_range(
    ends: tuple[int | None, int | None], facts: tuple[str, ...]
) -> None:
    assert_says(topics_enough(subset_sizes(("AP", 0.8), ends=ends)), *facts)


def test_without_an_upper_end_it_is_inconclusive_unless_these_are_too_few() -> None:
    said = topics_enough(subset_sizes(("AP", 0.8), ends=(50, None)))
    assert left_open(said) == ["whether 50 topics are enough for a ranking by AP that would hold"]


@pytest.mark.parametrize("first", [None, 0.02])  # halves do not agree, or the interval of tau begins at 0
def test_without_a_ranking_that_would_hold_it_is_inconclusive(first: float | None) -> None:
    said = topics_enough(subset_sizes(("RR", first), ("AP", 0.8)))
    assert left_open(said) == ["how many topics give a ranking by RR that would hold"]


def test_nothing_is_said_of_few_runs() -> None:
    many = int(MANY_RUNS.value)
    assert topics_enough(subset_sizes(("AP", 0.8), runs=many)) is not None
    assert topics_enough(subset_sizes(("AP", 0.8), runs=many - 1)) is None
