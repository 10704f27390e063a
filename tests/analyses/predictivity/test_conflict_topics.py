"""The topics that would settle a conflict between two measures: against statsmodels and plain loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_rel
from statsmodels.stats.power import TTestPower

from assay.analyses.predictivity.analysis import predictivity
from assay.analyses.predictivity.conflict_topics import (
    median_topics,
    paired_differences,
    significant_differences,
)
from assay.core.errors import UsageError
from assay.scoring.scores import Scores
from assay.stats.significance.paired_t import t_test
from tests.builders.arrays import measure_scores


def scores(n_runs: int = 8, n_topics: int = 20, *, seed: int = 2) -> Scores:
    x = measure_scores(2, n_runs, n_topics, seed=seed)
    runs, topics = (tuple(f"{w}{i}" for i in range(n)) for w, n in (("r", n_runs), ("t", n_topics)))
    return Scores(("a", "b"), runs, topics, x)


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
