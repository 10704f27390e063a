"""What measures are expected to show on a sample of documents, exactly.

A relevant document at some score has A other relevant documents above it and X non-relevant ones, both binomial, so
its rank is 1 + A + X. A function of the rank that is a mixture of e^(-rank t) over t, as 1/rank and 1/ln(1 + rank)
are, has an expectation that takes generating functions only: no sum over ranks, for any number of documents.
Integrals over t are sums at even steps of ln t, which the functions' rapid fall at both ends makes exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.polynomial.chebyshev import chebpts2
from scipy import special

from assay.analyses.population.thinning import SamplingPlan, between_ranks, places
from assay.core.arrays import Array, Counts
from assay.stats.document_population import DocumentPopulation, Quadrature, halved_panels, quadrature, unit_panel
from assay.stats.score_models import Pair

Number = Callable[[float], float]

_STEP = 0.3  # of ln t
_LOW, _HIGH = -40.0, 6.0  # ln (t x rank) between which an integrand is not 0 to the last digit
_EXACT = 250.0  # log10 of the relevant documents up to which numbers of documents fit into a float
_SUMMED = 1000  # ranks whose discounts are added up one by one
_FEW = 10  # numbers of documents that are all looked at
_UNSEEN = 1e-18  # a share of relevant documents, or a chance, that is too small to count in a mean
_TINY = 1e-300  # what a share of nothing is taken for
_EXPONENTIAL = 50.0  # above it `ramanujan` is e^t to the last digit


@dataclass(frozen=True, slots=True)
class DocumentSample:
    """A sample: so many relevant documents, and of so many non-relevant ones each by chance."""

    n_relevant: float
    n_nonrelevant: float
    rate: float = 1.0  # the chance of each non-relevant document to be taken

    def log_generating(self, t: Array, fallout: Array) -> Array:
        """ln E[e^(-t X)] of X non-relevant documents above. [node, t]"""
        return np.asarray(special.xlog1py(self.n_nonrelevant, fallout[:, None] * self.rate * np.expm1(-t)))


def of_samples(pair: Pair, plan: SamplingPlan, halving: int) -> list[float]:
    """What `thinning.MEASURES` are expected to be over populations and samples, in fixed numbers of relevant ones.

    NaN of ln AP, whose expectation is not known.
    """
    whole = DocumentSample(plan.n_relevant, plan.n_nonrelevant)
    sampled = DocumentSample(plan.relevant(halving), plan.n_nonrelevant, plan.nonrelevant_rate(halving))
    place, own = places(np.array([plan.n_relevant, plan.relevant(halving)]), plan.recall).tolist()
    in_share = plan.rank_in_share(halving)
    return [
        average_precision(pair, sampled),
        precision_at_rank(pair, sampled, plan.rank),
        precision_above_rank(pair, whole, sampled, plan.share),
        between_ranks(partial(precision_at_rank, pair, sampled), in_share),
        precision_above_relevant(pair, whole, sampled, place),
        precision_at_recall(pair, sampled, own),
        ndcg(pair, sampled),
        np.nan,
        pairwise_error(pair),
        reciprocal_rank(pair, sampled),
        success_at_rank(pair, sampled, plan.rank),
        between_ranks(partial(success_at_rank, pair, sampled), in_share),
    ]


def pairwise_error(pair: Pair) -> float:
    """E[pairwise error], of samples of any size: the share of pairs in the wrong order has no bias."""
    return quadrature(pair).mean(quadrature(pair).fallout)


def reciprocal_rank(pair: Pair, sampled: DocumentSample) -> float:
    """E[RR]: precision at the first relevant document."""
    return precision_at_recall(pair, sampled, 1)


def success_at_rank(pair: Pair, sampled: DocumentSample, rank: int) -> float:
    """E[Success@rank]: the chance that the first relevant document is so high up."""
    return min(1.0, float(_at_least(pair, sampled, rank)[0]))


def average_precision(pair: Pair, sampled: DocumentSample) -> float:
    """E[AP] of documents drawn one by one, in fixed numbers."""
    nodes = _seen(pair)
    u, others = nodes.recall[:, None], sampled.n_relevant - 1
    t = _steps(others * nodes.recall + sampled.n_nonrelevant * sampled.rate * nodes.fallout)
    some = np.log1p(u * np.expm1(-t))
    both = np.exp(others * some - t + sampled.log_generating(t, nodes.fallout))
    value = both * (1 + others * u * np.exp(-t - some))
    return nodes.mean((value * t).sum(-1) * _STEP)


def _seen(pair: Pair) -> Quadrature:
    """Lay nodes over the relevant documents, but for the very best, which are too few to count in a mean."""
    nodes = quadrature(pair, nodes=8)
    kept = nodes.recall > _UNSEEN
    return Quadrature(nodes.recall[kept], nodes.fallout[kept], nodes.weight[kept])


def hypergeometric(n: int, marked: int, drawn: int) -> Array:
    """The chances that 0, 1, ... of `drawn` of n are among the marked.

    >>> hypergeometric(3, 1, 2).round(6).tolist()
    [0.333333, 0.666667]
    """
    k = np.arange(min(marked, drawn) + 1)
    log = _log_choose(marked, k) + _log_choose(n - marked, drawn - k) - _log_choose(n, np.array(drawn))
    return np.exp(np.where(drawn - k <= n - marked, log, -np.inf))


def _log_choose(n: int, k: Counts) -> Array:
    kept = np.clip(k, 0, n)
    return np.asarray(special.gammaln(n + 1) - special.gammaln(kept + 1) - special.gammaln(n - kept + 1))


def precision_at_rank(pair: Pair, sampled: DocumentSample, rank: int) -> float:
    """E[P@rank]: the mean number of relevant documents that are so high up."""
    return float(_at_least(pair, sampled, rank).sum() / rank)


@lru_cache(maxsize=8)
def chances_of_hits(pair: Pair, sampled: DocumentSample, rank: int) -> Array:
    """The chances of 0, 1, ... relevant documents, as many as there can be, among the first `rank`. [hits]"""
    chances = -np.diff(np.concatenate(([1.0], _at_least(pair, sampled, rank), [0.0])))
    chances.flags.writeable = False
    return chances


def _at_least(pair: Pair, sampled: DocumentSample, rank: int) -> Array:
    """The chances that the 1st, 2nd, ... relevant document, as many as there can be, is among the first. [hit]

    The recall of the j-th of R is a beta variable, whose density is R times the chance of j - 1 among R - 1.
    """
    nodes = quadrature(pair, nodes=12 + int(2 * rank**0.5))  # it changes within a share of rank^-0.5 of all above
    above = (sampled.n_relevant - 1) * nodes.recall + sampled.n_nonrelevant * sampled.rate * nodes.fallout
    kept = (above < rank + 12 * rank**0.5 + 60) & (nodes.recall * sampled.n_relevant > _UNSEEN)
    most = int(min(rank, sampled.n_relevant))
    own = _chances(sampled.n_relevant - 1, nodes.recall[kept], most)
    rest = np.cumsum(_chances(sampled.n_nonrelevant, sampled.rate * nodes.fallout[kept], rank), axis=1)
    return np.asarray(nodes.weight[kept] @ (own * rest[:, ::-1][:, :most]) * sampled.n_relevant)


def precision_at_rank_poisson(model: DocumentPopulation, n_relevant: float, rank: int) -> float:
    """E[P@rank] where numbers of documents are by chance (Poisson)."""
    nodes = quadrature(model.pair)
    above = n_relevant * (nodes.recall + model.odds * nodes.fallout)
    return nodes.mean(special.pdtr(rank - 1, above)) * n_relevant / rank


def over_numbers(value: Number, n: float, chance: float, *, least: int = 1) -> float:
    """E[value(m)] over m of n documents, each taken by chance, given that at least so many are.

    Where m may be many numbers, `value` is asked for small ones, and at some points between the others.
    """
    mean = n * chance
    spread = 7 * mean**0.5
    m = np.arange(max(least, int(mean - spread)), min(int(mean + spread) + 20, int(n)) + 1, dtype=np.float64)
    log = special.xlogy(m, chance) + special.xlog1py(n - m, -chance) - special.betaln(n - m + 1, m + 1)
    weight = np.exp(log - log.max())
    return float(_averaged(value, m, weight / weight.sum()))


def _averaged(value: Callable[[float], float | Array], m: Array, weight: Array) -> Array:
    """Add up weight x value(m); of many numbers some are asked for, and a smooth curve is laid through these."""
    seen = weight > _UNSEEN
    m, weight = m[seen], weight[seen]
    few, many = m[m < _FEW], m[m >= _FEW]
    known = [value(k) for k in few.tolist()]
    if many.size <= _FEW:
        known += [value(k) for k in many.tolist()]
    else:
        from scipy.interpolate import BarycentricInterpolator  # 0.4 s to import

        ends = np.log(many[[0, -1]])
        points = np.unique(np.round(np.exp(ends.mean() + np.diff(ends) / 2 * chebpts2(_FEW))))
        curve = BarycentricInterpolator(np.log(points), [value(k) for k in points.tolist()])
        known += list(curve(np.log(many)))
    return np.asarray(np.tensordot(weight, np.array(known), 1))


def _chances(n: float, share: Array, most: int) -> Array:
    """The chances of 0, 1, ..., most - 1 of n, each with the chance of its node. [node, count]"""
    k = np.arange(most, dtype=np.float64)
    with np.errstate(divide="ignore"):
        ways = np.concatenate(([0.0], np.cumsum(np.log(np.maximum(n - k[:-1], 0.0) / (k[:-1] + 1)))))
    taken, left = np.log(np.maximum(share, _TINY))[:, None], np.log1p(-share)[:, None]
    return np.exp(ways + k * taken + np.maximum(n - k, 0.0) * left)


def precision_at_recall(pair: Pair, sampled: DocumentSample, k: int) -> float:
    """E[precision at the k-th relevant document] of a sample: k/R is the recall that it reaches."""
    nodes = _at_place(pair, k, sampled.n_relevant)
    t = _steps(k + sampled.n_nonrelevant * sampled.rate * nodes.fallout)
    value = k * np.exp(-k * t + sampled.log_generating(t, nodes.fallout))
    return nodes.mean((value * t).sum(-1) * _STEP)


def _at_place(pair: Pair, k: int, n_relevant: float) -> Quadrature:
    """Lay nodes over the k-th best of so many relevant documents, whose recall is a beta variable."""
    ends, (node, weight) = halved_panels(), unit_panel()
    width = np.diff(ends)[:, None]
    chance = (ends[:-1, None] + width * node).ravel()
    recall = special.betaincinv(k, n_relevant - k + 1, chance)
    return Quadrature(recall, pair.curve(recall), (width * weight).ravel())


def precision_above_relevant(pair: Pair, population: DocumentSample, sampled: DocumentSample, place: int) -> float:
    """E[precision] of samples above a fixed score: that of a population's relevant document number `place`.

    Of the population's relevant documents `sampled.n_relevant` are taken; precision is 0 where nothing is above.
    """
    nodes = _at_place(pair, place, population.n_relevant)
    kept = hypergeometric(int(population.n_relevant), place, int(sampled.n_relevant))
    return nodes.mean(_retrieved(kept, population.n_nonrelevant * nodes.fallout, sampled, nodes.fallout))


def precision_above_rank(pair: Pair, population: DocumentSample, sampled: DocumentSample, rank: int) -> float:
    """E[precision] of samples above a fixed score: that of a population's document at a rank, of either kind."""
    total = 0.0
    for hits, chance in enumerate(chances_of_hits(pair, population, rank).tolist()):
        if chance < _UNSEEN:
            continue
        kept = hypergeometric(int(population.n_relevant), hits, int(sampled.n_relevant))
        rest = DocumentSample(sampled.n_relevant, rank - hits, sampled.rate)
        total += chance * float(_retrieved(kept, np.array([float(rank - hits)]), rest, np.ones(1))[0])
    return total


