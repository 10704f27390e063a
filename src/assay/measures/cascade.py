"""Readers who adapt: what they have already found decides whether they read on."""

from __future__ import annotations

import numpy as np

from assay.measure import Array, Rankings, measure


def _share(j: Rankings, max_rel: int | None) -> Array:
    """Each grade as a share of the highest one, at most 1."""
    return np.minimum(np.arange(j.top + 1.0) / (j.top if max_rel is None else max_rel), 1.0)


def _before(x: Array) -> Array:
    """The product over all ranks before each one. [list, rank]"""
    product = np.ones_like(x)
    np.cumprod(x[:, :-1], axis=-1, out=product[:, 1:])
    return product


@measure(
    claims={"bounded", "monotone", "convergent", "top_weighted", "localised", "complete"},
    cite="chapelle2009",
    cutoff="optional",
)
def ERR(j: Rankings, *, max_rel: int | None = None) -> Array:
    r"""Expected reciprocal rank at which a reader is satisfied.

    .. math:: \sum_i \frac{1}{i} R_i \prod_{l<i} (1 - R_l), \qquad R = \frac{2^g - 1}{2^{g_{max}}}

    The highest grade is that of the scale unless `max_rel` says otherwise; gdeval always takes 4. With binary
    grades a relevant document satisfies with probability 1/2, so ERR is not RR.

    >>> ERR.of([0, 1, 1])
    0.3333333333333333
    """
    top = j.top if max_rel is None else max_rel
    stop = j.gain(np.minimum((2.0 ** np.arange(j.top + 1) - 1) / 2.0**top, 1.0))
    return j.total(stop * _before(1 - stop) / j.rank)


@measure(
    claims={"bounded", "monotone", "convergent", "top_weighted", "localised", "complete"},
    cite="moffat2012",
)
def INSQ(j: Rankings, *, T: float = 1.0, max_rel: int | None = None) -> Array:
    r"""Gain per document of a reader who wants T of it and reads on ever more surely (INSQ).

    .. math:: C(i) = \left(\frac{i + 2T - 1}{i + 2T}\right)^2, \qquad
              W(i) = \frac{(i + 2T - 1)^{-2}}{\sum_{l \ge 1} (l + 2T - 1)^{-2}}

    The weights are normalised over the infinite tail (cwl-eval: over its padded list).

    >>> round(INSQ(T=1.0).of([1, 0, 0]), 6)
    0.387637
    """
    weight = (j.rank + 2 * T - 1) ** -2.0 / _tail(2 * T)
    return j.total(j.gain(_share(j, max_rel)) * weight)


@measure(
    claims={"bounded", "convergent", "top_weighted", "localised", "complete"},
    cite="moffat2015",
)
def INST(j: Rankings, *, T: float = 1.0, max_rel: int | None = None, depth: int | None = None) -> Array:
    r"""Gain per document of a reader who wants T of it and gives up as it comes in (INST).

    .. math:: C(i) = \left(\frac{i + T + T_i - 1}{i + T + T_i}\right)^2, \qquad T_i = T - \sum_{l \le i} G(g_l)

    The weights are normalised over the infinite tail, beyond the list taken to hold no gain; `depth` normalises
    over that many ranks instead, as cwl-eval does over its padded list.

    >>> round(INST(T=1.0).of([1, 0, 0]), 6)
    0.607927
    """
    gain = j.gain(_share(j, max_rel))
    left = 2 * T - np.cumsum(gain, axis=-1)  # T + T_i
    step = ((j.rank + left - 1) / (j.rank + left)) ** 2
    weight = _before(step)
    seen = j.last(weight * step) * (j.last(j.rank) + j.last(left)) ** 2  # what the tail's weights start from
    beyond = _tail(j.last(j.rank) + j.last(left))
    if depth is not None:
        beyond = beyond - _tail(np.maximum(depth, j.last(j.rank)) + j.last(left))
    return j.total(weight * gain) / (j.total(weight) + seen * beyond)


@measure(
    claims={"bounded", "localised", "complete", "realisable"},
    cite="zhang2017",
    cutoff="required",
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


def _tail(start: float | Array) -> Array:
    """The sum of 1/i^2 over i = start, start + 1, ..."""
    from scipy.special import zeta  # 0.4 s to import: only these measures need it

    return np.asarray(zeta(2.0, start))
