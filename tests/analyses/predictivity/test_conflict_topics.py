"""The topics that would settle a conflict between two measures: against statsmodels, scipy and plain loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import nct, ttest_rel
from scipy.stats import t as student
from statsmodels.stats.power import TTestPower

from assay.analyses.predictivity.analysis import predictivity
from assay.analyses.predictivity.conflict_topics import (
    median_topics,
    paired_differences,
    significant_differences,
    topics_to_separate,
)
from assay.core.errors import UsageError
from assay.scoring.scores import Scores
from assay.stats.significance.paired_t import t_test
from tests.builders.arrays import measure_scores


def scores(n_runs: int = 8, n_topics: int = 20, *, seed: int = 2) -> Scores:
    x = measure_scores(2, n_runs, n_topics, seed=seed)
    runs, topics = (tuple(f"{w}{i}" for i in range(n)) for w, n in (("r", n_runs), ("t", n_topics)))
    return Scores(("a", "b"), runs, topics, x)


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9), (0.1, 0.5)])
def test_topics_are_those_of_statsmodels(alpha: float, power: float) -> None:
    effects = np.array([0.02, 0.1, 0.31, 0.5, 1.0, 1.7])
    solver = TTestPower()
    exact = [solver.solve_power(effect_size=e, alpha=alpha, power=power) for e in effects]
    assert topics_to_separate(effects, np.ones(6), alpha, power).tolist() == np.ceil(exact).tolist()


def test_one_topic_fewer_has_not_the_power() -> None:
    """By scipy's noncentral t."""
    effect = np.array([0.15, 0.4, 0.9, 2.0])
    needed = topics_to_separate(effect, np.ones(4), 0.05, 0.8)
    for n, enough in ((needed, True), (needed - 1, False)):
        far, centre = student.ppf(0.975, n - 1), effect * np.sqrt(n)
        reached = nct.sf(far, n - 1, centre) + nct.cdf(-far, n - 1, centre) >= 0.8
        assert reached.tolist() == [enough] * 4


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.001, 0.8), (0.05, 0.99)])
def test_large_differences_take_as_few_topics_as_their_power_allows(alpha: float, power: float) -> None:
    """Where scipy has no number for the far tail, and where the deviation of two topics is the only doubt."""
    effect = np.array([3.0, 5.0, 8.0, 14.0])
    needed = topics_to_separate(effect, np.ones(4), alpha, power)
    for n, enough in ((needed, True), (needed - 1, False)):
        for e, size in zip(effect, n, strict=True):
            reached = size > 1 and nct.sf(student.isf(alpha / 2, size - 1), size - 1, e * np.sqrt(size)) >= power
            assert reached == enough
    x = np.random.default_rng(0).normal(size=(200_000, 2)) + 20.0
    far = student.isf(0.005, 1)
    share = (np.abs(x.mean(1) / x.std(1, ddof=1)) * np.sqrt(2) > far).mean()
    assert topics_to_separate(np.array([20.0]), np.ones(1), 0.01, share - 0.01).tolist() == [2.0]
    assert topics_to_separate(np.array([20.0]), np.ones(1), 0.01, share + 0.01).tolist() == [3.0]


def test_no_difference_is_never_settled_and_one_that_does_not_vary_at_once() -> None:
    needed = topics_to_separate(np.array([0.0, 0.3, 0.3, 1e-9]), np.array([1.0, 0.0, np.nan, 1.0]), 0.05, 0.8)
    assert needed[[0, 1, 3]].tolist() == [np.inf, 2.0, np.inf]
    assert np.isnan(needed[2])


def test_differences_are_paired_over_topics() -> None:
    x = measure_scores(2, 5, 11)
    mean, deviation = paired_differences(x)
    for m in range(2):
        for k, (i, j) in enumerate(combinations(range(5), 2)):
            d = x[m, i] - x[m, j]
            assert mean[m, k] == pytest.approx(d.mean(), abs=1e-12)
            assert deviation[m, k] == pytest.approx(d.std(ddof=1), abs=1e-12)


