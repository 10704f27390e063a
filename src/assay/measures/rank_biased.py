"""Rank-biased precision: a reader who goes on to the next document with a fixed probability."""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array
from assay.measures.declare import Open, Rankings, measure, ratio
from assay.measures.unjudged import Bounds, Extremes, Residual, ideal_bounds

BY_DEPTH = {"residual": ...}  # a persistence that depends on k
REPLACES = {"residual": ("p",)}


def _persistence(j: Rankings, p: float, residual: float | None) -> float:
    return p if residual is None else float(residual ** (1 / j.cutoff))


def _worth(j: Rankings, rel: int | None) -> Array:
    """The worth of each grade, in [0, 1]: whether it reaches rel, or its share of the highest grade."""
    return j.scale / j.highest if rel is None else (j.scale >= rel).astype(np.float64)


def _beyond(j: Rankings, grade: int, *, p: float, rel: int | None, residual: float | None) -> Array:
    """What documents of one grade, from the end of the lists to infinity, add to RBP."""
    return np.full(j.grade.shape[0], _worth(j, rel)[grade] * _persistence(j, p, residual) ** j.rank.size)


def _extremes(*, cut: bool) -> Extremes:
    """The least and the most over all grades of the unjudged, by whether the ideal ranking is cut at k."""

    def find(j: Rankings, *, p: float, rel: int | None, residual: float | None) -> Bounds | None:
        persistence = _persistence(j, p, residual)
        depth = j.cutoff if cut else np.inf
        return ideal_bounds(j, _worth(j, rel), lambda n: persistence ** np.arange(0.0, n), depth=depth)

    return Extremes(find)


def _normalised(j: Rankings, p: float, rel: int | None, residual: float | None, *, cut: bool) -> Array:
    """RBP over that of the ideal ranking; the factor 1 - p is in both."""
    persistence = _persistence(j, p, residual)
    value = _worth(j, rel)
    longest = int(j.pool[:, value > 0].sum(-1).max(initial=0))
    score = j.total_gain(value, persistence ** (j.rank - 1))
    return ratio(score, j.ideal_dcg(value, persistence ** np.arange(0.0, longest), cut=cut))


@measure(
    claims={"bounded", "monotone", "convergent", "top_weighted", "localised", "complete"},
    cite="moffat2008",
    trec={"rbp": "RBP(p=0.9, rel=1)"},
    by_depth=BY_DEPTH,
    unjudged=Residual(beyond=_beyond, partial=True),
    limits={"p": (0, Open(1)), "residual": (0, Open(1))},  # a reader who never stops gains nothing per document
    replaces=REPLACES,
    fractions=True,
)
def RBP(j: Rankings, *, p: float = 0.8, rel: int | None = None, residual: float | None = None) -> Array:
    r"""Rate at which a reader of persistence p gains.

    .. math:: (1-p)\sum_i G(g_i)\, p^{i-1}

    The gain is the grade over the highest grade of the scale; with `rel`, 0 or 1. `residual` sets the
    persistence so that this much weight lies beyond the cutoff: :math:`p = residual^{1/k}`. The score at k is
    that of a partial evaluation: `assay score --residuals` adds the weight of all ranks that are not assessed, those
    beyond k among them.
    Not comparable between topics in that no ranking reaches 1.

    >>> RBP(p=0.5).of([1, 0, 1])
    0.625
    """
    persistence = _persistence(j, p, residual)
    weight = (1 - persistence) * persistence ** (j.rank - 1)
    return j.total_gain(_worth(j, rel), weight)


@measure(
    claims={"bounded", "convergent", "top_weighted", "realisable"},
    cite="webber2010",
    by_depth=BY_DEPTH,
    unjudged=_extremes(cut=True),
    limits={"p": (0, 1), "residual": (0, 1)},
    replaces=REPLACES,
    fractions=True,
)
def nRBP(j: Rankings, *, p: float = 0.8, rel: int | None = None, residual: float | None = None) -> Array:
    r"""Rank-biased precision divided by that of an ideal ranking, cut at k too.

    .. math:: \frac{RBP@k}{\max RBP@k}

    The ideal ranking sorts all judged documents by gain. See enRBP for an ideal that is not cut.

    >>> (nRBP(p=0.5) @ 2).of([0, 1], n_rel=1)
    0.5
    """
    return _normalised(j, p, rel, residual, cut=True)


@measure(
    claims={"bounded", "monotone", "convergent", "top_weighted"},
    cite="webber2010",
    by_depth=BY_DEPTH,
    unjudged=_extremes(cut=False),
    limits={"p": (0, 1), "residual": (0, 1)},
    replaces=REPLACES,
    fractions=True,
)
def enRBP(j: Rankings, *, p: float = 0.8, rel: int | None = None, residual: float | None = None) -> Array:
    r"""Rank-biased precision to depth k divided by that of the whole ideal ranking (expanded).

    .. math:: \frac{RBP@k}{\max RBP}

    With many relevant documents the divisor is close to 1, and this is RBP. Undefined where nothing has gain.

    >>> (enRBP(p=0.5) @ 1).of([1, 0], n_rel=2)
    0.6666666666666666
    """
    return _normalised(j, p, rel, residual, cut=False)
