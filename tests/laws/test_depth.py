"""Law: a cutoff is the head of a list, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.data.judged import judge
from assay.data.rankings import Rankings
from assay.measures.declare import CATALOGUE
from assay.scoring.engine import score
from tests.laws.strategies import NAMES, Collection, collections, cut, padded, rankings, sensible, usable

DEPTH = st.integers(1, 10)


@given(lists=rankings(), k=DEPTH, n=DEPTH)
def test_the_head_of_a_head_is_the_shorter_head(lists: Rankings, k: int, n: int) -> None:
    twice, once = lists.head(n).head(k), lists.head(min(k, n))
    assert twice.depth == once.depth == min(k, n)
    assert np.array_equal(twice.grade, once.grade)
    assert np.array_equal(twice.pool, once.pool)


@given(collection=collections(), k=DEPTH, n=DEPTH)
def test_the_head_of_a_head_of_judged_runs_is_the_shorter_head(collection: Collection, k: int, n: int) -> None:
    judged = judge(collection.rankings(), collection.judgments())
    twice, once = judged.head(n).head(k), judged.head(min(k, n))
    assert twice.cutoff == once.cutoff == min(k, n)
    assert np.array_equal(twice.cube(), once.cube())
    assert np.array_equal(twice.pool, once.pool)


@given(collection=collections(), k=DEPTH)
def test_a_measure_cut_at_k_is_the_measure_of_the_head(collection: Collection, k: int) -> None:
    judged = judge(collection.rankings(), collection.judgments())
    every = [usable(CATALOGUE[name]) for name in NAMES if CATALOGUE[name].declaration.at == "cutoff"]
    whole = [m for m in every if m.cutoff is None]
    assert np.array_equal(score(judged, [m @ k for m in whole]).value, score(judged.head(k), whole).value)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), lists=rankings(), depth=DEPTH, judged_only=st.booleans())
def test_the_curve_of_a_measure_is_its_scores_at_every_depth(
    name: str, data: st.DataObject, lists: Rankings, depth: int, judged_only: bool
) -> None:
    m = data.draw(sensible(name))(judged_only=judged_only)
    one_by_one = np.stack([cut(m, k).compute(lists) for k in range(1, depth + 1)], axis=-1)
    np.testing.assert_allclose(m.curve(lists, depth), one_by_one, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", [name for name in NAMES if CATALOGUE[name].declaration.at == "cutoff"])
@given(data=st.data(), lists=rankings(), depths=st.sets(DEPTH, min_size=1), judged_only=st.booleans())
def test_some_depths_in_one_pass_are_the_scores_at_each(
    name: str, data: st.DataObject, lists: Rankings, depths: set[int], judged_only: bool
) -> None:
    m = data.draw(sensible(name))(judged_only=judged_only)
    one_by_one = np.stack([(m @ k).compute(lists) for k in sorted(depths)], axis=-1)
    np.testing.assert_allclose(m.at_depths(lists, sorted(depths)), one_by_one, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), lists=rankings())
def test_judged_only_is_the_score_without_the_unjudged(name: str, data: st.DataObject, lists: Rankings) -> None:
    m = data.draw(sensible(name))
    by_hand = [[int(g) for g in row if g >= 0] for row in lists.grade]
    shown = np.stack([[row.count(g) for g in range(lists.top + 1)] for row in by_hand])
    left = padded(by_hand, lists.pool - shown, top=lists.top)
    np.testing.assert_allclose(m(judged_only=True).compute(lists), m.compute(left), rtol=1e-12, atol=1e-14)
