"""Weights judged by topics, and by choice runs, that they were not fitted on.

Every topic is scored with weights to which it contributed nothing. Variances are estimated fold by fold, so that it
does not matter whether folds have weights, and so scores, of different size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.errors import UsageError
from assay.numeric.jackknife import deletions
from assay.numeric.separation import separated
from assay.numeric.variance import SOURCES, Coefficient, coefficient, mean_squares
from assay.numeric.weighing import Lists, ndcg

Array = NDArray[np.float64]
Index = NDArray[np.intp]

FOLDS = 5
DEALS = 3  # times that the topics are dealt into folds: one deal alone could decide a close verdict
RUN_FOLDS = 2  # groups of runs are dealt into so many sets: each must be large enough to have a Phi of its own
TARGETS = {"topics_90": 0.90, "topics_95": 0.95}
STATISTICS = ("phi", "e_rho2", "power", *TARGETS)


class Weighted(Protocol):
    """What a fit gives: anything with a gain and a discount."""

    @property
    def gain(self) -> Array:
        """The gain of each grade. [grade]"""

    @property
    def discount(self) -> Array:
        """The weight of each rank. [rank]"""


Fit = Callable[[Lists], Weighted]


# --- folds


def topic_folds(n: int, folds: int, rng: int, deal: int = 0) -> list[Index]:
    """Deal n topics into folds of nearly equal size, at random; every deal is another."""
    if not 2 <= folds <= n // 2:
        raise UsageError(f"folds {folds}: {n} topics can be dealt into 2 to {n // 2} folds, of two topics or more")
    order = np.random.default_rng(np.random.SeedSequence(rng, spawn_key=(0, deal))).permutation(n)
    return [np.sort(order[i::folds]) for i in range(folds)]


def run_folds(groups: Sequence[str], rng: int, folds: int = RUN_FOLDS) -> list[Index]:
    """Deal whole groups of runs into sets, the largest group first and always into the smallest set so far."""
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


def hold_out(lists: Lists, fit: Fit, *, folds: Sequence[Index], parts: Sequence[Index]) -> list[Array]:
    """Score every topic with weights fitted on the other folds, and on the other runs where there are several parts.

    With one part, all runs are both fitted on and scored. A table [run, topic] for every part.
    """
    n_runs, n_topics = lists.n_runs, lists.n_topics
    every = np.arange(n_runs)
    found = []
    for part in parts:
        fitting = every if part.size == n_runs else np.setdiff1d(every, part)
        scores = np.empty((part.size, n_topics))
        for fold in folds:
            made = fit(lists.select(runs=fitting, topics=np.setdiff1d(np.arange(n_topics), fold)))
            scores[:, fold] = ndcg(lists.select(runs=part, topics=fold), made.gain, made.discount)
        found.append(scores)
    return found


# --- statistics, on all topics and with some left out


def statistics(x: Array, folds: Sequence[Index], *, alpha: float) -> dict[str, Array]:
    """Phi and E-rho^2 at one topic, power, topics needed: on all topics, then with each group left out. [set]

    Variances are estimated in every fold by itself and averaged, so that weights may differ from fold to fold; pairs
    of runs are tested on all topics together. Topics needed are not rounded up, and infinite where no number of
    topics will do; `x` is [run, topic].
    """
    found: dict[str, Array] = {of: coefficient(ratio, 1) for of, ratio in ratios(x, folds).items()}
    share, left_out = separated(x, alpha=alpha)
    found["power"] = np.concatenate([[share], left_out])
    return found | {name: needed(found["phi"], target) for name, target in TARGETS.items()}


def needed(phi: Array, target: float) -> Array:
    """Topics that bring Phi to a target, from Phi at one topic: not rounded up, infinite where none do. [...]

    >>> needed(np.array([0.5, 0.0]), 0.75)
    array([ 3., inf])
    """
    return target / (1 - target) * np.divide(1 - phi, phi, out=np.full(phi.shape, np.inf), where=phi > 0)


def ratios(x: Array, folds: Sequence[Index]) -> dict[Coefficient, Array]:
    """Variance of runs over the error at one topic: on all topics, then with each group left out. [set]

    A fold of which a single topic is left tells nothing of variances and is left out.
    """
    known: dict[bytes, Array] = {}  # most folds stay whole where a topic is left out
    sets = []
    for kept in (np.arange(x.shape[1]), *deletions(x.shape[1])):
        parts = [fold[np.isin(fold, kept)] for fold in folds]
        for part in parts:
            if part.size > 1 and part.tobytes() not in known:
                known[part.tobytes()] = _variances(x[:, part])
        sets.append(np.mean([known[part.tobytes()] for part in parts if part.size > 1], axis=0))
    run, topic, interaction = np.array(sets).T
    errors: dict[Coefficient, Array] = {"phi": topic + interaction, "e_rho2": interaction}
    return {
        of: np.divide(run, error, out=np.full(run.shape, np.nan), where=error > 0) for of, error in errors.items()
    }


def _variances(x: Array) -> Array:
    """The variances of run, topic and interaction. [3]"""
    found = mean_squares(x).components
    return np.array([getattr(found, source) for source in SOURCES])
