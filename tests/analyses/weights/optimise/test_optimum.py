"""The best gain and discount: against eigenvectors, grids, other solvers and values computed elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize

from assay.analyses.weights.graded_lists import GradedLists, lists_of
from assay.analyses.weights.optimise.ndcg import CriterionName, Ideal, ndcg, stability
from assay.analyses.weights.optimise.objective import NdcgObjective
from assay.analyses.weights.optimise.optimum import optimise
from assay.analyses.weights.optimise.variables import Free, Space, Task
from assay.analyses.weights.variants import standard_discounts, standard_gains
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.data.files import read_bytes
from assay.data.judged import Judged
from assay.stats.variance import Coefficient
from tests.analyses.weights.optimise.test_ndcg import components, random_lists
from tests.builders.packed import open_packed
from tests.reference.ndcg_slopes import stability_slopes

OPTIMA = {
    (1, 10): ((0.377380, None), (0.391729, 1.123), (0.393353, 1.112)),
    (1, 20): ((0.392227, None), (0.401204, 1.163), (0.404161, 1.141)),
    (1, 100): ((0.405747, None), (0.390088, 1.000), (0.416735, 1.028)),
    (2, 10): ((0.246392, None), (0.244606, 1.527), (0.247506, 1.581)),
    (2, 20): ((0.260306, None), (0.258636, 1.892), (0.260308, 1.976)),
}
"""Phi at one topic, and the ratio of gains, by round of TREC-COVID and cutoff: best discount, best gain, both.

What tests/reference/ndcg_weights.py prints: scipy's SLSQP with numeric slopes from several starts, and nothing of
this project but its reader of packed runs.
"""
CURVE = (0.1769, 0.1524, 0.1151, 0.1017, 0.0885, 0.0885, 0.0841, 0.0818, 0.0554, 0.0554)
"""The best discount of round 1 at cutoff 10, from the same source."""

COLLECTIONS = {
    "covid-1": ("trec-covid/round1", "qrels.covid-round1.txt.gz"),
    "covid-2": ("trec-covid/round2", "qrels.covid-round2.txt.gz"),
    "covid-5": ("trec-covid/round5", "qrels.covid-round5.txt.gz"),
    "dl-2021": ("trec-dl2021-passage", "qrels.dl21-passage.txt.gz"),
    "cranfield": ("cranfield-runs", "../cranfield/qrels.graded.txt"),
}

FREE: tuple[Free, ...] = ("discount", "gain", "both")


def log2(k: int) -> Array:
    return 1 / np.log2(np.arange(2.0, k + 2))


def given(k: int) -> dict[str, Any]:
    """Linear gain for three grades, and log2."""
    return {"gain": np.arange(3.0), "discount": log2(k)}


def skilled(seed: int = 0, *, n_runs: int = 12, n_topics: int = 15, depth: int = 6, top: int = 2) -> GradedLists:
    """Lists of runs that differ in skill, on topics with many documents of every grade or few."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(0, 0.7, size=(n_runs, 1, 1)) + rng.normal(0, 0.7, size=(n_runs, n_topics, 1))
    level = skill - 0.15 * np.arange(depth) + rng.normal(size=(n_runs, n_topics, depth))
    grade = np.clip(np.floor(level), 0, top).astype(np.int8)
    most = np.stack([(grade == g).sum(-1).max(0) for g in range(top + 1)], axis=1)
    return GradedLists(grade, most + rng.integers(0, 3, size=most.shape))


def plentiful(lists: GradedLists) -> GradedLists:
    """The same lists, where every topic has at least as many documents of the top grade as there are ranks."""
    pool = lists.pool.copy()
    pool[:, -1] += lists.depth
    return GradedLists(lists.grade, pool)


def every_point(lists: GradedLists, of: Callable[[float], tuple[Array, Array]], grid: Array) -> Array:
    """Phi over a grid of weights."""
    return np.array([stability(lists, *of(t)) for t in grid])


def differences(objective: NdcgObjective, theta: Array, h: float = 1e-6) -> tuple[Array, Array]:
    """Slope and curvature by central differences."""
    steps = h * np.eye(theta.size)
    slope = [(objective.value(theta + e) - objective.value(theta - e)) / (2 * h) for e in steps]
    bend = [(objective.slope(theta + e) - objective.slope(theta - e)) / (2 * h) for e in steps]
    return np.array(slope), np.array(bend)


