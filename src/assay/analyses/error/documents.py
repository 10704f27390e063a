"""Documents as a sample: how far average precision could be from that of all documents of the kind.

What is estimated is J, the average precision in an unlimited collection: the mean over recall u of u / (u + f(u)),
with f the non-relevant documents above that recall, in units of the relevant ones. A list shows f only at its own
relevant documents; these are a sample, and so are the others above them. A document that counts as 1 might as well
have a random weight from the exponential distribution (Rubin's Bayesian bootstrap): sums of such weights are
distributed as recall and f at an observed document are, given the counts. Each draw of weights gives a curve, and a
curve a J.

`Gaps` are the counts of one topic's lists, `TopicDocuments` their documents. `shared_weights` draws a weight for each
document, the same in all lists. `area` is the J of such a curve, and `line_area` that of a straight line through it
on normal paper, which is what normal and exponential scores give. `plain_draws` are Cormack and Lynam's: whole
documents resampled, average precision as it is. Arrays have a row for each relevant document of each list (a hit).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools, Index
from assay.core.thresholds import Threshold

Floats = NDArray[np.float32]

ESTIMABLE = Threshold(
    "estimable_relevant", 8, unit="relevant documents", meaning="of a topic, below which no error bar is given"
)
_TINY = 1e-9  # no weight is smaller
_LINE = 3  # points that a line is drawn through
_STILL = 0.02  # odds of precision that differ by less, in logarithms, are as good as equal


@dataclass(frozen=True, slots=True)
class Gaps:
    """Where the lists of one topic have its relevant documents."""

    n_rel: int
    n_found: Index  # [list] relevant documents in the list
    above: Index  # [list, place] others above each of them; beyond `n_found`, all others
    end: Index  # [list] others in the list

    @classmethod
    def of(cls, hit: Bools, there: Bools, n_rel: int) -> Gaps:
        """Count, from which documents of the lists are relevant and which places are taken. Both [list, rank]."""
        n_found, end = hit.sum(-1), (there & ~hit).sum(-1)
        above = np.broadcast_to(end[:, None], (hit.shape[0], max(1, int(n_found.max(initial=0))))).copy()
        rows, ranks = np.nonzero(hit)
        place = np.arange(rows.size) - np.repeat(np.cumsum(n_found) - n_found, n_found)
        above[rows, place] = ranks - place
        return cls(n_rel, n_found.astype(np.int64), above.astype(np.int64), end.astype(np.int64))

    @property
    def first(self) -> Index:
        """Where the relevant documents of each list begin, all lists one after the other. [list]"""
        return np.cumsum(self.n_found) - self.n_found

    @property
    def last(self) -> Index:
        """Others above the last relevant document of each list; all of them where it has none. [list]"""
        place = np.maximum(self.n_found - 1, 0)
        return np.take_along_axis(self.above, place[:, None], axis=-1)[:, 0]

    @property
    def there(self) -> Bools:
        """Which places hold a relevant document. [list, place]"""
        return np.arange(self.above.shape[1]) < self.n_found[:, None]

    @property
    def rank(self) -> Index:
        """The rank of each relevant document. [list, place]"""
        return np.asarray(self.above + np.arange(1, self.above.shape[1] + 1))

    def within(self) -> Array:
        """How far each relevant document is on its way from the other above it to the next. [list, place]

        Those between the same two others part the way evenly.
        """
        place = np.arange(self.above.shape[1])
        new = np.diff(self.above, axis=-1, prepend=-1) > 0
        new[:, 1:] |= ~self.there[:, 1:]
        first = np.maximum.accumulate(np.where(new, place, 0), axis=-1)
        ends = np.where(np.concatenate([new[:, 1:], np.ones((len(new), 1), dtype=bool)], axis=-1), place, place.size)
        last = np.minimum.accumulate(ends[:, ::-1], axis=-1)[:, ::-1]
        return np.asarray((place - first + 1) / (last - first + 2), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class TopicDocuments:
    """The documents of one topic's lists, list after list, each list in its order."""

    n_docs: int  # the last of them stands for whatever is next beyond the end of a list
    relevant: Index  # [hit] number of each relevant document
    following: Index  # [hit] number of the next other below it
    between: Any  # sparse [hit, doc]: the others between it and the relevant document before it in its list
    within: Floats  # [hit] see `Gaps.within`
    gaps: Gaps

    @classmethod
    def of(cls, doc: NDArray[Any], hit: Bools, there: Bools, n_rel: int) -> TopicDocuments:
        """Lay lists out, from their documents (by any numbers), which are relevant and which places are taken.

        All are [list, rank]. Documents are renumbered in the order in which they first appear, so that draws do not
        depend on the numbers they came with.
        """
        from scipy.sparse import csr_array

        gaps, other = Gaps.of(hit, there, n_rel), there & ~hit
        above = gaps.above[gaps.there]
        begin = np.repeat(np.cumsum(gaps.end) - gaps.end, gaps.n_found)  # where the others of its list begin
        listed = above < np.repeat(gaps.end, gaps.n_found)
        inside = other & (hit[:, ::-1].cumsum(-1)[:, ::-1] > 0)
        parts = (doc[hit], doc[inside], doc[other][(begin + above)[listed]])
        n_docs, number = _numbered(np.concatenate(parts))
        relevant, between, nexts = np.split(number, np.cumsum([part.size for part in parts[:2]]))
        following = np.full(above.size, n_docs)
        following[listed] = nexts
        ends = np.concatenate([[0], np.cumsum(np.diff(gaps.above, axis=-1, prepend=0)[gaps.there])])
        ones = np.ones(between.size, dtype=np.float32)
        matrix = csr_array((ones, between, ends), shape=(above.size, n_docs + 1))
        within = gaps.within()[gaps.there].astype(np.float32)
        return cls(n_docs + 1, relevant, following, matrix, within, gaps)


