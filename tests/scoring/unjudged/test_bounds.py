"""Bounds of scores under the judgments of their conditions, by hand."""

from __future__ import annotations

import numpy as np

import assay
from assay.scoring.conditions import score_conditions
from assay.scoring.scores import Scores
from assay.scoring.unjudged.bounds import score_bounds

RUNS = {
    "a": {"1": {"d1": 9, "d2": 8, "d3": 7, "x": 6}, "2": {"e1": 3, "e2": 2}},
    "b": {"1": {"x": 9, "d4": 8, "d1": 7}, "2": {"e3": 3, "y": 2, "e1": 1}},
}
QRELS = {"1": {"d1": 2, "d2": 0, "d3": 0, "d4": 1}, "2": {"e1": 1, "e2": 0, "e3": 0}}


def bounded(scores: Scores) -> tuple[np.ndarray, np.ndarray]:
    source = scores.made_of
    assert source is not None
    return score_bounds(scores, lambda under: source.judged_for(scores, under), tail="empty")


def test_unjudged_documents_may_all_turn_out_to_be_relevant() -> None:
    scores = assay.score(RUNS, QRELS, ["P@3", "AP"])
    least, most = bounded(scores)
    np.testing.assert_allclose(least[0], scores.value[0])
    np.testing.assert_allclose(most[0], [[1 / 3, 1 / 3], [1.0, 2 / 3]])
    assert (least <= scores.value).all()
    assert (scores.value <= most).all()


def test_a_shallower_pool_leaves_more_open_and_a_part_keeps_its_own() -> None:
    scores = score_conditions(assay.read_runs(RUNS), assay.read_qrels(QRELS), ["P@3", "P@3/pool=1"])
    part = scores.select(runs=["b"], topics=["2"])
    _, most = bounded(part)
    assert most.tolist() == [
        [[2 / 3]],
        [[2 / 3]],
    ]  # of e3, y and e1 only y is unjudged, in the pool of depth 1 as well
    assert bounded(scores)[1][1, 0, 0] == 1.0  # d2 and d3 of run a are not in that pool


def test_of_normalised_scores_no_bound_is_known() -> None:
    scores = score_conditions(assay.read_runs(RUNS), assay.read_qrels(QRELS), ["P@3/standardised"])
    assert np.isnan(bounded(scores)).all()
