"""Results: tables by name, and as frames of pandas."""

from __future__ import annotations

import polars as pl
import pytest

from assay import Result, UsageError

RESULT = Result(
    "toy",
    pl.DataFrame({"run": ["a", "b"], "mean": [0.5, None], "n": [1, 2]}),
    {"pairs": pl.DataFrame({"x": [1]}), "summary": pl.DataFrame({"y": [2]})},
)


def test_a_table_that_is_not_there_is_answered_with_those_that_are_and_the_closest() -> None:
    with pytest.raises(UsageError) as caught:
        RESULT.tables["pair"]
    assert str(caught.value) == "no table 'pair'; there are pairs and summary; did you mean 'pairs'?"
    with pytest.raises(KeyError):  # as from any mapping
        RESULT.tables["nope"]
    with pytest.raises(UsageError, match=r"^no table 'x'; there are none beside `table`$"):
        Result("toy", RESULT.table).tables["x"]


def test_tables_are_a_mapping_like_any_other() -> None:
    assert list(RESULT.tables) == ["pairs", "summary"]
    assert RESULT.tables.get("nope") is None
    assert "nope" not in RESULT.tables
    assert RESULT.to_dict()["tables"] == {"pairs": [{"x": 1}], "summary": [{"y": 2}]}


def test_tables_become_frames_of_pandas() -> None:
    frame = RESULT.to_pandas()
    assert list(frame["run"]) == ["a", "b"]
    assert frame["mean"].isna().tolist() == [False, True]
    assert frame["n"].tolist() == [1, 2]
    assert RESULT.to_pandas("summary")["y"].tolist() == [2]
    with pytest.raises(UsageError, match="no table 'nope'"):
        RESULT.to_pandas("nope")
