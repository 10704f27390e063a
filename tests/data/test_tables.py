"""Judgments and rankings as columns: building, choosing, cutting."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import polars as pl
import pytest

from assay.core.errors import InputError, UsageError
from assay.core.notes import Note
from assay.core.settings import positions
from assay.data.codes import Documents, encode
from assay.data.order import Listing, OrderRule
from assay.data.tables import IN_POOL, Qrels, Runs, number


def listing(name: str, lists: dict[str, str], *, ranks: bool = False) -> Listing:
    """Make a run in which the score falls by one from letter to letter of each list."""
    topic = [t for t, docs in lists.items() for _ in docs]
    doc = pl.Series([d for docs in lists.values() for d in docs], dtype=pl.String)
    names, index = number(pl.Series(topic))
    score = np.array([-float(i) for docs in lists.values() for i in range(len(docs))])
    return Listing(name, names, index, Documents.of(doc), score, -score if ranks else None)


def qrels(lines: list[tuple[str, str, int]]) -> Qrels:
    topic, doc, grade = zip(*lines, strict=True)
    return Qrels.build(pl.Series(topic), pl.Series(doc), np.array(grade, dtype=np.int64))


def docs_of(runs: Runs, run: int, topic: int) -> list[int]:
    start, count = runs.start[run, topic], runs.count[run, topic]
    return [int(code) for code in runs.doc[start : start + count]]


def codes(docs: str) -> list[int]:
    return [int(code) for code in encode(pl.Series(list(docs), dtype=pl.String))]


def test_the_same_id_has_the_same_code_wherever_it_stands() -> None:
    long = "a-very-long-document-identifier-that-no-one-stores-inline"
    first = encode(pl.Series(["b", long, "a"]))
    again = encode(pl.Series([long, "x", "a"]))
    assert (first[1], first[2]) == (again[0], again[2])


def test_names_are_numbered_as_they_first_appear() -> None:
    names, index = number(pl.Series(["b", "b", "a", "b", "c", "a"]))
    assert (names, index.tolist()) == (("b", "a", "c"), [0, 0, 1, 0, 2, 1])


def test_an_unknown_name_is_an_error_with_the_closest_match() -> None:
    with pytest.raises(UsageError, match="no run 'bm52'; did you mean 'bm25'\\?"):
        positions(["bm52"], ["bm25", "dense"], "run")


def test_a_name_asked_for_twice_is_an_error() -> None:
    with pytest.raises(UsageError, match="run 'a' is asked for 2 times"):
        positions(["a", "b", "a"], ["a", "b"], "run")


def test_runs_lie_end_to_end_and_missing_topics_are_empty() -> None:
    runs = Runs.build([listing("x", {"1": "abc", "2": "ba"}), listing("y", {"2": "c", "3": "ab"})])
    assert runs.topics == ("1", "2", "3")
    assert runs.count.tolist() == [[3, 2, 0], [0, 1, 2]]
    assert docs_of(runs, 0, 1) == codes("ba")
    assert docs_of(runs, 1, 1) == codes("c")
    assert docs_of(runs, 1, 0) == []


def test_topics_may_be_interleaved() -> None:
    doc = pl.Series(["a", "b", "c", "d"])
    names, index = number(pl.Series(["1", "2", "1", "2"]))
    mixed = Listing("x", names, index, Documents.of(doc), np.array([1.0, 2.0, 3.0, 4.0]))
    runs = Runs.build([mixed])
    assert [docs_of(runs, 0, t) for t in (0, 1)] == [codes("ca"), codes("db")]


def test_runs_are_chosen_in_the_order_asked_for() -> None:
    runs = Runs.build([listing(name, {"1": docs}) for name, docs in (("x", "a"), ("y", "bc"), ("z", "d"))])
    chosen = runs.select(["z", "x"])
    assert chosen.names == ("z", "x")
    assert [docs_of(chosen, i, 0) for i in (0, 1)] == [codes("d"), codes("a")]


def test_a_head_keeps_the_best_and_its_ties() -> None:
    tied = listing("x", {"1": "abcd"})
    runs = Runs.build([Listing("x", tied.topics, tied.topic, tied.doc, np.array([2.0, 1.0, 1.0, 1.0]))])
    assert runs.n_tied().tolist() == [[2]]
    assert runs.head(3).n_tied().tolist() == [[1]]
    assert docs_of(runs.head(2), 0, 0) == codes("ad")
    assert runs.head(9).count.tolist() == [[4]]


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_is_an_error(depth: int) -> None:
    with pytest.raises(UsageError, match=f"depth {depth} is not a whole number from 1 up"):
        Runs.build([listing("x", {"1": "a"})]).head(depth)


def test_a_depth_below_every_list_is_an_error() -> None:
    runs = Runs.build([listing("x", {"1": "a"})])
    assert runs.head(10_000_000).count.tolist() == [[1]]
    for depth in (10_000_001, 10**20):
        with pytest.raises(UsageError, match=f"depth {depth} is more than 10,000,000, the deepest there is"):
            runs.head(depth)


def test_no_runs_are_an_error() -> None:
    with pytest.raises(InputError, match="no runs"):
        Runs.build([])


@pytest.mark.parametrize(
    ("setting", "word"), [("order", "scroe"), ("ties", "trek"), ("precision", "singel"), ("duplicates", "frist")]
)
def test_a_misspelt_rule_is_an_error_with_the_closest_match(setting: str, word: str) -> None:
    with pytest.raises(UsageError, match=f"{setting}: '{word}' is not one of .*; did you mean"):
        OrderRule(**cast(Any, {setting: word}))


def test_a_repeated_document_is_an_error_unless_the_first_is_wanted() -> None:
    twice = listing("x", {"1": "abca", "2": "aa", "3": "a"})
    with pytest.raises(InputError, match="row 4: document a appears twice for topic 1"):
        Runs.build([twice])
    runs = Runs.build([twice], OrderRule(duplicates="first"))
    assert [docs_of(runs, 0, t) for t in range(3)] == [codes("abc"), codes("a"), codes("a")]
    text = "row 4: 2 repeated documents dropped from here on, the first of each kept"
    assert runs.notes == (Note("repeated_documents", "caution", text),)


def test_the_first_is_the_first_in_the_file_and_not_the_best() -> None:
    doc = pl.Series(["a", "b", "a"])
    names, index = number(pl.Series(["1", "1", "1"]))
    runs = Runs.build(
        [Listing("x", names, index, Documents.of(doc), np.array([1.0, 2.0, 3.0]))], OrderRule(duplicates="first")
    )
    assert docs_of(runs, 0, 0) == codes("ba")
    assert runs.score.tolist() == [2.0, 1.0]


def test_ordering_by_rank_needs_ranks() -> None:
    with pytest.raises(UsageError, match="there is no rank column to order by"):
        Runs.build([listing("x", {"1": "ab"})], OrderRule("rank"))
    assert Runs.build([listing("x", {"1": "ab"}, ranks=True)], OrderRule("rank")).doc.tolist() == codes("ab")


def test_other_names_must_differ() -> None:
    runs = Runs.build([listing(name, {"1": "a"}) for name in "xy"])
    note = Note("named_by_file", "info", "named after its file")
    renamed = runs.renamed(["p", "q"], (note,))
    assert (renamed.names, renamed.notes) == (("p", "q"), (note,))
    with pytest.raises(InputError, match="2 runs are named 'p'"):
        runs.renamed(["p", "p"])


def test_negative_grades_are_in_the_pool_and_the_scale_is_at_least_one() -> None:
    made = qrels([("1", "a", -1), ("1", "b", 0), ("2", "a", -5)])
    assert made.grade.tolist() == [IN_POOL, 0, IN_POOL]
    assert made.top == 1


def test_the_scale_survives_thinning_and_choosing() -> None:
    made = qrels([("1", "a", 3), ("1", "b", 1), ("2", "a", 1), ("3", "c", 0)])
    assert made.thin(made.grade < 2).top == 3
    chosen = made.select(["3", "1"])
    assert (chosen.top, chosen.topics) == (3, ("3", "1"))
    assert sorted(zip(chosen.topic.tolist(), chosen.grade.tolist(), strict=True)) == [(0, 0), (1, 1), (1, 3)]
    assert made.thin(made.grade > 5).topics == ("1", "2", "3")


def test_judgments_of_other_topics_do_not_contradict() -> None:
    made = qrels([("1", "a", 1), ("2", "a", 0)])
    assert made.grade.tolist() == [1, 0]
    assert made.notes == ()


def test_no_judgments_are_an_error() -> None:
    empty = pl.Series([], dtype=pl.String)
    with pytest.raises(InputError, match="judgments: no judgments"):
        Qrels.build(empty, empty, np.array([], dtype=np.int64))
