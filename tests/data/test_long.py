"""Long tables: every kind of file, every way to name a column, every way to be wrong."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import pytrec_eval
import zstandard

from assay import InputError, judge, read_qrels, read_runs, score
from assay.cli import main
from assay.data.formats.fields import find_columns, role_of
from assay.data.judgments.merging import RETRIEVED_ONLY
from assay.data.tables import IN_POOL

Row = dict[str, Any]

ROWS: list[Row] = [
    {"query": "q1", "system": "a", "doc": "d1", "rank": 1, "grade": 2},
    {"query": "q1", "system": "a", "doc": "d2", "rank": 2, "grade": 0},
    {"query": "q1", "system": "b", "doc": "d2", "rank": 1, "grade": 0},
    {"query": "q1", "system": "b", "doc": "d3", "rank": 2, "grade": 1},
    {"query": "q2", "system": "a", "doc": "d4", "rank": 1, "grade": 1},
]
MEANS = {"a": {"P@1": 1.0, "RR": 1.0}, "b": {"P@1": 0.0, "RR": 0.25}}  # by hand; b returns nothing for q2


def jsonl(rows: list[Row]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def delimited(rows: list[Row], separator: str = ",") -> bytes:
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [separator.join("" if row.get(n) is None else str(row[n]) for n in names) for row in rows]
    return "\n".join([separator.join(names), *lines]).encode()


def parquet(rows: list[Row]) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(rows).write_parquet(out)
    return out.getvalue()


KINDS: dict[str, Callable[[list[Row]], bytes]] = {
    "table.jsonl": jsonl,
    "table.ndjson": jsonl,
    "table.json-lines": jsonl,
    "table.csv": delimited,
    "table.tsv": lambda rows: delimited(rows, "\t"),
    "table.parquet": parquet,
    "no-extension-json": jsonl,
    "no-extension-csv": delimited,
    "no-extension-tsv": lambda rows: delimited(rows, "\t"),
    "no-extension-parquet": parquet,
    "windows.csv": lambda rows: b"\xef\xbb\xbf" + delimited(rows).replace(b"\n", b"\r\n"),
    "quoted.csv": lambda rows: b"\n".join(
        b",".join(b'"' + cell + b'"' for cell in line.split(b",")) for line in delimited(rows).split(b"\n")
    ),
}

PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def write(folder: Path, name: str, data: bytes) -> str:
    (folder / name).write_bytes(data)
    return str(folder / name)


def scored(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Score with the command; return means by run and measure, and the notes by their codes."""
    assert main(["score", *words, "--format", "json"]) == 0, capsys.readouterr().err
    result = json.loads(capsys.readouterr().out)
    means: dict[str, dict[str, float]] = {}
    for row in result["tables"]["long"]:
        means.setdefault(row["run"], {})[row["measure"]] = row["mean"]
    return means, {note["code"]: note["text"] for note in result["notes"]}


