"""Score distributions fitted to a run: which pair of forms its scores of relevant and other documents have.

Parameters are those of maximum likelihood. A topic's scores are measured from a zero that lies one average gap below
the lowest score of its list: exponential and gamma distributions begin there, and what an exponential one lost by the
end of the list it does not miss. What a fit says of a document is its chance of being relevant, given its score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from scipy import special

from assay.analyses.population.model import Name
from assay.core.arrays import Array, Bools
from assay.stats.score_models import Distribution, Exponential, Gamma, Normal, Pair

FORMS = tuple(name for name in get_args(Name) if name != "empirical")
"""The pairs that are fitted: of relevant documents, and of the others."""

_NEWTON = 50  # steps towards the shape of a gamma distribution, more than it ever takes
_ALIKE = 1e-6  # by which share gaps between scores may differ and still be the same; files round
_GRID = 2000  # scores that are looked at for a chance


@dataclass(frozen=True, slots=True)
class TopicScores:
    """The scores of one list, and which documents are relevant."""

    score: Array  # [document], best first
    relevant: Bools  # [document]

    @property
    def zero(self) -> float:
        """Where exponential and gamma distributions begin: an average gap below the lowest score."""
        low, high = float(self.score.min()), float(self.score.max())
        return low - (high - low) / max(self.score.size - 1, 1)

    @property
    def fittable(self) -> bool:
        """Whether there are two different scores or more of relevant documents, and of others."""
        return all(np.unique(self.score[side]).size > 1 for side in (self.relevant, ~self.relevant))

    @property
    def by_rank(self) -> bool:
        """Whether the rank alone decides the scores: but for ties they, or their reciprocals, are evenly spaced."""
        return _evenly_spaced(self.score) or bool((self.score > 0).all() and _evenly_spaced(1 / self.score))

    @property
    def share(self) -> float:
        """The share of the documents that is relevant."""
        return float(self.relevant.mean())

    def half(self, which: int) -> TopicScores:
        """Every other relevant document, and every other one of the rest."""
        place = np.where(self.relevant, np.cumsum(self.relevant), np.cumsum(~self.relevant))
        own = place % 2 == which
        return TopicScores(self.score[own], self.relevant[own])


def _evenly_spaced(x: Array) -> bool:
    """Whether all gaps between neighbours are alike, where there are any two.

    >>> [_evenly_spaced(np.array(x)) for x in ([3.0, 2.0, 2.0, 1.0], [3.0, 2.0, 0.5])]
    [True, False]
    """
    gaps = np.abs(np.diff(x))
    gaps = gaps[gaps > 0]
    return gaps.size > 1 and float(gaps.max() - gaps.min()) <= _ALIKE * float(gaps.max())


def together(lists: Sequence[TopicScores]) -> TopicScores:
    """Throw the scores of several lists together, as if they were comparable."""
    return TopicScores(np.concatenate([x.score for x in lists]), np.concatenate([x.relevant for x in lists]))


@dataclass(frozen=True, slots=True)
class ScoreFit:
    """A pair of distributions fitted to the scores of a list."""

    form: str
    pair: Pair
    zero: float
    share: float  # of relevant documents
    log_likelihood: float
    n_parameters: int

    @property
    def aic(self) -> float:
        """Akaike's criterion; the lower, the better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    def posterior(self, score: Array) -> Array:
        """The chance that a document with a score is relevant; the share of all where neither form has a density."""
        shifted = score - self.zero
        own, other = (side.density(shifted) for side in (self.pair.relevant, self.pair.nonrelevant))
        return relevance(own, other, self.share)

    def score_at(self, probability: float, low: float, high: float) -> float:
        """The lowest score, between two, from which on a document is as likely relevant; NaN where none is."""
        grid = np.linspace(low, high, _GRID)
        likely = np.flatnonzero(self.posterior(grid) >= probability)
        return float(grid[likely[0]]) if likely.size else np.nan


def relevance(own: Array, other: Array, share: float) -> Array:
    """The chance of relevance where relevant documents lie this densely, and others that.

    >>> relevance(np.array([1.0, 0.0]), np.array([1.0, 0.0]), 0.25).tolist()
    [0.25, 0.25]
    """
    both = share * own + (1 - share) * other
    return np.divide(share * own, both, out=np.full(both.shape, share), where=both > 0)


def fit(scores: TopicScores, form: str) -> ScoreFit:
    """Fit a pair to a list by maximum likelihood."""
    zero = scores.zero
    sides = zip(form.split("-"), (scores.relevant, ~scores.relevant), strict=True)
    fits = [_FITS[kind](scores.score[side] - zero) for kind, side in sides]
    pair = Pair(*(one for one, _, _ in fits))
    return ScoreFit(form, pair, zero, scores.share, sum(one[1] for one in fits), sum(one[2] for one in fits))


Fitted = tuple[Distribution, float, int]  # the distribution, its log likelihood, and how many parameters it has


def fit_normal(x: Array) -> Fitted:
    """The normal distribution of highest likelihood."""
    mean, sd = float(x.mean()), float(x.std())
    return Normal(mean, sd), -x.size / 2 * (np.log(2 * np.pi * sd**2) + 1), 2


def fit_exponential(x: Array) -> Fitted:
    """The exponential distribution of highest likelihood."""
    mean = float(x.mean())
    return Exponential(mean), -x.size * (np.log(mean) + 1), 1


def fit_gamma(x: Array) -> Fitted:
    """The gamma distribution of highest likelihood: Newton's steps in 1 / shape (Minka).

    >>> distribution, _, _ = fit_gamma(np.array([1.0, 2.0, 3.0, 4.0]))
    >>> round(distribution.shape * distribution.scale, 6)
    2.5
    """
    mean, log_mean = float(x.mean()), float(np.log(x).mean())
    away = np.log(mean) - log_mean
    shape = (3 - away + np.sqrt((away - 3) ** 2 + 24 * away)) / (12 * away)
    for _ in range(_NEWTON):
        step = (np.log(shape) - special.digamma(shape) - away) / (1 / shape - special.polygamma(1, shape))
        shape, before = 1 / (1 / shape + step / shape**2), shape
        if abs(shape - before) <= 1e-14 * shape:
            break
    scale = mean / shape
    log_density = (shape - 1) * log_mean - mean / scale - shape * np.log(scale) - special.gammaln(shape)
    return Gamma(float(shape), float(scale)), float(x.size * log_density), 2


_FITS: dict[str, Callable[[Array], Fitted]] = {
    "normal": fit_normal,
    "exponential": fit_exponential,
    "gamma": fit_gamma,
}


def ks_distance(distribution: Distribution, x: Array) -> float:
    """The largest difference between the share of documents below a score and what a distribution says (KS)."""
    below = 1 - distribution.survival(np.sort(x))
    steps = np.arange(x.size + 1) / x.size
    return float(max(np.abs(steps[1:] - below).max(), np.abs(steps[:-1] - below).max()))


def numbers_of(distribution: Distribution) -> str:
    """The numbers of a distribution, as --relevant and --nonrelevant take them."""
    if isinstance(distribution, Normal):
        return f"{distribution.mean:.6g},{distribution.sd:.6g}"
    if isinstance(distribution, Gamma):
        return f"{distribution.shape:.6g},{distribution.scale:.6g}"
    return f"{distribution.mean:.6g}" if isinstance(distribution, Exponential) else ""
