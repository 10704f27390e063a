"""nDCG by gain and discount: against the catalogue's measure, reference values, and differences for the slopes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.analyses.weights.graded_lists import GradedLists, lists_of
from assay.analyses.weights.optimise.ndcg import Ideal, ndcg, stability
from assay.analyses.weights.variants import standard_discounts, standard_gains
from assay.core.arrays import Array
from assay.data.judged import Judged, judge
from assay.data.read import read_qrels, read_runs
from assay.scoring.engine import score
from assay.stats.variance import Coefficient
from tests.builders.packed import open_packed
from tests.reference.ndcg_slopes import stability_slopes

PHI = {
    (1, 10): {"log2": 0.37587, "zipf": 0.3624, "linear": 0.3746, "none": 0.3694, "exp": 0.3576},
    (1, 20): {"log2": 0.39077, "zipf": 0.3775, "linear": 0.3876, "none": 0.3758, "exp": 0.3766},
    (1, 100): {"log2": 0.38241, "zipf": 0.3912, "linear": 0.3728, "none": 0.3378, "exp": 0.3754},
    (2, 10): {"log2": 0.24299, "zipf": 0.2322, "linear": 0.2444, "none": 0.2415, "exp": 0.2374},
    (2, 20): {"log2": 0.25859, "zipf": 0.2451, "linear": 0.2563, "none": 0.2534, "exp": 0.2565},
}
"""Phi at one topic on rounds of TREC-COVID, all runs, by cutoff: discounts with linear gain, and exp gain with log2.

