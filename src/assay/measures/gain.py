"""Discounted gain: what a document is worth, where it stands, and the ways to normalise the sum."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from assay.core.arrays import Array, Index
from assay.core.errors import MeasureError
from assay.measures.declare import Rankings, measure, ratio
from assay.measures.unjudged import Bounds, Extremes, Residual, ideal_bounds

Gain = tuple[tuple[int, float], ...]  # grade, gain
GainName = Literal["linear", "exp"]
DiscountName = Literal["log2", "jk", "zipf", "linear", "none"]
Discount = DiscountName | tuple[float, ...]
BY_DEPTH = {"discount": "linear"}  # a discount that runs down to 0 just after k
REPLACES = {"weights": ("gain", "discount", "base")}


@dataclass(frozen=True, slots=True, repr=False)
class Weights:
    """The gain of each grade and the discount of each rank, as a file says; equal where the file's bytes are."""

    path: str = field(compare=False)
    sha256: str  # of the file's bytes
    gain: Gain = field(compare=False)  # grade, gain; grade 0 is there only if it has a gain
    discount: tuple[float, ...] = field(compare=False)  # [rank]

    kind: ClassVar[str] = "the name of a file of weights"

    def __repr__(self) -> str:
        return repr(self.path)

    def __str__(self) -> str:
        return self.path

    def values(self, top: int) -> list[float]:
        """The gain of each grade 0 .. top; a grade without one has that of the next lower grade, 0 has 0."""
        known, values = dict(self.gain), [0.0]
        for grade in range(top + 1):
            values.append(known.get(grade, values[-1]))
        return values[1:]

    @classmethod
    def fitted(cls, value: object) -> Weights:
        """Take weights as they are, or read the file that a word names."""
        if isinstance(value, Weights):
            return value
        if not isinstance(value, str):
            raise ValueError
        from assay.measures.weight_files import read_weights

        return read_weights(value)


def gain_values(gain: GainName | Gain, scale: Array) -> Array:
    """The gain of each grade of a scale; one that a mapping leaves out keeps its own value, as in trec_eval."""
    if gain == "exp":
        return np.asarray(2.0**scale - 1)
    value = scale.copy()
    for grade, own in gain if not isinstance(gain, str) else ():
        value[scale == grade] = own
    return value


def gains(j: Rankings, gain: GainName | Gain, weights: Weights | None, top: int | None = None) -> Array:
    """The gain of each grade, to the scale's highest unless told; by a file of weights where there is one."""
    if weights is None:
        return gain_values(gain, j.scale if top is None else _to(j, top))
    known = {0} | dict(weights.gain).keys()
    needed = [x for g, x in enumerate(j.scale) if j.fractions or j.pool[:, g].any()]
    if missing := [x for x in needed if x not in known]:
        there = ", ".join(str(grade) for grade in sorted(known) if grade)
        raise MeasureError(f"{weights.path}: no gain for grade {missing[0]:g} of the judgments, only for {there}")
    return np.array(weights.values(j.top if top is None else top))


def _to(j: Rankings, top: int) -> Array:
    """The scale, ended or extended at another highest grade. [grade]"""
    return np.array([*(x for x in j.fractions if x < top), top]) if j.fractions else np.arange(top + 1.0)


def _of(discount: Discount, weights: Weights | None) -> Discount:
    """The discount by a file of weights, where there is one."""
    return discount if weights is None else weights.discount


def log2_discount(rank: Array | Index) -> Array:
    """The weight 1 / log2(rank + 1) of ranks from 1 up.

    >>> log2_discount(np.array([1.0, 3.0]))
    array([1. , 0.5])
    """
    return np.asarray(1 / np.log2(rank + 1))


def discounts(discount: Discount, base: float, n: int, cutoff: Any) -> Array:
    """The weight of each rank 1 .. n."""
    rank = np.arange(1.0, n + 1)
    if not isinstance(discount, str):
        weight = np.zeros(n)
        weight[: len(discount)] = discount[:n]
        return weight
    if discount == "log2":
        return log2_discount(rank)
    if discount == "jk":
        return np.asarray(np.log(base) / np.log(np.maximum(rank, base)))
    if discount == "zipf":
        return 1 / rank
    if discount == "linear":
        return np.asarray(np.maximum(cutoff + 1 - rank, 0) / cutoff)
    return np.ones(n)


