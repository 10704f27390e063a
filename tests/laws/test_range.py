"""Law: the declared range is reached and never left."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.arrays import Array
from assay.data.rankings import Rankings
from assay.measures.declare import CATALOGUE, Measure
from assay.measures.properties import universe
from tests.laws.strategies import NAMES, cut, rankings, sensible, usable

LONG = 20_000
LOWEST_IS_UNDEFINED = {"SNAP", "SNDCG"}  # a list without relevant documents is 0/0, and counts as 0


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), lists=rankings())
def test_no_score_leaves_the_declared_range(name: str, data: st.DataObject, lists: Rankings) -> None:
    m = data.draw(sensible(name))
    score = m.compute(lists)
    score = score[~np.isnan(score)]
    assert np.all(score >= m.declaration.low - 1e-12)
    assert np.all(score <= m.declaration.high + 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_both_ends_of_the_declared_range_are_reached(name: str) -> None:
    """Or come as close as one likes: the highest RBP, ERR, INSQ and INST are limits, and counts have none."""
    m = CATALOGUE[name]
    score = np.concatenate([_scores(m, case) for case in (*_short(), *_extreme())])
    score = np.nan_to_num(score, nan=0.0) if name in LOWEST_IS_UNDEFINED else score[~np.isnan(score)]
    assert score.min() == pytest.approx(m.declaration.low, abs=1e-12)
    assert score.max() >= (m.declaration.high - 1e-4 if np.isfinite(m.declaration.high) else 1_000)


def _scores(m: Measure, lists: Rankings) -> Array:
    return cut(usable(m), lists.grade.shape[1]).compute(lists)


def _short() -> list[Rankings]:
    return [case.rankings for case in universe(short=True)]


def _extreme() -> list[Rankings]:
    """A long list of nothing but relevant documents, and one document of the top of a fine scale."""
    ones = np.ones((1, LONG), dtype=np.int8)
    return [Rankings(ones, np.array([[0, LONG]]), top=1), Rankings.of([30], top=30)]
