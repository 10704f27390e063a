"""Scores of any measure when documents are resampled: lists by a twin, spread by closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.error.analysis import error
from assay.analyses.error.instability import (
    Instability,
    ListedDocuments,
    instability,
    stability_table,
    tau_with_relevant,
)
from assay.core.errors import MeasureError, UsageError
from assay.data.judged import Collection, judge
from assay.data.read import read_qrels, read_runs
from assay.measures.grammar import parse
from assay.scoring.engine import score
from tests.builders.error import write_lists


@pytest.fixture
def graded() -> Collection:
    rng = np.random.default_rng(2)
    docs = [f"d{i}" for i in range(30)]
    runs = {
        name: {
            t: {d: float(s) for d, s in zip(rng.permutation(docs)[:n], range(n, 0, -1), strict=True)} for t in "ab"
        }
        for name, n in (("long", 20), ("short", 6))
    }
    qrels = {t: {d: int(rng.integers(0, 4)) for d in docs[5:]} for t in "ab"}
    return Collection(read_runs(runs), read_qrels(qrels))


def repeated(documents: ListedDocuments, times: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[list[int]]:
    """The lists with every document so many times, one document at a time."""
    lists = []
    for row in documents.number.tolist():
        own = [number for number in row if number >= 0]
        copies = [int(documents.grade[number]) for number in own for _ in range(times[number])]
        lists.append(copies[: len(own)])
    return lists


def test_lists_hold_every_document_as_often_as_it_was_drawn(graded: Collection) -> None:
    judged = judge(graded.runs, graded.qrels)
    documents = ListedDocuments.of(judged, 0)
    times = np.random.default_rng(1).poisson(1.0, documents.size)
    lists = documents.lists(times)
    assert [[g for g in row if g != -3] for row in lists.grade.tolist()] == repeated(documents, times)
    every = [*documents.grade.tolist(), *np.repeat(np.arange(4), documents.unlisted).tolist()]
    pool = [sum(int(n) for grade, n in zip(every, times, strict=True) if grade == g) for g in range(4)]
    assert lists.pool[0].tolist() == pool


def test_with_every_document_once_scores_are_those_of_the_runs(graded: Collection) -> None:
    judged = judge(graded.runs, graded.qrels)
    measures = [parse(m) for m in ("nDCG", "P@5", "RR", "AP(rel=2)", "Bpref")]
    found = instability(judged, measures, rel=1, resamples=3, rng=0)
    assert found.mean == pytest.approx(score(judged, measures).value.mean(1))


def test_the_spread_of_a_relevant_document_behind_another_is_known() -> None:
    """It comes first where the other is not drawn: with probability 1/e, given that it is drawn itself."""
    documents = ListedDocuments(np.array([[0, 1]]), np.array([0, 1], dtype=np.int8), np.array([0, 0]), 1, None)
    measure = parse("P@1")
    draws = documents.resampled(1, 4000, np.random.default_rng(0))
    drawn = [float(measure.compute(documents.lists(times))[0]) for times in draws]
    chance = np.exp(-1)
    assert np.mean(drawn) == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / 4000))
    assert np.std(drawn) == pytest.approx(np.sqrt(chance * (1 - chance)), abs=0.02)


def test_every_draw_has_a_relevant_document() -> None:
    documents = ListedDocuments(np.array([[0]]), np.array([0], dtype=np.int8), np.array([0, 1]), 1, None)
    lists = [documents.lists(times) for times in documents.resampled(1, 200, np.random.default_rng(0))]
    assert all(one.pool[0, 1] >= 1 for one in lists)


def test_the_size_of_the_collection_is_resampled_with_its_documents() -> None:
    """All 30 documents are judged: a draw may hold more, and AUC is that of the draw without its size."""
    docs = [f"d{i}" for i in range(30)]
    run = {"a": {d: float(30 - i) for i, d in enumerate(docs)}}
    qrels = {"a": {d: int(i % 7 == 2) for i, d in enumerate(docs)}}
    judged = judge(read_runs({"whole": run}), read_qrels(qrels))
    with_size, without = (
        instability(judged, [parse(m)], rel=1, resamples=50, rng=0) for m in ("AUC(n_docs=30)", "AUC")
    )
    assert with_size.mean == pytest.approx(without.mean)
    documents = ListedDocuments.of(judged, 0)
    draws = list(documents.resampled(1, 50, np.random.default_rng([0, 0, 1])))
    assert max(times.sum() for times in draws) > 30
    scores = [
        parse(f"AUC(n_docs={times.sum()})").compute(documents.lists(times))[0]  # a draw is a collection of its own
        for times in draws
    ]
    assert with_size.error[0, 0] == pytest.approx(np.std(scores, ddof=1))


def test_a_collection_smaller_than_the_documents_of_a_topic_is_refused(graded: Collection) -> None:
    judged = judge(graded.runs, graded.qrels)
    said = r"AUC\(n_docs=26\): n_docs is less than the \d+ documents that lists and judgments of topic a hold"
    with pytest.raises(UsageError, match=said):
        instability(judged, [parse("AUC(n_docs=26)")], rel=1, resamples=3, rng=0)


def test_a_note_says_that_one_relevant_document_is_only_repeated(tmp_path: Path) -> None:
    words = {"a": "0100", "b": "1010"}
    data = write_lists(tmp_path, {"one": words}, {"a": 1, "b": 2})
    result = error(data, measure=["RR"], resamples=5)
    note = next(note for note in result.notes if note.code == "repeated_document")
    assert (note.severity, note.text.split(":")[0]) == ("caution", "1 topic with one relevant document")
    assert "repeated_document" not in {note.code for note in error(data, resamples=5).notes}


def test_settings_name_the_resamples_where_no_topic_has_two_relevant_documents(tmp_path: Path) -> None:
    data = write_lists(tmp_path, {"one": {"a": "0100"}}, {"a": 1})
    settings = error(data, measure=["RR"], resamples=5, rng=3, n_docs=50).settings
    assert (settings["measure"], settings["resamples"], settings["rng"]) == (["RR"], 5, 3)
    assert "resamples" not in error(data, n_docs=50).settings


def test_the_correlation_is_kendalls(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    error_, n_rel = rng.random(12), rng.integers(1, 6, 12)
    error_[3] = np.nan
    taus = tau_with_relevant(error_, n_rel)
    known = ~np.isnan(error_)
    assert taus[0] == pytest.approx(stats.kendalltau(error_[known], n_rel[known]).statistic)
    assert taus.size == 12


def test_topics_in_perfect_order_have_a_correlation_and_no_interval() -> None:
    n_rel = np.array([2, 4, 8])
    error_ = np.array([[0.3, 0.2, 0.1]])
    moved = Instability(("AP",), ("a", "b", "c"), n_rel, np.array([[0.5, 0.5, 0.5]]), error_)
    row = stability_table(moved, 0.95).row(0, named=True)
    assert (row["tau"], row["tau_low"], row["tau_high"]) == (pytest.approx(-1), None, None)


def test_the_command_shows_ranges_and_correlations_of_the_measures_asked_for(tmp_path: Path) -> None:
    words = {"a": "1000000000", "b": "1101001000", "c": "1111011111", "d": "0101000010"}
    lists = {"one": words, "two": {t: w[::-1] for t, w in words.items()}}
    data = write_lists(tmp_path, lists, {"a": 1, "b": 5, "c": 12, "d": 3})
    result = error(data, measure=["P@5", "nDCG"], resamples=30)
    ranges = result.tables["instability"]
    assert ranges.filter(pl.col("measure") == "nDCG")["n_relevant"].to_list() == ["1", "2-3", "4-7", "8-15"]
    for row in ranges.iter_rows(named=True):
        assert row["relative"] == pytest.approx(row["error"] / row["mean"])
    assert result.tables["stability"]["measure"].to_list() == ["P@5", "nDCG"]
    assert result.charts[-1].name == "instability"
    assert error(data, measure=["P@5"], resamples=30).tables["stability"].rows() == [
        result.tables["stability"].row(0)
    ]
    for name in ("instability", "stability"):
        listed = (error.__doc__ or "").split(f"tables.{name}:")[1].split("tables.")[0].split("References")[0]
        assert all(column in listed for column in result.tables[name].columns)


def test_a_mistyped_measure_is_refused(tmp_path: Path) -> None:
    data = write_lists(tmp_path, {"one": {"a": "1101"}}, {"a": 4})
    with pytest.raises(MeasureError, match="nDGC"):
        error(data, measure=["nDGC"])
    with pytest.raises(UsageError, match="GMAP has no mean over topics"):
        error(data, measure=["GMAP"])
