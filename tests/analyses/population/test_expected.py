"""What samples are expected to show: closed forms, enumeration, and tests/reference/document_populations.py."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy import integrate, special

from assay.analyses.population import expected
from assay.analyses.population.expected import DocumentSample
from assay.core.arrays import Array, Counts
from assay.stats.document_population import DocumentPopulation, quadrature
from assay.stats.score_models import Gamma, Pair, Tabulated, empirical, normal_exponential, normal_normal

FIRST, SECOND = normal_exponential(), normal_normal()
ODDS = 100_000
HALVED = [128 >> n for n in range(6)]
CHANCE = Pair(*[Tabulated(np.array([0.0, 1.0]), np.array([1.0, 0.0]))] * 2)  # scores that know nothing of relevance

# E[AP] for these numbers of relevant documents at 1 : 100,000: tests/reference/document_populations.py
NUMBERS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096, 16384, 65536, 262144]
AP_FIRST = [
    *(0.356103, 0.295262, 0.246752, 0.210434, 0.184789, 0.167594, 0.156559, 0.149728, 0.145623, 0.141839),
    *(0.140639, 0.140287, 0.140190, 0.140165),
]
AP_SECOND = [
    *(0.441549, 0.402494, 0.372074, 0.350582, 0.336964, 0.329165, 0.325009, 0.322879, 0.321803, 0.320993),
    *(0.320790, 0.320740, 0.320727, 0.320724),
]


def average_precision_poisson(model: DocumentPopulation, n_relevant: float) -> float:
    """E[sum of precisions] / E[number of relevant documents], where numbers of documents are by chance (Poisson)."""

    def share(recall: Array, fallout: Array) -> Array:
        above = n_relevant * (recall + model.odds * fallout)
        return -np.expm1(-above) / above

    return _above_population(model, share)


def average_precision_random(model: DocumentPopulation, n_documents: float) -> float:
    """E[sum of precisions] / E[number of relevant documents] of so many documents, each relevant by chance."""

    def share(recall: Array, fallout: Array) -> Array:
        above = model.generality * recall + (1 - model.generality) * fallout
        with np.errstate(divide="ignore"):
            return -np.expm1(n_documents * np.log1p(-np.minimum(above, 1.0))) / (n_documents * above)

    return _above_population(model, share)


def average_precision_thinned(above: Counts, n_relevant: int, rate: float) -> float:
    """E[AP] of samples of one given ranking: so many of its relevant documents, non-relevant ones each by a coin.

    `above` are the non-relevant documents above each relevant one of the ranking.
    """
    total = 0.0
    for i, count in enumerate(above):
        # a document counts itself, and those of the i above it that are among the other n_relevant - 1 drawn
        kept = np.concatenate(([0.0], expected.hypergeometric(above.size - 1, i, n_relevant - 1)))
        sampled = DocumentSample(n_relevant, float(count), rate)
        total += float(expected._retrieved(kept, np.array([float(count)]), sampled, np.ones(1))[0])
    return total / above.size


def _above_population(model: DocumentPopulation, share: Callable[[Array, Array], Array]) -> float:
    """J, and what a document's counting itself adds: `share` is E[1 / (1 + documents above)]."""
    nodes = quadrature(model.pair)
    u, x = nodes.recall, nodes.fallout
    h = u / (u + model.odds * x)
    return nodes.mean(h + (1 - h) * share(u, x))


def ndcg_expansion(model: DocumentPopulation, log10_relevant: float) -> float:
    """The first terms of nDCG as collections grow: 1 - L / ln R + (E[Y^2] + E[Y] - 1) / (ln R)^2, Y = ln (u / H)."""
    nodes, log = quadrature(model.pair), log10_relevant * np.log(10)
    y = np.log(nodes.recall + model.odds * nodes.fallout)
    second = nodes.mean(y * y) + nodes.mean(y) - 1
    return float(1 - model.log_precision() / log + second / log**2)


@pytest.mark.parametrize(("pair", "values"), [(FIRST, AP_FIRST), (SECOND, AP_SECOND)], ids=["first", "second"])
def test_ap_is_expected_as_in_the_reference(pair: Pair, values: list[float]) -> None:
    found = [expected.average_precision(pair, DocumentSample(n, n * ODDS)) for n in NUMBERS]
    assert found == pytest.approx(values, abs=1e-6)


