"""Which scores are the better the lower they are: as stated, as declared, as a name suggests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.case.analysis import case
from assay.analyses.disagreement.analysis import disagreement
from assay.analyses.power.analysis import power
from assay.analyses.report.analysis import report
from assay.analyses.reuse.analysis import reuse
from assay.analyses.score.analysis import score as score_runs
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.data.judged import Collection
from assay.data.rankings import Rankings
from assay.data.read import read_qrels, read_runs
from assay.measures.declare import CATALOGUE, measure
from assay.render.page.document import page
from assay.scoring.best_runs import best_runs
from assay.scoring.direction import DIRECTION, suggests_lower
from assay.scoring.engine import score
from assay.scoring.loaders import as_scores
from assay.scoring.missing import Missing
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores
from tests.builders.two_runs import two_runs

SYSTEMS = {"small-llm": 200.0, "gpt-rag-rerank": 497.0}


def latencies(name: str = "latency_ms") -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        [
            {"query_id": f"q{i}", "system": system, name: mean + rng.normal(0, 20), "faithfulness": rng.random()}
            for i in range(30)
            for system, mean in SYSTEMS.items()
        ]
    )


def asked(scores: Scores) -> list[str]:
    return [name for note in scores.notes if note.code == DIRECTION for name in note.measures]


@pytest.mark.parametrize(
    "name",
    [
        *("latency_ms", "Latency", "p95_latency", "p95Latency", "TotalCost", "cost_usd", "error_rate", "ErrorRate"),
        *("response_time", "responseTime", "HTTPTime", "duration", "loss", "perplexity", "WER", "cer", "RMSE"),
        "latency_ms/standardised",
    ],
)
def test_names_that_suggest_that_lower_is_better(name: str) -> None:
    assert suggests_lower(name)


@pytest.mark.parametrize(
    "name",
    ["sentiment", "timeliness", "faithfulness", "costume", "terror", "blossom", "answer", "MS_MARCO", "nDCG@10"],
)
def test_words_inside_other_words_suggest_nothing(name: str) -> None:
    assert not suggests_lower(name)


def test_a_name_that_suggests_it_is_asked_about_until_the_direction_is_stated() -> None:
    unstated = read_scores(latencies())
    assert asked(unstated) == ["latency_ms"]
    (note,) = (note for note in unstated.notes if note.code == DIRECTION)
    assert note.severity == "warning"
    assert "--lower latency_ms" in note.text
    assert "--higher latency_ms" in note.text
    assert unstated.lower == ()
    assert asked(read_scores(latencies(), lower=["latency_ms"])) == []
    assert read_scores(latencies(), lower="latency_ms").lower == (True, False)
    assert asked(read_scores(latencies(), higher=["latency_ms"])) == []
    assert read_scores(latencies(), higher=["latency_ms"]).lower == ()


def test_the_question_goes_with_the_scores_that_it_is_about() -> None:
    scores = read_scores(latencies())
    assert asked(scores["faithfulness"]) == []
    assert asked(scores["latency_ms"]) == ["latency_ms"]
    assert asked(scores["latency_ms/standardised"]) == ["latency_ms"]
    assert asked(scores["latency_ms", "faithfulness/standardised"]) == ["latency_ms"]


def test_a_measure_of_ours_is_not_asked_about() -> None:
    frame = latencies("ERR@20").rename({"faithfulness": "err@5"})
    assert asked(read_scores(frame)) == []


def test_what_is_stated_may_be_any_spelling_of_the_measure() -> None:
    frame = latencies("map")
    assert read_scores(frame, lower=["AP"]).basis.lower_is_better == ("AP",)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"lower": ["latency"]}, ["--lower latency", "did you mean 'latency_ms'?"]),
        ({"higher": ["nonsense"]}, ["--higher nonsense", "latency_ms, faithfulness"]),
        ({"lower": ["latency_ms"], "higher": ["latency_ms"]}, ["--lower latency_ms", "--higher latency_ms"]),
    ],
)
def test_a_direction_of_nothing_or_two_of_one_measure_are_refused(
    stated: dict[str, list[str]], words: list[str]
) -> None:
    with pytest.raises(UsageError) as error:
        read_scores(latencies(), **stated)  # type: ignore[arg-type]
    assert all(word in str(error.value) for word in words)


def test_statistics_are_done_where_higher_is_better_and_come_back_in_own_units() -> None:
    value = np.array([[[200.0, 300.0], [400.0, 600.0]], [[0.1, 0.4], [0.9, 0.4]], [[1.0, 2.0], [4.0, 8.0]]])
    averages = ("mean", "geometric", "sum")
    scores = Scores(("a", "b", "c"), ("x", "y"), ("1", "2"), value, averages, lower=(True, True, True))  # type: ignore[arg-type]
    usual = Scores(("a", "b", "c"), ("x", "y"), ("1", "2"), value, averages)  # type: ignore[arg-type]
    assert np.array_equal(scores.working(), -usual.working())
    assert np.array_equal(scores.mean(), usual.mean())
    assert np.array_equal(scores.quality(), -usual.mean())
    assert scores.summarise(scores.working().mean(-1)) == pytest.approx(usual.mean())
    half = 0.1
    mean = scores.working().mean(-1)
    low, high = scores.interval(mean - half, mean + half)
    expected = usual.interval(usual.working().mean(-1) - half, usual.working().mean(-1) + half)
    assert low == pytest.approx(expected[0])
    assert high == pytest.approx(expected[1])
    assert (low < high).all()


def test_directions_stay_with_their_conditions() -> None:
    scores = read_scores(latencies(), lower=["latency_ms"])
    assert scores["faithfulness", "latency_ms"].lower == (False, True)
    assert scores["faithfulness"].basis.lower_is_better is None
    assert scores["latency_ms"].select(runs=["small-llm"]).lower == (True,)
    both = scores["faithfulness/standardised", "latency_ms/standardised"]
    assert both.lower == (False, True)
    assert both.basis.lower_is_better == ("latency_ms/standardised",)
    assert both.mean()[1, both.runs.index("small-llm")] < 0  # lower is better, in z as in milliseconds
    with pytest.raises(ValueError, match="1 directions of 2 conditions"):
        Scores(("a", "b"), ("x",), ("1",), np.zeros((2, 1, 1)), lower=(True,))


def test_the_best_runs_are_the_lowest_where_lower_is_better() -> None:
    scores = read_scores(latencies(), lower=["latency_ms"])
    assert best_runs(scores, 1) == ["small-llm"]
    assert best_runs(read_scores(latencies(), higher=["latency_ms"]), 1) == ["gpt-rag-rerank"]


def said(scores: Scores) -> str:
    (sentence,) = (one for one in power(scores).sentences if one.name == "different_runs")
    return f"{sentence.text} {sentence.number}"


def test_a_slower_system_is_not_called_better() -> None:
    scores = read_scores(latencies())
    difference = abs(np.subtract(*scores.mean()[0]))
    shown = f"{difference:.3f}"
    lower = said(read_scores(latencies(), lower=["latency_ms"]))
    assert "Prefer small-llm to gpt-rag-rerank" in lower
    assert "latency_ms (lower is better)" in lower
    assert f"lower by {shown}" in lower
    higher = said(read_scores(latencies(), higher=["latency_ms"]))
    assert "Prefer gpt-rag-rerank to small-llm" in higher
    assert f"{shown}, " in higher
    unstated = said(scores)
    assert "gpt-rag-rerank is significantly higher than small-llm" in unstated
    assert "whether higher is better is not stated" in unstated
    assert "Prefer" not in unstated


def test_where_the_direction_is_asked_for_no_run_is_called_better() -> None:
    pairs = power(read_scores(latencies())).tables["pairs"].filter(measure="latency_ms")
    assert pairs["significant"].all()
    assert pairs["better"].to_list() == [None]
    standardised = power(read_scores(latencies())["latency_ms/standardised"]).tables["pairs"]
    assert standardised["better"].to_list() == [None]


def test_the_command_states_directions_of_scores_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    latencies().write_csv("latency.csv")
    assert main(["power", "--scores", "latency.csv", "--lower", "latency_ms", "--table", "pairs"]) == 0
    shown = capsys.readouterr().out
    assert "lower is better (latency_ms)" in shown
    row = next(line for line in shown.splitlines() if line.startswith("latency_ms"))
    assert row.split()[-1] == "small-llm"
    assert main(["score", "--scores", "latency.csv"]) == 0
    assert "warning: latency_ms is taken as higher is better" in capsys.readouterr().out
    assert main(["score", "--scores", "latency.csv", "-m", "faithfulness"]) == 0
    assert "warning" not in capsys.readouterr().out
    for flag in ("--lower", "--higher"):
        assert main(["score", "runs", "--qrels", "qrels", flag, "AP"]) == 2
        assert capsys.readouterr().err.strip().endswith(f"{flag} goes with --scores FILE")


def test_charts_order_runs_from_the_lowest_and_say_so() -> None:
    scores = read_scores(latencies(), lower=["latency_ms"])
    (chart,) = score_runs(scores).charts
    assert chart.table["run"].to_list() == ["small-llm", "gpt-rag-rerank"]
    assert "(lower is better)" in str(chart.drawing)
    panels = {chart.name: chart for chart in power(scores).charts}["pairs"]
    assert panels.table["measure"].unique(maintain_order=True).to_list() == [
        "latency_ms (lower is better)",
        "faithfulness",
    ]


@pytest.fixture
def first_rank() -> Iterator[str]:
    """A measure of which the lowest is best: the rank of the first relevant document, 11 where there is none."""

    @measure(claims=(), cite="own", range=(1.0, 11.0), lower=True)
    def FirstRank(j: Rankings) -> Array:
        first = 1.0 + np.argmax(j.grade > 0, axis=-1)
        return np.where((j.grade > 0).any(-1), first, np.nan)

    yield "FirstRank"
    del CATALOGUE["FirstRank"]


def test_a_declared_measure_brings_its_direction_and_counts_the_worst_where_undefined(first_rank: str) -> None:
    scores = score(two_runs(), ["AP", first_rank])
    assert scores.lower == (False, True)
    assert scores.value[1].tolist() == [[1.0, 2.0, 11.0, 11.0], [2.0, 1.0, 11.0, 1.0]]
    texts = [note.text for note in scores.notes if note.code == "empty_topics"]
    assert [text.split("there ")[1] for text in texts] == ["count as 0", "count as 11"]
    assert best_runs(scores[first_rank], 1) == ["y"]
    read_back = read_scores(scores.frame())
    assert read_back.basis.lower_is_better == (first_rank,)


@pytest.fixture
def open_rank() -> Iterator[str]:
    """The rank of the first relevant document, which has no score where there is none."""

    @measure(claims=(), cite="own", range=(1.0, np.inf), lower=True)
    def OpenRank(j: Rankings) -> Array:
        return np.where((j.grade > 0).any(-1), 1.0 + np.argmax(j.grade > 0, axis=-1), np.nan)

    yield "OpenRank"
    del CATALOGUE["OpenRank"]


@pytest.mark.parametrize("rule", ["zero", "pairwise", "fail"])
def test_an_undefined_score_is_not_a_missing_list(open_rank: str, rule: Missing) -> None:
    data = Collection(
        read_runs({"x": {"1": {"r": 1.0}, "2": {"n": 1.0}}, "y": {"1": {"r": 1.0}, "2": {"r": 1.0}}}),
        read_qrels({"1": {"r": 1}, "2": {"r": 1, "n": 0}}),
    )
    scores = as_scores(data, measure=["AP", open_rank], missing=rule)
    assert np.isnan(scores.value[1]).tolist() == [[False, True], [False, False]]
    assert scores.basis.missing is None
    assert {"missing_lists", "missing_scores"}.isdisjoint(note.code for note in scores.notes)
    common = as_scores(data, measure=["AP", open_rank], missing="common")
    assert common.topics == ("1",)
    (note,) = [note for note in common.notes if note.code == "common_topics"]
    assert "x has 1 of 2 topics" in note.text


def test_missing_lists_and_undefined_scores_are_counted_apart(open_rank: str) -> None:
    data = Collection(
        read_runs({"x": {"1": {"r": 1.0}, "2": {"n": 1.0}}, "y": {t: {"r": 1.0} for t in "123"}}),
        read_qrels({t: {"r": 1, "n": 0} for t in "123"}),
    )
    pairwise = as_scores(data, measure=["AP", open_rank], missing="pairwise")
    (note,) = [note for note in pairwise.notes if note.code == "missing_lists"]
    assert note.text.startswith("1 list missing, ")
    assert note.text.endswith("x has 2 of 3 topics (1 of 3 topics common to all runs; without x 3)")
    assert as_scores(data, measure=["AP", open_rank], missing="common").topics == ("1",)


def collection() -> Collection:
    runs = {
        name: {f"q{t}": {f"d{(t * k + r) % 9}": float(-r) for r in range(5)} for t in range(8)}
        for k, name in enumerate("abcd", 1)
    }
    qrels = {f"q{t}": {f"d{d}": int((d + t) % 4 == 0) for d in range(9)} for t in range(8)}
    return Collection(read_runs(runs), read_qrels(qrels))


def test_runs_are_ranked_from_the_lowest_where_a_declared_measure_says_so(first_rank: str) -> None:
    result = reuse(collection(), measure=[first_rank], pool_depth=3)
    table = result.table
    assert result.tables["summary"]["largest_drop"].to_list() == [
        table["difference"].max()
    ]  # the worse is the higher
    by_rank = table.sort("rank")
    assert by_rank["score"].to_list() == sorted(table["score"])
    assert by_rank["score"][0] < by_rank["score"][-1]


def test_a_ranking_is_preferred_for_its_lower_score_where_lower_is_better(first_rank: str) -> None:
    row = case("100", "001", measure=[first_rank]).table.row(0, named=True)
    assert (row["score_a"], row["score_b"], row["prefers"]) == (1.0, 3.0, "a")


def test_measures_that_order_alike_never_prefer_opposite_rankings_whatever_their_direction(first_rank: str) -> None:
    universe = disagreement(None, measure=[first_rank, "RR"], depth="5", n_rel="2").table
    on_runs = disagreement(collection(), measure=[first_rank, "RR"], depth="5").table
    assert universe["n_opposite"].to_list() == on_runs["n_opposite"].to_list() == [0]


def test_no_share_of_an_ideal_score_where_lower_is_better(first_rank: str) -> None:
    with pytest.raises(UsageError, match="lower is better by FirstRank"):
        score(read_runs({"a": {"q": {"d": 1.0}}}), {"q": {"d": 1}}, [f"{first_rank}/abbreviated"])


def test_a_report_asks_for_the_direction_before_its_verdict() -> None:
    whole = report(read_scores(latencies()), fast=True)
    assert [note.measures for note in whole.notes if note.severity == "warning"] == [("latency_ms",)]
    question = "latency_ms is taken as higher is better"
    assert str(whole).index(question) < str(whole).index(whole.table["sentence"][0][:30])
    assert question in page(whole)
    assert not [
        note for note in report(read_scores(latencies(), lower="latency_ms"), fast=True).notes if note.measures
    ]
