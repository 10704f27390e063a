"""What `swap` says: the facts of its sentence, and when there is none."""

from __future__ import annotations

import pytest

from assay.analyses.swap.sentences import lasting_differences
from assay.results.sentences import MANY_RUNS
from tests.builders.results import swapped, text


def test_the_sentence_names_the_measures_with_most_and_fewest_lasting_differences() -> None:
    found = lasting_differences(swapped(("P@10", 0.09, 0.4), ("AP", 0.04, 0.62), ("RR", None, None)))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.04, 0.03, 0.06))
    assert (found.shown, found.between) == ("0.040", "0.030 to 0.060")
    for fact in ("0.040 in AP", "95% interval 0.030 to 0.060", "reverse at most 5%", "62.0% of the pairs"):
        assert fact in found.text
    assert found.text.endswith("under RR no difference is large enough.")
    two = text(lasting_differences(swapped(("P@10", 0.09, 0.4), ("AP", 0.04, 0.62))))
    assert two.endswith("62.0% of the pairs are beyond it, 40.0% under P@10, where it takes 0.090.")
    one = text(lasting_differences(swapped(("AP", 0.04, 0.62))))
    assert one.endswith("62.0% of the pairs are beyond it.")


def test_nothing_is_said_of_few_runs_or_where_no_difference_lasts() -> None:
    many = int(MANY_RUNS.value)
    assert lasting_differences(swapped(("AP", 0.04, 0.62), runs=many - 1)) is None
    assert lasting_differences(swapped(("AP", 0.04, 0.62), runs=many)) is not None
    assert lasting_differences(swapped(("RR", None, None))) is None
