"""The command: numbers by definition, the report's rules, clear answers, and TREC-8."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.analyses.error import error
from assay.analyses.error_topics import ESTIMATORS, estimated, ordered, pooled_top, top_of
from assay.analysis import Result
from assay.cli import main
from assay.errors import UsageError
from assay.inputs import Collection
from assay.judged import judge
from assay.numeric.documents import Gaps
from assay.read import read_qrels, read_runs
from assay.rules.documents import document_errors, small_sample_bias
from assay.scores import score

pytestmark = pytest.mark.xdist_group("trec8")


def written(folder: Path, lists: dict[str, dict[str, str]], n_rel: dict[str, int]) -> Collection:
    """Write runs as words (1 relevant, 0 not) for each topic, judged documents beyond them as many as n_rel says."""
    (folder / "runs").mkdir()
    qrels: dict[tuple[str, str], int] = {}
    for run, words in lists.items():
        rows = []
        for topic, word in words.items():
            seen = {"0": 0, "1": 0}
            for rank, mark in enumerate(word):
                doc = f"{topic}-{'rel' if mark == '1' else 'not'}-{seen[mark]}"
                seen[mark] += 1
                qrels[topic, doc] = int(mark)
                rows.append(f"{topic} Q0 {doc} {rank} {100 - rank} {run}")
        (folder / "runs" / run).write_text("\n".join([*rows, ""]))
    for topic, n in n_rel.items():
        qrels |= {(topic, f"{topic}-rel-{i}"): 1 for i in range(n)}
        qrels[topic, f"{topic}-other"] = 0
    (folder / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for (t, d), g in qrels.items()))
    return Collection(read_runs(folder / "runs"), read_qrels(folder / "qrels"))


@pytest.fixture
def small(tmp_path: Path) -> Collection:
    lists = {
        "good": {"a": "1101001000", "b": "1110110111", "c": "0100", "d": "00"},
        "poor": {"a": "0010100001", "b": "0101101001", "c": "0001", "d": "00"},
    }
    return written(tmp_path, lists, {"a": 5, "b": 9, "c": 1, "d": 0})


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
    assert by_topic["interval"].to_list() == ["not estimable", "estimated"]
    bar, low, high, loo = (by_topic[name].to_list() for name in ("error", "low", "high", "ap_loo"))
    assert (bar[0], low[0], high[0]) == (None, None, None)
    assert 0 <= low[1] <= loo[1] <= high[1] <= 1
    assert bar[1] > 0
    by_size = result.tables["relevant"].select("n_relevant", "interval").rows()
    assert by_size == [("4-7", "not estimable"), ("8-15", "estimated")]
    assert result.tables["relevant"]["width"].is_null().to_list() == [True, False]


def test_topics_that_say_nothing_are_left_out_aloud(small: Collection) -> None:
    notes = error(small, resamples=5).notes
    assert any(note.startswith("1 topic left out: no relevant document") for note in notes)
    assert any(note.startswith("1 topic left out: one relevant document only") for note in notes)
    assert any(
        note.startswith("1 topic with fewer than 8 relevant documents: error bars are not estimable there")
        for note in notes
    )


def test_one_relevant_document_has_its_reciprocal_rank(small: Collection) -> None:
    single = error(small, resamples=5).tables["single"]
    assert single.select("run", "n_topics", "n_found", "rr", "others_above", "first").rows() == [
        ("good", 1, 1, 0.5, 1.0, 0.0),
        ("poor", 1, 1, 0.25, 3.0, 0.0),
    ]


def test_the_estimators_are_what_they_say() -> None:
    """Ranks 2 and 4 of a list of 6, R = 3: by hand."""
    mark = np.array([[0, 1, 0, 1, 0, 0]])
    found = estimated(Gaps.of(mark == 1, mark >= 0, 3), 0.5)[:, 0]
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
    assert pooled_top(ordered(judged, t, 1).gaps for t in (0, 1)) == pytest.approx((2 + 0.5) / (3 + 1))
    assert top_of(0.5, 5) == pytest.approx((5 / 4) / (1 + 5 / 4))
    assert error(small, resamples=5).settings["c"] == "0.625, pooled"


def test_the_same_seed_gives_the_same_and_equal_runs_do_not_differ(tmp_path: Path) -> None:
    words = {"a": "1101001000", "b": "1110110111"}
    data = written(tmp_path, {"one": words, "two": words}, {"a": 9, "b": 9})
    for form in ("corrected", "model", "plain"):
        first, again = (error(data, form=form, resamples=30, rng=3) for _ in range(2))
        assert first.to_dict() == again.to_dict()
        assert first.tables["neighbours"]["document_error"][0] == 0.0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"c": 1.5}, "c 1.5 is not a precision from 0 to 1, such as 0.5"),
        ({"resamples": 1}, "resamples 1 tell no spread; give at least 2, such as 200"),
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


def made_up(bias: float, documents: float) -> Result:
    row = {"run": "r", "ap": 0.3, "bias": bias, "bias_low": bias / 2, "bias_high": 2 * bias}
    row |= {"topic_error": 0.03, "document_error": documents, "place_ap": 1, "place_random": 2}
    other = row | {"run": "s", "ap": 0.29, "place_ap": 2, "place_random": 1}
    relevant = pl.DataFrame({"n_relevant": ["4-7", "8-15"], "bias_share": [0.3, 0.4]})
    return Result("error", pl.DataFrame([row, other]), {"relevant": relevant}, {}, {"level": 0.95})


def test_the_sentences_say_bias_and_error_where_there_is_some() -> None:
    found = small_sample_bias(made_up(0.03, 0.01))
    assert found is not None
    assert found.text == (
        "About 10.2% of MAP is bias, because the documents are a sample: AP counts every relevant one in its own "
        "favour. It is 40.0% on topics with 8-15 relevant documents; of the best run, r, it is 0.030 of 0.300 (95% "
        "interval 0.015 to 0.060)."
    )
    told = document_errors(made_up(0.03, 0.01))
    assert told is not None
    assert told.text == (
        "Other documents for the same topics would move a run's mean by a standard error of 0.010, other topics by "
        "0.030; weighed by what is known of each topic, s leads."
    )


def test_the_bias_of_a_single_topic_has_no_interval() -> None:
    one = made_up(0.03, 0.01)
    table = one.table.with_columns(bias_low=pl.lit(None, pl.Float64), bias_high=pl.lit(None, pl.Float64))
    found = small_sample_bias(replace(one, table=table))
    assert found is not None
    assert found.text.endswith("of the best run, r, it is 0.030 of 0.300.")


def test_nothing_is_said_where_there_is_little() -> None:
    assert small_sample_bias(made_up(0.001, 0.01)) is None
    assert document_errors(made_up(0.03, 0.005)) is None


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
