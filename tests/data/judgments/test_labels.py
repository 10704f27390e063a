"""Judgments of several judges stand side by side: every pair that any of them judged, and nothing filled in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.data.judgments.conflicts import Conflicts
from assay.data.judgments.labels import side_by_side
from assay.data.read import read_qrels
from assay.data.tables import Qrels

Triples = list[tuple[str, str, int]]


def read(folder: Path, name: str, text: str, conflicts: Conflicts = "error") -> Qrels:
    file = folder / name
    file.write_text(text)
    return read_qrels(file, conflicts=conflicts)


def by_pair(triples: Triples) -> dict[tuple[str, str], list[int]]:
    """All labels of every pair, in the order in which they stand."""
    said: dict[tuple[str, str], list[int]] = {}
    for topic, doc, grade in triples:
        said.setdefault((topic, doc), []).append(grade)
    return said


judgments = st.lists(
    st.tuples(st.sampled_from("123"), st.sampled_from("abcd"), st.integers(-1, 3)), min_size=1, max_size=20
)


@given(one=judgments, other=judgments)
@settings(deadline=None, max_examples=60)
def test_every_pair_of_any_judge_is_there_once_with_what_each_says(one: Triples, other: Triples) -> None:
    named = {"human": one, "model": other}
    labels = side_by_side({name: read_qrels(triples, conflicts="first") for name, triples in named.items()})
    rows = {(labels.topics[t], doc): i for i, (t, doc) in enumerate(zip(labels.topic, labels.ids, strict=True))}
    assert set(rows) == {*by_pair(one), *by_pair(other)}
    for judge, triples in enumerate(named.values()):
        said = by_pair(triples)
        for pair, i in rows.items():
            grade = labels.grade[judge, i]
            first = said.get(pair, [-1])[0]
            assert np.isnan(grade) if first < 0 else grade == first
        repeated = {
            pair: [
                -1 if np.isnan(g) else int(g) for g in labels.repeats[judge].grade[labels.repeats[judge].pair == i]
            ]
            for pair, i in rows.items()
        }
        assert repeated == {pair: said[pair] if len(said.get(pair, [])) > 1 else [] for pair in rows}


def test_judgments_of_other_topics_keep_theirs(tmp_path: Path) -> None:
    human = read(tmp_path, "human", "1 0 a 1\n2 0 b 0\n")
    model = read(tmp_path, "model", "3 0 a 2\n2 0 b 1\n")
    labels = side_by_side({"human": human, "model": model})
    assert labels.topics == ("1", "2", "3")
    assert [(labels.topics[t], doc) for t, doc in zip(labels.topic, labels.ids, strict=True)] == [
        ("1", "a"),
        ("2", "b"),
        ("3", "a"),
    ]
    np.testing.assert_array_equal(labels.grade, [[1, 0, np.nan], [np.nan, 1, 2]])


def test_fractions_are_grades_by_their_value(tmp_path: Path) -> None:
    human = read(tmp_path, "human", "1 0 a 1\n1 0 b 0\n")
    model = read(tmp_path, "model", "1 0 a 0.5\n1 0 b 1.25\n")
    labels = side_by_side({"human": human, "model": model})
    np.testing.assert_array_equal(labels.grade, [[1, 0], [0.5, 1.25]])
    assert labels.highest == (1.0, 1.25)


def test_what_is_thinned_remembers_no_labels(tmp_path: Path) -> None:
    qrels = read(tmp_path, "human", "1 0 a 1\n1 0 a 2\n1 0 b 0\n", "first")
    assert qrels.repeated is not None
    assert qrels.thin(np.array([True, False])).repeated is None
