"""Permuted grades: expectations by enumeration and in closed form."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import assay
from assay.data.judged import Negative, judge
from assay.measures.grammar import parse
from assay.scoring.conditions import score_conditions
from assay.scoring.placebo import is_linear, placebo

RUNS = {
    "a": {"1": {"d1": 9, "d2": 8, "d3": 7, "x": 6}, "2": {"e1": 3, "e2": 2}},
    "b": {"1": {"x": 9, "d4": 8, "d1": 7}, "2": {"e3": 3, "y": 2, "e1": 1}},
}
QRELS = {"1": {"d1": 2, "d2": 0, "d3": 0, "d4": 1}, "2": {"e1": 1, "e2": 0, "e3": 0}}
LINEAR = ("P@3", "nDCG@3", "DCG@2", "RBP", "R@3", "P(rel=2)@2")


def _every_permutation(measure: str) -> np.ndarray:
    """Score under all permutations of the grades of both topics, and average. [run]"""
    means = []
    for first in permutations(QRELS["1"].values()):
        for second in permutations(QRELS["2"].values()):
            qrels = {
                "1": dict(zip(QRELS["1"], first, strict=True)),
                "2": dict(zip(QRELS["2"], second, strict=True)),
            }
            means.append(assay.score(RUNS, qrels, [measure]).mean()[0])
    return np.mean(means, axis=0)


@pytest.mark.parametrize("measure", LINEAR)
def test_the_mean_over_all_permutations_is_exact_for_linear_measures(measure: str) -> None:
    made = placebo(assay.score(RUNS, QRELS, [measure]), seed=1)
    assert made is not None
    assert made.exact.all()
    np.testing.assert_allclose(made.mean[0], _every_permutation(measure), atol=1e-12)


@pytest.mark.slow
def test_the_mean_over_many_permutations_comes_close_for_others() -> None:
    made = placebo(assay.score(RUNS, QRELS, ["AP"]), seed=1, permutations=2000)
    assert made is not None
    assert not made.exact.any()
    np.testing.assert_allclose(made.mean[0], _every_permutation("AP"), atol=0.02)


def test_expected_precision_is_the_share_of_judged_times_the_share_of_relevant() -> None:
    made = placebo(assay.score(RUNS, QRELS, ["P@3"]), seed=1)
    assert made is not None
    by_hand = [(3 / 3 * 2 / 4 + 2 / 3 * 1 / 3) / 2, (2 / 3 * 2 / 4 + 2 / 3 * 1 / 3) / 2]
    np.testing.assert_allclose(made.mean[0], by_hand)


def test_which_measures_are_linear() -> None:
    linear = {name for name in ("AP", "RR", "ERR", "Bpref", "P@5", "nDCG", "RBP", "R@5") if is_linear(parse(name), 2)}
    assert linear == {"P@5", "nDCG", "RBP", "R@5"}


def test_permuted_judgments_keep_documents_and_how_often_each_grade_occurs() -> None:
    qrels = assay.read_qrels({"1": {f"d{i}": i % 4 - 1 for i in range(40)}, "2": {f"e{i}": i % 2 for i in range(30)}})
    permuted = qrels.permuted(np.random.default_rng(0))
    assert (permuted.doc == qrels.doc).all()
    assert (permuted.grade != qrels.grade).any()
    for topic in (0, 1):
        before, after = (Counter(one.grade[one.topic == topic].tolist()) for one in (qrels, permuted))
        assert before == after
    assert ((qrels.grade < 0) == (permuted.grade < 0)).all()  # pooled but not judged: not permuted


def test_the_same_seed_permutes_alike_and_another_differently() -> None:
    runs = {"a": {"1": {f"d{i}": -i for i in range(30)}}, "b": {"1": {f"d{i}": i for i in range(30)}}}
    scores = assay.score(runs, {"1": {f"d{i}": i % 3 for i in range(30)}}, ["AP", "RR"])
    one, same, other = (placebo(scores, seed=seed, permutations=3) for seed in (5, 5, 6))
    assert one is not None
    assert same is not None
    assert other is not None
    np.testing.assert_array_equal(one.value, same.value)
    assert not np.array_equal(one.value, other.value)


def test_runs_and_topics_are_those_of_the_scores() -> None:
    scores = assay.score(RUNS, QRELS, ["AP", "P@3"]).select(runs=["b"], topics=["2"])
    made = placebo(scores, seed=0, permutations=2)
    assert made is not None
    assert made.value.shape == (2, 2, 1, 1)
    assert made.references.conditions == ("NumRet", "Judged@4")
    assert made.references.value.tolist() == [[[3.0]], [[2 / 3]]]


def test_a_pool_has_its_own_permutation() -> None:
    scores = score_conditions(assay.read_runs(RUNS), assay.read_qrels(QRELS), ["P@3", "P@3/pool=1"])
    made = placebo(scores, seed=0)
    assert made is not None
    assert made.exact.all()
    # a pool of depth 1 holds d1 (grade 2) of topic 1, e1 and e3 (grades 1 and 0) of topic 2
    np.testing.assert_allclose(made.mean[1], [(1 / 3 + 1 / 3 / 2) / 2, (1 / 3 + 2 / 3 / 2) / 2])


def test_scores_of_another_tool_have_no_placebo() -> None:
    scores = replace(assay.score(RUNS, QRELS, ["AP"]), made_of=None)
    assert placebo(scores, seed=0) is None


@pytest.mark.parametrize("negative", ["pooled", "nonrelevant"])
def test_permuted_grades_in_place_score_as_permuted_judgments_joined_anew(negative: Negative) -> None:
    rng = np.random.default_rng(4)
    runs = {r: {t: {f"{t}{d}": rng.random() for d in range(30)} for t in "xyz"} for r in "abcd"}
    qrels = {t: {f"{t}{d}": int(rng.integers(-1, 3)) for d in range(0, 30, 2)} for t in "xyz"}
    measures = ["AP", "nDCG@10", "Bpref", "AP/pool=3"]
    read = assay.read_runs(runs), assay.read_qrels(qrels)
    scores = score_conditions(*read, measures, negative=negative).select(runs=["d", "b"], topics=["z", "x"])
    made = placebo(scores, seed=0, permutations=1)
    assert made is not None
    for i, depth in enumerate([None, None, None, 3]):
        pooled = read[1] if depth is None else read[1].pool(read[0], depth=depth)
        judged = judge(read[0], pooled.permuted(np.random.default_rng(0)), negative=negative)
        anew = assay.score(judged.select(runs=["d", "b"], topics=["z", "x"]), measures[i].split("/")[0])
        np.testing.assert_array_equal(made.value[0, i], anew.value[0])


def test_grades_that_are_worth_something_from_0_on_count_in_the_expectation() -> None:
    measure = "DCG(gain={0: 1, 1: 2})@3"
    made = placebo(assay.score(RUNS, QRELS, [measure]), seed=1)
    assert made is not None
    assert made.exact.all()
    np.testing.assert_allclose(made.mean[0], _every_permutation(measure), atol=1e-12)
