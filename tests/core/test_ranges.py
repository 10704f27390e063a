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