@pytest.mark.parametrize("coefficient", ["phi", "power"])
@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("free", FREE)
def test_slope_and_curvature_are_those_of_differences(
    free: Free, monotone: bool, ridge: float, coefficient: CriterionName
) -> None:
    lists = random_lists(5)
    towards = (np.array([0.0, 1.0, 3.0, 7.0]), np.ones(9))
    task = Task(free, np.arange(4.0), log2(9), monotone, coefficient=coefficient, ridge=ridge, towards=towards)
    space = Space(lists, task, (1, 2, 3))
    objective = space.objective(space.all_knots())
    theta = np.random.default_rng(0).uniform(0.2, 1.0, size=objective.lower.size)
    _, slope, curvature = objective.derivatives(theta)
    by_slope, by_curvature = differences(objective, theta)
    assert slope == pytest.approx(by_slope, abs=1e-6 * np.abs(slope).max())
    assert objective.slope(theta) == pytest.approx(slope, abs=1e-12)
    assert curvature == pytest.approx(by_curvature, abs=1e-6 * np.abs(curvature).max())


@pytest.mark.parametrize("free", FREE)
def test_a_search_from_a_near_optimum_ends_where_any_other_does(free: Free) -> None:
    lists = random_lists(6)
    task: dict[str, Any] = {"free": free, "gain": np.arange(4.0), "discount": log2(9)}
    first = optimise(lists, **task)
    some = lists.select(topics=np.arange(1, lists.n_topics))
    near, anew = optimise(some, near=(first.gain, first.discount), **task), optimise(some, **task)
    assert near.converged
    assert near.value == pytest.approx(anew.value, abs=1e-9)


@pytest.mark.parametrize("free", FREE)
def test_the_variables_stand_for_the_weights(free: Free) -> None:
    lists = random_lists(6)
    space = Space(lists, Task(free, np.arange(4.0), log2(9)), (1, 2, 3))
    knots = space.all_knots()
    objective = space.objective(knots)
    gain, discount = np.array([0.0, 1.0, 1.5, 4.0]), 1 / np.arange(1.0, 10)
    theta = space.theta(gain, discount, knots)
    expected = (np.arange(4.0) if free == "discount" else gain, log2(9) if free == "gain" else discount)
    assert objective.value(theta) == pytest.approx(stability(lists, *expected), abs=1e-13)
    found = objective.scores(theta)
    assert found is not None
    assert found[0] == pytest.approx(ndcg(lists, *expected), abs=1e-13)


@pytest.mark.parametrize("coefficient", ["phi", "e_rho2"])
@pytest.mark.parametrize("seed", range(4))
def test_with_a_constant_ideal_it_is_the_leading_eigenvector(seed: int, coefficient: Coefficient) -> None:
    """The ideal gain is then the same on every topic, and the coefficient a ratio of two forms in the weights."""
    lists = plentiful(skilled(seed))
    shown = np.where(lists.grade > 0, lists.grade, 0).astype(np.float64)

    def form(u: Array, v: Array, of: Callable[[Array], float]) -> float:
        return (of(shown @ (u + v)) - of(shown @ (u - v))) / 4

    def whole(x: Array) -> float:
        run, topic, rest = components(x)
        return run + rest + (topic if coefficient == "phi" else 0.0)

    units = np.eye(lists.depth)
    runs = np.array([[form(u, v, lambda x: components(x)[0]) for v in units] for u in units])
    total = np.array([[form(u, v, whole) for v in units] for u in units])
    values, vectors = scipy.linalg.eigh(runs, total)
    lead = vectors[:, -1] / vectors[:, -1].sum()
    found = optimise(
        lists, gain=np.arange(3.0), discount=log2(6), monotone=False, signed=True, coefficient=coefficient
    )
    assert found.value == pytest.approx(values[-1], abs=1e-12)
    assert found.discount == pytest.approx(lead, abs=1e-6)
    assert found.kkt < 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_with_two_ranks_it_agrees_with_a_grid(seed: int) -> None:
    lists = skilled(seed, depth=2)
    found = optimise(lists, gain=np.arange(3.0), discount=log2(2))
    grid = np.linspace(0, 1, 501)
    phi = every_point(lists, lambda t: (np.arange(3.0), np.array([1.0, t])), grid)
    assert phi.max() <= found.value + 1e-13
    assert found.value == pytest.approx(phi.max(), abs=1e-5)
    assert found.discount[1] / found.discount[0] == pytest.approx(grid[phi.argmax()], abs=3e-3)


