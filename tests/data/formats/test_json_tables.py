"""JSON in every shape that people write it in: what is read is what the same rows in lines give."""

from __future__ import annotations

import io
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from assay import InputError, Runs, judge, read_qrels, read_runs
from assay.data.formats.delimited import read_table
from assay.data.long.table import LongTable
from assay.data.tables import UNJUDGED

ROWS: list[dict[str, Any]] = [
    {"qid": "1", "system": "a", "doc": "x", "score": 3.5},
    {"qid": "1", "system": "a", "doc": "y", "score": 2},
    {"qid": "2", "system": "b", "doc": "x", "score": 1.25},
]
QRELS = {"1": {"x": 1, "y": 2}, "2": {"x": 3}}
GRADES = [[[1, 2], [-3, -3]], [[-3, -3], [3, -3]]]


def assert_is_the_example(runs: Runs) -> None:
    assert runs.names == ("a", "b")
    assert judge(runs, read_qrels(QRELS)).cube().tolist() == GRADES


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "t.json"


def complaint(path: Path, read: Any = read_runs) -> str:
    with pytest.raises(InputError) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{path.parent}/", "")


FRAME = pd.DataFrame(ROWS)
SHAPES: dict[str, str] = {
    "lines": "".join(json.dumps(row) + "\n" for row in ROWS),
    "an array": json.dumps(ROWS),
    "an array of several lines": json.dumps(ROWS, indent=2),
    "an array with a mark": "\ufeff" + json.dumps(ROWS),
    "rows in an object": json.dumps({"results": ROWS}),
    "rows beside facts": json.dumps({"created": "today", "version": 2, "results": ROWS}),
    "columns": json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]}),
    "columns of pandas": FRAME.to_json(),
    "pandas, split": FRAME.to_json(orient="split"),
    "pandas, records": FRAME.to_json(orient="records"),
    "pandas, table": FRAME.to_json(orient="table", index=False),
    "rows beside objects": json.dumps({"config": {"k1": 0.9}, "results": ROWS}),
    "a mapping of runs": json.dumps({"a": {"1": {"x": 3.5, "y": 2}}, "b": {"2": {"x": 1.25}}}, indent=1),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["t.json", "t"])
