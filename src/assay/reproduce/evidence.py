"""What published statistics are recomputed from: one collection, every statistic with its leave-one-out values.

A statistic is an array whose first value is of all topics and whose others each leave one topic out. Statistics
computed from the same topics can be added and subtracted, and the difference has its interval over topics too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.conditions import parse_condition
from assay.errors import UsageError
from assay.judged import Judged, judge
from assay.numeric.conflicts import Conflicts, conflicts
from assay.numeric.correlation import Levels, between, levels
from assay.numeric.mixing import mixed_gain
from assay.numeric.predicting import Phi, predictive_power
from assay.numeric.separation import separated
from assay.numeric.significance import pairs
from assay.numeric.splits import Splits, splits
from assay.numeric.standardise import z
from assay.numeric.weighing import Lists
from assay.scores import Scores, score
from assay.tables import Qrels, Runs
from assay.weighed import lists_of

Array = NDArray[np.float64]
Index = NDArray[np.intp]

ALPHA = 0.05
SPLITS = 2000  # of the topics into two sets
REPLICATES = 100  # of these splits carry the intervals
SEED = 0
STANDARDISED = "z "
"""What stands before a condition whose scores are standardised by topic, the runs themselves the reference."""

_FLAT = 1e-11  # of what there is: variance below this is rounding


class MissingError(Exception):
    """Data that a statistic needs and that was not given; its text says which."""


class Evidence:
    """One collection's scores under any condition, each computed when it is first asked for."""

    def __init__(
        self,
        runs: Sequence[str],
        topics: Sequence[str],
        find: Callable[[str], Array],
        lists: Callable[[int], Lists] | None = None,
    ) -> None:
        if len(runs) < 2 or len(topics) < 3:
            raise UsageError(
                f"runs are compared over topics: {len(runs)} and {len(topics)} are too few (least: 2 and 3)"
            )
        self.runs = tuple(runs)
        self.topics = tuple(topics)
        self.scores = cache(find)
        self.lists = None if lists is None else cache(lists)  # graded lists to a depth, where there are runs
        self.power = cache(self._power)
        self.order = cache(self._order)
        self.order_of_pairs = cache(self._order_of_pairs)
        self._p_taus = cache(self._tau_of_p)
        self.phi = cache(self._phi)
        self.mixed = cache(self._mixed)
        self.conflicts = cache(self._conflicts)

    def _power(self, condition: str, top: int | None = None) -> Array:
        """Share of pairs of runs found different; of the best runs by AP where `top` says how many. [replicate]"""
        x = self.scores(condition)
        if top is not None:
            x = x[self.leading(top)]
        share, left_out = separated(x, alpha=ALPHA)
        return np.concatenate([[share], left_out])

    def leading(self, top: int) -> Index:
        """The best runs by AP, ties by name, in their own order."""
        mean = self.scores("AP@1000").mean(-1)
        best = sorted(range(len(self.runs)), key=lambda i: (-mean[i], self.runs[i]))[:top]
        return np.array(sorted(best), dtype=np.intp)

    def _stacked(self, conditions: Sequence[str], top: int | None) -> Array:
        """Scores of all runs, or of the best by AP, under several conditions. [condition, run, topic]"""
        x = np.stack([self.scores(condition) for condition in conditions])
        return x if top is None else x[:, self.leading(top)]

    def _split(self, size: int | None, n_splits: int = SPLITS) -> Splits:
        n = len(self.topics)
        return splits(n, size or n // 2, SPLITS, SEED).head(n_splits)

    def _phi(self, conditions: tuple[str, ...], top: int | None = None, size: int | None = None) -> Phi:
        """Predictive power of every condition for every other, on sets of `size` topics, or on halves.

        Topics are left out of the same first splits whatever the size, so that sizes can be compared.
        """
        x = self._stacked(conditions, top)
        return predictive_power(x, self._split(size), replicates=REPLICATES, free=np.inf)

    def _mixed(self, conditions: tuple[str, ...], top: int | None = None) -> Array:
        """What adding one condition to another gains in predicting the one that was added. [given, added]"""
        return mixed_gain(self._stacked(conditions, top), self._split(None, REPLICATES), seed=SEED)[0]

    def _conflicts(self, conditions: tuple[str, ...], top: int | None = None) -> Conflicts:
        """What becomes of conflicts between conditions on the other half of the topics."""
        x = self._stacked(conditions, top)
        return conflicts(x, self._split(None, 2 * REPLICATES), alpha=ALPHA, replicates=REPLICATES // 5)

    def totals(self, condition: str) -> Array:
        """Sums over topics: all of them, and with each left out. [replicate, run]"""
        x = self.scores(condition)
        return np.concatenate([x.sum(-1)[None], x.sum(-1) - x.T])

    def _order(self, condition: str) -> Levels:
        """The order of the runs. [replicate, run]"""
        return levels(self.totals(condition))

    def tau(self, one: str, other: str) -> Array:
        """Kendall's tau-b of two rankings of the runs. [replicate]"""
        return between(self.order(one), self.order(other), "tau-b")

    def _order_of_pairs(self, condition: str) -> Levels:
        """The order of all pairs of runs by |t|, which is that of p-values, turned round. [replicate, pair]"""
        x = self.scores(condition)
        return levels(np.concatenate([np.abs(pairs(x).t)[None], _left_out(x)]))

    def tau_of_p(self, one: str, other: str) -> Array:
        """Kendall's tau-b of two rankings of the pairs of runs by p-value. [replicate]"""
        return self._p_taus(one, other)

    def _tau_of_p(self, one: str, other: str) -> Array:
        return between(self.order_of_pairs(one), self.order_of_pairs(other), "tau-b")

    def rank(self, condition: str, run: int) -> Array:
        """Rank of a run, 1 the best; tied runs share the better rank. [replicate]"""
        order = self.order(condition)
        return 1.0 + (order < order[:, [run]]).sum(-1)

    def best(self, condition: str) -> list[int]:
        """Runs from best to worst by their mean over all topics."""
        return [int(i) for i in np.argsort(-self.scores(condition).mean(-1), kind="stable")]


def _left_out(x: Array) -> Array:
    """|t| of every pair of runs with each topic left out; 0 where there is no variance. [topic, pair]"""
    n = x.shape[1]
    d = pairs(x)
    away = (d.difference - d.mean[:, None]).T
    square = (away**2).sum(0)
    rest = square - away**2 * n / (n - 1)
    rest[rest <= _FLAT * square] = 0.0
    mean = np.abs(d.mean - away / (n - 1))
    return np.divide(mean * np.sqrt((n - 1) * (n - 2)), np.sqrt(rest), out=np.zeros_like(mean), where=rest > 0)


def from_runs(runs: Runs, qrels: Qrels, *, contributors: Sequence[str] | None = None) -> Evidence:
    """Score runs under any condition, such as `nDCG@100/pool=10`; every pool is judged once."""

    @cache
    def judged(pool: int | None) -> Judged:
        return judge(runs, qrels if pool is None else qrels.pool(runs, depth=pool, contributors=contributors))

    def find(condition: str) -> Array:
        asked = parse_condition(condition.removeprefix(STANDARDISED))
        x = score(judged(asked.pool), [asked.measure]).working()[0]
        return z(x) if condition.startswith(STANDARDISED) else x

    def lists(depth: int) -> Lists:
        every = judged(None)
        return lists_of(every, depth)

    return Evidence(runs.names, qrels.topics, find, lists)


def from_scores(found: Sequence[Scores], what: str, *, topics: Callable[[str], bool] | None = None) -> Evidence:
    """Take scores that other tools computed; a measure to depth 1,000 may be named without its depth.

    Of a name only letters and digits count: p10 is P@10.
    """
    first = found[0]
    kept = [t for t in first.topics if topics is None or topics(t)]
    for other in found[1:]:
        if set(other.runs) != set(first.runs) or set(other.topics) != set(first.topics):
            raise UsageError(f"{what}: its files are not of the same runs and topics")
    if not kept:
        raise UsageError(f"{what}: none of its topics is there (found {', '.join(first.topics[:3])}, ...)")

    def find(condition: str) -> Array:
        wanted = {_bare(condition), _bare(condition.removesuffix("@1000"))}
        for scores in found:
            for name in scores.conditions:
                if _bare(name) in wanted:
                    return _complete(scores.select(runs=first.runs, topics=kept).choose([name]).working()[0], what)
        raise MissingError(f"{condition.removeprefix(STANDARDISED)} of {what}")

    return Evidence(first.runs, kept, find)


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _complete(x: Array, what: str) -> Array:
    if np.isnan(x).any():
        raise UsageError(f"{what}: a run lacks the score of a topic; every run needs all of them")
    return x
