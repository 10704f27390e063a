"""Pairs of a relevant and a non-relevant document: which of the two is ranked higher (signal detection)."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array, Bools, Counts
from assay.core.errors import MeasureError
from assay.measures.declare import Rankings, measure, ratio

_LIMITS: dict[str, tuple[float, float]] = {"n_docs": (1, np.inf)}


@measure(claims={"bounded", "convergent", "top_weighted"}, cite="robertson2007", aliases=["ROC_AUC"], limits=_LIMITS)
def AUC(j: Rankings, *, rel: int = 1, n_docs: int | None = None) -> Array:
    r"""Share of the pairs of a relevant and a non-relevant document that are in the right order.

    .. math:: 1 - \frac{1}{R N}\left(\sum_{i:\,g_i \ge rel} n_i + (R - c)\left(n + \frac{N - n}{2}\right)\right)

    with :math:`n_i` non-relevant documents above rank i, and c relevant and n non-relevant ones in the list. It is
    the area under the ROC curve, recall over fallout; 1 - AUC is the probability of a pairwise error. What the list
    lacks lies below it in an order of chance: of a pair of such documents, one half counts as right.

    An unjudged document counts as not relevant. N is what is known of the collection: the judged non-relevant
    documents and the unjudged ones of the list; a longer list then has more of them, and a higher score. With
    `n_docs`, the documents of the collection, N is n_docs - R: give it wherever unjudged documents are retrieved.
    Undefined without a relevant and a non-relevant document. Not top-heavy: a relevant document lifted from rank 2000
    to 1000 counts 1000 times as much as one lifted from rank 2 to 1.

    >>> AUC.of([0, 1], n_rel=1, n_nonrel=2)
    0.5
    """
    false, n_nonrel = _nonrelevant(j, rel, n_docs)
    n_rel, hit = j.n_rel(rel), j.hit(rel)
    retrieved, seen = j.total(hit), j.total(false)
    wrong = j.total(hit * np.cumsum(false, axis=-1, dtype=np.int64))
    wrong = wrong + (n_rel - retrieved) * (seen + (n_nonrel - seen) / 2)
    return 1 - ratio(wrong, n_rel * n_nonrel)


@measure(
    claims={"bounded", "convergent", "realisable"},
    cite="robertson2007",
    cutoff="required",
    limits=_LIMITS,
)
def Specificity(j: Rankings, *, rel: int = 1, n_docs: int | None = None) -> Array:
    r"""Share of the non-relevant documents that are not in the first k: 1 - fallout.

    .. math:: 1 - \frac{n}{N}

    with n non-relevant documents in the first k. Fallout, n / N, is better the lower it is; scores here are better
    the higher they are. With `n_docs`, the documents of the collection, N is n_docs - R. Without it, N is the number
    of judged non-relevant documents, and the score is undefined where an unjudged document is in the first k. Where N
    is 0 the score is 1. Not by itself: an empty list scores 1. Together with R@k it is a point of the ROC curve.

    >>> (Specificity @ 2).of([1, 0, 0], n_nonrel=4)
    0.75
    """
    false, n_nonrel = _nonrelevant(j, rel, n_docs)
    value = 1 - j.total(false) / np.maximum(n_nonrel, 1)
    return value if n_docs is not None else np.where(j.total(j.open) > 0, np.nan, value)


def _nonrelevant(j: Rankings, rel: int, n_docs: int | None) -> tuple[Bools, Array | Counts]:
    """Which documents of the lists are non-relevant, and how many there are. [list, rank], [list]"""
    false = j.judged & ~j.hit(rel) | j.open
    if n_docs is None:
        return false, j.n_nonrel(rel) + j.total(j.open)
    known = j.pool.sum(-1) + j.open.sum(-1)
    if (most := int(known.max(initial=0))) > n_docs:
        raise MeasureError(f"n_docs={n_docs} is less than the {most} documents that a list and its judgments hold")
    return false, n_docs - j.n_rel(rel)
