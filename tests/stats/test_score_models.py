"""Score distributions: shares, densities and thresholds that belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.core.errors import UsageError
from assay.stats.score_models import (
    Distribution,
    Exponential,
    Gamma,
    Normal,
    Pair,
    Tabulated,
    Transformed,
    empirical,
    normal_exponential,
    normal_normal,
)

RAISED = Transformed(Normal(1.0, 0.25), np.exp, np.log, np.exp)
ALL: list[Distribution] = [
    Normal(1.0, 0.25),
    Exponential(0.1),
    Gamma(10.0, 0.1),
    Gamma(0.5, 2.0),
    Tabulated(np.array([0.0, 1.0, 3.0]), np.array([1.0, 0.25, 0.0])),
    RAISED,
]
NAMES = ["normal", "exponential", "gamma", "steep gamma", "tabulated", "transformed"]


@pytest.mark.parametrize("one", ALL, ids=NAMES)
def test_a_threshold_is_where_the_share_above_is_as_asked(one: Distribution) -> None:
    share = np.array([1e-12, 1e-5, 0.01, 0.2, 0.5, 0.9, 0.999])
    assert one.survival(one.threshold(share)) == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize("one", ALL, ids=NAMES)
def test_a_density_is_what_the_share_above_loses(one: Distribution) -> None:
    score = one.threshold(np.array([0.9, 0.7, 0.4, 0.1, 0.01]))
    step = 1e-6 * score
    slope = (one.survival(score - step) - one.survival(score + step)) / (2 * step)
    assert one.density(score) == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize(
    ("one", "theirs"),
    [
        (Normal(1.0, 0.25), stats.norm(1.0, 0.25)),
        (Exponential(0.1), stats.expon(scale=0.1)),
        (Gamma(10.0, 0.1), stats.gamma(10.0, scale=0.1)),
    ],
    ids=["normal", "exponential", "gamma"],
)
def test_distributions_are_those_of_scipy(one: Distribution, theirs: Any) -> None:
    score = np.array([-0.5, 0.0, 0.05, 0.3, 1.0, 2.5])
    assert one.survival(score) == pytest.approx(theirs.sf(score), rel=1e-10)
    assert one.density(score[2:]) == pytest.approx(theirs.pdf(score[2:]), rel=1e-10)


def test_gamma_with_shape_one_is_exponential() -> None:
    score = np.linspace(0.0, 2.0, 9)
    assert Gamma(1.0, 0.1).survival(score) == pytest.approx(Exponential(0.1).survival(score), rel=1e-12)


def test_the_threshold_of_a_gap_is_its_upper_end() -> None:
    gap = Tabulated(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.5, 0.5, 0.0]))
    assert gap.threshold(0.5) == 2.0
    assert gap.density(1.5) == 0.0


def test_a_run_gives_the_pair_that_its_scores_show() -> None:
    pair = empirical([3.0, 1.0], [2.0, 0.0], n_relevant=4, n_nonrelevant=100)
    between = np.array([2.5, 1.5, 0.5])
    assert pair.relevant.survival(between) == pytest.approx([1 / 4, 1 / 4, 2 / 4])
    assert pair.nonrelevant.survival(between) == pytest.approx([0, 1 / 100, 1 / 100])
    assert pair.relevant.survival(-0.5) == pair.relevant.survival(-0.4999) == pytest.approx(2 / 4, abs=1e-3)
    assert pair.curve(0.25) == 0.0
    assert pair.curve(1.0) == pytest.approx(1.0)


def test_documents_with_equal_scores_share_their_place() -> None:
    pair = empirical([1.0, 1.0], [1.0, 0.0])
    assert pair.curve([0.5, 1.0]) == pytest.approx([0.25, 0.5])


def test_a_run_with_one_score_has_a_pair_all_the_same() -> None:
    pair = empirical([7.0], [7.0], n_nonrelevant=10)
    assert pair.curve(0.5) == pytest.approx(0.05)


def test_named_pairs_are_made_of_the_kinds_they_name() -> None:
    assert normal_exponential() == Pair(Normal(1.0, 0.25), Exponential(0.1))
    assert normal_normal(2.0, 0.5) == Pair(Normal(2.0, 0.5), Normal(0.0, 0.5))
    assert normal_normal(nonrelevant_sd=0.1).nonrelevant == Normal(0.0, 0.1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Normal(0.0, 0.0), "standard deviation of a normal distribution is 0"),
        (lambda: Exponential(-1.0), "mean of an exponential distribution is -1"),
        (lambda: Gamma(1.0, np.inf), "scale of a gamma distribution is inf"),
        (lambda: Tabulated(np.array([1.0, 1.0]), np.array([1.0, 0.0])), "no density"),
        (lambda: Tabulated(np.array([1.0, 2.0]), np.array([1.0, 0.5])), "fall from 1 to 0"),
        (lambda: Tabulated(np.array([1.0]), np.array([1.0])), "two scores or more"),
        (lambda: empirical([], [1.0]), "relevant documents: 0 of them"),
        (lambda: empirical([1.0, 2.0], [1.0], n_relevant=1), "2 scores of relevant documents, but only 1"),
        (lambda: empirical([np.nan], [1.0]), "all finite"),
    ],
)
def test_what_is_no_distribution_is_refused(make: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()  # type: ignore[operator]
