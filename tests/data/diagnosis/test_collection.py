"""What is odd about runs and judgments is noted first, and refused where no score would mean anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import score
from assay.cli import main
from assay.core.errors import InputError
from assay.data.diagnosis.collection import SHARES
from assay.data.judged import judge
from assay.data.read import read_qrels, read_runs
from tests.builders.diagnosis import codes, notes_on


def test_the_judged_share_is_stated_to_the_depths_that_lists_reach() -> None:
    note = notes_on({"a": {"1": "bcdefghijkl", "2": "b"}}, {"1": "bdfhjl", "2": "b"})["judged_shares"]
    # rank 1: 2 of 2; to rank 10: 5 and 1 of 10 and 1
    assert note.text.startswith("judged are 100% at rank 1, 55% to rank 10 of the documents")
    assert note.severity == "info"


def test_runs_of_which_few_documents_are_judged_get_a_warning() -> None:
    note = notes_on({"a": {"1": "bcdefghijk"}}, {"1": "k"})["rarely_judged"]
    assert note.severity == "warning"
    assert "0% at rank 1, 10% to rank 10" in note.text


@pytest.mark.parametrize(
    ("retrieved", "judged", "reason"),
    [
        ("LA-1", "la-1", "upper and lower case"),
        ("msmarco_passage_12", "12", "what stands before them"),
        ("12", "beir/12", "what stands before them"),
        ("D7#0", "D7", "what stands after them"),
        ("a", "a#0", "what stands after them"),
        ("clueweb12", "gov2", "another round"),
        ("FT911-3", "clueweb12-0101wb-00-00001", "another collection"),
    ],
)
def test_judgments_without_a_retrieved_document_are_refused_with_the_likely_reason(
    retrieved: str, judged: str, reason: str
) -> None:
    runs, qrels = read_runs({"a": {"1": {retrieved: 1.0}}}), read_qrels({"1": {judged: 1}})
    with pytest.raises(InputError, match=f"retrieved: {retrieved}; judged: {judged}.*{reason}"):
        judge(runs, qrels)


@pytest.mark.parametrize(
    ("retrieved", "judged", "reason"),
    [
        ("01", "1", "written as 1 and 01"),
        ("1.0", "1", "written as 1 and 1.0"),
        ("Q1", "q1", "upper and lower case"),
        ("trec8-301", "301", "what stands before them"),
        ("x", "301", "another collection or round"),
    ],
)
def test_topics_without_any_in_common_are_refused_with_the_likely_reason(
    retrieved: str, judged: str, reason: str
) -> None:
    runs, qrels = read_runs({"a": {retrieved: {"d": 1.0}}}), read_qrels({judged: {"d": 1}})
    with pytest.raises(InputError, match=f"no topic in common with the runs.*{reason}"):
        judge(runs, qrels)


def test_documents_that_are_judged_for_other_topics_are_a_reason_of_their_own() -> None:
    runs = read_runs({"a": {"1": {"d": 1.0}, "2": {"e": 1.0}}})
    with pytest.raises(InputError, match="judged for other topics"):
        judge(runs, read_qrels({"1": {"e": 1}, "2": {"d": 1}}))


def test_a_run_that_answers_6_of_200_questions_is_named_before_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{t} Q0 d{t} 1 1 a\n" for t in range(200)]
    (tmp_path / "a").write_text("".join(lines))
    (tmp_path / "b").write_text("".join(lines[:6]).replace(" a\n", " b\n"))
    (tmp_path / "q").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(200)))
    assert main(["score", str(tmp_path / "a"), str(tmp_path / "b"), "--qrels", str(tmp_path / "q"), "-m", "RR"]) == 0
    out = capsys.readouterr().out
    warning = "warning: 194 lists missing, counted as empty: b has 6 of 200 topics"
    assert out.index(warning) < out.index("rank  run")


def test_a_pool_of_depth_0_is_scored_and_not_diagnosed() -> None:
    runs, qrels = read_runs({"a": {"1": {"d": 1.0}}}), read_qrels({"1": {"d": 1}})
    assert not {note.code for note in judge(runs, qrels.pool(runs, depth=0)).notes} & {
        "rarely_judged",
        "judged_shares",
    }


def test_runs_with_the_same_lists_are_named() -> None:
    lists = {"a": {"1": "bc"}, "b": {"1": "bc"}, "c": {"1": "cb"}}
    note = notes_on(lists, {"1": "b"})["equal_runs"]
    assert note.text == "1 run returns the same lists as another (b = a)"


def test_scores_that_are_all_equal_or_infinite_are_noted() -> None:
    qrels = read_qrels({"1": {"d": 1}})
    runs = read_runs({"a": {"1": {"d": 1.0, "e": 1.0}}, "b": {"1": {"d": float("inf"), "e": 0.0}}})
    notes = {note.code: note.text for note in judge(runs, qrels).notes}
    assert "equal in 1 run (a)" in notes["equal_scores"]
    assert "1 run (b)" in notes["infinite_scores"]


def test_the_judged_share_is_stated_at_the_cutoffs_that_are_asked_for() -> None:
    runs = {"a": {"1": list("bcdefghijklm"), "2": list("bcde")}}
    qrels = {"1": dict.fromkeys("bcdm", 1), "2": {"b": 1, "x": 0}}
    shares = [note for note in score(runs, qrels, ["P@3", "nDCG@7", "AP"]).notes if note.code in SHARES]
    # to rank 3: 3 and 1 of 3 and 3; to rank 7: 3 and 1 of 7 and 4; to rank 10: 3 and 1 of 10 and 4
    assert [note.code for note in shares] == ["rarely_judged"]
    assert "100% at rank 1, 67% to rank 3, 36% to rank 7, 29% to rank 10 of" in shares[0].text


def test_measures_that_look_deeper_than_anyone_judged_are_named() -> None:
    lists = {str(topic): list("bcdefghi") for topic in range(17)}  # 102 documents below rank 2
    judged = {topic: {"b": 1, "c": 0} for topic in lists}
    notes = {note.code: note for note in score({"a": lists}, judged, ["P@2", "P@4", "P@5", "AP", "RR@1"]).notes}
    assert notes["deeper_than_judged"].severity == "caution"
    assert notes["deeper_than_judged"].text.startswith("P@5, AP look deeper than anyone judged: below rank 2")
    far_down = judged | {"1": {"b": 1, "h": 0}, "2": {"b": 1, "i": 0}}  # 2 of 102
    assert "deeper_than_judged" not in {note.code for note in score({"a": lists}, far_down, ["AP"]).notes}


def test_the_ends_of_a_few_lists_are_not_deeper_than_anyone_judged() -> None:
    docs = [f"d{i}" for i in range(500)]
    judged = {"1": dict.fromkeys(docs[:498:20], 1) | {"d497": 0}}
    assert "deeper_than_judged" not in {note.code for note in score({"a": {"1": docs}}, judged, ["AP"]).notes}


def test_judgments_that_list_relevant_documents_only_are_a_caution_and_no_warning() -> None:
    runs = {"a": {"1": list("bcdefghijk")}}
    notes = {note.code: note for note in score(runs, {"1": {"b": 1, "x": 2}}, ["P@3"]).notes}
    assert notes["relevant_only"].severity == "caution"
    assert "100% at rank 1, 33% to rank 3, 10% to rank 10" in notes["relevant_only"].text
    assert "rarely_judged" not in notes
    notes = {note.code: note for note in score(runs, {"1": {"b": 1, "x": 0}}, ["P@3"]).notes}
    assert notes["rarely_judged"].severity == "warning"
    assert "may be too low" in notes["rarely_judged"].text
    assert "only 100%" not in notes["rarely_judged"].text


def test_a_run_of_which_nothing_is_judged_is_named_beside_runs_that_are() -> None:
    lists = {"good": {"1": "bc"}, "upper": {"1": "BC"}}
    note = notes_on(lists, {"1": "b"})["unjudged_runs"]
    assert note.severity == "warning"
    assert "1 run is judged (upper)" in note.text


def test_topics_that_only_runs_or_only_judgments_have_are_named() -> None:
    notes = notes_on({"a": {"1": "b", "3": "b"}}, {"1": "b", "2": "b", "4": "c"})
    assert notes["unanswered_topics"].text == "2 judged topics are answered by no run (2, 4)"
    assert notes["unjudged_topics"].text.startswith("1 topic not in the judgments")


def test_notes_are_about_the_runs_that_are_selected_and_no_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """b is odd in every way: rising scores, repeated documents, short, few topics, nothing judged."""
    sound = "".join(f"{t} Q0 d{i} {i} {50 - i} a\n" for t in range(1, 9) for i in range(1, 31))
    (tmp_path / "a").write_text(sound)
    (tmp_path / "c").write_text(sound.replace(" a\n", " c\n").replace("d1 ", "d99 "))
    (tmp_path / "b").write_text("1 Q0 X 1 1 b\n1 Q0 Y 2 2 b\n1 Q0 X 3 inf b\n")
    (tmp_path / "q").write_text("".join(f"{t} 0 d{i} {i % 2}\n" for t in range(1, 9) for i in range(1, 31)))
    names = [str(tmp_path / name) for name in "abc"]
    flags = ["--qrels", str(tmp_path / "q"), "--duplicates", "first", "--format", "json"]

    def notes(*words: str) -> list[str]:
        assert main([*words, *flags]) == 0
        return [note["code"] for note in json.loads(capsys.readouterr().out)["notes"]]

    odd = {"ranks_contradict_scores", "repeated_documents", "missing_lists", "short_lists", "unjudged_runs"}
    for command in (["score", "-m", "AP"], ["power", "-m", "AP"], ["glance"]):
        assert odd <= set(notes(*command, *names))
        assert not odd & set(notes(*command, *names, "--select", "a", "--select", "c"))
    assert "b" not in str(notes("score", *names, "-m", "AP/pool=5", "--select", "a"))


def test_sound_data_has_no_warning() -> None:
    assert codes({"a": {"1": "bc", "2": "cb"}, "b": {"1": "cb", "2": "bc"}}, {"1": "bc", "2": "bc"}) == {
        "judged_shares"
    }
