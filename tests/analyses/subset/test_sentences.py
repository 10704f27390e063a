"""What `subset` says: the facts of its sentence, and when there is none."""

from __future__ import annotations

import pytest

from assay.analyses.subset.sentences import topics_enough
from assay.results.sentences import MANY_RUNS
from tests.builders.results import subset_sizes, text


def test_the_sentence_is_about_the_first_measure_and_orders_none() -> None:
    found = topics_enough(subset_sizes(("flat", None), ("AP", 0.8), ("RR", 0.6)))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.8, 0.76, 0.84))
    assert (found.shown, found.between) == ("tau 0.80", "0.76 to 0.84")
    for fact in ("Under AP, 30 of the 50 topics", "tau 0.80 (95% interval 0.76 to 0.84)", "10.0% of the pairs"):
        assert fact in found.text
    assert "RR" not in found.text


def test_topics_for_a_tau_are_a_range_that_ends_at_four_times_as_many() -> None:
    assert "takes 60 to 180 topics." in text(topics_enough(subset_sizes(("AP", 0.8), ends=(60, 180))))
    assert "takes 60 to more than 200 topics." in text(topics_enough(subset_sizes(("AP", 0.8), ends=(60, None))))
    assert "takes more than 200 topics." in text(topics_enough(subset_sizes(("AP", 0.8), ends=(None, None))))


def test_nothing_is_said_of_few_runs_or_where_halves_do_not_agree() -> None:
    many = int(MANY_RUNS.value)
    assert topics_enough(subset_sizes(("AP", 0.8), runs=many)) is not None
    assert topics_enough(subset_sizes(("AP", 0.8), runs=many - 1)) is None
    assert topics_enough(subset_sizes(("AP", None))) is None
