"""The lists that runs give for one topic, drawn without drawing all documents for every run.

A list shows the best documents only, so that of the non-relevant ones only those above a threshold are drawn, which
a few more than the list is deep are expected to pass. Documents are laid in strata by what all runs see in them;
within a stratum, those that a run could lift above the threshold are found by the gaps between them. Nothing is
approximated: the lists are those of scoring every document for every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from assay.analyses.simulate.model import (
    TOPICS,
    Model,
    SimulatedRuns,
    Size,
    generality,
    grades,
    middle,
    nonrelevant_score,
    stream,
)
from assay.core.arrays import Array, Bools, Grades, Index

_STRATUM = 0.2  # width of a stratum, in deviations
_ENDS = 6.0  # deviations beyond which the outermost strata go on
_SURE = 6.0  # standard deviations by which more documents than the list is deep are expected above the threshold


@dataclass(frozen=True, slots=True)
class TopicLists:
    """What all runs give for one topic."""

    doc: Index  # [run, rank]; -1 beyond the end of a list
    score: Array  # [run, rank]; -inf there
    relevant: Index  # [relevant] documents
    grade: Grades  # [relevant]

    def pool(self, contributes: Bools, depth: int) -> tuple[Index, Grades]:
        """Judge what some runs have down to a depth: documents, sorted, and their grades."""
        doc = np.unique(self.doc[contributes, :depth])
        return self.judged(doc[doc >= 0])

    def complete(self) -> tuple[Index, Grades]:
        """Judge every relevant document, and every other one that any run has."""
        doc = np.union1d(self.doc, self.relevant)
        return self.judged(doc[doc >= 0])

    def judged(self, doc: Index) -> tuple[Index, Grades]:
        """Grade some documents, each there once and sorted."""
        grade = np.zeros(doc.size, dtype=np.int8)
        present = np.isin(self.relevant, doc)
        grade[np.searchsorted(doc, self.relevant[present])] = self.grade[present]
        return doc, grade


def draw_lists(model: Model, size: Size, runs: SimulatedRuns, seed: int, topic: int) -> TopicLists:
    """Draw one topic: its documents, and every run's list of them."""
    rng = stream(seed, TOPICS, topic)
    trait = rng.standard_normal(2)
    share = float(generality(model, size, trait[0]))
    n_relevant = max(1, int(rng.binomial(size.n_docs, share)))
    relevant = rng.choice(size.n_docs, n_relevant, replace=False, shuffle=False).astype(np.int64)
    seen = rng.standard_normal(n_relevant)
    grade = grades(model, size, seen, rng)
    place = middle(model, size, trait) + runs.quality + runs.fickleness * rng.standard_normal(size.n_runs)
    own = rng.standard_normal((size.n_runs, n_relevant))
    shift = np.sqrt(model.shared) * seen + np.sqrt(1 - model.shared) * own
    high = place[:, None] + runs.spread[:, None] * shift
    run, doc, score = _nonrelevant(model, size, relevant, rng)
    of_relevant = np.repeat(np.arange(size.n_runs), n_relevant)
    return TopicLists(
        *_best(
            size,
            np.concatenate((run, of_relevant)),
            np.concatenate((doc, np.tile(relevant, size.n_runs))),
            np.concatenate((score, high.ravel())),
        ),
        relevant,
        grade,
    )


def _best(size: Size, run: Index, doc: Index, score: Array) -> tuple[Index, Array]:
    """Lay every run's documents out best first, to the depth of the lists."""
    order = np.lexsort((-score, run))
    run = run[order]
    count = np.bincount(run, minlength=size.n_runs)
    rank = np.arange(run.size) - np.repeat(np.cumsum(count) - count, count)
    listed = rank < size.depth
    docs = np.full((size.n_runs, size.depth), -1, dtype=np.int64)
    scores = np.full((size.n_runs, size.depth), -np.inf)
    docs[run[listed], rank[listed]] = doc[order][listed]
    scores[run[listed], rank[listed]] = score[order][listed]
    return docs, scores


def _nonrelevant(model: Model, size: Size, relevant: Index, rng: np.random.Generator) -> tuple[Index, Index, Array]:
    """Draw the non-relevant documents that could be in a list: run, document and score of each."""
    seen = rng.standard_normal(size.n_docs, dtype=np.float32)
    stratum = np.clip((seen + _ENDS) / _STRATUM, 0, 2 * _ENDS / _STRATUM).astype(np.int8)
    order = np.argsort(stratum, kind="stable")
    ends = np.concatenate(([0], np.cumsum(np.bincount(stratum))))
    parts = [
        _above(order[start:end], seen, _floor(size), model.shared_nonrelevant, size.n_runs, rng)
        for start, end in pairwise(ends)
        if end > start
    ]
    run, doc, score = (np.concatenate(column) for column in zip(*parts, strict=True))
    is_relevant = np.zeros(size.n_docs, dtype=bool)
    is_relevant[relevant] = True
    other = ~is_relevant[doc]
    return run[other], doc[other], nonrelevant_score(score[other])


def _floor(size: Size) -> float:
    """The standard normal number that enough non-relevant documents pass to fill a list."""
    wanted = size.depth + _SURE * np.sqrt(size.depth) + 10
    return float(-ndtri(min(wanted / size.n_docs, 1.0)))


def _above(
    docs: Index, seen: NDArray[np.float32], floor: float, shared: float, n_runs: int, rng: np.random.Generator
) -> tuple[Index, Index, Array]:
    """Find the documents of a stratum that runs score above the threshold."""
    own = np.sqrt(1 - shared)
    need = (floor - np.sqrt(shared) * float(seen[docs].max())) / own  # of a run's own part, for any of them to pass
    share = float(ndtr(-need))
    run, at = np.divmod(successes(share, n_runs * docs.size, rng), docs.size)
    doc = docs[at]
    lift = -ndtri(share * (1 - rng.random(doc.size)))
    score = np.sqrt(shared) * seen[doc] + own * lift
    passes = score > floor
    return run[passes], doc[passes], score[passes]


def successes(share: float, n: int, rng: np.random.Generator) -> Index:
    """Which of n Bernoulli trials succeed, each with this chance: drawn by the gaps between successes, geometric."""
    if share >= 1:
        return np.arange(n)
    parts, last = [np.zeros(0, dtype=np.int64)], -1
    while share > 0 and last < n:
        expected = (n - last) * share
        gaps = rng.geometric(share, int(expected + 5 * np.sqrt(expected) + 10))
        parts.append(last + np.cumsum(np.minimum(gaps, n + 1)))
        last = int(parts[-1][-1])
    places = np.concatenate(parts)
    return places[places < n]
