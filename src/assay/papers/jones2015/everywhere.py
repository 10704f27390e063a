"""What jones2015 says of measures on hypothetical rankings, asked of the rankings of real runs, ten documents deep.

Pairs are two runs on one topic whose first ten documents some measure prefers one of; two measures disagree unless
they prefer the same one, or neither has a preference. Relevance is binary, as in the paper: of any grade, or none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from assay.analyses.disagreement.pair_disagreement import disagreement_weights, preferred_weights
from assay.core.arrays import Array, Grades
from assay.data.judged import Judged
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT
from assay.measures.grammar import parse
from assay.measures.universe.features import FEATURES
from assay.papers.jones2015.criteria import WELL_CORRELATED
from assay.results.papers import Claim, Sources
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, judged_lists, per_collection
from assay.stats.correlation.coefficients import tau_b
from assay.stats.leave_one_out import replicates, topic_sets
from assay.stats.pair_preferences import preferred_sides

DEPTH = 10
_FEATURES = ("more_relevant", "first_relevant_earlier")
RECALL, FIRST_RELEVANT = range(len(_FEATURES))

CONDITIONS = {
    "AP": "AP@10",
    "DCG": "DCG@10",
    "RBP50": "RBP(p=0.5)@10",
    "RBP85": "RBP(p=0.85)@10",
    "RBP95": "RBP(p=0.95)@10",
}
"""The measures compared, cut at ten ranks."""

CORRELATED = (
    "AP",
    "nDCG",
    "P@10",
    "RBP(p=0.95)",
    "RBP(p=0.8)",
    "RBP(p=0.85)",
    "Rprec",
    "nDCG@20",
    "nDCG@10",
    "ERR@20",
)
"""Measures of overall effectiveness; of files of scores those that are there."""


@dataclass(frozen=True, slots=True)
class TopicCounts:
    """Pairs of runs on each topic: how often two measures disagree, and what each prefers there."""

    n_pairs: Array  # [topic]: pairs that some measure distinguishes
    n_disagree: Array  # [topic, measure, measure]
    n_prefers: Array  # [topic, measure, against, feature]: of the first measure, where it disagrees


@per_collection
def topic_counts(c: ScoredCollection) -> TopicCounts:
    """Count the pairs of runs on every topic on which measures disagree."""
    lists, shape = _binary_lists(c), (len(c.runs), len(c.topics))
    score = np.stack([parse(text).compute(lists).reshape(shape) for text in CONDITIONS.values()])
    feature = np.stack([FEATURES[name].levels(lists).reshape(shape) for name in _FEATURES])  # [feature, run, topic]
    one, other = np.triu_indices(len(c.runs), 1)
    each = np.ones(one.size)
    n_pairs, n_disagree, n_prefers = [], [], []
    for t in range(len(c.topics)):
        sides = preferred_sides(score[:, one, t], score[:, other, t])
        ahead = np.sign(feature[:, one, t] - feature[:, other, t])  # [feature, pair]
        n_pairs.append(np.count_nonzero(sides.any(0)))
        n_disagree.append(disagreement_weights(sides, each).differ)
        n_prefers.append(np.stack([preferred_weights(sides, more, each) for more in ahead], axis=-1))
    return TopicCounts(np.array(n_pairs, dtype=np.float64), np.array(n_disagree), np.array(n_prefers))


def _binary_lists(c: ScoredCollection) -> Rankings:
    """The first ten documents, relevant or not, run by run and topic by topic."""
    judged, grade = _judged(c), top_ten(c)
    n_runs, n_topics, _ = grade.shape
    pool = np.column_stack([judged.pool[:, 0], judged.n_rel()])
    every = np.broadcast_to(pool, (n_runs, n_topics, 2)).reshape(-1, 2)
    return Rankings(np.minimum(grade, np.int8(1)).reshape(-1, DEPTH), every, top=1)


def top_ten(c: ScoredCollection) -> Grades:
    """Grades of the first ten documents. [run, topic, rank]"""
    return _judged(c).cube(DEPTH)


def _judged(c: ScoredCollection) -> Judged:
    return judged_lists(c, "scores alone do not show the rankings")


def _ratio(part: Array, whole: Array) -> Array:
    """The percentage of a total over topics, on all of them and without each group. [replicate]"""
    if not whole.sum():
        raise MissingDataError("pairs of runs on which the two measures disagree")
    sets = list(topic_sets(whole.size))
    return np.array([100 * part[topics].sum() / max(whole[topics].sum(), 1.0) for topics in sets])


def _prefer(feature: int, pairs: tuple[tuple[str, str], ...], sources: Sources) -> dict[str, Array]:
    """How much more often the first measure of a pair prefers a feature than the second, where they disagree."""
    counts = topic_counts(sources.of())
    gaps = {}
    for a, b in pairs:
        i, j = _at(a, b)
        gap = counts.n_prefers[:, i, j, feature] - counts.n_prefers[:, j, i, feature]
        gaps[f"{a}, {b}"] = _ratio(gap, counts.n_disagree[:, i, j])
    return gaps


def _at(*names: str) -> list[int]:
    """The places of measures among those compared."""
    return [list(CONDITIONS).index(name) for name in names]


def _variants(sources: Sources) -> dict[str, Array]:
    """How much more RBP disagrees with itself at another p than AP does with DCG."""
    counts = topic_counts(sources.of())

    def disagreement(a: str, b: str) -> Array:
        i, j = _at(a, b)
        return _ratio(counts.n_disagree[:, i, j], counts.n_pairs)

    pairs = (("RBP85", "RBP95"), ("RBP50", "RBP85"), ("RBP50", "RBP95"))
    return {f"{a}, {b}": disagreement(a, b) - disagreement("AP", "DCG") for a, b in pairs}


def vectors(c: ScoredCollection) -> Array:
    """How often each vector of ten documents, relevant or not, is returned for each topic. [topic, vector]

    Lists that a run does not return, and topics without relevant documents, do not count: they say nothing of runs.
    """
    grade = top_ten(c)
    returned = (grade != ABSENT).any(-1) & (_judged(c).n_rel() > 0)  # [run, topic]
    bits = (grade > 0) @ (1 << np.arange(DEPTH))
    counts = [np.bincount(of[there], minlength=2**DEPTH) for of, there in zip(bits.T, returned.T, strict=True)]
    return np.stack(counts).astype(np.float64)


def _uneven(sources: Sources) -> dict[str, Array]:
    """The share of lists that have the most frequent vector, less an even share."""
    count = vectors(sources.of())
    top = count.sum(0).argmax()
    return {"most frequent vector": _ratio(count[:, top], count.sum(-1)) - 100 / 2**DEPTH}


def _correlated(sources: Sources) -> dict[str, Array]:
    """Kendall's tau of the runs' means, for each two measures, less what is called a good correlation."""
    c = sources.of()
    there = {}
    for name in CORRELATED:
        try:
            there[name] = c.scores(name)
        except MissingDataError:
            continue
    if len(there) < 2:
        raise MissingDataError(f"scores of two of {', '.join(CORRELATED)}")
    means = {name: replicates(lambda x: x.mean(-1), score) for name, score in there.items()}
    return {f"{a}, {b}": above_good_correlation(tau_b(means[a], means[b])) for a, b in combinations(means, 2)}


def above_good_correlation(tau: Array) -> Array:
    """How far correlations are above what is called a good one."""
    return np.asarray(tau) - WELL_CORRELATED.value


_LOWER = (("RBP85", "RBP95"), ("RBP50", "RBP95"), ("RBP50", "RBP85"))
_RBP = (
    "assay disagreement RUNS --qrels QRELS -m 'RBP(p=0.5)' -m 'RBP(p=0.85)' -m 'RBP(p=0.95)'"
    " --depth 10 --table real_features"
)
ON_RUNS = "where they disagree on two runs"
_BINARY = "relevance is binary, as in the paper; of graded judgments, the command needs --grades 2=1 and so on"

EVERYWHERE: tuple[Claim, ...] = (
    Claim(
        "most measures correlate well",
        _correlated,
        decided_by="average",
        note=f"read as: Kendall's tau of the runs' means is {WELL_CORRELATED} or more, a number of our own",
        command="assay agreement RUNS --qrels QRELS",
    ),
    Claim(
        f"AP prefers more relevant documents more often than DCG, {ON_RUNS}",
        partial(_prefer, RECALL, (("AP", "DCG"),)),
        note=_BINARY,
        command="assay disagreement RUNS --qrels QRELS -m AP -m DCG --depth 10 --table real_features",
    ),
    Claim(
        f"DCG prefers the earlier first relevant document more often than AP and RBP, {ON_RUNS}",
        partial(_prefer, FIRST_RELEVANT, (("DCG", "AP"), ("DCG", "RBP85"))),
        note=_BINARY,
        command="assay disagreement RUNS --qrels QRELS -m AP -m DCG -m 'RBP(p=0.85)' --depth 10"
        " --table real_features",
    ),
    Claim(
        f"the lower p, the more RBP prefers the earlier first relevant document, {ON_RUNS}",
        partial(_prefer, FIRST_RELEVANT, _LOWER),
        note=_BINARY,
        command=_RBP,
    ),
    Claim(
        f"the higher p, the more RBP prefers more relevant documents, {ON_RUNS}",
        partial(_prefer, RECALL, tuple((b, a) for a, b in _LOWER)),
        note=_BINARY,
        command=_RBP,
    ),
    Claim(
        "RBP with another p disagrees with itself more than AP does with DCG, on two runs",
        _variants,
        note=_BINARY,
        command="assay disagreement RUNS --qrels QRELS --table weighted",
    ),
    Claim(
        "the frequency with which rankings of ten appear is not uniform",
        _uneven,
        note="percentage points, never below 0, by which the most frequent of 1,024 vectors is above an even share",
        command="assay disagreement RUNS --qrels QRELS --table vectors",
    ),
)
"""Claims of the paper that name no collection."""
