"""Pairwise error and fallout as measures: against counting pairs, Mann and Whitney's U, and the refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.core.errors import MeasureError
from assay.data.rankings import Rankings
from assay.measures import AUC, R, Specificity


def area_by_u(grades: list[int], n_rel: int, n_nonrel: int, rel: int = 1) -> float:
    """The area by scipy's U over scores that stand for ranks; what the list lacks is tied at the bottom."""
    scored = [(len(grades) - i, grade) for i, grade in enumerate(grades)]
    relevant = [float(s) for s, grade in scored if grade >= rel]
    others = [float(s) for s, grade in scored if grade < rel]
    relevant += [0.0] * (n_rel - len(relevant))
    others += [0.0] * (n_nonrel - len(others))
    return float(stats.mannwhitneyu(relevant, others).statistic) / (n_rel * n_nonrel)


@pytest.mark.parametrize("seed", range(20))
def test_the_area_is_mann_and_whitneys_u(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 3, rng.integers(0, 12)).tolist()
    for rel in (1, 2):
        n_rel, n_nonrel = (sum(side) for side in zip(*((g >= rel, g < rel) for g in [*grades, 2, 0]), strict=True))
        spare = int(rng.integers(0, 5))
        counts = np.zeros((1, 3), dtype=np.int64)
        counts[0, [0, 2]] = 1 + spare, 1
        for grade in grades:
            counts[0, grade] += 1
        lists = Rankings(np.array([grades or [-3]], dtype=np.int8), counts, top=2)
        expected = area_by_u(grades, n_rel, n_nonrel + spare, rel)
        assert AUC(rel=rel).compute(lists)[0] == pytest.approx(expected)


def test_unjudged_documents_count_as_not_relevant() -> None:
    grades = [-1, 1, 0, -1, 1]
    assert AUC(n_docs=100).of(grades, n_rel=3) == pytest.approx(area_by_u([0, 1, 0, 0, 1], 3, 97))
    assert AUC.of(grades, n_rel=3) == pytest.approx(area_by_u([0, 1, 0, 0, 1], 3, 3))
    assert AUC.of(grades, n_rel=3, n_nonrel=5) == pytest.approx(area_by_u([0, 1, 0, 0, 1], 3, 7))
    assert AUC(judged_only=True).of(grades, n_rel=3) == pytest.approx(area_by_u([1, 0, 1], 3, 1))  # passed over


def test_fallout_is_unknown_where_unjudged_documents_are_retrieved_from_a_collection_of_unknown_size() -> None:
    assert np.isnan((Specificity @ 2).compute(Rankings.of([-1, 1, 0]))[0])
    assert (Specificity @ 1).of([0, 1, -1], n_nonrel=4) == pytest.approx(1 - 1 / 4)
    assert (Specificity(n_docs=10) @ 2).of([-1, 1, 0], n_rel=2) == pytest.approx(1 - 1 / 8)


def test_a_random_run_is_not_the_best_where_few_documents_are_judged_non_relevant() -> None:
    """Ten relevant documents and one judged non-relevant one of 200: a good run, and one in random order."""
    rng = np.random.default_rng(0)
    grade = {f"d{i}": 1 if i < 10 else 0 if i == 10 else -1 for i in range(200)}
    good = sorted(grade, key=lambda d: -rng.normal(1.5 * (grade[d] == 1)))[:100]
    other = rng.permutation(list(grade))[:100].tolist()
    scores = [AUC.of([grade[d] for d in docs], n_rel=10, n_nonrel=1) for docs in (good, other)]
    exact = [AUC(n_docs=200).of([grade[d] for d in docs], n_rel=10) for docs in (good, other)]
    assert scores[0] > scores[1] + 0.2
    assert exact[0] > exact[1] + 0.2


def test_one_relevant_document_at_rank_r_has_the_pairwise_error_of_section_6() -> None:
    """(r - 1) / N, whose inverse the paper smooths."""
    for rank in (1, 2, 7):
        lists = [0] * (rank - 1) + [1, 0]
        assert 1 - AUC(n_docs=1001).of(lists, n_rel=1) == pytest.approx((rank - 1) / 1000)


def test_a_lift_far_down_counts_as_many_times_as_it_passes_documents() -> None:
    """robertson2007, section 3.2: rank 2000 to 1000 counts 1000 times as much as rank 2 to 1."""
    score = AUC(n_docs=10_000)
    at = [score.of([0] * (rank - 1) + [1], n_rel=1) for rank in (1, 2, 1000, 2000)]
    assert (at[2] - at[3]) / (at[0] - at[1]) == pytest.approx(1000)


def test_the_area_is_that_under_recall_over_fallout() -> None:
    grades = [1, 0, 1, 1, 0, 0, 1, 0]
    cuts = range(1, 9)
    recall = [0.0, *((R @ k).of(grades) for k in cuts)]
    fallout = [0.0, *(1 - (Specificity @ k).of(grades) for k in cuts)]
    assert AUC.of(grades) == pytest.approx(np.trapezoid(recall, fallout))


def test_a_topic_without_either_kind_has_no_score() -> None:
    for grades in ([0, 0], [1, 1]):
        assert np.isnan(AUC.compute(Rankings.of(grades))[0])
    assert (Specificity @ 2).of([1, 1]) == 1.0  # no non-relevant document is retrieved


def test_a_collection_smaller_than_its_lists_is_refused() -> None:
    with pytest.raises(MeasureError, match="n_docs=3 is less than the 4 documents that a list"):
        AUC(n_docs=3).of([0, 1, -1, 0])
    with pytest.raises(MeasureError, match="n_docs=0 is not from 1 up"):
        AUC(n_docs=0)
