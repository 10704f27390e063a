"""Bounds of the blended ratio, which counts documents and gain together, when some documents have no grade."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.data.rankings import Rankings, ratio
from assay.measures.bounds.ratio import extremes_by_number
from assay.measures.unjudged import Bounds


@dataclass(frozen=True)
class Blend:
    """The Q-measure's sum, loosened so that only the number of newly relevant documents is left to choose.

    For each number the most takes their gain to be the highest in the list and the lowest in the ideal ranking,
    which is held above what the list has; the least takes the opposite. With one relevant gain both are exact.
    """

    j: Rankings
    rel: int
    beta: float
    value: Array  # the gain of each grade, 0 below rel

    @property
    def poor(self) -> int:
        """The relevant grade of least gain."""
        return max(self.rel, 0) + int(np.argmin(self.value[max(self.rel, 0) :]))

    @property
    def rich(self) -> int:
        """The grade of most gain."""
        return int(np.argmax(self.value))

    @property
    def exact(self) -> bool:
        """Whether nothing is lost by the loosening."""
        return self.beta == 0 or bool(self.value[self.poor] == self.value[self.rich])

    @cached_property
    def _gain(self) -> Array:
        return self.j.gain(self.value)

    def bounds(self) -> Bounds:
        """The least and the most over all numbers of newly relevant documents."""
        return extremes_by_number(self._least, self._most, self.j.open)

    def _most(self, rows: Index, new: Bools, paid: Index) -> Array:
        ideal, whole = self._ideal(rows, paid, self.poor)
        hit = self.j.hit(self.rel)[rows] | new
        gained = np.cumsum(self._gain[rows] + self.value[self.rich] * new, axis=-1)
        divisor = self.j.rank + self.beta * np.maximum(ideal, gained)
        blended = (np.cumsum(hit, axis=-1) + self.beta * gained) / divisor
        return np.nan_to_num(ratio((blended * hit).sum(-1), whole))

    def _least(self, rows: Index, new: Bools, paid: Index) -> Array:
        """Count every relevant document as of the least gain, and apart from that what the judged have above it.

        The first part is least where new documents stand lowest; of the second, each adds what stands above it,
        at least as much as the places do where that is smallest.
        """
        ideal, whole = self._ideal(rows, paid, self.rich)
        divisor = self.j.rank + self.beta * ideal
        hit, each = self.j.hit(self.rel)[rows], self.value[self.poor]
        above = self.beta * np.cumsum(self._gain[rows] - each * hit, axis=-1) / divisor
        count = np.cumsum(hit | new, axis=-1) * (1 + self.beta * each) / divisor
        smallest = np.sort(np.where(self.j.open[rows], above, np.inf), axis=-1)
        extra = np.where(self.j.rank <= new.sum(-1, keepdims=True), smallest, 0.0)
        return np.nan_to_num(ratio(((hit | new) * count + hit * above + extra).sum(-1), whole))

    def _ideal(self, rows: Index, paid: Index, grade: int) -> tuple[Array, Array]:
        """The ideal ranking's cumulated gain, and what the sum is divided by, with so many more of a grade."""
        pool = self.j.pool[rows]
        pool[:, grade] += paid
        lists = replace(self.j, grade=self.j.grade[rows], pool=pool, _memo={})
        return lists.ideal_total(self.value, np.ones_like(self.j.rank)), np.minimum(
            lists.n_rel(self.rel), lists.cutoff
        )
