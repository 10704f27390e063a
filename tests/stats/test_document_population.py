"""Populations of documents: exact values by two quadratures, closed forms, invariance.

Reference values are those of tests/reference/document_populations.py; the second model is N(1, 0.25) and N(0, 0.25).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate, special

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.stats.document_population import Axis, DocumentPopulation, precision, quadrature
from assay.stats.score_models import Gamma, Normal, Pair, Tabulated, normal_exponential, normal_normal

FIRST, SECOND = normal_exponential(), normal_normal()
GAMMAS = Pair(Gamma(10.0, 0.1), Gamma(1.0, 0.1))
MILLIONS = 128 / 12_800_000
FULL = 128 / 12_800_128
FEWER, FEWER_FULL = 128 / 3_200_000, 128 / 3_200_128
AXES: tuple[Axis, Axis] = ("recall", "score")


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(
    ("generality", "first", "second"),
    [
        (MILLIONS, 0.140158, 0.320724),
        (FULL, 0.140157, 0.320723),
        (FEWER, 0.332174, 0.455872),
        (FEWER_FULL, 0.332168, 0.455868),
    ],
)
def test_j_is_that_of_the_reference(axis: Axis, generality: float, first: float, second: float) -> None:
    assert DocumentPopulation(FIRST, generality).average_precision(axis) == pytest.approx(first, abs=1e-6)
    assert DocumentPopulation(SECOND, generality).average_precision(axis) == pytest.approx(second, abs=1e-6)


@pytest.mark.parametrize("pair", [FIRST, SECOND, GAMMAS, normal_normal(nonrelevant_sd=0.4)])
def test_two_quadratures_give_the_same_integrals(pair: Pair) -> None:
    model = DocumentPopulation(pair, FULL)
    for value in (model.average_precision, model.log_precision, model.pairwise_error):
        assert value("score") == pytest.approx(value("recall"), abs=1e-12)
    for axis in AXES:
        assert quadrature(pair, axis).weight.sum() == pytest.approx(1.0, abs=1e-12)


def test_j_is_that_of_an_adaptive_quadrature() -> None:
    def at(u: float) -> float:
        s = 1 - 0.25 * special.ndtri(u)
        return float(u / (u + (1 / MILLIONS - 1) * np.exp(-10 * max(s, 0.0))))

    value, _ = integrate.quad(at, 0, 1, points=(1e-4, 1e-2, 0.1), epsabs=1e-12, epsrel=1e-12, limit=500)
    assert DocumentPopulation(FIRST, MILLIONS).average_precision() == pytest.approx(value, abs=1e-10)


def test_quantities_at_thresholds_are_those_of_the_reference() -> None:
    first, second = DocumentPopulation(FIRST, MILLIONS), DocumentPopulation(SECOND, MILLIONS)
    assert first.precision_at_recall([0.1, 0.5, 0.9]) == pytest.approx([0.351689, 0.099207, 0.007985], abs=1e-6)
    assert second.precision_at_recall([0.1, 0.5, 0.9]) == pytest.approx([0.939809, 0.136348, 0.002737], abs=1e-6)
    share = 320 / 12_800_000
    assert first.threshold(share) == pytest.approx(1.076165, abs=1e-6)
    assert second.threshold(share) == pytest.approx(1.025698, abs=1e-6)
    assert first.precision_at_share(share) == pytest.approx(0.152125, abs=1e-6)
    assert second.precision_at_share(share) == pytest.approx(0.183625, abs=1e-6)
    assert first.precision_at_share(10 / 12_800_000) == pytest.approx(0.418942, abs=1e-6)
    assert second.precision_at_share(10 / 12_800_000) == pytest.approx(0.965252, abs=1e-6)


def test_log_precision_and_discounts_are_those_of_the_reference() -> None:
    assert DocumentPopulation(FIRST, MILLIONS).log_precision() == pytest.approx(2.676080, abs=1e-6)
    assert DocumentPopulation(FIRST, FULL).log_precision() == pytest.approx(2.676088, abs=1e-6)
    assert DocumentPopulation(SECOND, MILLIONS).log_precision() == pytest.approx(2.523729, abs=1e-6)
    powers = [DocumentPopulation(FIRST, FULL).power_discount(a) for a in (0.25, 0.5, 0.75)]
    assert powers == pytest.approx([0.585275, 0.429115, 0.341953], abs=1e-6)
    powers = [DocumentPopulation(SECOND, FULL).power_discount(a) for a in (0.25, 0.5)]
    assert powers == pytest.approx([0.675493, 0.647921], abs=1e-6)


def test_the_steepest_power_discount_is_that_of_a_quadrature_that_knows_its_pole() -> None:
    def at(w: float) -> float:  # u = w^4 takes u^-0.75 du into 4 dw
        u = w**4
        return float(4 * (u / (u + 1e5 * special.ndtr(special.ndtri(u) - 4))) ** 0.75)

    value, _ = integrate.quad(at, 1e-60, 1, points=(0.05, 0.1, 0.3), epsabs=1e-11, limit=400)
    assert DocumentPopulation(SECOND, FULL).power_discount(0.75) == pytest.approx(0.25 * value, abs=1e-6)
    assert 0.25 * value == pytest.approx(0.758189, abs=1e-6)


@pytest.mark.parametrize("axis", AXES)
def test_pairwise_error_has_closed_forms(axis: Axis) -> None:
    mean, sd, fall = 1.0, 0.25, 10.0
    closed = np.exp(-fall * mean + (fall * sd) ** 2 / 2) * special.ndtr((mean - fall * sd**2) / sd)
    closed += special.ndtr(-mean / sd)
    assert DocumentPopulation(FIRST, 0.1).pairwise_error(axis) == pytest.approx(closed, abs=1e-13)
    assert closed == pytest.approx(0.000995937, abs=1e-9)
    assert DocumentPopulation(SECOND, 0.1).pairwise_error(axis) == pytest.approx(
        special.ndtr(-4 / np.sqrt(2)), abs=1e-13
    )
    wide = DocumentPopulation(normal_normal(nonrelevant_sd=0.5), 0.1).pairwise_error(axis)
    assert wide == pytest.approx(special.ndtr(-1 / np.hypot(0.25, 0.5)), abs=1e-13)
    # the chance that a gamma variable of shape a and scale 1 exceeds one of shape b and scale 1: a beta integral
    gammas = DocumentPopulation(Pair(Gamma(5.0, 1.0), Gamma(2.0, 1.0)), 0.1).pairwise_error(axis)
    assert gammas == pytest.approx(special.betainc(5.0, 2.0, 0.5), abs=1e-12)


@pytest.mark.parametrize("axis", AXES)
def test_j_has_a_closed_form_where_scores_are_in_blocks(axis: Axis) -> None:
    """Relevant scores between 1 and 2, a share of the non-relevant ones above 2: J is 1 - a ln(1 + 1/a)."""
    share, generality = 1e-4, 1e-3
    blocks = Tabulated(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, share, share, 0.0]))
    model = DocumentPopulation(Pair(Tabulated(np.array([1.0, 2.0]), np.array([1.0, 0.0])), blocks), generality)
    a = model.odds * share
    assert model.average_precision(axis) == pytest.approx(1 - a * np.log1p(1 / a), abs=1e-12)


def test_a_share_that_ends_in_a_gap_has_a_precision_all_the_same() -> None:
    relevant = Tabulated(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.5, 0.5, 0.0]))
    other = Tabulated(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.25, 0.25, 0.0]))
    model = DocumentPopulation(Pair(relevant, other), 0.5)
    share = float(model.retrieved(1.5))
    assert relevant.density(1.5) == other.density(1.5) == 0.0
    assert model.precision_at_share(share) == pytest.approx(2 / 3)
    assert model.precision([1.0, 1.2, 2.0]) == pytest.approx([2 / 3] * 3)


TRANSFORMATIONS: dict[str, tuple[Callable[[Array], Array], ...]] = {
    "exp": (np.exp, np.log, np.exp),
    "cube": (lambda s: s**3 + s, lambda s: _root(s), lambda s: 3 * s**2 + 1),
    "arctan": (np.arctan, np.tan, lambda s: 1 / (1 + s**2)),
}


def _root(y: Array) -> Array:
    """The one real root of s^3 + s = y."""
    return np.asarray(2 / np.sqrt(3) * np.sinh(np.arcsinh(1.5 * np.sqrt(3) * y) / 3))


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("pair", [FIRST, SECOND, GAMMAS])
def test_all_values_survive_a_monotone_transformation(pair: Pair, name: str) -> None:
    forward = TRANSFORMATIONS[name][0]
    before, after = DocumentPopulation(pair, FULL), DocumentPopulation(pair.transformed(*TRANSFORMATIONS[name]), FULL)
    for value in ("average_precision", "log_precision", "pairwise_error"):
        for axis in AXES:
            assert getattr(after, value)(axis) == pytest.approx(getattr(before, value)("recall"), abs=1e-7)
    share = 320 / 12_800_128
    assert after.precision_at_share(share) == pytest.approx(before.precision_at_share(share), abs=1e-7)
    assert after.threshold(share) == pytest.approx(float(forward(np.array(before.threshold(share)))), rel=1e-6)
    t = np.array([0.4, 0.9, 1.3])
    assert after.recall(forward(t)) == pytest.approx(before.recall(t), rel=1e-9)
    assert after.fallout(forward(t)) == pytest.approx(before.fallout(t), rel=1e-9)
    assert after.precision(forward(t)) == pytest.approx(before.precision(t), rel=1e-9)


def test_precision_of_the_first_model_falls_again_at_the_very_top() -> None:
    model = DocumentPopulation(FIRST, FULL)
    # from the reference: the peak, and H at 1.75, 2 and 2.5
    assert float(model.precision(1.535621)) == pytest.approx(0.428723, abs=1e-6)
    assert model.precision([1.75, 2.0, 2.5]) == pytest.approx([0.350, 0.133, 0.0007], abs=5e-4)


def test_a_second_model_of_the_same_j_is_where_the_reference_has_it() -> None:
    assert DocumentPopulation(normal_normal(nonrelevant_mean=0.125751), FULL).average_precision() == pytest.approx(
        0.140157, abs=1e-5
    )


def test_precision_where_nothing_is_retrieved_is_not_a_number() -> None:
    assert np.isnan(precision(np.array(0.0), np.array(0.0), 10.0))


@pytest.mark.parametrize(
    ("generality", "said"),
    [
        (0.0, "nothing is relevant"),
        (1.0, "every precision is 1"),
        (-0.5, "between 0 and 1"),
        (np.nan, "between 0 and 1"),
    ],
)
def test_a_generality_that_leaves_nothing_to_measure_is_refused(generality: float, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        DocumentPopulation(FIRST, generality)


@pytest.mark.parametrize("ask", [lambda m: m.threshold(0.0), lambda m: m.power_discount(1.0)])
def test_a_share_or_power_out_of_its_limits_is_refused(ask: Callable[[DocumentPopulation], float]) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        ask(DocumentPopulation(Pair(Normal(1.0, 1.0), Normal(0.0, 1.0)), 0.5))
