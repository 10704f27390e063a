"""What was computed of objects is computed once, and goes with them."""

from __future__ import annotations

import gc

from assay.core.remembered import Remembered


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