def refused(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> str:
    """Score with the command, which must complain in one line and leave no file; return the line."""
    out = folder / "out.json"
    assert main(["score", *words, "-m", "P@1", "-o", str(out)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert not out.exists()
    assert list(folder.glob(".out*")) == []
    return printed.err.removeprefix("assay: ").rstrip("\n").replace(f"{folder}/", "")


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_table_is_scored_by_one_command(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, name, KINDS[name](ROWS))
    means, notes = scored(capsys, path, "-m", "P@1", "-m", "RR")
    assert means == MEANS
    assert "ordered by rank" in notes["ordered_by_rank"]
    assert "documents that no run returned are unknown" in notes[RETRIEVED_ONLY]


@pytest.mark.parametrize("suffix", PACKINGS)
@pytest.mark.parametrize("name", ["table.jsonl", "table.csv", "table.parquet", "plain"])
def test_tables_may_be_packed(name: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = KINDS.get(name, delimited)(ROWS)
    path = write(tmp_path, name + suffix, PACKINGS[suffix](data))
    assert scored(capsys, path, "-m", "P@1", "-m", "RR")[0] == MEANS


@pytest.mark.parametrize("kind", [jsonl, delimited, parquet])
def test_a_table_may_come_by_standard_input(
    kind: Callable[[list[Row]], bytes], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(kind(ROWS))))
    assert scored(capsys, "-", "-m", "P@1", "-m", "RR")[0] == MEANS


def test_a_table_of_four_systems_and_600_queries_agrees_with_pytrec_eval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(7)
    grade = rng.choice(4, p=[0.6, 0.2, 0.15, 0.05], size=(600, 40))
    rows: list[Row] = [
        {"query": q, "system": f"s{s}", "doc": f"d{d}", "rank": rank, "grade": int(grade[q, d])}
        for q in range(600)
        for s in range(4)
        for rank, d in enumerate(rng.permutation(40)[:10].tolist(), 1)
    ]
    path, out = write(tmp_path, "table.jsonl", jsonl(rows)), tmp_path / "scores.json"
    words = ["-m", "nDCG@10", "-m", "P@5", "-m", "AP", "-m", "RR", "-m", "R@10"]
    assert main(["score", path, *words, "--per-topic", "-o", str(out)]) == 0
    got = {(r["run"], r["topic"], r["measure"]): r["value"] for r in json.loads(out.read_text())["table"]}
    # the same rows as trec_eval would see them: judgments are what the rows say, scores fall with the rank
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        qrels.setdefault(str(row["query"]), {})[row["doc"]] = row["grade"]
        runs.setdefault(row["system"], {}).setdefault(str(row["query"]), {})[row["doc"]] = -float(row["rank"])
    names = {"ndcg_cut_10": "nDCG@10", "P_5": "P@5", "map": "AP", "recip_rank": "RR", "recall_10": "R@10"}
    judge = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "P.5", "map", "recip_rank", "recall.10"})
    expected = {
        (run, topic, names[name]): value
        for run, lists in runs.items()
        for topic, values in judge.evaluate(lists).items()
        for name, value in values.items()
    }
    assert len(expected) == 4 * 600 * 5
    assert got.keys() == expected.keys()
    assert max(abs(got[cell] - expected[cell]) for cell in expected) < 1e-12


@pytest.mark.parametrize(
    ("topic", "run", "doc", "grade"),
    [
        ("query", "system", "doc", "grade"),
        ("topic", "run", "doc_id", "relevance"),
        ("query_id", "model", "docid", "rel"),
        ("qid", "run_id", "docno", "label"),
        ("q_id", "tag", "document", "judgment"),
        ("topic_id", "name", "did", "Grade"),
        ("Query-ID", "SYSTEM", "corpus-id", "Relevance"),
    ],
)
def test_columns_are_known_by_their_usual_names(topic: str, run: str, doc: str, grade: str, tmp_path: Path) -> None:
    names = {"query": topic, "system": run, "doc": doc, "grade": grade, "rank": "Rank"}
    rows = [{names[key]: value for key, value in row.items()} for row in ROWS]
    for data, name in ((jsonl(rows), "t.jsonl"), (delimited(rows), "t.csv")):
        path = write(tmp_path, name, data)
        runs, qrels = read_runs(path), read_qrels(path)
        assert runs.names == ("a", "b")
        assert qrels.topics == runs.topics == ("q1", "q2")
        assert qrels.grade.tolist() == [2, 0, 1, 1]


def test_columns_are_mapped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {"query": "q", "system": "who", "doc": "id", "grade": "good", "rank": "place"}
    rows = [{names[key]: value for key, value in row.items()} for row in ROWS]
    path = write(tmp_path, "t.csv", delimited(rows))
    columns = "topic=q,run=who,doc=id,rank=place,grade=good"
    assert scored(capsys, path, "--columns", columns, "-m", "P@1", "-m", "RR")[0] == MEANS


def test_mapped_columns_make_a_table_of_a_file_without_extension(tmp_path: Path) -> None:
    path = write(tmp_path, "t", b"q\td\ts\n1\ta\t0.5\n")
    assert read_runs(path, columns={"topic": "q", "doc": "d", "score": "s"}).topics == ("1",)


def test_of_two_columns_that_would_do_the_id_is_taken_and_a_note_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row | {"qid": "7", "query": "what is a torque converter"} for row in ROWS if row["query"] == "q1"]
    path = write(tmp_path, "t.jsonl", jsonl(rows))
    assert read_runs(path).topics == ("7",)
    notes = scored(capsys, path, "-m", "P@1")[1]
    assert "the topic is column 'qid' (--columns topic=query would take 'query')" in notes["ambiguous_column"]


