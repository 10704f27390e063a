"""Measures of the retrieved set, whatever its order."""

from __future__ import annotations

import numpy as np

from assay.catalogue import Array, Rankings, measure, ratio
from assay.unjudged import Ends


@measure(
    claims={"bounded", "convergent", "localised", "complete", "realisable"},
    cite="vanrijsbergen1979",
    trec="set_P",
    unjudged=Ends(),
)
def SetP(j: Rankings, *, rel: int = 1) -> Array:
    r"""Share of relevant documents among those retrieved.

    .. math:: c / n

    with c relevant among n retrieved documents; 0 for an empty list.

    >>> SetP.of([1, 0, 1, 0])
    0.5
    """
    found = j.total(j.hit(rel))
    return found / j.n_retrieved().clip(1)


@measure(claims={"bounded", "monotone", "convergent"}, cite="vanrijsbergen1979", trec="set_recall", unjudged=Ends())
def SetR(j: Rankings, *, rel: int = 1) -> Array:
    r"""Share of the relevant documents that were retrieved.

    .. math:: c / R

    >>> SetR.of([1, 0], n_rel=4)
    0.25
    """
    return ratio(j.total(j.hit(rel)), j.n_rel(rel))


@measure(
    claims={"bounded", "convergent"},
    cite="vanrijsbergen1979",
    trec="set_F",
    aliases=["F1"],
    unjudged=Ends(),
    limits={"beta": (0, np.inf)},
)
def SetF(j: Rankings, *, rel: int = 1, beta: float = 1.0) -> Array:
    r"""Weighted harmonic mean of the retrieved set's precision and recall.

    .. math:: \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    >>> SetF.of([1, 0], n_rel=1)
    0.6666666666666666
    """
    # the same as c (1 + b^2) / (b^2 R + n), which is 0 and not 0/0 when nothing relevant was retrieved
    weight = beta * beta
    found = j.total(j.hit(rel))
    return ratio((1 + weight) * found, weight * j.n_rel(rel) + j.n_retrieved())


@measure(claims={"bounded", "convergent"}, cite="buckley2005", trec="set_map", unjudged=Ends())
def SetAP(j: Rankings, *, rel: int = 1) -> Array:
    r"""Precision times recall of the retrieved set: AP as if the relevant were spread evenly.

    .. math:: \frac{c^2}{n R}

    >>> SetAP.of([1, 0], n_rel=2)
    0.25
    """
    found = j.total(j.hit(rel))
    return ratio(found * found, j.n_rel(rel) * j.n_retrieved().clip(1))
