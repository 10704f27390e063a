"""Runs and judgments that are Python objects already."""

from __future__ import annotations

import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay import InputError, Qrels, Runs, judge, read_qrels, read_runs, score
from assay.data.judgments.merging import RETRIEVED_ONLY
from assay.data.tables import IN_POOL, UNJUDGED

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1, "d9": -1}}
RUN = {"q1": {"d1": 0.5, "d3": 0.75, "dx": 0.5}, "q2": {"d9": 3.0, "d1": 2.0}}
GRADES = [[[1, UNJUDGED, 2], [IN_POOL, 1, -3]]]  # dx before d1: equal scores, higher id

JUDGED: dict[str, list[Any]] = {
    "query_id": ["q1", "q1", "q1", "q2", "q2"],
    "doc_id": ["d1", "d2", "d3", "d1", "d9"],
    "relevance": [2, 0, 1, 1, -1],
}
RANKED: dict[str, list[Any]] = {
    "query_id": ["q1", "q1", "q1", "q2", "q2"],
    "doc_id": ["d1", "d3", "dx", "d9", "d1"],
    "score": [0.5, 0.75, 0.5, 3.0, 2.0],
}
Ranked = namedtuple("Ranked", ["topic", "doc", "score"])


def rows(columns: dict[str, list[Any]]) -> list[tuple[Any, ...]]:
    return list(zip(*columns.values(), strict=True))


def records(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in rows(columns)]


RUNS: dict[str, Any] = {
    "mapping": RUN,
    "mapping of runs": {"run": RUN},
    "ir_measures": [ir_measures.ScoredDoc(*row) for row in rows(RANKED)],
    "named tuples": [Ranked(*row) for row in rows(RANKED)],
    "tuples": rows(RANKED),
    "lists": [list(row) for row in rows(RANKED)],
    "dicts": records(RANKED),
    "polars": pl.DataFrame(RANKED),
    "lazy polars": pl.LazyFrame(RANKED),
    "pandas": pd.DataFrame(RANKED),
    "pandas of objects": pd.DataFrame(RANKED, dtype=object),
    "pyarrow": pa.table(RANKED),
    "another order of columns": pl.DataFrame(RANKED).select("score", "doc_id", "query_id"),
}
JUDGMENTS: dict[str, Any] = {
    "mapping": QRELS,
    "ir_measures": [ir_measures.Qrel(*row) for row in rows(JUDGED)],
    "tuples": rows(JUDGED),
    "tuples with iteration": [(*row, "0") for row in rows(JUDGED)],
    "dicts": records(JUDGED),
    "polars": pl.DataFrame(JUDGED),
    "pandas": pd.DataFrame(JUDGED),
    "pandas with gaps": pd.DataFrame({**JUDGED, "relevance": [2, 0, 1, 1, -1]}).astype({"relevance": float}),
    "pyarrow": pa.table(JUDGED),
}


@pytest.mark.parametrize("kind", RUNS)
def test_runs_come_as_any_object(kind: str) -> None:
    runs = read_runs(RUNS[kind])
    assert runs.names == ("run",)
    assert runs.topics == ("q1", "q2")
    assert judge(runs, read_qrels(QRELS)).cube().tolist() == GRADES


@pytest.mark.parametrize("kind", JUDGMENTS)
def test_judgments_come_as_any_object(kind: str) -> None:
    qrels = read_qrels(JUDGMENTS[kind])
    assert qrels.topics == ("q1", "q2")
    assert qrels.grade.tolist() == [2, 0, 1, 1, IN_POOL]
    assert judge(read_runs(RUN), qrels).cube().tolist() == GRADES


def test_iterators_are_read_to_their_end() -> None:
    runs, qrels = read_runs(iter(rows(RANKED))), read_qrels(record for record in records(JUDGED))
    assert judge(runs, qrels).cube().tolist() == GRADES


def test_scores_agree_with_ir_measures_on_its_own_objects() -> None:
    wanted = [ir_measures.nDCG @ 3, ir_measures.AP, ir_measures.P @ 2]
    judgments, ranked = JUDGMENTS["ir_measures"], RUNS["ir_measures"]
    expected = {(str(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(wanted, judgments, ranked)}
    scores = score(judge(read_runs(ranked), read_qrels(judgments)), [str(m) for m in wanted]).frame()
    got = {(row["measure"], row["topic"]): row["value"] for row in scores.to_dicts()}
    assert got.keys() == expected.keys()
    assert all(got[cell] == pytest.approx(expected[cell], abs=1e-12) for cell in expected)


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table, records])
def test_a_run_column_makes_several_runs(make: Any) -> None:
    columns = {key: values * 2 for key, values in RANKED.items()} | {"system": ["b"] * 5 + ["a"] * 5}
    runs = read_runs(make(columns))
    assert runs.names == ("b", "a")
    assert judge(runs, read_qrels(QRELS)).cube().tolist() == GRADES * 2


