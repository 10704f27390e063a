"""The populations of the study: nulls are exact, copulas keep the margins, samples come from where they should."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.validity.truths import CHOICE, CONFIRMATION, Truth, copula, one_mean, track

MADE = Truth("made", ("AP",), np.arange(12.0).reshape(1, 3, 4))


def test_a_sample_holds_topics_of_the_population_whole() -> None:
    drawn = MADE.draw(50, np.random.default_rng(0))[0].T
    assert {tuple(topic) for topic in drawn} == {tuple(topic) for topic in MADE.population[0].T}


def test_weights_say_how_likely_a_topic_is_drawn() -> None:
    weighted = Truth("made", ("AP",), MADE.population, weight=np.array([0.0, 1.0, 3.0, 0.0]))
    drawn = weighted.draw(4000, np.random.default_rng(0))[0, 0]
    assert set(drawn) == {1.0, 2.0}
    assert (drawn == 2.0).mean() == pytest.approx(0.75, abs=0.03)
    np.testing.assert_allclose(weighted.means(), [[1.75, 5.75, 9.75]])


def test_exchangeable_runs_have_one_mean_and_keep_every_score() -> None:
    truth = Truth("made", ("AP", "RR"), np.concatenate([MADE.population, MADE.population + 100]), exchanged=True)
    drawn = truth.draw(3000, np.random.default_rng(0))
    np.testing.assert_allclose(truth.means()[0], 5.5)
    np.testing.assert_allclose(drawn[0].mean(-1), 5.5, atol=0.3)
    np.testing.assert_array_equal(drawn[1], drawn[0] + 100)  # measures of one run stay together


def test_without_again_no_topic_comes_twice() -> None:
    drawn = Truth("made", ("AP",), MADE.population, again=False).draw(4, np.random.default_rng(0))
    assert len(set(drawn[0, 0])) == 4


def test_weighted_topics_give_all_runs_one_mean_without_changing_a_score(data: Path) -> None:
    truth = one_mean("null", "confint/terabyte2006", "recip_rank")
    np.testing.assert_allclose(truth.means(), truth.means()[0, 0], atol=1e-9)
    assert np.unique(1 / truth.population[truth.population > 0]).size < 200  # still reciprocal ranks
    assert truth.weight is not None
    assert 1 / (truth.weight**2).sum() > 50  # as good as so many topics of equal weight


def test_a_copula_keeps_margins_and_correlations(data: Path) -> None:
    real, made = (
        track("confint/terabyte2006", ("map", "P_10"), n_runs=5),
        copula("made", "confint/terabyte2006", ("map", "P_10"), n_runs=5),
    )
    np.testing.assert_allclose(made.means(), real.mean(-1), atol=0.01)
    assert set(np.unique(made.population[1])) <= set(np.unique(real[1]))  # a precision stays one
    before, after = (np.corrcoef(x.reshape(10, -1)) for x in (real, made.population))
    np.testing.assert_allclose(before, after, atol=0.2)  # shrunken, since there are more cells than topics


def test_what_confirms_is_not_what_was_chosen_on() -> None:
    assert not set(CHOICE) & set(CONFIRMATION)
