"""The order of lists: every rule against `sorted`, what is counted against all pairs, and what is noted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import read_qrels, read_runs
from assay.core.errors import InputError, UsageError
from assay.data.judged import judge
from assay.data.order import Order, OrderRule, Precision, Ties
from assay.data.run_facts import RANKS_CONTRADICT_SCORES, RISING_SCORES, TIED_RANKS, RunFacts
from assay.data.tables import Runs
from assay.data.trec import listing_from_bytes
from tests.builders.listings import ids_of

pytestmark = pytest.mark.usefixtures("both_readers")

Line = tuple[str, str, int, str]  # topic, document, rank, score

SCORES = ["1", "1.0", "2.5", "-1", "inf", "-inf", "0", "-0.0", "1.00000001", "0.99999999", "1e39", "-1e39", "1e-50"]
LINES = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "10", "x"]),
        st.sampled_from(["a", "B", "b", "é", "aa", "d#1", "Z", "0"]),
        st.integers(1, 4),
        st.sampled_from(SCORES),
    ),
    min_size=1,
    max_size=30,
    unique_by=lambda line: line[:2],
)


def text_of(lines: Sequence[Line]) -> bytes:
    return "".join(f"{t} Q0 {doc} {rank} {score} tag\n" for t, doc, rank, score in lines).encode()


def by_topic(lines: Sequence[Line]) -> dict[str, list[Line]]:
    return {topic: [line for line in lines if line[0] == topic] for topic in dict.fromkeys(line[0] for line in lines)}


def as_read(score: str, precision: Precision) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(float(score))) if precision == "single" else float(score)


def value_of(line: Line, docs: Sequence[Line], rule: OrderRule) -> float:
    """What rises along a list."""
    score = as_read(line[3], rule.precision)
    return {"distance": score, "rank": float(line[2]), "file": float(docs.index(line))}.get(rule.order or "", -score)


def slow(lines: Sequence[Line], rule: OrderRule) -> dict[str, list[tuple[str, float, bool]]]:
    """Order every list with `sorted`: document, score, whether it ties with the one before."""
    found = {}
    for topic, docs in by_topic(lines).items():
        value = {line: value_of(line, docs, rule) for line in docs}
        in_order = list(docs)
        if rule.ties == "trec":
            in_order.sort(key=lambda line: line[1].encode(), reverse=True)
        if rule.ties == "rank":
            in_order.sort(key=lambda line: line[2])
        in_order.sort(key=value.__getitem__)
        tied = [False] + [value[a] == value[b] for a, b in pairwise(in_order)]
        found[topic] = [
            (line[1], as_read(line[3], rule.precision), t) for line, t in zip(in_order, tied, strict=True)
        ]
    return found


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("ties", ["trec", "file", "rank"])
@pytest.mark.parametrize("order", ["score", "distance", "rank", "file"])
@settings(deadline=None, max_examples=25)
@given(lines=LINES)
def test_every_order_is_that_of_sorted(order: Order, ties: Ties, precision: Precision, lines: list[Line]) -> None:
    rule = OrderRule(order, ties, precision)
    listing = listing_from_bytes(text_of(lines), "run", ranked=rule.needs_ranks)
    name = dict(zip(listing.doc.code.tolist(), ids_of(listing), strict=True))
    runs, expected = Runs.build([listing], rule), slow(lines, rule)
    sign = -1.0 if order == "distance" else 1.0
    assert runs.topics == tuple(expected)
    for t, topic in enumerate(runs.topics):
        part = slice(runs.start[0, t], runs.start[0, t] + runs.count[0, t])
        ids = [name[code] for code in runs.doc[part].tolist()]
        got = list(zip(ids, (sign * runs.score[part]).tolist(), runs.tied[part].tolist(), strict=True))
        assert got == expected[topic]
        assert runs.n_tied()[0, t] == sum(tied for *_, tied in expected[topic])


def slow_facts(lines: Sequence[Line], *, ranked: bool) -> tuple[int, int, int, int]:
    """Count, pair by pair, the lists that are contradicted, rising, of one score, and infinite."""
    constant = len({line[2] for line in lines}) == 1 and len(lines) > 1
    counts = [0, 0, 0, 0]
    for docs in by_topic(lines).values():
        place = [line[2] if ranked and not constant else i for i, line in enumerate(docs)]
        score = [float(line[3]) for line in docs]
        pairs = [(place[a] - place[b]) * (score[a] > score[b]) for a in range(len(docs)) for b in range(len(docs))]
        against, along = any(pair > 0 for pair in pairs), any(pair < 0 for pair in pairs)
        counts[0] += against and ranked and not constant
        counts[1] += against and not along
        counts[2] += len(docs) > 1 and len(set(score)) == 1
        counts[3] += bool(np.isinf(score).any())
    return counts[0], counts[1], counts[2], counts[3]


def seen(facts: RunFacts) -> tuple[int, int, int, int]:
    return facts.contradicted, facts.rising, facts.equal, facts.infinite


@pytest.mark.parametrize("order", ["score", "rank", "file"])
@settings(deadline=None, max_examples=80)
@given(lines=LINES)
def test_what_is_odd_about_lists_is_what_all_their_pairs_say(order: Order, lines: list[Line]) -> None:
    listing = listing_from_bytes(text_of(lines), "run", ranked=True)
    facts = Runs.build([listing], OrderRule(order)).facts[0]
    expected = slow_facts(lines, ranked=True)
    assert facts.lists == len(by_topic(lines))
    if facts.ranks == "constant" and order != "score":  # then nothing but the chosen order says how lists go
        assert (facts.contradicted, *seen(facts)[2:]) == (0, *expected[2:])
    else:
        assert seen(facts) == expected


@settings(deadline=None, max_examples=80)
@given(lines=LINES)
def test_ranks_that_nobody_asked_for_say_the_same(lines: list[Line]) -> None:
    listing = listing_from_bytes(text_of(lines), "run")
    facts = Runs.build([listing]).facts[0]
    assert seen(facts) == slow_facts(lines, ranked=True)
    assert facts.ranks != "none"


def long_run(n_topics: int, ranks: Sequence[int], *, rising: bool = False) -> bytes:
    """Make a run whose lines fall by score, whatever their ranks; or rise."""
    n = len(ranks)
    return "".join(
        f"{topic} Q0 d{i:05d} {rank} {i if rising else n - i} tag\n"
        for topic in range(n_topics)
        for i, rank in enumerate(ranks)
    ).encode()


def test_all_ranks_are_compared_with_the_scores() -> None:
    clean = long_run(50, range(1, 101))
    facts = Runs.build([listing_from_bytes(clean, "run")]).facts[0]
    assert (facts.ranks, facts.contradicted) == ("given", 0)
    backwards = Runs.build([listing_from_bytes(long_run(50, range(100, 0, -1)), "run")]).facts[0]
    assert (backwards.ranks, backwards.contradicted, backwards.rising) == ("given", 50, 50)
    swapped = [2, 1, *range(3, 101)]
    facts = Runs.build([listing_from_bytes(long_run(50, swapped), "run")]).facts[0]
    assert (facts.ranks, facts.contradicted, facts.rising) == ("given", 50, 0)


def test_a_contradiction_in_the_last_lines_of_a_long_file_is_noticed() -> None:
    """Scores fall from line to line all along; only two ranks, far down, say otherwise."""
    clean = long_run(50, range(1, 1001))
    last = b"49 Q0 d00998 999 2 tag\n49 Q0 d00999 1000 1 tag\n"
    assert clean.endswith(last)
    swapped = clean.removesuffix(last) + b"49 Q0 d00998 1000 2 tag\n49 Q0 d00999 999 1 tag\n"
    facts = Runs.build([listing_from_bytes(swapped, "run")]).facts[0]
    assert (facts.lists, facts.contradicted) == (50, 1)


@pytest.mark.parametrize("extreme", ["-2147483648", "2147483647", "2147483648", "9223372036854775808", "1e30", "1.5"])
def test_ranks_of_any_size_order_a_list(extreme: str) -> None:
    text = f"1 Q0 a 7 1 t\n1 Q0 b {extreme} 2 t\n1 Q0 c 9 3 t\n".encode()
    listing = listing_from_bytes(text, "run", ranked=True)
    runs = Runs.build([listing], OrderRule("rank"))
    expected = [doc for _, doc in sorted([(7.0, "a"), (float(extreme), "b"), (9.0, "c")])]
    name = dict(zip(listing.doc.code.tolist(), "abc", strict=True))
    assert [name[code] for code in runs.doc.tolist()] == expected


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("before", [b"", b"# a comment\n", b"\xef\xbb\xbf"])
def test_ranks_belong_to_their_rows_in_every_guise(end: bytes, before: bytes) -> None:
    lines = long_run(9, range(100, 0, -1)).replace(b"\n3 Q0", b"\n# in between\n\n3 Q0")
    text = before + lines.replace(b"\n", end)
    facts = Runs.build([listing_from_bytes(text, "run")]).facts[0]
    assert (facts.lists, facts.contradicted, facts.rising) == (9, 9, 9)


@pytest.mark.parametrize("comment", [b"", b"# in between\n", b"# Q0 doc 5 2 tag\n", b"\n"])
def test_ranks_are_read_where_scores_rise_further_down(comment: bytes) -> None:
    """The first lines are in order; a list below them is not."""
    rising = b"".join(b"x Q0 d%d %d %d tag\n" % (i, i, i) for i in range(1, 9))
    listing = listing_from_bytes(long_run(9, range(1, 101)) + comment + rising + comment, "run")
    facts = Runs.build([listing]).facts[0]
    assert (facts.ranks, facts.lists, facts.contradicted, facts.rising) == ("given", 10, 1, 1)


def test_ranks_that_are_no_numbers_are_no_ranks() -> None:
    rows = long_run(3, range(1, 1001), rising=True).replace(b" 7 6 ", b" seven 6 ")
    facts = Runs.build([listing_from_bytes(rows, "run")]).facts[0]
    assert (facts.ranks, facts.contradicted, facts.rising) == ("none", 0, 3)


def test_dropped_documents_take_their_ranks_with_them() -> None:
    lines = [("1", "a", 1, "3"), ("1", "a", 9, "2"), ("1", "b", 2, "2"), ("1", "c", 3, "1")]
    runs = Runs.build([listing_from_bytes(text_of(lines), "run")], OrderRule(duplicates="first"))
    assert (runs.facts[0].repeated, runs.facts[0].contradicted) == (1, 0)
    lines = [("1", "a", 1, "2"), ("1", "a", 9, "1"), ("1", "b", 2, "3")]
    runs = Runs.build([listing_from_bytes(text_of(lines), "run")], OrderRule(duplicates="first"))
    assert (runs.facts[0].repeated, runs.facts[0].contradicted) == (1, 1)


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def grades(runs: Runs, **grade: int) -> list[int]:
    """The grades of the only list, in its order."""
    return [int(g) for g in judge(runs, read_qrels({"1": grade})).cube().ravel()]


DISTANCES = "query,doc,rank,score\n1,a,1,0.1\n1,b,2,0.5\n1,c,3,0.9\n"


def test_a_table_with_ranks_and_distances_is_not_read_in_reverse(tmp_path: Path) -> None:
    runs = read_runs(write(tmp_path, "t.csv", DISTANCES))
    assert grades(runs, a=1, b=2, c=3) == [1, 2, 3]
    note = next(note for note in runs.notes if note.code == RANKS_CONTRADICT_SCORES)
    assert note.severity == "info"
    assert "1 of 1 list of 1 run (t.csv)" in note.text
    assert "scores rise with rank, as distances do" in note.text
    assert "ordered by rank" in note.text
    assert "--order score" in note.text


def test_the_same_holds_for_a_frame() -> None:
    frame = pl.DataFrame({"qid": ["1"] * 3, "docno": list("abc"), "rank": [0, 1, 2], "score": [0.1, 0.5, 0.9]})
    assert grades(read_runs(frame), a=1, b=2, c=3) == [1, 2, 3]
    assert grades(read_runs(frame, order="score"), a=1, b=2, c=3) == [3, 2, 1]
    assert grades(read_runs(frame.drop("rank")), a=1, b=2, c=3) == [3, 2, 1]


def test_scores_that_contradict_ranks_here_and_there_call_for_caution(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "query,doc,rank,score\n1,a,1,5\n1,b,2,9\n1,c,3,1\n2,a,1,2\n2,b,2,1\n")
    notes = [note for note in read_runs(path).notes if note.code == RANKS_CONTRADICT_SCORES]
    assert [note.severity for note in notes] == ["caution"]
    assert "1 of 2 lists" in notes[0].text
    assert "distances" not in notes[0].text


def test_a_trec_file_whose_ranks_contradict_its_scores_is_ordered_by_score_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path, "run", "1 Q0 a 1 0.1 dense\n1 Q0 b 2 0.5 dense\n1 Q0 c 3 0.9 dense\n")
    runs = read_runs(path)
    assert grades(runs, a=1, b=2, c=3) == [3, 2, 1]
    note = next(note for note in runs.notes if note.code == RANKS_CONTRADICT_SCORES)
    assert note.severity == "warning"
    for part in ("1 of 1 list of 1 run (dense)", "as trec_eval does", "scores rise with rank", "--order rank"):
        assert part in note.text
    for order in ("rank", "distance", "file"):
        assert grades(read_runs(path, order=order), a=1, b=2, c=3) == [1, 2, 3]


def test_an_order_that_was_asked_for_is_no_warning(tmp_path: Path) -> None:
    path = write(tmp_path, "run", "1 Q0 a 1 0.1 dense\n1 Q0 b 2 0.5 dense\n")
    notes = [note for note in read_runs(path, order="score").notes if note.code == RANKS_CONTRADICT_SCORES]
    assert [note.severity for note in notes] == ["info"]
    assert RANKS_CONTRADICT_SCORES not in [note.code for note in read_runs(path, order="distance").notes]


def test_runs_in_order_have_nothing_to_say(tmp_path: Path) -> None:
    path = write(tmp_path, "run", "1 Q0 a 1 3 t\n1 Q0 c 2 2 t\n1 Q0 b 3 2 t\n2 Q0 a 1 1 t\n")
    assert read_runs(path).notes == ()


def test_a_topic_whose_lines_do_not_stand_together_is_one_list_and_noted(tmp_path: Path) -> None:
    text = "1 Q0 b 3 2 t\n2 Q0 a 1 1 t\n1 Q0 a 1 3 t\n1 Q0 c 2 2 t\n"
    runs = read_runs(write(tmp_path, "shuffled", text))
    assert runs.count.tolist() == [[3, 1]]
    assert [(note.code, note.severity) for note in runs.notes] == [("scattered_topics", "info")]
    assert "1 list of 1 run (t)" in runs.notes[0].text


@pytest.mark.parametrize("rank", [0, 1])
def test_scores_that_rise_from_line_to_line_are_noted_where_ranks_say_nothing(tmp_path: Path, rank: int) -> None:
    text = "".join(f"{topic} Q0 d{i} {rank} {i / 10} tag\n" for topic in (1, 2) for i in range(5))
    runs = read_runs(write(tmp_path, "run", text))
    assert [(note.code, note.severity) for note in runs.notes] == [(RISING_SCORES, "warning")]
    assert "--order distance" in runs.notes[0].text
    falling = read_runs(write(tmp_path, "falling", text + f"3 Q0 d 1 2 tag\n3 Q0 e {rank} 1 tag\n"))
    assert RISING_SCORES not in [note.code for note in falling.notes]


def test_a_table_whose_ranks_are_all_the_same_goes_by_score(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "query,doc,rank,score\n1,a,0,1\n1,b,0,2\n1,c,0,3\n")
    assert grades(read_runs(path), a=1, b=2, c=3) == [3, 2, 1]


def test_ranks_order_equal_scores_and_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path, "run", "1 Q0 a 3 5 t\n1 Q0 b 2 5 t\n1 Q0 c 1 1 t\n1 Q0 d 4 5 t\n")
    assert grades(read_runs(path, ties="rank"), a=1, b=2, c=3, d=4) == [2, 1, 4, 3]
    assert grades(read_runs(path, ties="trec"), a=1, b=2, c=3, d=4) == [4, 2, 1, 3]
    assert grades(read_runs(path, order="rank"), a=1, b=2, c=3, d=4) == [3, 2, 1, 4]


def test_a_run_without_ranks_or_scores_cannot_be_ordered_by_them(tmp_path: Path) -> None:
    scored = write(tmp_path, "s.csv", "query,doc,score\n1,a,1\n")
    ranked = write(tmp_path, "r.csv", "query,doc,rank\n1,a,1\n")
    for path, options, message in (
        (scored, {"order": "rank"}, "s.csv:2: there is no rank column to order by (--order rank)"),
        (scored, {"ties": "rank"}, "s.csv:2: there is no rank column to break ties by (--ties rank)"),
        (ranked, {"order": "score"}, "r.csv:2: there is no score to order by (--order score)"),
        (ranked, {"order": "distance"}, "r.csv:2: there is no score to order by (--order distance)"),
    ):
        with pytest.raises(UsageError) as problem:
            read_runs(path, **options)  # type: ignore[arg-type]
        assert str(problem.value) == f"{tmp_path}/{message}"


def test_a_row_without_a_rank_is_an_error_where_ranks_decide(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "query,doc,rank,score\n1,a,1,1\n1,b,,2\n")
    with pytest.raises(InputError, match=r"t.csv:3: no rank, though its run has others \(--order score"):
        read_runs(path)
    assert grades(read_runs(path, order="score"), a=1, b=2) == [2, 1]


def test_single_precision_ties_scores_that_differ_in_double(tmp_path: Path) -> None:
    path = write(tmp_path, "run", "1 Q0 a 1 17.123456789012349 t\n1 Q0 b 2 17.123456789012345 t\n")
    assert grades(read_runs(path), a=1, b=2) == [1, 2]
    single = read_runs(path, score_precision="single")
    assert grades(single, a=1, b=2) == [2, 1]
    assert single.n_tied().tolist() == [[1]]
    assert single.score.tolist() == [float(np.float32(17.123456789012349))] * 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "score descending, then document id descending"),
        ({"ties": "file"}, "score descending, then as in the file"),
        ({"order": "rank", "ties": "file"}, "rank ascending, then as in the file"),
        ({"order": "file"}, "as in the file"),
        ({"order": "distance", "ties": "rank"}, "distance ascending, then rank ascending"),
        ({"score_precision": "single"}, "score in single precision descending, then document id descending"),
    ],
)
def test_every_result_says_which_order_held(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    runs = read_runs(write(tmp_path, "run", "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n"), **options)
    assert judge(runs, read_qrels({"1": {"a": 1}})).basis.order == words


def test_facts_follow_the_runs_that_are_chosen(tmp_path: Path) -> None:
    for name, score in (("x", "1"), ("y", "inf")):
        write(tmp_path, name, f"1 Q0 {name}1 1 {score} {name}\n1 Q0 {name}2 2 0 {name}\n")
    runs = read_runs(tmp_path)
    assert [one.infinite for one in runs.facts] == [0, 1]
    assert [one.infinite for one in runs.select(["y"]).facts] == [1]
    assert runs.select(["y"]).facts[0].examples == ("y1", "y2")


def test_contradictions_of_many_lists_are_those_of_all_pairs() -> None:
    """Long lists with many ties, which no example of a few lines has."""
    rng = np.random.default_rng(3)
    lines = [
        (str(topic), f"d{i}", int(rank), str(score))
        for topic in range(20)
        for i, (rank, score) in enumerate(
            zip(np.sort(rng.integers(0, 40, 30)), np.sort(rng.integers(0, 8, 30))[::-1], strict=True)
        )
    ]
    for topic in rng.choice(20, 7, replace=False):
        lines[topic * 30 + 4], lines[topic * 30 + 21] = (
            (*lines[topic * 30 + 4][:2], 39, lines[topic * 30 + 4][3]),
            (*lines[topic * 30 + 21][:2], 0, lines[topic * 30 + 21][3]),
        )
    shuffled = [lines[i] for i in rng.permutation(len(lines))]
    expected = sum(
        any((a[2] - b[2]) * (float(a[3]) - float(b[3])) > 0 for a, b in combinations(docs, 2))
        for docs in by_topic(lines).values()
    )
    assert 0 < expected < 20
    orders: tuple[Order, ...] = ("score", "rank", "file")
    for rows in (lines, shuffled):
        for by in orders:
            listing = listing_from_bytes(text_of(rows), "run", ranked=True)
            assert Runs.build([listing], OrderRule(by)).facts[0].contradicted == expected


def test_a_file_with_several_tags_is_a_warning_and_the_reason_of_repeated_documents(tmp_path: Path) -> None:
    path = write(tmp_path, "two", "1 Q0 a 1 2 one\n1 Q0 b 2 1 one\n2 Q0 a 1 2 two\n")
    (note,) = (note for note in read_runs(path).notes if note.code == "several_tags")
    assert note.severity == "warning"
    assert "2 tags: one, two; split the file if these are 2 runs" in note.text
    twice = write(tmp_path, "twice", "1 Q0 a 1 2 one\n1 Q0 b 2 1 one\n1 Q0 a 1 2 two\n")
    with pytest.raises(
        InputError, match=r"twice:3: document a appears twice for topic 1 \(there are 2 tags: one, two"
    ):
        read_runs(twice)
    assert "several_tags" in {note.code for note in read_runs(twice, duplicates="first").notes}
    single = write(tmp_path, "single", "1 Q0 a 1 2 one\n1 Q0 a 2 1 one\n")
    with pytest.raises(InputError, match=r"\(--duplicates first keeps the first\)$"):
        read_runs(single)


@pytest.mark.parametrize(
    ("ranks", "severity", "words"),
    [
        ((1, 1, 1, 1), "warning", "all ranks are the same in 2 of 2 lists"),
        ((1, 1, 1, 2), "caution", "ranks stand more than once in 1 of 2 lists"),
        ((1, 2, 1, 2), None, ""),
    ],
)
def test_ranks_that_stand_more_than_once_are_noted_where_they_decide(
    ranks: tuple[int, ...], severity: str | None, words: str, tmp_path: Path
) -> None:
    rows = zip((1, 1, 2, 2), "abab", ranks, (2, 1, 2, 1), strict=True)
    path = write(tmp_path, "run", "".join(f"{topic} Q0 {doc} {rank} {score} t\n" for topic, doc, rank, score in rows))
    tied = [note for note in read_runs(path, order="rank").notes if note.code == TIED_RANKS]
    assert [note.severity for note in tied] == [severity] * bool(severity)
    assert all(words in note.text for note in tied)
    assert TIED_RANKS not in {note.code for note in read_runs(path, order="score").notes}
