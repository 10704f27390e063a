"""Expectations in the first model of robertson2007, by sums and quadrature that share no code with Assay.

    python tests/reference/robertson2007_exact.py

Relevant documents score normally with mean 1 and deviation 0.25, the others exponentially with mean 0.1; 128 and
12,800,000 of them, or 3,200,000 where generality varies. A relevant document with score 1 + z / 4 is exceeded by a
share u of the relevant and a share x of the other documents; in a sample, A of the other m - 1 relevant ones and X of
the others stand above it, both binomial. Integrals over z are by Gauss-Legendre panels, distributions by scipy
1.17.1.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

N_RELEVANT, N_OTHER = 128, 12_800_000


def nodes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares u and x above a relevant document, and the weight of each node in a mean over relevant documents."""
    ends = np.concatenate([np.linspace(-9, -4, 6), np.linspace(-4, 9, 40)[1:]])  # below -4 scores are below 0
    point, weight = np.polynomial.legendre.leggauss(16)
    half = np.diff(ends)[:, None] / 2
    z = (ends[:-1, None] + half * (1 + point)).ravel()
    score = 1 + z / 4
    return stats.norm.sf(z), np.exp(-np.maximum(score, 0) / 0.1), (half * weight).ravel() * stats.norm.pdf(z)


U, X, W = nodes()


def log_times() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights for integrals over t from 0 to 1 of what lives close to 1."""
    ends = np.linspace(np.log(1e-14), 0, 80)  # of ln (1 - t)
    point, weight = np.polynomial.legendre.leggauss(16)
    half = np.diff(ends)[:, None] / 2
    rest = np.exp((ends[:-1, None] + half * (1 + point)).ravel())
    return 1 - rest, (half * weight).ravel() * rest


T, TW = log_times()


def power(share: np.ndarray, n: float) -> np.ndarray:
    """The generating function of a binomial number, at every node and t: (1 - share + share t)^n. [node, t]"""
    return np.exp(n * np.log1p(-share[:, None] * (1 - T)))


def average_precision(m: int, n: float, rate: float) -> float:
    """E[(1 + A) / (1 + A + X)] = integral of d/dt[t E t^A] E t^X."""
    base = 1 - U[:, None] * (1 - T)
    slope = base ** (m - 1) + T * (m - 1) * U[:, None] * base ** max(m - 2, 0)
    return float(W @ ((slope * power(rate * X, n)) @ TW))


def precision_at(rank: int, m: int, n: float, rate: float) -> float:
    """Relevant documents expected in the first ranks, over their number."""
    hits = sum(stats.binom.pmf(a, m - 1, U) * stats.binom.cdf(rank - 1 - a, n, rate * X) for a in range(rank))
    return float(m / rank * (W @ hits))


def precision_at_recall(k: int, m: int, n: float, rate: float) -> float:
    """E[k / (k + X)] at the k-th relevant document of m, whose u is a beta variable."""
    density = stats.beta.pdf(U, k, m - k + 1)
    return float((W * density) @ ((k * T ** (k - 1) * power(rate * X, n)) @ TW))


def ndcg(m: int, n: float, rate: float) -> float:
    """E of 1 / log2(1 + rank), over the ideal; of large ranks by Taylor's second term."""
    gain = np.empty(U.size)
    a = np.arange(m)
    for i, (u, x) in enumerate(zip(U, rate * X, strict=True)):
        mean, variance = (m - 1) * u + n * x, (m - 1) * u * (1 - u) + n * x * (1 - x)
        if mean < 4000:
            k = np.arange(int(n * x + 12 * np.sqrt(n * x) + 30))
            chance = stats.binom.pmf(a, m - 1, u)[:, None] * stats.binom.pmf(k, n, x)
            gain[i] = (chance / np.log2(2 + a[:, None] + k)).sum()
        else:
            y = np.log(2 + mean)
            second = (2 / y**3 + 1 / y**2) / (2 + mean) ** 2
            gain[i] = np.log(2) * (1 / y + second * variance / 2)
    return float(m * (W @ gain) / (1 / np.log2(2 + a)).sum())


def beyond(depth: int) -> tuple[float, float]:
    """Relevant documents of the population below a rank, and what they are worth in AP."""
    seen, worth = np.zeros(U.size), np.zeros(U.size)
    a = np.arange(N_RELEVANT)[:, None]
    k = np.arange(depth)
    for i, (u, x) in enumerate(zip(U, X, strict=True)):
        chance = stats.binom.pmf(a, N_RELEVANT - 1, u) * stats.binom.pmf(k, N_OTHER, x) * (1 + a + k <= depth)
        seen[i] = chance.sum()
        worth[i] = (chance * (1 + a) / (1 + a + k)).sum()
    whole = average_precision(N_RELEVANT, N_OTHER, 1.0)
    return float(N_RELEVANT * (1 - W @ seen)), float(whole - W @ worth)


def main() -> None:
    """Print what tests refer to."""
    share = U / (U + (12_800_000 - 128) / 128 * X)
    print(f"J, 128 relevant of 12,800,000: {W @ share:.6f}")
    print(f"L: {W @ -np.log(U / (U + 1e5 * X)):.6f}")
    print(f"AP of 128 relevant documents: {average_precision(N_RELEVANT, N_OTHER, 1.0):.6f}")
    print(f"table 1, n = 5: {average_precision(4, N_OTHER, 2**-5):.6f}")
    print(f"table 2, All: {precision_at(10, N_RELEVANT, N_OTHER, 1.0):.6f}")
    print(f"table 3, method 2, n = 3: {precision_at(40, 16, N_OTHER, 2**-3):.6f}")
    print(f"table 4, method 2, n = 4: {precision_at_recall(4, 8, N_OTHER, 2**-4):.6f}")
    print(f"table 5, n = 4: {average_precision(8, 3_200_000, 1.0):.6f}")
    print(f"table 6, n = 1: {ndcg(64, N_OTHER, 0.5):.6f}")
    sizes = 2 ** np.linspace(-2, 4, 121)
    highest = max(float(12.8 * s * (W @ stats.poisson.cdf(9, s * (128 * U + N_OTHER * X)))) for s in sizes)
    print(f"highest P@10 of all sizes of collection, Poisson numbers: {highest:.4f}")
    print("beyond rank 1,000: {:.2f} relevant documents, worth {:.5f} of AP".format(*beyond(1000)))


if __name__ == "__main__":
    main()
