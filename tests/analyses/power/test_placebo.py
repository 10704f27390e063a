"""The placebo beside power: real collections as measured elsewhere, closed forms, and what is never counted."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl
import pytest

import assay
from assay.analyses.power.analysis import power
from assay.analyses.power.placebo import (
    RANKS_BY_JUDGING,
    doubted_measures,
    is_all_doubted,
    of_measures,
    placebo_notes,
)
from assay.data.judged import Collection
from assay.data.provenance import Basis
from assay.render.screen import first_table
from assay.results.result import Result
from assay.scoring.conditions import score_conditions
from assay.scoring.unjudged.bounds import score_bounds
from tests.builders.dense import collection

MEASURES = ("AP", "nDCG", "nDCG@10", "Bpref")


def test_on_a_deep_pool_grades_decide(adhoc8: Collection) -> None:
    """TREC-8 with 65 of its runs: power with permuted grades .59, .72, .09, .07; tau .50 for AP and nDCG."""
    runs = adhoc8.runs.select(adhoc8.runs.names[::2])
    table = of_measures(power(score_conditions(runs, adhoc8.qrels, MEASURES)).table)
    assert table["power_placebo"].to_list() == pytest.approx([0.59, 0.72, 0.09, 0.07], abs=0.05)
    assert table["tau_placebo"].to_list()[:2] == pytest.approx([0.50, 0.50], abs=0.06)
    assert doubted_measures(table, len(runs.names)) == []


def test_runs_that_differ_in_what_is_judged_alone_are_ranked_by_that() -> None:
    """Run i returns i judged documents of 20, of which every other one is relevant: permuting changes nothing."""
    docs = [f"d{i:02d}" for i in range(20)]
    qrels = {str(t): {doc: i % 2 for i, doc in enumerate(docs)} for t in range(12)}
    rng = np.random.default_rng(3)
    runs = {}
    for i in range(12):
        runs[f"r{i:02d}"] = {t: {doc: -float(at) for at, doc in enumerate(_some(rng, docs, i + 2, t))} for t in qrels}
    result = power(assay.score(runs, qrels, ["P@20"]))
    row = result.table.row(0, named=True)
    assert row["tau_placebo"] > 0.9
    assert [note.severity for note in result.notes if note.code == RANKS_BY_JUDGING] == ["warning"]


def _some(rng: np.random.Generator, docs: list[str], n: int, topic: str) -> list[str]:
    """Some judged documents, then unjudged ones."""
    return [*rng.permutation(docs)[:n].tolist(), *(f"x{topic}-{i}" for i in range(20 - n))]


def test_judgments_that_list_relevant_documents_only_doubt_no_measure() -> None:
    """A permutation of nothing but relevant grades changes nothing, whatever the runs are ranked by."""
    made = collection(n_runs=12, n_topics=12, n_docs=40)
    docs = [f"d{i:02d}" for i in range(40)]
    by_topic = [dict(zip(made.topics, of_run, strict=True)) for of_run in made.score.tolist()]
    runs = {
        run: {topic: dict(zip(docs, scores, strict=True)) for topic, scores in of_run.items()}
        for run, of_run in zip(made.runs, by_topic, strict=True)
    }
    grades = dict(zip(made.topics, made.grade.tolist(), strict=True))
    qrels = {t: {d: g for d, g in zip(docs, of, strict=True) if g > 0} for t, of in grades.items()}
    assert {g for of in qrels.values() for g in of.values()} > {1}  # graded measures neither
    result = power(assay.score(runs, qrels, ["AP", "nDCG@10", "AP(rel=2)"]))
    assert of_measures(result.table)["tau_placebo"].to_list() == [None] * 3
    assert doubted_measures(result.table, 12) == []
    assert [note.severity for note in result.notes if note.code == "no_placebo"] == ["info"]


def test_placebos_count_in_no_correction_and_no_sentence(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("placebo")
    runs, qrels = collection(n_runs=12, n_topics=10, n_docs=60).write(folder)
    scores = assay.score(str(runs), str(qrels), ["AP", "nDCG@10"])
    result = power(scores)
    assert result.table.filter("placebo")["measure"].to_list() == ["NumRet", "Judged@60"]
    assert set(result.tables["differences"]["measure_a"]) | set(result.tables["differences"]["measure_b"]) == {
        "AP",
        "nDCG@10",
    }
    assert not any("NumRet" in sentence.text or "Judged@" in sentence.text for sentence in result.sentences)


def test_where_everything_is_judged_nothing_can_be_reversed() -> None:
    runs = {name: {t: {f"d{i}": i * sign for i in range(6)} for t in "12345"} for name, sign in (("a", 1), ("b", -1))}
    qrels = {t: {f"d{i}": int(i >= 3 + (t == "1")) for i in range(6)} for t in "12345"}
    table = power(assay.score(runs, qrels, ["P@3"])).table
    assert table["n_significant"][0] == 1
    assert table["flippable"][0] == 0.0


def test_of_few_runs_no_measure_is_doubted() -> None:
    table = pl.DataFrame({"measure": ["AP"], "tau_placebo": [1.0]})
    assert not list(placebo_notes(table, n_runs=9))
    assert list(placebo_notes(table, n_runs=10))


def test_scores_of_another_tool_have_empty_columns() -> None:
    scores = assay.read_scores({"a": {"1": {"AP": 0.1}, "2": {"AP": 0.3}}, "b": {"1": {"AP": 0.2}, "2": {"AP": 0.5}}})
    result = power(scores)
    assert result.table.select("power_placebo", "tau_placebo", "flippable").row(0) == (None, None, None)
    assert result.table["placebo"].to_list() == [False]
    assert first_table(result, n_before=0).shown.columns == ["measure", "power", "low", "high", "n_pairs", "delta"]


def test_a_measure_that_ranks_by_what_was_judged_is_not_called_best() -> None:
    """Of AP and nDCG@10 on a shallow pool, the sentence names what can be trusted; of all doubted, none."""
    rows = [("AP", 0.9, 0.8, False), ("nDCG@10", 0.7, 0.3, False), ("NumRet", 0.95, None, True)]
    assert doubted_measures(_table(rows), 20) == ["AP"]
    assert is_all_doubted(_result(rows[:1] + rows[2:]))
    assert not is_all_doubted(_result(rows))


def _table(rows: list[tuple[str, float, float | None, bool]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["measure", "power", "tau_placebo", "placebo"], orient="row")


def _result(rows: list[tuple[str, float, float | None, bool]]) -> Result:
    return Result("power", _table(rows), {}, Basis(runs=20), {})


@pytest.mark.parametrize("share_judged", [0.4, 0.9, 1.0])
def test_flippable_is_that_of_all_bounds_at_once(share_judged: float) -> None:
    rng = np.random.default_rng(11)
    grade = rng.choice(3, p=[0.6, 0.25, 0.15], size=(30, 25))
    qrels = {
        f"t{t}": {f"d{d}": int(grade[t, d]) for d in range(25) if rng.random() < share_judged} for t in range(30)
    }
    runs = {
        f"r{r}": {f"t{t}": {f"d{d}": 0.4 * r * grade[t, d] + rng.normal() for d in range(25)} for t in range(30)}
        for r in range(6)
    }
    scores = assay.score(runs, qrels, ["AP", "nDCG", "Rprec", "P@5", "RBP", "Bpref"])
    result = power(scores)
    assert scores.made_of is not None
    ends = score_bounds(scores, partial(scores.made_of.judged_for, scores), tail="empty")
    least, most = (dict(zip(scores.conditions, end.mean(-1), strict=True)) for end in ends)
    at = {name: i for i, name in enumerate(scores.runs)}
    for measure in scores.conditions:
        pairs = result.tables["pairs"].filter(pl.col("measure") == measure, "significant")
        expected = []
        for a, b, better in pairs.select("run_a", "run_b", "better").rows():
            worse = b if better == a else a
            expected.append(least[measure][at[better]] < most[measure][at[worse]])
        [share] = result.table.filter(measure=measure)["flippable"].to_list()
        assert share == (None if measure == "Bpref" else np.mean(expected))
