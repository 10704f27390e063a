"""What the study of nDCG's weights needs of judged runs: the lists, and the functions that people use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.judged import Judged
from assay.measures.gain import DiscountName, GainName, discounts, gain_values
from assay.numeric.weighing import Lists

Array = NDArray[np.float64]

DISCOUNTS: tuple[DiscountName, ...] = ("log2", "jk", "zipf", "linear", "none")
GAINS: tuple[GainName, ...] = ("linear", "exp")


def lists_of(judged: Judged, k: int) -> Lists:
    """The grades of every run on every topic to rank k, with the judgments' counts."""
    return Lists(np.ascontiguousarray(judged.cube(k)), judged.pool)


def standard_discounts(k: int) -> dict[str, Array]:
    """The discounts that people use, to rank k, by name; each sums to 1. [rank]"""
    found = {name: discounts(name, 2.0, k, k) for name in DISCOUNTS}
    return {name: weight / weight.sum() for name, weight in found.items()}


def standard_gains(top: int) -> dict[str, Array]:
    """The gains that people use, by name. [grade]"""
    return {name: gain_values(name, top) for name in GAINS}
