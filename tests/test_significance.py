"""Tests of all pairs against scipy, against twins in exact arithmetic, and at their edges."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.stats
from numpy.typing import NDArray

from assay.files import read_bytes
from assay.numeric import resampling
from assay.numeric.rank_tests import sign_test, wilcoxon_test
from assay.numeric.resampling import multinomials, signs
from assay.numeric.significance import bootstrap_test, pairs, randomisation_test, t_test
from assay.numeric.tukey import randomised_tukey_test, tukey_test

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Test = Callable[[Array], Array]

RESAMPLES = 600  # more than a block, and not a whole number of blocks

TESTS: dict[str, Test] = {
    "t": t_test,
    "bootstrap": lambda x: bootstrap_test(x, resamples=RESAMPLES, seed=1),
    "randomisation": lambda x: randomisation_test(x, resamples=RESAMPLES, seed=1),
    "sign": sign_test,
    "wilcoxon": wilcoxon_test,
    "tukey": tukey_test,
    "randomised tukey": lambda x: randomised_tukey_test(x, resamples=RESAMPLES, seed=1),
}
every_test = pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)


def tenths(rng: np.random.Generator) -> tuple[Whole, int]:
    """Scores like P@10's: whole numbers of tenths, many of them equal."""
    return rng.binomial(10, rng.beta(0.8, 1.2, size=40), size=(7, 40)), 10