def _numbered(codes: NDArray[Any]) -> tuple[int, Index]:
    """Number documents in the order in which they first appear; and how many there are."""
    values, which = np.unique(codes, return_inverse=True)
    first = np.empty(values.size, dtype=np.int64)
    first[which[::-1]] = np.arange(codes.size)[::-1]  # of several places the one written last, the first, stays
    number = np.empty(values.size, dtype=np.int64)
    number[np.argsort(first)] = np.arange(values.size)
    return values.size, np.asarray(number[which])


@dataclass(frozen=True, slots=True)
class Curves:
    """Draws of what stands above each relevant document of the lists, as shares of all there is."""

    recall: Floats  # [hit, draw]
    fallout: Floats  # [hit, draw] in units of the relevant documents
    unseen: Array  # [draw] share of what could be beyond the end of a list


def shared_weights(topic: TopicDocuments, *, draws: int, rng: np.random.Generator) -> Curves:
    """Draw one weight for each document of a topic, the same in all lists."""
    gaps = topic.gaps
    weight = _exponential((topic.n_docs, draws), rng)
    every = np.unique(topic.relevant)
    missed = rng.standard_exponential((gaps.n_rel + 1 - every.size, draws))  # in no list, and beyond the last
    total = weight[every].sum(0, dtype=np.float64) + missed.sum(0)
    recall = _running(weight[topic.relevant], gaps) / total.astype(np.float32)
    others = _running(topic.between @ weight, gaps) + topic.within[:, None] * weight[topic.following]
    return Curves(recall, others / np.float32(gaps.n_rel), rng.random(draws))


