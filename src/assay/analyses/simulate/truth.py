"""What is true of a synthetic collection: expectations over topics and documents, and J, with complete judgments.

All runs meet the same topics, the same relevant documents and the same non-relevant ones there. That changes no run's
expectation, and makes the error of a difference between two runs far smaller than that of either: runs that are truly
equal have the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, roots_hermitenorm

from assay.analyses.simulate.model import (
    TRUTH,
    Model,
    SimulatedRuns,
    Size,
    even_traits,
    fallout,
    generality,
    grades,
    middle,
    stream,
)
from assay.core.arrays import Array, Counts, Grades, Index
from assay.core.errors import UsageError
from assay.core.progress import steps
from assay.core.thresholds import Threshold
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.stats.document_population import unit_panel

BATCHES = 20  # of topics: their means say how far a difference could be off
FEWEST_TRUTH_TOPICS = Threshold(
    "fewest_truth_topics", 2 * BATCHES, unit="topics", meaning="below which expectations are not computed"
)
_ENTRIES = 1 << 17  # ranks scored at a time
_HERMITE = 24  # nodes over topics, for difficulty and for generality


@dataclass(frozen=True, slots=True)
class Expectation:
    """One measure's expectation for every run, by Monte Carlo."""

    mean: Array  # [run]
    error: Array  # [run] standard error
    batch: Array  # [batch, run] means of some of the topics each


def check_truth(measures: Sequence[str], n_topics: int) -> list[Measure]:
    """Read measures; refuse those whose expectation over topics is not a mean, and too few topics."""
    if n_topics < FEWEST_TRUTH_TOPICS.value:
        few = f"truth-topics {n_topics}: too few to know the truth by"
        raise UsageError(f"{few}; give at least {FEWEST_TRUTH_TOPICS}")
    chosen = [parse(m) for m in measures]
    for m in chosen:
        if m.declaration.average != "mean":
            raise UsageError(f"{m} is no mean over topics, and so has no expectation here; leave it out")
        if np.isnan(m.declaration.undefined):
            raise UsageError(f"{m} has no worst score, and so no expectation where it is undefined; leave it out")
    return chosen


def expectations(
    model: Model, size: Size, runs: SimulatedRuns, measures: Sequence[str], *, n_topics: int, seed: int
) -> dict[str, Expectation]:
    """Score new topics with complete judgments, the same ones for all runs."""
    chosen = check_truth(measures, n_topics)
    n = -(-n_topics // BATCHES)
    batch = np.zeros((len(chosen), BATCHES, size.n_runs))
    for b in steps(range(BATCHES), doing="truth, batch ", lines=False):
        batch[:, b] = _batch(model, size, runs, chosen, n, stream(seed, TRUTH, b))
    return {
        str(m): Expectation(x.mean(0), x.std(0, ddof=1) / np.sqrt(BATCHES), x)
        for m, x in zip(chosen, batch, strict=True)
    }


def _batch(
    model: Model, size: Size, runs: SimulatedRuns, measures: Sequence[Measure], n: int, rng: np.random.Generator
) -> Array:
    """Average over n topics, which lie evenly over the distributions of all that makes a topic. [measure, run]"""
    traits = even_traits(n, 3, rng)
    total = np.zeros((len(measures), size.n_runs))
    step = max(1, _ENTRIES // (size.n_runs * size.depth))
    for start in range(0, n, step):
        topics = [_ranked(model, size, runs, trait, rng) for trait in traits[start : start + step]]
        lists = Rankings(np.concatenate([g for g, _ in topics]), np.concatenate([p for _, p in topics]), size.top)
        for i, m in enumerate(measures):
            score = m.compute(lists)
            defined = np.where(np.isnan(score), m.declaration.undefined, score)
            total[i] += defined.reshape(len(topics), size.n_runs).sum(0)
    return total / n


def _ranked(
    model: Model, size: Size, runs: SimulatedRuns, trait: Array, rng: np.random.Generator
) -> tuple[Grades, Counts]:
    """Draw a topic: the grades by rank of every run [run, rank], and the documents of each grade [run, grade]."""
    share = float(generality(model, size, trait[0]))
    n_relevant = max(1, int(rng.binomial(size.n_docs, share)))
    seen, own = rng.standard_normal((2, n_relevant))
    grade = grades(model, size, seen, rng)
    place = middle(model, size, trait[:2]) + runs.quality + runs.fickleness * trait[2]
    shift = np.sqrt(model.shared) * seen + np.sqrt(1 - model.shared) * own
    score = place[:, None] + runs.spread[:, None] * shift
    above = _above(size.n_docs - n_relevant, size.depth, fallout(score), rng)
    order = np.argsort(-shift)  # every run's order of the relevant documents
    rank = above[:, order] + np.arange(n_relevant)
    lists = np.zeros((size.n_runs, size.depth), dtype=np.int8)
    lists[:, size.n_docs :] = ABSENT
    run, at = np.nonzero(rank < size.depth)
    lists[run, rank[run, at]] = grade[order][at]
    count = np.bincount(grade, minlength=size.top + 1)
    count[0] = size.n_docs - n_relevant
    return lists, np.broadcast_to(count, (size.n_runs, count.size))


def _above(n: int, depth: int, share: Array, rng: np.random.Generator) -> Index:
    """How many of n non-relevant documents score above, as far as a list is deep; all runs meet the same ones.

    The smallest of n uniform numbers are sums of exponential ones over the sum of all n + 1.
    """
    first = rng.standard_exponential(min(depth, n)).cumsum()
    whole = first[-1] + rng.standard_gamma(n + 1 - first.size) if first.size else 1.0
    return np.searchsorted(first / whole, share).astype(np.int64)


def population_ap(model: Model, size: Size, runs: SimulatedRuns) -> Array:
    """J of every run, averaged over topics: by quadrature over recall, difficulty and generality. [run]

    Its value on a topic is the mean precision above a relevant document in an infinite collection of the topic's
    generality; it belongs to documents of grade 1 and higher.
    """
    node, weight = roots_hermitenorm(_HERMITE)
    weight = weight / weight.sum()
    recall, over = _recall_rule()
    deviation = np.hypot(model.difficulty, runs.fickleness)  # of ease, for a run
    value = np.zeros(size.n_runs)
    for more, w in zip(node, weight, strict=True):
        share = generality(model, size, more)
        usual = middle(model, size, np.array([more, 0.0]))
        for run in range(size.n_runs):
            place = usual + runs.quality[run] + deviation[run] * node
            above = fallout(place[:, None] - runs.spread[run] * ndtri(recall))  # [place, recall]
            value[run] += w * (weight @ ((recall / (recall + (1 - share) / share * above)) @ over))
    return value


def _recall_rule() -> tuple[Array, Array]:
    """Nodes and weights from 0 to 1, in panels that halve towards both ends."""
    ends = np.concatenate(([0.0], 0.5 ** np.arange(30, 0, -1), 1 - 0.5 ** np.arange(2, 13), [1.0]))
    node, weight = unit_panel()
    width = np.diff(ends)[:, None]
    return (ends[:-1, None] + width * node).ravel(), (width * weight).ravel()
