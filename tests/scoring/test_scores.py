"""Scores: policies for undefined topics, averages and long tables."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
import scipy.stats

from assay.core.errors import MeasureError, UsageError
from assay.core.notes import Note
from assay.data.judged import MISSING_LISTS, Judged, judge
from assay.data.provenance import Basis
from assay.data.read import read_qrels, read_runs
from assay.scoring.engine import score
from assay.scoring.scores import Scores
from tests.builders.two_runs import two_runs


@pytest.fixture
def judged() -> Judged:
    return two_runs()


def made(value: Any, **settings: Any) -> Scores:
    value = np.asarray(value, dtype=np.float64)
    conditions, runs, topics = (
        tuple(f"{letter}{i}" for i in range(n)) for letter, n in zip("crt", value.shape, strict=True)
    )
    return Scores(conditions, runs, topics, value, **settings)


def test_a_score_stands_where_its_measure_run_and_topic_meet(judged: Judged) -> None:
    scores = score(judged, ["RR", "P@1"])
    assert (scores.conditions, scores.runs, scores.topics) == (("RR", "P@1"), ("x", "y"), ("1", "2", "3", "4"))
    assert scores.value.tolist() == [
        [[1.0, 0.5, 0.0, 0.0], [0.5, 1.0, 0.0, 1.0]],
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0]],
    ]


def test_a_topic_without_relevant_documents_counts_as_zero_or_is_skipped(judged: Judged) -> None:
    zero, skip = (score(judged, ["AP", "RR"], undefined=rule) for rule in ("zero", "skip"))
    assert zero.value[:, :, 2].tolist() == [[0.0, 0.0]] * 2
    assert np.isnan(skip.value[:, :, 2]).all()
    assert not np.isnan(np.delete(skip.value, 2, axis=-1)).any()
    assert skip.mean()[0] == pytest.approx(zero.mean()[0] * 4 / 3)
    assert zero.basis.undefined == "zero"
    text = "1 topic without a relevant document; undefined scores there"
    assert zero.notes[-1] == Note("empty_topics", "caution", f"{text} count as 0")
    assert skip.notes[-1] == Note("empty_topics", "caution", f"{text} have no score")


def test_a_topic_that_a_run_misses_counts_as_an_empty_list_or_is_skipped(judged: Judged) -> None:
    empty, skip = (score(judged, ["AP", "RR"], missing=rule) for rule in ("empty", "skip"))
    assert empty.value[:, 0, 3].tolist() == [0.0, 0.0]
    assert np.argwhere(np.isnan(skip.value)).tolist() == [[0, 0, 3], [1, 0, 3]]
    assert np.array_equal(np.nan_to_num(skip.value), empty.value)
    assert skip.basis.missing == "skip"
    for scores, policy in ((skip, "without a score"), (empty, "counted as empty")):
        text = f"1 list missing, {policy} (1 run lacking judged topics)"
        assert Note(MISSING_LISTS, "caution", text) in scores.notes


def test_what_is_relevant_depends_on_the_measure(judged: Judged) -> None:
    scores = score(judged, ["AP", "AP(rel=2)"], undefined="skip")
    assert np.isnan(scores.value[1, 0]).tolist() == [False, True, True, True]
    assert scores.notes[-1].code == "empty_topics"
    assert scores.notes[-1].text.startswith("3 topics without a relevant document of grade 2 or higher")


def test_gmap_of_an_undefined_topic_is_its_floor_and_not_zero(judged: Judged) -> None:
    scores = score(judged, ["GMAP"])
    # trec_eval: exp of the mean of log(max(AP, 0.00001)); AP of run y is 0.5, 1, 0, 1
    assert scores.mean()[0, 1] == pytest.approx(np.exp(np.log([0.5, 1.0, 1e-5, 1.0]).mean()), rel=1e-12)


def test_counts_are_summed(judged: Judged) -> None:
    assert score(judged, ["NumRet", "NumRel"]).mean().tolist() == [[5.0, 5.0], [3.0, 3.0]]


def test_no_measure_a_repeated_one_and_a_misspelt_policy_are_errors(judged: Judged) -> None:
    with pytest.raises(UsageError, match="no measure to score with"):
        score(judged, [])
    with pytest.raises(UsageError, match=r"measure P@5 is asked for twice"):
        score(judged, ["P@5", "P_5"])
    with pytest.raises(UsageError, match="undefined: 'skipp' is not one of zero, skip; did you mean 'skip'"):
        score(judged, ["AP"], undefined=cast(Any, "skipp"))
    with pytest.raises(MeasureError, match=r"(?i)no measure 'NDGC'; did you mean 'nDCG'"):
        score(judged, ["NDGC@10"])


def test_averages_are_means_geometric_means_or_sums_of_what_is_there() -> None:
    value = [[[0.1, 0.4, np.nan, 0.5]]] * 3
    scores = made(value, averages=("mean", "geometric", "sum"))
    expected = [np.mean([0.1, 0.4, 0.5]), scipy.stats.gmean([0.1, 0.4, 0.5]), 1.0]
    assert scores.mean()[:, 0] == pytest.approx(expected, rel=1e-12)
    assert made(value[:1]).mean()[0, 0] == pytest.approx(expected[0], rel=1e-12)


def test_the_mean_of_nothing_is_nothing() -> None:
    scores = made([[[np.nan, np.nan]], [[1.0, 2.0]]], averages=("mean", "sum"))
    assert np.isnan(scores.mean()[0, 0])
    assert scores.mean()[1, 0] == 3.0


def test_a_long_frame_has_a_row_for_every_score_and_null_where_there_is_none() -> None:
    scores = made([[[1.0, np.nan], [2.0, 3.0]], [[4.0, 5.0], [6.0, 0.1 + 0.2]]])
    frame = scores.frame()
    assert frame.columns == ["run", "topic", "measure", "value"]
    assert frame.rows() == [
        ("r0", "t0", "c0", 1.0),
        ("r0", "t0", "c1", 4.0),
        ("r0", "t1", "c0", None),
        ("r0", "t1", "c1", 5.0),
        ("r1", "t0", "c0", 2.0),
        ("r1", "t0", "c1", 6.0),
        ("r1", "t1", "c0", 3.0),
        ("r1", "t1", "c1", 0.1 + 0.2),
    ]


def test_chosen_runs_topics_and_measures_come_in_the_order_asked_for() -> None:
    scores = made(np.arange(12.0).reshape(2, 2, 3), averages=("mean", "sum"), basis=Basis(runs=2, topics=3))
    chosen = scores.select(runs=["r1"], topics=["t2", "t0"])
    assert chosen.value.tolist() == [[[5.0, 3.0]], [[11.0, 9.0]]]
    assert chosen.basis == Basis(runs=1, topics=2)
    turned = scores.choose(["c1", "c0"])
    assert (turned.conditions, turned.averages) == (("c1", "c0"), ("sum", "mean"))
    assert turned.value.tolist() == scores.value[::-1].tolist()
    assert scores.choose([]) is scores
    with pytest.raises(UsageError, match=r"no measure 'zz' \(there is c0, c1\)$"):
        scores.choose(["zz"])
    many = made(np.zeros((9, 1, 1)))
    with pytest.raises(UsageError, match=r"no measure 'zz' \(there is c0, c1, c2, c3, c4, c5, \.\.\.\)$"):
        many.choose(["zz"])


def test_measures_are_chosen_by_any_of_their_names(judged: Judged) -> None:
    scores = score(judged, ["AP", "P@10"])
    assert scores.choose(["P_10", "map"]).conditions == ("P@10", "AP")


def test_a_label_prints_the_parameters_that_were_stated_and_is_found_under_any_spelling(judged: Judged) -> None:
    scores = score(judged, ["RBP(rel=1, p=.80)", "P(rel=1)@1", "AP"])
    assert scores.conditions == ("RBP(p=0.8, rel=1)", "P(rel=1)@1", "AP")
    assert scores.choose(["P_1", "RBP(rel=1)"]).conditions == ("P(rel=1)@1", "RBP(p=0.8, rel=1)")
    plain = score(judged, ["RBP", "AP"])
    assert plain.choose(["RBP(p=0.8)"]).conditions == ("RBP",)
    with pytest.raises(UsageError, match=r"measure 'RBP' is asked for 2 times$"):
        plain.choose(["RBP", "RBP(p=0.8)"])


def test_two_spellings_of_one_measure_are_one_measure_asked_for_twice(judged: Judged) -> None:
    with pytest.raises(UsageError, match=r"measure RBP\(p=0\.8\) is asked for twice$"):
        score(judged, ["RBP", "RBP(p=0.8)"])


def _lists(grades: dict[str, int]) -> Judged:
    runs = {"long": {"t": {f"d{i}": 9.0 - i for i in range(6)}}, "short": {"t": {"d0": 2.0, "d1": 1.0}}}
    return judge(read_runs(runs), read_qrels({"t": grades}))


def test_where_most_ranked_documents_are_unjudged_a_measure_of_all_pairs_asks_for_the_size_of_the_collection() -> (
    None
):
    notes = {note.code: note for note in score(_lists({"d0": 1, "d1": 0}), ["AUC", "AUC(n_docs=9)"]).notes}
    note = notes["collection_size"]
    assert note.severity == "warning"
    assert "AUC: 66.7% of the ranked non-relevant documents are unjudged" in note.text  # 4 of 6, two of them judged
    assert "AUC(n_docs=N)" in note.text
    few = score(_lists({"d0": 1, "d1": 0, "d2": 0, "d3": 0, "d4": 0}), ["Specificity@5"]).notes
    assert "collection_size" not in [note.code for note in few]
    some = score(_lists({"d0": 1, "d1": 0, "d2": 0, "d3": 0, "d4": 0}), ["AUC"]).notes
    assert [note.severity for note in some if note.code == "collection_size"] == ["caution"]


def test_scores_that_are_undefined_though_documents_are_relevant_are_counted() -> None:
    scores = score(_lists({f"d{i}": 1 for i in range(6)}), ["AUC", "AP"])
    (note,) = (note for note in scores.notes if note.code == "undefined_scores")
    assert note.text.startswith("AUC: 2 of 2 scores undefined, though something is relevant (1 topic)")
    assert "count as 0" in note.text
    assert scores.value[0].tolist() == [[0.0], [0.0]]
