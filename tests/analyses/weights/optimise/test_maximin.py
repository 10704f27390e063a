"""Weights for several problems at once: against single optima and grids."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analyses.weights.optimise.maximin import worst_case
from assay.analyses.weights.optimise.ndcg import stability
from assay.analyses.weights.optimise.optimum import optimise
from assay.core.errors import UsageError
from tests.analyses.weights.optimise.test_ndcg import random_lists
from tests.analyses.weights.optimise.test_optimum import FREE, every_point, given, log2, skilled


def test_the_worst_of_one_problem_is_its_optimum() -> None:
    lists, common = skilled(1, depth=10), given(10)
    for free in FREE:
        alone, worst = optimise(lists, free=free, **common), worst_case([lists], free=free, **common)
        assert worst.value == pytest.approx(alone.value, abs=1e-10)
        assert worst.discount == pytest.approx(alone.discount, abs=1e-6)
        assert worst.shares == (1.0,)
        assert worst.converged


def test_the_worst_of_two_problems_agrees_with_a_grid() -> None:
    """Two ranks; the best of each problem is at another end, so at the answer both are equally bad."""
    first, second = skilled(0, depth=2), skilled(14, depth=2)
    gain, grid = np.arange(3.0), np.linspace(0, 1, 501)
    curves = np.array([every_point(p, lambda t: (gain, np.array([1.0, t])), grid) for p in (first, second)])
    found = worst_case([first, second], gain=gain, discount=log2(2), against=curves.max(1))
    regret = (curves - curves.max(1, keepdims=True)).min(0)
    assert found.discount[1] / found.discount[0] == pytest.approx(grid[regret.argmax()], abs=3e-3)
    assert min(np.array(found.values) - curves.max(1)) == pytest.approx(regret.max(), abs=1e-5)
    assert 0 < found.shares[0] < 1
    assert found.converged


def test_the_worst_case_takes_cutoffs_and_longer_scales_together() -> None:
    lists = skilled(5, depth=20)
    other = skilled(6, depth=20, top=1)
    problems = [lists.head(3), lists, other]
    common = given(20)
    for free in FREE:
        found = worst_case(problems, free=free, **common)
        start = [stability(p, np.arange(p.top + 1.0), log2(20)[: p.depth]) for p in problems]
        ends = [stability(p, found.gain[: p.top + 1], found.discount[: p.depth]) for p in problems]
        assert found.values == pytest.approx(ends, abs=1e-12)
        assert found.value == min(found.values) > min(start) - 1e-12
        assert found.kkt < 1e-8


def test_what_the_worst_problem_does_not_see_is_settled_by_the_others() -> None:
    """The first three ranks are those of the worst problem alone; the rest is the best that can follow them."""
    lists, common = skilled(5, depth=8), given(8)
    found = worst_case([lists.head(3), lists], **common)
    assert found.shares == (1.0, 0.0)
    alone = optimise(lists.head(3), **given(3))
    assert found.value == pytest.approx(alone.value, abs=1e-6)
    first, gain = found.discount[:3], common["gain"]
    rng = np.random.default_rng(0)
    for _ in range(200):
        tail = np.sort(rng.random(5) * first[2])[::-1]
        other = stability(lists, gain, np.concatenate([first, tail]))
        assert found.values[1] > other - 1e-9


def test_binary_judgments_leave_nothing_to_choose_for_the_gain() -> None:
    lists = skilled(3, depth=10, top=1)
    found = worst_case([lists.head(3), lists], free="gain", gain=np.arange(2.0), discount=log2(10))
    assert found.gain.tolist() == [0.0, 1.0]
    assert found.value == pytest.approx(stability(lists.head(3), np.arange(2.0), log2(3)), abs=1e-13)
    assert found.converged


def test_the_worst_case_refuses_a_scale_that_is_too_long() -> None:
    with pytest.raises(UsageError, match="grades up to 3, and gains only go up to 2"):
        worst_case([random_lists(0)], gain=np.arange(3.0), discount=log2(9))
    with pytest.raises(UsageError, match="no problem to fit weights to"):
        worst_case([], gain=np.arange(3.0), discount=log2(9))
