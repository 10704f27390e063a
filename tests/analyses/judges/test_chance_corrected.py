"""Coefficients of agreement against their definitions, written once more without tables, and against the books."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau, kurtosis, t

from assay.analyses.judges.documents.chance_corrected import (
    Difference,
    GradeTables,
    agreed,
    alpha,
    average_of,
    both_ways,
    coincidences,
    contingency,
    estimate,
    from_grade,
    kappa,
    linear,
    precision,
    quadratic,
    recall,
    same,
    tau_b,
    without_each,
)
from assay.core.arrays import Array, Index

NONE = np.nan

# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section E: four observers, twelve units, labels
# missing; the four alphas printed there to three decimals.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ]
)
PUBLISHED: dict[Difference, float] = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}


def of_many(grade: Array, topic: Index | None = None) -> GradeTables:
    """The coincidences of many judges; grade is [judge, unit]."""
    unit = np.broadcast_to(np.arange(grade.shape[1]), grade.shape)
    return coincidences(np.zeros(grade.shape[1], dtype=int) if topic is None else topic, unit.ravel(), grade.ravel())


def sample(seed: int, n: int = 300, n_topics: int = 7, top: int = 3) -> tuple[Index, Array, Array]:
    """Two judges who agree more often than not, with gaps."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, top + 1, n).astype(float)
    b = np.clip(a + rng.integers(-1, 2, n), 0, top).astype(float)
    a[rng.random(n) < 0.1] = np.nan
    b[rng.random(n) < 0.1] = np.nan
    return rng.integers(0, n_topics, n), a, b


def brute_kappa(a: Array, b: Array, power: float) -> float:
    """Disagreement of what belongs together against that of all with all; power 0 is the plain kappa."""

    def apart(x: Array, y: Array) -> Array:
        return (x != y) * 1.0 if power == 0 else np.abs(x - y) ** power

    return float(1 - apart(a, b).mean() / apart(a[:, None], b[None]).mean())


def brute_alpha(units: list[Array], difference: Difference) -> float:
    """Krippendorff's alpha as pairs of labels within units against pairs of all labels that can be paired."""
    units = [labels for labels in units if labels.size > 1]
    every = np.concatenate(units)

    def delta(c: float, k: float) -> float:
        if difference == "nominal":
            return float(c != k)
        if difference == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        between = ((every >= low) & (every <= high)).sum() - ((every == c).sum() + (every == k).sum()) / 2
        return float(between**2) if c != k else 0.0

    within = sum(2 * sum(delta(c, k) for c, k in combinations(u, 2)) / (u.size - 1) for u in units) / every.size
    overall = 2 * sum(delta(c, k) for c, k in combinations(every, 2)) / (every.size * (every.size - 1))
    return float(1 - within / overall)


@pytest.mark.parametrize(("difference", "published"), PUBLISHED.items())
def test_krippendorffs_own_example_comes_out(difference: Difference, published: float) -> None:
    counted = of_many(OBSERVERS)
    assert round(float(alpha(counted.total, counted.values, difference)), 3) == published


@pytest.mark.parametrize("difference", PUBLISHED)
@pytest.mark.parametrize("seed", [1, 2])
def test_alpha_is_what_its_definition_by_pairs_of_labels_says(difference: Difference, seed: int) -> None:
    rng = np.random.default_rng(seed)
    grade = np.clip(rng.integers(0, 4, 40) + rng.integers(-1, 2, (5, 40)), 0, 5).astype(float)
    grade[rng.random(grade.shape) < 0.4] = np.nan
    counted = of_many(grade)
    brute = brute_alpha([unit[~np.isnan(unit)] for unit in grade.T], difference)
    assert float(alpha(counted.total, counted.values, difference)) == pytest.approx(brute, abs=1e-12)


def test_two_judges_have_one_alpha_however_it_is_counted() -> None:
    topic, a, b = sample(3)
    crossed, many = contingency(topic, a, b), of_many(np.stack([a, b]), topic)
    np.testing.assert_allclose(both_ways(crossed.count), many.count)


