"""The interval of the bias: twins that leave out topics by hand, a closed form, and a population that is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

from assay.analyses.error.bias import bias_replicates, log_interval, overall_table, skewed_interval
from assay.analyses.error.topics import TopicEstimates, estimate_topics
from assay.core.arrays import Array
from assay.data.judged import Collection, judge
from tests.builders.error import write_lists

N = 8


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    rng = np.random.default_rng(4)
    words = {run: {f"t{i}": "".join(rng.choice(list("011"), 12)) for i in range(N)} for run in ("a", "b", "c")}
    return write_lists(tmp_path_factory.mktemp("lists"), words, {f"t{i}": 9 + i for i in range(N)})


def estimated(data: Collection, topics: list[str] | None = None, c: float | None = None) -> TopicEstimates:
    """The estimates of some topics."""
    judged = judge(data.runs, data.qrels)
    return estimate_topics(
        judged if topics is None else judged.select(topics=topics),
        rel=1,
        form="corrected",
        c=c,
        resamples=10,
        level=0.95,
        rng=0,
    )


@pytest.mark.parametrize("c", [None, 0.3])
def test_a_topic_is_left_out_of_c_as_of_the_mean(data: Collection, c: float | None) -> None:
    every = estimated(data, c=c)
    found = bias_replicates(every)
    assert found[0] == pytest.approx((every.ap - every.loo).mean(-1))
    for i, topic in enumerate(every.topics):
        alone = estimated(data, [t for t in every.topics if t != topic], c)
        assert found[1 + i] == pytest.approx((alone.ap - alone.loo).mean(-1))


def mean_replicates(x: Array) -> Array:
    """A mean, and without each value."""
    return np.concatenate([[x.mean()], (x.sum() - x) / (x.size - 1)])[:, None]


def test_the_ends_are_where_the_transformed_statistic_is_at_the_quantiles_of_t() -> None:
    """Hall's g(T) = T + k (T^2 / 3 + 1 / 6) + k^2 T^3 / 27, k the skewness by the root of n, inverted by search."""
    x = np.random.default_rng(2).lognormal(0, 1, 20)
    k = stats.skew(x) / np.sqrt(20)
    t = stats.t(19).ppf(0.975)
    ends = [
        x.mean()
        - stats.sem(x)
        * optimize.brentq(lambda u, z: u + k * (u**2 / 3 + 1 / 6) + k**2 * u**3 / 27 - z, -50, 50, args=(z,))
        for z in (t, -t)
    ]
    low, high = skewed_interval(mean_replicates(x), level=0.95)
    assert [low[0], high[0]] == pytest.approx(ends)
    assert high[0] - x.mean() > x.mean() - low[0]


def test_values_that_are_not_skewed_have_students_interval() -> None:
    x = np.concatenate([np.arange(10.0), -np.arange(10.0)])
    ends = stats.t.interval(0.9, 19, x.mean(), stats.sem(x))
    assert [end[0] for end in skewed_interval(mean_replicates(x), level=0.9)] == pytest.approx(ends, abs=1e-4)


def test_two_topics_have_no_interval() -> None:
    assert np.isnan(skewed_interval(mean_replicates(np.array([1.0, 2.0])), level=0.95)).all()


def test_the_shares_of_all_runs_are_ratios_of_means(data: Collection) -> None:
    every = estimated(data)
    row = overall_table(every, 0.95).row(0, named=True)
    assert row["bias_share"] == pytest.approx((every.ap - every.loo).mean() / every.ap.mean())
    variances = (every.error**2).mean(), every.loo.var(-1, ddof=1).mean()
    assert row["error_ratio"] == pytest.approx(np.sqrt(variances[0] / variances[1]))
    assert row["share_low"] < row["bias_share"] < row["share_high"]
    assert row["ratio_low"] < row["error_ratio"] < row["ratio_high"]


def test_the_interval_of_a_ratio_has_a_degree_of_freedom_for_every_topic_that_carries_its_error() -> None:
    x = np.random.default_rng(1).lognormal(0, 1, 20)
    replicates = np.concatenate([[x.mean()], (x.sum() - x) / 19])
    away = np.log(replicates[1:]) - np.log(replicates[1:]).mean()
    dof = (away**2).sum() ** 2 / (away**4).sum()
    half = stats.t(dof).ppf(0.95) * np.sqrt(19 / 20 * (away**2).sum())
    assert log_interval(replicates, level=0.9) == pytest.approx(x.mean() * np.exp([-half, half]))


def test_lists_without_relevant_documents_have_no_shares(tmp_path: Path) -> None:
    data = write_lists(tmp_path, {"one": dict.fromkeys("abc", "0000")}, dict.fromkeys("abc", 3))
    assert overall_table(estimated(data), 0.95).row(0) == (None,) * 6
