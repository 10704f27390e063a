"""Average precision with the bias of small samples taken off."""

from __future__ import annotations

import numpy as np

from assay.catalogue import Array, Rankings, measure, ratio


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
    found = (j.n_hits(rel) - hit) * (j.per_rank(n_rel) / np.maximum(j.per_rank(n_rel) - 1, 1))
    others = j.rank - j.n_hits(rel)
    above = found + others
    precision = np.divide(found, above, out=np.full(above.shape, c), where=above > 0)
    return ratio(j.total(precision * hit), n_rel)
