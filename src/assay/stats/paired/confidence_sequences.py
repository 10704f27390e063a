"""Confidence sequences: intervals of a mean that hold at all times at once, so that one may look after every query.

An interval for a fixed number of queries, looked at after each of them, misses the truth at some time in a third of
all runs. A confidence sequence misses it at any time in at most 1 - level, whenever and for whatever reason one
stops. The price is width: about half as much again as a fixed interval has, more where differences are small and
queries few.

The method is betting (waudbysmith2024). For every mean m that the truth might be, somebody bets on each score being
above it, and somebody else on its being below. If m is the truth neither can expect to win, and the chance that the
capital of either ever grows 1 / alpha-fold is at most alpha. Means at which it did are ruled out. No distribution is
assumed: scores must be bounded, and in random order. The capital is shared among four bettors, because no single
stake is good for 0/1 scores and for small differences alike: one goes by the variance of the scores so far, as in the
paper, three always stake .9, .3 or .1 of what they have. Chosen on six populations, where the bounds at 300 scores
are 1 to 19% closer together than by the paper's bets alone, those at 100 between 10% closer and 7% wider.

The estimand is named by `population`. Without it the scores are a sample of unlimited queries like these. With it
they are drawn without replacement from so many queries, whose own mean it is: what has been seen is then known, and
after the last query nothing is left in doubt.
"""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.core.errors import UsageError

_STAKES = (0.9, 0.3, 0.1)  # shares of their capital that three bettors stake on every score
_MOST_BY_VARIANCE = 0.5  # and at most the fourth, who goes by the variance of the scores so far
_SURE, _LARGEST = 1e300, 600.0  # what a score above a mean of 0 gains; the logarithm of a capital, at most
_ROUNDING = 1e-12
_GRID = 128  # means tried between the range's end and the bound that is reached in the end
_HALVINGS = 40  # of the range, until that bound is known


def confidence_sequence(
    sample: Array, *, level: float, bounds: tuple[float, float] = (0.0, 1.0), population: int | None = None
) -> tuple[Array, Array]:
    """Bound the mean after each score, for all times at once. Two of [..., time]

    `sample` is [..., time] in random order; all of it lies within `bounds`: (0, 1) for most measures, (-1, 1) for the
    differences of two systems' scores. Each bound is also a one-sided one, at (1 + level) / 2. They never widen.

    >>> low, high = confidence_sequence(np.tile([1.0, 1.0, 1.0, 0.0], 25), level=0.95)
    >>> [f"{low[n - 1]:.2f} to {high[n - 1]:.2f}" for n in (1, 10, 100)]
    ['0.00 to 1.00', '0.32 to 0.99', '0.61 to 0.87']
    """
    scaled = _scaled(sample, bounds, population)
    first, last = bounds
    alpha = (1 - level) / 2
    low = _lower_bounds(scaled, alpha, population)
    high = 1 - _lower_bounds(1 - scaled, alpha, population)
    return first + (last - first) * low, first + (last - first) * high


def decided_after(
    sample: Array,
    threshold: float,
    *,
    level: float,
    bounds: tuple[float, float] = (0.0, 1.0),
    population: int | None = None,
) -> tuple[Array, Array]:
    """After how many scores the mean is known to be above, and below, a threshold: when a gate may stop. Two of [...]

    Infinite where the sample does not decide it. Each direction errs in at most (1 - level) / 2 of all samples, at
    whatever time they stop; the bounds of `confidence_sequence` decide at the same time, up to their rounding.

    >>> above, below = decided_after(np.tile([1.0, 1.0, 1.0, 0.0], 75), 0.5, level=0.95)
    >>> float(above), float(below)
    (34.0, inf)
    """
    scaled, at = _scaled(sample, bounds, population), (threshold - bounds[0]) / (bounds[1] - bounds[0])
    alpha = (1 - level) / 2
    sides = ((scaled, at), (1 - scaled, 1 - at))
    above, below = (_first(_ruled_out(x, _bets(x, alpha), np.array(m), alpha, population)) for x, m in sides)
    return above, below


def _scaled(sample: Array, bounds: tuple[float, float], population: int | None) -> Array:
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


def _bets(x: Array, alpha: float) -> Array:
    """What is staked on each score, by the variance of those before it (waudbysmith2024). [..., time]

    One observation of 1/2 with a variance of 1/4 comes before the first.
    """
    n = np.arange(1, x.shape[-1] + 1)
    mean = (0.5 + np.cumsum(x, axis=-1)) / (n + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (n + 1)
    before = np.concatenate([np.full((*x.shape[:-1], 1), 0.25), variance[..., :-1]], axis=-1)
    return np.asarray(np.sqrt(2 * np.log(1 / alpha) / (before * n * np.log1p(n))))


def _ruled_out(x: Array, bets: Array, m: Array, alpha: float, population: int | None) -> Bools:
    """Whether a mean of m is too low after each score, by the capital of those who bet above it. [..., time]

    Without replacement the scores that are left have the mean that m leaves them, and less than was seen cannot be.
    """
    mean = m[..., None]
    impossible = mean < 0
    if population is not None:
        seen = np.cumsum(x, axis=-1)
        impossible = mean < seen / population - _ROUNDING
        mean = (population * mean - seen + x) / (population - np.arange(x.shape[-1]))
    return np.asarray((_capital(x, bets, np.maximum(mean, 0.0)) >= 1 / alpha) | impossible)


def _capital(x: Array, bets: Array, mean: Array) -> Array:
    """What bets on scores above a mean have become, of a capital of 1 that all bettors share alike. [..., time]"""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gain = np.nan_to_num(x / mean - 1, nan=0.0, posinf=_SURE)  # of a capital that is staked in whole
    stakes: tuple[Array | float, ...] = (np.minimum(bets * mean, _MOST_BY_VARIANCE), *_STAKES)
    logs = (np.cumsum(np.log1p(stake * gain), axis=-1) for stake in stakes)
    return np.asarray(sum(np.exp(np.minimum(log, _LARGEST)) for log in logs) / len(stakes))


def _first(ruled_out: Bools) -> Array:
    """The first time, counted from 1; infinite where there is none. [...]"""
    return np.where(ruled_out.any(-1), ruled_out.argmax(-1) + 1.0, np.inf)


def _lower_bounds(x: Array, alpha: float, population: int | None) -> Array:
    """The largest mean ruled out as too low by each time: those below are, too. [..., time]

    The bound that is reached in the end is found by halving; up to it, means on a grid say when each was ruled out,
    and between two of them the lower one is the bound.
    """
    bets = _bets(x, alpha)
    low, high = np.zeros(x.shape[:-1]), np.ones(x.shape[:-1])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        out = _ruled_out(x, bets, middle, alpha, population).any(-1)
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    bound = np.zeros(x.shape)
    for share in np.arange(1, _GRID + 1) / _GRID:
        since = _ruled_out(x, bets, low * share, alpha, population)
        _raise(bound, np.asarray(since.any(-1)), np.asarray(since.argmax(-1)), low * share)
    bound = np.maximum.accumulate(bound, axis=-1)
    return bound if population is None else np.maximum(bound, np.cumsum(x, axis=-1) / population)


def _raise(bound: Array, known: Bools, time: Index, to: Array) -> None:
    """Raise the bound at one time of each stream, in place; later times follow."""
    at = time[..., None]
    now = np.take_along_axis(bound, at, axis=-1)
    np.put_along_axis(bound, at, np.where(known[..., None], np.maximum(now, to[..., None]), now), axis=-1)
