"""Precision averaged over relevant documents, and the ways to normalise the sum."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from assay.catalogue import Array, Rankings, measure, ratio
from assay.measures.blend import Blend
from assay.measures.gain import gain_values
from assay.numeric.extremes import precision_sums
from assay.unjudged import Bounds, Extremes, Residual, tried
from assay.weightfiles import Gain


def sum_of_precisions(j: Rankings, rel: int) -> Array:
    """Add the precision at every relevant document."""
    return j.total(j.precision(rel) * j.hit(rel))


def _extremes(whole: Callable[[Rankings, int], Any], *, limit: bool = False, floor: float = 0.0) -> Extremes:
    """The least and the most over all grades of the unjudged, each newly relevant document adding 1 to the whole.

    `limit` holds the whole below the cutoff.
    """

    def find(j: Rankings, *, rel: int) -> Bounds:
        sweeps = precision_sums(j.hit(rel), j.open & (rel <= j.top))
        divisors = [np.minimum(whole(j, rel)[:, None] + new, j.cutoff if limit else np.inf) for new, _ in sweeps]
        low, high = (np.nan_to_num(ratio(s, n)).clip(floor) for (_, s), n in zip(sweeps, divisors, strict=True))
        return low.min(-1), high.max(-1)

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

    The floor is trec_eval's. Per topic this is AP; means and tests work on its logarithm.

    >>> GMAP.of([0, 0], n_rel=1)
    1e-05
    """
    return np.maximum(ratio(sum_of_precisions(j, rel), j.n_rel(rel)), 1e-5)


def _extremes_of_q(j: Rankings, *, rel: int, beta: float, gain: Gain | Literal["linear", "exp"]) -> Bounds | None:
    """The least and the most of Q over all grades of the unjudged.

    Exact with one relevant grade. With more, the best places for some gains are not the highest ones; all
    completions are tried where they are few, and elsewhere the range is an outer one.
    """
    value = gain_values(gain, j.top)
    value[: max(rel, 0)] = 0.0
    if rel > j.top:
        return np.zeros(j.grade.shape[0]), np.zeros(j.grade.shape[0])
    if value.min() < 0 or beta < 0:
        return None
    blend = Blend(j, rel, beta, value)
    score = partial(Q.declaration.formula, rel=rel, beta=beta, gain=gain)
    return blend.bounds() if blend.exact else tried(lambda lists: np.nan_to_num(score(lists)), j, blend.bounds())


@measure(
    claims={"bounded", "convergent", "top_weighted", "realisable"},
    cite="sakai2004",
    unjudged=Extremes(_extremes_of_q),
    limits={"beta": (0, np.inf)},
)
def Q(j: Rankings, *, rel: int = 1, beta: float = 1.0, gain: Gain | Literal["linear", "exp"] = "linear") -> Array:
    r"""Q-measure: average precision that counts gain as well as documents.

    .. math:: \frac{1}{\min(k, R)}\sum_{i:\,g_i \ge rel}
              \frac{c_i + \beta\, cg_i}{i + \beta\, cg^*_i}

    with :math:`cg` the cumulated gain and :math:`cg^*` the ideal ranking's. At beta = 0 it is aAP.
    On graded judgments it is not strictly top-weighted: lifting a document of a low grade can lower it.

    >>> round(Q.of([1, 0, 2], n_rel=2), 6)
    0.75
    """
    value = gain_values(gain, j.top)
    value[: max(rel, 0)] = 0.0
    cumulated = np.cumsum(j.gain(value), axis=-1)
    blended = (j.n_hits(rel) + beta * cumulated) / (j.rank + beta * j.ideal_total(value, np.ones_like(j.rank)))
    return ratio(j.total(blended * j.hit(rel)), np.minimum(j.n_rel(rel), j.cutoff))
