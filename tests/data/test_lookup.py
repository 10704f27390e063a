"""The look-up table against a dict, with keys chosen to hurt it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.data.lookup import Lookup, SameKeyError, salt

LAST = 2**64 - 1
# few distinct leading bits, so that many keys share a slot; the ends of the range; any key at all
KEYS = st.one_of(
    st.integers(0, 40),
    st.integers(LAST - 40, LAST),
    st.integers(0, 40).map(lambda i: (1 << 63) + i),
    st.sampled_from([0, LAST, 1 << 63, (1 << 63) - 1]),
    st.integers(0, LAST),
)


def look_up(table: dict[int, int], wanted: list[int]) -> list[int]:
    keys = np.array(list(table), dtype=np.uint64)
    values = np.array(list(table.values()), dtype=np.int8)
    return [int(v) for v in Lookup(keys, values, missing=-1)(np.array(wanted, dtype=np.uint64))]


@settings(deadline=None)
@given(st.dictionaries(KEYS, st.integers(-3, 127), max_size=60), st.lists(KEYS, max_size=60))
def test_it_answers_as_a_dict_does(table: dict[int, int], others: list[int]) -> None:
    wanted = [*table, *others, 0, LAST]
    assert look_up(table, wanted) == [table.get(key, -1) for key in wanted]


def test_an_empty_table_knows_nothing() -> None:
    assert look_up({}, [0, 1, LAST]) == [-1, -1, -1]


def test_no_question_gets_no_answer() -> None:
    assert look_up({5: 1}, []) == []


def test_many_keys_in_one_slot_are_all_found() -> None:
    table = {(7 << 60) + i: i % 100 for i in range(5000)}
    wanted = [*table, (7 << 60) + 5000, (7 << 60) - 1]
    assert look_up(table, wanted) == [*table.values(), -1, -1]


def test_salts_of_a_hundred_thousand_groups_are_distinct() -> None:
    salts = salt(100_000)
    assert np.unique(salts).size == 100_000
    assert (salts[:10] == salt(10)).all()


@settings(deadline=None)
@given(
    st.dictionaries(KEYS, st.tuples(st.integers(0, 127), st.integers(0, 3)), min_size=1, max_size=60),
    st.lists(st.tuples(KEYS, st.integers(0, 3)), max_size=60),
)
def test_a_key_with_another_check_is_found_out(
    table: dict[int, tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    keys = np.array(list(table), dtype=np.uint64)
    values, checks = (np.array(column) for column in zip(*table.values(), strict=True))
    lookup = Lookup(keys, values.astype(np.int8), missing=-1, check=checks.astype(np.uint16))
    wanted = np.array([key for key, _ in others], dtype=np.uint64)
    check = np.array([check for _, check in others], dtype=np.uint16)
    wrong = [i for i, (key, own) in enumerate(others) if key in table and table[key][1] != own]
    if not wrong:
        assert lookup(wanted, check).tolist() == [table[key][0] if key in table else -1 for key, _ in others]
        return
    with pytest.raises(SameKeyError) as problem:
        lookup(wanted, check)
    assert problem.value.at in wrong
    assert int(keys[problem.value.row]) == others[problem.value.at][0]