def test_tables_of_the_paper_are_expected_as_in_the_reference() -> None:
    halves = [DocumentSample(n, n * ODDS) for n in HALVED]
    at_ten = [expected.precision_at_rank(FIRST, s, 10) for s in halves]
    assert at_ten == pytest.approx([0.416548, 0.387715, 0.341268, 0.280988, 0.214613, 0.151715], abs=1e-6)
    in_proportion = [expected.precision_at_rank(FIRST, s, 320 >> n) for n, s in enumerate(halves)]
    assert in_proportion == pytest.approx([0.152110, 0.152096, 0.152067, 0.152011, 0.151905, 0.151715], abs=1e-6)
    at_recall = [expected.precision_at_recall(FIRST, s, 64 >> n) for n, s in enumerate(halves)]
    assert at_recall == pytest.approx([0.104342, 0.109597, 0.120427, 0.143116, 0.190724, 0.284567], abs=1e-6)
    varying = [expected.average_precision(FIRST, DocumentSample(n, 3_200_000)) for n in HALVED]
    assert varying == pytest.approx([0.340433, 0.241848, 0.167594, 0.118860, 0.090172, 0.074465], abs=1e-6)
    ndcg = [expected.ndcg(FIRST, s) for s in halves]
    assert ndcg == pytest.approx([0.648698, 0.619044, 0.587608, 0.555556, 0.524901, 0.498901], abs=1e-6)


def test_precision_above_a_fixed_score_is_that_of_the_whole_at_first_and_rises_slowly() -> None:
    whole = DocumentSample(128, 12_800_000)
    halves = [DocumentSample(n, 12_800_000, n / 128) for n in HALVED]
    by_rank = [expected.precision_above_rank(FIRST, whole, s, 320) for s in halves]
    assert by_rank[0] == pytest.approx(0.152110, abs=1e-6)
    # means over 400 populations that were drawn document by document, 1.3 standard errors (0.0009) high
    assert by_rank[1:] == pytest.approx([0.1531, 0.1534, 0.1541, 0.1553, 0.1580], abs=0.0015)
    by_relevant = [expected.precision_above_relevant(FIRST, whole, s, 64) for s in halves]
    assert by_relevant[0] == pytest.approx(0.104342, abs=1e-6)
    assert by_relevant[1:] == pytest.approx([0.1049, 0.1051, 0.1054, 0.1061, 0.1074], abs=0.0015)
    assert np.all(np.diff(by_rank) > 0)
    assert np.all(np.diff(by_relevant) > 0)


def test_many_relevant_documents_take_no_longer_than_few() -> None:
    """Above the median of 200,000 relevant documents precision is the population's, whatever the share sampled."""
    whole, odds = DocumentSample(200_000, 200_000 * ODDS), DocumentPopulation.of(FIRST, 1, ODDS)
    for rate in (1.0, 0.5, 1 / 16):
        sampled = DocumentSample(200_000 * rate, 200_000 * ODDS, rate)
        value = expected.precision_above_relevant(FIRST, whole, sampled, 100_000)
        assert value == pytest.approx(float(odds.precision_at_recall(0.5)), abs=1e-5)


def test_precision_of_samples_of_given_counts_is_as_enumerated() -> None:
    """48 relevant and 272 other documents above a score: these means by enumeration, n = 1 to 5."""
    means = [
        sum(
            chance * sum(k / max(k + x, 1) * p for x, p in enumerate(_binomial(272, 0.5**n)))
            for k, chance in enumerate(expected.hypergeometric(128, 48, 128 >> n))
        )
        for n in range(1, 6)
    ]
    assert means == pytest.approx([0.150149, 0.150448, 0.151053, 0.152290, 0.154876], abs=1e-6)


def _binomial(n: int, p: float) -> list[float]:
    k = np.arange(n + 1)
    return list(np.exp(special.xlogy(k, p) + special.xlog1py(n - k, -p) - special.betaln(n - k + 1, k + 1)) / (n + 1))


def test_samples_of_a_given_ranking_are_as_enumerated() -> None:
    above = np.array([0, 1, 1, 3, 6, 10, 20, 50])
    value = average_precision_thinned(above, 4, 0.5)
    assert value == pytest.approx(0.56616317, abs=5e-9)
    total = 0.0
    for chosen in combinations(range(8), 4):
        for k, i in enumerate(chosen, start=1):
            total += sum(k / (k + x) * p for x, p in enumerate(_binomial(int(above[i]), 0.5))) / 4
    assert value == pytest.approx(total / 70, abs=1e-12)