def test_pyterrier_frames_have_both_docid_and_docno_and_docno_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", b"qid,docid,docno,rank,score,query,name\n1,5,DOC-5,0,1.5,text,bm25\n")
    qrels = read_qrels({"1": {"DOC-5": 1}})
    assert score(judge(read_runs(path), qrels), ["P@1"]).value.tolist() == [[[1.0]]]


def test_ids_stay_as_they_are_written(tmp_path: Path) -> None:
    csv = read_runs(write(tmp_path, "t.csv", b"query,doc,score\n007,d,1\n7,d,1\n7.0,d,1\n"))
    assert csv.topics == ("007", "7", "7.0")
    lines = b'{"query": 5, "doc": 1, "score": 1}\n{"query": 12345678901234567890, "doc": 2, "score": 1}\n'
    assert read_runs(write(tmp_path, "t.jsonl", lines)).topics == ("5", "12345678901234567890")
    mixed = b'{"query": 5, "doc": 1, "score": 1}\n{"query": "x", "doc": "1b", "score": 1}\n'
    assert read_runs(write(tmp_path, "m.jsonl", mixed)).topics == ("5", "x")


def test_whole_numbers_among_floats_are_their_digits(tmp_path: Path) -> None:
    frame = pl.DataFrame({"query": [5.0, 6.0], "doc": [1.0, 2.0], "score": [1, 2]})
    frame.write_parquet(tmp_path / "t.parquet")
    assert read_runs(tmp_path / "t.parquet").topics == ("5", "6")
    assert judge(read_runs(tmp_path / "t.parquet"), read_qrels({5: {1: 1}})).cube().tolist() == [[[1]]]


def test_floats_too_large_to_be_exact_are_no_ids(tmp_path: Path) -> None:
    pl.DataFrame({"query": ["1"], "doc": [2.0**60], "score": [1]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="too large to be exact"):
        read_runs(tmp_path / "t.parquet")


def test_latin_1_tables_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "query,doc,score\nGröße,d,1\n".encode("latin-1"))
    assert read_runs(path).topics == ("Größe",)


def test_blanks_around_cells_do_not_count(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", b"query, doc, score\n1, d1, 0.5\n1, d2, 0.7\n")
    assert judge(read_runs(path), read_qrels({"1": {"d2": 1}})).cube().tolist() == [[[1, -1]]]


def test_quoted_cells_may_hold_separators_and_line_ends(tmp_path: Path) -> None:
    text = b'query,text,doc,score\n1,"a, ""b""\nc","d,1",1\n\n2,,"d,2",x\n'
    path = write(tmp_path, "t.csv", text)
    with pytest.raises(InputError, match=r"t.csv:5: score 'x' is not a number"):
        read_runs(path)
    path = write(tmp_path, "t.csv", text.replace(b",x", b",2"))
    assert judge(read_runs(path), read_qrels({"1": {"d,1": 1}})).cube().tolist() == [[[1]]]


def test_without_a_run_column_the_file_is_one_run_of_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, "bm25.csv.gz", gzip.compress(b"query,doc,score\n1,a,3\n1,b,4\n"))
    runs = read_runs(path)
    assert runs.names == ("bm25.csv",)
    assert runs.score.tolist() == [4, 3]


def test_ranks_order_a_table_that_has_them_and_scores_where_asked(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", b"query,doc,rank,score\n1,a,1,5\n1,b,2,5\n1,c,3,9\n")
    qrels = read_qrels({"1": {"a": 1, "b": 2, "c": 3}})

    def order(**how: Any) -> list[int]:
        return judge(read_runs(path, **how), qrels).cube().ravel().tolist()

    assert order() == order(order="rank") == [1, 2, 3]
    assert order(order="score") == [3, 2, 1]
    assert order(order="score", ties="file") == order(order="score", ties="rank") == [3, 1, 2]
    assert order(order="distance") == [2, 1, 3]


def test_runs_with_and_without_scores_may_share_a_table(tmp_path: Path) -> None:
    rows = [
        {"query": 1, "system": "a", "doc": "x", "rank": 2},
        {"query": 1, "system": "a", "doc": "y", "rank": 1},
        {"query": 1, "system": "b", "doc": "x", "score": 0.5},
        {"query": 1, "system": "b", "doc": "y", "score": 0.1},
    ]
    runs = read_runs(write(tmp_path, "t.jsonl", jsonl(rows)))
    assert judge(runs, read_qrels({1: {"x": 1, "y": 2}})).cube().tolist() == [[[2, 1]], [[1, 2]]]
    assert [note.code for note in runs.notes] == ["ordered_by_rank"]
    assert "1 of 2 runs have no scores" in runs.notes[0].text


def test_rows_in_any_order_give_the_same_scores(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "query": np.repeat(np.arange(5), 30),
            "system": np.tile(np.repeat(["a", "b", "c"], 10), 5),
            "doc": np.tile(np.arange(10), 15),
            "score": rng.normal(size=150),
            "grade": rng.integers(0, 3, size=5 * 10).reshape(5, 1, 10).repeat(3, axis=1).ravel(),
        }
    )
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=2)
    tables = []
    for part in (frame, shuffled):
        part.write_csv(tmp_path / "t.csv")
        both = judge(read_runs(tmp_path / "t.csv"), read_qrels(tmp_path / "t.csv"))
        tables.append(score(both, ["AP", "nDCG@5"]).frame().sort("run", "topic", "measure"))
    assert tables[0].equals(tables[1])


