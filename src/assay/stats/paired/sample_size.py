"""How many topics a comparison takes, and what a number of topics can show: exact, from the noncentral t and F.

Three designs (sakai2016, after Nagata): a paired t test that finds a stated difference, an analysis of variance of m
systems that finds a stated range between the best and the worst, and an interval of a mean, or mean difference, that
is no wider than stated. All of them take a deviation, of which one is known or estimated from a pilot.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import Array, Bools, Index
from assay.core.thresholds import Threshold

TARGET_POWER = Threshold(
    "target_power",
    0.8,
    unit="probability",
    meaning="chance of a significant difference, if it is real, that a number of topics is to give",
)
_MOST = 10_000_000  # topics: more is never
_FAR = 25.0  # noncentrality of t beyond which only the error of the deviation matters
_FAR_F = 1e4  # and of F
_HALVINGS = 60  # of a bracket, to the last digits
_ENDLESS = 1e100  # deviations


def paired_topics(sd: ArrayLike, difference: ArrayLike, *, alpha: float, power: float) -> Array:
    """The fewest topics at which a two-sided paired t test is significant with probability `power`. [...]

    For a true mean difference whose deviation over topics is `sd`; infinite where there is no difference, 2 where it
    does not vary, NaN where the deviation is not known.

    >>> paired_topics(1.0, [0.5, 0.2, 0.0], alpha=0.05, power=0.8)  # as in any table of sample sizes
    array([ 34., 199.,  inf])
    """
    effect = _effect(sd, difference)
    guess = normal_topics(effect, alpha=alpha, power=power)
    return _fewest(lambda at, n: paired_power(effect.flat[at], n, alpha=alpha) >= power, guess)


def normal_topics(effect: Array, *, alpha: float, power: float) -> Array:
    """About as many topics as `paired_topics`, as a smooth function of the effect, in deviations. [...]

    >>> normal_topics(np.array([0.5, 0.2]), alpha=0.05, power=0.8).round(1)
    array([ 33.3, 198.1])
    """
    from scipy.special import ndtri

    z = float(ndtri(1 - alpha / 2))
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(((z + float(ndtri(power))) / effect) ** 2 + z**2 / 2)


def topics_for(effect: float, alpha: float) -> float:
    """The topics by which a difference is significant with the target power; `effect` is it over its deviation.

    >>> topics_for(0.5, 0.05)
    34.0
    """
    return float(paired_topics(1.0, effect, alpha=alpha, power=TARGET_POWER.value))


def topics_for_variance(variance: float, difference: float, alpha: float) -> int | None:
    """The topics that a difference of this variance needs; none where nothing varies, or beyond all that there are.

    >>> topics_for_variance(0.04, 0.1, 0.05), topics_for_variance(0.0, 0.1, 0.05)
    (34, None)
    """
    needed = topics_for(difference / np.sqrt(variance), alpha) if variance > 0 else np.inf
    return int(needed) if np.isfinite(needed) else None


def paired_power(effect: Array, n_topics: Index, *, alpha: float) -> Array:
    """The probability that a two-sided paired t test is significant; `effect` is in deviations of the difference."""
    from scipy.special import chdtr, nctdtr, stdtrit

    dof = np.maximum(n_topics - 1, 1)
    far = stdtrit(dof, 1 - alpha / 2)
    centre = effect * np.sqrt(n_topics)
    near = np.minimum(centre, 30.0)  # beyond, the series does not converge
    wrong = np.nan_to_num(nctdtr(dof, near, -far), nan=0.0)  # scipy has no number of a far tail below 1e-9
    either = 1 - nctdtr(dof, near, far) + wrong
    return np.where(n_topics < 2, 0.0, np.where(centre > _FAR, chdtr(dof, dof * (centre / far) ** 2), either))


def detectable_difference(sd: ArrayLike, n: ArrayLike, *, alpha: float, power: float) -> Array:
    """The smallest difference that a two-sided paired t test on n topics finds with probability `power`. [...]

    Infinite below two topics, 0 where the difference does not vary.

    >>> detectable_difference(0.2, [25, 100, 400], alpha=0.05, power=0.8).round(4)
    array([0.1168, 0.0566, 0.0281])
    """
    deviation, topics = np.broadcast_arrays(np.asarray(sd, dtype=np.float64), np.asarray(n, dtype=np.int64))
    enough = topics >= 2
    sizes, which = np.unique(np.maximum(topics, 2), return_inverse=True)
    effect = _root(lambda e: paired_power(e, sizes, alpha=alpha) >= power, sizes.shape)[which.reshape(topics.shape)]
    return np.where(enough, effect * deviation, np.inf)


def interval_topics(sd: ArrayLike, width: ArrayLike, *, level: float) -> Array:
    """The fewest topics whose t interval is expected to be no wider than `width`, from end to end. [...]

    For a mean, or a mean difference, whose deviation over topics is `sd`. Infinite where no width is allowed, 2 where
    nothing varies.

    >>> interval_topics(0.2, [0.1, 0.05], level=0.95)
    array([ 64., 248.])
    """
    from scipy.special import ndtri

    allowed = _effect(sd, width)
    with np.errstate(divide="ignore", over="ignore"):
        guess = (2 * float(ndtri((1 + level) / 2)) / allowed) ** 2
    return _fewest(lambda at, n: interval_width(1.0, n, level=level) <= allowed.flat[at], guess)


def interval_width(sd: ArrayLike, n: ArrayLike, *, level: float) -> Array:
    """How wide a t interval of a mean over n topics is expected to be, from end to end. [...]

    The deviation in a sample is a little smaller than `sd` on average, by a factor of gamma functions. Infinite below
    two topics.
    """
    from scipy.special import gammaln, stdtrit

    topics = np.asarray(n, dtype=np.float64)
    dof = np.maximum(topics - 1, 1)
    expected = np.sqrt(2 / dof) * np.exp(gammaln((dof + 1) / 2) - gammaln(dof / 2))
    half = stdtrit(dof, (1 + level) / 2) * expected * np.asarray(sd, dtype=np.float64) / np.sqrt(dof + 1)
    return np.where(topics >= 2, 2 * half, np.inf)


def anova_topics(
    n_systems: ArrayLike,
    sd: ArrayLike,
    difference: ArrayLike,
    *,
    alpha: float,
    power: float,
    same_topics: bool = True,
) -> Array:
    """The fewest topics at which an F test finds that m systems differ, with probability `power`. [...]

    `difference` is that between the best and the worst; the others lie midway, where the test has the least power.
    With `same_topics` every system has every topic (two-way, without replication; `sd` is that of a score about what
    its system and its topic explain); else each system has that many topics of its own (one-way; `sd` is that within
    a system). Infinite where there is no difference, 2 where nothing varies, NaN where the deviation is not known.

    >>> anova_topics([2, 5, 10], 0.1, 0.05, alpha=0.05, power=0.8)
    array([ 65.,  97., 127.])
    """
    from scipy.special import chdtri, chndtrinc

    systems, effect = np.broadcast_arrays(np.asarray(n_systems, dtype=np.int64), _effect(sd, difference))
    between = systems - 1
    with np.errstate(divide="ignore", over="ignore"):
        guess = 2 * chndtrinc(chdtri(between, alpha), between, 1 - power) / effect**2
    return _fewest(
        lambda at, n: (
            anova_power(systems.flat[at], effect.flat[at], n, alpha=alpha, same_topics=same_topics) >= power
        ),
        guess,
    )


def anova_difference(
    n_systems: ArrayLike, sd: ArrayLike, n: ArrayLike, *, alpha: float, power: float, same_topics: bool = True
) -> Array:
    """The smallest difference of best and worst at which an F test on n topics finds that m systems differ. [...]

    As `anova_topics` takes its settings; infinite below two topics.

    >>> anova_difference(5, 0.1, [25, 97], alpha=0.05, power=0.8).round(3)
    array([0.1 , 0.05])
    """
    systems, deviation, topics = np.broadcast_arrays(
        np.asarray(n_systems, dtype=np.int64), np.asarray(sd, dtype=np.float64), np.asarray(n, dtype=np.int64)
    )
    sizes = np.maximum(topics, 2)
    effect = _root(
        lambda e: anova_power(systems, e, sizes, alpha=alpha, same_topics=same_topics) >= power, sizes.shape
    )
    return np.where(topics >= 2, effect * deviation, np.inf)


def anova_power(n_systems: Array, effect: Array, n_topics: Index, *, alpha: float, same_topics: bool) -> Array:
    """The probability that an F test finds that systems differ; `effect` is best less worst, in deviations."""
    from scipy.special import chdtr, fdtri, ncfdtr

    between = np.asarray(n_systems) - 1
    n = np.maximum(n_topics, 2)
    within = (n - 1) * (between if same_topics else between + 1)
    centre, far = n * effect**2 / 2, fdtri(between, within, 1 - alpha)
    beyond = 1 - ncfdtr(between, within, np.minimum(centre, _FAR_F), far)
    sure = chdtr(within, within * centre / (between * far))
    return np.where(n_topics < 2, 0.0, np.where(centre > _FAR_F, sure, beyond))


def _effect(sd: ArrayLike, difference: ArrayLike) -> Array:
    """A difference in deviations: endless where nothing varies, 0 where there is none, NaN where it is not known."""
    deviation, size = np.broadcast_arrays(
        np.asarray(sd, dtype=np.float64), np.abs(np.asarray(difference, dtype=float))
    )
    with np.errstate(over="ignore"):
        effect = np.divide(size, deviation, out=np.full(size.shape, _ENDLESS), where=deviation > 0)
    effect = np.minimum(effect, _ENDLESS)  # so that its square is a number
    return np.where(np.isnan(deviation), np.nan, np.where(size == 0, 0.0, effect))


def _fewest(enough: Callable[[Index, Index], Bools], guess: Array) -> Array:
    """The smallest number of topics, 2 or more, that is enough; `enough` is asked about some cells at a time. [...]

    Searched from a guess that is close: up while too few, then down while one fewer is enough.
    """
    start = np.ravel(guess)
    needed = np.where(np.isnan(start), np.nan, np.inf)
    possible = np.flatnonzero(start <= _MOST)
    fewest = np.maximum(np.ceil(start[possible]), 2).astype(np.int64)
    for step in (1, -1):
        moving = np.arange(possible.size)
        while moving.size:
            at = fewest[moving] if step > 0 else fewest[moving] - 1
            good = (at > 1) & enough(possible[moving], at)
            moving = moving[good if step < 0 else ~good]
            fewest[moving] += step
    needed[possible] = fewest
    return needed.reshape(np.shape(guess))


def _root(enough: Callable[[Array], Bools], shape: tuple[int, ...]) -> Array:
    """The smallest number above 0 that is enough, where any larger one is, too. [...]"""
    high = np.ones(shape)
    while not (good := enough(high)).all():
        high = np.where(good, high, 2 * high)
    low = np.zeros(shape)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        good = enough(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return high
