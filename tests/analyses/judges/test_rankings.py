"""Rank correlations of two judges, ranks and the ceiling, against their definitions."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata

from assay.analyses.judges.systems.rankings import ceiling, rank_of, ranking_agreement
from assay.core.arrays import Array
from assay.stats.splits import splits
from assay.stats.subsampling import halves


def two_judges(n_runs: int = 9, n_topics: int = 40, *, seed: int = 0) -> tuple[Array, Array]:
    """Synthetic scores of runs that are close to each other, under two judges. Two of [run, topic]"""
    rng = np.random.default_rng(seed)
    x = rng.beta(1, 2, size=(n_runs, n_topics)) + 0.03 * np.arange(n_runs)[:, None]
    return x, x + 0.1 + 0.2 * rng.normal(size=x.shape)


def plain_tau_ap(reference: Array, y: Array) -> float:
    """Yilmaz, Aslam, Robertson (2008): of those above each item of y, the share that is above it in the reference."""
    order = np.argsort(-y)
    shares = [np.mean(reference[order[:i]] > reference[order[i]]) for i in range(1, order.size)]
    return float(2 * np.mean(shares) - 1)


def plain_rbo(x: Array, y: Array, p: float = 0.9) -> float:
    """Webber, Moffat, Zobel (2010), equation 23, of rankings without ties."""
    one, other = (np.argsort(-scores).tolist() for scores in (x, y))
    n = len(one)
    overlap = [len(set(one[:d]) & set(other[:d])) / d for d in range(1, n + 1)]
    return float(overlap[-1] * p**n + (1 - p) / p * sum(a * p**d for d, a in enumerate(overlap, 1)))


def test_correlations_are_those_of_their_definitions() -> None:
    for seed in range(5):
        x, y = two_judges(seed=seed)
        agreement = ranking_agreement(x, y, halves(40), level=0.95)
        mean_x, mean_y = x.mean(-1), y.mean(-1)
        assert agreement.tau[0] == pytest.approx(kendalltau(mean_x, mean_y).statistic)
        assert agreement.tau_ap[0] == pytest.approx(plain_tau_ap(mean_x, mean_y))
        assert agreement.rbo[0] == pytest.approx(plain_rbo(mean_x, mean_y))
        for value, low, high in (agreement.tau, agreement.tau_ap, agreement.rbo):
            assert low < value < high


def test_ties_of_tau_ap_are_broken_at_random() -> None:
    reference, y = np.array([3.0, 2.0, 1.0, 0.0]), np.array([2.0, 2.0, 2.0, 1.0])
    broken = [plain_tau_ap(reference, y + 0.1 * np.array([*some, 0])) for some in permutations(range(3))]
    got = ranking_agreement(np.tile(reference[:, None], 3), np.tile(y[:, None], 3), None, level=0.95)
    assert got.tau_ap[0] == pytest.approx(np.mean(broken))


def test_a_judge_who_ties_all_runs_has_no_tau() -> None:
    x, _ = two_judges()
    agreement = ranking_agreement(x, np.ones_like(x), halves(40), level=0.95)
    assert np.isnan(agreement.tau).all()
    assert agreement.tau_ap[0] == pytest.approx(0)


def test_a_judge_who_is_the_reference_agrees_completely_and_reaches_the_ceiling() -> None:
    x, _ = two_judges()
    agreement = ranking_agreement(x, x, halves(40), level=0.95)
    assert [one[0] for one in (agreement.tau, agreement.tau_ap, agreement.rbo)] == pytest.approx([1, 1, 1])
    top = ceiling(x, x, n_splits=50, level=0.95, seed=0)
    assert top is not None
    assert (top.judge - top.reference, top.low, top.high) == pytest.approx((0, 0, 0))


def test_below_eight_topics_there_is_no_interval_and_below_four_no_ceiling() -> None:
    x, y = two_judges(n_topics=7)
    value, low, high = ranking_agreement(x, y, halves(7), level=0.95).tau
    assert not np.isnan(value)
    assert np.isnan([low, high]).all()
    assert ceiling(x, y, n_splits=50, level=0.95, seed=0) is not None
    assert ceiling(x[:, :3], y[:, :3], n_splits=50, level=0.95, seed=0) is None


def test_the_ceiling_is_the_mean_tau_over_splits_either_half_the_references() -> None:
    x, y = two_judges()
    top = ceiling(x, y, n_splits=60, level=0.95, seed=7)
    chosen = splits(40, 20, 60, 7)
    own, judge = [], []
    for a, b in zip(chosen.first, chosen.second, strict=True):
        own.append(kendalltau(x[:, a].mean(-1), x[:, b].mean(-1)).statistic)
        judge += [kendalltau(x[:, i].mean(-1), y[:, j].mean(-1)).statistic for i, j in ((a, b), (b, a))]
    assert top is not None
    assert (top.reference, top.judge) == pytest.approx((np.mean(own), np.mean(judge)))
    assert top.n_splits == 60
    assert top.low < top.judge - top.reference < top.high


def test_ranks_are_those_of_a_competition() -> None:
    rng = np.random.default_rng(0)
    mean = rng.integers(0, 8, size=20) / 10
    assert rank_of(mean).tolist() == rankdata(-mean, method="min").tolist()
    assert rank_of(np.array([0.1 + 0.2, 0.3])).tolist() == [1, 1]
