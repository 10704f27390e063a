"""Topics that designs need: statsmodels and scipy by way of `stats`, variances pair by pair, and brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import FTestAnovaPower, TTestPower

import assay
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.scoring.scores import Scores
from tests.builders.arrays import measure_scores


def scores(x: Array) -> Scores:
    measures, runs, topics = (tuple(f"{c}{i}" for i in range(n)) for c, n in zip("mrt", x.shape, strict=True))
    return Scores(measures, runs, topics, x)


def test_a_stated_deviation_needs_what_statsmodels_says() -> None:
    table = assay.topics(sd=0.2, difference=0.03, power=0.9, alpha=0.01).table
    needed = TTestPower().solve_power(effect_size=0.15, alpha=0.01, power=0.9)
    assert table.select("design", "n_topics", "low", "high").rows() == [("paired", np.ceil(needed), None, None)]


def test_two_systems_and_more_are_planned_for_together() -> None:
    rows = assay.topics(sd=0.2 * np.sqrt(2), difference=0.1, systems=4).table.rows_by_key(
        "design", named=True, unique=True
    )
    one_way = FTestAnovaPower().solve_power(effect_size=0.1 / np.sqrt(8) / 0.2, k_groups=4, alpha=0.05, power=0.8) / 4
    assert rows["anova"]["n_topics"] == pytest.approx(one_way, abs=2)  # two-way: fewer degrees of freedom
    assert rows["anova"]["n_systems"] == 4


def test_deviations_are_those_of_the_median_pair_and_of_all_pairs() -> None:
    x = measure_scores(2, 6, 30)
    table = assay.topics(scores(x), width=0.1).table
    for i in range(2):
        variances = [np.var(x[i, a] - x[i, b], ddof=1) for a, b in combinations(range(6), 2)]
        own = table.filter(measure=f"m{i}").rows_by_key("design", named=True, unique=True)
        assert own["paired"]["sd"] == own["interval"]["sd"] == pytest.approx(np.sqrt(np.median(variances)))
        assert own["anova"]["sd"] == pytest.approx(np.sqrt(np.mean(variances)))
        residual = x[i] - x[i].mean(0) - x[i].mean(1, keepdims=True) + x[i].mean()
        assert np.mean(variances) / 2 == pytest.approx((residual**2).sum() / (5 * 29))  # of a two-way analysis


def test_the_interval_is_a_jackknife_of_the_logarithm_of_the_variance_that_allows_for_skewness() -> None:
    x = measure_scores(1, 5, 24)
    row = assay.topics(scores(x), difference=0.02).table.filter(design="anova").row(0, named=True)

    def needed(log_variance: float) -> float:
        stated = assay.topics(sd=float(np.exp(log_variance / 2)), difference=0.02, systems=5).table
        return float(stated.filter(design="anova")["n_topics"][0])

    def mean_variance(values: Array) -> float:
        return float(np.mean([np.var(a - b, ddof=1) for a, b in combinations(values, 2)]))

    left = np.log([mean_variance(np.delete(x[0], topic, axis=1)) for topic in range(24)])
    influence = left.mean() - left
    error = np.sqrt(23 / 24 * (influence**2).sum())
    t = stats.t((influence**2).sum() ** 2 / (influence**4).sum()).ppf(0.975)
    shift = stats.skew(influence) * (1 + 2 * stats.norm.ppf(0.975) ** 2) / (6 * np.sqrt(24))
    ends = np.log(mean_variance(x[0])) + (shift + np.array([-t, t])) * error
    assert (row["low"], row["high"]) == tuple(map(needed, ends))


def test_the_curve_is_the_inverse_of_the_table() -> None:
    result = assay.topics(sd=0.2, difference=0.04, systems=6, width=0.08, n_topics="20-22,100")
    for row in result.tables["curve"].iter_rows(named=True):
        same = {"difference": row["size"] * (1 + 1e-9), "width": row["size"] * (1 + 1e-9)}
        again = assay.topics(sd=0.2, systems=6, **same).table
        assert again.filter(design=row["design"])["n_topics"].to_list() == [row["n_topics"]]
    assert result.tables["curve"]["n_topics"].unique().sort().to_list() == [20, 21, 22, 100]
    assert [chart.name for chart in result.charts] == ["detectable"]


@pytest.mark.parametrize("n", [50, 100])
def test_the_estimate_is_within_a_tenth_of_brute_force_in_the_median(n: int) -> None:
    """Brute force: the number of topics of which eight samples in ten of skewed scores are significant."""
    rng = np.random.default_rng(n)
    difference, sd = 0.1, 0.25

    def pair(shape: tuple[int, ...]) -> Array:
        d = rng.gamma(1.5, 1.0, shape) - rng.gamma(1.5, 1.0, shape)
        return np.stack([d * sd / np.sqrt(3), np.zeros(shape)])

    true = next(k for k in range(30, 90) if _power(pair((6000, k))[0] + difference) >= 0.8)
    estimates = [
        assay.topics(scores(pair((n,))[None]), difference=difference).table["n_topics"][0] for _ in range(150)
    ]
    assert np.median(estimates) == pytest.approx(true, rel=0.1)


def _power(d: Array) -> float:
    t = d.mean(-1) / d.std(-1, ddof=1) * np.sqrt(d.shape[-1])
    return float((np.abs(t) > stats.t.ppf(0.975, d.shape[-1] - 1)).mean())


def test_the_sentence_says_the_upper_end() -> None:
    result = assay.topics(scores(measure_scores(2, 6, 30)), difference=0.02)
    row = result.table.row(0, named=True)
    (first,) = result.sentences  # of the first measure, and of two runs
    assert f"{row['high']:,} topics" in first.text
    assert (first.value, first.low, first.high) == (row["n_topics"], row["low"], row["high"])


def test_of_an_interval_without_an_upper_end_no_number_is_said() -> None:
    x = np.zeros((1, 2, 12))
    x[0, 0, :2] = 1.0, 1e-4  # without the first topic next to nothing varies
    result = assay.topics(scores(x), difference=0.05)
    row = result.table.row(0, named=True)
    assert (row["low"] is not None, row["n_topics"] is not None, row["high"]) == (True, True, None)
    (one,) = result.sentences
    assert one.status == "inconclusive"


def test_runs_that_do_not_vary_need_no_number() -> None:
    result = assay.topics(scores(np.tile(np.random.default_rng(0).random(20), (1, 3, 1))))
    assert result.table["n_topics"].to_list() == [None, None]
    assert result.sentences == ()
    assert result.charts == ()


def test_what_cannot_be_planned_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    two = scores(np.random.default_rng(0).random((1, 2, 10)))
    for problem, data, asked in (
        ("nothing to plan by", None, {}),
        ("not both", two, {"sd": 0.2}),
        ("--difference is a number above 0", None, {"sd": 0.2, "difference": 0.0}),
        ("--width is a number above 0", None, {"sd": 0.2, "width": -1.0}),
        ("two or more", None, {"sd": 0.2, "systems": 1}),
        ("power 1 is not between", None, {"sd": 0.2, "power": 1.0}),
        ("one run has no other", scores(np.zeros((1, 1, 10))), {}),
    ):
        with pytest.raises(UsageError, match=problem):
            assay.topics(data, **asked)
    assert main(["topics", "--sd", "0.2", "--n-topics", "1"]) == 2
    assert "n-topics" in capsys.readouterr().err


def test_without_an_interval_the_sentence_says_the_estimate_once_and_the_chance() -> None:
    (said,) = assay.topics(sd=0.2, difference=0.05, power=0.9).sentences
    needed = TTestPower().solve_power(effect_size=0.25, alpha=0.05, power=0.9)
    assert f"{int(np.ceil(needed))} topics" in said.text
    assert "with a chance of 90%" in said.text
    assert said.number == "for a deviation of 0.200"


def test_it_says_why_there_is_no_number() -> None:
    alike = assay.topics(scores(np.tile(np.random.default_rng(0).random(20), (1, 3, 1))))
    assert [note.code for note in alike.notes] == ["nothing_varies"]
    far = assay.topics(scores(1e6 * np.random.default_rng(0).random((1, 2, 20))))
    assert [note.code for note in far.notes] == ["too_many_topics"]
    assert "0.05 takes more than 10,000,000 topics" in far.notes[0].text
    one = assay.topics(scores(np.random.default_rng(0).random((1, 2, 1))))
    assert [note.code for note in one.notes] == ["one_topic"]
