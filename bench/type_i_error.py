"""The type I error of every declared significance test: `python -m bench.type_i_error`.

Every cell simulates data in which the null hypothesis holds and counts the p-values of at most 0.05: per family of
ten runs (any pair) for tests that are declared family-wise, per comparison of two runs for the others. The
Monte-Carlo error is the standard error of that share.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from assay.stats.significance.declare import SignificanceTest, significance_tests

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Array]
Tests = dict[str, SignificanceTest]

ALPHA, SEED = 0.05, 20100
TOPICS = (10, 25, 50, 200)
TIMES, RUNS = 5000, 10
RESAMPLES, PERMUTATIONS = 499, 199  # alpha (resamples + 1) is whole: no p falls between


def normal(rng: np.random.Generator, m: int, n: int) -> Array:
    """Scores with normal noise about topics of different difficulty."""
    return rng.normal(size=n) + rng.normal(size=(m, n))


def skewed(rng: np.random.Generator, m: int, n: int) -> Array:
    """Scores with exponential noise: skewed as scores, though not as differences of two such runs."""
    return rng.normal(size=n) + rng.exponential(size=(m, n))


def tenths(rng: np.random.Generator, m: int, n: int) -> Array:
    """Scores like those of P@10: a tenth for each of ten documents, topics of different difficulty."""
    return rng.binomial(10, rng.beta(0.8, 1.2, size=n), size=(m, n)) / 10


def mean_zero(rng: np.random.Generator, _m: int, n: int) -> Array:
    """Two runs whose differences are exponential, shifted to a mean of 0."""
    return np.stack([rng.exponential(size=n) - 1, np.zeros(n)])


def median_zero(rng: np.random.Generator, _m: int, n: int) -> Array:
    """Two runs whose differences are exponential, shifted to a median of 0."""
    return np.stack([rng.exponential(size=n) - np.log(2), np.zeros(n)])


PAIRED: Tests = {name: test for name, test in significance_tests().items() if not test.family_wise}
FAMILY: Tests = {name: test for name, test in significance_tests().items() if test.family_wise}
PER_COMPARISON: dict[str, Draw] = {
    "normal": normal,
    "skewed, mean 0": mean_zero,
    "tenths": tenths,
}
PER_FAMILY: dict[str, Draw] = {"normal": normal, "skewed": skewed, "tenths": tenths}


def rejections(draw: Draw, tests: Sequence[SignificanceTest], m: int, n: int, times: int = TIMES) -> Array:
    """Count, as a share, how often each test finds any difference. [test]"""
    rng = np.random.default_rng([SEED, crc32(draw.__name__.encode()), m, n])
    count = np.zeros(len(tests))
    for seed in range(times):
        x = draw(rng, m, n)
        count += [float(p_values(test, x, seed).min() <= ALPHA + 1e-12) for test in tests]
    return count / times


def p_values(test: SignificanceTest, x: Array, seed: int) -> Array:
    """Test all pairs, with few resamples."""
    return test.p_values(x, resamples=PERMUTATIONS if test.family_wise else RESAMPLES, seed=seed)


def table(draws: dict[str, Draw], tests: Tests, m: int) -> list[str]:
    """Rows of a Markdown table: share and its standard error, in percent."""
    rows = [f"| data | topics | {' | '.join(tests)} |", f"|---|---|{'---|' * len(tests)}"]
    for name, draw in draws.items():
        for n in TOPICS:
            print(f"{name}, {n} topics", file=sys.stderr)
            shares = rejections(draw, list(tests.values()), m, n)
            errors = np.sqrt(shares * (1 - shares) / TIMES)
            cells = [f"{100 * share:.1f} ± {100 * error:.1f}" for share, error in zip(shares, errors, strict=True)]
            rows.append(f"| {name} | {n} | {' | '.join(cells)} |")
    return rows


def main() -> None:
    """Print the tables."""
    print(f"Per comparison: % of {TIMES:,} pairs with p <= {ALPHA}\n")
    print("\n".join(table(PER_COMPARISON, PAIRED, 2)))
    print("\nThe same for what the sign test does test\n")
    print("\n".join(table({"skewed, median 0": median_zero}, {"sign": PAIRED["sign"]}, 2)))
    print(f"\nPer family: % of {TIMES:,} sets of {RUNS} runs with any p <= {ALPHA}\n")
    print("\n".join(table(PER_FAMILY, FAMILY, RUNS)))


if __name__ == "__main__":
    main()
