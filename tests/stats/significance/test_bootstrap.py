"""The studentised bootstrap against a twin in rational numbers, and against scipy's t on other resamples."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from assay.stats.intervals import t_quantile
from assay.stats.resampling import multinomials
from assay.stats.significance import bootstrap
from assay.stats.significance.bootstrap import bootstrap_test
from assay.stats.significance.declare import find_test
from tests.stats.significance.kinds import RESAMPLES, Kind, Whole, differences, every_kind


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


@every_kind
def test_the_bootstrap_is_that_of_exact_arithmetic(kind: Kind) -> None:
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


def test_resamples_without_variance_or_all_at_the_mean_are_met() -> None:
    """Four topics, differences 0, 1, 1, 2 tenths: the mean is 1, so a resample of the middle two has t = 0."""
    x = np.array([[0.3, 0.5, 0.7, 0.9], [0.3, 0.4, 0.6, 0.7]])
    drawn = np.concatenate(list(multinomials(4, RESAMPLES, 1)))
    middle = (drawn[:, 1:3].sum(-1) == 4).sum()
    one_end = ((drawn == 4).any(-1) & (drawn[:, 1:3].sum(-1) == 0)).sum()
    assert middle > 10
    assert one_end > 0
    expected = exact_bootstrap(np.array([0, 1, 1, 2]), drawn.astype(np.int64))
    assert bootstrap_test(x, resamples=RESAMPLES, seed=1).tolist() == [expected]


def test_the_critical_difference_is_finite_or_there_is_none() -> None:
    """Of 30 topics, the runs of a pair differ on one, on five, on all: a resample often has none of the first."""
    x = np.zeros((4, 30))
    x[1, 0], x[2, :5] = 1.0, np.linspace(0.2, 1.0, 5)
    x[3] = np.random.default_rng(1).random(30)
    with np.errstate(all="raise"):
        found = find_test("bootstrap").critical_differences(x, alpha=0.05, seed=1)
    assert found is not None
    assert np.isnan(found).tolist() == [True, False, False, False, False, False]
    assert found[2] == pytest.approx(t_quantile(0.95, 29) * x[3].std(ddof=1) / np.sqrt(30), rel=0.2)


def test_the_critical_difference_is_that_of_whole_numbers_however_often_differences_are_equal() -> None:
    """Scores in tenths on few topics: rounding must not make a large t of a resample of equal differences."""
    rng = np.random.default_rng(3)
    kinds = set()
    for n in (5, 6, 8, 12):
        drawn = np.concatenate(list(multinomials(n, RESAMPLES, 1))).astype(np.int64)
        for tenths in rng.binomial(5, 0.4, (8, 2, n)):
            found = bootstrap._critical_difference(tenths / 10, alpha=0.05, resamples=RESAMPLES, seed=1)
            expected = exact_critical_difference(tenths[0] - tenths[1], drawn) / 10
            assert found.tolist() == pytest.approx([expected], rel=1e-6, nan_ok=True)
            kinds.add(bool(np.isnan(expected)))
    assert kinds == {True, False}


def exact_critical_difference(d: Whole, drawn: Whole) -> float:
    """The standard error times the 95% quantile of |t*|, in whole numbers up to the root; NaN where infinite."""
    n = d.size
    shifted = n * d - d.sum()
    total, spread = drawn @ shifted, n * (drawn @ shifted**2) - (drawn @ shifted) ** 2
    t = np.sqrt(np.divide((n - 1) * total**2, spread, out=np.where(total == 0, 0.0, np.inf), where=spread > 0))
    below, above = np.sort(t)[[int(0.95 * (t.size - 1)), int(0.95 * (t.size - 1)) + 1]]
    if np.isinf(below):
        return float("nan")
    within = 0.95 * (t.size - 1) % 1
    return float(d.std(ddof=1) / np.sqrt(n) * (below if np.isinf(above) else below + within * (above - below)))


def test_a_quantile_of_numbers_is_numpys() -> None:
    t = np.random.default_rng(1).exponential(size=(5, 101))
    assert bootstrap._quantile(t, 0.93) == pytest.approx(np.quantile(t, 0.93, axis=-1), rel=1e-14)
    t[0, :7], t[1, :3] = np.inf, np.inf
    found = bootstrap._quantile(t, 0.93)
    assert found[1] == pytest.approx(np.quantile(t[1], 0.93))
    assert found[0] == np.sort(t[0])[93]  # what is interpolated towards infinity stays
    t[2, :9] = np.inf
    assert np.isnan(bootstrap._quantile(t, 0.93)).tolist() == [False, False, True, False, False]


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
