"""Law: every declared significance test obeys the rules of `pairs`, and is what its declaration claims."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.arrays import Array
from assay.stats import resampling
from assay.stats.significance.declare import SignificanceTest, significance_tests
from tests.stats.significance.kinds import RESAMPLES, averages, tenths

TESTS = significance_tests()
MONTE_CARLO = {name: test for name, test in TESTS.items() if test.resamples is not None}
ANALYTIC = {name: test for name, test in TESTS.items() if test.resamples is None}

every_test = pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
every_monte_carlo_test = pytest.mark.parametrize("test", MONTE_CARLO.values(), ids=MONTE_CARLO)
every_analytic_test = pytest.mark.parametrize("test", ANALYTIC.values(), ids=ANALYTIC)


def p_of(test: SignificanceTest, x: Array, *, resamples: int = RESAMPLES, seed: int = 1) -> Array:
    return test.p_values(x, resamples=resamples, seed=seed)


def scores() -> Array:
    return tenths(np.random.default_rng(6))[0] / 10


def square(p: Array, m: int) -> Array:
    """The p-values of all pairs as a symmetric table."""
    table = np.zeros((m, m))
    table[np.triu_indices(m, 1)] = p
    return table + table.T


def test_the_built_in_tests_are_declared_in_order() -> None:
    assert list(TESTS) == ["t", "bootstrap", "randomisation", "sign", "wilcoxon", "tukey", "randomised-tukey"]


@every_test
def test_a_test_says_what_it_is_and_what_it_is_not_for(test: SignificanceTest) -> None:
    assert test.title
    assert test.caveat.startswith("not for ")
    assert not test.caveat.endswith(".")
    assert test.doc.startswith("Test whether ")
    assert test.title in test.description
    assert test.caveat in test.description


@every_test
@given(st.data())
def test_p_is_above_0_and_at_most_1(test: SignificanceTest, data: st.DataObject) -> None:
    m, n = data.draw(st.integers(2, 5)), data.draw(st.integers(2, 9))
    whole = data.draw(st.lists(st.integers(0, 10), min_size=m * n, max_size=m * n))
    p = p_of(test, np.array(whole, dtype=np.float64).reshape(m, n) / 10, resamples=20)
    assert p.shape == (m * (m - 1) // 2,)
    assert ((p > 0) & (p <= 1)).all()


@every_test
def test_a_constant_difference_is_significant_only_where_no_variance_is_needed(test: SignificanceTest) -> None:
    x = np.tile(np.linspace(0.1, 0.7, 30), (3, 1))
    x[1] += 0.1  # a constant difference is 0.1 with and without rounding
    x[2] = np.random.default_rng(1).random(30)
    p = p_of(test, x)
    assert p[0] < 1.0 if test.constant else p[0] == 1.0
    assert (p[1:] > 0).all()


@pytest.mark.parametrize("name", ["sign", "wilcoxon", "randomisation"])
@pytest.mark.parametrize("n", [1, 2, 6, 12, 30])
def test_a_constant_difference_has_the_exact_p_of_its_signs(name: str, n: int) -> None:
    x = np.stack([np.linspace(0.1, 0.7, n) + 0.1, np.linspace(0.1, 0.7, n)])
    assert p_of(TESTS[name], x).tolist() == pytest.approx([2 / 2**n])


@every_test
def test_sets_of_topics_are_tested_as_if_each_were_alone(test: SignificanceTest) -> None:
    x = averages(np.random.default_rng(3))[0][:, :20] / 10_000
    subsets = np.random.default_rng(4).random((5, 20)) < 0.6
    together = test.p_values_on(x, subsets, resamples=4000, seed=1)
    alone = [p_of(test, x[:, topics], resamples=4000, seed=2) for topics in subsets]
    assert together == pytest.approx(np.array(alone), abs=0.05 if test.resamples else 1e-12)
    whole = test.p_values_on(x, np.ones((1, 20), dtype=bool), resamples=600, seed=1)
    assert whole[0].tolist() == p_of(test, x, resamples=600, seed=1).tolist()
    assert test.p_values_on(x, subsets[:0]).shape == (0, 21)


@every_test
def test_identical_runs_and_empty_scores_are_not_significant(test: SignificanceTest) -> None:
    assert p_of(test, np.zeros((3, 20))).tolist() == [1.0] * 3
    assert p_of(test, np.tile(np.random.default_rng(1).random(20), (4, 1))).tolist() == [1.0] * 6


@every_test
@pytest.mark.parametrize("n_topics", [0, 1])
def test_less_than_two_topics_decide_nothing(test: SignificanceTest, n_topics: int) -> None:
    assert p_of(test, np.arange(3.0 * n_topics).reshape(3, n_topics)).tolist() == [1.0] * 3


@every_test
def test_one_run_has_no_pairs(test: SignificanceTest) -> None:
    assert p_of(test, np.random.default_rng(1).random((1, 20))).shape == (0,)


@every_test
@pytest.mark.parametrize("gap", [np.nan, np.inf])
def test_scores_with_gaps_are_refused(test: SignificanceTest, gap: float) -> None:
    x = np.random.default_rng(1).random((3, 20))
    x[1, 4] = gap
    with pytest.raises(ValueError, match="leave out the topics that lack the score of any run"):
        p_of(test, x)


@every_test
def test_p_does_not_depend_on_the_unit(test: SignificanceTest) -> None:
    assert p_of(test, scores() * 1000) == pytest.approx(p_of(test, scores()), rel=1e-9)


@every_test
def test_p_does_not_depend_on_which_run_comes_first(test: SignificanceTest) -> None:
    """To the digits of an analytic test, and to a Monte-Carlo test's error, whose resamples may see the order."""
    x, n = scores(), 5000
    forth, back = (square(p_of(test, y, resamples=n), len(x)) for y in (x, x[::-1]))
    error = 0.0 if test.resamples is None else 5 * np.sqrt(2 * forth * (1 - forth) / n) + 2 / n
    assert (np.abs(back[::-1, ::-1] - forth) <= np.maximum(error, 1e-9 * forth)).all()


