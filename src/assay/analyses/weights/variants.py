"""Variants of nDCG: a gain and a discount each, standard or fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.ndcg import ndcg
from assay.core.arrays import Array
from assay.measures.gain import DiscountName, GainName, discounts, gain_values

DISCOUNTS: tuple[DiscountName, ...] = get_args(DiscountName)
GAINS: tuple[GainName, ...] = get_args(GainName)
_SAME = 1e-6  # of a coefficient: starts that end closer than this have found the same


def variant_name(gain: str, discount: str) -> str:
    """Name a variant of nDCG by its two choices."""
    return f"{gain} gain, {discount}"


STANDARD = variant_name("linear", "log2")
"""The variant that all others are compared with."""


def standard_discounts(k: int) -> dict[str, Array]:
    """The discounts in use, to rank k, by name; each sums to 1. [rank]"""
    weights = {name: discounts(name, 2.0, k, k) for name in DISCOUNTS}
    return {name: weight / weight.sum() for name, weight in weights.items()}


def standard_gains(top: int) -> dict[str, Array]:
    """The gains in use, by name. [grade]"""
    return {name: gain_values(name, np.arange(top + 1.0)) for name in GAINS}


@dataclass(frozen=True, slots=True)
class Convergence:
    """How sure it is that a fit is the best there is."""

    kkt: float
    converged: bool
    ends: tuple[float, ...] = ()  # the coefficient at which each start ended
    shares: tuple[float, ...] = ()  # of several problems: of each in what decides

    @property
    def n_short(self) -> int:
        """How many starts ended below the best."""
        return sum(end < max(self.ends) - _SAME for end in self.ends)


@dataclass(frozen=True, slots=True)
class NdcgVariant:
    """One choice of gain and discount for nDCG."""

    gain_name: str
    discount_name: str
    gain: Array  # [grade], of any scale
    discount: Array  # [rank], of any scale; those in use and fitted ones sum to 1
    fit: Convergence | None = None  # none for a standard function

    @property
    def name(self) -> str:
        """Both choices."""
        return variant_name(self.gain_name, self.discount_name)


def standard_variants(top: int, depth: int) -> list[NdcgVariant]:
    """The functions in use, the usual one first: every discount with linear gain, and exponential gain."""
    gains, ways = standard_gains(top), standard_discounts(depth)
    chosen = [("linear", way) for way in ways] + ([("exp", "log2")] if top > 1 else [])
    return [NdcgVariant(gain, way, gains[gain], ways[way]) for gain, way in chosen]


def gain_ratio(lists: GradedLists, gain: Array) -> float:
    """The gain of the highest relevant grade that occurs over that of the lowest."""
    return float(gain[lists.grades[-1]] / gain[lists.grades[0]])


def variant_scores(lists: GradedLists, variants: Sequence[NdcgVariant]) -> Array:
    """Score every run on every topic by every variant. [variant, run, topic]"""
    return np.stack([ndcg(lists, v.gain, v.discount) for v in variants])