@pytest.mark.parametrize("ideal", ["gain", "grade"])
@pytest.mark.parametrize("seed", range(3))
def test_with_two_grades_it_agrees_with_a_grid(seed: int, ideal: Ideal) -> None:
    lists = skilled(seed)
    found = optimise(lists, free="gain", gain=np.arange(3.0), discount=log2(6), monotone=False, ideal=ideal)
    angle = np.linspace(0, np.pi / 2, 801)[1:-1]
    points = [np.array([0.0, np.cos(a), np.sin(a)]) for a in angle]
    phi = np.array([stability(lists, gain, log2(6), ideal=ideal) for gain in points])
    assert phi.max() <= found.value + 1e-13
    assert found.value == pytest.approx(phi.max(), abs=1e-5)
    assert np.arctan2(found.gain[2], found.gain[1]) == pytest.approx(angle[phi.argmax()], abs=3e-3)


@pytest.mark.parametrize("seed", range(3))
def test_slsqp_with_numeric_slopes_finds_the_same_discount(seed: int) -> None:
    lists, gain = skilled(seed, n_runs=20, depth=8), np.arange(3.0)
    falls: list[dict[str, Any]] = [{"type": "ineq", "fun": lambda d: d[:-1] - d[1:]}]
    theirs = scipy.optimize.minimize(
        lambda d: -stability(lists, gain, d),
        log2(8) / log2(8).sum(),
        method="SLSQP",
        bounds=[(0, 1)] * 8,
        constraints=[*falls, {"type": "eq", "fun": lambda d: d.sum() - 1}],
        options={"ftol": 1e-15, "maxiter": 500},
    )
    found = optimise(lists, gain=gain, discount=log2(8))
    assert found.value == pytest.approx(-theirs.fun, abs=1e-9)
    assert found.value >= -theirs.fun - 1e-12
    assert found.discount == pytest.approx(theirs.x, abs=1e-4)


@pytest.mark.parametrize("free", FREE)
def test_the_conditions_of_a_maximum_hold_in_the_weights_themselves(free: Free) -> None:
    """No average over the first ranks, and no step of the gain, can be given more with profit."""
    lists = skilled(4, depth=40)
    found = optimise(lists, free=free, gain=np.arange(3.0), discount=log2(40))
    slopes = stability_slopes(lists, found.gain, found.discount)
    if free != "gain":
        rise = np.cumsum(slopes.by_discount) / np.arange(1, 41)
        assert rise.max() < 1e-8
        assert np.abs(rise[np.array(found.knots) - 1]).max() < 1e-8
        assert (np.diff(found.discount) <= 0).all()
    if free != "discount":
        assert found.gain[1] == 1.0
        assert slopes.by_gain[2] == pytest.approx(0.0, abs=1e-8) or found.gain[2] == 1.0
    assert found.value == pytest.approx(slopes.value, abs=1e-13)
    assert found.kkt < 1e-8
    assert found.converged


def test_more_freedom_is_never_worse() -> None:
    lists, common = skilled(2, depth=10), given(10)
    bound = {free: optimise(lists, free=free, **common).value for free in FREE}
    loose = {free: optimise(lists, free=free, monotone=False, **common).value for free in FREE}
    signed = optimise(lists, monotone=False, signed=True, **common).value
    assert bound["both"] >= max(bound["discount"], bound["gain"]) - 1e-12
    assert all(loose[free] >= bound[free] - 1e-12 for free in FREE)
    assert signed >= loose["discount"] - 1e-12
    assert bound["discount"] > stability(lists, **common)


