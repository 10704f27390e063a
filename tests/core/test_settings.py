"""Numbers that mean the same everywhere: what is refused, and how."""

from __future__ import annotations

import pytest

from assay.core.errors import UsageError
from assay.core.settings import MAX_RANK, check_depth, check_number


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("a", float("nan"), "a nan is not a finite number"),
        ("b", float("-inf"), "b -inf is not a finite number"),
        ("level", float("nan"), "level nan is not between 0 and 1, such as 0.95"),
        ("level", 95.0, "level 95 is not between 0 and 1; did you mean 0.95?"),
        ("alpha", 1e-300, "alpha 1e-300 is too near to 0; give what is 1e-12 or more away from it"),
        ("level", 1 - 1e-15, "level 1 is too near to 1; give what is 1e-12 or more away from it"),
        ("splits", 0, "splits 0 is not a whole number from 1 up, such as 2000"),
        ("splits", 100_000_000_000, "splits 100000000000 is more than 100,000, the most there is"),
        ("resamples", 10**20, "resamples 100000000000000000000 is more than 1,000,000, the most there is"),
        ("depth", MAX_RANK + 1, "depth 10000001 is more than 10,000,000, the most there is"),
        ("rng", -1, "rng -1 is not a whole number from 0 up"),
        ("n_docs", 10**12 + 1, "n_docs 1000000000001 is beyond 1,000,000,000,000, the most there is"),
        ("n_docs", -(10**13), "n_docs -10000000000000 is beyond 1,000,000,000,000, the most there is"),
        ("rng", 10**101, "rng is a number of more than 100 digits"),
        ("margin", float("nan"), "margin nan is not a finite number"),
    ],
)
def test_a_number_out_of_its_limits_is_refused(name: str, value: float, said: str) -> None:
    with pytest.raises(UsageError) as problem:
        check_number(name, value)
    assert str(problem.value).startswith(said)


@pytest.mark.parametrize(("name", "value"), [("a", -3.5), ("splits", 100_000), ("rng", 10**30), ("depth", MAX_RANK)])
def test_a_number_within_its_limits_is_taken(name: str, value: float) -> None:
    check_number(name, value)


def test_ranks_have_one_limit() -> None:
    check_depth(MAX_RANK)
    check_depth(0, "pool depth", least=0)
    for depth in (0, MAX_RANK + 1):
        with pytest.raises(UsageError):
            check_depth(depth)