def test_several_runs_come_as_mappings_of_mappings_of_mappings() -> None:
    runs = read_runs({"first": RUN, "second": {"q2": {"d1": 1}}})
    assert runs.names == ("first", "second")
    assert judge(runs, read_qrels(QRELS)).cube().tolist() == [*GRADES, [[-3, -3, -3], [1, -3, -3]]]


class Ranx:
    """What ranx's Run and Qrels have: no iteration, a name, and a mapping inside."""

    def __init__(self, lists: dict[str, dict[str, Any]], name: str | None, *, judged: bool = False) -> None:
        self.name = name
        setattr(self, "qrels" if judged else "run", object())
        self._lists = lists

    def to_dict(self) -> dict[str, dict[str, Any]]:
        return self._lists


class Dataset:
    """What a dataset of ir_datasets has: iterators over named tuples."""

    def scoreddocs_iter(self) -> Iterator[Any]:
        return iter([ir_measures.ScoredDoc(*row) for row in rows(RANKED)])

    def qrels_iter(self) -> Iterator[Any]:
        return iter([ir_measures.Qrel(*row) for row in rows(JUDGED)])


NAMED: dict[str, Any] = {
    "frames": {"b": pd.DataFrame(RANKED), "a": pl.DataFrame(RANKED)},
    "records": {"b": RUNS["ir_measures"], "a": rows(RANKED)},
    "iterators": {"b": iter(RUNS["ir_measures"]), "a": (record for record in records(RANKED))},
    "frames and records": {"b": pa.table(RANKED), "a": records(RANKED)},
    "frames and mappings": {"b": pd.DataFrame(RANKED), "a": RUN},
    "frames with a run of their own": {
        "b": pl.DataFrame(RANKED).with_columns(name=pl.lit("x")),
        "a": pl.DataFrame(RANKED).with_columns(name=pl.lit("x")),
    },
    "ranx by name": {"b": Ranx(RUN, "x"), "a": Ranx(RUN, "x")},
    "ranx in a list": [Ranx(RUN, "b"), Ranx(RUN, "a")],
    "frames in a list": [pl.DataFrame(RANKED).with_columns(run=pl.lit(name)) for name in "ba"],
}


@pytest.mark.parametrize("kind", NAMED)
def test_several_runs_come_by_name_or_in_a_list(kind: str) -> None:
    runs = read_runs(NAMED[kind])
    assert runs.names == ("b", "a")
    assert judge(runs, read_qrels(QRELS)).cube().tolist() == GRADES * 2


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda _: RUN])
def test_runs_of_a_list_that_have_no_name_are_numbered(make: Any) -> None:
    runs = read_runs([make(RANKED), make(RANKED)])
    assert runs.names == ("run1", "run2")
    assert judge(runs, read_qrels(QRELS)).cube().tolist() == GRADES * 2


def test_several_runs_under_one_name_keep_their_own_behind_it() -> None:
    frame = pl.DataFrame(RANKED)
    both = pl.concat([frame.with_columns(run=pl.lit(name)) for name in "xy"])
    assert read_runs({"2023": both, "mine": frame}).names == ("2023/x", "2023/y", "mine")


def test_files_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("q1 Q0 d1 1 0.5 tag\n")
    pl.DataFrame(RANKED).write_csv(tmp_path / "t.csv")
    runs = read_runs({"first": tmp_path / "x", "second": str(tmp_path / "t.csv"), "third": pl.DataFrame(RANKED)})
    assert runs.names == ("first", "second", "third")
    assert judge(runs, read_qrels(QRELS)).cube().tolist()[1:] == GRADES * 2


def test_ranx_and_ir_datasets_are_known_by_what_they_can_do() -> None:
    for runs in (read_runs(Ranx(RUN, "bm25")), read_runs(Dataset(), name="bm25")):
        assert runs.names == ("bm25",)
        assert judge(runs, read_qrels(QRELS)).cube().tolist() == GRADES
    assert read_runs(Ranx(RUN, None)).names == ("run",)
    for qrels in (read_qrels(Ranx(QRELS, None, judged=True)), read_qrels(Dataset())):
        assert qrels.grade.tolist() == [2, 0, 1, 1, IN_POOL]