@every_analytic_test
def test_p_does_not_depend_on_the_order_of_the_topics(test: SignificanceTest) -> None:
    x = scores()
    order = np.random.default_rng(3).permutation(x.shape[1])
    assert p_of(test, x[:, order]) == pytest.approx(p_of(test, x), rel=1e-9)


@every_monte_carlo_test
def test_a_seed_gives_the_same_p_again_and_another_seed_another(test: SignificanceTest) -> None:
    x = averages(np.random.default_rng(9))[0] / 10_000
    first, again, other = (p_of(test, x, seed=seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


@every_monte_carlo_test
def test_a_monte_carlo_test_takes_as_many_resamples_as_it_declares(test: SignificanceTest) -> None:
    rng = np.random.default_rng(1)
    apart = np.stack([rng.normal(10, 1, 50), rng.normal(0, 1, 50)])
    assert test.resamples is not None
    assert p_of(test, apart).tolist() == [1 / (RESAMPLES + 1)]  # never 0
    assert test.p_values(apart).tolist() == [1 / (test.resamples + 1)]


@every_monte_carlo_test
@pytest.mark.parametrize("portion", [1, 1 << 12, 1 << 30])
def test_p_does_not_depend_on_the_size_of_a_batch(
    test: SignificanceTest, portion: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tenths(np.random.default_rng(8))[0] / 10
    before = p_of(test, x)
    monkeypatch.setattr(resampling, "_PORTION", portion)
    monkeypatch.setattr(resampling, "_SHUFFLED", portion)
    monkeypatch.setattr(resampling, "_STACK", 1 + portion % 97)
    assert (p_of(test, x) == before).all()
    assert len(set(before.tolist())) > 3


_PROGRAM = """
import numpy as np
from assay.stats.significance.declare import significance_tests
x = np.random.default_rng(1).binomial(10, 0.4, size=(40, 300)) / 10
for test in significance_tests().values():
    if test.resamples:
        print(test.p_values(x, resamples=600, seed=3).tobytes().hex())
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
    assert len(set(printed[0].splitlines())) == len(MONTE_CARLO)


@every_test
def test_a_family_wise_test_keeps_the_error_of_the_family_and_another_does_not(test: SignificanceTest) -> None:
    """300 families of five runs that are alike, ten pairs each: any p of at most 0.05 is an error of the family."""
    rng = np.random.default_rng(20)
    families = [rng.normal(size=20) + rng.normal(size=(5, 20)) for _ in range(300)]
    errors = np.mean([p_of(test, x, resamples=199, seed=i).min() <= 0.05 for i, x in enumerate(families)])
    assert (errors <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 300)) is np.bool_(test.family_wise)


@every_test
def test_a_critical_difference_is_where_a_pair_becomes_significant(test: SignificanceTest) -> None:
    """Declared for tests that compare a pair's difference of means with a number, and for no other."""
    rng = np.random.default_rng(3)
    x = rng.beta(1, 3, size=(10, 25)) + np.linspace(0, 0.2, 10)[:, None]
    critical = test.critical_differences(x, alpha=0.05, resamples=2000, seed=1)
    assert (critical is None) is (test.critical is None)
    if critical is None:
        return
    p = p_of(test, x, resamples=2000)
    first, second = np.triu_indices(len(x), 1)
    gap = np.abs((x[first] - x[second]).mean(1))
    clear = np.abs(p - 0.05) > (0.0 if test.resamples is None else 0.002)  # a count of resamples may fall either way
    assert clear.sum() > 40
    assert ((gap > critical) == (p < 0.05))[clear].all()
    assert test.critical_differences(x[:, :1], alpha=0.05) is None
