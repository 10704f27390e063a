"""Counting relevant documents down to a rank: precision, recall and what is read off them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.core.arrays import Array
from assay.measures.declare import Rankings, measure, ratio
from assay.measures.unjudged import Bounds, Ends, Extremes, Residual, Search


def _beyond(j: Rankings, grade: int, *, rel: int) -> Array:
    """What documents of one grade, from the end of the lists to infinity, add to RR."""
    return np.where(j.hit(rel).any(-1) | (grade < rel), 0.0, 1 / (j.rank.size + 1))


RprecForm = Literal["precision", "recall", "capped"]


def _extremes(j: Rankings, *, rel: int, mult: float, form: RprecForm) -> Bounds:
    """The least and the most of Rprec over all grades of the unjudged, by the number of newly relevant ones."""
    from assay.measures.bounds.ratio import along_rows, share

    free, width = j.open & (rel <= j.top), j.rank.size
    new = np.minimum(np.arange(width + 1), free.sum(-1, keepdims=True))  # [list, number]
    depth = np.ceil(mult * (j.n_rel(rel)[:, None] + new) - 1e-9)
    depth = np.minimum(depth, j.cutoff) if form == "capped" else depth
    end = np.full(depth.shape, width) if form == "recall" else np.clip(depth, 0, width).astype(np.int64)
    counts = np.zeros((2, *depth.shape), dtype=np.int64)  # down to each rank, from 0
    for x, count in zip((j.hit(rel), free), counts, strict=True):
        np.cumsum(x, axis=-1, out=count[:, 1:])
    seen, open_seen = (along_rows(count, end) for count in counts)
    most = seen + np.minimum(new, open_seen)
    least = seen + np.maximum(new - (new[:, -1:] - open_seen), 0)
    return share(least, depth).min(-1), share(most, depth).max(-1)


@measure(
    claims={"bounded", "convergent", "localised", "complete"},
    cite="vanrijsbergen1979",
    cutoff="required",
    trec={"P_{}": "P@{}"},
    aliases=["Precision"],
    unjudged=Residual(),
)
def P(j: Rankings, *, rel: int = 1) -> Array:
    r"""Share of relevant documents in the first k.

    .. math:: \frac{1}{k}\sum_{i \le k} [g_i \ge rel]

    A list shorter than k is divided by k all the same. Not for topics with fewer than k relevant documents
    where a perfect ranking should score 1.

    >>> (P @ 4).of([1, 0, 1])
    0.5
    """
    return j.total(j.hit(rel)) / j.cutoff


@measure(
    claims={"bounded", "monotone", "convergent"},
    cite="vanrijsbergen1979",
    cutoff="required",
    trec={"recall_{}": "R@{}"},
    aliases=["Recall"],
    unjudged=Ends(),
)
def R(j: Rankings, *, rel: int = 1) -> Array:
    r"""Share of the relevant documents that are in the first k.

    .. math:: \frac{1}{R}\sum_{i \le k} [g_i \ge rel]

    Undefined where nothing is relevant. Not where R is far above k: no ranking can score well.

    >>> (R @ 2).of([1, 0, 1], n_rel=4)
    0.25
    """
    return ratio(j.total(j.hit(rel)), j.n_rel(rel))


@measure(
    claims={"bounded", "convergent", "realisable"},
    cite="webber2010",
    cutoff="required",
    unjudged=Ends(),
)
def aR(j: Rankings, *, rel: int = 1) -> Array:
    r"""Recall normalised by what the cutoff allows (abbreviated).

    .. math:: \frac{1}{\min(k, R)}\sum_{i \le k} [g_i \ge rel]

    Precision where at least k documents are relevant, recall where fewer are. Undefined where nothing is relevant.

    >>> (aR @ 2).of([1, 0, 1], n_rel=4)
    0.5
    """
    return ratio(j.total(j.hit(rel)), np.minimum(j.n_rel(rel), j.cutoff))


@measure(
    claims={"bounded", "monotone", "localised", "complete", "realisable"},
    cite="craswell2004",
    cutoff="required",
    trec={"success_{}": "Success@{}"},
    aliases=["Hit", "HitRate"],
    unjudged=Residual(),
)
def Success(j: Rankings, *, rel: int = 1) -> Array:
    r"""Whether there is a relevant document in the first k.

    .. math:: [\exists\, i \le k : g_i \ge rel]

    Says nothing about what follows the first hit, and so separates systems poorly.

    >>> (Success @ 2).of([0, 1])
    1.0
    """
    return np.minimum(j.total(j.hit(rel)), 1.0)


@measure(
    claims={"bounded", "monotone", "localised", "complete", "realisable"},
    cite="voorhees1999",
    trec="recip_rank",
    aliases=["MRR"],
    unjudged=Residual(beyond=_beyond),
)
def RR(j: Rankings, *, rel: int = 1) -> Array:
    r"""One over the rank of the first relevant document; 0 if there is none.

    .. math:: 1 / \min\{i : g_i \ge rel\}

    For tasks with one right answer. An average of reciprocal ranks weighs rank 1 against rank 2 as much as
    rank 2 against never.

    >>> RR.of([0, 1, 1])
    0.5
    """
    hit = j.hit(rel)
    first = hit.argmax(-1) + 1 if hit.size else np.ones(len(hit))
    first = j.per_list(np.where(hit.any(-1), first, np.inf))
    return np.where(first <= j.cutoff, 1 / first, 0.0)


@measure(
    claims={"bounded", "monotone"},
    cite="buckley2005",
    trec={"Rprec": "Rprec", "Rprec_mult_{:.2f}": "Rprec(mult={})"},
    unjudged=Extremes(_extremes),
    limits={"mult": (0, np.inf)},
    replaces={"form": ("mult",)},
)
def Rprec(j: Rankings, *, rel: int = 1, mult: float = 1.0, form: RprecForm = "precision") -> Array:
    r"""Precision at rank R, the number of relevant documents (or at a multiple of it).

    .. math:: \frac{1}{\lceil mR \rceil}\sum_{i \le \lceil mR \rceil} [g_i \ge rel]

    Undefined where nothing is relevant. Cut at a k below R it is still divided by R, as by trec_eval. jones2015 has
    two other forms: `form='capped'` divides by min(k, R) (its table 1, after moffat2013), and `form='recall'` counts
    the relevant documents of all ranks to k (its table 2), which is recall.

    >>> Rprec.of([1, 0, 1], n_rel=2), Rprec(form="recall").of([1, 0, 1], n_rel=2)
    (0.5, 1.0)
    >>> (Rprec @ 2).of([1, 0, 1], n_rel=4), (Rprec(form="capped") @ 2).of([1, 0, 1], n_rel=4)
    (0.25, 0.5)
    """
    depth = np.ceil(mult * j.n_rel(rel) - 1e-9)  # 0.2 x 15 is 3, not 4
    lists, rank = j.found(rel)
    counts = np.ones(lists.size) if form == "recall" else rank < depth.ravel()[lists]
    return ratio(j.total_at((lists, rank), counts), np.minimum(depth, j.cutoff) if form == "capped" else depth)


@measure(
    claims={"bounded", "monotone"},
    cite="buckley2005",
    at="recall",
    trec={"iprec_at_recall_{:.2f}": "IPrec@{}"},
    unjudged=Search(),
    limits={"recall": (0, 1)},
)
def IPrec(j: Rankings, *, recall: float, rel: int = 1) -> Array:
    r"""Interpolated precision at a level of recall: the best precision from there on.

    .. math:: \max_{i : c_i \ge \lfloor xR + 1/2 \rfloor} P(i)

    with :math:`c_i` the relevant documents down to rank i; trec_eval 10 rounds xR as here, version 9 did not.

    >>> (IPrec @ 0.5).of([1, 0, 1], n_rel=2)
    1.0
    """
    needed = np.floor(recall * j.n_rel(rel) + 0.5)
    reached = j.n_hits(rel) >= j.per_rank(needed)
    return _defined(j, rel, j.peak(np.where(reached, j.precision(rel), 0.0)))


@measure(
    claims={"bounded", "monotone"},
    cite="buckley2005",
    trec="11pt_avg",
    unjudged=Search(),
)
def IAP(j: Rankings, *, rel: int = 1, points: tuple[float, ...] = tuple(x / 10 for x in range(11))) -> Array:
    r"""Interpolated precision averaged over levels of recall: 0, 0.1, ..., 1 unless said otherwise.

    .. math:: \frac{1}{11}\sum_{x \in \{0, .1, \dots, 1\}} IPrec@x

    The average precision of the early TRECs; AP has taken its place.

    >>> IAP.of([1, 1], n_rel=2)
    1.0
    """
    formula = IPrec.declaration.formula
    return np.mean([formula(j, recall=x, rel=rel) for x in points], axis=0)


def _defined(j: Rankings, rel: int, score: Array) -> Array:
    """Mark scores of topics without relevant documents as undefined."""
    return np.where(j.n_rel(rel) > 0, score, np.nan)