def test_a_sample_of_all_documents_is_the_ranking_itself() -> None:
    above = np.array([0, 1, 1, 3])
    ap = np.mean(np.arange(1, 5) / (np.arange(1, 5) + above))
    assert average_precision_thinned(above, 4, 1.0) == pytest.approx(ap, abs=1e-12)


@pytest.mark.parametrize(("n_relevant", "n_nonrelevant"), [(1, 9), (5, 20), (40, 3)])
def test_rankings_by_chance_have_closed_forms(n_relevant: int, n_nonrelevant: int) -> None:
    n, sampled = n_relevant + n_nonrelevant, DocumentSample(n_relevant, n_nonrelevant)
    rank = np.arange(1, n + 1)
    ap = np.mean((1 + (rank - 1) * (n_relevant - 1) / (n - 1)) / rank)
    assert expected.average_precision(CHANCE, sampled) == pytest.approx(ap, abs=1e-12)
    ideal = (1 / np.log2(np.arange(2, n_relevant + 2))).sum()
    ndcg = n_relevant / n * (1 / np.log2(1 + rank)).sum() / ideal
    assert expected.ndcg(CHANCE, sampled) == pytest.approx(ndcg, abs=1e-12)
    assert expected.precision_at_rank(CHANCE, sampled, 4) == pytest.approx(n_relevant / n, abs=1e-10)
    hits = expected.chances_of_hits(CHANCE, sampled, 4)
    assert hits == pytest.approx(expected.hypergeometric(n, n_relevant, 4), abs=1e-10)


def test_precision_at_the_kth_relevant_document_is_as_enumerated() -> None:
    """All rankings of 3 relevant and 4 other documents, equally likely."""
    second = [2 / (sorted(at)[1] + 1) for at in combinations(range(7), 3)]
    assert expected.precision_at_recall(CHANCE, DocumentSample(3, 4), 2) == pytest.approx(np.mean(second), abs=1e-12)


def test_numbers_of_documents_by_chance_make_the_closed_forms_of_bias() -> None:
    model = DocumentPopulation(FIRST, 1 / (1 + ODDS))
    for n in (4, 64):
        fixed = expected.average_precision(FIRST, DocumentSample(n, n * ODDS))
        by_coin = average_precision_random(model, n * (1 + ODDS))
        poisson = average_precision_poisson(model, n)
        assert by_coin == pytest.approx(poisson, abs=1e-6)
        assert poisson == pytest.approx(fixed, abs=0.1 / n)
        assert poisson != pytest.approx(fixed, abs=1e-5)

    def added(s: float) -> float:  # f_R (1 - H) (1 - e^-tau) / tau, tau = R F_R + N F_N, R = 4
        recall, fallout = special.ndtr((1 - s) / 0.25), np.exp(-10 * max(s, 0.0))
        above = 4 * (recall + ODDS * fallout)
        density = np.exp(-8 * (s - 1) ** 2) / (0.25 * np.sqrt(2 * np.pi))
        return float(density * (1 - 4 * recall / above) * -np.expm1(-above) / above)

    value, _ = integrate.quad(added, -1.5, 3.5, points=(0.0, 1.0, 1.5, 2.0), epsabs=1e-12, limit=400)
    bias = average_precision_poisson(model, 4) - model.average_precision()
    assert bias == pytest.approx(value, abs=1e-9)


