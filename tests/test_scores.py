"""Scores: policies for undefined topics, averages, long tables, and the means that `assay score` reports."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
import scipy.stats

from assay.analyses.score import score as report
from assay.errors import MeasureError, UsageError
from assay.judged import Judged, judge
from assay.scores import Scores, score
from assay.tables import Runs
from assay.trec import listing_from_bytes, qrels_from_bytes

# topic 1: relevant at rank 1; topic 2: at rank 2; topic 3: nothing relevant; topic 4: missing from run x
RUN_X = b"1 Q0 a 1 9 x\n1 Q0 b 1 8 x\n2 Q0 b 1 9 x\n2 Q0 a 1 8 x\n3 Q0 a 1 9 x\n"
RUN_Y = b"1 Q0 b 1 9 y\n1 Q0 a 1 8 y\n2 Q0 a 1 9 y\n3 Q0 b 1 9 y\n4 Q0 a 1 9 y\n"
QRELS = b"1 0 a 2\n1 0 b 0\n2 0 a 1\n3 0 a 0\n4 0 a 1\n"


@pytest.fixture
def judged() -> Judged:
    listings = [listing_from_bytes(RUN_X, "x"), listing_from_bytes(RUN_Y, "y")]
    return judge(Runs.build(listings), qrels_from_bytes(QRELS, "qrels"))


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
    assert zero.basis["undefined"] == "zero"
    assert zero.notes[-1] == "1 topic without a relevant document; undefined scores there count as 0"
    assert skip.notes[-1] == "1 topic without a relevant document; undefined scores there have no score"


def test_a_topic_that_a_run_misses_counts_as_an_empty_list_or_is_skipped(judged: Judged) -> None:
    empty, skip = (score(judged, ["AP", "RR"], missing=rule) for rule in ("empty", "skip"))
    assert empty.value[:, 0, 3].tolist() == [0.0, 0.0]
    assert np.argwhere(np.isnan(skip.value)).tolist() == [[0, 0, 3], [1, 0, 3]]
    assert np.array_equal(np.nan_to_num(skip.value), empty.value)
    assert skip.basis["missing"] == "skip"
    assert "1 list missing, without a score (1 run lacking judged topics)" in skip.notes
    assert "1 list missing, counted as empty (1 run lacking judged topics)" in empty.notes


def test_bounds_of_missing_lists_are_refused(judged: Judged) -> None:
    with pytest.raises(UsageError, match="does not go with --missing skip"):
        report(judged, measure=["AP"], residuals=True, missing="skip")


def test_what_is_relevant_depends_on_the_measure(judged: Judged) -> None:
    scores = score(judged, ["AP", "AP(rel=2)"], undefined="skip")
    assert np.isnan(scores.value[1, 0]).tolist() == [False, True, True, True]
    assert scores.notes[-1] == (
        "3 topics without a relevant document of grade 2 or higher; undefined scores there have no score"
    )


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
    scores = made(np.arange(12.0).reshape(2, 2, 3), averages=("mean", "sum"), basis={"runs": 2, "topics": 3})
    chosen = scores.select(runs=["r1"], topics=["t2", "t0"])
    assert chosen.value.tolist() == [[[5.0, 3.0]], [[11.0, 9.0]]]
    assert chosen.basis == {"runs": 1, "topics": 2}
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


def test_the_report_has_a_row_for_every_run_and_measure_in_the_order_asked_for(judged: Judged) -> None:
    result = report(judged, measure=["RR", "AP"])
    assert result.table.columns == ["run", "measure", "mean", "low", "high"]
    assert result.table.select("run", "measure").rows() == [("x", "RR"), ("x", "AP"), ("y", "RR"), ("y", "AP")]
    assert result.settings == {"interval": "t", "level": 0.95}
    assert result.notes[0] == "1 list missing, counted as empty (1 run lacking judged topics)"


def test_the_reports_interval_is_students(judged: Judged) -> None:
    row = report(judged, measure=["RR"], level=0.9).table.row(1, named=True)
    expected = scipy.stats.ttest_1samp([0.5, 1.0, 0.0, 1.0], 0.0).confidence_interval(0.9)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), rel=1e-10)


def test_the_interval_of_a_geometric_mean_is_that_of_the_logarithms(judged: Judged) -> None:
    row = report(judged, measure=["GMAP"]).table.row(1, named=True)
    logs = np.log([0.5, 1.0, 1e-5, 1.0])
    expected = scipy.stats.ttest_1samp(logs, 0.0).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.exp(expected)), rel=1e-9)


def test_the_interval_of_a_sum_is_that_of_the_mean_times_the_topics(judged: Judged) -> None:
    row = report(judged, measure=["NumRet"]).table.row(0, named=True)
    expected = scipy.stats.ttest_1samp([2.0, 2.0, 1.0, 0.0], 0.0).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((4 * expected.low, 4 * expected.high), rel=1e-10)


def test_a_bootstrap_with_the_same_seed_is_the_same_and_says_its_seed(judged: Judged) -> None:
    first, again, other = (
        report(judged, measure=["RR"], interval="bootstrap", resamples=300, rng=seed) for seed in (1, 1, 2)
    )
    assert first.table.equals(again.table)
    assert not first.table.equals(other.table)
    assert first.settings == {"interval": "bootstrap", "level": 0.95, "resamples": 300, "rng": 1}


@pytest.mark.parametrize("interval", ["t", "bootstrap"])
def test_one_topic_has_a_mean_and_no_interval(judged: Judged, interval: Any) -> None:
    result = report(judged.select(topics=["2"]), measure=["RR"], interval=interval, resamples=50)
    rows = result.to_dict()["table"]
    assert rows[0] == {"run": "x", "measure": "RR", "mean": 0.5, "low": None, "high": None}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"level": 0.0}, "level 0 is not between 0 and 1, such as 0.95"),
        ({"level": 1.0}, "level 1 is not between 0 and 1, such as 0.95"),
        ({"level": 95.0}, "level 95 is not between 0 and 1; did you mean 0.95?"),
        ({"level": float("nan")}, "level nan is not between 0 and 1, such as 0.95"),
        ({"interval": "bootstrap", "resamples": 0}, "resamples 0 is not a whole number from 1 up, such as 10000"),
        ({"interval": "bootstrap", "rng": -1}, "rng -1 is not a whole number from 0 up, such as 0"),
        ({"interval": "boot"}, "interval: 'boot' is not one of t, bootstrap; did you mean 'bootstrap'?"),
    ],
)
def test_a_setting_that_makes_no_sense_is_one_line(judged: Judged, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as problem:
        report(judged, measure=["RR"], **settings)
    assert str(problem.value) == message


def test_scores_of_another_tool_are_reported_as_they_are() -> None:
    scores = made([[[1.0, 2.0, 3.0]], [[5.0, 5.0, 5.0]]])
    assert report(scores).table["mean"].to_list() == [2.0, 5.0]
    assert report(scores, measure=["c1"]).table["measure"].to_list() == ["c1"]
