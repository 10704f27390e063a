"""Two judges of the study: what is known of them, and what corrected scores cost where they do not help."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.analyses.judges.correction.prediction_powered import corrected
from assay.scoring.judges.judges import Judges
from bench.validity.checks.judges import INTERVALS, KINDS, PLANNED, SAMPLED, SENTENCES, ask
from bench.validity.collections import simulated
from bench.validity.judge_populations import (
    FAVOURED,
    JudgeTruth,
    SampledLabels,
    constant,
    favouring,
    inverted,
    lenient,
    of_judgments,
    rescaled,
    unrelated,
)
from bench.validity.populations import EVERY, population

RNG = np.random.default_rng(5)
HUMAN = np.clip(np.linspace(0.2, 0.6, 12)[:, None] + 0.2 * RNG.normal(size=(2, 12, 3000)), 0, 1)
NAMES = ("AP", "RR")
FEW = simulated("few", n_runs=5, top=3, n_topics=30, depth=40)


def _known(title: str, truth: JudgeTruth, n_topics: int = 25) -> dict[tuple[str, ...], float]:
    check = next(one for one in INTERVALS if one.name == f"judges: {title}")
    assert check.known is not None
    return dict(check.known(truth, n_topics))


def test_a_lenient_judge_changes_nothing_but_the_mean() -> None:
    truth = lenient("lenient", HUMAN, NAMES, seed=1)
    np.testing.assert_allclose(list(_known("interaction", truth).values()), 0, atol=1e-12)
    np.testing.assert_allclose(list(_known("shift", truth).values()), 0.1)
    np.testing.assert_allclose(list(_known("shift of a run beyond scale", truth).values()), 0, atol=1e-12)


def test_a_narrower_scale_leaves_nothing_beyond_it() -> None:
    truth = rescaled("rescaled", HUMAN, NAMES, seed=1)
    np.testing.assert_allclose(list(_known("slope", truth).values()), 0.6)
    np.testing.assert_allclose(list(_known("shift of a run beyond scale", truth).values()), 0, atol=1e-12)
    assert min(_known("shift of a run", truth).values()) < -0.05


def test_a_run_that_is_favoured_is_shifted_by_what_it_gets_beyond_the_others() -> None:
    shifts = _known("shift of a run", favouring("favouring", HUMAN, NAMES, seed=1))
    assert shifts["AP", "r00"] == pytest.approx(FAVOURED * (1 - 5 / 11))
    assert shifts["AP", "r01"] == pytest.approx(-FAVOURED * 6 / 11)


def test_judges_that_change_places_have_one_mean_and_labels_of_both() -> None:
    truth = replace(of_judgments("few", FEW, inverted(FEW.qrels), "nDCG@10", exchanged=True), extra=2)
    assert (truth.means()[0] == truth.means()[1]).all()
    sample = truth.sample(10, np.random.default_rng(0))
    assert sample.labels is not None
    grade, topic = sample.labels.grade, sample.labels.topic
    np.testing.assert_array_equal(np.isnan(grade[0]), topic >= 10)
    np.testing.assert_allclose(grade[0] + grade[1], np.where(topic < 10, 3, np.nan))
    assert len(set(topic[grade[0] < grade[1]])) > 5


def test_drawn_systems_are_other_runs_each_time_and_every_second_one_is_favoured() -> None:
    truth = JudgeTruth("drawn", NAMES, np.stack([HUMAN, HUMAN]), drawn=4, favour=0.1)
    assert truth.kind == "systems"
    human, model = (one.value for one in truth.sample(8, np.random.default_rng(0)).scores)
    assert human.shape == (2, 4, 8)
    np.testing.assert_allclose((model - human)[:, :, 0], [[0.1, 0, 0.1, 0]] * 2, atol=1e-12)


def test_a_model_asked_twice_has_two_labels_of_every_document() -> None:
    truth = of_judgments("twice", FEW, FEW.qrels, "nDCG@10", again=constant(FEW.qrels))
    labels = truth.sample(10, np.random.default_rng(0)).labels
    assert labels is not None
    assert labels.repeats[0].pair.size == 0
    assert (np.bincount(labels.repeats[1].pair) == 2).all()
    assert set(labels.repeats[1].grade[1::2]) == {1.0}


@pytest.mark.parametrize("n_topics", [25, 50])
def test_scores_corrected_by_a_model_that_is_worth_nothing_are_hardly_wider(n_topics: int) -> None:
    truth, rng = unrelated("unrelated", HUMAN, NAMES, seed=1), np.random.default_rng(4)
    ratios = []
    for _ in range(200):
        human, model = (one.value[0] for one in truth.sample(n_topics, rng).scores)
        ratios.append(corrected(human, model, level=0.95).width_ratio.mean())
    assert np.mean(ratios) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("name", [name for name in EVERY if name.startswith("judges")])
def test_every_interval_of_judges_has_a_known_value(name: str, data: Path) -> None:
    truth = population(name)
    settings = next((own for own, kind in KINDS.items() if kind == truth.kind), PLANNED)
    sample = truth.sample(25, np.random.default_rng(0))
    assert isinstance(sample, Judges)
    result = ask(sample, **dict(settings))
    for check in (one for one in INTERVALS if one.settings == settings and one.known):
        assert check.known is not None
        rows = {key for key, *_ in check.rows(result)}
        assert rows <= set(check.known(truth, 25)), check.name
    for sentence in (one for one in SENTENCES if one.settings == settings):
        sentence.claim(result)


def test_labels_of_a_sample_are_those_that_had_a_chance() -> None:
    truth = SampledLabels("sampled", ("DCG@10",), FEW, constant(FEW.qrels))
    sample = truth.sample(20, np.random.default_rng(0))
    assert sample.labels is not None
    human, model = sample.labels.judged()
    assert model.all()
    assert human.mean() == pytest.approx(0.5, abs=0.03)
    table = ask(sample, **dict(SAMPLED)).tables["sampled"]
    assert table["n_labels"].to_list() == [human.sum()] * FEW.n_runs
