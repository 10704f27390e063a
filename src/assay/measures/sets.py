"""Measures of the retrieved set, whatever its order: counts, and the shares that are made of them."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array
from assay.measures.declare import Rankings, measure, ratio
from assay.measures.unjudged import Ends


@measure(
    claims={"monotone", "localised", "complete"},
    cite="buckley2005",
    range=(0.0, np.inf),
    average="sum",
    trec="num_ret",
    fractions=True,
)
def NumRet(j: Rankings, *, rel: int | None = None) -> Array:
    r"""How many documents were retrieved; with `rel`, how many of them relevant.

    .. math:: n

    >>> NumRet.of([0, 1, -1])
    3.0
    """
    return j.n_retrieved() if rel is None else j.total(j.hit(rel))


@measure(
    claims={"monotone", "complete"},
    cite="buckley2005",
    range=(0.0, np.inf),
    average="sum",
    trec="num_rel",
)
def NumRel(j: Rankings, *, rel: int = 1) -> Array:
    r"""How many relevant documents there are.

    .. math:: R

    >>> NumRel.of([0, 1], n_rel=7)
    7.0
    """
    return j.total(np.zeros(j.grade.shape)) + j.n_rel(rel)


@measure(
    claims={"monotone", "convergent", "localised", "complete"},
    cite="buckley2005",
    range=(0.0, np.inf),
    average="sum",
    trec="num_rel_ret",
)
def NumRelRet(j: Rankings, *, rel: int = 1) -> Array:
    r"""How many relevant documents were retrieved.

    .. math:: \sum_i [g_i \ge rel]

    >>> NumRelRet.of([0, 1, 1])
    2.0
    """
    return j.total(j.hit(rel))


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
    relevant = j.total(j.hit(rel))
    return relevant / j.n_retrieved().clip(1)


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
    relevant = j.total(j.hit(rel))
    return ratio((1 + weight) * relevant, weight * j.n_rel(rel) + j.n_retrieved())


@measure(claims={"bounded", "convergent"}, cite="buckley2005", trec="set_map", unjudged=Ends())
def SetAP(j: Rankings, *, rel: int = 1) -> Array:
    r"""Precision times recall of the retrieved set: AP as if the relevant were spread evenly.

    .. math:: \frac{c^2}{n R}

    >>> SetAP.of([1, 0], n_rel=2)
    0.25
    """
    relevant = j.total(j.hit(rel))
    return ratio(relevant * relevant, j.n_rel(rel) * j.n_retrieved().clip(1))
