"""The collection at a glance: against plain loops, the facts that come with the real data, and next to nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.glance.analysis import glance
from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.data.read import read_qrels, read_runs
from assay.results.charts import MAX_ROWS
from assay.results.result import Result
from tests.builders.dense import collection

pytestmark = pytest.mark.xdist_group("trec8")

Lists = dict[str, dict[str, list[tuple[str, float]]]]
Grades = dict[str, dict[str, int]]


def made(folder: Path, runs: Lists, grades: Grades) -> Collection:
    """Write runs (run, topic, documents with scores) and judgments (topic, document, grade), and read them."""
    (folder / "runs").mkdir()
    for name, topics in runs.items():
        lines = [
            f"{topic} Q0 {doc} {rank} {score} {name}\n"
            for topic, docs in topics.items()
            for rank, (doc, score) in enumerate(docs, 1)
        ]
        (folder / "runs" / name).write_text("".join(lines))
    judged = [f"{topic} 0 {doc} {grade}\n" for topic, docs in grades.items() for doc, grade in docs.items()]
    (folder / "qrels").write_text("".join(judged))
    return Collection(read_runs(folder / "runs"), read_qrels(folder / "qrels"))


def ranked(*docs: str) -> list[tuple[str, float]]:
    """Give documents falling scores."""
    return [(doc, -float(i)) for i, doc in enumerate(docs)]


def fact(result: Result, name: str) -> str:
    """Look a fact's value up."""
    return str(result.table.filter(pl.col("fact") == name)["value"].item())


@pytest.fixture
def small(tmp_path: Path) -> Result:
    """Three runs on three topics; c repeats a, b lacks topic 2 and ties its first two documents of topic 1."""
    runs: Lists = {
        "a": {"1": ranked("d1", "d2", "d3"), "2": ranked("d1", "x")},
        "b": {"1": [("d2", 5.0), ("d3", 5.0), ("x", 1.0)]},
        "c": {"2": ranked("d1", "x"), "1": ranked("d1", "d2", "d3")},
    }
    grades: Grades = {"1": {"d1": 2, "d2": 0, "d3": 1}, "2": {"d1": 0}, "3": {"d1": 1, "d2": -1}}
    return glance(made(tmp_path, runs, grades))


@pytest.fixture(scope="module")
def trec8(adhoc8: Collection) -> Result:
    return glance(adhoc8)


def test_a_small_collection_is_counted_as_by_hand(small: Result) -> None:
    assert fact(small, "runs") == "3"
    assert fact(small, "topics") == "3"
    assert fact(small, "judged documents") == "5"
    assert [fact(small, f"documents of grade {g}") for g in range(3)] == ["2", "2", "1"]
    assert fact(small, "lists' depth") == "2, 3, 3"
    assert fact(small, "lists missing") == "4"  # b's of topic 2, and all of topic 3
    assert fact(small, "topics that no run answers") == "1"
    assert fact(small, "judged at rank 1") == "100.0%"
    assert fact(small, "relevant documents a topic") == "0, 1, 2"
    assert fact(small, "topics without a relevant document") == "1"
    assert fact(small, "topics with 1 to 4") == "2"  # the one without any is counted above


def test_shares_by_rank_are_of_the_lists_that_reach_it(small: Result) -> None:
    ranks = small.tables["ranks"]
    assert ranks["rank"].to_list() == [1, 2, 3]
    assert ranks["n_lists"].to_list() == [5, 5, 3]
    # rank 1: d1 (2), d1 (0), d3 (b's tie goes to the larger id), d1, d1; rank 2: d2, x, d2, d2, x; rank 3: d3, x, d3
    assert ranks["judged"].to_list() == [1.0, 3 / 5, 2 / 3]
    assert ranks["relevant"].to_list() == [3 / 5, 0.0, 2 / 3]


def test_ties_count_where_the_order_of_grades_is_left_to_them(small: Result) -> None:
    runs = small.tables["runs"]
    assert runs["tied10"].to_list() == [0.0, 1.0, 0.0]
    assert runs["unsettled10"].to_list() == [0.0, 1.0, 0.0]  # d2 is not relevant, d3 is
    assert fact(small, "lists with a tie") == "20.0%"
    assert fact(small, "tied documents in the first 10") == "15.4%"  # 2 of 13
    assert fact(small, "lists whose first 10 the tie rule decides") == "20.0%"


