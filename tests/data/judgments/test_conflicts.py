"""Several judgments of one document: every rule beside a dictionary that does the same, one pair at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import InputError, UsageError
from assay.data.judgments.conflicts import CONFLICT_RULES, Conflicts, settle
from assay.data.read import read_qrels
from assay.data.tables import IN_POOL, Qrels

pytestmark = pytest.mark.usefixtures("both_readers")

RULES = [how for how in get_args(Conflicts) if how != "error"]
Row = tuple[str, str, float]

ids = st.sampled_from(["1", "2", "10"]), st.sampled_from(["a", "b", "c", "d"])
whole = st.integers(-2, 4)
fractional = st.one_of(whole, st.sampled_from([0.25, 0.5, 1.5, 1 / 3]))


def rows_of(grades: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.tuples(*ids, grades), min_size=1, max_size=40)


def built(rows: list[Row], how: Conflicts) -> Qrels:
    topic, doc, grade = zip(*rows, strict=True)
    return Qrels.build(pl.Series(topic), pl.Series(doc), np.array(grade), source="made", conflicts=how)


def by_pair(qrels: Qrels, rows: list[Row]) -> dict[tuple[str, str], float | None]:
    """The grade of every pair as the judgments hold it, None where it is pooled only; in the order of the rows."""
    values = qrels.fractions or range(qrels.top + 1)
    pairs = list(dict.fromkeys((topic, doc) for topic, doc, _ in rows))
    assert [qrels.topics[t] for t in qrels.topic] == [topic for topic, _ in pairs]
    return {
        pair: None if code == IN_POOL else float(values[code])
        for pair, code in zip(pairs, qrels.grade.tolist(), strict=True)
    }


def twin(rows: list[Row], how: str) -> dict[tuple[str, str], float | None]:
    """The same by dictionaries: a negative grade is None, and has no say beside a grade."""
    written: dict[tuple[str, str], list[float | None]] = defaultdict(list)
    for topic, doc, grade in rows:
        written[topic, doc].append(None if grade < 0 else grade)
    return {pair: _one(grades, how) for pair, grades in written.items()}


def _one(grades: list[float | None], how: str) -> float | None:
    known = [grade for grade in grades if grade is not None]
    if how == "first" or not known:
        return grades[0]
    if how == "mean":
        return float(sum(map(Fraction, known)) / len(known))
    if how == "majority":
        votes = Counter(known)
        return min(grade for grade, n in votes.items() if n == max(votes.values()))
    return max(known) if how == "max" else min(known)


@pytest.mark.parametrize("how", RULES)
@settings(deadline=None)
@given(rows=rows_of(whole))
def test_whole_grades_that_differ_become_what_a_dictionary_says(how: Conflicts, rows: list[Row]) -> None:
    assert by_pair(built(rows, how), rows) == twin(rows, how)


@pytest.mark.parametrize("how", RULES)
@settings(deadline=None)
@given(rows=rows_of(fractional))
def test_fractions_that_differ_become_what_a_dictionary_says(how: Conflicts, rows: list[Row]) -> None:
    found, expected = by_pair(built(rows, how), rows), twin(rows, how)
    assert found.keys() == expected.keys()
    for pair, grade in expected.items():
        assert found[pair] == (None if grade is None else pytest.approx(grade, rel=1e-15))


@settings(deadline=None)
@given(rows=rows_of(fractional))
def test_only_pairs_with_different_grades_are_counted_as_conflicts(rows: list[Row]) -> None:
    said: dict[tuple[str, str], set[float]] = defaultdict(set)
    for topic, doc, grade in rows:
        said[topic, doc].add(max(grade, -1))
    n = sum(len(grades) > 1 for grades in said.values())
    again = len(rows) - len(said)
    times = Counter((topic, doc) for topic, doc, _ in rows)
    in_conflicts = sum(times[pair] - 1 for pair, grades in said.items() if len(grades) > 1)
    pair = np.array([hash(row[:2]) for row in rows], dtype=np.int64).view(np.uint64)
    by_pair = settle(pair, np.array([grade for _, _, grade in rows], dtype=float), "max")
    assert (by_pair.n_conflicts, by_pair.n_repeated) == (n, again - in_conflicts)
    assert (by_pair.example is None) == (n == 0)


@settings(deadline=None)
@given(rows=rows_of(fractional))
def test_the_first_contradiction_is_an_error_that_names_both_places(rows: list[Row]) -> None:
    seen: dict[tuple[str, str], tuple[int, float]] = {}
    contradiction: tuple[int, int] | None = None
    for i, (topic, doc, grade) in enumerate(rows):
        before = seen.get((topic, doc))
        if contradiction is None and before is not None and max(before[1], -1) != max(grade, -1):
            contradiction = (i, before[0])
        seen[topic, doc] = (i, grade)
    if contradiction is None:
        assert not any(note.code == "conflicting_judgments" for note in built(rows, "error").notes)
        return
    row, other = contradiction
    with pytest.raises(InputError) as problem:
        built(rows, "error")
    assert str(problem.value).startswith(
        f"made: row {row + 1}: document {rows[row][1]} of topic {rows[row][0]} has grade {rows[row][2]:g} here "
        f"but {rows[other][2]:g} at made: row {other + 1} (--conflicts "
    )


@pytest.mark.parametrize("how", ["max", "min", "mean", "majority"])
@settings(deadline=None)
@given(rows=rows_of(fractional), rng=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_grade(how: Conflicts, rows: list[Row], rng: Any) -> None:
    shuffled = rng.sample(rows, len(rows))
    assert by_pair(built(rows, how), rows) == by_pair(built(shuffled, how), shuffled)


@settings(deadline=None)
@given(rows=rows_of(whole))
def test_whole_grades_stay_whole_unless_they_are_averaged(rows: list[Row]) -> None:
    for how in ("first", "max", "min", "majority"):
        qrels = built(rows, how)
        assert qrels.fractions == ()
        assert qrels.grade.dtype == np.int8


def test_the_scale_reaches_to_the_highest_grade_that_anybody_gave() -> None:
    rows: list[Row] = [("1", "a", 3), ("1", "a", 0), ("1", "b", 1)]
    assert [built(rows, how).highest for how in ("first", "max", "min", "mean", "majority")] == [3] * 5


@pytest.mark.parametrize(("how", "grade"), [("first", 2), ("max", 3), ("min", 0), ("mean", 1.4), ("majority", 0)])
def test_a_note_says_how_many_conflicted_and_what_was_done(how: Conflicts, grade: float) -> None:
    rows: list[Row] = [*(("1", "a", g) for g in (2, 0, 3, 0, 2)), ("1", "b", 1), ("1", "b", 1), ("2", "a", 4)]
    qrels = built(rows, how)
    notes = {note.code: note for note in qrels.notes}
    assert by_pair(qrels, rows) == {("1", "a"): grade, ("1", "b"): 1, ("2", "a"): 4}
    assert notes["repeated_judgments"].text == "made: 1 repeated judgment ignored: they agree with the first"
    note = notes["conflicting_judgments"]
    assert note.severity == "caution"
    assert note.text == (
        "made: 1 of 3 judged documents have different grades, as at made: row 1 and made: row 2; "
        f"{CONFLICT_RULES[how]} (--conflicts {how})"
    )


def test_the_rule_for_ties_of_a_majority_is_said() -> None:
    assert "of equally frequent ones the lowest" in CONFLICT_RULES["majority"]


def test_means_can_be_more_than_there_are_codes_for() -> None:
    rows: list[Row] = [("1", f"d{i}", grade) for i in range(127) for grade in (0, i / 2)]
    assert len(built(rows, "mean").fractions) == 128  # with 0, and with 63, which is no mean
    with pytest.raises(InputError, match=r"^made: 128 different grades above 0, the scale's highest among them, but"):
        built([*rows, ("2", "d", 0.125)], "mean")


def test_a_rule_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="conflicts: 'avg' is not one of error, first, max, min, mean, majority"):
        read_qrels({"1": {"a": 1}}, conflicts="avg")  # type: ignore[arg-type]
