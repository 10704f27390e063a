"""What `assay score` reports: means with their intervals, settings that cannot be, scores of other tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats

from assay.analyses.score.analysis import score
from assay.core.errors import UsageError
from assay.data.judged import Collection, Judged
from assay.data.rankings import Rankings
from assay.data.read import read_qrels, read_runs
from assay.data.tables import UNJUDGED
from assay.measures.grammar import parse
from assay.scoring.scores import Scores
from tests.builders.two_runs import two_runs


@pytest.fixture
def judged() -> Judged:
    return two_runs()


def test_bounds_of_missing_lists_are_refused(judged: Judged) -> None:
    with pytest.raises(UsageError, match="does not go with --missing pairwise"):
        score(judged, measure=["AP"], residuals=True, missing="pairwise")


def test_runs_are_ranked_by_the_first_measure_with_a_column_for_each(judged: Judged) -> None:
    result = score(judged, measure=["RR", "AP"])
    assert result.table.columns == ["rank", "run", "RR", "low", "high", "tier", "may_be_best", "AP"]
    assert result.table["rank"].to_list() == [1, 2]
    assert result.table["RR"].is_sorted(descending=True)
    means = {(row["run"], row["measure"]): row["mean"] for row in result.tables["long"].to_dicts()}
    assert means == {(row["run"], m): row[m] for row in result.table.to_dicts() for m in ("RR", "AP")}


def test_the_first_of_a_measure_whose_lowest_score_is_best_has_the_lowest() -> None:
    scores = Scores(("latency",), ("slow", "fast"), ("1", "2"), np.array([[[9.0, 8.0], [2.0, 1.0]]]), lower=(True,))
    assert score(scores).table["run"].to_list() == ["fast", "slow"]


def test_a_measure_may_be_named_like_a_column() -> None:
    names = ("low", "run", "run run", "tier")
    table = score(Scores(names, ("a", "b"), ("1", "2"), np.random.default_rng(0).random((4, 2, 2)))).table
    assert table.columns == [
        "rank",
        "run",
        "low low",
        "low",
        "high",
        "tier",
        "may_be_best",
        "run run run",
        "run run",
        "tier tier",
    ]


def test_the_bounds_beside_a_rank_are_those_of_the_first_measure(judged: Judged) -> None:
    result = score(judged, measure=["RBP", "AP"], residuals=True)
    of_first = result.tables["long"].filter(pl.col("measure") == "RBP")
    for name in ("residual", "least", "most"):
        assert dict(result.table.select("run", name).rows()) == dict(of_first.select("run", name).rows())


def test_the_long_table_has_a_row_for_every_run_and_measure_in_the_order_asked_for(judged: Judged) -> None:
    result = score(judged, measure=["RR", "AP"])
    table = result.tables["long"]
    assert table.columns == ["run", "measure", "mean", "low", "high", "n_topics"]
    assert table.select("run", "measure").rows() == [("x", "RR"), ("x", "AP"), ("y", "RR"), ("y", "AP")]
    assert result.settings == {"interval": "t", "level": 0.95, "rng": 0}
    assert result.notes[0].code == "missing_lists"


def test_the_interval_is_students(judged: Judged) -> None:
    row = score(judged, measure=["RR"], level=0.9).tables["long"].row(1, named=True)
    expected = scipy.stats.ttest_1samp([0.5, 1.0, 0.0, 1.0], 0.0).confidence_interval(0.9)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), rel=1e-10)


def test_the_interval_of_a_geometric_mean_is_that_of_the_logarithms(judged: Judged) -> None:
    row = score(judged, measure=["GMAP"]).tables["long"].row(1, named=True)
    logs = np.log([0.5, 1.0, 1e-5, 1.0])
    expected = scipy.stats.ttest_1samp(logs, 0.0).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.exp(expected)), rel=1e-9)


def test_the_interval_of_a_sum_is_that_of_the_mean_times_the_topics(judged: Judged) -> None:
    row = score(judged, measure=["NumRet"]).tables["long"].row(0, named=True)
    expected = scipy.stats.ttest_1samp([2.0, 2.0, 1.0, 0.0], 0.0).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((4 * expected.low, 4 * expected.high), rel=1e-10)


def test_a_bootstrap_with_the_same_seed_is_the_same_and_says_its_seed(judged: Judged) -> None:
    first, again, other = (
        score(judged, measure=["RR"], interval="bootstrap", resamples=300, rng=seed) for seed in (1, 1, 2)
    )
    assert first.table.equals(again.table)
    assert not first.table.equals(other.table)
    assert first.settings == {"interval": "bootstrap", "level": 0.95, "resamples": 300, "rng": 1}


@pytest.mark.parametrize("interval", ["t", "bootstrap"])
def test_one_topic_has_a_mean_and_no_interval(judged: Judged, interval: Any) -> None:
    result = score(judged.select(topics=["2"]), measure=["RR"], interval=interval, resamples=50)
    rows = result.to_dict()["tables"]["long"]
    assert rows[0] == {"run": "x", "measure": "RR", "mean": 0.5, "low": None, "high": None, "n_topics": 1}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"level": 0.0}, "level 0 is not between 0 and 1, such as 0.95"),
        ({"level": 1.0}, "level 1 is not between 0 and 1, such as 0.95"),
        ({"level": 95.0}, "level 95 is not between 0 and 1; did you mean 0.95?"),
        ({"level": float("nan")}, "level nan is not between 0 and 1, such as 0.95"),
        ({"interval": "bootstrap", "resamples": 0}, "resamples 0 is not a whole number from 1 up, such as 10000"),
        ({"interval": "bootstrap", "rng": -1}, "rng -1 is not a whole number from 0 up, such as 0"),
        ({"tail": "empty"}, "--tail empty says what follows the end of a list, for the residual; add --residuals"),
        ({"interval": "boot"}, "interval: 'boot' is not one of t, bootstrap; did you mean 'bootstrap'?"),
    ],
)
def test_a_setting_that_makes_no_sense_is_one_line(judged: Judged, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as problem:
        score(judged, measure=["RR"], **settings)
    assert str(problem.value) == message


def test_scores_of_another_tool_are_shown_as_they_are() -> None:
    scores = Scores(("c0", "c1"), ("r",), ("1", "2", "3"), np.array([[[1.0, 2.0, 3.0]], [[5.0, 5.0, 5.0]]]))
    assert score(scores).tables["long"]["mean"].to_list() == [2.0, 5.0]
    assert score(scores, measure=["c1"]).tables["long"]["measure"].to_list() == ["c1"]


# run -> its ranking on one topic; d1, d2, ... are judged, u1, u2, ... are not
LISTS = {
    "a": ["d1", "u1", "d2", "d3", "d4", "u2"],
    "b": ["d4", "d2", "u3", "d5"],
    "c": ["d6", "d1", "d5", "u1", "d3"],
}
GRADES = {"d1": 1, "d2": 0, "d3": 2, "d4": 1, "d5": 0, "d6": 2, "d7": 1}
BOUNDED = [
    "AP",
    "AP@3",
    "aAP@2",
    "P@3",
    "R@4",
    "aR@2",
    "nDCG",
    "nDCG@3",
    "enDCG@2",
    "DCG@3",
    "RBP@3",
    "nRBP@3",
    "enRBP@2",
    "ERR@3",
    "RR",
    "Rprec",
    "Q@3",
]


def tiny(top: int) -> Collection:
    runs = read_runs({run: {"1": {doc: -float(i) for i, doc in enumerate(docs)}} for run, docs in LISTS.items()})
    return Collection(runs, read_qrels({"1": {doc: min(grade, top) for doc, grade in GRADES.items()}}))


def every_completion(run: str, name: str, pool: int, contributors: Sequence[str], top: int) -> list[float]:
    """Score a run under all grades that documents outside the pool, or without a judgment, might turn out to have."""
    pooled = {doc for other in contributors for doc in LISTS[other][:pool]}
    known = {doc: min(grade, top) for doc, grade in GRADES.items() if doc in pooled}
    m = parse(name)
    seen = LISTS[run][: m.cutoff]
    unjudged = [doc for doc in seen if doc not in known]
    scores = []
    for labels in product(range(top + 1), repeat=len(unjudged)):
        graded = known | dict(zip(unjudged, labels, strict=True))
        counts = [[sum(grade == g for grade in graded.values()) for g in range(top + 1)]]
        ranked = [[graded.get(doc, UNJUDGED) for doc in LISTS[run]]]
        scores += m.compute(Rankings(np.array(ranked, dtype=np.int8), np.array(counts), top)).tolist()
    return [0.0 if np.isnan(value) else value for value in scores]


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("top", [1, 2], ids=["binary", "graded"])
@pytest.mark.parametrize(("pool", "contributors"), [(1, ()), (2, ()), (2, ("b",)), (6, ())])
def test_bounds_under_a_pool_are_those_of_all_completions(
    name: str, top: int, pool: int, contributors: tuple[str, ...]
) -> None:
    result = score(
        tiny(top),
        measure=[f"{name}/pool={pool}"],
        contributors=contributors,
        residuals=True,
        tail="empty",
        per_topic=True,
    )
    for row in result.table.iter_rows(named=True):
        scores = [row["value"], *every_completion(row["run"], name, pool, contributors or tuple(LISTS), top)]
        assert (row["least"], row["most"]) == pytest.approx((min(scores), max(scores)), abs=1e-12)
        if row["residual"] is not None:
            assert row["residual"] == pytest.approx(max(scores) - row["value"], abs=1e-12)


def test_the_residual_of_rbp_under_a_pool_is_the_weight_of_what_it_leaves_out() -> None:
    """Ranks 1, 3, ... of run a hold pooled documents; all weight elsewhere, to infinity, is the residual."""
    result = score(tiny(1), measure=["RBP/pool=2", "RBP@4/pool=2"], residuals=True, per_topic=True)
    weight = [0.2 * 0.8**i for i in range(6)]
    pooled = {doc for docs in LISTS.values() for doc in docs[:2]} - {"u1"}
    for run, docs in LISTS.items():
        for k, condition in ((6, "RBP/pool=2"), (4, "RBP@4/pool=2")):
            assessed = sum(w for w, doc in zip(weight, docs[:k], strict=False) if doc in pooled)
            (residual,) = result.table.filter(pl.col("run") == run, pl.col("measure") == condition)["residual"]
            assert residual == pytest.approx(1 - assessed, abs=1e-12)


def test_bounds_are_for_the_runs_asked_about_under_pools_that_all_runs_fill() -> None:
    data = tiny(2)
    whole = score(data, measure=["AP/pool=2"], residuals=True, per_topic=True).table
    chosen = score(replace(data, chosen=("c",)), measure=["AP/pool=2"], residuals=True, per_topic=True).table
    assert chosen.rows() == whole.filter(pl.col("run") == "c").rows()


def test_normalised_scores_have_no_bounds() -> None:
    table = score(tiny(2), measure=["AP/standardised", "ERR@3/expanded", "AP"], residuals=True).tables["long"]
    assert table["least"].is_null().to_list() == [True, True, False] * 3


def test_means_over_different_topics_are_counted_and_warned_of(judged: Judged) -> None:
    pairwise, zero = (score(judged, measure=["AP"], missing=rule) for rule in ("pairwise", "zero"))
    assert dict(pairwise.tables["long"].select("run", "n_topics").rows()) == {"x": 3, "y": 4}
    assert dict(zero.tables["long"].select("run", "n_topics").rows()) == {"x": 4, "y": 4}
    (warned,) = [note for note in pairwise.notes if note.code == "different_topics"]
    assert warned.severity == "warning"
    assert "different_topics" not in {note.code for note in zero.notes}
    assert pairwise.to_dict()["basis"]["missing"] == "pairwise"