def test_json_of_every_shape_is_the_same_table(shape: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(SHAPES[shape], encoding="utf-8")
    assert_is_the_example(read_runs(tmp_path / name))


def test_a_mapping_is_a_run_named_by_its_file_and_judgments_are_one_as_well(file: Path) -> None:
    file.write_text(json.dumps({"1": {"x": 3.5, "y": 2}}))
    assert read_runs(file).names == ("t.json",)
    file.write_text(json.dumps(QRELS, indent=2))
    qrels = read_qrels(file)
    assert (qrels.topics, qrels.grade.tolist()) == (("1", "2"), [1, 2, 3])


def test_facts_beside_the_rows_may_name_their_run(file: Path) -> None:
    rows = [{"qid": "1", "doc": "x", "score": 1.5}]
    file.write_text(json.dumps({"model": "bm25", "results": rows}))
    assert read_runs(file).names == ("bm25",)


# lists of documents inside a row


LISTS: dict[str, Any] = {
    "results": [{"doc": "x", "score": 9.5}, {"doc": "z", "score": 7.5}],
    "hits": [{"_id": "x", "_score": 9.5}, {"_id": "z", "_score": 7.5}],
    "ctxs": [{"id": "x", "text": "..."}, {"id": "z", "text": "..."}],
    "docs": ["x", "z"],
    "retrieved_context_ids": ["x", "z"],
    "anything": [{"docid": "x", "rank": 1}, {"docid": "z", "rank": 2}],
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("kind", ["lines", "array", "parquet", "not for polars"])
def test_a_list_of_documents_in_a_row_is_a_ranking(name: str, kind: str, tmp_path: Path) -> None:
    row = {"question_id": 7, "model": "m", name: LISTS[name], "n": 1.5}
    if kind == "parquet":
        pl.DataFrame([row]).write_parquet(tmp_path / "t.parquet")
        runs = read_runs(tmp_path / "t.parquet")
    else:
        odd = [{"question_id": "8", "model": "m", name: [], "n": float("nan")}] if kind == "not for polars" else []
        rows = [row, *odd]
        text = json.dumps(rows) if kind == "array" else "".join(json.dumps(one) + "\n" for one in rows)
        (tmp_path / "t.jsonl").write_text(text)
        runs = read_runs(tmp_path / "t.jsonl")
    assert (runs.names, runs.topics) == (("m",), ("7",))
    assert judge(runs, read_qrels({"7": {"x": 1}})).cube().tolist() == [[[1, UNJUDGED]]]


def test_the_place_in_the_list_is_the_rank_though_scores_be_distances(file: Path) -> None:
    file.write_text('{"qid": "1", "results": [{"doc": "x", "score": 0.1}, {"doc": "y", "score": 0.9}]}\n')
    assert judge(read_runs(file), read_qrels(QRELS)).cube().tolist()[0][0] == [1, 2]


def test_a_stated_rank_counts_and_not_the_place(file: Path) -> None:
    file.write_text('{"qid": "1", "results": [{"doc": "x", "rank": 2}, {"doc": "y", "rank": 1}]}\n')
    assert judge(read_runs(file), read_qrels(QRELS)).cube().tolist()[0][0] == [2, 1]


def test_grades_may_stand_in_the_list(file: Path) -> None:
    file.write_text('{"qid": "1", "results": [{"doc": "x", "grade": 2}, {"doc": "y", "grade": 0}]}\n')
    qrels = read_qrels(file)
    assert qrels.grade.tolist() == [2, 0]
    assert qrels.notes == ()  # the place in a list of judgments is no rank


def test_a_list_beside_documents_that_the_rows_name_is_not_looked_at(file: Path) -> None:
    file.write_text('{"qid": "1", "doc": "x", "score": 1, "docs": ["p", "q"]}\n')
    assert judge(read_runs(file), read_qrels(QRELS)).cube().tolist()[0][0] == [1]


def test_two_lists_of_documents_are_one_too_many(file: Path) -> None:
    file.write_text('{"qid": "1", "docs": ["x"], "results": ["y"]}\n')
    assert complaint(file) == "t.json: 'docs' and 'results' both are lists of documents; keep one of them"


def test_what_is_wrong_in_a_list_is_found_on_its_line(file: Path) -> None:
    file.write_text('{"qid": "1", "docs": ["x"]}\n\n{"qid": "2", "docs": ["x", "y", "x"]}\n')
    assert complaint(file).startswith("t.json:3: document x appears twice for topic 2")


def test_rankings_without_scores_are_read_topic_by_topic(file: Path) -> None:
    file.write_text(json.dumps({"1": ["y", "x"], "2": ["x"]}))
    assert judge(read_runs(file), read_qrels(QRELS)).cube().tolist() == [[[2, 1], [3, -3]]]
    file.write_text(json.dumps({"1": [["x", 0.5], ["y", 0.75]]}))
    assert judge(read_runs(file), read_qrels(QRELS)).cube().tolist()[0][0] == [1, 2]
    assert complaint(file, read_qrels) == "t.json: topic 1 holds a list, expected {topic: {doc: grade}}"


# what is wrong


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"1": {"x": "high"}}', "t.json: topic 1, doc x: score 'high' is not a number"),
        ('{"1": {"x": 1}, "2": 5}', "t.json: topic 2 holds a int, expected {topic: {doc: score}}"),
        (
            '[{"qid": "1", "doc": "x", "score": 1}, {"qid": "1", "doc": "y", "score": "high"}]',
            "t.json: object 2: score",
        ),
        ('[{"qid": "1", "doc": "x",\n "score": }]', "t.json:2: not JSON ("),
        ('{\n "1": {"x": 1},\n "1": {"y": 1}\n}', "t.json:3: key '1' twice in one object; give it once"),
        ('{"1": {"x": 1}\n', "t.json:2: not JSON ("),
        ('{"qid": "1", "doc": "x",\n{"qid": "2", "doc": "x", "score": 1}\n', "t.json:1: not JSON ("),
        ("[1, 2]", "t.json: no column for the topic"),
        ('[[1, "x"]]', 't.json: item 1 of the array is not an object, but [1, "x"]'),
        ("[]", "t.json: an empty array"),
        (
            '{"columns": ["qid", "doc", "score"], "data": [["1", "x", 1], ["1", "y"]]}',
            "t.json: row 2 of 'data' does not have a cell for each of the 3 columns",
        ),
        ("[" * 70 + "]" * 70, "t.json:1: nested more than 64 deep"),
        ('{"qid": "1", "doc": "x", "score": 1}{"qid": "2"}', "t.json:1: not JSON ("),
    ],
)
def test_bad_json_is_one_line_that_says_where(text: str, problem: str, file: Path) -> None:
    file.write_text(text)
    assert complaint(file).startswith(problem)


