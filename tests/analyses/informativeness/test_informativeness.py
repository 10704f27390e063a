"""Which measure says most about the ranking: on small collections, and on TREC-8."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from assay.analyses.informativeness.analysis import informativeness
from assay.analyses.informativeness.sentences import most_informative
from assay.cli import main
from assay.core.errors import UsageError
from tests.builders.disagreement import collected
from tests.builders.results import assert_says, informed, left_open, text

RNG = np.random.default_rng(5)
LISTS = {
    run: {
        topic: "".join(str(int(x)) for x in RNG.random(20) < 0.9 / (1 + 0.3 * np.arange(20)))
        for topic in ("1", "2", "3", "4")
    }
    for run in ("a", "b", "c")
}
DATA = collected(LISTS)


def test_a_measure_says_more_than_none_and_the_table_is_consistent() -> None:
    result = informativeness(DATA, measure=["AP", "P@5", "RR", "nDCG", "ERR", "SP"], depth=20)
    rms = dict(result.table.select("measure", "rms").iter_rows())
    assert list(rms) == ["none", "AP", "P@5", "RR", "nDCG", "ERR", "SP"]
    assert rms["AP"] < rms["none"]
    assert rms["SP"] == pytest.approx(rms["AP"], abs=1e-6)  # SP is AP times R, which is known
    reduction = dict(result.table.select("measure", "reduction").iter_rows())
    assert reduction["AP"] == pytest.approx(1 - rms["AP"] / rms["none"])
    topics = result.tables["topics"].filter(measure="AP")
    assert topics["rms"].mean() == pytest.approx(rms["AP"])
    pairs = {
        (a, b): d for a, b, d in result.tables["pairs"].select("measure_a", "measure_b", "difference").iter_rows()
    }
    assert pairs["AP", "RR"] == pytest.approx(rms["AP"] - rms["RR"])
    assert result.tables["curve"].height == 7 * 10
    assert [chart.name for chart in result.charts] == ["curve"]


@pytest.mark.parametrize(
    "name", ["ERR", "ERR(max_rel=3)", "ERR(max_rel=3, stop=0.9)", "ERR(stop=1.0)", "RR@3", "AP@5"]
)
def test_the_expectation_of_a_certain_list_is_its_score_whatever_the_parameters(name: str) -> None:
    rms = dict(informativeness(DATA, measure=[name]).table.select("measure", "rms").iter_rows())
    assert rms[name] < rms["none"]


def test_a_depth_beyond_the_lists_changes_nothing() -> None:
    one, other = (informativeness(DATA, measure=["AP", "RR"], depth=depth).table for depth in (20, 1000))
    assert one.equals(other)


def test_what_is_known_alone_spreads_relevance_evenly() -> None:
    """The row none, by hand: precision is r / n all along."""
    result = informativeness(DATA, measure=["AP"], depth=20)
    by_topic = []
    for topic in ("1", "2", "3", "4"):
        own = []
        for words in LISTS.values():
            hits = [i for i, sign in enumerate(words[topic], start=1) if sign == "1"]
            if hits:
                gaps = [c / i - len(hits) / 20 for c, i in enumerate(hits, start=1)]
                own.append(np.sqrt(np.mean(np.square(gaps))))
        by_topic.append(np.mean(own))
    (row,) = result.table.filter(measure="none").iter_rows(named=True)
    assert row["rms"] == pytest.approx(np.mean(by_topic))


def test_grades_are_taken_as_relevant_or_not() -> None:
    graded = collected({"a": {"1": "2100", "2": "0102"}, "b": {"1": "0010", "2": "1000"}})
    binary = collected({"a": {"1": "1100", "2": "0101"}, "b": {"1": "0010", "2": "1000"}})
    one, other = (informativeness(data, measure=["AP"], depth=4) for data in (graded, binary))
    assert one.table["rms"].to_list() == pytest.approx(other.table["rms"].to_list())
    assert "binary_relevance" in [note.code for note in one.notes]
    strict = informativeness(graded, measure=["AP"], depth=4, rel=2)
    assert strict.table["n_lists"][0] == 2


def test_one_relevant_document_is_inferred_from_its_score() -> None:
    single = collected({"a": {"1": "0100", "2": "1000"}, "b": {"1": "0010", "2": "0001"}})
    result = informativeness(single, measure=["AP", "RR"], depth=4)
    assert result.table["n_lists"].to_list() == [4, 4, 4]
    assert result.table["rms"].null_count() == 0


def test_a_measure_that_is_significantly_ahead_of_all_others_is_named() -> None:
    said = most_informative(informed({"RR": 0.3, "AP": 0.131, "P@10": 0.21}, best=["AP"]))
    assert_says(said, "Report AP where", "it says most", "0.131", "0.081 to 0.181")


def test_measures_that_may_be_best_are_named_the_lowest_error_first() -> None:
    rms = {"AP": 0.132, "nDCG": 0.131, "RBP": 0.14, "P@10": 0.15, "R": 0.16, "RR": 0.3}
    said = most_informative(informed(rms, best=["AP", "nDCG", "RBP", "P@10", "R"]))
    assert_says(said, "nDCG, AP, RBP, P@10 or R", "one of them says most", "0.131")
    assert len(text(said).split()) <= 25
    assert "RR" not in text(said)
    every = most_informative(informed({"AP": 0.132, "RR": 0.131}, best=["AP", "RR"]))
    assert left_open(every) == ["which of 2 measures says most about the whole ranking"]


def test_of_one_measure_its_error_is_stated_and_no_comparison() -> None:
    result = informativeness(DATA, measure=["AP"], depth=20)
    assert result.text.startswith("AP predicts the recall-precision curve with an error of ")
    assert most_informative(informed({"AP": 0.1}, best=["AP"])) is None


def test_the_best_of_two_by_hand_is_who_a_one_tailed_t_test_does_not_exclude() -> None:
    for one, other in (("AP", "P@5"), ("AP", "RR"), ("P@5", "RR")):
        result = informativeness(DATA, measure=[one, other], depth=20)
        by_topic = [result.tables["topics"].filter(measure=m)["rms"].to_numpy() for m in (one, other)]
        marked = dict(result.table.select("measure", "best").iter_rows())
        assert marked["none"] is None
        for m, own, rival in ((one, *by_topic), (other, *by_topic[::-1])):
            p = stats.ttest_rel(own, rival, alternative="greater").pvalue
            assert abs(p - 0.05) > 0.01  # so that the error of 4,000 draws decides nothing
            assert marked[m] is bool(p >= 0.05)


def test_measures_that_are_the_same_but_for_rounding_may_both_be_best() -> None:
    marked = dict(informativeness(DATA, measure=["AP", "SP"], depth=20).table.select("measure", "best").iter_rows())
    assert marked["AP"]
    assert marked["SP"]


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"measure": ["Bpref"]}, "Bpref is not a sum of weights over relevant documents"),
        ({"measure": ["AP(rel=2)"]}, "--rel for the grade"),
        ({"lists": 0}, "lists 0 is not a whole number from 2 up"),
        ({"lists": 1}, "lists 1 is not a whole number from 2 up"),
        ({"depth": 0}, "depth 0 is not a whole number"),
        ({"rel": 3}, "no list holds a relevant document"),
    ],
)
def test_nonsense_is_refused(settings: dict[str, object], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        informativeness(DATA, **settings)


def test_one_topic_is_refused() -> None:
    with pytest.raises(UsageError, match="one topic has no interval"):
        informativeness(collected({"a": {"1": "10"}, "b": {"1": "01"}}), measure=["AP"])


def test_a_sample_takes_as_many_lists_of_each_topic() -> None:
    result = informativeness(DATA, measure=["AP"], lists=4, depth=20)
    assert result.tables["topics"].filter(measure="AP")["n_lists"].to_list() == [1, 1, 1, 1]
    assert "sampled_lists" in [note.code for note in result.notes]


@pytest.mark.slow
def test_on_trec_8_ap_says_more_than_precision_and_reciprocal_rank(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """aslam2005: AP infers the curve best, R-precision next, precision at a cutoff worse."""
    folder = data / "trec8-adhoc"
    words = ["informativeness", str(folder / "runs"), "--qrels", str(folder / "qrels.gz"), "--lists", "50"]
    measures = [word for m in ("AP", "Rprec", "P@10", "RR") for word in ("-m", m)]
    assert main([*words, *measures, "--format", "json"]) == 0
    rms = {row["measure"]: row["rms"] for row in json.loads(capsys.readouterr().out)["table"]}
    assert rms["AP"] < rms["Rprec"] < rms["P@10"] < rms["RR"] < rms["none"]
