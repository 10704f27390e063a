"""Plain counts, summed over topics."""

from __future__ import annotations

import numpy as np

from assay.catalogue import Array, Rankings, measure


@measure(
    claims={"monotone", "localised", "complete"},
    cite="buckley2005",
    range=(0.0, np.inf),
    average="sum",
    trec="num_ret",
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