def test_an_array_and_lines_agree_on_real_numbers_of_every_kind(tmp_path: Path) -> None:
    values = [1, 0.1 + 0.2, 1e-300, -0.0, 2**53 + 1, 1.5e10]
    rows = [{"qid": 1, "doc": i, "score": value} for i, value in enumerate(values)]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second = (read_runs(tmp_path / name) for name in ("a.json", "b.jsonl"))
    assert first.score.tolist() == second.score.tolist() == sorted(map(float, values), reverse=True)


def test_a_packed_stream_of_one_object_is_read_as_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(ROWS[0]).encode())))
    assert read_runs("-").names == ("a",)


def mutated(rng: random.Random) -> str:
    """A small mapping or a few lines with a letter or two changed, so that many are broken."""
    docs = {rng.choice("abc") + str(i): rng.choice([1, 2.5, -3, 1e3]) for i in range(rng.randrange(1, 4))}
    rows = [{"qid": "1", "doc": doc, "score": score} for doc, score in docs.items()]
    shapes = [json.dumps({"1": docs, "2": docs}), json.dumps(rows), "".join(json.dumps(row) + "\n" for row in rows)]
    text = list(rng.choice(shapes))
    for _ in range(rng.randrange(3)):
        text[rng.randrange(len(text))] = rng.choice('{}[]",: 12e.\n')
    return "".join(text)


def plainly(text: str) -> set[tuple[str, str, float]] | None:
    """Read by Python's own reader and nothing else; None for what is no table of documents."""
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = [json.loads(line) for line in text.split("\n") if line.strip()]
        except ValueError:
            return None
    try:
        if isinstance(value, dict) and "qid" not in value:
            return {(topic, doc, float(score)) for topic, docs in value.items() for doc, score in docs.items()}
        rows = [value] if isinstance(value, dict) else value
        return {(str(row["qid"]), str(row["doc"]), float(row["score"])) for row in rows}
    except (TypeError, ValueError, KeyError, AttributeError):
        return None


def test_a_mutated_file_is_refused_or_read_as_pythons_reader_reads_it() -> None:
    rng = random.Random(15)
    accepted = refused = 0
    for _ in range(3000):
        text = mutated(rng)
        try:
            table = LongTable.build(*_laid_out(text), {}, source="t")
            table.check_ids()
            score = np.concatenate(list(table.numbers("score"))).tolist()
        except InputError:
            refused += 1
            continue
        accepted += 1
        got = set(zip(*(pl.concat(list(table.ids(role))) for role in ("topic", "doc")), score, strict=True))
        expected = plainly(text)
        assert expected is None or got == expected, text
        assert expected is not None or any(map(math.isnan, score)), text
    assert min(accepted, refused) > 600


def _laid_out(text: str) -> tuple[tuple[str, ...], list[pl.Series]]:
    raw = read_table(text.encode(), "t", documents="score")
    return raw.header, raw.columns.get_columns()
