"""Score distributions: how a run scores relevant and non-relevant documents, each drawn from a population.

Only the order of scores matters to a ranking, so that what follows from a pair of distributions is the same for every
pair that a strictly increasing function makes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from assay.core.arrays import Array
from assay.core.errors import UsageError


class Distribution(Protocol):
    """A continuous distribution of scores; every method takes any array, and gives one of its shape."""

    def survival(self, score: ArrayLike) -> Array:
        """The share of documents that score above."""

    def density(self, score: ArrayLike) -> Array:
        """How densely documents lie at a score."""

    def threshold(self, share: ArrayLike) -> Array:
        """The score that this share of documents scores above: the inverse of `survival`."""

    @property
    def breaks(self) -> Array:
        """The scores at which the density is not smooth, where an integral is best cut."""


@dataclass(frozen=True, slots=True)
class Normal:
    """A normal distribution.

    >>> float(Normal(1.0, 0.25).survival(1.0))
    0.5
    """

    mean: float
    sd: float

    def __post_init__(self) -> None:
        """Refuse a spread that is none."""
        _positive(self.sd, "the standard deviation of a normal distribution")

    def survival(self, score: ArrayLike) -> Array:
        """The share of documents that score above."""
        return np.asarray(special.ndtr((self.mean - np.asarray(score)) / self.sd))

    def density(self, score: ArrayLike) -> Array:
        """How densely documents lie at a score."""
        z = (np.asarray(score) - self.mean) / self.sd
        return np.asarray(np.exp(-z * z / 2) / (self.sd * np.sqrt(2 * np.pi)))

    def threshold(self, share: ArrayLike) -> Array:
        """The score that this share of documents scores above."""
        return np.asarray(self.mean - self.sd * special.ndtri(share))

    @property
    def breaks(self) -> Array:
        """None: it is smooth."""
        return np.empty(0)


@dataclass(frozen=True, slots=True)
class Exponential:
    """An exponential distribution, which begins at 0.

    >>> round(float(Exponential(0.1).survival(0.1)), 6)
    0.367879
    """

    mean: float

    def __post_init__(self) -> None:
        """Refuse a mean that is none."""
        _positive(self.mean, "the mean of an exponential distribution")

    def survival(self, score: ArrayLike) -> Array:
        """The share of documents that score above."""
        return np.asarray(np.exp(-np.maximum(score, 0.0) / self.mean))

    def density(self, score: ArrayLike) -> Array:
        """How densely documents lie at a score."""
        return np.where(np.asarray(score) < 0, 0.0, self.survival(score) / self.mean)

    def threshold(self, share: ArrayLike) -> Array:
        """The score that this share of documents scores above."""
        with np.errstate(divide="ignore"):
            return np.asarray(-self.mean * np.log(share))

    @property
    def breaks(self) -> Array:
        """Where it begins."""
        return np.zeros(1)


@dataclass(frozen=True, slots=True)
class Gamma:
    """A gamma distribution, which begins at 0; with shape 1 an exponential one.

    >>> round(float(Gamma(1.0, 0.1).survival(0.1)), 6)
    0.367879
    """

    shape: float
    scale: float

    def __post_init__(self) -> None:
        """Refuse a shape or scale that is none."""
        _positive(self.shape, "the shape of a gamma distribution")
        _positive(self.scale, "the scale of a gamma distribution")

    def survival(self, score: ArrayLike) -> Array:
        """The share of documents that score above."""
        return np.asarray(special.gammaincc(self.shape, np.maximum(score, 0.0) / self.scale))

    def density(self, score: ArrayLike) -> Array:
        """How densely documents lie at a score."""
        x = np.maximum(score, 0.0) / self.scale
        log = special.xlogy(self.shape - 1, x) - x - special.gammaln(self.shape)
        return np.where(np.asarray(score) < 0, 0.0, np.exp(log) / self.scale)

    def threshold(self, share: ArrayLike) -> Array:
        """The score that this share of documents scores above."""
        return np.asarray(self.scale * special.gammainccinv(self.shape, share))

    @property
    def breaks(self) -> Array:
        """Where it begins."""
        return np.zeros(1)


@dataclass(frozen=True, slots=True, eq=False)
class Tabulated:
    """A distribution whose shares above some scores are known, documents lying evenly between these scores.

    >>> float(Tabulated(np.array([1.0, 2.0]), np.array([1.0, 0.0])).survival(1.25))
    0.75
    """

    score: Array  # [knot], increasing
    above: Array  # [knot]: the share of documents that score above, from 1 down to 0

    def __post_init__(self) -> None:
        """Refuse knots out of order, and a share of documents at one score: it has no density."""
        if self.score.size < 2 or self.score.shape != self.above.shape or not np.isfinite(self.score).all():
            raise UsageError("a tabulated distribution needs two scores or more, and the share above each")
        if not (np.diff(self.score) > 0).all():
            raise UsageError("the scores of a tabulated distribution must increase; equal ones would have no density")
        if self.above[0] != 1 or self.above[-1] != 0 or not (np.diff(self.above) <= 0).all():
            raise UsageError("the shares above the scores of a tabulated distribution must fall from 1 to 0")

    def survival(self, score: ArrayLike) -> Array:
        """The share of documents that score above."""
        return np.interp(np.asarray(score, dtype=np.float64), self.score, self.above)

    def density(self, score: ArrayLike) -> Array:
        """How densely documents lie at a score."""
        step = -np.diff(self.above) / np.diff(self.score)
        which = np.searchsorted(self.score, score, side="right")
        return np.concatenate(([0.0], step, [0.0]))[which]

    def threshold(self, share: ArrayLike) -> Array:
        """The score that this share of documents scores above; of a gap between documents its upper end."""
        wanted, above = np.asarray(share, dtype=np.float64), self.above[::-1]
        at = np.clip(np.searchsorted(above, wanted, side="left"), 1, above.size - 1)
        low, high = above[at - 1], above[at]
        with np.errstate(invalid="ignore", divide="ignore"):
            part = np.where(high > low, (wanted - low) / (high - low), 0.0)
        ends = self.score[::-1]
        return np.asarray(ends[at - 1] + part * (ends[at] - ends[at - 1]))

    @property
    def breaks(self) -> Array:
        """The scores that are known."""
        return self.score


@dataclass(frozen=True, slots=True, eq=False)
class Transformed:
    """Scores put through a strictly increasing function, given with its inverse and its derivative."""

    base: Distribution
    forward: Callable[[Array], Array]
    inverse: Callable[[Array], Array]
    slope: Callable[[Array], Array]  # the derivative of `forward`

    def survival(self, score: ArrayLike) -> Array:
        """The share of documents that score above."""
        return self.base.survival(self.inverse(np.asarray(score, dtype=np.float64)))

    def density(self, score: ArrayLike) -> Array:
        """How densely documents lie at a score."""
        before = self.inverse(np.asarray(score, dtype=np.float64))
        return self.base.density(before) / self.slope(before)

    def threshold(self, share: ArrayLike) -> Array:
        """The score that this share of documents scores above."""
        return self.forward(self.base.threshold(share))

    @property
    def breaks(self) -> Array:
        """Those of the scores as they were."""
        return self.forward(self.base.breaks)


@dataclass(frozen=True, slots=True)
class Pair:
    """How relevant documents score, and how non-relevant ones do."""

    relevant: Distribution
    nonrelevant: Distribution

    def curve(self, recall: ArrayLike) -> Array:
        """Fallout by recall: the share of non-relevant documents above a score that so many relevant ones exceed."""
        return self.nonrelevant.survival(self.relevant.threshold(recall))

    def transformed(
        self, forward: Callable[[Array], Array], inverse: Callable[[Array], Array], slope: Callable[[Array], Array]
    ) -> Pair:
        """Put all scores through one strictly increasing function, which leaves every ranking as it is."""
        return Pair(
            Transformed(self.relevant, forward, inverse, slope),
            Transformed(self.nonrelevant, forward, inverse, slope),
        )


def normal_exponential(mean: float = 1.0, sd: float = 0.25, *, nonrelevant_mean: float = 0.1) -> Pair:
    """Normal scores of relevant documents, exponential ones of the rest; as they stand, those of robertson2007.

    Above some score precision falls again, since the tail of a normal distribution is thinner than that of an
    exponential one: in the paper's pair above 1.535621, for one relevant document in 100,000.
    """
    return Pair(Normal(mean, sd), Exponential(nonrelevant_mean))


def normal_normal(
    mean: float = 1.0, sd: float = 0.25, *, nonrelevant_mean: float = 0.0, nonrelevant_sd: float | None = None
) -> Pair:
    """Normal scores of both kinds of documents, with equal variances unless another is given."""
    return Pair(Normal(mean, sd), Normal(nonrelevant_mean, sd if nonrelevant_sd is None else nonrelevant_sd))


def empirical(
    relevant: ArrayLike, nonrelevant: ArrayLike, *, n_relevant: int | None = None, n_nonrelevant: int | None = None
) -> Pair:
    """The pair that the scores of one run on one topic show, documents spread evenly between neighbouring scores.

    Documents beyond the run, as many as `n_relevant` and `n_nonrelevant` say there are more than scores, lie below
    all that were retrieved, in an order of chance. Documents with equal scores are spread evenly, too.
    """
    scores = [np.sort(np.asarray(side, dtype=np.float64).ravel()) for side in (relevant, nonrelevant)]
    totals = [n_relevant or scores[0].size, n_nonrelevant or scores[1].size]
    for name, side, total in zip(("relevant", "non-relevant"), scores, totals, strict=True):
        if total < 1 or not np.isfinite(side).all():
            raise UsageError(f"{name} documents: {total} of them, {side.size} scores; give at least one, all finite")
        if total < side.size:
            raise UsageError(f"{side.size} scores of {name} documents, but only {total} of them")
    edges = _between(np.unique(np.concatenate(scores)))
    return Pair(*(_spread(side, total, edges) for side, total in zip(scores, totals, strict=True)))


def _between(scores: Array) -> Array:
    """Part neighbouring scores in the middle; the ends lie as far out, and a last step below is for the rest."""
    if scores.size < 2:
        low = scores[0] if scores.size else 0.0
        return np.array([low - 1.5, low - 0.5, low + 0.5])
    gaps = np.diff(scores) / 2
    edges = np.concatenate(([scores[0] - gaps[0]], scores[:-1] + gaps, [scores[-1] + gaps[-1]]))
    return np.concatenate(([edges[0] - max(1.0, abs(edges[0]))], edges))


def _spread(scores: Array, total: int, edges: Array) -> Tabulated:
    """Count what lies above every edge."""
    above = (scores.size - np.searchsorted(scores, edges)) / total
    above[0] = 1.0
    return Tabulated(edges, above)


def _positive(value: float, what: str) -> None:
    if not (np.isfinite(value) and value > 0):
        raise UsageError(f"{what} is {value:g}; it must be above 0")
