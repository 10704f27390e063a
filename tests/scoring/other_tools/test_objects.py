"""Scores that are Python objects: frames, records and mappings, of one run or of several."""

from __future__ import annotations

import datetime
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import pytrec_eval

from assay import AssayError, InputError, read_scores
from assay.scoring.scores import Scores

AP = {"bm25": {"q1": 0.5, "q2": 0.25}, "dense": {"q1": 0.125, "q2": 0.75}}
LONG = [(run, topic, "AP", value) for run, of in AP.items() for topic, value in of.items()]
COLUMNS = {name: [row[i] for row in LONG] for i, name in enumerate(("run", "topic", "measure", "value"))}


class Ranx:
    """What a run of ranx has after `evaluate`."""

    def __init__(self, name: str | None, scores: dict[str, dict[str, float]]) -> None:
        self.name, self.scores, self.run = name, scores, object()


def metrics(run: str) -> list[Any]:
    return [ir_measures.Metric(topic, ir_measures.AP, value) for topic, value in AP[run].items()]


ONE: dict[str, Any] = {
    "ir_measures": metrics("bm25"),
    "an iterator of ir_measures": iter(metrics("bm25")),
    "pytrec_eval": {topic: {"map": value} for topic, value in AP["bm25"].items()},
    "ranx's mapping": {"map": AP["bm25"]},
    "tuples": [(topic, "AP", value) for topic, value in AP["bm25"].items()],
    "a column per measure": pd.DataFrame({"qid": ["q1", "q2"], "AP": [0.5, 0.25]}),
    "what calc gives": type("CalcResults", (), {"aggregated": {}, "per_query": metrics("bm25")})(),
}
SEVERAL: dict[str, Any] = {
    "polars": pl.DataFrame(COLUMNS),
    "lazy polars": pl.LazyFrame(COLUMNS),
    "pandas": pd.DataFrame(COLUMNS),
    "pandas with a mixed index": pd.DataFrame(COLUMNS, index=list("abcd")),
    "pyarrow": pa.table(COLUMNS),
    "pyterrier": pd.DataFrame(COLUMNS).rename(columns={"run": "name", "topic": "qid"}),
    "categories": pd.DataFrame(COLUMNS).astype({"run": "category", "measure": "category"}),
    "dicts": [dict(zip(COLUMNS, row, strict=True)) for row in LONG],
    "dicts with more": [dict(zip(COLUMNS, row, strict=True)) | {"more": [1], "at": object()} for row in LONG],
    "mappings of mappings": {run: {topic: {"map": value} for topic, value in of.items()} for run, of in AP.items()},
    "mappings, measures first": {"AP": AP},
    "mappings, measures in the middle": {run: {"map": of} for run, of in AP.items()},
    "records by run": {run: metrics(run) for run in AP},
    "frames by run": {run: pd.DataFrame({"qid": list(of), "AP": list(of.values())}) for run, of in AP.items()},
    "ranx in a list": [Ranx(run, {"map": of}) for run, of in AP.items()],
    "ranx by run": {run: Ranx("x", {"map": of}) for run, of in AP.items()},
    "frames in a list": [pl.DataFrame(COLUMNS)[:2], pd.DataFrame(COLUMNS)[2:]],
}


def assert_is_the_example(scores: Scores, runs: tuple[str, ...]) -> None:
    assert (scores.conditions, scores.topics) == (("AP",), ("q1", "q2"))
    of = list(AP.values())[: len(runs)]
    np.testing.assert_array_equal(scores.value, [[[own[topic] for topic in scores.topics] for own in of]])
    assert scores.runs == runs


@pytest.mark.parametrize("kind", ONE)
def test_the_scores_of_one_run_come_as_any_object(kind: str) -> None:
    source = metrics("bm25") if kind.startswith("an iterator") else ONE[kind]
    assert_is_the_example(read_scores(source), ("run",))


@pytest.mark.parametrize("kind", SEVERAL)
def test_the_scores_of_several_runs_come_as_any_object(kind: str) -> None:
    assert_is_the_example(read_scores(SEVERAL[kind]), ("bm25", "dense"))