def test_rows_with_a_grade_alone_are_judgments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [*ROWS, {"query": "q1", "doc": "never found", "grade": 1}, {"query": "q1", "doc": "pooled", "grade": None}]
    for data, name in ((jsonl(rows), "t.jsonl"), (delimited(rows), "t.csv")):
        path = write(tmp_path, name, data)
        means, notes = scored(capsys, path, "-m", "R@10")
        assert means["a"]["R@10"] == (1 / 3 + 1) / 2
        assert RETRIEVED_ONLY not in notes


def test_a_missing_grade_is_unjudged_and_a_negative_one_pooled(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", b"query,doc,score,grade\n1,a,3,\n1,b,2,-1\n1,c,1,1.0\n")
    qrels = read_qrels(path)
    assert qrels.grade.tolist() == [IN_POOL, 1]
    assert judge(read_runs(path), qrels).cube().tolist() == [[[-1, IN_POOL, 1]]]


def test_given_judgments_win_over_those_in_the_rows_and_a_note_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "t.jsonl", jsonl(ROWS))
    qrels = write(tmp_path, "qrels", b"q1 0 d2 1\n")
    means, notes = scored(capsys, path, "--qrels", qrels, "-m", "P@1")
    assert means == {"a": {"P@1": 0.0}, "b": {"P@1": 1.0}}
    assert "the grades in its rows are not used" in notes["unused_grades"]
    assert "unused_grades" not in [note.code for note in read_runs(path).notes]


@pytest.mark.parametrize("name", ["qrels.csv", "qrels.tsv", "qrels.jsonl", "qrels.parquet"])
def test_a_long_table_may_be_the_judgments_of_trec_runs(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"query-id": 1, "corpus-id": "x", "score": 0}, {"query-id": 1, "corpus-id": "y", "score": 1}]
    qrels = write(tmp_path, name, KINDS[name.replace("qrels", "table")](rows))
    run = write(tmp_path, "run", b"1 Q0 x 1 2.0 r\n1 Q0 y 2 1.0 r\n")
    assert scored(capsys, run, "--qrels", qrels, "--columns", "grade=score", "-m", "RR")[0] == {"r": {"RR": 0.5}}


def test_tables_and_trec_files_mix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write(tmp_path, "t.jsonl", jsonl(ROWS))
    trec = write(tmp_path, "run.txt", b"q1 Q0 d3 1 2.0 c\n")
    single = write(tmp_path, "single.csv", b"query,doc,score\nq2,d4,1\n")
    means, _ = scored(capsys, trec, table, single, "-m", "P@1")
    assert list(means) == ["c", "a", "b", "single.csv"]
    assert [means[run]["P@1"] for run in means] == [0.5, 1.0, 0.0, 0.5]


def test_a_trec_file_that_is_called_tsv_is_still_one(tmp_path: Path) -> None:
    assert read_runs(write(tmp_path, "run.tsv", b"1\tQ0\tx\t1\t2.0\tr\n")).names == ("r",)
    assert read_qrels(write(tmp_path, "qrels.tsv", b"1\t0\tx\t1\n")).topics == ("1",)