def test_precision_at_ten_rises_falls_or_goes_to_one_as_the_collection_grows() -> None:
    """tests/reference/document_populations.py, Poisson numbers of documents, multiples of the paper's collection."""
    times = [1 / 32, 1 / 8, 1 / 2, 1, 2, 4, 16, 64, 256, 1024]
    generality = 1 / (1 + ODDS)
    first = [expected.precision_at_rank_poisson(DocumentPopulation(FIRST, generality), 128 * m, 10) for m in times]
    known = [0.1491, 0.2781, 0.3863, 0.4157, 0.4269, 0.4211, 0.3659, 0.2683, 0.1563, 0.0671]
    assert first == pytest.approx(known, abs=5.1e-5)
    top = [expected.precision_at_rank_poisson(DocumentPopulation(FIRST, generality), 128 * m, 1) for m in times]
    known = [0.3191, 0.4007, 0.4152, 0.3985, 0.3685, 0.3275, 0.2250, 0.1222, 0.0494, 0.0143]
    assert top == pytest.approx(known, abs=5.1e-5)
    second = [expected.precision_at_rank_poisson(DocumentPopulation(SECOND, generality), 128 * m, 10) for m in times]
    known = [0.1813, 0.4764, 0.8648, 0.9564, 0.9871, 0.9959, 0.9995, 0.9999, 1.0000, 1.0000]
    assert second == pytest.approx(known, abs=5.1e-5)
    # and with fixed numbers, the two that the reference gives
    fixed = [expected.precision_at_rank(FIRST, DocumentSample(n, n * ODDS), 10) for n in (128, 4)]
    assert fixed == pytest.approx([0.416548, 0.151715], abs=1e-6)


NDCG = [
    *((10, 0.897866, 0.909473), (12, 0.913223, 0.922311), (20, 0.945744, 0.950435), (50, 0.977409, 0.978971)),
    *((100, 0.988545, 0.989268), (200, 0.994231, 0.994578), (500, 0.997682, 0.997817), (1000, 0.998839, 0.998906)),
    *((10_000, 0.999884, 0.999890), (100_000, 0.999988, 0.999989)),
]


@pytest.mark.parametrize(("power", "first", "second"), NDCG)
def test_ndcg_of_collections_of_any_size_is_that_of_the_reference(power: int, first: float, second: float) -> None:
    found = [expected.ndcg_of_any_size(DocumentPopulation(pair, 1 / (1 + ODDS)), power) for pair in (FIRST, SECOND)]
    assert found == pytest.approx([first, second], abs=1e-6)


@pytest.mark.parametrize("pair", [FIRST, SECOND, Pair(Gamma(10.0, 0.1), Gamma(1.0, 0.1))])
def test_ndcg_by_numbers_and_by_logarithms_meet(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    model = DocumentPopulation(pair, 1 / (1 + ODDS))
    exact = expected.ndcg_of_any_size(model, 200.0)
    monkeypatch.setattr(expected, "_EXACT", 0.0)
    assert expected.ndcg_of_any_size(model, 200.0) == pytest.approx(exact, abs=1e-12)
    assert ndcg_expansion(model, 200.0) == pytest.approx(exact, abs=1e-6)


def test_the_ideal_gain_is_a_sum_beyond_its_first_thousand_ranks_too() -> None:
    n = 5000
    assert expected.ideal_gain(n) == pytest.approx((1 / np.log(np.arange(2, n + 2))).sum(), rel=1e-13)


@pytest.mark.parametrize("t", [1e-6, 0.3, 1.0, 7.0, 60.0])
def test_the_function_behind_logarithmic_discounts_is_ramanujan_s(t: float) -> None:
    """The integral of t^y / Gamma(1 + y) is e^t less that of e^(-t x) / (x (pi^2 + ln^2 x)) over x > 0 (Hardy)."""
    rest, _ = integrate.quad(
        lambda z: np.exp(-t * np.exp(min(z, 50.0))) / (np.pi**2 + z * z), -np.inf, np.inf, limit=500
    )
    assert expected.ramanujan(np.array([t]))[0] == pytest.approx(np.exp(t) - rest, rel=1e-6)


def test_a_mean_over_chance_numbers_asks_for_few_of_them() -> None:
    asked = []

    def value(m: float) -> float:
        asked.append(m)
        return 1 / (1 + m)

    n, p = 1000, 0.05
    found = expected.over_numbers(value, n, p, least=0)
    assert found == pytest.approx((1 - (1 - p) ** (n + 1)) / (p * (n + 1)), abs=1e-9)
    assert len(asked) < 30
    assert all(m == int(m) for m in asked)


def test_a_run_s_own_scores_serve_as_well() -> None:
    """Two relevant documents among four, spread evenly around their scores: with many of each, AP is near its J."""
    pair = empirical([4.0, 2.0], [3.0, 1.0])
    assert expected.average_precision(pair, DocumentSample(2000, 2000)) == pytest.approx(
        DocumentPopulation(pair, 0.5).average_precision(), abs=1e-3
    )
