"""Measures as their papers write them, in plain loops over one list: slow twins that share no code with Assay.

Each takes a `Topic`, one list with what is judged about its topic, and returns None where the paper divides by
nothing. Ranks run from 1; k is the cutoff, or None for the whole list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

Weight = Callable[[int], float]
Gain = Callable[[int], float]
FAR = 20_000  # ranks summed one by one before an integral takes over


@dataclass(frozen=True)
class Topic:
    """One list: a grade for each rank, or -1 unjudged, -2 in the pool only; and all judged grades."""

    ranking: tuple[int, ...]
    judged: tuple[int, ...]
    top: int

    def seen(self, k: int | None) -> list[tuple[int, int]]:
        """The (rank, grade) of every document down to the cutoff."""
        return list(enumerate(self.ranking[:k], 1))

    def n_rel(self, rel: int) -> int:
        return sum(grade >= rel for grade in self.judged)


def topics(seed: int, *, top: int, n: int = 60) -> list[Topic]:
    """Draw lists of 1 to 25 documents; some topics have nothing relevant, some lists hold all that is judged."""
    rng = Random(seed)
    drawn = []
    for i in range(n):
        highest = 0 if i == 0 else top
        ranking = tuple(rng.randint(-2, highest) for _ in range(rng.randint(1, 25)))
        elsewhere = [rng.randint(0, highest) for _ in range(rng.choice([0, 3, 30]))]
        drawn.append(Topic(ranking, (*(g for g in ranking if g >= 0), *elsewhere), top))
    return drawn


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def sum_of_precisions(t: Topic, k: int | None, rel: int = 1) -> float:
    """Add the precision at every relevant document (moffat2013: SP)."""
    found, total = 0, 0.0
    for i, grade in t.seen(k):
        if grade >= rel:
            found += 1
            total += found / i
    return total


def average_precision(t: Topic, k: int | None, rel: int = 1) -> float | None:
    return ratio(sum_of_precisions(t, k, rel), t.n_rel(rel))


def abbreviated_ap(t: Topic, k: int | None, rel: int = 1) -> float | None:
    """webber2010: the divisor is what the cutoff allows."""
    return ratio(sum_of_precisions(t, k, rel), t.n_rel(rel) if k is None else min(k, t.n_rel(rel)))


def self_normalised_ap(t: Topic, k: int | None, rel: int = 1) -> float | None:
    """moffat2013: the divisor is what was found."""
    return ratio(sum_of_precisions(t, k, rel), sum(grade >= rel for _, grade in t.seen(k)))


def floored_ap(t: Topic, k: int | None, rel: int = 1) -> float | None:
    """trec_eval's gm_map works on the logarithm of this."""
    ap = average_precision(t, k, rel)
    return None if ap is None else max(ap, 0.00001)


def precision_at_multiple_of_r(t: Topic, k: int | None, mult: float, rel: int = 1) -> float | None:
    depth = math.ceil(round(mult * t.n_rel(rel), 6))
    return ratio(sum(grade >= rel for i, grade in t.seen(k) if i <= depth), depth)


def interpolated_average(t: Topic, k: int | None, points: Sequence[float], rel: int = 1) -> float | None:
    """The best precision at or beyond each level of recall, averaged over the levels."""
    if not t.n_rel(rel):
        return None
    total = 0.0
    for level in points:
        needed, found, best = math.floor(level * t.n_rel(rel) + 0.5), 0, 0.0
        for i, grade in t.seen(k):
            found += grade >= rel
            if found >= needed:
                best = max(best, found / i)
        total += best
    return total / len(points)


def linear_gain(grade: int) -> float:
    return float(max(grade, 0))


def exponential_gain(grade: int) -> float:
    return float(2 ** max(grade, 0) - 1)


def mapped_gain(values: dict[int, float]) -> Gain:
    """A grade that is not in the mapping keeps its own value (trec_eval: ndcg.1=3,2=9)."""
    return lambda grade: values.get(grade, float(grade)) if grade >= 0 else 0.0


def log2_discount(i: int) -> float:
    return 1 / math.log2(i + 1)


def jk_discount(base: float) -> Weight:
    """jarvelin2002, equation 2: no discount before rank b, then one over the logarithm to base b."""
    return lambda i: 1.0 if i < base else 1 / math.log(i, base)


def linear_discount(k: int) -> Weight:
    return lambda i: max(0, k + 1 - i) / k


def listed_discount(weights: Sequence[float]) -> Weight:
    return lambda i: weights[i - 1] if i <= len(weights) else 0.0