def _retrieved(chance: Array, mean: Array, sampled: DocumentSample, fallout: Array) -> Array:
    """E[K / (K + X)] where K has these chances to be 0, 1, ... and X the mean `mean` x rate; 0 where both are 0."""
    k = np.arange(1.0, chance.size)
    if not (chance[1:] > _UNSEEN).any():
        return np.zeros_like(mean)
    t = _steps(float(k @ chance[1:]) + mean * sampled.rate)
    rest = np.exp(sampled.log_generating(t, fallout)) * t * _STEP
    return _averaged(lambda i: i * (np.exp(-i * t) * rest).sum(-1), k, chance[1:])


def ndcg(pair: Pair, sampled: DocumentSample) -> float:
    """E[nDCG] of binary relevance, discount log2(1 + rank), of documents drawn one by one, in fixed numbers.

    1 / ln(1 + r) is the integral of e^(-(1 + r) t) dN(t), with the N of `ramanujan`; taken by parts.
    """
    nodes = _seen(pair)
    others, u = sampled.n_relevant - 1, nodes.recall[:, None]
    x = nodes.fallout[:, None] * sampled.rate
    steps = _exponents(others * nodes.recall + sampled.n_nonrelevant * x[:, 0])
    t = np.exp(_STEP * steps)
    less, kept = np.expm1(-t), np.exp(-t)
    log = others * np.log1p(u * less) - 2 * t + sampled.log_generating(t, nodes.fallout)
    slope = 2 + others * u * kept / (1 + u * less) + sampled.n_nonrelevant * x * kept / (1 + x * less)
    low = int(steps.min())
    known = ramanujan(np.exp(_STEP * np.arange(low, int(steps.max()) + 1)))
    gained = nodes.mean((known[steps - low] * np.exp(log) * slope * t).sum(-1) * _STEP)
    return gained * sampled.n_relevant / ideal_gain(sampled.n_relevant)