def test_a_constant_difference_is_not_significant() -> None:
    """Its variance is rounding only, which the test of `assay power` does not take for one either."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        run = rng.uniform(0.2, 0.6, size=25)
        x = np.stack([run, run + rng.uniform(0.01, 0.3), run + rng.uniform(-0.1, -0.01)])[None]
        mean, found = significant_differences(x, alpha=0.05)
        assert not found.any()
        assert (paired_differences(x)[1] == 0).all()
        assert (t_test(x[0]) == 1).all()
        assert mean[0] == pytest.approx(
            [x[0, 0].mean() - x[0, i].mean() for i in (1, 2)] + [(x[0, 1] - x[0, 2]).mean()]
        )


def test_conflicts_are_counted_and_settled_pair_by_pair() -> None:
    data = scores()
    result = predictivity(data, splits=20)
    (row,), pairs = result.tables["conflict_topics"].to_dicts(), result.tables["conflict_pairs"]
    n_conflicts, sure, both = 0, [0, 0], 0
    for i, j in combinations(range(8), 2):
        difference = data.value[:, i] - data.value[:, j]
        if np.prod(difference.mean(-1)) >= 0:
            continue
        n_conflicts += 1
        found = [ttest_rel(data.value[m, i], data.value[m, j]).pvalue < 0.05 for m in range(2)]
        sure, both = [s + f for s, f in zip(sure, found, strict=True)], both + all(found)
        names = (f"r{i}", f"r{j}") if difference[0].mean() > 0 else (f"r{j}", f"r{i}")
        (pair,) = pairs.filter(run_a=names[0], run_b=names[1]).to_dicts()
        assert pair["difference_a"] == pytest.approx(abs(difference[0].mean()), abs=1e-12)
        assert pair["difference_b"] == pytest.approx(-abs(difference[1].mean()), abs=1e-12)
        assert [pair["significant_a"], pair["significant_b"]] == found
        for m, name in enumerate(("topics_a", "topics_b")):
            effect = abs(difference[m].mean()) / difference[m].std(ddof=1)
            if effect > 0.02:  # statsmodels does not solve for less
                n = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=0.8)
                assert pair[name] == np.ceil(n)
        assert pair["topics"] == max(pair["topics_a"], pair["topics_b"])
    assert n_conflicts > 2
    assert [row[k] for k in ("n_conflicts", "significant_a", "significant_b", "both")] == [n_conflicts, *sure, both]
    assert row["topics"] == np.ceil(pairs["topics"].median())  # type: ignore[arg-type]
    assert pairs["topics"].is_sorted()


def test_more_power_takes_more_topics() -> None:
    few, many = (predictivity(scores(), splits=20, power=p).tables["conflict_pairs"] for p in (0.5, 0.9))
    key = ["run_a", "run_b"]
    both = few.join(many, on=key, suffix="_more")
    assert (both["topics_a"] <= both["topics_a_more"]).all()
    with pytest.raises(UsageError, match=r"power 80 is not between 0 and 1"):
        predictivity(scores(), power=80)


def test_measures_that_agree_have_no_conflict() -> None:
    x = measure_scores(1, 6, 10)[0]
    same = Scores(("a", "b"), tuple("uvwxyz"), tuple(map(str, range(10))), np.stack([x, 2 * x]))
    tables = predictivity(same, splits=20).tables
    assert tables["conflict_topics"]["n_conflicts"].to_list() == [0]
    assert tables["conflict_topics"]["topics"].to_list() == [None]
    assert tables["conflict_pairs"].height == 0


def test_one_measure_has_no_conflicts() -> None:
    assert "conflict_topics" not in predictivity(scores().choose(["a"]), splits=20).tables


def test_medians_of_topics_are_whole() -> None:
    assert median_topics(np.array([3.0, 4.0])) == 4
    assert median_topics(np.array([3.0, 5.0, np.inf])) == 5
    assert np.isnan(median_topics(np.array([3.0, np.inf])))  # no number
    assert np.isnan(median_topics(np.array([])))
