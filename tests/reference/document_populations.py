"""What the models of robertson2007 expect, by adaptive quadrature: `python -m tests.reference.document_populations`.

Shares no code with Assay. Relevant documents score by N(1, 0.25); non-relevant ones exponentially with mean 0.1
("first"), or by N(0, 0.25) ("second"). All integrals are over z, the standard score of a relevant document, by
scipy.integrate.quad (scipy 1.17.1); an expectation over ranks is a second one, E[1 / (k + X)] being the integral of
E[t^(k + X - 1)]. The printed numbers stand in the tests of `population` and of `stats.document_population`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from scipy import integrate, optimize, special, stats

Fallout = Callable[[float], float]
ODDS = 100_000
HALVED = [128 >> n for n in range(6)]
NUMBERS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096, 16384, 65536, 262144]
ENDS = -7.0, 7.0  # of z
MODELS: dict[str, Fallout] = {
    "first": lambda z: math.exp(-10 * max(1 + 0.25 * z, 0.0)),
    "second": lambda z: float(special.ndtr(-(4 + z))),
}


def mean(value: Callable[[float, float], float], fallout: Fallout, ends: tuple[float, float] = ENDS) -> float:
    """The mean over relevant documents of a function of the recall and fallout above each."""

    def at(z: float) -> float:
        return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * value(float(special.ndtr(-z)), fallout(z))

    breaks = [z for z in (-4.0, -2.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0) if ends[0] < z < ends[1]]
    return float(integrate.quad(at, *ends, points=breaks, epsabs=1e-9, epsrel=1e-9, limit=200)[0])


def average_precision(fallout: Fallout, odds: float) -> float:
    return mean(lambda u, x: u / (u + odds * x), fallout)


def log_precision(fallout: Fallout, odds: float) -> float:
    return mean(lambda u, x: math.log1p(odds * x / u), fallout)


def power_discount(fallout: Fallout, a: float, odds: float) -> float:
    return (1 - a) * mean(lambda u, x: (u + odds * x) ** -a, fallout, (-7.0, 36.0))


def retrieved(fallout: Fallout, z: float, odds: float) -> float:
    return (float(special.ndtr(-z)) + odds * fallout(z)) / (1 + odds)


def score_of_share(fallout: Fallout, share: float, odds: float) -> float:
    return float(optimize.brentq(lambda z: retrieved(fallout, z, odds) - share, -9, 9, xtol=1e-13))


def precision_at(fallout: Fallout, z: float, odds: float) -> float:
    u = float(special.ndtr(-z))
    return u / (u + odds * fallout(z))


def over_ranks(moment: Callable[[float], float], about: float) -> float:
    """The integral of moment(t) over t from 0 to 1, t = e^-w, where 1/w is about the rank."""

    def at(y: float) -> float:
        w = math.exp(y) / about
        return moment(w) * math.exp(-w) * w

    return float(integrate.quad(at, -25, 5.5, points=[-3, 0, 2], epsabs=1e-10, epsrel=1e-9, limit=200)[0])


def rest(n: float, share: float, w: float) -> float:
    """E[e^(-w X)] of n documents, each with this chance."""
    return math.exp(n * math.log1p(share * math.expm1(-w)))


def expected_ap(fallout: Fallout, n_relevant: float, n_other: float) -> float:
    """K = 1 + A documents down to a relevant one are relevant, X are not: E[K / (K + X)]."""

    def at(u: float, x: float) -> float:
        def moment(w: float) -> float:  # E[K t^(K - 1)] E[t^X]
            t, some = math.exp(-w), 1 + u * math.expm1(-w)
            log = (n_relevant - 2) * math.log(some)
            own = math.exp(log) * (some + t * (n_relevant - 1) * u)
            return own * rest(n_other, x, w)

        return over_ranks(moment, 1 + (n_relevant - 1) * u + n_other * x)

    return mean(at, fallout)


def expected_at_rank(fallout: Fallout, n_relevant: int, n_other: int, rank: int) -> float:
    """E[P@rank]: relevant documents with fewer than `rank` others above, over the rank."""
    above = np.arange(rank)

    def at(u: float, x: float) -> float:
        own = stats.binom.pmf(above, n_relevant - 1, u)
        return float(own @ stats.binom.cdf(rank - 1 - above, n_other, x))

    return n_relevant / rank * mean(at, fallout)


def expected_at_rank_poisson(fallout: Fallout, n_relevant: float, rank: int) -> float:
    value = mean(lambda u, x: float(special.pdtr(rank - 1, n_relevant * (u + ODDS * x))), fallout, (-7.0, 20.0))
    return n_relevant / rank * value


def expected_at_recall(fallout: Fallout, n_relevant: int, n_other: int, k: int) -> float:
    """E[k / (k + X)] above the k-th relevant document, whose recall is a beta variable."""

    def at(u: float, x: float) -> float:
        chance = float(stats.beta.pdf(u, k, n_relevant - k + 1))
        if chance < 1e-14:
            return 0.0
        return chance * over_ranks(lambda w: k * math.exp(-(k - 1) * w) * rest(n_other, x, w), k + n_other * x)

    return mean(at, fallout)


def expected_ndcg(fallout: Fallout, n_relevant: int, n_other: int) -> float:
    """E[nDCG]; beyond ten thousand documents above, 1 / ln(2 + above) is taken to second order about its mean."""

    def at(u: float, x: float) -> float:
        a, b = (n_relevant - 1) * u, n_other * x
        if a + b > 10_000:
            variance, y = a * (1 - u) + b * (1 - x), 2 + a + b
            log = math.log(y)
            return 1 / log + variance / 2 * (1 + 2 / log) / (y * log) ** 2
        most = int(b + 12 * math.sqrt(b) + 60)
        others = stats.binom.pmf(np.arange(most), n_other, x)
        own = stats.binom.pmf(np.arange(n_relevant), n_relevant - 1, u)
        both = np.convolve(own, others)
        return float(both @ (1 / np.log(2 + np.arange(both.size))))

    ideal = sum(1 / math.log(1 + rank) for rank in range(1, n_relevant + 1))
    return n_relevant / ideal * mean(at, fallout)


def ndcg_of_any_size(fallout: Fallout, log10_relevant: float) -> float:
    """Ranks are as good as certain: E[1 / ln rank] over the mean of 1 / ln rank of a perfect ranking."""
    log = log10_relevant * math.log(10)
    value = mean(lambda u, x: 1 / (log + math.log(u + ODDS * x)), fallout)
    return value / sum(math.factorial(k) / log ** (k + 1) for k in range(12))


def shown(name: str, values: Iterable[float]) -> None:
    print(f"{name}:", *(f"{value:.6f}" for value in values), flush=True)


def main() -> None:
    for name, fallout in MODELS.items():
        print(f"--- {name}")
        sizes = [1e5 - 1, 1e5, 25_000 - 1, 25_000]
        shown("J at 128 of 12.8 million, and beside; of 3.2 million", (average_precision(fallout, o) for o in sizes))
        shown("L", (log_precision(fallout, o) for o in (1e5 - 1, 1e5)))
        shown("power discounts 0.25, 0.5, 0.75", (power_discount(fallout, a, 1e5) for a in (0.25, 0.5, 0.75)))
        at = [-float(special.ndtri(recall)) for recall in (0.1, 0.5, 0.9)]
        shown("precision at recall 0.1, 0.5, 0.9", (precision_at(fallout, z, 1e5 - 1) for z in at))
        places = [score_of_share(fallout, n / 12_800_000, 1e5 - 1) for n in (320, 10)]
        shown("score of 320", [1 + 0.25 * places[0]])
        shown("P@pN of 320, of 10", (precision_at(fallout, z, 1e5 - 1) for z in places))
        shown("E[AP]", (expected_ap(fallout, n, n * ODDS) for n in NUMBERS))
        multiples = [1 / 32, 1 / 8, 1 / 2, 1, 2, 4, 16, 64, 256, 1024]
        for rank in (10, 1):
            each = (expected_at_rank_poisson(fallout, 128 * m, rank) for m in multiples)
            shown(f"E[P@{rank}], Poisson, multiples of the collection", each)
        powers = [10, 12, 20, 50, 100, 200, 500, 1000, 10_000, 100_000]
        shown("E[nDCG] of 10^x relevant documents", (ndcg_of_any_size(fallout, power) for power in powers))
    first = MODELS["first"]
    print("--- tables of the paper, n = 0 .. 5, first model")
    shown("E[P@10]", (expected_at_rank(first, n, n * ODDS, 10) for n in HALVED))
    shown("E[P@pN], fixed rank", (expected_at_rank(first, n, n * ODDS, 320 >> i) for i, n in enumerate(HALVED)))
    shown("E[P@recall=0.5], in sample", (expected_at_recall(first, n, n * ODDS, n // 2) for n in HALVED))
    shown("E[nDCG]", (expected_ndcg(first, n, n * ODDS) for n in HALVED))
    varying = [expected_ap(first, n, 3_200_000) for n in HALVED]
    shown("E[AP], varying generality", varying)
    j = [average_precision(first, 3_200_000 / (128 * 0.5**i)) for i in range(6)]
    shown("its bias", (a - b for a, b in zip(varying, j, strict=True)))
    best = optimize.minimize_scalar(lambda z: -precision_at(first, z, 1e5), bounds=(0, 5), method="bounded")
    shown("highest precision, its score", (-best.fun, 1 + 0.25 * best.x))
    shown("precision above 1.75, 2, 2.5", (precision_at(first, 4 * (s - 1), 1e5) for s in (1.75, 2.0, 2.5)))
    shifted = float(optimize.brentq(lambda m: _shifted(m) - average_precision(first, 1e5), 0.1, 0.15))
    shown("mean of a second model of the same J", [shifted])


def _shifted(mean_of_others: float) -> float:
    return average_precision(lambda z: float(special.ndtr(-(4 + z - 4 * mean_of_others))), 1e5)


if __name__ == "__main__":
    main()