def ndcg_of_any_size(model: DocumentPopulation, log10_relevant: float) -> float:
    """E[nDCG] of a collection with 10^x relevant documents, and as many others as the generality says.

    Beyond 10^250 ranks are as good as certain, and only their logarithms are needed.
    """
    if log10_relevant <= _EXACT:
        n = 10.0**log10_relevant
        return ndcg(model.pair, DocumentSample(n, n * model.odds))
    log, nodes = log10_relevant * np.log(10), quadrature(model.pair)
    gained = nodes.mean(1 / (log + np.log(nodes.recall + model.odds * nodes.fallout)))
    k = np.arange(12)
    return gained / float((special.factorial(k) / log ** (k + 1)).sum())


def ideal_gain(n_relevant: float) -> float:
    """The sum of 1 / ln(1 + rank) over the first ranks (Euler and Maclaurin beyond the first thousand).

    >>> round(ideal_gain(1), 6)
    1.442695
    """
    first = round(min(n_relevant, _SUMMED))
    total = float((1 / np.log1p(np.arange(1, first + 1))).sum())
    if n_relevant <= _SUMMED:
        return total
    (low, high), ends = np.log1p([first, n_relevant]), np.array([first, n_relevant]) + 1.0
    slope = -1 / (ends * np.log(ends) ** 2)
    return float(total + special.expi(high) - special.expi(low) + (1 / high - 1 / low) / 2 + np.diff(slope)[0] / 12)


def ramanujan(t: Array) -> Array:
    """N(t), the integral of t^y / Gamma(1 + y) over y > 0, whose Laplace transform is 1 / (s ln s). [t]

    >>> round(float(ramanujan(np.array([1.0]))[0]), 6)
    2.266535
    """
    node, weight = unit_panel()
    panel = 4.0
    q = (panel * (np.arange(40)[:, None] + node)).ravel()
    known = np.minimum(t, _EXPONENTIAL)[:, None]
    fast = 1 + np.maximum(-np.log(known), 0.0)
    y = q / fast
    value = np.exp(y * np.log(known) - special.gammaln(1 + y)) / fast
    return np.where(t > _EXPONENTIAL, np.exp(np.minimum(t, 700.0)), value @ np.tile(panel * weight, 40))


def _steps(above: Array) -> Array:
    """Lay even steps of ln t around 1 / rank, where so many documents are expected above. [node, t]"""
    return np.exp(_STEP * _exponents(above))


def _exponents(above: Array) -> Counts:
    """The steps as whole numbers, so that all nodes share them. [node, t]"""
    around = np.round(np.log1p(above) / _STEP).astype(np.int64)
    return np.arange(int(_LOW / _STEP), int(_HIGH / _STEP) + 1) - around[:, None]
