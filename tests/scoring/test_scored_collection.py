"""One collection under any condition: from runs and judgments, or from other tools' scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import UsageError
from assay.data.read import read_qrels, read_runs
from assay.scoring.conditions import score_conditions
from assay.scoring.scored_collection import (
    MissingDataError,
    ScoredCollection,
    binary,
    from_runs,
    from_scores,
    per_collection,
)
from assay.scoring.scores import Scores
from tests.builders.dense import collection


def of(x: np.ndarray) -> ScoredCollection:
    """One condition, called x."""
    runs, topics = (tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("rt", x.shape, strict=True))
    return from_scores([Scores(("x",), runs, topics, x[None])], "made")


def test_scores_of_a_condition_are_those_that_the_commands_compute(tmp_path: Path) -> None:
    paths = collection(n_runs=6, n_topics=8, n_docs=60).write(str(tmp_path))
    runs, qrels = read_runs(paths[0]), read_qrels(paths[1])
    conditions = ["nDCG@10/pool=3", "AP", "P@5"]
    scores = score_conditions(runs, qrels, conditions)
    scored = from_runs(runs, qrels)
    for condition, value in zip(conditions, scores.value, strict=True):
        assert scored.scores(condition).tolist() == value.tolist()
    assert scored.judged is not None
    assert scored.judged().runs == scored.runs == scores.runs
    assert scored.topics == scores.topics


def test_of_a_name_only_letters_and_digits_count_and_depth_1000_may_be_left_out() -> None:
    x = np.random.default_rng(4).random((2, 3, 4))
    made = from_scores([Scores(("map", "p10"), tuple("abc"), tuple("1234"), x)], "made")
    assert made.scores("P@10").tolist() == x[1].tolist()
    with pytest.raises(MissingDataError, match="AP@1000 of made"):
        made.scores("AP@1000")
    again = from_scores([Scores(("AP",), tuple("abc"), tuple("1234"), x[:1])], "made")
    assert again.scores("AP@1000").tolist() == x[0].tolist()


def test_scores_of_other_tools_must_be_complete_and_of_the_same_runs() -> None:
    x = np.random.default_rng(4).random((3, 4))
    with pytest.raises(MissingDataError, match="AP of made"):
        of(x).scores("AP")
    hole = x.copy()
    hole[1, 2] = np.nan
    with pytest.raises(UsageError, match="a run lacks the score of a topic"):
        of(hole).scores("x")
    with pytest.raises(UsageError, match=r"1 run and 4 topics are too few .*: at least 2 runs and 3 topics"):
        of(x[:1])
    with pytest.raises(UsageError, match="3 runs and 1 topic are too few"):
        of(x[:, :1])
    one, other = (Scores(("x",), runs, tuple("1234"), x[None]) for runs in (("a", "b", "c"), ("a", "b", "d")))
    with pytest.raises(UsageError, match="not of the same runs and topics"):
        from_scores([one, other], "made")


def test_only_the_topics_that_count_are_scored() -> None:
    x = np.random.default_rng(4).random((3, 5))
    scores = Scores(("x",), tuple("abc"), ("1", "2", "3", "4", "x"), x[None])
    assert from_scores([scores], "made", topics=str.isdecimal).scores("x").tolist() == x[:, :4].tolist()
    with pytest.raises(UsageError, match=r"none of its topics is there \(found 1, 2, 3, ...\)"):
        from_scores([scores], "made", topics=lambda _: False)


def test_a_statistic_is_computed_once_for_a_collection_and_its_arguments() -> None:
    calls = []

    @per_collection
    def best(c: ScoredCollection, condition: str, *, top: int = 1) -> float:
        calls.append((condition, top))
        return float(np.sort(c.scores(condition).mean(-1))[-top])

    one, other = (of(np.random.default_rng(seed).random((3, 4))) for seed in (1, 2))
    values = [best(one, "x"), best(one, "x"), best(one, "x", top=2), best(other, "x")]
    assert calls == [("x", 1), ("x", 2), ("x", 1)]
    assert values[0] == values[1] != values[3]


def test_grades_are_folded_once_and_other_scores_stay_as_they_are() -> None:
    runs = read_runs({"a": {t: {"x": 2.0, "y": 1.0} for t in "123"}, "b": {t: {"y": 2.0} for t in "123"}})
    graded = read_qrels({t: {"x": 2, "y": 1, "z": 0} for t in "123"})
    scored = from_runs(runs, graded, contributors=["b"])
    folded = binary(scored)
    assert folded is binary(scored)
    plain = from_runs(runs, read_qrels({t: {"x": 1, "y": 1, "z": 0} for t in "123"}), contributors=["b"])
    for condition in ("nDCG@2", "RBP(p=0.8)@2", "RBP(p=0.8)@2/pool=1"):
        assert folded.scores(condition).tolist() == plain.scores(condition).tolist()
        assert folded.scores(condition).tolist() != scored.scores(condition).tolist()
    assert binary(plain) is plain
    scores = of(np.ones((2, 3)))
    assert binary(scores) is scores
