"""Lists that are graded again are those that a new join with the judgments gives."""

from __future__ import annotations

import numpy as np
import pytest

from assay.data.judged import Judged, Negative, judge, settled_grades
from assay.data.read import read_qrels, read_runs
from assay.data.regrading import Regrader
from assay.data.tables import UNJUDGED, permuted_grades, places

RUNS = {
    "a": {"1": {f"d{i}": float(-i) for i in range(300)}, "2": {"d2": 2.0, "d9": 1.0}},
    "b": {"1": {"d3": 3.0, "x": 2.0, "d0": 1.0}, "2": {}},
    "c": {"2": {"d9": 3.0, "y": 2.0, "d2": 1.0}},
}
QRELS = {"1": {"d0": 2, "d1": 0, "d3": -1, "d250": 1}, "2": {"d2": 1, "d9": 0, "z": 2}}
RUNS_READ, QRELS_READ = read_runs(RUNS), read_qrels(QRELS)


def same(one: Judged, other: Judged) -> bool:
    grades = all(np.array_equal(a.grade, b.grade) for a, b in zip(one.blocks, other.blocks, strict=True))
    return grades and np.array_equal(one.pool, other.pool)


def regrader(negative: Negative = "pooled", depth: int = 1000) -> Regrader:
    judged = judge(RUNS_READ, QRELS_READ, negative=negative).head(depth)
    return Regrader.of(judged, QRELS_READ, places(QRELS_READ, RUNS_READ))


@pytest.mark.parametrize("negative", ["pooled", "nonrelevant"])
@pytest.mark.parametrize("depth", [2, 1000])
def test_fewer_judgments_are_those_of_a_new_join(negative: Negative, depth: int) -> None:
    again = regrader(negative, depth)
    for kept in ([True] * 7, [True, False] * 3 + [True], [False] * 7):
        keep = np.array(kept)
        grade = np.where(keep, settled_grades(QRELS_READ, negative), np.int8(UNJUDGED))
        anew = judge(RUNS_READ, QRELS_READ.thin(keep), negative=negative).head(depth)
        assert same(again.graded(grade), anew)


def test_permuted_grades_are_those_of_permuted_judgments() -> None:
    grade = permuted_grades(QRELS_READ.topic, QRELS_READ.grade, np.random.default_rng(3))
    assert same(regrader().graded(grade), judge(RUNS_READ, QRELS_READ.permuted(np.random.default_rng(3))))
    assert sorted(grade.tolist()) == sorted(QRELS_READ.grade.tolist())
