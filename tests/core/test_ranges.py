"""Numbers and ranges as people write them."""

from __future__ import annotations

import pytest

from assay.core.errors import UsageError
from assay.core.ranges import whole_numbers


def test_numbers_may_be_ranges() -> None:
    assert whole_numbers("1-3, 20,2", "depth", least=1) == [1, 2, 3, 20]
    assert whole_numbers("0", "pool depth", least=0) == [0]


@pytest.mark.parametrize("text", ["", "x", "5-2", "0", "1.5", "-3"])
def test_what_is_no_number_or_too_small_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(UsageError, match=r"^depth "):
        whole_numbers(text, "depth", least=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("99999999999999999999", "depth '99999999999999999999' is more than 10,000,000"),
        ("1-4294967296", "depth '1-4294967296' is more than 10,000,000"),
        ("9" * 5000, "is more than 10,000,000"),  # more digits than Python reads
        ("5,1-9999999", "depth '1-9999999': 9,999,999 numbers; a range has at most 10,000"),
    ],
)
def test_what_is_too_much_is_refused_before_it_is_built(text: str, said: str) -> None:
    with pytest.raises(UsageError) as problem:
        whole_numbers(text, "depth", least=1)
    assert said in str(problem.value)


def test_the_largest_numbers_and_ranges_are_read() -> None:
    assert whole_numbers("10000000", "depth", least=1) == [10_000_000]
    assert len(whole_numbers("1-10000", "depth", least=1)) == 10_000
