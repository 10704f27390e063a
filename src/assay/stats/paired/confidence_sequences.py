"""Confidence sequences: intervals of a mean that hold at all times at once, so that one may look after every query.

An interval for a fixed number of queries, looked at after each of them, misses the truth at some time in a third of
all runs. A confidence sequence misses it at any time in at most 1 - level, whenever and for whatever reason one
stops. The price is width: about half as much again as a fixed interval has, more where differences are small and
queries few.

The method is betting (waudbysmith2024). For every mean m that the truth might be, somebody bets on each score being
above it, and somebody else on its being below. If m is the truth neither can expect to win, and the chance that the
capital of either ever grows 1 / alpha-fold is at most alpha. Means at which it did are ruled out, and 1 over the most
that the capital ever was is a p-value at whatever time. No distribution is assumed: scores must be bounded, and in
random order. The capital is shared by ten bettors who always stake .05, .15, ..., .95 of what they have, because no
single stake is good for 0/1 scores and for small differences alike: a portfolio of constant stakes does nearly as
well as the best of them would have done (cover1991). `python -m bench.gates` sets it beside the bets by the variance
of the scores so far, which the paper prefers.

The estimand is named by `population`. Without it the scores are a sample of unlimited queries like these. With it
they come without replacement from so many queries, whose own mean it is: what has been seen is then known, and after
the last query nothing is left in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from assay.core.arrays import Array, Bools
from assay.core.errors import UsageError

Bounds = tuple[float, float]

STAKES = tuple((2 * i + 1) / 20 for i in range(10))
"""The shares of its capital that each of the bettors, who start with the same, stakes on every score."""

_SURE = 1e300  # what a score above a mean of 0 gains
_ROUNDING = 1e-12
_HALVINGS = 27  # of the range, until a bound is known to eight digits


def p_over_time(
    sample: Array,
    threshold: float | Array,
    *,
    bounds: Bounds = (0.0, 1.0),
    population: int | None = None,
    inclusive: Literal["above", "below"] | None = None,
) -> tuple[Array, Array]:
    """The p-values, after each score, of the mean being above a threshold and below it. Two of [..., time]

    `sample` is [..., time] in random order; all of it lies within `bounds`: (0, 1) for most measures, (-1, 1) for the
    differences of two systems' scores. `threshold` is one for all, or one for each stream. The first p is against a
    mean at the threshold or below, the second against one at the threshold or above. Each falls to alpha at any time
    in at most alpha of all samples for which its hypothesis holds, so that one may stop whenever one likes, and none
    ever rises. With `population`, what the scores so far exclude has p = 0; `inclusive` says to which side the
    threshold itself belongs once the mean is known.

    >>> above, below = p_over_time(np.tile([1.0, 1.0, 1.0, 0.0], 75), 0.5)
    >>> [f"{above[n - 1]:.4f}" for n in (1, 20, 40, 300)], float(below[-1])
    (['0.6667', '0.0743', '0.0077', '0.0000'], 1.0)
    """
    x, m = _scaled(sample, bounds, population), _share(threshold, bounds)
    above = _p_above(x, m, population, reached=inclusive == "above")
    return above, _p_above(1 - x, 1 - m, population, reached=inclusive == "below")


def confidence_sequence(
    sample: Array, times: Sequence[int], *, level: float, bounds: Bounds = (0.0, 1.0), population: int | None = None
) -> tuple[Array, Array]:
    """Bound the mean after some numbers of scores, for all times at once. Two of [..., time]

    Takes the same as `p_over_time`. Each bound is also a one-sided one, at (1 + level) / 2. They never widen.

    >>> low, high = confidence_sequence(np.tile([1.0, 1.0, 1.0, 0.0], 25), [1, 10, 100], level=0.95)
    >>> [f"{a:.2f} to {b:.2f}" for a, b in zip(low, high)]
    ['0.01 to 1.00', '0.34 to 0.99', '0.61 to 0.88']
    """
    x, alpha = _scaled(sample, bounds, population), (1 - level) / 2
    first, last = bounds
    low = _lowest(x, times, alpha, population)
    high = 1 - _lowest(1 - x, times, alpha, population)
    return first + (last - first) * low, first + (last - first) * high


def last_ruled_out(is_ruled_out: Callable[[Array], Bools], low: Array, high: Array) -> Array:
    """The largest number that is ruled out, by halving, if all smaller ones are, too; `low` where none is. [...]"""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        out = is_ruled_out(middle)
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return low


def _lowest(x: Array, times: Sequence[int], alpha: float, population: int | None) -> Array:
    """The largest mean ruled out as too low by each time. [..., time]"""
    ends = []
    for n in times:

        def is_ruled_out(m: Array, x: Array = x[..., :n]) -> Bools:
            return np.asarray(_p_above(x, m, population)[..., -1] <= alpha)

        ends.append(last_ruled_out(is_ruled_out, np.zeros(x.shape[:-1]), np.ones(x.shape[:-1])))
    return np.stack(ends, axis=-1)


def _scaled(sample: Array, bounds: Bounds, population: int | None) -> Array:
    """Carry scores over to 0 to 1; those that are not within bounds cannot be bet on."""
    first, last = bounds
    if np.isnan(sample).any():
        raise UsageError("a confidence sequence needs every score; leave out queries without one")
    if sample.size and (sample.min() < first or sample.max() > last):
        beyond = sample.min() if sample.min() < first else sample.max()
        raise UsageError(
            f"a score of {beyond:g} is not within {first:g} to {last:g}; a confidence sequence needs bounds"
        )
    if population is not None and population < sample.shape[-1]:
        raise UsageError(f"{sample.shape[-1]} scores are not from {population} queries without replacement")
    return np.asarray((sample - first) / (last - first))


def _share(threshold: float | Array, bounds: Bounds) -> Array:
    return np.asarray((np.asarray(threshold, dtype=np.float64) - bounds[0]) / (bounds[1] - bounds[0]))


def _p_above(x: Array, m: Array, population: int | None, *, reached: bool = False) -> Array:
    """The p-value, after each score, against a mean of at most m, by the capital that bets above it. [..., time]

    Without replacement the scores that are left have the mean that m leaves them, and less than was seen cannot be.
    """
    mean = m[..., None]
    impossible = mean < 0
    if population is not None:
        seen = np.cumsum(x, axis=-1)
        impossible = mean < seen / population + (_ROUNDING if reached else -_ROUNDING)
        mean = (population * mean - seen + x) / (population - np.arange(x.shape[-1]))
    most = np.maximum.accumulate(np.where(impossible, np.inf, _capital(x, np.maximum(mean, 0.0))), axis=-1)
    return np.asarray(1 / np.maximum(most, 1.0))


def _capital(x: Array, mean: Array) -> Array:
    """What bets on scores above a mean have become, of a capital of 1 that all bettors share alike. [..., time]

    What falls below the smallest float is lost for good, which can only rule out less.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        gain = np.nan_to_num(x / mean - 1, nan=0.0, posinf=_SURE)  # of a capital that is staked in whole
        capital = np.zeros(gain.shape)
        for stake in STAKES:
            capital += np.cumprod(1 + stake * gain, axis=-1)
    return capital / len(STAKES)