def test_weights_that_need_not_be_monotone_are_not_negative_unless_signed() -> None:
    """On these lists the unconstrained optimum has a negative weight."""
    lists, common = skilled(7, n_runs=8, n_topics=6, depth=8), given(8)
    assert optimise(lists, monotone=False, signed=True, **common).discount.min() < -0.01
    assert optimise(lists, monotone=False, **common).discount.min() >= 0


@pytest.mark.parametrize("signed", [False, True])
def test_a_topic_with_one_relevant_document_keeps_its_ideal(signed: bool) -> None:
    """Here Phi rises as the weights of ranks 1, 3 and 6 vanish together: the first is the topic's whole ideal."""
    lists = skilled(7, n_runs=8, n_topics=6, depth=8)
    grade, pool = lists.grade.copy(), lists.pool.copy()
    grade[:, 0], pool[0] = 0, [9, 1, 0]
    grade[[0, 1, 4], 0, [2, 0, 5]] = 1
    found = optimise(GradedLists(grade, pool), monotone=False, signed=signed, **given(8))
    assert found.discount[0] > 0
    assert np.isfinite(found.value)
    assert found.converged is not signed
    if not signed:
        assert found.discount[0] == pytest.approx(1e-6, rel=1e-3)


def test_a_strong_ridge_holds_the_standard_function_and_a_weak_one_lets_go() -> None:
    lists, common = skilled(1, depth=10), given(10)
    goal = standard_discounts(10)["zipf"]
    towards = (np.array([0.0, 1.0, 3.0]), goal)
    path = [optimise(lists, free="both", ridge=r, towards=towards, **common) for r in (0.0, 1e-3, 0.1, 1e6)]
    far = [np.abs(found.discount - goal).sum() for found in path]
    assert far == sorted(far, reverse=True)
    assert far[-1] < 1e-5
    assert path[-1].gain[2] == pytest.approx(3.0, abs=1e-4)
    assert [found.value for found in path] == sorted((found.value for found in path), reverse=True)
    assert all(found.converged for found in path)
    off = {
        name: ((found.discount - goal) ** 2).sum() / (goal**2).sum()
        for name, found in zip("ab", path[1:3], strict=True)
    }
    share = path[1].gain / path[1].gain.sum() - towards[0] / 4
    price = 1e-3 * (off["a"] + (share**2).sum() / ((towards[0] / 4) ** 2).sum())
    assert path[1].objective == pytest.approx(path[1].value - price, abs=1e-12)


def test_the_answer_is_not_below_what_it_must_not_be_below() -> None:
    """One start from far away, on lists where it could end elsewhere."""
    lists, gain = skilled(3, depth=12), np.arange(3.0)
    also = [(gain, discount) for discount in standard_discounts(12).values()]
    found = optimise(lists, gain=gain, discount=log2(12), starts=1, also=also)
    assert all(found.value >= stability(lists, gain, discount) for _, discount in also)


def test_a_grade_that_no_document_has_gains_as_the_one_below() -> None:
    lists = skilled(0)
    spread = np.array([0, 1, 3], dtype=np.int8)
    wider = GradedLists(spread[lists.grade], np.insert(lists.pool, 2, 0, axis=1))
    found = optimise(wider, free="gain", gain=np.arange(4.0), discount=log2(6))
    same = optimise(lists, free="gain", gain=np.arange(3.0), discount=log2(6))
    assert found.gain.tolist() == pytest.approx([0.0, 1.0, 1.0, same.gain[2]], abs=1e-9)
    assert found.value == pytest.approx(same.value, abs=1e-12)