def test_grades_are_mapped_from_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "t.csv", b"query,doc,rank,grade\n1,a,1,0.5\n1,b,2,1\n1,c,3,0\n1,d,4,1.0\n1,e,5,3\n")
    assert read_qrels(path, grades="0.5=1,1=2").grade.tolist() == [1, 2, 0, 2, 3]
    assert read_qrels(path, grades={0.5: 1, 1: 2}).grade.tolist() == [1, 2, 0, 2, 3]
    assert scored(capsys, path, "--grades", "0.5=1,1=2", "-m", "P@5")[0]["t.csv"] == {"P@5": 0.8}


def test_grades_are_mapped_from_words(tmp_path: Path) -> None:
    path = write(tmp_path, "t.jsonl", b'{"query":1,"doc":1,"label":"good"}\n{"query":1,"doc":2,"label":"bad"}\n')
    assert read_qrels(path, grades="good=2,bad=0").grade.tolist() == [2, 0]
    path = write(tmp_path, "b.jsonl", b'{"query":1,"doc":1,"label":true}\n{"query":1,"doc":2,"label":false}\n')
    assert read_qrels(path, grades="true=1,false=0").grade.tolist() == [1, 0]


def test_grades_are_mapped_in_trec_files_too(tmp_path: Path) -> None:
    path = write(tmp_path, "qrels", b"1 0 a 0.5\n1 0 b 1\n1 0 c 0\n")
    assert read_qrels(path, grades="0.5=1,1=2").grade.tolist() == [1, 2, 0]


def test_repeated_documents_are_dropped_where_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "t.jsonl", jsonl([*ROWS, ROWS[0]]))
    means, notes = scored(capsys, path, "--duplicates", "first", "-m", "P@1", "-m", "RR")
    assert means == MEANS
    assert "1 repeated document" in notes["repeated_documents"]