def test_what_pytrec_eval_gives_is_read_as_it_is() -> None:
    qrels, run = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}, {"q1": {"a": 2.0, "x": 1.0}, "q2": {"c": 1.0, "a": 2.0}}
    given = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.5", "recip_rank"}).evaluate(run)
    scores = read_scores({"mine": given})
    assert (scores.runs, set(scores.conditions)) == (("mine",), {"AP", "nDCG@5", "RR"})
    assert scores["AP"].value.ravel().tolist() == [given[topic]["map"] for topic in ("q1", "q2")] == [0.5, 0.5]


def test_columns_of_a_frame_are_named() -> None:
    frame = pd.DataFrame(
        {"case": [1, 2], "ms": [3.5, 4.5], "when": [datetime.datetime(2026, 1, 1)] * 2, "none": None}
    )
    scores = read_scores(frame, columns="topic=case,value=ms", name="latency")
    assert (scores.conditions, scores.topics, scores.value.tolist()) == (("latency",), ("1", "2"), [[[3.5, 4.5]]])


def test_a_table_of_one_measure_may_be_a_matrix_that_is_named() -> None:
    frame = pd.DataFrame({"topic": ["q1", "q2"], "bm25": [0.5, 0.25], "dense": [0.125, 0.75]})
    assert_is_the_example(read_scores(frame, name="map"), ("bm25", "dense"))
    assert_is_the_example(read_scores(AP, name="map"), ("bm25", "dense"))


def test_numpys_numbers_and_gaps_are_read() -> None:
    given = {"q1": {"map": np.float64(0.5)}, "q2": {"map": None}, "q3": {"map": float("nan")}, "q4": {"map": True}}
    np.testing.assert_array_equal(read_scores(given).value, [[[0.5, np.nan, np.nan, 1.0]]])


BAD: list[tuple[Any, str]] = [
    (None, "cannot read a NoneType; files, dataframes, records and mappings of scores can be read"),
    (5, "cannot read a int; files"),
    ([], "run: nothing in it"),
    ({}, "run: no scores by topic"),
    ([1, 2], "run: row 1 is a int"),
    ({"AP": 0.5, "P@10": 0.25}, "run: only averages"),
    ({"q1": {"map": 0.5}, "q2": 3}, "run: q2 is not nested as q1 / map is"),
    ({"q1": {"map": "high"}}, "run: q1 / map: 'high' is not a number"),
    ({"q1": {"x": 1}}, "run: neither 'q1' nor 'x' is a measure"),
    ({"a": {"b": {"c": {"d": 1}}}}, "run: mappings more than 3 deep"),
    (pd.DataFrame({"run": ["a"], "measure": ["AP"], "value": [1.0]}), "run: no topic column"),
    (pd.DataFrame({"a": [1.0]}), "a matrix whose first header cell is 'a', neither topic nor run"),
    (pd.DataFrame(), "run: no column of text or numbers"),
    (pl.DataFrame({"run": ["a", "a"], "topic": [1, 1], "AP": [0.5, 0.5]}), "run: row 2: a second score for run a"),
    (pl.DataFrame({"run": ["a"], "topic": ["1"], "AP": ["good"]}), "run: row 1: 'good' is not a number"),
    ([(1, "AP")], "run: row 1: 2 fields, expected 3 (topic, measure, value)"),
    (Ranx("bm25", {}), "bm25: no scores in this run; ranx's evaluate leaves them there"),
    ({"a": pd.DataFrame(COLUMNS), "b": 3}, "run: no scores by topic"),
]


@pytest.mark.parametrize(("given", "problem"), BAD, ids=range(len(BAD)))
def test_a_bad_object_is_an_error_of_our_own_kind_of_one_line(given: Any, problem: str) -> None:
    with pytest.raises(AssayError) as caught:
        read_scores(given)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_contradictions_between_objects_name_both() -> None:
    with pytest.raises(InputError, match=r"run2: row 1: run a, topic 1, AP is 0.5 here, but 1 at run1: row 1"):
        read_scores([pl.DataFrame({"run": ["a"], "topic": ["1"], "AP": [value]}) for value in (1.0, 0.5)])


def test_a_topic_that_is_called_like_a_measure_does_not_make_topics_measures() -> None:
    read = read_scores({"a": {"q": {"map": 0.5, "mine": 1}, "2": {"map": 0.25}, "3": {"map": 0}}})
    assert (read.conditions, read.topics) == (("AP", "mine"), ("q", "2", "3"))
    with pytest.raises(InputError, match="'map' and 'ndcg' could both be measures"):
        read_scores({"map": {"ndcg": 0.5}})