def test_judgments_of_several_objects_are_merged() -> None:
    parts = [pl.DataFrame(JUDGED)[:3], pl.DataFrame(JUDGED)[3:]]
    assert read_qrels(parts).grade.tolist() == read_qrels(QRELS).grade.tolist()
    with pytest.raises(InputError, match=r"judgments 2: row 1: document d1 of topic q1 has grade 1 here but 2 at"):
        read_qrels([{"q1": {"d1": 2}}, {"q1": {"d1": 1}}])


def test_rankings_may_be_lists_best_first() -> None:
    runs = read_runs({"q1": ["d3", "dx", "d1"], "q2": ["d9", "d1"]})
    assert judge(runs, read_qrels(QRELS)).cube().tolist() == GRADES
    pairs = {topic: list(docs.items()) for topic, docs in RUN.items()}
    by_score = judge(read_runs(pairs, order="score"), read_qrels(QRELS)).cube().tolist()
    assert by_score == GRADES


def test_pandas_own_gaps_are_nothing() -> None:
    frame = pd.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "score": [1.0, 2.0], "label": [1, pd.NA]})
    assert read_qrels(frame.astype(object)).grade.tolist() == [1]


def test_a_single_run_is_named_by_the_caller() -> None:
    assert read_runs(RUN, name="bm25").names == ("bm25",)


def test_integer_ids_are_their_digits_wherever_they_stand() -> None:
    frame = pd.DataFrame({"qid": [1, 2], "docno": [10, 20], "score": [1.0, 2.0], "label": [1, None]})
    sparse = pd.DataFrame({"qid": [1.0, 2.0], "docno": [10, 20], "score": [1, 2]})
    for runs in (read_runs(frame), read_runs(sparse), read_runs({1: {10: 1}, 2: {20: 2}})):
        assert runs.topics == ("1", "2")
        assert judge(runs, read_qrels({"1": {"10": 1}, 2: {20: 2}})).cube().tolist() == [[[1], [2]]]
    assert read_qrels(frame).topics == ("1",)


def test_ids_of_mixed_types_are_text() -> None:
    for make in (pd.DataFrame, records):
        runs = read_runs(make({"qid": [1, "two"], "docno": ["a", "b"], "score": [1, 2.5]}))
        assert runs.topics == ("1", "two")
        assert runs.score.tolist() == [1.0, 2.5]


def test_scores_keep_their_precision() -> None:
    assert read_runs([("q", "a", 0.1 + 0.2), ("q", "b", 1)]).score.tolist() == [1.0, 0.1 + 0.2]
    assert read_runs({"q": {"a": 1, "b": 16777217.0}}).score.tolist() == [16777217.0, 1.0]


def test_columns_are_mapped_by_text_or_mapping() -> None:
    frame = pl.DataFrame({"q": ["1"], "id": ["a"], "value": [1.5], "text": ["..."]})
    for columns in ("topic=q,doc=id,score=value", {"topic": "q", "doc": "id", "score": "value"}):
        assert read_runs(frame, columns=columns).topics == ("1",)


def test_unused_columns_are_not_looked_at() -> None:
    frame = pd.DataFrame({**RANKED, "extra": [[1], {2}, "x", None, object()]})
    assert read_runs(frame).topics == ("q1", "q2")
    assert read_runs([record | {"extra": object()} for record in records(RANKED)]).topics == ("q1", "q2")


def test_judgments_are_read_from_a_ranked_frame() -> None:
    frame = pl.DataFrame(RANKED).with_columns(rank=pl.int_range(pl.len()), grade=pl.Series([1, 0, None, 1, 1]))
    qrels = read_qrels(frame)
    assert qrels.grade.tolist() == [1, 0, 1, 1]
    assert [note.code for note in qrels.notes] == [RETRIEVED_ONLY]


def test_pandas_without_pyarrow_is_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({**RANKED, "score": [0.5, 0.75, 0.5, 3, 2]})
    original = pl.DataFrame

    def refuse(data: Any = None, *args: Any, **kwargs: Any) -> pl.DataFrame:
        if isinstance(data, pd.DataFrame):
            raise ModuleNotFoundError("pyarrow")
        return original(data, *args, **kwargs)

    monkeypatch.setattr("assay.data.formats.objects.pl.DataFrame", refuse)
    assert read_runs(frame).topics == ("q1", "q2")