NDJSON = jsonl(ROWS)
BAD: dict[str, tuple[str, bytes, str]] = {
    "no topic": (
        "t.csv",
        b"querry,doc,rank\n1,a,1\n",
        "t.csv: no column for the topic (one of topic_id, query_id, qid, q_id, question_id, topic, query, "
        "question, user_input); "
        "there are querry, doc, rank; did you mean 'querry'? --columns topic=querry",
    ),
    "no doc": (
        "t.csv",
        b"query,x,rank\n1,a,1\n",
        "t.csv: no column for the doc (one of doc_id, docno, docid, did, doc, document, corpus_id, passage_id, pid); "
        "there are query, x, rank; --columns doc=NAME",
    ),
    "a table of scores": (
        "t.csv",
        b"run,topic,latency\na,1,20\n",
        "t.csv: no column for the doc (one of doc_id, docno, docid, did, doc, document, corpus_id, passage_id, pid); "
        "there are run, topic, latency; --columns doc=NAME, or give scores by --scores t.csv",
    ),
    "no topic but another's name": (
        "t.csv",
        b"docidd,documnt,rank\n1,a,1\n",
        "t.csv: no column for the topic (one of topic_id, query_id, qid, q_id, question_id, topic, query, "
        "question, user_input); "
        "there are docidd, documnt, rank; --columns topic=NAME",
    ),
    "no order": (
        "t.csv",
        b"query,doc,grade,scroe\n1,a,1,3\n",
        "t.csv: no column for the rank or the score (one of rank, score); there are query, doc, grade, scroe; "
        "did you mean 'scroe'? --columns score=scroe",
    ),
    "score": (
        "t.csv",
        b"query,doc,score,grade\n1,a,1,1\n\n1,b,high,1\n",
        "t.csv:4: score 'high' is not a number",
    ),
    "score in json": (
        "t.jsonl",
        b'{"query":1,"doc":"a","score":1,"grade":1}\n\n{"query":1,"doc":"b","score":"high","grade":1}\n',
        "t.jsonl:3: score 'high' is not a number",
    ),
    "score of two lines": (
        "t.csv",
        b'query,doc,score,grade\n1,a,"two\nlines",1\n',
        "t.csv:2: score 'two lines' is not a number",
    ),
    "nan": ("t.csv", b"query,doc,score,grade\n1,a,NaN,1\n", "t.csv:2: score is NaN, not a number"),
    "nan in json": (
        "t.jsonl",
        b'{"query":1,"doc":"a","score":1,"grade":1}\n{"query":1,"doc":"b","score":NaN,"grade":1}\n',
        "t.jsonl:2: score is NaN, not a number",
    ),
    "rank": ("t.tsv", b"query\tdoc\trank\tgrade\n1\ta\tfirst\t1\n", "t.tsv:2: rank 'first' is not a number"),
    "missing score": (
        "t.csv",
        b"query,run,doc,score,grade\n1,r,a,2,1\n1,r,b,,1\n",
        "t.csv:3: no score, though its run has others",
    ),
    "missing rank": ("t.csv", b"query,run,doc,rank,grade\n1,r,a,,1\n", "t.csv:2: neither rank nor score"),
    "missing run": (
        "t.csv",
        b"query,run,doc,rank,grade\n1,r,a,1,1\n1,,a,1,1\n",
        "t.csv:3: no run, though other rows have one",
    ),
    "missing everything": ("t.csv", b"query,doc,rank,grade\n1,a,1,1\n1,b,,\n", "t.csv:3: no rank, score or grade"),
    "missing topic": ("t.csv", b"query,doc,rank,grade\n1,a,1,1\n,b,2,1\n", "t.csv:3: no topic"),
    "missing doc": ("t.jsonl", NDJSON + b'{"query":1,"rank":3}\n', "t.jsonl:6: no doc"),
    "duplicate": (
        "t.jsonl",
        b"\n" + jsonl([*ROWS, ROWS[2]]),
        "t.jsonl:7: document d2 appears twice for topic q1 (--duplicates first keeps the first)",
    ),
    "two grades": (
        "t.jsonl",
        jsonl([*ROWS, {"query": "q1", "doc": "d1", "grade": 1}]),
        "t.jsonl:6: document d1 of topic q1 has grade 1 here but 2 at t.jsonl:1 "
        "(--conflicts first, max, min, mean or majority makes one of them)",
    ),
    "two grades in csv": (
        "t.csv",
        b"query,system,doc,rank,grade\n1,a,x,1,0\n1,b,x,1,1\n",
        "t.csv:3: document x of topic 1 has grade 1 here but 0 at t.csv:2 "
        "(--conflicts first, max, min, mean or majority makes one of them)",
    ),
    "two grades in parquet": (
        "t.parquet",
        parquet([*ROWS, ROWS[0] | {"system": "c", "grade": 1}]),
        "t.parquet: row 6: document d1 of topic q1 has grade 1 here but 2 at t.parquet: row 1 "
        "(--conflicts first, max, min, mean or majority makes one of them)",
    ),
    "fraction": (
        "t.csv",
        b"query,doc,rank,grade\n1,a,1,0\n1,b,2,0.5\n1,c,3,1\n",
        "P@1 counts documents of grade 1 or higher, but some grades are fractions (0.5): map the values to integers, "
        "as in --grades 0.5=1,1=2; or, where they come from --conflicts mean, take majority",
    ),
    "word": (
        "t.jsonl",
        b'{"query":1,"doc":"a","rank":1,"label":"good"}\n{"query":1,"doc":"b","rank":2,"label":"bad"}\n',
        "t.jsonl:1: grade 'good' is not a number; map the values to integers with --grades bad=N,good=N",
    ),
    "high grade": (
        "t.csv",
        b"query,doc,rank,grade\n1,a,1,99999999999999999999\n",
        "t.csv:2: grade 99999999999999999999 is out of range (grades go up to 127)",
    ),
    "empty": ("t.csv", b"", "t.csv: an empty file"),
    "empty json": ("t.jsonl", b" \n\n", "t.jsonl: an empty file"),
    "empty and packed": ("t.jsonl.gz", gzip.compress(b""), "t.jsonl.gz: an empty file"),
    "header only": ("t.csv", b"query,doc,rank\n", "t.csv: a header, but no rows"),
    "ragged": (
        "t.csv",
        b"query,doc,rank,grade\n1,a,1,1\n1,b,2\n",
        "t.csv:3: 3 fields, expected 4 as in the first line",
    ),
    "surplus": (
        "t.csv",
        b"query,doc,rank,grade\n1,a,1,1\n1,b,2,1,9\n",
        "t.csv:3: 5 fields, expected 4 as in the first line",
    ),
    "binary": ("t.csv", b"query,doc\0\n\0\1", "t.csv: a binary file, not text"),
    "binary json": ("t.jsonl", b"\0\1\2\3", "t.jsonl: a binary file, not text"),
    "no parquet": ("t.parquet", b"\0\1\2\3", "t.parquet: not a Parquet file, though its name says so"),
    "json array": ("t.jsonl", b'[{"query": 1}, 7]', "t.jsonl: item 2 of the array is not an object, but 7"),
    "empty json array": ("t.json", b"[]", "t.json: an empty array"),
    "not an object": ("t.jsonl", NDJSON + b"[1, 2]\n", "t.jsonl:6: [1, 2] is not a JSON object"),
    "truncated": ("t.csv.gz", gzip.compress(delimited(ROWS))[:-9], "t.csv.gz: truncated gzip archive"),
    "no grades": (
        "t.csv",
        b"query,doc,rank\n1,a,1\n",
        "no judgments: give --qrels QRELS, or runs in a table with a grade column",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_table_is_one_line_that_says_where(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, data, message = BAD[kind]
    assert refused(capsys, tmp_path, write(tmp_path, name, data)) == message


def test_a_malformed_json_line_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "t.jsonl", NDJSON[:-2] + b'\n{"query": 1, \n')
    assert refused(capsys, tmp_path, path).startswith("t.jsonl:5: not JSON (")


def test_damaged_parquet_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "t.parquet", parquet(ROWS)[:-20])
    assert refused(capsys, tmp_path, path).startswith("t.parquet: damaged Parquet (")


def test_a_mapped_column_must_be_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "t.csv", b"query,doc,rank,lable\n1,a,1,1\n")
    line = refused(capsys, tmp_path, path, "--columns", "grade=label")
    assert line == "t.csv: no column 'label' (--columns grade=label); did you mean 'lable'?"
    line = refused(capsys, tmp_path, path, "--columns", "grade=z")
    assert line == "t.csv: no column 'z' (--columns grade=z); there are query, doc, rank, lable"