def reciprocals(rng: np.random.Generator) -> tuple[Whole, int]:
    """Scores like RR's: 1 over a rank of at most 10, or 0."""
    ranks = np.minimum(rng.geometric(0.35, size=(7, 40)), 11)
    return np.where(ranks > 10, 0, 2520 // np.minimum(ranks, 10)), 2520


def averages(rng: np.random.Generator) -> tuple[Whole, int]:
    """Scores like AP's, to four decimals as files give them."""
    return rng.beta(0.6, 2.0, size=(7, 40)).__mul__(10_000).round().astype(np.int64), 10_000


def near_identical(rng: np.random.Generator) -> tuple[Whole, int]:
    """Runs that differ in the sixth decimal only."""
    return rng.integers(10**6, size=40) + rng.integers(4, size=(7, 40)), 10**6


def mostly_equal(rng: np.random.Generator) -> tuple[Whole, int]:
    """Runs that differ on one topic in eight."""
    changed = rng.random((7, 40)) < 0.06
    return np.where(changed, rng.integers(11, size=(7, 40)), rng.integers(11, size=40)), 10


def few_topics(rng: np.random.Generator) -> tuple[Whole, int]:
    """So few topics that many a resample has no variance, and some consist of topics at the mean."""
    return rng.integers(4, size=(12, 4)), 10


def few_nearly_equal(rng: np.random.Generator) -> tuple[Whole, int]:
    """The same, but in the eighth decimal of scores that are large beside it: differences have lost digits."""
    return rng.integers(10**8, size=4) + rng.integers(4, size=(12, 4)), 10**8


KINDS = [tenths, reciprocals, averages, near_identical, mostly_equal, few_topics, few_nearly_equal]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def exact_bootstrap(d: Whole, drawn: Whole) -> float:
    """Sakai's bootstrap of one pair, in rational numbers: differences shifted to mean 0, in units of 1/n."""
    n, total = d.size, int(d.sum())
    shifted = [n * v - total for v in d.tolist()]
    observed = squared_t(total * n, sum((v + total) ** 2 for v in shifted), n)
    if observed is None or len(set(d.tolist())) == 1:
        return 1.0
    b = 0
    for times in drawn.tolist():
        drawn_values = [v for w, v in zip(times, shifted, strict=True) for _ in range(w)]
        found = squared_t(sum(drawn_values), sum(v * v for v in drawn_values), n)
        b += found is None or found >= observed
    return (b + 1) / (len(drawn) + 1)


def squared_t(total: int, squares: int, n: int) -> Fraction | None:
    """t^2 = mean^2 / (variance / n) from a sum and a sum of squares; None for infinite; 0 / 0 is 0."""
    if n * squares == total**2:
        return Fraction(0) if total == 0 else None
    mean, variance = Fraction(total, n), Fraction(n * squares - total**2, n * (n - 1))
    return mean**2 * n / variance


def exact_randomisation(d: Whole, flips: Whole) -> float:
    """Sign flips of one pair in whole numbers."""
    if len(set(d.tolist())) == 1:
        return 1.0
    b = sum(
        abs(sum(s * v for s, v in zip(row, d.tolist(), strict=True))) >= abs(int(d.sum())) for row in flips.tolist()
    )
    return (b + 1) / (len(flips) + 1)


def differences(whole: Whole) -> list[Whole]:
    return [whole[i] - whole[j] for i, j in combinations(range(len(whole)), 2)]


@every_kind
def test_the_t_test_is_scipys_pair_by_pair(kind: Callable[[np.random.Generator], tuple[Whole, int]]) -> None:
    whole, unit = kind(np.random.default_rng(2))
    found = t_test(whole / unit)
    for p, d in zip(found, differences(whole), strict=True):
        expected = scipy.stats.ttest_rel(d, np.zeros(d.size)).pvalue if np.ptp(d) else 1.0
        assert p == pytest.approx(expected, rel=1e-6 if kind in (near_identical, few_nearly_equal) else 1e-10)


def test_the_t_test_keeps_its_digits_far_from_zero() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(-50, 50, size=(5, 30)) / 64
    assert t_test(x + 2.0**20) == pytest.approx(t_test(x), rel=1e-12)


@every_kind
def test_the_bootstrap_is_that_of_exact_arithmetic(kind: Callable[[np.random.Generator], tuple[Whole, int]]) -> None:
    whole, unit = kind(np.random.default_rng(3))
    x = whole / unit
    drawn = np.concatenate(list(multinomials(x.shape[1], RESAMPLES, 7))).astype(np.int64)
    expected = [exact_bootstrap(d, drawn) for d in differences(whole)]
    assert bootstrap_test(x, resamples=RESAMPLES, seed=7).tolist() == expected


def test_the_bootstrap_of_many_coarse_pairs_is_that_of_whole_numbers() -> None:
    """40 runs, 780 pairs, 15 topics: enough for ties between a resample and what was observed."""
    rng = np.random.default_rng(4)
    whole = rng.binomial(10, rng.beta(0.8, 1.2, size=15), size=(40, 15))
    drawn = np.concatenate(list(multinomials(15, RESAMPLES, 7))).astype(np.int64)
    n_ties, expected = 0, []
    for d in differences(whole):
        shifted = 15 * d - d.sum()
        total, spread = drawn @ shifted, 15 * (d @ d) - d.sum() ** 2
        ours = total**2 * spread  # t*^2 >= t^2, multiplied out
        theirs = d.sum() ** 2 * (15 * (drawn @ shifted**2) - total**2)
        n_ties += int((ours == theirs).sum()) if d.sum() else 0
        expected.append(((ours >= theirs).sum() + 1) / (RESAMPLES + 1))
    assert n_ties > 100
    assert bootstrap_test(whole / 10, resamples=RESAMPLES, seed=7).tolist() == expected


@every_kind
def test_the_randomisation_is_that_of_whole_numbers(kind: Callable[[np.random.Generator], tuple[Whole, int]]) -> None:
    whole, unit = kind(np.random.default_rng(5))
    x = whole / unit
    flips = np.concatenate(list(signs(x.shape[1], RESAMPLES, 7))).astype(np.int64)
    expected = [exact_randomisation(d, flips) for d in differences(whole)]
    assert randomisation_test(x, resamples=RESAMPLES, seed=7).tolist() == expected


def test_resamples_without_variance_or_all_at_the_mean_are_met() -> None:
    """Four topics, differences 0, 1, 1, 2 tenths: the mean is 1, so a resample of the middle two has t = 0."""
    x = np.array([[0.3, 0.5, 0.7, 0.9], [0.3, 0.4, 0.6, 0.7]])
    drawn = np.concatenate(list(multinomials(4, RESAMPLES, 1)))
    middle = (drawn[:, 1:3].sum(-1) == 4).sum()
    one_end = ((drawn == 4).any(-1) & (drawn[:, 1:3].sum(-1) == 0)).sum()
    assert middle > 10
    assert one_end > 0
    expected = exact_bootstrap(np.array([0, 1, 1, 2]), drawn.astype(np.int64))
    assert TESTS["bootstrap"](x).tolist() == [expected]


def test_the_randomisation_test_agrees_with_scipys_exact_one() -> None:
    rng = np.random.default_rng(11)
    x = rng.binomial(10, 0.4, size=(5, 10)) / 10
    n = 50_000
    found = randomisation_test(x, resamples=n, seed=1)
    for p, (i, j) in zip(found, combinations(range(5), 2), strict=True):
        exact = scipy.stats.permutation_test(
            (x[i], x[j]), lambda a, b, axis: (a - b).mean(axis), permutation_type="samples", vectorized=True
        ).pvalue  # all 2^10 assignments
        assert p == pytest.approx(exact, abs=4.5 * np.sqrt(exact * (1 - exact) / n) + 2 / n)


def test_the_bootstrap_agrees_with_scipys_t_on_other_resamples() -> None:
    rng = np.random.default_rng(12)
    x = rng.beta(0.6, 2.0, size=(4, 30))
    n = 20_000
    found = bootstrap_test(x, resamples=n, seed=1)
    for p, (i, j) in zip(found, combinations(range(4), 2), strict=True):
        d = x[i] - x[j]
        t = scipy.stats.ttest_1samp((d - d.mean())[rng.integers(30, size=(n, 30))], 0.0, axis=-1).statistic
        other = np.mean(np.abs(t) >= abs(scipy.stats.ttest_1samp(d, 0.0).statistic))
        assert p == pytest.approx(other, abs=4.5 * np.sqrt(2 * other * (1 - other) / n) + 2 / n)


@pytest.fixture(scope="module")
def two_runs(data: Path) -> Array:
    """AP of columns 125 and 126 of TREC-8's matrix."""
    file = data / "score-matrices" / "urbano" / "adhoc8.ap.tsv.gz"
    table = pl.read_csv(read_bytes(str(file)), separator="\t").select("run125", "run126").cast(pl.Float64)
    return table.to_numpy().T


def test_published_p_values_come_out(two_runs: Array) -> None:
    """julian-urbano/sigir2019-statistical, R/ir_tests.R and R/test.cpp, as run by its README.

    Its sign test leaves out differences of at most 0.01; its Wilcoxon is R's: with the continuity correction, and
    with differences equal on paper told apart by the last bit; its bootstrap is not studentised.
    """
    d = two_runs[0] - two_runs[1]
    assert t_test(two_runs)[0] == pytest.approx(0.0013193972, abs=5e-11)
    some = np.where(np.abs(d) <= 0.01, two_runs[0], two_runs[1])
    assert sign_test(np.stack([two_runs[0], some]))[0] == pytest.approx(0.009559879, abs=5e-10)
    theirs = scipy.stats.wilcoxon(d, method="asymptotic", correction=True).pvalue
    assert theirs == pytest.approx(0.003445188, abs=5e-10)
    paper = scipy.stats.wilcoxon((d * 10_000).round(), method="asymptotic").pvalue
    assert wilcoxon_test(two_runs)[0] == pytest.approx(paper, rel=1e-10)
    assert abs(paper - theirs) < 2e-4


def test_the_published_monte_carlo_p_values_come_out(two_runs: Array) -> None:
    """Published from a million resamples: sign flips 0.001188; shifted means that are not studentised 0.000586."""
    n = 100_000
    flipped = randomisation_test(two_runs, resamples=n, seed=1)[0]
    assert flipped == pytest.approx(0.001188, abs=4 * np.sqrt(0.0012 / n))
    d = two_runs[0] - two_runs[1]
    means = np.concatenate([w @ d for w in multinomials(50, n, 1)]) / 50
    plain = np.mean(np.abs(means - d.mean()) >= abs(d.mean()))
    assert plain == pytest.approx(0.000586, abs=4 * np.sqrt(0.0006 / n))
    studentised = bootstrap_test(two_runs, resamples=n, seed=1)[0]
    assert studentised == pytest.approx(0.001825, abs=4 * np.sqrt(0.0018 / n))  # ours, from a million: seed 1


@every_test
def test_a_pair_without_variance_is_not_significant(test: Test) -> None:
    x = np.tile(np.linspace(0.1, 0.7, 30), (3, 1))
    x[1] += 0.1  # a constant difference is 0.1 with and without rounding
    x[2] = np.random.default_rng(1).random(30)
    assert test(x)[0] == 1.0
    assert (test(x)[1:] > 0).all()


@every_test
def test_identical_runs_and_empty_scores_are_not_significant(test: Test) -> None:
    assert test(np.zeros((3, 20))).tolist() == [1.0] * 3
    assert test(np.tile(np.random.default_rng(1).random(20), (4, 1))).tolist() == [1.0] * 6


@every_test
@pytest.mark.parametrize("n_topics", [0, 1])
def test_less_than_two_topics_decide_nothing(test: Test, n_topics: int) -> None:
    assert test(np.arange(3.0 * n_topics).reshape(3, n_topics)).tolist() == [1.0] * 3


@every_test
def test_one_run_has_no_pairs(test: Test) -> None:
    assert test(np.random.default_rng(1).random((1, 20))).shape == (0,)


@every_test
@pytest.mark.parametrize("gap", [np.nan, np.inf])
def test_scores_with_gaps_are_refused(test: Test, gap: float) -> None:
    x = np.random.default_rng(1).random((3, 20))
    x[1, 4] = gap
    with pytest.raises(ValueError, match="leave out the topics that lack the score of any run"):
        test(x)


@every_test
def test_p_does_not_depend_on_the_unit(test: Test) -> None:
    x = tenths(np.random.default_rng(6))[0] / 10
    assert test(x * 1000) == pytest.approx(test(x), rel=1e-9)


@pytest.mark.parametrize("name", [name for name in TESTS if name != "randomised tukey"])
def test_p_does_not_depend_on_which_run_comes_first(name: str) -> None:
    x = tenths(np.random.default_rng(6))[0] / 10
    forth, back = (table_of(TESTS[name](y), len(x)) for y in (x, x[::-1]))
    assert back[::-1, ::-1] == pytest.approx(forth, rel=1e-9)


def table_of(p: Array, m: int) -> Array:
    """The p-values of all pairs as a symmetric table."""
    table = np.zeros((m, m))
    table[np.triu_indices(m, 1)] = p
    return table + table.T


@pytest.mark.parametrize("name", ["bootstrap", "randomisation", "randomised tukey"])
def test_a_monte_carlo_p_is_never_0(name: str) -> None:
    rng = np.random.default_rng(1)
    x = np.stack([rng.normal(10, 1, 50), rng.normal(0, 1, 50)])
    assert TESTS[name](x).tolist() == [1 / (RESAMPLES + 1)]


@pytest.mark.parametrize("name", ["bootstrap", "randomisation", "randomised tukey"])
@pytest.mark.parametrize("portion", [1, 1 << 12, 1 << 30])
def test_p_does_not_depend_on_the_size_of_a_batch(name: str, portion: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x = tenths(np.random.default_rng(8))[0] / 10
    before = TESTS[name](x)
    monkeypatch.setattr(resampling, "_PORTION", portion)
    monkeypatch.setattr(resampling, "_SHUFFLED", portion)
    monkeypatch.setattr(resampling, "_STACK", 1 + portion % 97)
    assert (TESTS[name](x) == before).all()
    assert len(set(before.tolist())) > 3


_PROGRAM = """
import numpy as np
from assay.numeric.significance import bootstrap_test, randomisation_test
from assay.numeric.tukey import randomised_tukey_test
x = np.random.default_rng(1).binomial(10, 0.4, size=(40, 300)) / 10
for test in (bootstrap_test, randomisation_test, randomised_tukey_test):
    print(test(x, resamples=600, seed=3).tobytes().hex())
"""


def test_p_does_not_depend_on_the_number_of_threads() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env={"OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert printed[0] == printed[1]
    assert len(set(printed[0].splitlines())) == 3


def test_another_seed_gives_other_resamples() -> None:
    x = averages(np.random.default_rng(9))[0] / 10_000
    assert (bootstrap_test(x, resamples=500, seed=1) != bootstrap_test(x, resamples=500, seed=2)).any()


def test_the_differences_come_with_their_pairs_means_and_deviations() -> None:
    x = np.array([[0.5, 0.1, 0.3], [0.2, 0.2, 0.2], [0.0, 0.0, 0.9]])
    d = pairs(x)
    assert list(zip(d.first.tolist(), d.second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert d.mean == pytest.approx([0.1, 0.0, -0.1])
    assert d.mean[1] == 0.0
    assert d.sd == pytest.approx(np.std(x[[0, 0, 1]] - x[[1, 2, 2]], axis=1, ddof=1))
    assert d.t == pytest.approx(d.mean / d.sd * np.sqrt(3))
