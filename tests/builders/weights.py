"""Synthetic graded lists, fits to them, and synthetic results of `weights`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.held_out_gain import (
    INCONCLUSIVE,
    LOST,
    SURVIVES,
    evaluate,
    fixed_weights,
    held_out_table,
)
from assay.analyses.weights.optimise.cross_validation import Fit
from assay.analyses.weights.optimise.optimum import optimise
from assay.analyses.weights.pool_edge import PoolEdge, edge_table
from assay.analyses.weights.variants import standard_discounts
from assay.core.arrays import Array
from assay.data.provenance import Basis
from assay.results.result import Result

LINEAR = np.array([0.0, 1.0, 2.0])
LOG2 = standard_discounts(10)["log2"]
EDGE = PoolEdge(7, 0.767, 0.537, fall=0.341, fall_log2=0.097, elsewhere=0.2)
"""An edge of the pool that the discount follows."""


def graded_lists(n_runs: int = 12, n_topics: int = 15, k: int = 10, top: int = 2, seed: int = 3) -> GradedLists:
    """Lists of runs that differ in how often they rank documents of a grade, with enough judged beyond them."""
    rng = np.random.default_rng(seed)
    skill = np.linspace(0.1, 0.5, n_runs)[:, None, None] + rng.normal(0, 0.05, (1, n_topics, 1))
    grade = rng.binomial(top, np.clip(skill - 0.01 * np.arange(k), 0.02, 0.9), (n_runs, n_topics, k))
    return GradedLists(grade.astype(np.int8), np.full((n_topics, top + 1), 8))


@dataclass(frozen=True)
class FixedWeights:
    """Weights that no data moves."""

    gain: Array
    discount: Array


def standard_fit(_: GradedLists) -> FixedWeights:
    """Linear gain and log2 to rank 10, whatever the lists."""
    return FixedWeights(LINEAR, LOG2)


def fit_discount(lists: GradedLists, *, ridge: float = 0.0) -> FixedWeights:
    """The optimal discount with linear gain, from one start."""
    optimum = optimise(lists, free="discount", gain=LINEAR, discount=LOG2, ridge=ridge, starts=1)
    return FixedWeights(optimum.gain, optimum.discount)


def held_out_gains(
    lists: GradedLists, fits: Mapping[str, Fit], *, gain: Array, discount: Array, level: float = 0.95, **options: Any
) -> pl.DataFrame:
    """Evaluate fits and a standard function on the same folds, and compare them."""
    standard = evaluate(lists, {"": fixed_weights(gain, discount)}, **options)[""]
    return held_out_table(evaluate(lists, fits, **options), standard, level=level)


def fitted(verdict: str = LOST, edge: PoolEdge | None = None, *, runs: int = 50) -> Result:
    """A synthetic result of weights whose best variant is called `own`."""
    low, high = {LOST: (-0.02, -0.01), INCONCLUSIVE: (-0.01, 0.03), SURVIVES: (0.004, 0.03)}[verdict]
    numbers = {"in_sample_gain": 0.0134, "difference": (low + high) / 2, "low": low, "high": high}
    table = pl.DataFrame(
        [{"variant": v, "statistic": "phi", "verdict": verdict, **numbers} for v in ("other", "own")]
    )
    settings = {"depth": 20, "level": 0.95, "best": "own"}
    tables = {"held_out": table, "pool_edge": edge_table(edge)}
    return Result("weights", pl.DataFrame(), tables, Basis(runs=runs), settings)
