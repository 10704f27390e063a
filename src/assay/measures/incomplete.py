"""Measures made for incomplete judgments, and how incomplete they are."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array
from assay.measures.declare import Rankings, measure, ratio


@measure(claims={"bounded", "monotone"}, cite="buckley2004", trec="bpref", aliases=["BPref"])
def Bpref(j: Rankings, *, rel: int = 1) -> Array:
    r"""How seldom judged non-relevant documents stand above relevant ones.

    .. math:: \frac{1}{R}\sum_{i:\,g_i \ge rel} \left(1 - \frac{\min(n_i, R)}{\min(R, N)}\right)

    with :math:`n_i` judged non-relevant documents above rank i and N of them in all. Unjudged documents are
    passed over. Not for pools so shallow that most of what is retrieved is unjudged.

    >>> Bpref.of([0, 1, 1], n_rel=2)
    0.0
    """
    n_rel, places = j.n_rel(rel), j.found(rel)
    above = np.cumsum(j.judged & ~j.hit(rel), axis=-1, dtype=np.int32)[places]
    limit = np.minimum(n_rel, j.n_nonrel(rel)).clip(1)
    penalty = np.minimum(above, j.per_rank(n_rel)[places[0], 0]) / j.per_rank(limit)[places[0], 0]
    # added rank by rank, as trec_eval does: its printed digits depend on it where the exact value ends in a 5
    if not j.depths:
        return ratio(j.total_at(places, 1 - penalty), n_rel)
    gained = np.zeros(j.grade.shape)
    gained[places] = 1 - penalty
    return ratio(j.last(np.cumsum(gained, axis=-1)), n_rel)


@measure(claims={"bounded", "monotone", "convergent", "top_weighted"}, cite="yilmaz2006", trec="infAP")
def infAP(j: Rankings, *, rel: int = 1) -> Array:
    r"""Average precision inferred from a sample of judgments.

    .. math:: \frac{1}{R}\sum_{i:\,g_i \ge rel} \left(\frac{1}{i} + \frac{i-1}{i}\cdot
              \frac{p_{i-1}}{i-1}\cdot\frac{c_{i-1} + \epsilon}{c_{i-1} + n_{i-1} + 2\epsilon}\right)

    with p pooled, c relevant and n non-relevant documents above, and :math:`\epsilon = 10^{-5}`. A negative
    grade marks a document that is pooled but was not sampled for judging.

    >>> round(infAP.of([1, 0, 1], n_rel=2), 4)
    0.8333
    """
    epsilon = 1e-5
    hit = j.hit(rel)
    relevant = j.n_hits(rel) - hit
    pooled = np.cumsum(j.pooled, axis=-1, dtype=np.int64) - j.pooled
    judged = np.cumsum(j.judged, axis=-1, dtype=np.int64) - j.judged
    chance = (relevant + epsilon) / (judged + 2 * epsilon)
    return ratio(j.total(hit * (1 + pooled * chance) / j.rank), j.n_rel(rel))


@measure(claims={"bounded", "localised", "complete", "realisable"}, cite="buckley2004", fractions=True)
def Judged(j: Rankings) -> Array:
    r"""Share of judged documents among those retrieved, to depth k.

    .. math:: \frac{1}{\min(k, n)}\sum_{i \le k} [g_i \text{ is known}]

    Not a measure of quality: it says how far others can be trusted.

    >>> (Judged @ 2).of([-1, 0, 1])
    0.5
    """
    return j.total(j.judged) / j.n_retrieved().clip(1)
