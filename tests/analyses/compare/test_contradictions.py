"""Where two measures contradict each other, on which queries, and what differs there."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analyses.compare.contradictions import SIGN_ONLY, SIGNIFICANT
from assay.data.tables import Runs
from assay.data.trec import listing_from_bytes
from assay.scoring.conditions import score_conditions
from tests.builders.compare import compared, contradicted, normal, scores
from tests.builders.judgments import qrels_from_bytes


def test_a_significant_contradiction_is_warned_of_and_stops_the_advice() -> None:
    result = compared(contradicted())
    table = result.tables["contradictions"]
    assert table["status"].unique().to_list() == [SIGNIFICANT]
    first = table.row(0, named=True)
    assert (first["measure_a"], first["measure_b"], first["run_a"], first["run_b"]) == ("AP", "RR", "a", "b")
    assert first["difference_a"] > 0 > first["difference_b"]
    (note,) = [note for note in result.notes if note.code == "contradictions"]
    assert note.severity == "caution"
    assert "AP is contradicted significantly by RR on a against b" in note.text
    assert "efficient_measure" not in {one.name for one in result.sentences}


def test_means_of_opposite_sign_alone_are_no_significant_contradiction() -> None:
    result = compared(contradicted(size=0.6, n_topics=9))
    assert set(result.tables["contradictions"]["status"]) == {SIGN_ONLY}
    assert "contradictions" not in {note.code for note in result.notes}


def test_measures_that_agree_contradict_nowhere() -> None:
    one = normal(40, 0.1, n_runs=4).value[0]
    assert compared(scores(np.stack([one, 2 * one]), measures=("AP", "RR"))).tables["contradictions"].height == 0


def test_the_queries_named_add_most_to_the_difference_of_the_effects() -> None:
    data = contradicted()
    named = compared(data).tables["contradictions"]["topic"].to_list()
    ours, theirs = (data.value[m, 0] - data.value[m, 1] for m in (0, 1))
    adds = ours / ours.std(ddof=1) - theirs / theirs.std(ddof=1)
    assert adds.sum() == pytest.approx(60 * (ours.mean() / ours.std(ddof=1) - theirs.mean() / theirs.std(ddof=1)))
    opposite = [t for t in np.argsort(-adds) if ours[t] > 0 > theirs[t]]
    assert named == [data.topics[t] for t in opposite[:3]]


def test_where_lower_is_better_differences_keep_their_own_sign() -> None:
    data = contradicted()
    turned = scores(np.stack([data.value[0], -data.value[1]]), measures=("AP", "latency"))
    turned = type(turned)(turned.conditions, turned.runs, turned.topics, turned.value, lower=(False, True))
    row = compared(turned).tables["contradictions"].row(0, named=True)
    plain = compared(data).tables["contradictions"].row(0, named=True)
    assert row["topic"] == plain["topic"]
    assert row["difference_b"] == pytest.approx(-plain["difference_b"])
    assert row["topic_difference_b"] == pytest.approx(-plain["topic_difference_b"])


def test_the_grades_of_both_lists_stand_side_by_side() -> None:
    """x has one relevant document at rank 1, y two below: RR prefers x, P@3 prefers y."""
    topics = range(10)
    x = "".join(f"t{t} Q0 good{t} 1 3 x\nt{t} Q0 bad{t} 2 2 x\nt{t} Q0 new{t} 3 1 x\n" for t in topics)
    y = "".join(f"t{t} Q0 bad{t} 1 3 y\nt{t} Q0 good{t} 2 2 y\nt{t} Q0 fine{t} 3 1 y\n" for t in topics)
    judged = "".join(f"t{t} 0 good{t} 2\nt{t} 0 fine{t} 1\nt{t} 0 bad{t} 0\n" for t in topics)
    runs = Runs.build([listing_from_bytes(text.encode(), name) for name, text in (("x", x), ("y", y))])
    data = score_conditions(runs, qrels_from_bytes(judged.encode(), "qrels"), ["P@3", "RR"])
    table = compared(data).tables["contradictions"]
    assert table.select("measure_a", "measure_b", "grades_a", "grades_b").row(0) == ("P@3", "RR", "2 . ?", ". 2 1")
    assert table.height == 3
    assert table["topic_difference_a"].to_list() == pytest.approx([-1 / 3] * 3)
    assert table["topic_difference_b"].to_list() == pytest.approx([0.5] * 3)


def test_a_mean_difference_that_is_only_rounding_contradicts_nothing() -> None:
    up = np.tile([0.1, 0.2, -0.3], 10)
    assert 0 < abs(up.mean()) < 1e-15
    other = np.stack([0.5 + up, np.full(30, 0.5)])
    one = normal(30, -np.copysign(0.1, (other[0] - other[1]).mean())).value[0]
    result = compared(scores(np.stack([one, other]), measures=("AP", "RR")))
    assert result.table["difference"].to_list()[1] == 0.0
    assert result.tables["contradictions"].height == 0
