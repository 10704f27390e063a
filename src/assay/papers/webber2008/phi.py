"""Predictive power as webber2008 has it, by the functions behind `assay predictivity`.

The best three quarters of the runs by AP; halves of the topics, or sets of another size. What is shared with
`predictivity`: the splits, `predictive_power`, `combination_gains`, `conflicts`, `halved` and `independent_sets`, and
how many splits carry what. One thing differs: intervals come from the same subsets of the topics whatever the size
of the sets, so that sizes can be compared; `predictivity` takes small sets by the splits that are without a topic.

On other collections a measure that is not there is taken in another form, and there are fewer splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.analyses.budget.designs import pool_sizes
from assay.analyses.budget.phi import DesignPhi, observed_phi
from assay.analyses.predictivity.combination import combination_gains
from assay.analyses.predictivity.conflict_topics import significant_differences
from assay.analyses.predictivity.conflicts import Conflicts, conflicts
from assay.analyses.predictivity.halving import SAMPLES, halved, independent_sets, own_taus
from assay.core.arrays import Array
from assay.papers.webber2008.criteria import LARGE_POPULATION
from assay.papers.webber2008.published import DEEP, ELSEWHERE, HALF, MEASURES, PATIENT, SIMPLE
from assay.scoring.scored_collection import (
    MissingDataError,
    ScoredCollection,
    first_available,
    judged_lists,
    per_collection,
)
from assay.stats.best import best_positions
from assay.stats.estimates import Interval, JackknifeEstimate, SplitEstimate
from assay.stats.leave_one_out import replicates
from assay.stats.prediction import Phi, average, predictive_power
from assay.stats.splits import Splits, splits

ALL = MEASURES | PATIENT
ALPHA = 0.05
SPLITS, OTHER_SPLITS = 2000, 500  # of the topics into two sets; and on other collections
REPLICATES, OTHER_REPLICATES = 100, 50  # of these splits carry gains, conflicts, and what judgments buy
SEED = 0


class OtherCollection(ScoredCollection):
    """A collection that stands for the paper's: measures that it lacks in other forms, and fewer splits."""

    def __init__(self, of: ScoredCollection) -> None:
        """Take the scores of a collection."""

        def compute(condition: str) -> Array:
            return of.scores(first_available(of, (condition, *ELSEWHERE.get(condition, ()))))

        super().__init__(of.runs, of.topics, compute, of.judged)


@per_collection
def elsewhere(c: ScoredCollection) -> OtherCollection:
    """The same collection, standing for the paper's."""
    return OtherCollection(c)


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
    return predictive_power(_stacked(c, conditions, top), _split(c, size), free=np.inf)


def _stacked(c: ScoredCollection, conditions: Sequence[str], top: int | None) -> Array:
    """Scores of all runs, or of the best by AP, under several conditions. [condition, run, topic]"""
    x = np.stack([c.scores(condition) for condition in conditions])
    return x if top is None else x[:, best_positions(c.scores(MEASURES["AP"]).mean(-1), top, c.runs)]


