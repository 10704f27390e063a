"""`assay error`: numbers by definition, what it refuses, its notes, and TREC-8."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.analyses.error.analysis import error
from assay.analyses.error.documents import Gaps
from assay.analyses.error.tables import ESTIMATED, NOT_ESTIMABLE
from assay.analyses.error.topics import ESTIMATORS, TopRanks, estimates_of_j, pooled_top, top_of, topic_documents
from assay.cli import main
from assay.core.errors import UsageError
from assay.data.judged import Collection, judge
from assay.results.result import Result
from assay.scoring.engine import score
from tests.builders.error import write_lists

pytestmark = pytest.mark.xdist_group("trec8")


def notes(result: Result) -> dict[str, str]:
    """The texts of notes by their codes."""
    return {note.code: note.text for note in result.notes}


@pytest.fixture
def small(tmp_path: Path) -> Collection:
    lists = {
        "good": {"a": "1101001000", "b": "1110110111", "c": "0100", "d": "00"},
        "poor": {"a": "0010100001", "b": "0101101001", "c": "0001", "d": "00"},
    }
    return write_lists(tmp_path, lists, {"a": 5, "b": 9, "c": 1, "d": 0})


def test_means_are_those_of_the_measures_over_topics_with_two_relevant_documents(small: Collection) -> None:
    result = error(small, c=0.5, resamples=20)
    values = score(judge(small.runs, small.qrels), ["AP", "AP_LOO"]).value[:, :, :2]  # topics a and b
    assert result.table["ap"].to_list() == pytest.approx(values[0].mean(-1).tolist())
    assert result.table["ap_loo"].to_list() == pytest.approx(values[1].mean(-1).tolist())
    assert result.table["bias"].to_list() == pytest.approx((values[0] - values[1]).mean(-1).tolist())
    assert result.table["n_topics"].to_list() == [2, 2]
    weights = np.array([5, 9]) / 14
    assert result.table["micro"].to_list() == pytest.approx((values[1] @ weights).tolist())


def test_error_bars_are_given_from_eight_relevant_documents_on(small: Collection) -> None:
    result = error(small, resamples=50)
    by_topic = result.tables["topics"].filter(pl.col("run") == "good")
    assert by_topic["interval"].to_list() == [NOT_ESTIMABLE, ESTIMATED]
    bar, low, high, loo = (by_topic[name].to_list() for name in ("error", "low", "high", "ap_loo"))
    assert (bar[0], low[0], high[0]) == (None, None, None)
    assert 0 <= low[1] <= loo[1] <= high[1] <= 1
    assert bar[1] > 0
    by_size = result.tables["relevant"].select("n_relevant", "interval").rows()
    assert by_size == [("4-7", NOT_ESTIMABLE), ("8-15", ESTIMATED)]
    assert result.tables["relevant"]["width"].is_null().to_list() == [True, False]


def test_notes_name_the_topics_that_are_left_out(small: Collection) -> None:
    by_code = notes(error(small, resamples=5))
    assert by_code["empty_topics"] == "1 topic without a relevant document; left out"
    assert by_code["single_relevant_topics"].startswith("1 topic with one relevant document only; left out")
    assert by_code["not_estimable_topics"].startswith(
        "1 topic with fewer than 8 relevant documents: error bars are not"
    )
    assert by_code["random_effects"].startswith("random effects move 0 runs of 2")


def test_one_relevant_document_has_its_reciprocal_rank(small: Collection) -> None:
    single = error(small, resamples=5).tables["single"]
    assert single.select("run", "n_topics", "n_found", "rr", "others_above", "first").rows() == [
        ("good", 1, 1, 0.5, 1.0, 0.0),
        ("poor", 1, 1, 0.25, 3.0, 0.0),
    ]


def test_the_estimators_are_what_they_say() -> None:
    """Ranks 2 and 4 of a list of 6, R = 3: by hand."""
    mark = np.array([[0, 1, 0, 1, 0, 0]])
    found = estimates_of_j(Gaps.of(mark == 1, mark >= 0, 3), 0.5)[:, 0]
    column = [(1 / 2 + 1 / 3) / 2, (2 / 4 + 2 / 5 + 2 / 6) / 3]
    by_hand = {
        "AP": (1 / 2 + 2 / 4) / 3,
        "interpolated": (1 / 2 + 1 / 2) / 3,
        "column": sum(column) / 3,
        "one less": (0 + 1 / 3) / 3,
        "AP_LOO": (0 + 1.5 / 3.5) / 3,
    }
    assert dict(zip(ESTIMATORS, found.tolist(), strict=True)) == pytest.approx(by_hand)


def test_c_is_pooled_over_lists_whose_second_document_is_relevant(small: Collection) -> None:
    """Of the lists of topics a and b, good's two and poor's of b have rank 2 relevant; good's two rank 1, too."""
    judged = judge(small.runs, small.qrels)
    assert pooled_top(topic_documents(judged, t, 1).gaps for t in (0, 1)) == pytest.approx((2 + 0.5) / (3 + 1))
    assert top_of(0.5, 5) == pytest.approx((5 / 4) / (1 + 5 / 4))
    shares = [(2 + 2 * 0.625) / (2 + 2), (0 + 2 * 0.625) / (1 + 2)]  # of good and of poor
    every = TopRanks.of([topic_documents(judged, t, 1).gaps for t in (0, 1)])
    assert every.shares().tolist() == pytest.approx(shares)
    assert every.counted()[0, 0] == pytest.approx(top_of(shares[0], 5))
    assert error(small, resamples=5).settings["c"] == "0.417 to 0.812, pooled over topics"