def _exponential(shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Draw from the exponential distribution, by the inverse of its distribution: half the time of numpy's own."""
    value = rng.random(shape, dtype=np.float32)
    np.subtract(np.float32(1), value, out=value)  # never 0
    np.log(value, out=value)
    return np.maximum(np.negative(value, out=value), np.float32(_TINY), out=value)


def _running(value: NDArray[Any], gaps: Gaps) -> NDArray[Any]:
    """Add up over the relevant documents of each list, in place. [hit, draw]"""
    for own in np.split(value, gaps.first[1:]):
        np.cumsum(own, axis=0, out=own)
    return value


def _summed(value: NDArray[Any], gaps: Gaps) -> Array:
    """Add over the relevant documents of each list. [list, draw]"""
    total, some = np.zeros((gaps.n_found.size, value.shape[1])), gaps.n_found > 0
    if some.any():
        total[some] = np.add.reduceat(value, gaps.first[some], axis=0)
    return total


def area(curves: Curves, gaps: Gaps) -> Array:
    """The J of curves. [list, draw]

    Between two relevant documents of a list f is a power of u; above the first, where nothing is seen, its square:
    convex, as f is wherever a higher score makes relevance likelier. Beyond the end of the list see `_tail`.
    """
    odds = curves.recall / curves.fallout
    log_odds, soft = np.log(odds), np.log(1 + odds)
    precision = odds / (1 + odds)
    rise = np.diff(log_odds, axis=0)
    still = np.abs(rise) < _STILL
    flat = (precision[1:] + precision[:-1]) / 2
    part = np.empty_like(odds)
    part[1:] = np.where(still, flat, np.diff(soft, axis=0) / np.where(still, np.float32(1), rise))
    part[1:] *= np.diff(curves.recall, axis=0)
    top = gaps.first[gaps.n_found > 0]
    part[top] = curves.recall[top] * np.log1p(1 / odds[top]) * odds[top]
    return _summed(part, gaps) + _tail(curves, gaps)


def _tail(curves: Curves, gaps: Gaps) -> Array:
    """What relevant documents add that a list does not have. [list, draw]

    On average it is between nothing and the precision at the end of the list; any share of that is as likely. A list
    with no document at all has nothing to add.
    """
    some, size = gaps.n_found > 0, gaps.n_rel
    shape = (some.size, curves.unseen.size)
    recall, missing = np.full(shape, 1 / (size + 1)), np.ones(shape)
    fallout = np.broadcast_to(np.maximum(gaps.end, 1)[:, None] / size, shape).copy()
    last = (gaps.first + gaps.n_found - 1)[some]
    below = np.where(gaps.n_found < size, gaps.end, gaps.last) - gaps.last
    recall[some], missing[some] = curves.recall[last], 1 - curves.recall[last]
    fallout[some] = curves.fallout[last] + below[some, None] / size
    missing[gaps.n_found + gaps.end == 0] = 0
    return np.asarray(missing * recall / (recall + fallout) * curves.unseen)


def plain_draws(topic: TopicDocuments, *, draws: int, rng: np.random.Generator) -> Array:
    """Average precision of resampled documents, each as often as a Poisson number says. [list, draw]

    A document's copies stand one below the other. A draw without any relevant document is repeated.
    """
    every = np.unique(topic.relevant)
    size = topic.n_docs + topic.gaps.n_rel - every.size  # those that no list has come last
    times, empty = np.empty((size, draws), dtype=np.float32), np.ones(draws, dtype=bool)
    while empty.any():
        times[:, empty] = rng.poisson(1.0, (size, int(empty.sum())))
        n_rel = times[every].sum(0) + times[topic.n_docs :].sum(0)
        empty = n_rel == 0
    times = times[: topic.n_docs]
    copies, others = times[topic.relevant], _running(topic.between @ times, topic.gaps)
    to_here = _running(copies.copy(), topic.gaps)
    to, after = (np.asarray(x + others, dtype=np.int64) for x in (to_here, to_here - copies))
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, int(to.max(initial=0)) + 1))])
    # the sum of k / (k + others) over a document's copies k = to_here - copies + 1 .. to_here
    return _summed(copies - others * (harmonic[to] - harmonic[after]), topic.gaps) / n_rel


def line_area(curves: Curves, gaps: Gaps) -> Array:
    """The J of straight lines through curves: log f against the normal quantile of u. [list, draw]

    Normal scores of relevant documents and exponential ones of others give such a line. A list with fewer than three
    relevant documents has none, and keeps the area under the curve.
    """
    from scipy.special import ndtri

    x = ndtri(np.clip(curves.recall.astype(np.float64), _TINY, 1 - _TINY))
    y, n = np.log(curves.fallout.astype(np.float64)), np.maximum(gaps.n_found, 1)[:, None]
    mean_x, mean_y = _summed(x, gaps) / n, _summed(y, gaps) / n
    away = x - np.repeat(mean_x, gaps.n_found, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = _summed(away * y, gaps) / _summed(away * away, gaps)
    enough = gaps.n_found[:, None] >= _LINE
    return np.where(enough, _line(mean_y - slope * mean_x, slope), area(curves, gaps))


_INTERCEPTS, _SLOPES = np.linspace(-14.0, 16.0, 121), np.linspace(-1.0, 9.0, 81)


@cache
def _lines() -> Array:
    """J by intercept and slope; between the nodes it is interpolated."""
    from scipy.special import ndtri

    node, weight = np.polynomial.legendre.leggauss(200)
    v = (node + 1) / 2
    u, weight = v**3, weight * 1.5 * v * v  # more nodes where recall is small, and precision changes fastest
    log_f = _INTERCEPTS[:, None, None] + _SLOPES[:, None] * ndtri(u)
    return np.asarray((weight / (1 + np.exp(np.minimum(log_f - np.log(u), 700.0)))).sum(-1))


def _line(intercept: Array, slope: Array) -> Array:
    known = np.isfinite(slope)
    place = []
    for x, nodes in ((intercept, _INTERCEPTS), (slope, _SLOPES)):
        at = (np.where(known, x, 0.0) - nodes[0]) / (nodes[1] - nodes[0])
        place.append(np.clip(at, 0, nodes.size - 1.001))
    (i, j), (p, q) = (np.floor(x).astype(np.int64) for x in place), (x % 1 for x in place)
    table = _lines()
    low = table[i, j] * (1 - p) + table[i + 1, j] * p
    high = table[i, j + 1] * (1 - p) + table[i + 1, j + 1] * p
    return np.where(known, low * (1 - q) + high * q, np.nan)
