"""Missing cells: zero, pairwise, common or fail, of scores and of lists, decided in one place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.analyses.score.analysis import score as score_analysis
from assay.analyses.standardize.analysis import standardize_scores
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.data.judged import Collection, Judged, judge
from assay.data.read import read_qrels, read_runs
from assay.scoring.conditions import score_conditions
from assay.scoring.engine import score
from assay.scoring.loaders import as_collection, as_scores
from assay.scoring.loaders import collection as read_collection
from assay.scoring.missing import on_common_topics, settle_lists, settle_missing
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores

NAN = np.nan
HOLED = Scores(
    ("m",), ("a", "b", "c"), ("1", "2", "3"), np.array([[[0.1, 0.2, 0.3], [0.4, NAN, 0.6], [0.7, 0.8, 0.9]]])
)
QRELS = {t: {"d1": 1, "d2": 0} for t in "1234"}
LISTS = {
    "whole": {t: {"d1": 2.0, "d2": 1.0} for t in "1234"},
    "most": {t: {"d2": 2.0, "d1": 1.0} for t in "123"},
    "few": {"1": {"d1": 1.0}},
}


def collection(**changes: Any) -> Collection:
    return Collection(read_runs(LISTS), read_qrels(QRELS), **changes)


def noted(notes: tuple[Note, ...], code: str) -> Note:
    (note,) = [note for note in notes if note.code == code]
    return note


# --- scores of other tools


def test_a_missing_score_is_0_or_missing_or_its_topic_goes() -> None:
    zero, pairwise, common = (settle_missing(HOLED, rule) for rule in ("zero", "pairwise", "common"))
    assert zero.value[0, 1].tolist() == [0.4, 0.0, 0.6]
    assert np.array_equal(pairwise.value, HOLED.value, equal_nan=True)
    assert common.topics == ("1", "3")
    assert common.value[0].tolist() == [[0.1, 0.3], [0.4, 0.6], [0.7, 0.9]]


def test_the_basis_says_which_rule_was_used_and_on_how_many_topics() -> None:
    zero, pairwise, common = (settle_missing(HOLED, rule).basis for rule in ("zero", "pairwise", "common"))
    assert zero.to_dict() == {"missing": "zero"}
    assert pairwise.to_dict() == {"common_topics": 2, "missing": "pairwise"}
    assert common.to_dict() == {"runs": 3, "topics": 2, "topics_left_out": 1, "missing": "common"}


def test_what_is_left_of_the_runs_is_counted_again() -> None:
    pairwise = settle_missing(HOLED, "pairwise")
    assert pairwise.select(runs=["a", "c"]).basis.common_topics is None
    assert pairwise.select(topics=["1", "2"]).basis.common_topics == 1


def test_fail_says_how_many_which_is_the_first_and_what_would_be_right() -> None:
    said = "m: 1 score missing, the first that of run 'b' for topic 2; give all, or choose --missing zero, pairwise"
    with pytest.raises(UsageError, match=said):
        settle_missing(HOLED, "fail")
    assert settle_missing(HOLED.select(runs=["a", "c"]), "fail").topics == ("1", "2", "3")


def test_a_topic_on_which_no_run_has_a_score_is_not_missing() -> None:
    value = HOLED.value.copy()
    value[:, :, 1] = NAN
    nobody = Scores(("m",), HOLED.runs, HOLED.topics, value)
    for rule in ("zero", "pairwise", "common", "fail"):
        assert settle_missing(nobody, rule) == nobody


def two_measures() -> Scores:
    """Of m, b lacks topic 2; of n, a lacks topic 1."""
    two = Scores(("m", "n"), HOLED.runs, HOLED.topics, np.concatenate([HOLED.value, HOLED.value[:, :, ::-1] ** 2]))
    two.value[1, 0, 0], two.value[1, 1, 1] = NAN, 0.5
    return two


def test_common_topics_are_one_set_for_all_measures() -> None:
    for common in (settle_missing(two_measures(), "common"), on_common_topics(two_measures())):
        assert common.topics == ("3",)
        assert not np.isnan(common.value).any()
        assert (common.basis.topics, common.basis.topics_left_out) == (1, 2)
        assert "(1 of 3 topics common to all runs; without" in common.notes[-1].text
    assert settle_missing(two_measures(), "pairwise").basis.common_topics == 1


def test_a_topic_that_is_undefined_under_one_measure_for_all_runs_stays_common() -> None:
    two = two_measures()
    two.value[1, :, 2] = NAN
    assert settle_missing(two, "common").topics == ("3",)


def test_topics_on_which_no_run_has_a_score_are_not_counted_as_common() -> None:
    value = HOLED.value.copy()
    value[:, :, 0] = NAN
    pairwise = settle_missing(Scores(("m",), HOLED.runs, HOLED.topics, value), "pairwise")
    assert pairwise.basis.common_topics == 1
    assert "b has 1 of 2 topics (1 of 2 topics common to all runs; without b 2)" in pairwise.notes[0].text


def test_a_note_names_the_measures_where_they_lack_different_topics() -> None:
    note = settle_missing(two_measures(), "pairwise").notes[0]
    assert "2 scores missing" in note.text
    assert "m: b has 2 of 3 topics; n: a has 2 of 3 topics (1 of 3" in note.text
    value = np.stack([HOLED.value[0] * 0, HOLED.value[0]])
    value[0] = 1.0
    only = settle_missing(Scores(("m", "latency"), HOLED.runs, HOLED.topics, value), "pairwise")
    assert "latency: b has 2 of 3 topics" in only.notes[0].text


def test_a_measure_that_leaves_no_common_topic_is_named() -> None:
    value = np.stack([np.ones((3, 3)), HOLED.value[0]])
    value[1, 1] = NAN
    slow = Scores(("m", "latency"), HOLED.runs, HOLED.topics, value, lower=(False, True))
    said = (
        r"latency: no topic is common to all runs \(b has 0 of 3 topics\); without b 3 topics would be: leave "
        r"runs out by --select, or measures by -m \(without latency 3 topics\)$"
    )  # not zero, which would be the best latency
    with pytest.raises(UsageError, match=said):
        settle_missing(slow, "common")


def test_a_part_says_what_is_missing_in_it() -> None:
    pairwise = settle_missing(two_measures(), "pairwise")
    for whole in (pairwise.select(runs=["c"]), pairwise.select(topics=["3"]), pairwise["m"].select(runs=["a", "c"])):
        assert (whole.basis.missing, whole.basis.common_topics, whole.notes) == (None, None, ())
    (note,) = pairwise["n"].notes
    assert note.text.startswith("1 score missing")
    assert note.text.endswith("a has 2 of 3 topics (2 of 3 topics common to all runs; without a 3)")


def test_only_the_measures_that_are_asked_for_need_a_rule() -> None:
    value = np.stack([np.ones((3, 3)), HOLED.value[0]])
    both = Scores(("m", "latency"), HOLED.runs, HOLED.topics, value, lower=(False, True))
    for asked in (["m"], ["m/standardised"]):
        chosen = as_scores(both, measure=asked, missing="zero")
        assert (chosen.conditions, chosen.basis.missing) == ((asked[0],), None)
        assert as_scores(both, measure=asked, missing="fail").conditions == (asked[0],)
        assert score_analysis(both, measure=asked, missing="zero").basis.missing is None
    with pytest.raises(UsageError, match="of latency lower is better, and 0 would be the best"):
        as_scores(both, missing="zero")
    with pytest.raises(UsageError, match="latency: 1 score missing"):
        as_scores(both, measure=["latency/standardised"], missing="fail")


def test_selected_runs_of_a_file_that_lack_nothing_need_no_rule(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("run,topic,AP\na,1,.1\na,2,.2\nb,1,.3\nb,2,.5\ntiny,1,.2\n")
    read = read_collection(scores=[str(file)], select=["a", "b"])
    scores = as_scores(read, missing="fail")
    assert (scores.basis.missing, scores.notes) == (None, ())


def test_the_best_runs_are_ranked_on_topics_that_all_have() -> None:
    value = np.array([[[0.1, 0.9], [0.2, NAN], [0.3, 0.1]]])  # a is best on average, c on topic 1
    best = as_scores(Scores(("m",), ("a", "b", "c"), ("1", "2"), value), top="1")
    assert best.runs == ("c",)
    assert best.basis.chosen == "best 1 of 3 by m on 1 topic that all have"


def test_a_geometric_mean_has_a_floor_for_what_is_missing() -> None:
    gaps = Scores(("GMAP",), ("a", "b"), ("1", "2"), np.array([[[0.1, 0.2], [0.3, NAN]]]), ("geometric",))
    assert np.isfinite(settle_missing(gaps, "zero").working()).all()


def test_to_settle_twice_is_to_settle_once() -> None:
    for rule in ("zero", "pairwise", "common"):
        once = settle_missing(HOLED, rule)
        again = settle_missing(once, rule)
        assert np.array_equal(again.value, once.value, equal_nan=True)
        assert (again.basis, again.notes, again.topics) == (once.basis, once.notes, once.topics)


def test_without_a_common_topic_the_error_names_the_run_that_costs_most_and_the_ways_out() -> None:
    value = HOLED.value.copy()
    value[0, 1, [0, 2]] = NAN
    value[0, 1, 1] = 0.5
    value[0, 0, 1] = NAN
    apart = Scores(("m",), HOLED.runs, HOLED.topics, value)
    said = (
        r"m: no topic is common to all runs \(b has 1 of 3 topics, a 2\); without b 2 topics would be: "
        "leave runs out by --select, or choose --missing zero"
    )
    with pytest.raises(UsageError, match=said):
        settle_missing(apart, "common")
    with pytest.raises(UsageError, match=said):
        on_common_topics(apart)


def test_what_needs_a_complete_table_says_what_it_leaves_out_once() -> None:
    complete = on_common_topics(settle_missing(HOLED, "pairwise"))
    assert complete.topics == ("1", "3")
    assert [note.code for note in complete.notes] == ["common_topics"]
    assert complete.notes[0].text == (
        "only topics that every run has are used: b has 2 of 3 topics (2 of 3 topics common to all runs; without b 3)"
    )
    assert on_common_topics(complete) is complete


def test_a_file_of_scores_is_read_pairwise_unless_asked_otherwise() -> None:
    table = {"a": {"1": {"AP": 0.5}, "2": {"AP": 0.25}}, "b": {"1": {"AP": 0.75}}}
    assert np.isnan(read_scores(table).value[0, 1, 1])
    assert read_scores(table, missing="zero").value[0, 1, 1] == 0
    assert read_scores(table, missing="common").topics == ("1",)
    with pytest.raises(UsageError, match="1 score missing"):
        read_scores(table, missing="fail")
    with pytest.raises(UsageError, match="empty"):
        read_scores(table, missing="empty")  # type: ignore[arg-type]


def test_standardised_scores_take_a_missing_score_for_0_where_it_counts_as_0() -> None:
    filled = settle_missing(HOLED, "zero").choose(["m/standardised"])
    assert np.array_equal(as_scores(HOLED, measure=["m/standardised"], missing="zero").value, filled.value)


def test_standardised_scores_are_those_of_topics_that_every_run_has() -> None:
    value = np.array([[[0.1, 0.5, 0.3, 0.2], [0.4, NAN, 0.3, 0.9], [0.8, NAN, NAN, 0.4]]])
    holed = Scores(("m",), ("a", "b", "c"), ("1", "2", "3", "4"), value)
    z = holed["m/standardised"]
    assert np.isnan(z.value[0]).tolist() == [[False, True, True, False]] * 3
    column = value[0, :, 3]
    assert z.value[0, :, 3] == pytest.approx((column - column.mean()) / column.std(ddof=1))
    assert {"floored_topics"}.isdisjoint(note.code for note in z.notes)
    chosen = as_scores(holed, measure=["m/standardised"])
    assert chosen.topics == ("1", "4")
    assert (chosen.basis.topics, chosen.basis.topics_left_out, chosen.basis.missing) == (2, 2, None)
    assert noted(chosen.notes, "common_topics").text.startswith(
        "only topics that every run has are used: c has 2 of 4"
    )
    assert np.array_equal(chosen.value, standardize_scores(holed).value)


# --- lists of runs


@pytest.fixture
def judged() -> Judged:
    return judge(read_runs(LISTS), read_qrels(QRELS))


def test_a_missing_list_scores_as_an_empty_one_as_with_trec_eval_c(judged: Judged) -> None:
    zero, pairwise, common = (score(judged, ["AP"], missing=rule) for rule in ("zero", "pairwise", "common"))
    assert zero.value[0].tolist() == [[1, 1, 1, 1], [0.5, 0.5, 0.5, 0], [1, 0, 0, 0]]
    assert zero.mean()[0].tolist() == [1, 1.5 / 4, 1 / 4]  # over all judged topics, as trec_eval -c
    assert np.isnan(pairwise.value[0]).tolist() == [[False] * 4, [False] * 3 + [True], [False] + [True] * 3]
    assert (common.topics, common.basis.topics, common.basis.topics_left_out) == (("1",), 1, 3)
    with pytest.raises(UsageError, match="4 lists missing, the first that of run 'most' for topic 4"):
        score(judged, ["AP"], missing="fail")


def test_the_note_on_missing_lists_names_the_runs(judged: Judged) -> None:
    note = noted(score(judged, ["AP"]).notes, "missing_lists")
    assert note.severity == "warning"  # few has fewer than half of the topics
    assert note.text == "4 lists missing, counted as empty: few has 1 of 4 topics, most 3"
    pairwise = noted(score(judged, ["AP"], missing="pairwise").notes, "missing_lists")
    assert pairwise.text.endswith("few has 1 of 4 topics, most 3 (1 of 4 topics common to all runs; without few 3)")


def test_a_topic_without_relevant_documents_that_is_skipped_is_not_missing() -> None:
    qrels = read_qrels({**QRELS, "4": {"d1": 0}})
    runs = read_runs({"a": LISTS["whole"], "b": LISTS["whole"]})
    assert score_conditions(runs, qrels, ["AP"], undefined="skip", missing="fail").basis.missing is None


def test_only_the_runs_that_are_asked_about_need_their_topics() -> None:
    asked = collection(chosen=("whole", "most"))
    assert as_scores(asked, measure=["AP"], missing="common").topics == ("1", "2", "3")
    assert "few" not in noted(as_scores(asked, measure=["AP"]).notes, "missing_lists").text
    alone = as_scores(collection(chosen=("whole",)), measure=["AP"], missing="fail")
    assert "missing_lists" not in {note.code for note in alone.notes}


def test_the_best_runs_are_chosen_on_common_topics_and_compared_on_their_own() -> None:
    best = as_scores(collection(), measure=["AP"], missing="common", top="2")
    assert best.runs == ("whole", "few")  # on topic 1, the only one that all have, most is worst
    assert best.topics == ("1",)
    two = as_scores(collection(), measure=["AP"], missing="common", drop="1", by="RR")
    assert two.runs == ("whole", "few")
    kept = as_scores(collection(), measure=["AP"], missing="zero", top="2")
    assert (kept.runs, len(kept.topics)) == (("whole", "most"), 4)


def test_kept_runs_bring_back_the_topics_that_only_others_lack() -> None:
    lists = {**LISTS, "few": {"1": {"d2": 1.0}}}  # worst on what all have
    best = as_scores(Collection(read_runs(lists), read_qrels(QRELS)), measure=["AP"], missing="common", top="2")
    assert (best.runs, best.topics) == (("whole", "most"), ("1", "2", "3"))


def test_what_scores_by_itself_gets_runs_and_judgments_of_the_common_topics() -> None:
    whole = collection()
    assert as_collection(whole).qrels.topics == ("1", "2", "3", "4")
    for rule in ("common", "pairwise"):
        common = as_collection(whole, missing=rule)
        assert common.qrels.topics == ("1",)
        assert common.runs.topics == ("1",)
        note = noted(judge(common.runs, common.qrels).notes, "common_topics")
        assert "few has 1 of 4 topics, most 3" in note.text
        assert {"unjudged_topics", "missing_lists"}.isdisjoint(n.code for n in judge(common.runs, common.qrels).notes)
        assert np.array_equal(
            score(judge(common.runs, common.qrels), ["AP"]).value,
            score(judge(whole.runs, whole.qrels), ["AP"], missing="common").value,
        )
    with pytest.raises(UsageError, match="4 lists missing, the first that of run 'most' for topic 4"):
        as_collection(whole, missing="fail")


def test_runs_without_a_common_topic_are_refused_with_the_ways_out() -> None:
    lists = {"a": {"1": {"d1": 1.0}}, "b": {t: {"d1": 1.0} for t in "234"}, "c": LISTS["whole"]}
    apart = Collection(read_runs(lists), read_qrels(QRELS))
    with pytest.raises(UsageError, match=r"no topic is common to all runs \(a has 1 of 4 topics, b 3\); without a 3"):
        settle_lists(apart, "common")