def _split(c: ScoredCollection, size: int | None = None, n_splits: int | None = None) -> Splits:
    n = len(c.topics)
    every = splits(n, size or n // 2, OTHER_SPLITS if isinstance(c, OtherCollection) else SPLITS, SEED)
    return every if n_splits is None else every.head(n_splits)


def _replicates(c: ScoredCollection) -> int:
    return OTHER_REPLICATES if isinstance(c, OtherCollection) else REPLICATES


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


def there(c: ScoredCollection, names: Sequence[str]) -> tuple[str, ...]:
    """Those of some measures that a collection has; at least one."""
    have = available(c)
    if not (chosen := tuple(name for name in names if name in have)):
        raise MissingDataError(f"scores of {' or '.join(names)}")
    return chosen


def gain_by_adding(c: ScoredCollection, measure: str, predictor: str) -> float:
    """What adding a measure to a predictor gains in predicting that measure on the other half of the topics."""
    names = [*SIMPLE, *DEEP]
    gain = _mixed_gains(c, tuple(ALL[name] for name in names), n_best(c))
    return float(gain[names.index(predictor), names.index(measure)])


@per_collection
def _mixed_gains(c: ScoredCollection, conditions: tuple[str, ...], top: int) -> Array:
    """What adding one condition to another gains in predicting the one that was added. [predictor, added]"""
    gains = combination_gains(_stacked(c, conditions, top), _split(c, None, REPLICATES), seed=SEED)
    return gains.at_best(gains.value)


@per_collection
def conflicts_of(c: ScoredCollection, names: tuple[str, ...] = tuple(MEASURES)) -> Conflicts:
    """What becomes of conflicts between measures on the other half of the topics, on the best runs."""
    x = _stacked(c, [ALL[name] for name in names], n_best(c))
    return conflicts(x, _split(c, None, 2 * _replicates(c)), alpha=ALPHA, seed=SEED)


@per_collection
def not_both_significant(c: ScoredCollection, one: str, other: str) -> JackknifeEstimate:
    """Of the pairs of best runs that two measures order oppositely, the share on which not both are significant."""

    def share(x: Array) -> float:
        mean, sure = significant_differences(x, alpha=ALPHA)
        opposite = mean[0] * mean[1] < 0
        return float(1 - (sure[0] & sure[1])[opposite].mean()) if opposite.any() else np.nan

    return JackknifeEstimate(replicates(share, _stacked(c, (ALL[one], ALL[other]), n_best(c))))


@per_collection
def halving_less_independent(c: ScoredCollection, measure: str) -> JackknifeEstimate:
    """Phi by halving samples less phi by independent draws, with halves of 25; a jackknife over the samples.

    The topics are the population, so there must be many.
    """
    if len(c.topics) < LARGE_POPULATION.value:
        raise MissingDataError(f"{LARGE_POPULATION} topics (there are {len(c.topics)})")
    x = _stacked(c, (ALL[measure],), n_best(c))
    each = SPLITS // SAMPLES
    by_halves = average(halved(x, HALF, each, SEED).swapaxes(0, 1))[:, 0]  # [sample]
    independent = own_taus(x, *independent_sets(len(c.topics), HALF, SAMPLES * each, SEED))[:, 0]
    difference = by_halves - independent.reshape(SAMPLES, each).mean(-1)
    without = [np.delete(difference, i).mean() for i in range(SAMPLES)]
    return JackknifeEstimate(np.array([difference.mean(), *without]))


def crossing(c: ScoredCollection) -> float:
    """Topics per set from which on nDCG predicts P@10 no worse than P@10 does; more than half if it never does."""
    sizes = range(5, len(c.topics) // 2 + 1)
    if not sizes:
        raise MissingDataError(f"10 topics (there are {len(c.topics)})")
    ahead = [phi_on_curve(c, "nDCG", "P@10", k).value >= phi_on_curve(c, "P@10", "P@10", k).value for k in sizes]
    behind = [k for k, is_ahead in zip(sizes, ahead, strict=True) if not is_ahead]
    return float(behind[-1] + 1 if behind else sizes[0])


# --- what judgments buy


def judgments_per_topic(c: ScoredCollection, depth: int) -> tuple[float, float]:
    """Documents of a topic in a pool of some depth over all runs, and judged documents: means over topics."""
    judged = judged_lists(c, "scores say nothing of pools")
    runs = judged.source
    pooled = pool_sizes(runs, judged.topics, np.ones(len(runs.names), dtype=bool), [depth]).sum()
    return float(pooled / len(judged.topics)), float(judged.pool.sum() / len(judged.topics))


@per_collection
def shallow_less_deep(c: ScoredCollection, target: str) -> SplitEstimate:
    """How much better P@10 on half of the topics predicts a measure than AP on as many as cost the same judgments."""
    shallow, deep = judgments_per_topic(c, 10)
    if shallow >= deep:
        raise MissingDataError(f"judgments beyond a pool of depth 10 ({shallow:.0f} documents; {deep:.0f} judged)")
    half = _split(c)
    few = max(1, int(half.size * shallow / deep))
    p10, ap, aim = _stacked(c, (ALL["P@10"], ALL["AP"], ALL[target]), n_best(c))
    many = _observed(c, p10, aim, half, half.size)
    fewer = _observed(c, ap, aim, half, few)
    changes = many.changes[:, :, 0, 0] - fewer.changes[:, :, 0, 0]
    return SplitEstimate(float(many.value[0, 0] - fewer.value[0, 0]), changes, exact=False)


def _observed(c: ScoredCollection, x: Array, target: Array, half: Splits, size: int) -> DesignPhi:
    return observed_phi(x[None], target, half, size, replicates=_replicates(c))