def test_a_tie_across_rank_ten_counts_and_one_below_does_not(tmp_path: Path) -> None:
    docs = [f"d{i:02d}" for i in range(12)]
    across = [(doc, 10.5 if i in (9, 10) else 20.0 - i) for i, doc in enumerate(docs)]
    below = [(doc, 9.5 if i in (10, 11) else 20.0 - i) for i, doc in enumerate(docs)]
    runs: Lists = {"across": {"1": across}, "below": {"1": below}, "same": {"1": across[::-1]}}
    found = glance(made(tmp_path, runs, {"1": dict.fromkeys(docs, 0) | {"d10": 1}})).tables["runs"]
    assert found["run"].to_list() == ["across", "below", "same"]
    assert found["tied10"].to_list() == [1.0, 0.0, 1.0]
    assert found["unsettled10"].to_list() == [1.0, 0.0, 1.0]
    assert found["same_as"].to_list() == [None, None, "across"]


def test_a_tie_across_rank_ten_is_followed_to_its_end(tmp_path: Path) -> None:
    """One score for ranks 1 to 20, 9 to 12, or 9 to 15; the only relevant document stands at rank 15."""
    docs = [f"d{i:02d}" for i in range(1, 31)]

    def tied(first: int, last: int) -> list[tuple[str, float]]:
        """Ids fall inside the tie, so that the order of the file is the order of the tie rule."""
        order = [*docs[: first - 1], *docs[first - 1 : last][::-1], *docs[last:]]
        order[order.index("r")], order[14] = order[14], order[order.index("r")]
        return [
            (doc, 0.0 if first <= i <= last else -float(i) if i > last else 50.0 - i)
            for i, doc in enumerate(order, 1)
        ]

    docs[14] = "r"
    runs: Lists = {f"{a}-{b}": {"1": tied(a, b)} for a, b in ((1, 20), (9, 12), (9, 15), (11, 20))}
    found = glance(made(tmp_path, runs, {"1": {"r": 1}, "2": {"r": 1}})).tables["runs"]
    assert dict(found.select("run", "unsettled10").iter_rows()) == {
        "1-20": 1.0, "11-20": 0.0, "9-12": 0.0, "9-15": 1.0,
    }  # fmt: skip


def test_ties_between_documents_of_one_grade_settle_nothing(tmp_path: Path) -> None:
    runs: Lists = {"a": {"1": [("d1", 1.0), ("d2", 1.0), ("x", 1.0)]}}
    found = glance(made(tmp_path, runs, {"1": {"d1": 0, "d2": 0, "r": 1}})).tables["runs"]
    assert (found["tied10"][0], found["unsettled10"][0]) == (1.0, 0.0)


def test_runs_that_are_the_same_are_named_whatever_the_order_of_their_topics(small: Result) -> None:
    assert small.tables["runs"]["same_as"].to_list() == [None, None, "a"]
    row = small.table.filter(pl.col("fact") == "runs that repeat another").row(0, named=True)
    assert (row["value"], row["note"]) == ("1", "c is a")


def test_runs_that_differ_in_one_late_document_are_not_the_same(tmp_path: Path) -> None:
    runs: Lists = {"a": {"1": ranked("d1", "d2", "d3")}, "b": {"1": ranked("d1", "d2", "d4")}}
    assert glance(made(tmp_path, runs, {"1": {"d1": 1}})).tables["runs"]["same_as"].to_list() == [None, None]


def test_topics_and_runs_have_their_rows(small: Result) -> None:
    topics = small.tables["topics"]
    assert topics.columns == [
        "topic", "n_judged", "n_relevant", "grade_0", "grade_1", "grade_2", "n_lists", "judged10",
    ]  # fmt: skip
    assert topics.row(0) == ("1", 3, 2, 1, 1, 1, 3, 8 / 9)
    assert topics.row(2) == ("3", 1, 1, 0, 1, 0, 0, None)
    assert small.tables["runs"].row(1) == ("b", 1, 3.0, 2 / 3, 1.0, 1.0, None)


def test_documents_pooled_but_not_judged_are_counted_by_themselves(small: Result) -> None:
    note = small.table.filter(pl.col("fact") == "judged documents")["note"].item()
    assert note == "1 more pooled but not judged"


def test_a_run_without_any_judged_topic_has_a_row(tmp_path: Path) -> None:
    runs: Lists = {"a": {"1": ranked("d1")}, "b": {"9": ranked("d1")}}
    found = glance(made(tmp_path, runs, {"1": {"d1": 1}}))
    assert found.tables["runs"].row(1) == ("b", 0, None, None, None, None, None)
    assert "unjudged_topics" in [note.code for note in found.notes]


