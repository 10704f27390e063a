"""Which topics the reference and another judge both scored, and which the other judge alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.sides import ALL_PAIRS
from assay.scoring.scores import Scores


@dataclass(frozen=True, slots=True)
class Overlap:
    """The scores of the same runs by the reference and by one judge, under one measure; higher is better."""

    judge: str
    condition: int
    of: Scores  # the reference's, which name measure, runs and topics
    reference: str
    human: Array  # [run, topic] the reference's, NaN where it says nothing
    model: Array  # [run, topic]

    @property
    def measure(self) -> str:
        """Its name."""
        return self.of.conditions[self.condition]

    @property
    def name(self) -> tuple[str, str, str]:
        """How its rows begin: judge, reference, measure."""
        return self.judge, self.reference, self.measure

    @property
    def judged(self) -> Bools:
        """Topics of which both have scores. [topic]"""
        return np.asarray((~np.isnan(self.human) & ~np.isnan(self.model)).any(0))

    @property
    def extra(self) -> Bools:
        """Topics of which the judge alone has scores. [topic]"""
        return np.asarray(np.isnan(self.human).all(0) & (~np.isnan(self.model)).any(0))

    @property
    def of_reference_alone(self) -> Bools:
        """Topics of which the reference alone has scores. [topic]"""
        return np.asarray(np.isnan(self.model).all(0) & (~np.isnan(self.human)).any(0))

    @property
    def sign(self) -> float:
        """What turns differences back to the measure's own direction."""
        return -1.0 if self.of.lower_of(self.condition) else 1.0

    def back(self, x: Array) -> Array:
        """Turn means on the scale of statistics back to the measure's own."""
        turned = self.sign * x
        return np.asarray(np.exp(turned)) if self.of.average_of(self.condition) == "geometric" else turned

    def pairs(self) -> tuple[Index, Index]:
        """The pairs of runs that are looked at.

        All pairs of few runs; of many, in the reference's order, the best with each of the others and every run with
        the next.
        """
        return pairs_of(self.human)

    def spread_pairs(self, most: int = 2000) -> tuple[Index, Index]:
        """All pairs of runs; of very many, some that are spread evenly over them."""
        first, second = np.triu_indices(len(self.of.runs), 1)
        at = np.unique(np.linspace(0, first.size - 1, min(most, first.size)).round().astype(np.int64))
        return first[at], second[at]


def overlaps(judges: Judges) -> Iterator[Overlap]:
    """Every judge but the reference, under every measure of which both have scores."""
    if not judges.scores:
        return
    of = judges.scores[0]
    for condition in range(len(of.conditions)):
        value = judges.values(condition)
        for name, model in zip(judges.names[1:], value[1:], strict=True):
            if not (np.isnan(value[0]).all() or np.isnan(model).all()):
                yield Overlap(name, condition, of, judges.reference, value[0], model)


def pairs_of(scores: Array) -> tuple[Index, Index]:
    """All pairs of few runs; of many, the best with each other and each with the next. `scores` is [run, topic]"""
    n = len(scores)
    if n <= ALL_PAIRS:
        first, second = np.triu_indices(n, 1)
        return first, second
    order = np.argsort(-_means(scores), kind="stable")  # NaN last
    best = np.full(n - 1, order[0])
    return np.concatenate([best, order[1:-1]]), np.concatenate([order[1:], order[2:]])


def _means(x: Array) -> Array:
    """The mean over the topics that are there. [run]"""
    n = (~np.isnan(x)).sum(-1)
    return np.divide(np.nansum(x, axis=-1), n, out=np.full(n.shape, np.nan), where=n > 0)
