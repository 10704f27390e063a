"""Margins: variance components are those of all scores; rough values are as close as they were measured to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from assay.core.errors import UsageError
from assay.scoring.margins import Margins, add_margins
from assay.stats.margins import components_from_margins, rough_power, rough_self_predictivity
from assay.stats.variance import mean_squares


def test_margins_give_the_components_that_all_scores_give() -> None:
    x = np.random.default_rng(3).normal(size=(9, 14)) + np.arange(9)[:, None] / 3
    all_scores = mean_squares(x).components
    margins = components_from_margins(x.mean(1), x.mean(0), x.std(0, ddof=1))
    for source in ("run", "topic", "interaction"):
        assert getattr(margins, source) == pytest.approx(getattr(all_scores, source), rel=1e-12)


def test_one_topic_or_one_run_is_refused() -> None:
    with pytest.raises(UsageError, match="one topic"):
        components_from_margins(np.array([0.1, 0.2]), np.array([0.1]), np.array([0.1]))
    with pytest.raises(UsageError, match="one run"):
        components_from_margins(np.array([0.1]), np.array([0.1, 0.2]), np.array([0.0, 0.0]))


def test_rough_power_is_the_share_of_pairs_beyond_one_critical_difference() -> None:
    means, rest, n = np.array([0.1, 0.15, 0.2, 0.32]), 0.02, 30
    least = stats.t.ppf(0.975, n - 1) * np.sqrt(2 * rest / n)
    pairs = [abs(a - b) > least for i, a in enumerate(means) for b in means[i + 1 :]]
    assert rough_power(means, rest, n) == pytest.approx(np.mean(pairs))


def test_rough_self_predictivity_is_tau_of_simulated_halves() -> None:
    rng = np.random.default_rng(11)
    effects, noise = rng.normal(0, 0.1, (400, 1)), rng.normal(0, 0.3, (400, 100))
    x = effects + noise
    one, other = x[:, :50].mean(1), x[:, 50:].mean(1)
    tau = stats.kendalltau(one, other).statistic
    rest = float(components_from_margins(x.mean(1), x.mean(0), x.std(0, ddof=1)).interaction)
    assert rough_self_predictivity(x.mean(1), rest, 100) == pytest.approx(tau, abs=0.03)


def test_means_that_vary_less_than_chance_predict_nothing() -> None:
    assert np.isnan(rough_self_predictivity(np.array([0.2, 0.2, 0.2]), 0.01, 50))


def test_margins_that_do_not_belong_together_give_nothing() -> None:
    means = np.array([0.1, 0.2, 0.4])
    for rest in (-0.01, 0.0):
        assert np.isnan(rough_power(means, rest, 50))
        assert np.isnan(rough_self_predictivity(means, rest, 50))


# track, task, file, measure; run, topic, rest to 6 decimals (README of the factors); rough power (audit of the
# papers, computed with numpy and scipy apart from assay), what the paper prints
TREC_8 = (0.009108, 0.026472, 0.013608)
ROUGH = [
    ({"track": "TREC-8 adhoc"}, "trec8.adhoc", "AP", 0.666),
    ({"track": "TREC-5 adhoc", "task": "A"}, "trec5.adhoc", "AP", 0.600),
    ({"track": "TREC-10 (2001) web"}, "trec2001.web", "AP", 0.591),
    ({"track": "TREC 2005 terabyte", "task": "adhoc"}, "trec2005.tb", "P@10", 0.539),
]


def _margins(data: Path, track: dict[str, str], file: str) -> Margins:
    folder = data / "standardization-factors"
    means = add_margins(Margins(), "means", [str(data / "trec-system-means" / "means.tsv.gz")], track=track)
    return add_margins(means, "factors", [str(folder / f"{file}.mn.csv"), str(folder / f"{file}.sd.csv")])


def test_components_of_trec_8_are_those_of_the_factors_readme(data: Path) -> None:
    of = components_from_margins(*_margins(data, {"track": "TREC-8 adhoc"}, "trec8.adhoc").of("AP"))
    assert (of.run, of.topic, of.interaction) == pytest.approx(TREC_8, abs=5e-7)


@pytest.mark.parametrize(("track", "file", "measure", "power"), ROUGH, ids=lambda value: str(value)[:20])
def test_rough_power_is_that_computed_apart(
    track: dict[str, str], file: str, measure: str, power: float, data: Path
) -> None:
    run_means, topic_means, topic_sds = _margins(data, track, file).of(measure)
    rest = float(components_from_margins(run_means, topic_means, topic_sds).interaction)
    assert rough_power(run_means, rest, topic_means.size) == pytest.approx(power, abs=5e-4)


@pytest.mark.parametrize(("measure", "tau"), [("P@10", 0.57), ("RR", 0.34), ("AP", 0.73)])
def test_rough_self_predictivity_of_terabyte_2004_is_that_computed_apart(
    measure: str, tau: float, data: Path
) -> None:
    margins = _margins(data, {"track": "TREC 2004 terabyte"}, "trec2004.tb")
    run_means, topic_means, topic_sds = margins.of(measure)
    best = np.argsort(-margins.run_means["AP"])[: len(margins.runs) * 3 // 4]
    rest = float(components_from_margins(run_means, topic_means, topic_sds).interaction)
    assert rough_self_predictivity(run_means[best], rest, topic_means.size) == pytest.approx(tau, abs=0.006)
