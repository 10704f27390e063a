"""What was computed of objects is computed once, and goes with them."""

from __future__ import annotations

import gc

import numpy as np

from assay.core.arrays import Array
from assay.core.remembered import Remembered, remembers


class _Thing:
    pass


def test_a_value_is_made_once_for_two_objects_and_a_setting() -> None:
    values: Remembered[object] = Remembered()
    one, other = _Thing(), _Thing()
    first = values(one, other, object)
    assert values(one, other, object) is first
    assert values(one, other, object, setting="another") is not first
    assert values(other, one, object) is not first
    assert values(one, _Thing(), object) is not first


def test_a_value_goes_with_either_of_its_objects() -> None:
    values: Remembered[object] = Remembered()
    one, other = _Thing(), _Thing()
    values(one, other, object)
    del one
    gc.collect()
    assert not values._values


def test_a_function_answers_once_for_arrays_that_hold_the_same() -> None:
    asked = []

    @remembers(2)
    def total(x: Array, *, scale: float) -> float:
        asked.append(scale)
        return scale * float(x.sum())

    x = np.arange(4.0)
    assert total(x, scale=2.0) == total(x.copy(), scale=2.0) == 12.0
    assert len(asked) == 1
    assert total(x.reshape(2, 2), scale=2.0) == 12.0
    assert total(x, scale=3.0) == 18.0
    assert len(asked) == 3
    assert total(x + 1, scale=2.0) == 20.0


def test_only_the_last_answers_are_kept() -> None:
    asked = []

    @remembers(2)
    def same(x: int) -> int:
        asked.append(x)
        return x

    for x in (1, 2, 1, 3, 1, 2):
        assert same(x) == x
    assert asked == [1, 2, 3, 2]