@pytest.mark.parametrize(("weight", "power"), [(same, 0), (linear, 1), (quadratic, 2)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_kappa_is_what_its_definition_by_pairs_says(weight: Callable[[Array], Array], power: int, seed: int) -> None:
    topic, a, b = sample(seed)
    crossed, there = contingency(topic, a, b), ~np.isnan(a + b)
    obtained = float(kappa(crossed.total, weight(crossed.values)))
    assert obtained == pytest.approx(brute_kappa(a[there], b[there], power), abs=1e-12)


def test_weights_are_those_of_the_grades_and_not_of_their_places() -> None:
    """Where nobody gives a 2, 1 and 3 are still two apart."""
    topic, a, b = np.zeros(4, dtype=int), np.array([0.0, 1, 3, 1]), np.array([0.0, 3, 3, 1])
    crossed = contingency(topic, a, b)
    assert float(kappa(crossed.total, quadratic(crossed.values))) == pytest.approx(brute_kappa(a, b, 2))


def test_kappa_of_a_grade_is_that_of_relevant_or_not() -> None:
    topic, a, b = sample(4)
    crossed, there = contingency(topic, a, b), ~np.isnan(a + b)
    x, y = a[there] >= 2, b[there] >= 2
    binary = from_grade(crossed.total, crossed.values, 2)
    assert float(kappa(binary, same(np.arange(2.0)))) == pytest.approx(
        brute_kappa(x.astype(np.float64), y.astype(np.float64), 0)
    )
    assert float(precision(binary)) == pytest.approx((x & y).sum() / y.sum())
    assert float(recall(binary)) == pytest.approx((x & y).sum() / x.sum())


def test_means_over_pairs_come_from_the_table() -> None:
    topic, a, b = sample(5)
    crossed, there = contingency(topic, a, b), ~np.isnan(a + b)
    less = crossed.values - crossed.values[:, None]
    assert float(average_of(crossed.total, less)) == pytest.approx((b - a)[there].mean())
    assert float(agreed(crossed.total)) == pytest.approx((a == b)[there].mean())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tau_b_is_scipys(seed: int) -> None:
    topic, a, b = sample(seed)
    b = b**2 / 7  # of another scale
    there = ~np.isnan(a + b)
    expected = kendalltau(a[there], b[there]).statistic
    assert float(tau_b(contingency(topic, a, b).total)) == pytest.approx(expected, abs=1e-12)


def test_two_judges_of_one_grade_have_no_kappa_and_no_tau() -> None:
    table = np.array([[5.0]])
    assert np.isnan(kappa(table, same(np.zeros(1))))
    assert np.isnan(alpha(table * 2, np.zeros(1), "nominal"))
    assert np.isnan(tau_b(table))


def test_replicates_are_the_coefficient_without_each_topic() -> None:
    topic, a, b = sample(6)
    crossed = contingency(topic, a, b)
    replicates = kappa(without_each(crossed.count), quadratic(crossed.values))
    there = ~np.isnan(a + b)
    left_out = [brute_kappa(a[there & (topic != i)], b[there & (topic != i)], 2) for i in range(7)]
    np.testing.assert_allclose(replicates, [brute_kappa(a[there], b[there], 2), *left_out])


@pytest.mark.parametrize(
    ("left_out", "dof"),
    [
        ([0.78, 0.83, 0.79, 0.81], 3),
        ([0.80, 0.80, 0.80, 0.81, 0.79, 0.80, 0.80, 0.80, 0.80, 0.60], 2),  # kurtosis 9.07: 20 / 8.07
    ],
)
def test_an_interval_is_the_jackknifes_on_the_scale_of_fishers_z(left_out: list[float], dof: int) -> None:
    """For a range of -1 to 1 half the log odds are Fisher's z; a topic that carries the error leaves t less sure."""
    n, changes = len(left_out), np.array(left_out) - np.mean(left_out)
    assert min(n - 1, int(2 * n / (kurtosis(left_out, fisher=False) - 1))) == dof
    error = np.sqrt((n - 1) / n * (changes**2).sum())
    ends = np.tanh(np.arctanh(0.8) + np.array([-1, 1]) * t.ppf(0.975, dof) * error / (1 - 0.8**2))
    e = estimate(np.array([0.8, *left_out]), level=0.95)
    assert (e.low, e.high) == pytest.approx(tuple(ends))


def test_no_interval_leaves_its_range() -> None:
    e = estimate(np.array([0.97, 0.99, 0.6, 0.98]), level=0.95, lowest=0.0)
    assert 0 <= e.low < 0.97 < e.high <= 1


@pytest.mark.parametrize("replicates", [[0.4], [0.4, 0.4], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.4, np.nan, 0.3]])
def test_there_is_no_interval_where_topics_cannot_say(replicates: list[float]) -> None:
    e = estimate(np.array(replicates), level=0.95)
    assert e.value == replicates[0]
    assert np.isnan([e.low, e.high]).all()


def test_intervals_cover_at_least_nearly_as_often_as_they_say() -> None:
    """Topics of unlike size and difficulty; 400 samples of 25, of which 91% is four standard errors too few."""
    rng = np.random.default_rng(8)
    n_topics = 4000
    size, share, noise = rng.integers(20, 60, n_topics), rng.beta(2, 4, n_topics), rng.beta(2, 6, n_topics)
    relevant = rng.binomial(size, share)
    missed, added = rng.binomial(relevant, noise), rng.binomial(size - relevant, noise)
    count = np.array([[size - relevant - added, added], [missed, relevant - missed]], dtype=float).transpose(2, 0, 1)
    truth, hits = float(kappa(count.sum(0), same(np.arange(2.0)))), 0
    for _ in range(400):
        chosen = count[rng.integers(0, n_topics, 25)]
        e = estimate(kappa(without_each(chosen), same(np.arange(2.0))), level=0.95)
        hits += e.low <= truth <= e.high
    assert 0.91 < hits / 400 < 0.985
