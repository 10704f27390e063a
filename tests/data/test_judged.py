"""The join of rankings and judgments against a dict, and what is done with it afterwards."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import InputError, UsageError
from assay.core.notes import Note
from assay.data import judged as module
from assay.data.judged import Judged, Negative, judge
from assay.data.order import OrderRule
from assay.data.tables import ABSENT, IN_POOL, UNJUDGED, Qrels, Runs
from assay.data.trec import listing_from_bytes
from tests.builders.judgments import qrels_from_bytes

Lists = dict[str, dict[str, list[str]]]  # run -> topic -> documents, best first
Grades = dict[tuple[str, str], int]

TOPICS = st.sampled_from(["1", "2", "3", "4"])
DOCS = st.sampled_from(list("abcdefgh"))
RANKINGS = st.dictionaries(
    st.sampled_from(["x", "y", "z"]),
    st.dictionaries(TOPICS, st.lists(DOCS, unique=True, min_size=1), min_size=1),
    min_size=1,
)
JUDGMENTS = st.dictionaries(st.tuples(TOPICS, DOCS), st.integers(-2, 3), min_size=1)


def runs_of(lists: Lists) -> Runs:
    listings = []
    for run, topics in lists.items():
        lines = [f"{t} Q0 {d} 0 {-i} {run}\n" for t, docs in topics.items() for i, d in enumerate(docs)]
        listings.append(listing_from_bytes("".join(lines).encode(), run))
    return Runs.build(listings)


def qrels_of(grades: Grades) -> Qrels:
    return qrels_from_bytes("".join(f"{t} 0 {d} {g}\n" for (t, d), g in grades.items()).encode(), "qrels")


def twin(lists: Lists, grades: Grades, negative: Negative, width: int) -> list[list[list[int]]]:
    """Judge with a dict, one document at a time."""

    def code(topic: str, doc: str) -> int:
        grade = grades.get((topic, doc))
        if grade is None:
            return UNJUDGED
        return grade if grade >= 0 else IN_POOL if negative == "pooled" else 0

    topics = list(dict.fromkeys(t for t, _ in grades))
    cube = []
    for by_topic in lists.values():
        rows = [[code(t, doc) for doc in by_topic.get(t, [])] for t in topics]
        cube.append([(row + [ABSENT] * width)[:width] for row in rows])
    return cube


@pytest.mark.parametrize("negative", ["pooled", "nonrelevant"])
@settings(deadline=None)
@given(lists=RANKINGS, grades=JUDGMENTS)
def test_judging_is_what_a_dict_would_say(negative: Negative, lists: Lists, grades: Grades) -> None:
    runs, qrels = runs_of(lists), qrels_of(grades)
    if not set(runs.topics) & set(qrels.topics):
        with pytest.raises(InputError, match="no topic in common"):
            judge(runs, qrels, negative=negative)
        return
    if not any(
        (topic, doc) in grades for by_topic in lists.values() for topic, docs in by_topic.items() for doc in docs
    ):
        with pytest.raises(InputError, match="no document that the runs return is judged"):
            judge(runs, qrels, negative=negative)
        return
    judged = judge(runs, qrels, negative=negative)
    assert judged.cube(9).tolist() == twin(lists, grades, negative, 9)
    for t, topic in enumerate(judged.topics):
        graded = [g for (of, _), g in grades.items() if of == topic]
        if negative == "nonrelevant":
            graded = [max(g, 0) for g in graded]
        assert judged.pool[t].tolist() == [graded.count(g) for g in range(judged.top + 1)]
        assert judged.n_rel()[t] == sum(g >= 1 for g in graded)
    assert judged.basis.judged == judged.pool.sum()


LISTS: Lists = {
    "x": {"1": list("abc"), "2": list("cab"), "9": list("ab")},
    "y": {"1": list("c"), "3": list("abcd"), "8": list("a")},
}
GRADES: Grades = {("1", "a"): 2, ("1", "b"): 0, ("2", "a"): 1, ("2", "b"): -1, ("3", "d"): 3, ("4", "a"): 1}


@pytest.fixture
def both() -> Judged:
    return judge(runs_of(LISTS), qrels_of(GRADES))


def test_topics_outside_the_judgments_are_ignored_and_counted_and_missing_lists_too(both: Judged) -> None:
    assert both.topics == ("1", "2", "3", "4")
    assert both.notes[:3] == (
        Note("unjudged_topics", "caution", "2 topics not in the judgments, ignored (2 lists)"),
        Note("missing_lists", "caution", "4 lists missing, counted as empty: x has 2 of 4 topics, y 2"),
        Note(
            "negative_grades",
            "info",
            "1 judgment of a negative grade, taken as pooled, but not judged (see --negative nonrelevant)",
        ),
    )


def test_a_note_says_what_negative_grades_count_as() -> None:
    judged = judge(runs_of(LISTS), qrels_of(GRADES), negative="nonrelevant")
    text = {note.code: note.text for note in judged.notes}["negative_grades"]
    assert text == "1 judgment of a negative grade, taken as judged, of grade 0 (see --negative pooled)"


def test_nothing_missing_needs_no_note() -> None:
    notes = judge(runs_of({"x": {"1": ["a"]}}), qrels_of({("1", "a"): 1})).notes
    assert [note.code for note in notes] == ["judged_shares"]


def test_no_topic_in_common_shows_some_of_both() -> None:
    lists = {"x": {str(i): ["a"] for i in range(101, 106)}}
    with pytest.raises(InputError) as problem:
        judge(runs_of(lists), qrels_of({("1", "a"): 1}))
    assert str(problem.value) == (
        "qrels: no topic in common with the runs (judged: 1; retrieved: 101, 102, 103, ...): "
        "are the judgments of another collection or round?"
    )


def test_the_basis_says_what_the_numbers_rest_on(both: Judged) -> None:
    assert both.basis.to_dict() == {
        "runs": 2,
        "topics": 4,
        "judged": 5,
        "relevant": 4,
        "order": "score descending, then document id descending",
        "tied_cells": 0,
        "cells": 8,
        "judgments": "qrels",
        "negative": "pooled",
        "top_grade": 3,
    }


def test_tied_cells_are_counted_where_topics_are_judged() -> None:
    text = b"1 Q0 a 1 5 x\n1 Q0 b 1 5 x\n2 Q0 a 1 5 x\n2 Q0 b 1 4 x\n9 Q0 a 1 5 x\n9 Q0 b 1 5 x\n"
    runs = Runs.build([listing_from_bytes(text, "x")], OrderRule(ties="file"))
    judged = judge(runs, qrels_of({("1", "a"): 1, ("2", "a"): 1}))
    assert (judged.basis.tied_cells, judged.basis.cells) == (1, 2)
    assert judged.basis.order == "score descending, then as in the file"
    assert judged.select(topics=["2"]).basis.tied_cells == 0


def test_a_misspelt_rule_for_negative_grades_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"negative: 'nonrelevent' is not one of .*; did you mean 'nonrelevant'"):
        judge(runs_of(LISTS), qrels_of(GRADES), negative=cast(Any, "nonrelevent"))


def test_a_head_keeps_its_cutoff_and_the_scale(both: Judged) -> None:
    assert both.head(10).cutoff == 10
    assert both.head(10).head(2).cutoff == both.head(2).head(10).cutoff == 2
    assert both.head(2).top == 3
    assert both.head(2).cube().tolist() == both.cube()[:, :, :2].tolist()
    with pytest.raises(UsageError, match="depth 0"):
        both.head(0)


def test_chosen_runs_and_topics_come_in_the_order_asked_for(both: Judged) -> None:
    chosen = both.select(runs=["y", "x"], topics=["3", "1"])
    assert (chosen.runs, chosen.topics, chosen.top) == (("y", "x"), ("3", "1"), 3)
    assert chosen.cube().tolist() == both.cube()[::-1, [2, 0]].tolist()
    assert chosen.pool.tolist() == both.pool[[2, 0]].tolist()
    assert (chosen.basis.runs, chosen.basis.topics, chosen.basis.cells) == (2, 2, 4)
    assert (chosen.basis.judged, chosen.basis.relevant) == (3, 2)


def test_one_chosen_run_keeps_its_lists_aligned_with_the_source(both: Judged) -> None:
    chosen = both.select(runs=["y"])
    assert chosen.source.names == chosen.runs == ("y",)
    assert chosen.cube().tolist() == both.cube()[1:].tolist()


def test_rows_are_where_the_documents_and_scores_of_lists_stand(both: Judged) -> None:
    for judged in (both, both.select(runs=["y"]), both.select(topics=["2", "1"]), both.head(1)):
        seen = {}
        for block in judged.blocks:
            rows, there = judged.rows(block), block.grade != ABSENT
            for i, cell in enumerate(block.cell.tolist()):
                run, topic = divmod(cell, len(judged.topics))
                own = rows[i, there[i]]
                seen[judged.runs[run], judged.topics[topic]] = judged.source.score[own].tolist()
        for (run, topic), scores in seen.items():
            r, at = judged.source.names.index(run), judged.source.topics
            n = judged.source.count[r, at.index(topic)] if topic in at else 0
            start = judged.source.start[r, at.index(topic)] if topic in at else 0
            n = n if judged.cutoff is None else min(n, judged.cutoff)
            assert scores == judged.source.score[start : start + n].tolist()
        assert len(seen) == len(judged.runs) * len(judged.topics)


def test_a_run_or_topic_that_is_not_there_is_an_error(both: Judged) -> None:
    with pytest.raises(UsageError, match="no topic '7'"):
        both.select(topics=["7"])
    with pytest.raises(UsageError, match="run 'x' is asked for 2 times"):
        both.select(runs=["x", "x"])


def test_ties_are_laid_out_as_the_grades_are() -> None:
    text = b"1 Q0 a 1 5 x\n1 Q0 b 1 5 x\n1 Q0 c 1 4 x\n2 Q0 a 1 3 x\n2 Q0 b 1 2 x\n2 Q0 c 1 2 x\n2 Q0 d 1 2 x\n"
    qrels = qrels_of({("2", "a"): 1, ("1", "a"): 1, ("3", "a"): 1})
    judged = judge(Runs.build([listing_from_bytes(text, "x")]), qrels)
    expected = [[False, False, True, True, False], [False, True, False, False, False], [False] * 5]
    assert judged.tied(5)[0].tolist() == expected
    assert judged.tied(2)[0].tolist() == [row[:2] for row in expected]
    assert judged.head(3).tied(5)[0].tolist() == [[*row[:3], False, False] for row in expected]
    assert judged.select(topics=["1"]).tied(3)[0].tolist() == [expected[1][:3]]


def test_a_cube_may_be_shallower_or_deeper_than_the_lists(both: Judged) -> None:
    full = both.cube()
    assert full.shape == (2, 4, 4)
    assert both.cube(2).tolist() == full[:, :, :2].tolist()
    assert (both.cube(6)[:, :, 4:] == ABSENT).all()


def test_lists_of_very_different_length_do_not_inflate_the_cube(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK", 64)
    lists: Lists = {"x": {"1": [f"d{i}" for i in range(1000)]} | {str(t): ["d1", "d2"] for t in range(2, 60)}}
    grades: Grades = {(str(t), "d2"): 1 for t in range(1, 61)}
    judged = judge(runs_of(lists), qrels_of(grades))
    assert len(judged.blocks) > 1
    assert sum(block.grade.size for block in judged.blocks) < 3 * sum(map(len, lists["x"].values()))
    assert judged.cube().tolist() == twin(lists, grades, "pooled", 1000)
    assert judged.select(topics=["60", "1"]).cube().tolist() == judged.cube()[:, [59, 0]].tolist()
    seen = np.concatenate([cell for cell, _ in judged.rankings()])
    assert sorted(seen.tolist()) == list(range(60))


def test_judging_again_under_thinner_judgments_leaves_the_runs_alone() -> None:
    runs, qrels = runs_of(LISTS), qrels_of(GRADES)
    before = [column.copy() for column in (runs.doc, runs.score, runs.tied, runs.start, runs.count)]
    full = judge(runs, qrels)
    thin = judge(runs, qrels.thin(qrels.grade != 2))
    after = (runs.doc, runs.score, runs.tied, runs.start, runs.count)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert full.source.doc is thin.source.doc is runs.doc
    grades = {key: grade for key, grade in GRADES.items() if grade != 2}
    assert thin.cube(4).tolist() == twin(LISTS, {("1", "zz"): 0} | grades, "pooled", 4)
    assert (thin.top, thin.topics) == (full.top, full.topics)


def test_judgments_thinned_to_nothing_leave_every_document_unjudged() -> None:
    runs, qrels = runs_of(LISTS), qrels_of(GRADES)
    bare = judge(runs, qrels.thin(np.zeros(qrels.grade.size, dtype=bool)))
    assert set(np.unique(bare.cube()).tolist()) == {UNJUDGED, ABSENT}
    assert bare.n_rel().tolist() == [0, 0, 0, 0]


def test_the_order_of_judgments_does_not_matter() -> None:
    grades = list(GRADES.items())
    shuffled = judge(runs_of(LISTS), qrels_of(dict(reversed(grades))))
    plain = judge(runs_of(LISTS), qrels_of(GRADES))
    assert shuffled.select(topics=plain.topics).cube().tolist() == plain.cube().tolist()


def test_ids_are_never_taken_for_numbers() -> None:
    judged = judge(runs_of({"x": {"01": ["1", "1.0", "01"]}}), qrels_of({("01", "1"): 1, ("1", "01"): 1}))
    assert judged.cube()[0, 0].tolist() == [1, UNJUDGED, UNJUDGED]
    assert pl.Series(judged.topics).to_list() == ["01", "1"]
