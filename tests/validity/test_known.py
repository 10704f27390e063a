"""What is known of a population: against closed forms, simple populations and large samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.analyses.agreement.analysis import agreement
from assay.analyses.reliability.analysis import reliability
from assay.analyses.subset.analysis import subset
from assay.analyses.swap.analysis import swap
from assay.stats.variance import COEFFICIENTS, SOURCES, mean_squares
from bench.validity.checks import INTERVALS, SENTENCES
from bench.validity.known import best_runs, is_null, true_components, true_ratios, true_swaps, true_taus
from bench.validity.truths import Truth

RNG = np.random.default_rng(3)
QUALITY = np.linspace(0.2, 0.6, 12)[:, None]
NORMAL = QUALITY + 0.1 * RNG.normal(size=(2, 1, 20_000)) + 0.3 * RNG.normal(size=(2, 12, 20_000))
TRUTH = Truth("normal scores", ("AP", "RR"), NORMAL, again=False)


def test_variances_are_those_of_a_sample_of_all_topics() -> None:
    whole, true = mean_squares(NORMAL), true_components(TRUTH)
    for source in SOURCES:
        np.testing.assert_allclose(getattr(true, source), getattr(whole.components, source), rtol=0.01)
    for of in COEFFICIENTS:
        np.testing.assert_allclose(true_ratios(TRUTH, of), whole.ratio(of), rtol=0.01)


def test_runs_of_one_mean_have_no_variance_and_no_ranking() -> None:
    null = Truth("exchanged", ("AP", "RR"), NORMAL, exchanged=True)
    assert is_null(null)
    assert not is_null(TRUTH)
    assert true_ratios(null, "phi").tolist() == [0, 0]
    assert true_taus(null, 25).tolist() == [0, 0]


def test_the_worst_quarter_goes_by_the_first_measure() -> None:
    assert best_runs(TRUTH).tolist() == list(range(3, 12))


@pytest.mark.parametrize("n_topics", [25, 100])
def test_the_tau_with_the_true_ranking_is_that_of_normal_means(n_topics: int) -> None:
    """A pair is in order as often as a normal variable is above minus its difference in standard errors."""
    apart = np.abs(QUALITY - QUALITY.T)[np.triu_indices(12, 1)]
    expected = float(np.mean(2 * stats.norm.cdf(apart / (0.3 * np.sqrt(2 / n_topics))) - 1))
    assert true_taus(TRUTH, n_topics) == pytest.approx(expected, abs=0.01)


def test_the_swap_rate_is_that_of_normal_means() -> None:
    apart = np.abs(QUALITY - QUALITY.T)[np.triu_indices(12, 1)]
    right = stats.norm.cdf(apart / (0.3 * np.sqrt(2 / 25)))
    assert true_swaps(TRUTH, 25, width=0.01)[0].rate == pytest.approx(
        float(np.mean(2 * right * (1 - right))), abs=0.01
    )


@pytest.mark.parametrize("analysis", [agreement, reliability, subset, swap])
def test_every_cell_with_an_interval_has_a_known_value(analysis: object) -> None:
    """What is known must have the keys that the analysis shows, and its claims must be readable."""
    name = analysis.__name__  # type: ignore[attr-defined]
    result = analysis(TRUTH.sample(24, np.random.default_rng(0)))  # type: ignore[operator]
    for check in (c for c in INTERVALS if c.analysis == name and not c.settings):
        rows = list(check.rows(result))
        assert rows, check.name
        if check.known:
            assert {key for key, *_ in rows} <= set(check.known(TRUTH, 24)), check.name
    for sentence in (s for s in SENTENCES if s.analysis == name):
        sentence.claim(result)