def test_the_same_seed_gives_the_same_and_equal_runs_do_not_differ(tmp_path: Path) -> None:
    words = {"a": "1101001000", "b": "1110110111"}
    data = write_lists(tmp_path, {"one": words, "two": words}, {"a": 9, "b": 9})
    for form in ("corrected", "model", "plain"):
        first, again = (error(data, form=form, resamples=30, rng=3) for _ in range(2))
        assert first.to_dict() == again.to_dict()
        assert first.tables["neighbours"]["document_error"][0] == 0.0


def test_the_number_of_draws_changes_errors_and_random_effects_alone(small: Collection) -> None:
    few, many = (error(small, resamples=n) for n in (5, 40))
    columns = {name for name in few.table.columns if not few.table[name].equals(many.table[name])}
    assert columns <= {"document_error", "random_mean", "low", "high", "place_random"}
    assert "document_error" in columns
    fixed = ("bias_share", "share_low", "share_high")
    assert few.tables["overall"].select(fixed).equals(many.tables["overall"].select(fixed))
    ways = [of.tables["averages"].filter(pl.col("average") != "random effects") for of in (few, many)]
    assert ways[0].equals(ways[1])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"c": 1.5}, "c 1.5 is not a precision from 0 to 1, such as 0.5"),
        ({"resamples": 1}, "resamples 1 show no spread; give at least 2, such as 200"),
        ({"rel": 0}, "rel 0 is not a grade from 1 up, such as 1"),
        ({"rel": 2}, "no topic has two relevant documents of grade 2 or higher"),
        ({"form": "modle"}, "form: 'modle' is not one of corrected, model, plain; did you mean 'model'?"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_line(small: Collection, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(said)}"):
        error(small, **settings)


def test_the_help_explains_every_column(small: Collection) -> None:
    result, doc = error(small, resamples=5), error.__doc__ or ""
    returns = doc.split("Returns\n")[1].split("Notes\n")[0]
    assert [c for c in result.table.columns if not re.search(rf"\b{c}\b", returns)] == []
    for name, table in result.tables.items():
        listed = doc.split(f"tables.{name}:")[1].split("tables.")[0]
        assert [c for c in table.columns if not re.search(rf"\b{c}\b", listed)] == [], name
    assert {chart.name for chart in result.charts} == {"bias", "documents", "errors"}


def test_trec_8_has_bias_where_topics_are_small(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs with the MAP that trec_eval gives them (runs' own per-topic output, as quoted in the collection)."""
    folder = data / "trec8-adhoc"
    runs = [str(next((folder / "runs").glob(f"*{name}*"))) for name in ("READWARE.", "ok8alx.")]
    assert main(["error", *runs, "--qrels", str(folder / "qrels.gz"), "--resamples", "20", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    by_run = {row["run"]: row for row in found["table"]}
    assert by_run["ok8alx"]["ap"] == pytest.approx(0.3240, abs=5e-5)
    shares = [row["bias_share"] for row in found["tables"]["relevant"]]
    assert shares[0] > 2 * shares[-1] > 0
    assert all(row["document_error"] < row["topic_error"] for row in found["table"])


def test_where_no_topic_has_two_relevant_documents_the_size_of_the_collection_gives_the_pairwise_error(
    tmp_path: Path,
) -> None:
    data = write_lists(tmp_path, {"one": {"a": "100", "b": "010"}}, {"a": 1, "b": 1})
    with pytest.raises(UsageError, match="--n-docs"):
        error(data)
    result = error(data, n_docs=101, measure=["RR"], resamples=5)
    assert result.table["n_topics"].to_list() == [0]
    assert result.table["ap"].to_list() == [None]
    row = result.tables["single"].row(0, named=True)
    assert (row["n_topics"], row["rr"], row["pairwise_error"]) == (2, 0.75, (0 + 1 / 100) / 2)
    assert 1 < row["inverse_low"] < row["inverse"] < row["inverse_high"] < 101  # Student's would go far beyond
    assert result.tables["instability"]["n_topics"].to_list() == [2]
