"""Cross-validation of fitted weights: folds of topics and of runs, held-out scores, and their statistics.

Every topic is scored with weights that were fitted without it. Variances are estimated fold by fold, so that it does
not matter whether folds have weights, and so scores, of different size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.optimise.ndcg import ndcg
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError
from assay.stats.leave_one_out import topic_sets
from assay.stats.variance import (
    COEFFICIENTS,
    SOURCES,
    Coefficient,
    Components,
    coefficient,
    exact_topics,
    mean_squares,
)

FOLDS = 5
REPEATS = 3  # times that the topics are split into folds: one split alone could decide a close verdict
RUN_FOLDS = 2  # groups of runs are split into so many sets: each must be large enough to have a Phi of its own
TARGETS = {"topics_90": 0.90, "topics_95": 0.95}
STATISTICS = ("phi", "e_rho2", "power", *TARGETS)
SMOOTH = ("phi", "e_rho2", *TARGETS)
"""Those that are smooth in every topic, so that one may be left out at a time; a share of pairs jumps."""


class FittedWeights(Protocol):
    """What a fit gives: anything with a gain and a discount."""

    @property
    def gain(self) -> Array:
        """The gain of each grade. [grade]"""

    @property
    def discount(self) -> Array:
        """The discount of each rank. [rank]"""


Fit = Callable[[GradedLists], FittedWeights]


# --- folds


def topic_folds(n: int, folds: int, rng: int, repeat: int = 0) -> list[Index]:
    """Split n topics into folds of nearly equal size, at random; every repeat splits them anew."""
    if not 2 <= folds <= n // 2:
        raise UsageError(f"folds {folds}: {n} topics can be split into 2 to {n // 2} folds, of two topics or more")
    order = np.random.default_rng(np.random.SeedSequence(rng, spawn_key=(0, repeat))).permutation(n)
    return [np.sort(order[i::folds]) for i in range(folds)]


def run_folds(groups: Sequence[str], rng: int, folds: int = RUN_FOLDS) -> list[Index]:
    """Split whole groups of runs into sets, the largest group first and always into the smallest set so far."""
    names, which, sizes = np.unique(np.array(groups, dtype=object), return_inverse=True, return_counts=True)
    if len(names) < 2 * folds:
        raise UsageError(f"{len(names)} groups of runs are too few to hold some out; it takes {2 * folds}")
    chance = np.random.default_rng(np.random.SeedSequence(rng, spawn_key=(1,))).random(len(names))
    sets: list[list[int]] = [[] for _ in range(folds)]
    for group in np.lexsort((chance, -sizes)):
        smallest = min(sets, key=lambda one: sum(int(sizes[g]) for g in one))
        smallest.append(int(group))
    return [np.flatnonzero(np.isin(which, one)) for one in sets]


# --- held-out scores


def held_out_scores(lists: GradedLists, fit: Fit, *, folds: Sequence[Index], parts: Sequence[Index]) -> list[Array]:
    """Score every topic with weights fitted on the other folds, and on the other runs where there are several parts.

    With one part, all runs are both fitted on and scored. A table [run, topic] for every part.
    """
    n_runs, n_topics = lists.n_runs, lists.n_topics
    every = np.arange(n_runs)
    tables = []
    for part in parts:
        fitting = every if part.size == n_runs else np.setdiff1d(every, part)
        scores = np.empty((part.size, n_topics))
        for fold in folds:
            weights = fit(lists.select(runs=fitting, topics=np.setdiff1d(np.arange(n_topics), fold)))
            scores[:, fold] = ndcg(lists.select(runs=part, topics=fold), weights.gain, weights.discount)
        tables.append(scores)
    return tables


# --- statistics, on all topics and with some left out


def statistics(x: Array, folds: Sequence[Index]) -> dict[str, Array]:
    """Phi and E-rho^2 at one topic, topics needed: on all topics, then with each group left out. [set]

    Variances are estimated in every fold by itself and averaged, so that weights may differ from fold to fold. Topics
    needed are not rounded up, and infinite where no number of topics will do; `x` is [run, topic].
    """
    ratio = ratios(x, folds)
    values: dict[str, Array] = {of: coefficient(ratio[of], 1) for of in COEFFICIENTS}
    return values | {name: exact_topics(ratio["phi"], target) for name, target in TARGETS.items()}


def ratios(x: Array, folds: Sequence[Index]) -> dict[Coefficient, Array]:
    """Variance of runs over the error at one topic: on all topics, then with each group left out. [set]

    A fold of which a single topic is left says nothing of variances and is left out.
    """
    known: dict[bytes, Array] = {}  # most folds stay whole where a topic is left out
    sets = []
    for kept in topic_sets(x.shape[1]):
        parts = [fold[np.isin(fold, kept)] for fold in folds]
        for part in parts:
            if part.size > 1 and part.tobytes() not in known:
                known[part.tobytes()] = _variances(x[:, part])
        sets.append(np.mean([known[part.tobytes()] for part in parts if part.size > 1], axis=0))
    components = Components(*np.array(sets).T)
    return {of: components.ratio(of) for of in COEFFICIENTS}


def _variances(x: Array) -> Array:
    """The variances of run, topic and interaction. [3]"""
    components = mean_squares(x).components
    return np.array([getattr(components, source) for source in SOURCES])