def test_binary_judgments_leave_nothing_to_choose_for_the_gain() -> None:
    lists = skilled(0, top=1)
    found = optimise(lists, free="gain", gain=np.arange(2.0), discount=log2(6))
    assert found.gain.tolist() == [0.0, 1.0]
    assert found.value == pytest.approx(stability(lists, np.arange(2.0), log2(6)), abs=1e-14)


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        (random_lists(0, n_runs=1), "two runs and two topics; there are 1 and 7"),
        (random_lists(0, n_topics=1), "two runs and two topics; there are 6 and 1"),
        (
            GradedLists(np.zeros((3, 3, 2), dtype=np.int8), np.tile([4, 0], (3, 1))),
            "no judged document has a grade above 0",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused(lists: GradedLists, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        optimise(lists, gain=np.arange(lists.top + 1.0), discount=log2(2))


def test_scores_that_are_always_the_same_have_no_optimum() -> None:
    lists = GradedLists(np.ones((3, 4, 2), dtype=np.int8), np.tile([0, 2], (4, 1)))
    found = optimise(lists, gain=np.arange(2.0), discount=log2(2))
    assert np.isnan(found.value)
    assert not found.converged


def test_starts_are_the_same_for_a_seed() -> None:
    lists, common = skilled(2, depth=10), given(10) | {"free": "both", "starts": 7}
    first, again = optimise(lists, rng=3, **common), optimise(lists, rng=3, **common)
    assert len(first.values) == 7
    assert first.values == again.values
    assert max(first.values) == first.value


@pytest.mark.xdist_group("covid")
@pytest.mark.parametrize("n", [1, 2])
def test_the_optima_on_trec_covid(data: Path, n: int) -> None:
    judged = open_packed(data / "trec-covid" / f"round{n}", f"qrels.covid-round{n}.txt.gz").judged()
    for (of, k), expected in OPTIMA.items():
        for free, (phi, ratio) in zip(FREE, expected, strict=True) if of == n else ():
            found = optimise(lists_of(judged, k), free=free, gain=np.arange(3.0), discount=log2(k))
            assert found.value == pytest.approx(phi, abs=6e-7)
            assert found.kkt < 1e-8
            assert found.gain[2] / found.gain[1] == pytest.approx(ratio or 2.0, abs=6e-4)
    if n == 1:
        assert optimise(lists_of(judged, 10), gain=np.arange(3.0), discount=log2(10)).discount == pytest.approx(
            CURVE, abs=6e-5
        )
        by_gain = optimise(lists_of(judged, 20), free="gain", gain=np.arange(3.0), discount=log2(20), monotone=False)
        assert by_gain.gain[2] / by_gain.gain[1] == pytest.approx(0.869, abs=6e-4)  # 1.163 by grade; same source


def whole_cranfield(data: Path, k: int) -> GradedLists:
    """Cranfield to any depth: the positions of all judged documents in the whole rankings."""
    packed = read_bytes(str(data / "cranfield-runs" / "judged-positions.tsv.gz")).decode().splitlines()
    rows = [line.split("\t") for line in packed]
    runs, topics = (sorted({row[i] for row in rows}) for i in (0, 1))
    grade = np.zeros((len(runs), len(topics), k), dtype=np.int8)
    pool = np.zeros((len(topics), 5), dtype=np.int64)
    for run, topic, places in rows:
        found = [tuple(int(n) for n in place.split(":")) for place in places.split(" ")]
        for rank, g in found:
            if rank <= k:
                grade[runs.index(run), topics.index(topic), rank - 1] = g
        pool[topics.index(topic)] = np.bincount([g for _, g in found], minlength=5)
    return GradedLists(grade, pool)


def depths(name: str, judged: Judged, data: Path) -> Iterator[GradedLists]:
    """The lists of a collection at every cutoff that its depth allows."""
    deep = name.startswith("covid")
    for k in (3, 10, 20, 100, *([1000] if deep else [])):
        yield lists_of(judged, k)
    if name == "cranfield":
        yield whole_cranfield(data, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTIONS)
def test_no_standard_function_is_better_on_any_collection(data: Path, name: str) -> None:
    folder, qrels = COLLECTIONS[name]
    judged = open_packed(data / folder, qrels).judged()
    for lists in depths(name, judged, data):
        k = lists.depth
        gains, discounts = standard_gains(lists.top), standard_discounts(k)
        common: dict[str, Any] = {"gain": gains["linear"], "discount": discounts["log2"]}
        best = {free: optimise(lists, free=free, **common) for free in FREE}
        phi = {(g, d): stability(lists, gains[g], discounts[d]) for g in gains for d in discounts}
        assert best["discount"].value >= max(phi["linear", d] for d in discounts)
        assert best["gain"].value >= max(phi[g, "log2"] for g in gains)
        assert best["both"].value >= max(*phi.values(), best["discount"].value, best["gain"].value) - 1e-12
        assert max(found.kkt for found in best.values()) < 1e-8
