"""Predictive power as webber2008 has it, by the functions behind `assay predictivity`.

The best three quarters of the runs by AP; halves of the topics, or sets of another size. What is shared with
`predictivity`: the splits, `predictive_power`, `combination_gain`, `conflicts`, and how many splits carry what.
One thing differs: topics are left out of the same first splits whatever the size of the sets, so that sizes can be
compared; `predictivity` takes small sets by the splits that are without a topic anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.analyses.predictivity.combination import combination_gain
from assay.analyses.predictivity.conflicts import Conflicts, conflicts
from assay.core.arrays import Array
from assay.papers.webber2008.published import DEEP, MEASURES, PATIENT, SIMPLE
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, per_collection
from assay.stats.best import best_positions
from assay.stats.estimates import Interval, SplitEstimate
from assay.stats.prediction import Phi, predictive_power
from assay.stats.splits import Splits, splits

ALL = MEASURES | PATIENT
ALPHA = 0.05
SPLITS = 2000  # of the topics into two sets
REPLICATES = 100  # of these splits carry the intervals
SEED = 0


def n_best(c: ScoredCollection) -> int:
    """How many runs the best three quarters are: 96 of 129."""
    return len(c.runs) * 3 // 4


def phi(c: ScoredCollection, one: str, other: str, *, size: int | None = None, best: bool = True) -> SplitEstimate:
    """How well one measure predicts another, on the best runs or on all."""
    return _phi(c, one, other, available(c, (one, other)), size, best=best)


def phi_on_curve(c: ScoredCollection, one: str, other: str, size: int) -> SplitEstimate:
    """The same as `phi`, of the measures of figure 1: the others need not be ranked by at every size."""
    curves = {name: ALL[name] for name in ("nDCG", "P@10")}
    c.scores(curves["nDCG"])
    return _phi(c, one, other, curves, size, best=True)


def _phi(
    c: ScoredCollection, one: str, other: str, names: Mapping[str, str], size: int | None, *, best: bool
) -> SplitEstimate:
    half = len(c.topics) // 2
    if size is not None and size > half:
        raise MissingDataError(f"{2 * size} topics (there are {len(c.topics)})")
    every = _powers(c, tuple(names.values()), n_best(c) if best else None, size or half)
    a, b = list(names).index(one), list(names).index(other)

    def bounds(level: float) -> Interval:
        low, high = every.interval(level=level)
        return float(low[a, b]), float(high[a, b])

    return SplitEstimate(float(every.value[a, b]), every.changes[:, :, a, b], every.exact, bounds)


@per_collection
def _powers(c: ScoredCollection, conditions: tuple[str, ...], top: int | None, size: int) -> Phi:
    """Predictive power of every condition for every other, on sets of `size` topics."""
    return predictive_power(_stacked(c, conditions, top), _split(c, size), replicates=REPLICATES, free=np.inf)


def _stacked(c: ScoredCollection, conditions: Sequence[str], top: int | None) -> Array:
    """Scores of all runs, or of the best by AP, under several conditions. [condition, run, topic]"""
    x = np.stack([c.scores(condition) for condition in conditions])
    return x if top is None else x[:, best_positions(c.scores(MEASURES["AP"]).mean(-1), top, c.runs)]


def _split(c: ScoredCollection, size: int | None = None, n_splits: int = SPLITS) -> Splits:
    n = len(c.topics)
    return splits(n, size or n // 2, SPLITS, SEED).head(n_splits)


def available(c: ScoredCollection, needed: tuple[str, ...] = ()) -> dict[str, str]:
    """The measures of which there are scores; those that are needed must be."""
    conditions = {}
    for name, condition in ALL.items():
        try:
            c.scores(condition)
        except MissingDataError:
            if name in needed:
                raise
        else:
            conditions[name] = condition
    return conditions


def gain_by_adding(c: ScoredCollection, measure: str, predictor: str) -> float:
    """What adding a measure to a predictor gains in predicting that measure on the other half of the topics."""
    names = [*SIMPLE, *DEEP]
    gain = _mixed_gains(c, tuple(ALL[name] for name in names), n_best(c))
    return float(gain[names.index(predictor), names.index(measure)])


@per_collection
def _mixed_gains(c: ScoredCollection, conditions: tuple[str, ...], top: int) -> Array:
    """What adding one condition to another gains in predicting the one that was added. [predictor, added]"""
    return combination_gain(_stacked(c, conditions, top), _split(c, None, REPLICATES), seed=SEED)[0]


@per_collection
def conflicts_of(c: ScoredCollection) -> Conflicts:
    """What becomes of conflicts between the measures on the other half of the topics, on the best runs."""
    x = _stacked(c, tuple(MEASURES.values()), n_best(c))
    return conflicts(x, _split(c, None, 2 * REPLICATES), alpha=ALPHA, replicates=REPLICATES // 5)


def crossing(c: ScoredCollection) -> float:
    """Topics per set from which on nDCG predicts P@10 no worse than P@10 does; more than half if it never does."""
    sizes = range(5, len(c.topics) // 2 + 1)
    if not sizes:
        raise MissingDataError(f"10 topics (there are {len(c.topics)})")
    ahead = [phi_on_curve(c, "nDCG", "P@10", k).value >= phi_on_curve(c, "P@10", "P@10", k).value for k in sizes]
    behind = [k for k, is_ahead in zip(sizes, ahead, strict=True) if not is_ahead]
    return float(behind[-1] + 1 if behind else sizes[0])
