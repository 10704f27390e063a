"""Readers who adapt: what they have already found decides whether they read on."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.arrays import Array
from assay.measures.declare import Open, Rankings, measure
from assay.measures.unjudged import Residual


def _share(j: Rankings, max_rel: int | None) -> Array:
    """Each grade as a share of the highest one, at most 1."""
    return np.minimum(j.scale / (j.highest if max_rel is None else max_rel), 1.0)


def _before(x: Array) -> Array:
    """The product over all ranks before each one. [list, rank]"""
    product = np.ones_like(x)
    np.cumprod(x[:, :-1], axis=-1, out=product[:, 1:])
    return product


def _stop(j: Rankings, max_rel: int | None, stop: float | None) -> Array:
    """The probability that a document of each grade satisfies."""
    top = j.highest if max_rel is None else max_rel
    gain = 2.0**j.scale - 1
    if stop is None:
        return np.minimum(gain / 2.0**top, 1.0)
    return stop * np.minimum(gain / (2.0**top - 1), 1.0)


def _beyond_err(j: Rankings, grade: int, *, max_rel: int | None, stop: float | None) -> Array:
    """What documents of one grade, from the end of the lists to infinity, add to ERR.

    The sum of R (1 - R)^(i - n - 1) / i over i > n is a hypergeometric function.
    """
    from scipy.special import hyp2f1

    by_grade, n = _stop(j, max_rel, stop), j.rank.size
    own = by_grade[grade]
    expected = own * hyp2f1(1, n + 1, n + 2, 1 - own) / (n + 1) if own > 0 else 0.0
    return np.asarray(np.prod(1 - j.gain(by_grade), axis=-1) * expected)


@measure(
    claims={"bounded", "monotone", "convergent", "top_weighted", "localised", "complete"},
    cite="chapelle2009",
    cutoff="optional",
    unjudged=Residual(beyond=_beyond_err),
    limits={"max_rel": (1, 127), "stop": (Open(0), 1)},
    fractions=True,
)
def ERR(j: Rankings, *, max_rel: int | None = None, stop: float | None = None) -> Array:
    r"""Expected reciprocal rank at which a reader is satisfied.

    .. math:: \sum_i \frac{1}{i} R_i \prod_{l<i} (1 - R_l), \qquad R = \frac{2^g - 1}{2^{g_{max}}}

    The highest grade is that of the scale unless `max_rel` says otherwise; gdeval always takes 4. With binary
    grades a relevant document satisfies with probability 1/2, so ERR is not RR. `stop` is the probability for a
    document of the highest grade, those of lower grades in proportion to :math:`2^g - 1`: with binary grades and
    stop = 1, as jones2015 has it, ERR is RR.

    >>> ERR.of([0, 1, 1]), ERR(stop=1).of([0, 1, 1])
    (0.3333333333333333, 0.5)
    """
    satisfied = j.gain(_stop(j, max_rel, stop))
    return j.total(satisfied * _before(1 - satisfied) / j.rank)


def _beyond_insq(j: Rankings, grade: int, *, T: float, max_rel: int | None, depth: int | None) -> Array:
    """What documents of one grade, from the end of the lists to infinity or `depth`, add to INSQ."""
    end = 0.0 if depth is None else _tail(2 * T + depth)
    more = np.maximum(_tail(2 * T + j.rank.size) - end, 0) / (_tail(2 * T) - end)
    return np.full(j.grade.shape[0], _share(j, max_rel)[grade] * more)


@measure(
    claims={"bounded", "monotone", "convergent", "top_weighted", "localised", "complete"},
    cite="moffat2012",
    unjudged=Residual(beyond=_beyond_insq, partial=True),
    limits={"T": (Open(0), np.inf), "max_rel": (1, 127), "depth": (1, np.inf)},
    fractions=True,
)
def INSQ(j: Rankings, *, T: float = 1.0, max_rel: int | None = None, depth: int | None = None) -> Array:
    r"""Gain per document of a reader who wants T of it and reads on ever more surely (INSQ).

    .. math:: C(i) = \left(\frac{i + 2T - 1}{i + 2T}\right)^2, \qquad
              W(i) = \frac{(i + 2T - 1)^{-2}}{\sum_{l \ge 1} (l + 2T - 1)^{-2}}

    The weights are normalised over the infinite tail; `depth` reads and normalises over that many ranks instead,
    as cwl-eval does over its padded list.

    >>> round(INSQ(T=1.0).of([1, 0, 0]), 6)
    0.387637
    """
    whole = _tail(2 * T) if depth is None else _tail(2 * T) - _tail(2 * T + depth)
    weight = _read(j, depth) * (j.rank + 2 * T - 1) ** -2.0 / whole
    return j.total(j.gain(_share(j, max_rel)) * weight)


def _inst_weights(j: Rankings, gain: Array, T: float) -> tuple[Array, Array, Array]:
    """The weight of each rank and of the one after it, before normalisation, and i + T + T_i. [list, rank]"""
    z = j.rank + 2 * T - np.cumsum(gain, axis=-1)
    step = ((z - 1) / z) ** 2
    weight = _before(step)
    return weight, weight * step, z


def _inst_rises(*, T: float, **_: Any) -> bool:
    """Whether more gain never lowers INST: if z = i + T + T_i cannot fall below 1.

    More gain at a rank counts in full there; the reader who leaves sooner for it loses less than half as much.
    What a reader who goes on at z can still gain is at most z^2 / (2z - 1), and C(z) falls by 2(z - 1) / z^3 per
    unit of gain, so by induction over the ranks the loss is at most max 2z(z - 1) / (2z - 1)^2 < 1/2.
    """
    return T >= 0.5


def _beyond_inst(j: Rankings, grade: int, *, T: float, max_rel: int | None, depth: int | None) -> Array:
    """What documents of one grade, from the end of the lists to infinity or `depth`, add to INST.

    Documents of full gain leave i + T + T_i as it is, so their weights are a geometric series. Without full gain
    the highest grade has no such form and no bound is offered; lower grades are never the best tail.
    """
    share = _share(j, max_rel)
    if share[grade] < 1:
        return np.full(j.grade.shape[0], np.nan if grade == j.top else 0.0)
    gain = j.gain(share)
    weight, after, z = _inst_weights(j, gain, T)
    weight = _read(j, depth) * weight
    go_on = ((z[:, -1] - 1) / z[:, -1]) ** 2
    more = after[:, -1] * (1 - go_on ** (np.inf if depth is None else max(depth - j.rank.size, 0))) / (1 - go_on)
    full = ((weight * gain).sum(-1) + more) / (weight.sum(-1) + more)
    return np.asarray(full - INST.declaration.formula(j, T=T, max_rel=max_rel, depth=depth))


@measure(
    claims={"bounded", "monotone", "convergent", "top_weighted", "localised", "complete"},
    cite="moffat2015",
    unjudged=Residual(beyond=_beyond_inst, when=_inst_rises, partial=True),
    limits={"T": (Open(0), np.inf), "max_rel": (1, 127), "depth": (1, np.inf)},
    fractions=True,
)
def INST(j: Rankings, *, T: float = 1.0, max_rel: int | None = None, depth: int | None = None) -> Array:
    r"""Gain per document of a reader who wants T of it and gives up as it comes in (INST).

    .. math:: C(i) = \left(\frac{i + T + T_i - 1}{i + T + T_i}\right)^2, \qquad T_i = T - \sum_{l \le i} G(g_l)

    The weights are normalised over the infinite tail, beyond the list taken to hold no gain; `depth` reads and
    normalises over that many ranks instead, as cwl-eval does over its padded list.

    >>> round(INST(T=1.0).of([1, 0, 0]), 6)
    0.607927
    """
    gain = j.gain(_share(j, max_rel))
    weight, after, z = _inst_weights(j, gain, T)
    seen = j.last(after) * j.last(z) ** 2  # what the tail's weights start from
    beyond = _tail(j.last(z))
    if depth is not None:
        beyond = beyond - _tail(j.last(z) + np.maximum(depth - j.last(j.rank), 0))
    weight = _read(j, depth) * weight
    return j.total(weight * gain) / (j.total(weight) + seen * beyond)


@measure(
    claims={"bounded", "monotone", "localised", "complete", "realisable"},
    cite="zhang2017",
    cutoff="required",
    limits={"T": (0, np.inf), "max_rel": (1, 127)},
    fractions=True,
)
def BPM(j: Rankings, *, T: float = 1.0, max_rel: int | None = None) -> Array:
    r"""Gain per document of a reader who stops at a total gain of T, or at rank k (static BPM).

    .. math:: \frac{1}{s}\sum_{i \le s} G(g_i), \qquad s = \min(k, \min\{i : \textstyle\sum_{l \le i} G(g_l) \ge T\})

    >>> (BPM(T=1.0) @ 10).of([0, 1, 1])
    0.5
    """
    gain = j.gain(_share(j, max_rel))
    cumulated = np.cumsum(gain, axis=-1)
    wanting = cumulated < T - 1e-12
    satisfied = j.peak(~wanting) > 0
    stop = np.where(satisfied, j.total(wanting) + 1, j.cutoff)
    read = np.ones_like(wanting)
    read[:, 1:] = wanting[:, :-1]
    return j.total(gain * read) / stop


def _read(j: Rankings, depth: int | None) -> Array:
    """1 for the ranks down to a depth, 0 for those beyond. [rank]"""
    return np.asarray(j.rank <= (np.inf if depth is None else depth), dtype=np.float64)


def _tail(start: float | Array) -> Array:
    """The sum of 1/i^2 over i = start, start + 1, ..."""
    from scipy.special import zeta  # 0.4 s to import: only these measures need it

    return np.asarray(zeta(2.0, start))
