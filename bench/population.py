"""What drawing only what matters saves over the literal procedure of robertson2007: `python -m bench.population`.

One population of 12.8 million non-relevant and 128 relevant documents, samples at the rates 1/2 to 1/32, all measures
of tables 1 to 4 and 6. The literal procedure draws every score, sorts, keeps the best 60,000 non-relevant documents
(so that every sample has 1,000), and for every sample tosses a coin for each of them, in numpy. A thriftier one
tosses no more coins than fill 1,000 ranks. Both are timed on some samples, and scaled. Seconds are of the processor,
the better of several rounds in which all take turns. The means of ours and of the literal one, on one population,
must agree.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assay.analyses.population.thinning import (
    MEASURES,
    Population,
    SamplingPlan,
    blocks,
    draw,
    moments,
    score_samples,
)
from assay.stats.score_models import normal_exponential

PLAN = SamplingPlan(halvings=(1, 2, 3, 4, 5))
KEPT, DEPTH = 60_000, 1000
FULL = 1200  # coins that fall right, on average, of those that fill 1,000 ranks: fewer do once in 10^9 samples
PART, ROUNDS = 200, 3
PRINTED = 7  # of MEASURES, those of the tables
TARGET = 50.0

Array = NDArray[np.float64]


def literal_population(rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw every score, and sort: relevant ones, and the best non-relevant ones."""
    nonrelevant = np.sort(rng.exponential(0.1, PLAN.n_nonrelevant))[::-1][:KEPT]
    return np.sort(rng.normal(1.0, 0.25, PLAN.n_relevant))[::-1], nonrelevant


def literal_sample(relevant: Array, nonrelevant: Array, rate: float, rng: np.random.Generator) -> list[float]:
    """Toss the coins, rank what is left, and measure it."""
    some = np.sort(rng.choice(relevant, round(relevant.size * rate), replace=False))[::-1]
    rest = nonrelevant[rng.random(nonrelevant.size) < rate]
    k = np.arange(1, some.size + 1)
    rank = (k + np.searchsorted(-rest, -some)).astype(np.float64)
    tail = rank > DEPTH
    rank[tail] = k[tail] + PLAN.n_nonrelevant * rate * np.exp(-10 * some[tail])
    by_score = []
    both = np.sort(np.concatenate([relevant, nonrelevant[: PLAN.share]]))[::-1]
    for threshold in (both[PLAN.share - 1], relevant[round(relevant.size * PLAN.recall) - 1]):
        hits, false = int((some >= threshold).sum()), int((rest >= threshold).sum())
        by_score.append(hits / max(1, hits + false))
    half, ranks = round(some.size * PLAN.recall), round(PLAN.share * rate)
    return [
        float((k / rank).mean()),
        float((rank <= PLAN.rank).sum() / PLAN.rank),
        by_score[0],
        float((rank <= ranks).sum() / ranks),
        by_score[1],
        float(half / rank[half - 1]),
        float((1 / np.log2(rank + 1)).sum() / (1 / np.log2(k + 1)).sum()),
    ]


def literal(relevant: Array, nonrelevant: Array, n: int, rng: np.random.Generator, *, stop: bool = False) -> Array:
    """Measure some samples at every rate; where it stops, when the ranks are full. [rate, measure, sample]"""
    kept = {h: nonrelevant[: FULL * 2**h] if stop else nonrelevant for h in PLAN.halvings}
    return np.array(
        [[literal_sample(relevant, kept[h], 2.0**-h, rng) for _ in range(n)] for h in PLAN.halvings]
    ).swapaxes(1, 2)


def ours(population: Population, key: tuple[int, ...]) -> Array:
    """Measure all samples at every rate. [rate, measure, sample]"""
    return np.array(
        [
            np.concatenate(
                [score_samples(part, PLAN, h)[:PRINTED] for part in blocks(population, PLAN, h, key)], axis=1
            )
            for h in PLAN.halvings
        ]
    )


def counted(relevant: Array, nonrelevant: Array) -> Population:
    """Count the same population; beyond the non-relevant documents that are kept, as many as are expected."""
    fallout = np.minimum(1.0, np.exp(-10 * relevant))
    above = np.searchsorted(-nonrelevant, -relevant)
    beyond = np.rint(PLAN.n_nonrelevant * fallout).astype(np.int64)
    return Population(np.where(above < KEPT, above, np.maximum(beyond, KEPT)), fallout, PLAN.n_nonrelevant)


def timed(work: Callable[[], object]) -> float:
    """Take the processor's time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def largest_z(rng: np.random.Generator) -> float:
    """Compare the means of both on one population, in standard errors of their difference."""
    scores = literal_population(rng)
    means, errors = [], []
    for value in (literal(*scores, PART, rng), ours(counted(*scores), (1,))):
        mean, sd = moments(value)
        means.append(mean)
        errors.append(sd / np.sqrt(value.shape[-1]))
    return float(np.abs((means[0] - means[1]) / np.hypot(*errors)).max())


def main() -> int:
    """Print the ratio; 1 if it is below its target, or the means differ."""
    rng = np.random.default_rng(0)
    curve = normal_exponential().curve
    fast, slow, thrifty = np.full(3, np.inf)
    for i in range(ROUNDS):
        fast = min(fast, timed(lambda: ours(draw(curve, PLAN.n_relevant, PLAN.n_nonrelevant, rng), (0, i))))  # noqa: B023 - run at once
        first = timed(lambda: literal_population(rng))
        scores = literal_population(rng)
        times = [timed(lambda: literal(*scores, PART, rng, stop=stop)) for stop in (False, True)]  # noqa: B023 - run at once
        slow, thrifty = (
            min(best, first + each * PLAN.n_samples / PART) for best, each in zip((slow, thrifty), times, strict=True)
        )
    n = len(PLAN.halvings) * PLAN.n_samples
    print(f"one population of 12.8 million documents, {n:,} samples, {len(MEASURES)} measures")
    print(f"ours {fast:.2f} s, the literal procedure {slow:.1f} s: {slow / fast:.0f} times")
    print(f"one that stops at rank {DEPTH:,} {thrifty:.1f} s: {thrifty / fast:.0f} times")
    z = largest_z(rng)
    print(f"largest difference of a mean: {z:.1f} standard errors, of {len(PLAN.halvings) * PRINTED} means")
    return int(slow / fast < TARGET or z > 4.5)


if __name__ == "__main__":
    raise SystemExit(main())
