"""The values of measures on a whole population of documents, by quadrature.

A pair of score distributions enters through one curve, the share of non-relevant documents (fallout) above every
share of relevant ones (recall), so that every value here is the same for all scores that rank alike. An integral over
relevant documents is a sum over the nodes of a quadrature, along recall or, by another way, along scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.stats.score_models import Pair

Axis = Literal["recall", "score"]

_NODES = 12  # of every panel of a quadrature, enough for what changes slowly from one document to the next
_FEWEST, _PANELS = 4, 200  # nodes of a panel where there are many, and how many panels are not
_WHOLE = 1 - 2.0**-50  # a share as near to 1 as logarithms of the rest allow
_TOP, _END = 110, 50  # panels towards recall 0 and 1, each half as wide as the one before


@dataclass(frozen=True, slots=True)
class Quadrature:
    """Nodes and weights over relevant documents: the mean of f over them is the sum of weight x f."""

    recall: Array  # [node]: the share of relevant documents above the node
    fallout: Array  # [node]: the share of non-relevant documents above it
    weight: Array  # [node]: adds up to 1

    def mean(self, value: Array) -> float:
        """Average over relevant documents."""
        return float(self.weight @ value)


def quadrature(pair: Pair, axis: Axis = "recall", *, nodes: int = _NODES) -> Quadrature:
    """Lay nodes over the relevant documents, in panels that end where a density is not smooth.

    Along recall, nodes are quantiles of the relevant scores, and densities are not needed; along scores, every node
    weighs as much as the density says. The two share no step but the panels' ends.
    """
    ends, breaks = _panels(pair)
    node, weight = unit_panel(max(_FEWEST, nodes * _PANELS // max(_PANELS, ends.size)))
    if axis == "recall":
        width = np.diff(ends)[:, None]
        recall = np.minimum((ends[:-1, None] + width * node).ravel(), _WHOLE)
        score, mass = pair.relevant.threshold(recall), (width * weight).ravel()
    else:
        at = pair.relevant.threshold(ends[ends > 0])
        at = np.unique(np.concatenate((at[np.isfinite(at)], breaks)))
        width = np.diff(at)[:, None]
        score = (at[:-1, None] + width * node).ravel()
        recall, mass = pair.relevant.survival(score), (width * weight).ravel() * pair.relevant.density(score)
    here = (mass > 0) & (recall > 0)
    fallout = pair.nonrelevant.survival(score[here])
    return Quadrature(np.minimum(recall[here], _WHOLE), np.minimum(fallout, _WHOLE), mass[here])


@cache
def unit_panel(nodes: int = _NODES) -> tuple[Array, Array]:
    """Nodes and weights of a panel from 0 to 1 (Gauss and Legendre)."""
    node, weight = special.roots_legendre(nodes)
    return (node + 1) / 2, weight / 2


def halved_panels() -> Array:
    """Ends of panels from 0 to 1 that halve towards both ends."""
    top, end = 0.5 ** np.arange(_TOP, 0, -1), 1 - 0.5 ** np.arange(2, _END + 1)
    return np.concatenate(([0.0], top, end, [1.0]))


def _panels(pair: Pair) -> tuple[Array, Array]:
    """Cut recall where it halves, and at the breaks of either distribution; and the scores of these breaks."""
    breaks = np.concatenate((pair.relevant.breaks, pair.nonrelevant.breaks))
    return np.unique(np.concatenate((halved_panels(), pair.relevant.survival(breaks)))), breaks


@dataclass(frozen=True, slots=True)
class DocumentPopulation:
    """A population of documents: how a run scores them on a topic, and how many are relevant."""

    pair: Pair
    generality: float  # the share of all documents that is relevant

    def __post_init__(self) -> None:
        """Refuse a population in which nothing, or everything, is relevant."""
        if not 0 < self.generality < 1:
            extreme = (
                "nothing is relevant" if self.generality == 0 else "everything is relevant: every precision is 1"
            )
            why = f" ({extreme})" if self.generality in (0, 1) else ""
            raise UsageError(f"generality {self.generality:g} is not a share between 0 and 1{why}; give one as 1e-5")

    @classmethod
    def of(cls, pair: Pair, n_relevant: float, n_nonrelevant: float) -> DocumentPopulation:
        """The population of which these numbers of documents are a sample in true proportion."""
        if n_relevant + n_nonrelevant <= 0:
            raise UsageError("no documents at all: give a number of relevant and of non-relevant ones")
        return cls(pair, n_relevant / (n_relevant + n_nonrelevant))

    @property
    def odds(self) -> float:
        """Non-relevant documents for every relevant one."""
        return (1 - self.generality) / self.generality

    def recall(self, score: ArrayLike) -> Array:
        """The share of relevant documents above a threshold (the paper's F_R)."""
        return self.pair.relevant.survival(score)

    def fallout(self, score: ArrayLike) -> Array:
        """The share of non-relevant documents above a threshold (F_N)."""
        return self.pair.nonrelevant.survival(score)

    def precision(self, score: ArrayLike) -> Array:
        """The share of what is above a threshold that is relevant (H); NaN where nothing is above."""
        return precision(self.recall(score), self.fallout(score), self.odds)

    def retrieved(self, score: ArrayLike) -> Array:
        """The share of all documents above a threshold."""
        return self.generality * self.recall(score) + (1 - self.generality) * self.fallout(score)

    def precision_at_recall(self, recall: ArrayLike) -> Array:
        """Precision where this share of the relevant documents has been seen."""
        return precision(np.asarray(recall, dtype=np.float64), self.pair.curve(recall), self.odds)

    def threshold(self, share: float) -> float:
        """The score above which this share of all documents lies; of a gap between documents its upper end.

        The precision above it is the population's P@pN: the same all over a gap, where no density is needed.
        """
        if not 0 < share < 1:
            raise UsageError(f"a share of {share:g} of all documents is not between 0 and 1")
        parts = [
            side.threshold(at) for side in (self.pair.relevant, self.pair.nonrelevant) for at in (share, 1 - 1e-15)
        ]
        parts += [side.threshold(share * 1e-9) for side in (self.pair.relevant, self.pair.nonrelevant)]
        known = np.array([float(part) for part in parts if np.isfinite(part)])
        low, high = known.min() - 1, known.max()
        while low < (middle := (low + high) / 2) < high:
            low, high = (middle, high) if self.retrieved(middle) > share else (low, middle)
        return float(high)

    def precision_at_share(self, share: float) -> float:
        """Precision of the best documents, as many as this share of all: P@pN."""
        return float(self.precision(self.threshold(share)))

    def average_precision(self, axis: Axis = "recall") -> float:
        """J, the mean over relevant documents of the precision above each: what AP estimates."""
        return self.mean(lambda u, x: precision(u, x, self.odds), axis)

    def log_precision(self, axis: Axis = "recall") -> float:
        """L, the mean over relevant documents of -ln of the precision above each: what is left of nDCG."""
        return self.mean(lambda u, x: np.log1p(self.odds * x / u), axis)

    def pairwise_error(self, axis: Axis = "recall") -> float:
        """The chance that a non-relevant document scores above a relevant one: 1 less the area under the ROC."""
        return self.mean(lambda _, x: x, axis)

    def power_discount(self, a: float, axis: Axis = "recall") -> float:
        """The limit of an nDCG whose discount is rank^-a, 0 < a < 1: unlike that of a logarithm it is not 1."""
        if not 0 < a < 1:
            raise UsageError(f"a discount rank^-{a:g} has no limit between 0 and 1; give a power between 0 and 1")
        return (1 - a) * self.mean(lambda u, x: (u + self.odds * x) ** -a, axis)

    def mean(self, value: Callable[[Array, Array], Array], axis: Axis = "recall") -> float:
        """The mean over relevant documents of a function of the recall and fallout above each."""
        nodes = quadrature(self.pair, axis)
        return nodes.mean(value(nodes.recall, nodes.fallout))


def precision(recall: Array, fallout: Array, odds: float) -> Array:
    """Precision of what has this recall and fallout; NaN where nothing is retrieved.

    >>> precision(np.array([0.5, 0.0]), np.array([0.005, 0.0]), 100.0)
    array([0.5, nan])
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(recall / (recall + odds * fallout))