What tests/reference/ndcg_weights.py prints: numpy alone, and nothing of this project but its reader of packed runs.
"""


def random_lists(
    seed: int = 0, *, n_runs: int = 6, n_topics: int = 7, depth: int = 9, top: int = 3, spare: int = 4
) -> GradedLists:
    """Lists of random grades, some documents without one, and judgments that hold them and a few more."""
    rng = np.random.default_rng(seed)
    grade = rng.integers(-1, top + 1, size=(n_runs, n_topics, depth)).astype(np.int8)
    grade[rng.random(grade.shape) < 0.3] = 0
    most = np.stack([(grade == g).sum(-1).max(0) for g in range(top + 1)], axis=1)
    return GradedLists(grade, most + rng.integers(0, spare, size=most.shape))


def by_hand(lists: GradedLists, gain: Array, discount: Array) -> Array:
    """Score list after list, as nDCG is defined. [run, topic]"""
    scores = np.zeros((lists.n_runs, lists.n_topics))
    for run in range(lists.n_runs):
        for topic in range(lists.n_topics):
            gains = [gain[g] if g >= 0 else 0.0 for g in lists.grade[run, topic]]
            best = sorted(np.repeat(gain, lists.pool[topic]), reverse=True)
            ideal = sum(g * d for g, d in zip(best, discount, strict=False))
            scores[run, topic] = sum(g * d for g, d in zip(gains, discount, strict=False)) / ideal if ideal else 0.0
    return scores


def components(x: Array) -> tuple[float, float, float]:
    """Variance of runs, of topics and of what remains, from mean squares (Brennan 2001, section 3.3)."""
    n_runs, n_topics = x.shape
    between_runs = n_topics * np.var(x.mean(1), ddof=1)
    between_topics = n_runs * np.var(x.mean(0), ddof=1)
    total = ((x - x.mean()) ** 2).sum()
    rest = total - between_runs * (n_runs - 1) - between_topics * (n_topics - 1)
    error = rest / ((n_runs - 1) * (n_topics - 1))
    return float((between_runs - error) / n_topics), float((between_topics - error) / n_runs), float(error)


def coefficient_of(x: Array, coefficient: Coefficient) -> float:
    """The coefficient at one topic, from its components."""
    run, topic, rest = components(x)
    return run / (run + rest + (topic if coefficient == "phi" else 0.0))


def small() -> Judged:
    """Two runs on three topics, the last without a relevant document."""
    runs = {
        "a": {"1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "2": {"d1": 2.0, "d9": 1.0}, "3": {"d1": 1.0}},
        "b": {"1": {"d3": 3.0, "d1": 2.0}, "2": {"d4": 2.0, "d2": 1.5, "d1": 1.0}},
    }
    qrels = {"1": {"d1": 1, "d2": 0, "d3": 2}, "2": {"d1": 1, "d2": 2, "d4": 2}, "3": {"d1": 0}}
    return judge(read_runs(runs), read_qrels(qrels))


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_definition(seed: int) -> None:
    lists = random_lists(seed)
    gain, discount = np.array([0.0, 1.0, 1.3, 4.0]), np.random.default_rng(seed).random(9)
    assert ndcg(lists, gain, discount) == pytest.approx(by_hand(lists, gain, discount), abs=1e-13)


@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_scores_are_those_of_the_measure(k: int) -> None:
    judged = small()
    lists = lists_of(judged, k)
    for name, discount in standard_discounts(k).items():
        for gained, gain in standard_gains(lists.top).items():
            expected = score(judged, [f"nDCG(gain='{gained}', discount='{name}')@{k}"]).value[0]
            assert ndcg(lists, gain, discount) == pytest.approx(expected, abs=1e-12)


def test_a_topic_without_relevant_documents_scores_0() -> None:
    lists = lists_of(small(), 3)
    assert ndcg(lists, np.arange(3.0), np.ones(3))[:, 2].tolist() == [0.0, 0.0]


def test_lists_shorter_than_the_weights_keep_the_whole_ideal() -> None:
    lists = GradedLists(np.array([[[1]], [[0]]], dtype=np.int8), np.array([[5, 3]]))
    assert ndcg(lists, np.arange(2.0), np.ones(3)).tolist() == [[1 / 3], [0.0]]


def test_the_ideal_is_sorted_by_gain_unless_it_is_to_be_by_grade() -> None:
    """Grade 1 gains more: by gain the ideal is 3, 1; by grade 1, 3."""
    lists = GradedLists(np.array([[[1, 2]], [[2, 1]]], dtype=np.int8), np.array([[0, 1, 1]]))
    gain, discount = np.array([0.0, 3.0, 1.0]), np.array([1.0, 0.5])
    assert ndcg(lists, gain, discount).ravel() == pytest.approx([1.0, 2.5 / 3.5])
    assert ndcg(lists, gain, discount, ideal="grade").ravel() == pytest.approx([3.5 / 2.5, 1.0])


@pytest.mark.parametrize("coefficient", ["phi", "e_rho2"])
def test_the_coefficient_is_that_of_the_mean_squares(coefficient: Coefficient) -> None:
    lists = random_lists(3)
    gain, discount = np.arange(4.0), 1 / np.arange(1.0, 10)
    expected = coefficient_of(by_hand(lists, gain, discount), coefficient)
    assert stability(lists, gain, discount, coefficient) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("ideal", ["gain", "grade"])
@pytest.mark.parametrize("coefficient", ["phi", "e_rho2"])
@pytest.mark.parametrize("seed", range(4))
def test_slopes_are_those_of_differences(seed: int, coefficient: Coefficient, ideal: Ideal) -> None:
    """Central differences, to 1e-6 of the largest slope; gains out of order too."""
    lists, rng = random_lists(seed), np.random.default_rng([seed, 1])
    gain, discount = np.append(0.0, rng.uniform(0.5, 3.0, size=3)), rng.uniform(0.1, 1.0, size=9)
    found = stability_slopes(lists, gain, discount, coefficient, ideal=ideal)

    def at(more_gain: Array, more_weight: Array) -> float:
        return stability(lists, gain + more_gain, discount + more_weight, coefficient, ideal=ideal)

    h, none = 1e-5, np.zeros(9)
    by_gain = [(at(e, none) - at(-e, none)) / (2 * h) for e in h * np.eye(4)[1:]]
    by_discount = [(at(np.zeros(4), e) - at(np.zeros(4), -e)) / (2 * h) for e in h * np.eye(9)]
    assert found.by_gain[1:] == pytest.approx(np.array(by_gain), abs=1e-6 * np.abs(by_gain).max())
    assert found.by_discount == pytest.approx(np.array(by_discount), abs=1e-6 * np.abs(by_discount).max())


def test_scale_does_not_matter() -> None:
    lists = random_lists(1)
    gain, discount = np.arange(4.0), 1 / np.arange(1.0, 10)
    found, scaled = stability_slopes(lists, gain, discount), stability_slopes(lists, 7 * gain, 0.01 * discount)
    assert scaled.value == pytest.approx(found.value, abs=1e-14)
    assert found.by_gain @ gain == pytest.approx(0.0, abs=1e-13)
    assert found.by_discount @ discount == pytest.approx(0.0, abs=1e-13)


def test_scores_that_are_all_the_same_have_no_coefficient() -> None:
    lists = GradedLists(np.ones((3, 4, 2), dtype=np.int8), np.tile([0, 2], (4, 1)))
    assert np.isnan(stability(lists, np.arange(2.0), np.ones(2)))


def test_runs_and_topics_are_chosen_by_number_and_may_be_there_twice() -> None:
    lists = random_lists(2)
    part = lists.select(runs=np.array([4, 1]), topics=np.array([3, 3, 0]))
    assert part.grade.tolist() == lists.grade[[4, 1]][:, [3, 3, 0]].tolist()
    assert part.pool.tolist() == lists.pool[[3, 3, 0]].tolist()
    assert lists.head(4).depth == 4


def test_standard_discounts_fall_to_rank_k_and_sum_to_1() -> None:
    found = standard_discounts(4)
    assert list(found) == ["log2", "jk", "zipf", "linear", "none"]
    assert found["linear"].tolist() == pytest.approx([0.4, 0.3, 0.2, 0.1])
    assert found["zipf"][0] == pytest.approx(12 / 25)


@pytest.mark.xdist_group("covid")
@pytest.mark.parametrize("n", [1, 2])
def test_the_stability_of_standard_functions_on_trec_covid(data: Path, n: int) -> None:
    judged = open_packed(data / "trec-covid" / f"round{n}", f"qrels.covid-round{n}.txt.gz").judged()
    for (of, k), published in PHI.items():
        if of == n:
            lists, discount = lists_of(judged, k), standard_discounts(k)
            for name, phi in published.items():
                gain = standard_gains(lists.top)["exp" if name == "exp" else "linear"]
                found = stability(lists, gain, discount.get(name, discount["log2"]))
                assert found == pytest.approx(phi, abs=6e-6 if name == "log2" else 6e-5)
    measure = "nDCG(discount='jk')@50"
    ours = ndcg(lists_of(judged, 50), np.arange(3.0), standard_discounts(50)["jk"])
    assert ours == pytest.approx(score(judged, [measure]).value[0], abs=1e-12)
