"""Scores: policies for undefined topics, averages and long tables."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, cast

import ir_measures
import numpy as np
import pandas as pd
import pytest
import scipy.stats

from assay.core.errors import AssayError, MeasureError, UsageError
from assay.core.notes import Note
from assay.data.judged import Judged, judge
from assay.data.provenance import Basis
from assay.data.read import read_qrels, read_runs
from assay.scoring.conditions import score_conditions
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


def test_a_topic_that_a_run_misses_counts_as_an_empty_list_or_has_no_score(judged: Judged) -> None:
    zero, pairwise = (score(judged, ["AP", "RR"], missing=rule) for rule in ("zero", "pairwise"))
    assert zero.value[:, 0, 3].tolist() == [0.0, 0.0]
    assert np.argwhere(np.isnan(pairwise.value)).tolist() == [[0, 0, 3], [1, 0, 3]]
    assert np.array_equal(np.nan_to_num(pairwise.value), zero.value)
    assert (zero.basis.missing, pairwise.basis.missing) == ("zero", "pairwise")
    for scores, effect in ((pairwise, "each comparison uses the topics that both runs have"), (zero, "counted as")):
        (note,) = [note for note in scores.notes if note.code == "missing_lists"]
        assert note.severity == "caution"
        assert note.text.startswith(f"1 list missing, {effect}")
        assert "x has 3 of 4 topics" in note.text


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


# comfort in Python


def test_runs_and_judgments_are_scored_without_joining_them_first(judged: Judged) -> None:
    runs, qrels = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}, {"1": {"b": 1}, "2": {"c": 2}}
    joined = score(judge(read_runs(runs), read_qrels(qrels)), ["AP", "RR"])
    for given in ((runs, qrels), (read_runs(runs), read_qrels(qrels)), (read_runs(runs), qrels)):
        scores = cast(Any, score)(*given, ["AP", "RR"])
        assert scores.frame().equals(joined.frame())
        assert scores.basis == joined.basis
    assert score(runs, qrels, "AP/pool=1").conditions == ("AP/pool=1",)
    assert score(runs, qrels=qrels, measures=["AP"]).conditions == ("AP",)
    assert score(judged, measures="AP").conditions == ("AP",)


def test_measures_of_ir_measures_are_measures(judged: Judged) -> None:
    wanted = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2), ir_measures.P @ 1]
    scores = score(judged, wanted)
    assert scores.conditions == ("nDCG@10", "AP(rel=2)", "P@1")
    assert score(judged, ir_measures.RR).conditions == ("RR",)
    assert scores[ir_measures.P @ 1].conditions == ("P@1",)
    assert ir_measures.nDCG @ 10 in scores
    runs, qrels = read_runs({"1": {"a": 1.0}}), read_qrels({"1": {"a": 1}})
    assert score_conditions(runs, qrels, [ir_measures.AP]).conditions == ("AP",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((5,), "5 is not a measure, such as 'nDCG@10', nor a list of them"),
        (([5],), "5 is not a measure, such as 'nDCG@10'"),
        (([None],), "None is not a measure"),
        ((), "score takes judged runs and measures, as in score(judged, ['AP'])"),
        (({"1": {"a": 1}}, "AP"), "score takes judged runs and measures"),
    ],
)
def test_what_cannot_be_scored_is_an_error_of_our_own_kind(
    given: tuple[Any, ...], message: str, judged: Judged
) -> None:
    with pytest.raises(AssayError) as caught:
        cast(Any, score)(judged, *given)
    assert message in str(caught.value)


def test_runs_without_judgments_are_an_error_that_says_what_is_needed() -> None:
    with pytest.raises(UsageError, match=r"score\(runs, qrels, \['AP'\]\)"):
        cast(Any, score)({"1": {"a": 1.0}}, ["AP"])
    with pytest.raises(UsageError, match="judge takes Runs and Qrels, not dict and int; read_runs and read_qrels"):
        judge(cast(Any, {}), cast(Any, 2))


def test_one_measure_or_some_are_picked_as_from_a_mapping(judged: Judged) -> None:
    scores = score(judged, ["AP", "P@10", "RR"])
    assert scores["map"].conditions == ("AP",)
    assert scores["RR", "AP"].conditions == scores[["RR", "AP"]].conditions == ("RR", "AP")
    assert list(scores) == ["AP", "P@10", "RR"]
    assert "P_10" in scores
    assert "P@5" not in scores
    assert 5 not in scores
    with pytest.raises(UsageError, match=r"no measure 'NDCG' \(there is AP, P@10, RR\)$"):
        scores["NDCG"]
    with pytest.raises(UsageError, match="no measure is named"):
        scores[[]]


def test_means_are_a_table_with_a_row_per_run(judged: Judged) -> None:
    scores = score(judged, ["AP", "NumRet"])
    means = scores.means()
    assert means.columns == ["run", "AP", "NumRet"]
    assert means["run"].to_list() == list(scores.runs)
    assert means["AP"].to_list() == scores.mean()[0].tolist()
    assert means["NumRet"].to_list() == [5.0, 5.0]
    assert made([[[np.nan]]]).means().rows() == [("r0", None)]


def test_a_wide_table_has_a_row_per_run_and_topic(judged: Judged) -> None:
    scores = score(judged, ["RR", "P@1"])
    expected = scores.frame().pivot("measure", index=["run", "topic"], values="value")
    assert scores.wide().equals(expected)
    odd = Scores(("run", "topic"), ("a",), ("1",), np.array([[[0.5]], [[np.nan]]]))
    assert odd.wide().rows(named=True) == [{"run": "a", "topic": "1", "run (measure)": 0.5, "topic (measure)": None}]


WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None
import numpy as np, polars as pl
import assay
scores = assay.Scores(("c",), ("r",), ("1", "2"), np.array([[[1.0, np.nan]]]))
frame = scores.to_pandas()
print(frame.to_dict("list"), frame["value"].dtype)
print(assay.Result("toy", scores.frame()).to_pandas().equals(frame))
"""


def test_scores_and_results_become_frames_of_pandas_without_pyarrow() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True, check=True)
    expected = "{'run': ['r', 'r'], 'topic': ['1', '2'], 'measure': ['c', 'c'], 'value': [1.0, nan]} float64"
    assert done.stdout.splitlines() == [expected, "True"]


def test_a_frame_of_pandas_is_that_of_polars_and_needs_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = made([[[1.0, np.nan], [2.0, 3.0]]])
    pd.testing.assert_frame_equal(scores.to_pandas(), scores.frame().to_pandas(), check_dtype=False)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pandas is not installed"):
        scores.to_pandas()