def _dcg(j: Rankings, value: Array, discount: Discount, base: float) -> Array:
    weight = discounts(discount, base, j.rank.size, j.cutoff)
    key = "dcg", value.tobytes(), np.asarray(weight).tobytes()
    return j.memo(key, lambda: j.total_gain(value, weight))


def _ideal(j: Rankings, value: Array, discount: Discount, base: float, *, cut: bool) -> Array:
    """The DCG of the best ranking of all that is judged, sorted by gain; cut at k or not."""
    longest = int(j.pool[:, value > 0].sum(-1).max(initial=0))
    weight = discounts(discount, base, longest, j.cutoff)
    return j.ideal_dcg(value, weight, cut=cut)


def _beyond(
    j: Rankings,
    grade: int,
    *,
    gain: GainName | Gain,
    discount: Discount,
    weights: Weights | None,
    **_: Any,
) -> Array:
    """What documents of one grade, from the end of the lists to infinity, add to DCG.

    The named discounts that need no cutoff have infinite sums.
    """
    value = gains(j, gain, weights)[grade]
    discount = _of(discount, weights)
    further = np.inf if isinstance(discount, str) else sum(discount[j.rank.size :])
    return np.full(j.grade.shape[0], value * further if value else 0.0)


def _no_penalty(*, discount: Discount, weights: Weights | None, **_: Any) -> bool:
    """Whether no rank has a negative weight."""
    discount = _of(discount, weights)
    return isinstance(discount, str) or min(discount, default=0.0) >= 0


def _extremes(ideal: Literal["cut", "whole", "retrieved"]) -> Extremes:
    """The least and the most over all grades of the unjudged, by which ideal is meant."""

    def find(
        j: Rankings, *, gain: GainName | Gain, discount: Discount, base: float, weights: Weights | None
    ) -> Bounds | None:
        depth = j.cutoff if ideal == "cut" else np.inf
        weigh = partial(discounts, _of(discount, weights), base, cutoff=j.cutoff)
        return ideal_bounds(j, gains(j, gain, weights), weigh, depth=depth, retrieved=ideal == "retrieved")

    return Extremes(find)


@measure(
    claims={"monotone", "convergent", "top_weighted", "localised", "complete"},
    cite="jarvelin2002",
    range=(0.0, np.inf),
    by_depth=BY_DEPTH,
    replaces=REPLACES,
    unjudged=Residual(beyond=_beyond, when=_no_penalty),
    limits={"base": (1.001, np.inf)},
    fractions=True,
)
def DCG(
    j: Rankings,
    *,
    gain: GainName | Gain = "linear",
    discount: Discount = "log2",
    base: float = 2.0,
    weights: Weights | None = None,
) -> Array:
    r"""Discounted cumulated gain.

    .. math:: \sum_i G(g_i)\, d(i)

    The gain is the grade (`linear`), :math:`2^g - 1` (`exp`) or a mapping `{1: 3, 2: 9}`. The discount is
    :math:`1/\log_2(i+1)` (`log2`), Järvelin and Kekäläinen's own :math:`1/\log_b \max(b, i)` (`jk`),
    :math:`1/i` (`zipf`), :math:`(k+1-i)/k` (`linear`), 1 (`none`) or a list of weights. Both may come from a file
    that `assay weights` wrote: `weights='best.json'`; ranks beyond its depth then have no weight.
    Topics with many relevant documents dominate its mean.

    >>> (DCG @ 3).of([2, 0, 1])
    2.5
    """
    return _dcg(j, gains(j, gain, weights), _of(discount, weights), base)


