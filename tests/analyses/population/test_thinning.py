"""Samples of ranked populations: against enumeration, against exact expectations, and what happens at the edges."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from assay.analyses.population import thinning
from assay.analyses.population.thinning import (
    MEASURES,
    Curve,
    Population,
    SampleMoments,
    SamplingPlan,
    blocks,
    draw,
    moments,
    populations,
    sample_moments,
    score_samples,
    side_by_side,
    thin,
)
from assay.stats.score_models import normal_exponential

CURVE = normal_exponential().curve

EXPECTED = {
    "AP": (0.149728, 0.156559, 0.167594, 0.184789, 0.210434, 0.246752),
    "P@n": (0.416548, 0.387715, 0.341268, 0.280988, 0.214613, 0.151715),
    "P@pN, fixed rank": (0.152110, 0.152096, 0.152067, 0.152011, 0.151905, 0.151715),
    "P@recall, in sample": (0.104342, 0.109597, 0.120427, 0.143116, 0.190724, 0.284567),
    "nDCG": (0.648698, 0.619044, 0.587608, 0.555556, 0.524901, 0.498902),
}
"""Exact expectations for All and n = 1 .. 5: tests/reference/document_populations.py."""

VARYING = (0.340433, 0.241848, 0.167594, 0.118860, 0.090172, 0.074465)
"""Those of AP with 3.2 million non-relevant documents, which are not thinned (simulation 3): the same script."""

WORKED = Population(np.array([0, 1, 1, 3, 6, 10, 20, 50]), np.zeros(8), 60)
"""A ranking whose expected AP, with 4 of 8 relevant documents and half of the others, is 0.56616317: enumerated in
test_expected.py."""


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def simulate(curve: Curve, plan: SamplingPlan, n: int, seed: int) -> SampleMoments:
    """Draw populations, and sample each."""
    return side_by_side(
        [sample_moments(one, plan, (seed, i)) for i, one in enumerate(populations(curve, plan, n, seed))]
    )


def z_scores(mean: np.ndarray, exact: tuple[float, ...]) -> np.ndarray:
    """How far means over populations are from what is exact, in standard errors. `mean` is [population, n]"""
    return np.asarray((mean.mean(0) - exact) / (mean.std(0, ddof=1) / np.sqrt(len(mean))))


def test_the_worked_expectation_comes_out() -> None:
    ap = thin(WORKED, 0.5, 200_000, generator(), depth=None).average_precision
    assert abs(ap.mean() - 0.56616317) < 4 * ap.std() / np.sqrt(ap.size)
    assert ap.std() / np.sqrt(ap.size) < 0.0005


def test_every_sample_of_a_small_population_comes_as_often_as_enumeration_says() -> None:
    population = Population(np.array([0, 1, 1, 4]), np.zeros(4), 5)
    chances: dict[tuple[int, ...], float] = {}
    for chosen in combinations(range(4), 2):
        for coins in product((0, 1), repeat=5):
            ranks = tuple(k + 1 + sum(coins[: population.above[i]]) for k, i in enumerate(chosen))
            chances[ranks] = chances.get(ranks, 0.0) + 1 / (6 * 2**5)
    found = thin(population, 0.5, 50_000, generator(), depth=None).rank
    seen, counts = np.unique(found, axis=0, return_counts=True)
    assert {tuple(map(int, row)) for row in seen} == set(chances)
    expected = [50_000 * chances[tuple(map(int, row))] for row in seen]
    assert stats.chisquare(counts, expected).pvalue > 0.001


@pytest.mark.parametrize("rate", [0.5, 0.25, 0.125, 0.0625, 0.3])
def test_coins_are_binomial_whether_they_are_bits_of_words_or_drawn_at_once(rate: float) -> None:
    n = np.array([0, 1, 5, 63, 64, 65, 200, 512, 1025, 5000])
    kept = thinning._tossed(np.broadcast_to(n, (20_000, n.size)), rate, generator(3))
    assert (kept <= n).all()
    for count, found in zip(n[1:].tolist(), kept.T[1:], strict=True):
        law = stats.binom(count, rate)
        edges = np.unique(law.ppf([0.1, 0.3, 0.5, 0.7, 0.9]))
        cells = np.bincount(np.searchsorted(edges, found), minlength=edges.size + 1)
        chances = np.diff(np.concatenate([[0.0], law.cdf(edges), [1.0]]))
        seen = chances > 1e-9
        assert stats.chisquare(cells[seen], 20_000 * chances[seen] / chances[seen].sum()).pvalue > 1e-4
    assert abs(np.corrcoef(kept[:, 2:], rowvar=False) - np.eye(n.size - 2)).max() < 0.04


def test_a_document_beyond_the_depth_is_never_estimated_to_be_within_it() -> None:
    population = Population(np.array([2, 50]), np.array([0.0, 0.0]), 100)
    assert thin(population, 1.0, 1, generator(), depth=10).rank.tolist() == [[3.0, 11.0]]


@pytest.mark.parametrize("relevance", ["fixed", "random"])
def test_what_is_above_a_threshold_is_hypergeometric_or_binomial_as_relevance_is_drawn(
    relevance: thinning.Relevance,
) -> None:
    population = Population(np.array([2, 5, 9, 9, 30, 40, 40, 90]), np.zeros(8), 100)
    found = thin(population, 0.25, 40_000, generator(), thresholds=[(5, 35)], relevance=relevance, depth=None)
    of_relevant = stats.binom(5, 0.25) if relevance == "random" else stats.hypergeom(8, 5, 2)
    for counts, law in ((found.hits[:, 0], of_relevant), (found.false[:, 0], stats.binom(35, 0.25))):
        assert abs(counts.mean() - law.mean()) < 4 * law.std() / 200
        assert abs(counts.var() / law.var() - 1) < 0.05


def test_precision_at_a_fixed_score_drifts_up_with_fixed_numbers_of_relevant_documents_and_not_with_coins() -> None:
    # 48 relevant of 128 and 272 others above the threshold: exact means, enumerated in test_expected.py
    above = np.concatenate([np.linspace(0, 272, 48), np.linspace(273, 9000, 80)]).astype(np.int64)
    population = Population(above, np.zeros(128), 10_000)
    for halving, exact in ((1, 0.150149), (3, 0.151053), (5, 0.154876)):
        rate = 2.0**-halving
        fixed, coin = (
            thin(population, rate, 30_000, generator(), thresholds=[(48, 272)], relevance=way)
            for way in ("fixed", "random")
        )
        drift = fixed.above_threshold[:, 0]
        assert abs(drift.mean() - exact) < 4 * drift.std() / np.sqrt(drift.size)
        known = coin.above_threshold[:, 0][(coin.hits + coin.false)[:, 0] > 0]
        assert abs(known.mean() - 0.15) < 4 * known.std() / np.sqrt(known.size)


def test_means_over_populations_are_the_exact_expectations() -> None:
    found = simulate(CURVE, SamplingPlan(n_samples=128), 250, 1)
    for name, exact in EXPECTED.items():
        z = z_scores(found.mean[:, :, MEASURES.index(name)], exact)
        assert np.abs(z).max() < 3, name
    assert found.n_relevant.tolist() == [[128, 64, 32, 16, 8, 4]] * 250


@pytest.mark.slow
def test_means_with_fixed_non_relevant_documents_are_the_exact_expectations() -> None:
    found = simulate(CURVE, SamplingPlan(n_nonrelevant=3_200_000, generality="varying", n_samples=128), 250, 2)
    assert np.abs(z_scores(found.mean[:, :, 0], VARYING)).max() < 3


@pytest.mark.slow
def test_a_small_collection_drawn_at_once_has_the_expectation_of_a_sample_of_its_size() -> None:
    plan = SamplingPlan(n_relevant=4, n_nonrelevant=400_000, halvings=(0,), depth=None)
    ap = simulate(CURVE, plan, 3000, 3).mean[:, 0, 0]
    assert abs(ap.mean() - 0.246752) < 3 * ap.std() / np.sqrt(ap.size)


def test_numbers_above_relevant_documents_are_binomial() -> None:
    drawn = np.array([draw(lambda u: 0 * u + 0.3, 2, 50, generator(i)).above for i in range(4000)])
    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert abs(drawn[:, 0].mean() - 15) < 4 * np.sqrt(10.5 / 4000)
    assert abs(drawn[:, 0].var() / 10.5 - 1) < 0.1


def test_ranks_beyond_the_depth_are_estimated_from_the_distribution() -> None:
    population = Population(np.array([3, 5000, 90_000]), np.array([1e-5, 0.004, 0.1]), 1_000_000)
    found = thin(population, 1.0, 1, generator(), depth=1000)
    assert found.rank.tolist() == [[4.0, 2 + 4000.0, 3 + 100_000.0]]
    assert thin(population, 1.0, 1, generator(), depth=None).rank.tolist() == [[4, 5002, 90_003]]
    halved = thin(population, 0.5, 500, generator(), relevance="random", depth=1000)
    beyond = halved.rank[(halved.rank > 1000) & np.isfinite(halved.rank)]
    assert set(beyond) <= {k + x for k in (1, 2, 3) for x in (2000.0, 50_000.0)}


@pytest.mark.parametrize("depth", [1, 10, 1000, 100_000])
def test_documents_that_are_not_counted_could_not_have_come_within_the_depth(depth: int) -> None:
    for rate in (0.5, 0.125, 1 / 32):
        lowest = int(thinning._ceiling(depth, rate))
        assert stats.binom.cdf(depth, lowest, rate) < 1e-15


def test_measures_of_a_sample_are_those_of_its_ranking() -> None:
    population = Population(np.array([1, 1, 4]), np.zeros(3), 10)  # ranks 2, 3 and 7
    plan = SamplingPlan(share=4, rank=5, recall=0.5, depth=None)
    found = score_samples(next(blocks(population, plan, 0, (0,))), plan, 0)[:, 0]
    ideal = 1 + 1 / np.log2(3) + 0.5
    ndcg = (1 / np.log2(3) + 0.5 + 1 / 3) / ideal
    expected = [(1 / 2 + 2 / 3 + 3 / 7) / 3, 2 / 5, 2 / 4, 2 / 4, 2 / 3, 2 / 3, ndcg]
    expected += [np.log(expected[0]), (1 + 1 + 4) / (3 * 10), 1 / 2, 1.0, 1.0]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


def test_a_sample_without_relevant_documents_has_no_average_precision() -> None:
    empty = thin(WORKED, 1 / 32, 10, generator(), thresholds=[(0, 0), (3, 1)])
    assert empty.n_relevant.tolist() == [0] * 10
    assert np.isnan(empty.average_precision).all()
    assert np.isnan(empty.ndcg).all()
    assert np.isnan(empty.precision_at_recall(0.5)).all()
    assert not empty.precision_at(10).any()
    assert not empty.above_threshold.any()


def test_empty_samples_are_left_out_of_means_and_counted() -> None:
    plan = SamplingPlan(n_relevant=4, n_nonrelevant=1000, relevance="random", halvings=(2,), n_samples=4000, share=10)
    found = simulate(CURVE, plan, 3, 5)
    for i, population in enumerate(populations(CURVE, plan, 3, 5)):
        chance = 0.75**population.above.size
        assert abs(found.empty[i, 0] - chance) < 4 * np.sqrt(chance * (1 - chance) / 4000) + 1e-9
    assert not np.isnan(found.mean).any()


def test_a_population_may_lack_either_kind_of_document() -> None:
    perfect = simulate(
        CURVE, SamplingPlan(n_relevant=8, n_nonrelevant=0, halvings=(0, 1), n_samples=5, share=4), 1, 0
    )
    assert perfect.mean[0, :, 0].tolist() == [1.0, 1.0]
    nothing = simulate(CURVE, SamplingPlan(n_relevant=0, n_nonrelevant=100, halvings=(0, 1), n_samples=5), 1, 0)
    assert nothing.empty.tolist() == [[1.0, 1.0]]
    assert np.isnan(nothing.mean[0, :, 0]).all()
    with pytest.raises(ValueError, match="no population of 0 relevant and 0"):
        draw(CURVE, 0, 0, generator())


def test_the_same_seed_gives_the_same_samples_and_a_longer_series_begins_like_a_shorter_one() -> None:
    short, long = (list(populations(CURVE, SamplingPlan(), n, 7)) for n in (2, 4))
    assert [p.above.tolist() for p in short] == [p.above.tolist() for p in long[:2]]
    parts = [next(blocks(short[0], SamplingPlan(n_samples=n), 3, (7, 0))).rank for n in (512, 5000)]
    assert (parts[0] == parts[1]).all()
    one, other = (simulate(CURVE, SamplingPlan(n_samples=50), 2, 7) for _ in range(2))
    assert (one.mean == other.mean).all()


def test_random_relevance_varies_the_number_of_relevant_documents() -> None:
    sizes = [p.above.size for p in populations(CURVE, SamplingPlan(relevance="random"), 300, 0)]
    assert abs(np.mean(sizes) - 128) < 4 * np.sqrt(128 / 300)
    assert abs(np.var(sizes) / 128 - 1) < 0.35


def test_moments_leave_out_what_has_no_score() -> None:
    mean, sd = moments(np.array([[1.0, 3.0, np.nan], [np.nan, np.nan, np.nan], [2.0, np.nan, np.nan]]))
    assert mean.tolist()[::2] == [2.0, 2.0]
    assert sd[0] == pytest.approx(2**0.5)
    assert np.isnan([mean[1], sd[1], sd[2]]).all()
