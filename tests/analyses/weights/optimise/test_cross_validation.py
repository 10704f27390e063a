"""Folds of topics and runs, held-out scores, and statistics fold by fold."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.cross_validation import held_out_scores, run_folds, statistics, topic_folds
from assay.analyses.weights.optimise.ndcg import ndcg
from assay.core.errors import UsageError
from assay.stats.variance import e_rho2, mean_squares, phi
from tests.builders.weights import LINEAR, LOG2, FixedWeights, graded_lists, standard_fit


def test_every_topic_is_held_out_once_in_folds_of_nearly_equal_size() -> None:
    folds = topic_folds(23, 5, rng=1)
    assert sorted(np.concatenate(folds).tolist()) == list(range(23))
    assert {fold.size for fold in folds} == {4, 5}
    assert all(np.array_equal(a, b) for a, b in zip(folds, topic_folds(23, 5, rng=1), strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(folds, topic_folds(23, 5, rng=1, repeat=1), strict=True))


@pytest.mark.parametrize("folds", [1, 6])
def test_folds_of_fewer_than_two_topics_are_refused(folds: int) -> None:
    with pytest.raises(UsageError, match=rf"folds {folds}: 10 topics can be split into 2 to 5 folds"):
        topic_folds(10, folds, rng=0)


def test_groups_of_runs_stay_together_and_sets_are_of_like_size() -> None:
    groups = ["a"] * 7 + ["b"] * 5 + ["c"] * 3 + ["d"] * 3 + ["e"]
    sets = run_folds(groups, rng=0)
    assert sorted(np.concatenate(sets).tolist()) == list(range(19))
    names = [{groups[i] for i in one} for one in sets]
    assert not names[0] & names[1]
    assert sorted(one.size for one in sets) in ([9, 10], [8, 11])
    with pytest.raises(UsageError, match="3 groups of runs are too few"):
        run_folds(["a", "b", "c"], rng=0)


def test_no_topic_and_no_run_is_scored_with_weights_that_it_helped_to_fit() -> None:
    lists = graded_lists()
    marked = GradedLists(lists.grade.copy(), lists.pool.copy())
    marked.pool[:, 0] = np.arange(lists.n_topics)  # counts of non-relevant documents do not enter nDCG
    seen: list[tuple[int, set[int]]] = []

    def fit(some: GradedLists) -> FixedWeights:
        seen.append((some.n_runs, set(some.pool[:, 0].tolist())))
        return standard_fit(some)

    folds = topic_folds(lists.n_topics, 3, rng=0)
    parts = [np.arange(6), np.arange(6, 12)]
    found = held_out_scores(marked, fit, folds=folds, parts=parts)
    fitted_on = [topics for _, topics in seen]
    assert fitted_on == [set(range(15)) - set(fold.tolist()) for _ in parts for fold in folds]
    assert {n for n, _ in seen} == {6}
    whole = ndcg(lists, LINEAR, LOG2)
    assert np.concatenate(found) == pytest.approx(whole, abs=1e-15)


def test_with_one_fold_statistics_are_those_of_the_whole_table() -> None:
    x = ndcg(graded_lists(), LINEAR, LOG2)
    found = statistics(x, [np.arange(15)])
    assert found["phi"][0] == pytest.approx(float(phi(x)), abs=1e-14)
    assert found["e_rho2"][0] == pytest.approx(float(e_rho2(x)), abs=1e-14)
    assert found["phi"][3] == pytest.approx(float(phi(np.delete(x, 2, axis=1))), abs=1e-14)
    ratio = float(mean_squares(x).ratio("phi"))
    assert found["topics_90"][0] == pytest.approx(9 / ratio)
    assert found["topics_95"][0] == pytest.approx(19 / ratio)


def test_variances_are_estimated_in_every_fold_by_itself() -> None:
    """Scores of one fold twice as large shift no variance between topics, as they would in one table."""
    x = ndcg(graded_lists(), LINEAR, LOG2)
    folds = [np.arange(7), np.arange(7, 15)]
    parts = [mean_squares(x[:, fold]).components for fold in folds]
    run, topic, rest = (float(np.mean([getattr(p, of) for p in parts])) for of in ("run", "topic", "interaction"))
    assert statistics(x, folds)["phi"][0] == pytest.approx(run / (run + topic + rest), abs=1e-14)
    moved = x.copy()
    moved[:, 7:] += 5.0
    same = statistics(moved, folds)["phi"]
    assert same == pytest.approx(statistics(x, folds)["phi"], abs=1e-9)


def test_runs_without_any_difference_need_endless_topics() -> None:
    x = np.tile(np.linspace(0.1, 0.9, 8), (5, 1))
    found = statistics(x + 1e-3 * np.random.default_rng(0).normal(size=x.shape), [np.arange(8)])
    assert found["phi"][0] < 0.05
    noise = statistics(np.random.default_rng(1).normal(size=(4, 6)), [np.arange(6)])
    assert np.isinf(noise["topics_90"][noise["phi"] <= 0]).all()