@measure(
    claims={"bounded", "convergent", "top_weighted", "realisable"},
    cite="jarvelin2002",
    trec={"ndcg": "nDCG", "ndcg_cut_{}": "nDCG@{}"},
    by_depth=BY_DEPTH,
    replaces=REPLACES,
    unjudged=_extremes("cut"),
    limits={"base": (1.001, np.inf)},
    fractions=True,
)
def nDCG(
    j: Rankings,
    *,
    gain: GainName | Gain = "linear",
    discount: Discount = "log2",
    base: float = 2.0,
    weights: Weights | None = None,
) -> Array:
    r"""DCG divided by that of an ideal ranking, which is cut at k too.

    .. math:: \frac{DCG@k}{\max DCG@k}

    The ideal ranking sorts all judged documents by gain. Undefined where nothing has gain. See DCG for gains
    and discounts, enDCG for an ideal that is not cut.

    >>> (nDCG @ 2).of([0, 1], n_rel=1)
    0.6309297535714575
    """
    value, discount = gains(j, gain, weights), _of(discount, weights)
    return ratio(_dcg(j, value, discount, base), _ideal(j, value, discount, base, cut=True))


@measure(
    claims={"bounded", "monotone", "convergent", "top_weighted"},
    cite="webber2010",
    by_depth=BY_DEPTH,
    replaces=REPLACES,
    unjudged=_extremes("whole"),
    limits={"base": (1.001, np.inf)},
    fractions=True,
)
def enDCG(
    j: Rankings,
    *,
    gain: GainName | Gain = "linear",
    discount: Discount = "log2",
    base: float = 2.0,
    weights: Weights | None = None,
) -> Array:
    r"""DCG to depth k divided by that of the whole ideal ranking (expanded).

    .. math:: \frac{DCG@k}{\max DCG}

    What `trec_eval -M k -m ndcg` prints. With many relevant documents and a small k all scores are low.

    >>> round((enDCG @ 1).of([1, 0], n_rel=2), 4)
    0.6131
    """
    value, discount = gains(j, gain, weights), _of(discount, weights)
    return ratio(_dcg(j, value, discount, base), _ideal(j, value, discount, base, cut=False))


@measure(
    claims={"bounded", "convergent", "top_weighted", "localised", "complete"},
    cite="moffat2013",
    cutoff="required",
    by_depth=BY_DEPTH,
    replaces=REPLACES,
    unjudged=Residual(when=_no_penalty),
    limits={"base": (1.001, np.inf), "max_rel": (1, 127)},
    fractions=True,
)
def SDCG(
    j: Rankings,
    *,
    gain: GainName | Gain = "linear",
    discount: Discount = "log2",
    base: float = 2.0,
    max_rel: int | None = None,
    weights: Weights | None = None,
) -> Array:
    r"""DCG scaled by the most that k ranks can hold, whatever the topic offers.

    .. math:: \frac{DCG@k}{G(g_{max}) \sum_{i \le k} d(i)}

    The highest grade is that of the scale unless `max_rel` says otherwise; no grade is worth more.

    >>> (SDCG @ 2).of([1, 1], n_rel=2)
    1.0
    """
    best = gains(j, gain, weights, max_rel).max()
    value, discount = np.minimum(gains(j, gain, weights), best), _of(discount, weights)
    limit = np.cumsum(discounts(discount, base, int(np.max(j.cutoff)), j.cutoff))
    return ratio(_dcg(j, value, discount, base), best * j.last(limit))


@measure(
    claims={"bounded", "top_weighted", "localised", "realisable"},
    cite="moffat2013",
    aliases=["SN-DCG"],
    by_depth=BY_DEPTH,
    replaces=REPLACES,
    unjudged=_extremes("retrieved"),
    limits={"base": (1.001, np.inf)},
    fractions=True,
)
def SNDCG(
    j: Rankings,
    *,
    gain: GainName | Gain = "linear",
    discount: Discount = "log2",
    base: float = 2.0,
    weights: Weights | None = None,
) -> Array:
    r"""DCG divided by that of the best order of the documents *retrieved*.

    .. math:: \frac{DCG@k}{DCG@k \text{ of the same documents, sorted by gain}}

    Undefined for a list without gain. It judges the order only: finding more can lower it.

    >>> SNDCG.of([1, 0], n_rel=20)
    1.0
    """
    value, discount = gains(j, gain, weights), _of(discount, weights)
    weight = discounts(discount, base, j.rank.size, j.cutoff)
    return ratio(_dcg(j, value, discount, base), j.resorted_dcg(value, weight))
