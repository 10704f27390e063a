"""Interactions of judge and pair against scipy's tests, and their type I error and power on synthetic scores."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.random import Generator
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

from assay.core.arrays import Array
from assay.stats.paired.interactions import (
    NEITHER,
    ONLY_JUDGE,
    ONLY_REFERENCE,
    OPPOSITE,
    SAME,
    Conclusions,
    pair_tests,
    share_lost,
)
from assay.stats.significance.pairs import Correction
from assay.stats.splits import splits
from assay.stats.subsampling import halves


def scores(n_runs: int = 6, n_topics: int = 30, *, seed: int = 0, noise: float = 0.1) -> tuple[Array, Array]:
    """Synthetic scores under a reference and under a lenient, noisy judge. Two of [run, topic]"""
    rng = np.random.default_rng(seed)
    x = rng.beta(1, 2, size=(n_runs, n_topics)) + 0.08 * np.arange(n_runs)[:, None]
    return x, x + 0.1 + noise * rng.normal(size=x.shape)


def conclusions(x: Array, y: Array, *, correction: Correction = "none") -> Conclusions:
    return Conclusions.of(x, y, alpha=0.05, correction=correction)


def test_each_test_is_scipys_paired_t_test_with_its_interval() -> None:
    x, y = scores()
    tests = conclusions(x, y)
    low, high = tests.interaction.interval(0.95)
    for i, (a, b) in enumerate(combinations(range(6), 2)):
        assert tests.p_reference[i] == pytest.approx(ttest_rel(x[a], x[b]).pvalue)
        assert tests.p_judge[i] == pytest.approx(ttest_rel(y[a], y[b]).pvalue)
        interaction = ttest_rel(y[a] - y[b], x[a] - x[b])
        assert tests.p[i] == pytest.approx(interaction.pvalue)
        assert (low[i], high[i]) == pytest.approx(tuple(interaction.confidence_interval()))


def test_each_pair_is_tested_on_the_topics_with_all_four_scores() -> None:
    x, y = scores()
    x[0, :5] = np.nan
    y[3, 20:] = np.nan
    both = ~np.isnan(x) & ~np.isnan(y)
    tests = conclusions(*(np.where(both, side, np.nan) for side in (x, y)))
    for i, (a, b) in enumerate(combinations(range(6), 2)):
        there = both[a] & both[b]
        assert tests.interaction.n[i] == tests.under_reference.n[i] == there.sum()
        assert tests.p_reference[i] == pytest.approx(ttest_rel(x[a, there], x[b, there]).pvalue)
        assert tests.p[i] == pytest.approx(ttest_rel((y - x)[a, there], (y - x)[b, there]).pvalue)


def test_holm_corrects_over_the_pairs_of_one_judge() -> None:
    x, y = scores()
    one, none = conclusions(x, y, correction="holm"), conclusions(x, y)
    for own, raw in ((one.p, none.p), (one.p_reference, none.p_reference), (one.p_judge, none.p_judge)):
        assert own == pytest.approx(multipletests(raw, method="holm")[1])


def test_what_both_conclude_is_one_word() -> None:
    up, flat = np.linspace(0.2, 0.4, 20), np.tile([0.1, -0.1], 10)
    nothing = np.zeros(20)

    def word(reference: Array, judge: Array) -> str | None:
        return conclusions(np.stack([reference, nothing]), np.stack([judge, nothing])).words[0]

    assert word(up, up + flat) == SAME
    assert word(up, -up) == OPPOSITE
    assert word(up, flat) == ONLY_REFERENCE
    assert word(flat, up) == ONLY_JUDGE
    assert word(flat, flat) == NEITHER
    assert conclusions(np.ones((2, 1)), np.zeros((2, 1))).words == [None]


def test_leniency_to_all_runs_alike_is_no_interaction() -> None:
    x, _ = scores()
    tests = conclusions(x, x + np.linspace(0, 0.3, 30))
    assert (tests.interaction.mean == 0).all()
    assert (tests.p == 1).all()
    assert not tests.changes.any()


def test_identical_runs_and_constant_scores_differ_under_no_judge() -> None:
    x, y = scores()
    x[1], y[1] = x[0], y[0]
    tests = conclusions(x, y)
    assert (tests.p[0], tests.p_reference[0], tests.p_judge[0], tests.words[0]) == (1, 1, 1, NEITHER)
    constant = conclusions(np.full((3, 10), 0.5), np.ones((3, 10)))
    assert constant.words == [NEITHER] * 3
    assert share_lost(np.ones((3, 10)), np.ones((3, 10)), halves(10), constant, "none").interval(0.95) is None


# --- type I error and power


def continuous(rng: Generator, size: tuple[int, int, int]) -> tuple[Array, Array]:
    x = rng.normal(size=(size[0], 1, size[2])) + rng.normal(size=size)
    return x, 0.3 + x + rng.normal(size=size) * (1 + (x > 1))


def binary(rng: Generator, size: tuple[int, int, int]) -> tuple[Array, Array]:
    chance = 1 / (1 + np.exp(-rng.normal(size=(size[0], 1, size[2])) - rng.normal(size=size)))
    x = rng.random(size) < chance
    return x.astype(float), np.where(x, rng.random(size) > 0.15, rng.random(size) < 0.2).astype(float)


def reciprocal(rng: Generator, size: tuple[int, int, int]) -> tuple[Array, Array]:
    chance = 1 / (1 + np.exp(0.5 - rng.normal(size=(size[0], 1, size[2]))))
    ranks, others = (rng.geometric(np.broadcast_to(np.maximum(chance, 0.02), size)) for _ in range(2))
    x, other = (np.where(r <= 10, 1 / r, 0.0) for r in (ranks, others))
    return x, np.where(rng.random(size) < 0.7, x, np.maximum(x, other))  # a lenient judge finds one earlier


@pytest.mark.parametrize("n_topics", [25, 50])
@pytest.mark.parametrize("kind", [continuous, binary, reciprocal])
def test_without_an_interaction_at_most_six_percent_are_significant(kind: object, n_topics: int) -> None:
    x, y = kind(np.random.default_rng(1), (3000, 2, n_topics))  # type: ignore[operator]
    p = np.array([pair_tests(one, largest=1.0).p[0] for one in y - x])
    assert (p < 0.05).mean() <= 0.06


@pytest.mark.parametrize(("shift", "least", "most"), [(0.2, 0.15, 0.35), (0.6, 0.95, 1.0)])
def test_a_shift_of_one_run_is_seen_as_often_as_t_says(shift: float, least: float, most: float) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(1000, 2, 50))
    y = x + 0.5 * rng.normal(size=x.shape) * np.sqrt(2)  # the difference of differences has deviation 1
    y[:, 0] += shift
    p = np.array([pair_tests(one, largest=1.0).p[0] for one in y - x])
    assert least < (p < 0.05).mean() <= most  # noncentral t, 50 topics: .28 and .99


# --- shares


@pytest.mark.parametrize("correction", ["none", "holm"])
@pytest.mark.parametrize("gaps", [False, True])
def test_the_share_that_is_lost_on_halves_is_that_of_the_tests_on_halves(
    correction: Correction, *, gaps: bool
) -> None:
    x, y = scores(8, 40, noise=0.4)
    x *= 0.5  # fewer are significant
    if gaps:
        x[0, ::4] = y[0, ::4] = np.nan
    split = splits(40, 20, 12, seed=3)
    lost = share_lost(x, y, split, found := conclusions(x, y, correction=correction), correction)
    assert lost.value == pytest.approx(1 - found.words.count(SAME) / found.significant_reference.sum())
    by_hand = []
    for topics in (*split.first, *split.second):
        part = conclusions(x[:, topics], y[:, topics], correction=correction)
        by_hand.append(1 - part.words.count(SAME) / part.significant_reference.sum())
    first, second = np.reshape(by_hand, (2, -1))
    assert np.ptp(by_hand) > 0
    assert lost.changes == pytest.approx((first - second) / np.sqrt(2))
    half = np.mean(by_hand)
    assert lost.growth == pytest.approx(lost.value * (1 - lost.value) / (half * (1 - half)))
    low, high = lost.interval(0.95) or (np.nan, np.nan)
    assert 0 <= low < lost.value < high <= 1


def test_a_half_without_significant_pairs_leaves_no_interval() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(3, 12))
    x[0] += 1.2
    tests = conclusions(x, x)
    assert tests.significant_reference.any()
    assert share_lost(x, x, halves(12), tests, "none").interval(0.95) is None