def test_neither_pandas_nor_pyarrow_is_imported() -> None:
    code = (
        "import sys, assay; assay.read_runs({'q': {'d': 1}}); assay.read_qrels([('q', 'd', 1)]);"
        "print([m for m in ('pandas', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


BAD_RUNS: list[tuple[Any, str]] = [
    ({}, "run: nothing in it"),
    ([], "run: nothing in it"),
    ({"q": {}}, "run: a header, but no rows"),
    (5, "cannot read a int; files, mappings of mappings, records and dataframes can be read"),
    ({"q": [["d1"], "d2"]}, "run: item 1 of topic q is a list, expected a document's id, or one with its score"),
    ({"q": ["d1", {"doc": "d2"}]}, "run: 'docs' of row 1: item 1 is not like the others"),
    ({"a": pd.DataFrame(RANKED), "b": 3}, "run: topic a holds a DataFrame, expected {topic: {doc: score}}"),
    ([pd.DataFrame(RANKED), RUN["q1"]], "run: row 1 is a DataFrame; files, mappings"),
    ({"bm25": "no such run.txt"}, "no such run.txt: no such file"),
    ({"q": 3}, "run: topic q holds a int, expected {topic: {doc: score}}"),
    ({"r": {"q": {"d": 1}, "p": 3}}, "run: run r: topic p holds a int, expected {topic: {doc: score}}"),
    ({"q": {"d": "high"}}, "run: row 1: score 'high' is not a number"),
    ({"q": {"a": 1.0, "d": float("nan")}}, "run: row 2: score is NaN, not a number"),
    ([("q", "d", 1.0), ("q", "d", 2.0)], "run: row 2: document d appears twice for topic q"),
    ([("q", "d")], "run: row 1: 2 fields, expected 3 (topic, doc, score)"),
    ([("q", "d", 1), ("q", "e")], "run: row 2: 2 fields, expected 3 (topic, doc, score)"),
    ([("q", "d", 1), {"q": 1}], "run: row 2 is a dict, but row 1 a tuple"),
    ([1, 2], "run: row 1 is a int; files, mappings of mappings, records and dataframes can be read"),
    (pl.DataFrame({"qid": ["1"], "docno": ["a"], "scroe": [1]}), "did you mean 'scroe'? --columns score=scroe"),
    (pl.DataFrame({"qid": ["1"], "docno": [["a"]], "score": [1]}), "the doc column holds lists or objects"),
    (pl.DataFrame({"qid": ["1", None], "docno": ["a", "b"], "score": [1, 2]}), "run: row 2: no topic"),
    (pl.DataFrame({"qid": ["1"], "docno": ["a"], "score": [None]}), "run: no row has a rank or a score"),
    (
        pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [1, None]}),
        "run: row 2: no rank, score or grade",
    ),
    (pd.DataFrame({"qid": [], "docno": [], "score": []}), "run: a header, but no rows"),
]


@pytest.mark.parametrize(("given", "message"), BAD_RUNS, ids=range(len(BAD_RUNS)))
def test_bad_runs_are_one_line(given: Any, message: str) -> None:
    with pytest.raises(InputError) as problem:
        read_runs(given)
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


BAD_JUDGMENTS: list[tuple[Any, str]] = [
    ({}, "judgments: nothing in it"),
    ({"q": {"d": "high", "e": 1}}, "judgments: row 1: grade 'high' is not a number; map the values to integers"),
    ({"r": {"q": {"d": 1}}}, "judgments: mappings three deep, expected {topic: {doc: grade}}"),
    ([("q", "d", 1), ("q", "d", 2)], "judgments: row 2: document d of topic q has grade 2 here but 1 at"),
    ([("q", "d", 1, "0", "x")], "judgments: row 1: 5 fields, expected 4 (topic, doc, grade, iteration)"),
    (pl.DataFrame({"qid": ["1"], "docno": ["a"]}), "judgments: no column for the grade"),
    ({"q": {"d": 128}}, "judgments: row 1: grade 128 is above 127"),
]


@pytest.mark.parametrize(("given", "message"), BAD_JUDGMENTS, ids=range(len(BAD_JUDGMENTS)))
def test_bad_judgments_are_one_line(given: Any, message: str) -> None:
    with pytest.raises(InputError) as problem:
        read_qrels(given)
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


def test_what_is_read_is_what_files_give() -> None:
    assert isinstance(read_runs(RUN), Runs)
    assert isinstance(read_qrels(QRELS), Qrels)