@pytest.mark.parametrize(
    ("flag", "value", "message"),
    [
        ("--columns", "topic", "--columns: 'topic' is not of the form topic=q,run=model"),
        ("--columns", "topic=q,query=r", "--columns: the topic is 'q' and 'r'; give one"),
        ("--columns", "topc=q", "--columns: there is nothing called 'topc'; did you mean 'topic'?"),
        (
            "--columns",
            "z=q",
            "--columns: there is nothing called 'z'; columns are topic, run, doc, rank, score, grade",
        ),
        ("--grades", "0.5", "--grades: '0.5' is not of the form 0.5=1,1=2 or, for a scale, 0-3"),
        ("--grades", "good=high", "--grades: 'good=high': the grade 'high' is not a number"),
    ],
)
def test_a_mapping_that_makes_no_sense_is_one_line(
    flag: str, value: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, tmp_path, write(tmp_path, "t.jsonl", NDJSON), flag, value) == message


def test_runs_of_the_same_name_in_two_tables_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [write(tmp_path, name, NDJSON) for name in ("one.jsonl", "two.jsonl")]
    assert "runs are named 'a'" in refused(capsys, tmp_path, *paths)


def test_ranks_are_needed_to_order_by_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "t.csv", b"query,doc,score,grade\n1,a,1,1\n")
    line = refused(capsys, tmp_path, path, "--order", "rank")
    assert line == "t.csv:2: there is no rank column to order by (--order rank)"
    line = refused(capsys, tmp_path, path, "--ties", "rank")
    assert line == "t.csv:2: there is no rank column to break ties by (--ties rank)"


def test_a_table_without_grades_is_not_judgments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write(tmp_path, "run", b"1 Q0 x 1 2.0 r\n")
    line = refused(capsys, tmp_path, run, "--qrels", write(tmp_path, "q.csv", b"query,doc,score\n1,x,1\n"))
    assert line.startswith("q.csv: no column for the grade (one of grade, relevance, rel, label, judgment)")
    line = refused(capsys, tmp_path, run, "--qrels", write(tmp_path, "q.csv", b"query,doc,grade\n1,x,\n"))
    assert line == "q.csv: no row has a grade"


def test_a_lone_q_is_the_topic_but_a_capital_one_is_a_measure() -> None:
    assert (role_of("q"), role_of("Q")) == ("topic", None)
    assert find_columns(["q", "docno", "rank"], {}, source="t", strict=())[0] == {"topic": 0, "doc": 1, "rank": 2}
    assert find_columns(["q", "qid"], {}, source="t", strict=())[0] == {"topic": 1}
