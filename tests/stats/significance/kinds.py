"""Scores of several kinds in whole numbers, so that p-values can be computed exactly beside them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Kind = Callable[[np.random.Generator], tuple[Whole, int]]  # scores [run, topic] and the unit they are counted in

RESAMPLES = 600  # more than a block, and not a whole number of blocks


def tenths(rng: np.random.Generator) -> tuple[Whole, int]:
    """Scores like P@10's: whole numbers of tenths, many of them equal."""
    return rng.binomial(10, rng.beta(0.8, 1.2, size=40), size=(7, 40)), 10


def reciprocals(rng: np.random.Generator) -> tuple[Whole, int]:
    """Scores like RR's: 1 over a rank of at most 10, or 0."""
    ranks = np.minimum(rng.geometric(0.35, size=(7, 40)), 11)
    return np.where(ranks > 10, 0, 2520 // np.minimum(ranks, 10)), 2520


def averages(rng: np.random.Generator) -> tuple[Whole, int]:
    """Scores like AP's, to four decimals as files give them."""
    return rng.beta(0.6, 2.0, size=(7, 40)).__mul__(10_000).round().astype(np.int64), 10_000


def near_identical(rng: np.random.Generator) -> tuple[Whole, int]:
    """Runs that differ in the sixth decimal only."""
    return rng.integers(10**6, size=40) + rng.integers(4, size=(7, 40)), 10**6


def mostly_equal(rng: np.random.Generator) -> tuple[Whole, int]:
    """Runs that differ on one topic in eight."""
    changed = rng.random((7, 40)) < 0.06
    return np.where(changed, rng.integers(11, size=(7, 40)), rng.integers(11, size=40)), 10


def few_topics(rng: np.random.Generator) -> tuple[Whole, int]:
    """So few topics that many a resample has no variance, and some consist of topics at the mean."""
    return rng.integers(4, size=(12, 4)), 10


def few_nearly_equal(rng: np.random.Generator) -> tuple[Whole, int]:
    """The same, but in the eighth decimal of scores that are large beside it: differences have lost digits."""
    return rng.integers(10**8, size=4) + rng.integers(4, size=(12, 4)), 10**8


KINDS = [tenths, reciprocals, averages, near_identical, mostly_equal, few_topics, few_nearly_equal]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def differences(whole: Whole) -> list[Whole]:
    """The differences of all pairs of runs, topic by topic."""
    return [whole[i] - whole[j] for i, j in combinations(range(len(whole)), 2)]
