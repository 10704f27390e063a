"""nDCG as a ratio of two mixtures: gains as steps from grade to grade, discounts as averages over the first ranks.

With b_h the step of the gain at level h and c_j the share of the average over the first j ranks,

    nDCG = sum b_h c_j n_h(j) / j  over  sum b_h c_j min(R_h, j) / j,

where n_h(j) documents of level h or above are among the first j, and R_h in the judgments. Gains that do not fall
with the grade are b >= 0, discounts that do not rise with the rank are c >= 0. Single ranks in place of averages
leave the discount unconstrained.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.analyses.weights.graded_lists import GradedLists
from assay.core.arrays import Array, Index

DiscountBasis = Literal["means", "ranks"]


class NdcgMixtures:
    """The lists as counts by level and rank; a level is a place in the order of the grades."""

    def __init__(self, lists: GradedLists, k: int, order: Sequence[int]) -> None:
        """Prepare for a cutoff; `order` names the grades above 0 from the least gain to the most."""
        table = np.zeros(256, dtype=np.int8)
        table[list(order)] = np.arange(1, len(order) + 1)
        self.level = table[lists.grade[:, :, :k].view(np.uint8)]  # [run, topic, rank]
        self.k, self.n_levels = k, len(order)
        self.there = lists.pool[:, list(order)][:, ::-1].cumsum(1)[:, ::-1].T  # [level, topic] of a level or above
        self._columns: dict[tuple[DiscountBasis, int], tuple[Array, Array]] = {}

    @cached_property
    def _places(self) -> tuple[Index, Index]:
        """The list and the kind, a level at a rank, of every document that can gain."""
        flat = np.flatnonzero(self.level)
        cell, rank = np.divmod(flat, self.level.shape[2])
        return cell, rank * self.n_levels + (self.level.ravel()[flat].astype(np.intp) - 1)

    @cached_property
    def _counts(self) -> list[NDArray[np.int16]]:
        """How many documents of each level or above are among the first ranks. [level][rank, list]"""
        by_rank = np.ascontiguousarray(self.level.reshape(-1, self.level.shape[2]).T)
        return [np.cumsum(by_rank > h, axis=0, dtype=np.int16) for h in range(self.n_levels)]

    def columns(self, knots: Index, basis: DiscountBasis) -> tuple[Array, Array]:
        """Parts of nDCG's two mixtures, for knots from 1 up: [level, knot, run x topic] and [level, knot, topic]"""
        parts = [self._column(int(j), basis) for j in knots]
        return np.stack([top for top, _ in parts], axis=1), np.stack([bottom for _, bottom in parts], axis=1)

    def _column(self, j: int, basis: DiscountBasis) -> tuple[Array, Array]:
        if (basis, j) not in self._columns:
            self._columns[basis, j] = self._average(j) if basis == "means" else self._single(j)
        return self._columns[basis, j]

    def _average(self, j: int) -> tuple[Array, Array]:
        last = min(j, self.level.shape[2]) - 1
        return np.stack([count[last] for count in self._counts]) / j, np.minimum(self.there, min(j, self.k)) / j

    def _single(self, j: int) -> tuple[Array, Array]:
        top = np.zeros((self.n_levels, self.level[:, :, 0].size))
        if j <= self.level.shape[2]:
            top[:] = self.level[:, :, j - 1].ravel() > np.arange(self.n_levels)[:, None]
        return top, ((self.there >= j) & (j <= self.k)).astype(np.float64)

    def discounted(self, discount: Array) -> tuple[Array, Array]:
        """Both mixtures' parts by level under one discount: [level, run x topic] and [level, topic]"""
        cell, kind = self._places
        rank, level = np.divmod(kind, self.n_levels)
        at = level * self.level[:, :, 0].size + cell
        single = np.bincount(at, weights=discount[rank], minlength=self.n_levels * self.level[:, :, 0].size)
        top = single.reshape(self.n_levels, -1)[::-1].cumsum(0)[::-1]
        mass = np.concatenate([[0.0], np.cumsum(discount[: self.k])])
        return top, mass[np.minimum(self.there, self.k)]

    def slopes(self, by_dcg: Array, by_ideal: Array, steps: Array) -> Array:
        """The slope by the discount of each rank. [rank]

        `by_dcg` [run x topic] is the slope by the discounted gain, `by_ideal` [topic] minus that by the ideal gain,
        `steps` are the gain's.
        """
        cell, kind = self._places
        n = self.level.shape[2]
        single = np.bincount(kind, weights=by_dcg[cell], minlength=n * self.n_levels).reshape(n, self.n_levels)
        slope = np.zeros(self.k)
        slope[:n] = single @ np.cumsum(steps)
        for step, there in zip(steps, self.there, strict=True):
            ends = np.bincount(np.minimum(there, self.k), weights=by_ideal, minlength=self.k + 1)
            slope -= step * ends[::-1].cumsum()[::-1][1:]
        return slope


def steps_of(gain: Array, order: Sequence[int]) -> Array:
    """The steps of a gain from level to level. [level]"""
    return np.diff(gain[list(order)], prepend=0.0)


def gain_of(steps: Array, order: Sequence[int], top: int) -> Array:
    """The gain of each grade; a grade that no document has gains as the one below it. [grade]"""
    gain = np.full(top + 1, np.nan)
    gain[0] = 0.0
    gain[list(order)] = np.cumsum(steps)
    for g in np.flatnonzero(np.isnan(gain)):
        gain[g] = gain[g - 1]
    return gain


def discount_of(knots: Index, shares: Array, basis: DiscountBasis, k: int) -> Array:
    """The discount of each rank. [rank]"""
    weight = np.zeros(k)
    weight[knots - 1] = shares / knots if basis == "means" else shares
    return weight[::-1].cumsum()[::-1] if basis == "means" else weight


def shares_of(discount: Array, knots: Index, basis: DiscountBasis) -> Array:
    """The shares of knots whose mixture has these discounts at the knots. [knot]"""
    if basis == "ranks":
        return discount[knots - 1]
    order = np.argsort(knots)
    shares = np.zeros(knots.size)
    shares[order] = knots[order] * -np.diff(discount[knots[order] - 1], append=0.0)
    return shares