def test_one_run_and_one_topic_without_relevant_documents_will_do(tmp_path: Path) -> None:
    found = glance(made(tmp_path, {"a": {"1": ranked("d1")}}, {"1": {"d1": 0}}))
    assert fact(found, "relevant documents a topic") == "0, 0, 0"
    assert [chart.name for chart in found.charts] == ["ranks", "grades"]


def test_every_number_by_rank_agrees_with_a_plain_loop(tmp_path: Path) -> None:
    synthetic = collection(n_runs=3, n_topics=4, n_docs=60, rng=2)
    runs, qrels = synthetic.write(tmp_path)
    found = glance(Collection(read_runs(runs), read_qrels(qrels))).tables["ranks"]
    score = synthetic.score.round(6)
    hits = np.zeros(60)
    for run in range(3):
        for topic in range(4):
            order = sorted(range(60), key=lambda doc: (-score[run, topic, doc], -doc))
            hits += synthetic.grade[topic][order] > 0
    assert found["judged"].to_list() == [1.0] * 60
    np.testing.assert_allclose(found["relevant"], hits / 12, rtol=1e-12)


def test_charts_hold_what_a_page_can_carry(tmp_path: Path) -> None:
    n = 1500
    runs: Lists = {"a": {str(t): ranked("d1", "d2") for t in range(n)}}
    grades: Grades = {str(t): {"d1": 1, "d2": 2} for t in range(n)}
    charts = {chart.name: chart for chart in glance(made(tmp_path, runs, grades)).charts}
    assert charts["topics"].table.height == MAX_ROWS
    assert charts["topics"].table["topic"].n_unique() == MAX_ROWS // 2


def test_trec8_has_what_its_description_says(trec8: Result) -> None:
    """README of trec8-adhoc: 129 runs, 50 topics, 86,830 judged, 4,728 relevant, 6,284,293 lines."""
    assert [fact(trec8, name) for name in ("runs", "topics", "judged documents")] == ["129", "50", "86,830"]
    assert fact(trec8, "documents of grade 1") == "4,728"
    assert trec8.tables["ranks"]["n_lists"].sum() == 6_284_293
    assert trec8.tables["topics"]["n_relevant"].sum() == 4_728
    assert fact(trec8, "lists missing") == "0"


def test_trec8_is_judged_to_its_pool_depth_and_less_beyond(trec8: Result) -> None:
    """README of trec8-adhoc: 71 of the runs were pooled to depth 100."""
    judged = trec8.tables["ranks"]["judged"]
    assert judged[99] > 0.9 > 0.8 > judged[100]


def test_the_runs_of_trec8_that_repeat_another_have_the_same_files(trec8: Result, data: Path) -> None:
    same = trec8.tables["runs"].drop_nulls("same_as")
    assert dict(same.select("run", "same_as").iter_rows()) == {"Mer8Adtd2": "Mer8Adtd1", "isa50t": "isa25t"}
    for names in same.select("run", "same_as").iter_rows():
        files = [data / "trec8-adhoc" / "runs" / f"input.{name}.gz" for name in names]
        texts = [gzip.decompress(file.read_bytes()).decode() for file in files]
        one, other = ([line.split()[:1] + line.split()[2:3] for line in text.splitlines()] for text in texts)
        assert one == other


def test_the_result_is_plain_data_with_every_number(small: Result) -> None:
    plain = json.loads(json.dumps(small.to_dict()))
    assert plain["tables"]["topics"][2]["judged10"] is None
    assert set(plain["tables"]) == {"ranks", "topics", "runs"}


def test_everything_is_described_whatever_is_done_about_missing_lists(tmp_path: Path) -> None:
    runs = {"a": {t: ranked("d1") for t in "12"}, "b": {"1": ranked("d1")}}
    data = made(tmp_path, runs, {t: {"d1": 1} for t in "12"})
    usual, common = glance(data), glance(data, missing="common")
    for name in ("topics", "lists missing"):
        assert fact(common, name) == fact(usual, name)
    assert common.tables["runs"].equals(usual.tables["runs"])
    notes = [next(note.text for note in found.notes if note.code == "missing_lists") for found in (usual, common)]
    assert notes == [
        "1 list missing, counted as empty: b has 1 of 2 topics",
        "1 list missing, described here as all else: b has 1 of 2 topics",
    ]
    with pytest.raises(UsageError, match="1 list missing, the first that of run 'b' for topic 2"):
        glance(data, missing="fail")