def dcg(t: Topic, k: int | None, gain: Gain, weight: Weight) -> float:
    return sum(gain(grade) * weight(i) for i, grade in t.seen(k))


def best_dcg(gains: Sequence[float], k: int | None, weight: Weight) -> float:
    return sum(g * weight(i) for i, g in enumerate(sorted(gains, reverse=True)[:k], 1))


def ndcg(t: Topic, k: int | None, gain: Gain, weight: Weight) -> float | None:
    return ratio(dcg(t, k, gain, weight), best_dcg([gain(g) for g in t.judged], k, weight))


def expanded_ndcg(t: Topic, k: int | None, gain: Gain, weight: Weight) -> float | None:
    """webber2010: the ideal ranking is not cut."""
    return ratio(dcg(t, k, gain, weight), best_dcg([gain(g) for g in t.judged], None, weight))


def scaled_dcg(t: Topic, k: int, gain: Gain, weight: Weight) -> float | None:
    """moffat2013: k documents of the highest grade score 1."""
    return ratio(dcg(t, k, gain, weight), sum(gain(t.top) * weight(i) for i in range(1, k + 1)))


def self_normalised_dcg(t: Topic, k: int | None, gain: Gain, weight: Weight) -> float | None:
    return ratio(dcg(t, k, gain, weight), best_dcg([gain(g) for _, g in t.seen(k)], None, weight))


def worth(t: Topic, grade: int, rel: int | None) -> float:
    """A share of the highest grade; or, with a threshold, all or nothing."""
    return max(grade, 0) / t.top if rel is None else float(grade >= rel)


def rbp(t: Topic, k: int | None, p: float, rel: int | None = None) -> float:
    """moffat2008: the reader goes on with probability p."""
    total, reading = 0.0, 1.0
    for _, grade in t.seen(k):
        total += reading * (1 - p) * worth(t, grade, rel)
        reading *= p
    return total


def normalised_rbp(t: Topic, k: int | None, p: float, rel: int | None = None) -> float | None:
    ideal = Topic(tuple(sorted(t.judged, reverse=True)), t.judged, t.top)
    return ratio(rbp(t, k, p, rel), rbp(ideal, k, p, rel))


def err(t: Topic, k: int | None, highest: int) -> float:
    """chapelle2009, algorithm 2."""
    total, still_looking = 0.0, 1.0
    for i, grade in t.seen(k):
        satisfied = (2 ** max(grade, 0) - 1) / 2**highest
        total += still_looking * satisfied / i
        still_looking *= 1 - satisfied
    return total


def q_measure(t: Topic, k: int | None, beta: float, gain: Gain, rel: int = 1) -> float | None:
    """sakai2004: (hits + beta gain) / (rank + beta ideal gain), averaged over the relevant documents."""
    ideal = sorted((gain(g) for g in t.judged if g >= rel), reverse=True)
    hits, gained, total = 0, 0.0, 0.0
    for i, grade in t.seen(k):
        if grade >= rel:
            hits += 1
            gained += gain(grade)
            total += (hits + beta * gained) / (i + beta * sum(ideal[:i]))
    return ratio(total, t.n_rel(rel) if k is None else min(k, t.n_rel(rel)))


def read_on(t: Topic, k: int | None, T: float, *, adaptive: bool) -> float:
    """moffat2012 (INSQ) and moffat2015 (INST, adaptive): expected gain per document read, over endless ranks.

    Beyond FAR the weights telescope to the last one times (start / m)^2 for m = start + 1, start + 2, ...; the sum of
    1 / m^2 is 1 / (start + 1/2), but for start^-3.
    """
    seen = dict(t.seen(k))
    gain, weights, reading, missing = 0.0, 0.0, 1.0, T
    for i in range(1, FAR + 1):
        got = worth(t, seen.get(i, -1), None)
        gain += reading * got
        weights += reading
        missing -= got if adaptive else 0.0
        last, reading = reading, reading * ((i + T + missing - 1) / (i + T + missing)) ** 2
    start = FAR + T + missing - 1
    return gain / (weights + last * start**2 / (start + 0.5))


def bejewelled(t: Topic, k: int, T: float) -> float:
    """zhang2017, static: stop at a total gain of T or after k documents; gain per document read."""
    seen, gained = dict(t.seen(k)), 0.0
    for i in range(1, k + 1):
        gained += worth(t, seen.get(i, -1), None)
        if gained >= T - 1e-9:
            return gained / i
    return gained / k
