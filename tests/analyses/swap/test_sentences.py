"""What `swap` says: the facts of its sentence, and when there is none."""

from __future__ import annotations

import pytest

from assay.analyses.swap.sentences import lasting_differences
from assay.results.sentences import MANY_RUNS
from tests.builders.results import assert_says, swapped


def test_the_sentence_states_the_difference_that_is_safe_and_orders_no_measures() -> None:
    found = lasting_differences(swapped(("AP", 0.04, 0.62), ("P@10", 0.09, 0.7)))
    assert found is not None
    assert (found.value, found.high) == pytest.approx((0.03, 0.04))
    assert_says(found, "0.040 or more in AP", "reverse at most 5%", "0.030, 0.020 to 0.040")
    assert "P@10" not in found.text


def test_without_an_interval_it_is_inconclusive_whatever_other_measures_show() -> None:
    found = lasting_differences(swapped(("RR", None, None), ("AP", 0.04, 0.62)))
    assert found is not None
    assert found.status == "inconclusive"
    assert "RR" in found.text


def test_nothing_is_said_of_few_runs() -> None:
    many = int(MANY_RUNS.value)
    assert lasting_differences(swapped(("AP", 0.04, 0.62), runs=many - 1)) is None
    assert lasting_differences(swapped(("AP", 0.04, 0.62), runs=many)) is not None
