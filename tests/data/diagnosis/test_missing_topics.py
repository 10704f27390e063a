"""Who lacks topics, and what that costs, in words."""

from __future__ import annotations

import numpy as np

from assay.data.diagnosis.missing_topics import cost, is_few, lacking, missing_lists, on_missing
from assay.data.read import read_runs

RUNS = ("bm25", "dense", "small-llm", "rerank")


def gone(*n_topics: int, of: int = 200) -> np.ndarray:
    """Runs that have so many of the topics, the first ones."""
    return np.arange(of) >= np.array(n_topics)[:, None]


def test_the_runs_that_lack_most_are_named_first() -> None:
    assert lacking(RUNS, gone(200, 178, 6, 199)) == "small-llm has 6 of 200 topics, dense 178, rerank 199"
    many = tuple(f"r{i}" for i in range(6))
    assert lacking(many, gone(1, 2, 3, 4, 5, 9, of=9)) == (
        "r0 has 1 of 9 topics, r1 2, r2 3, 2 more runs fewer than 9"
    )


def test_the_cost_is_what_all_would_have_without_the_runs_that_have_few() -> None:
    assert cost(RUNS, gone(200, 178, 6, 199)) == "6 of 200 topics common to all runs; without small-llm 178"
    assert cost(RUNS, gone(6, 178, 6, 199)) == "6 of 200 topics common to all runs; without bm25 and small-llm 178"


def test_where_no_run_has_few_the_one_that_costs_most_is_named() -> None:
    assert cost(RUNS, gone(200, 150, 190, 199)) == "150 of 200 topics common to all runs; without dense 190"


def test_where_no_run_alone_is_to_blame_nothing_is_said_of_it() -> None:
    assert cost(RUNS, gone(150, 150, 200, 200)) == "150 of 200 topics common to all runs"


def test_a_run_with_fewer_than_half_of_the_topics_is_a_warning() -> None:
    assert on_missing("score", RUNS, gone(200, 100, 200, 200), "counted as 0").severity == "caution"
    warned = on_missing("score", RUNS, gone(200, 99, 200, 200), "counted as 0")
    assert (warned.code, warned.severity) == ("missing_scores", "warning")
    assert warned.text == "101 scores missing, counted as 0: dense has 99 of 200 topics"


def test_a_list_is_missing_where_a_run_returns_nothing() -> None:
    runs = read_runs({"a": {"1": {"d": 1.0}, "2": {"d": 1.0}}, "b": {"2": {"d": 1.0}}})
    assert missing_lists(runs, ("2", "1", "3")).tolist() == [[False, False, True], [False, True, True]]


def test_where_there_is_no_topic_no_run_has_few() -> None:
    assert is_few(np.zeros((2, 0), dtype=bool)).tolist() == [False, False]
