"""Precision averaged over relevant documents: the ways to normalise the sum, and to correct its bias."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core.arrays import Array
from assay.measures.declare import Rankings, measure, ratio
from assay.measures.unjudged import Bounds, Extremes, Residual


def sum_of_precisions(j: Rankings, rel: int) -> Array:
    """Add the precision at every relevant document."""
    return j.memo(("sum of precisions", rel), lambda: j.total_at(j.found(rel), j.precision_found(rel)))


def _extremes(whole: Callable[[Rankings, int], Any], *, limit: bool = False, floor: float = 0.0) -> Extremes:
    """The least and the most over all grades of the unjudged, each newly relevant document adding 1 to the whole.

    `limit` holds the whole below the cutoff.
    """

    def find(j: Rankings, *, rel: int) -> Bounds:
        from assay.measures.bounds.ratio import precision_sums, share

        sweeps = precision_sums(j.hit(rel), j.open & (rel <= j.top))
        divisors = [whole(j, rel)[:, None] + new for new, _ in sweeps]
        if limit:
            divisors = [np.minimum(n, j.cutoff) for n in divisors]
        low, high = (share(s, n) for (_, s), n in zip(sweeps, divisors, strict=True))
        return low.min(-1).clip(floor), high.max(-1).clip(floor)

    return Extremes(find)


def _beyond(j: Rankings, grade: int, *, rel: int) -> Array:
    """What documents of one grade, from the end of the lists to infinity, add to the sum of precisions."""
    return np.full(j.grade.shape[0], np.inf if grade >= rel else 0.0)


@measure(
    claims={"bounded", "monotone", "convergent", "top_weighted"},
    cite="buckley2005",
    trec={"map": "AP", "map_cut_{}": "AP@{}"},
    aliases=["MAP"],
    unjudged=_extremes(Rankings.n_rel),
)
def AP(j: Rankings, *, rel: int = 1) -> Array:
    r"""Precision averaged over the relevant documents.

    .. math:: \frac{1}{R}\sum_{i:\,g_i \ge rel} P(i)

    Cut at k it still divides by R, so that no ranking scores 1 when R > k: see aAP.

    >>> AP.of([1, 0, 1], n_rel=2)
    0.8333333333333333
    """
    return ratio(sum_of_precisions(j, rel), j.n_rel(rel))


@measure(
    claims={"bounded", "convergent", "top_weighted", "realisable"},
    cite="webber2010",
    unjudged=_extremes(Rankings.n_rel, limit=True),
)
def aAP(j: Rankings, *, rel: int = 1) -> Array:
    r"""Average precision normalised by what the cutoff allows (abbreviated).

    .. math:: \frac{1}{\min(k, R)}\sum_{i \le k:\,g_i \ge rel} P(i)

    >>> (aAP @ 2).of([1, 1], n_rel=10)
    1.0
    """
    return ratio(sum_of_precisions(j, rel), np.minimum(j.n_rel(rel), j.cutoff))


@measure(
    claims={"monotone", "convergent", "top_weighted", "localised", "complete"},
    cite="moffat2013",
    range=(0.0, np.inf),
    unjudged=Residual(beyond=_beyond),
)
def SP(j: Rankings, *, rel: int = 1) -> Array:
    r"""Sum of precisions: AP without its normalisation.

    .. math:: \sum_{i:\,g_i \ge rel} P(i)

    Topics with many relevant documents dominate its mean.

    >>> SP.of([1, 0, 1])
    1.6666666666666665
    """
    return sum_of_precisions(j, rel)


@measure(
    claims={"bounded", "top_weighted", "localised", "realisable"},
    cite="moffat2013",
    aliases=["SN-AP"],
    unjudged=_extremes(lambda j, rel: j.hit(rel).sum(-1)),
)
def SNAP(j: Rankings, *, rel: int = 1) -> Array:
    r"""Sum of precisions normalised by the relevant documents *retrieved*.

    .. math:: \frac{1}{c_k}\sum_{i \le k:\,g_i \ge rel} P(i)

    Undefined for a list without relevant documents. One early hit scores 1, and another found further down
    lowers it.

    >>> SNAP.of([1, 0, 1], n_rel=20)
    0.8333333333333333
    """
    return ratio(sum_of_precisions(j, rel), j.total(j.hit(rel)))


@measure(
    claims={"bounded", "monotone"},
    cite="robertson2006",
    range=(1e-5, 1.0),
    average="geometric",
    trec="gm_map",
    unjudged=_extremes(Rankings.n_rel, floor=1e-5),
)
def GMAP(j: Rankings, *, rel: int = 1) -> Array:
    r"""Average precision for the geometric mean over topics, which dwells on the worst of them.

    .. math:: \max(AP, 10^{-5})

    The floor is trec_eval's. Per topic this is AP; means and tests work on its logarithm. Runs by themselves have
    geometric means (`score`); differences of two, margins and sizes to plan by are of natural logarithms, of which
    0.1 is a geometric mean 10.5% higher (`compare`, `power`, `topics`).

    >>> GMAP.of([0, 0], n_rel=1)
    1e-05
    """
    return np.maximum(ratio(sum_of_precisions(j, rel), j.n_rel(rel)), 1e-5)


@measure(claims={"bounded", "monotone"}, cite="robertson2007", limits={"c": (0.0, 1.0)})
def AP_LOO(j: Rankings, *, rel: int = 1, c: float = 0.5) -> Array:
    r"""Average precision that leaves each relevant document out of its own precision.

    .. math:: \frac{1}{R}\sum_{i:\,g_i \ge rel} \frac{\alpha\, k_i}{\alpha\, k_i + n_i}, \qquad \alpha = \frac{R}{R-1}

    with :math:`k_i` relevant and :math:`n_i` other documents above rank i. AP counts the document itself among those
    found at its rank, which lifts it the more, the fewer relevant documents there are; this takes that off. At rank 1
    a relevant document has nothing above it (0/0): it counts as c. One half suits topics whose first documents are
    relevant half the time; where nearly all are, it is too low, and `assay error` finds a better one in the runs.

    What it estimates is the average precision in an unlimited collection of such documents (J). Not for topics with
    one relevant document, where nothing is left to estimate from, nor for comparing with other people's MAP.

    >>> AP_LOO.of([1, 0, 1], n_rel=2)
    0.5833333333333333
    >>> AP_LOO(c=0.0).of([1, 0, 1], n_rel=2)
    0.3333333333333333
    """
    hit, n_rel = j.hit(rel), j.n_rel(rel)
    relevant = (j.n_hits(rel) - hit) * (j.per_rank(n_rel) / np.maximum(j.per_rank(n_rel) - 1, 1))
    others = j.rank - j.n_hits(rel)
    above = relevant + others
    precision = np.divide(relevant, above, out=np.full(above.shape, c), where=above > 0)
    return ratio(j.total(precision * hit), n_rel)
