"""What `weights` says: what fitted weights gain on held-out topics, how stable variants are, and the discount's edge.

The fitted weights are part of the sample, as they are of what is said: the true gain is the mean, over samples of as
many topics, of what weights fitted to a sample gain over log2 on all topics of the population.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from assay.analyses.weights.fits import FitOptions, Fitter
from assay.analyses.weights.graded_lists import GradedLists, lists_of
from assay.analyses.weights.held_out_gain import SURVIVES, gain_in
from assay.analyses.weights.optimise.ndcg import stability
from assay.analyses.weights.pool_edge import edge_of, edge_rank, judged_share
from assay.data.judged import judge
from assay.results.result import Result
from bench.validity.collections import CollectionTruth
from bench.validity.declare import Facts, IntervalCheck, Key, NotStudied, SentenceCheck, said
from bench.validity.populations import population

REPLICATES = 60
_DEPTH, _FITS, _SEED = 20, 12, 2009


@cache
def _lists(name: str) -> GradedLists:
    truth = population(name)
    assert isinstance(truth, CollectionTruth)
    every = truth.whole()
    return lists_of(judge(every.runs, every.qrels), _DEPTH)


@cache
def true_gains(name: str, n_topics: int) -> dict[str, float]:
    """What weights fitted to samples gain over log2 in Phi on the whole population, in the mean, by variant."""
    lists, rng = _lists(name), np.random.default_rng([_SEED, n_topics])
    fitter = Fitter(lists.top)
    standard = stability(lists, *fitter.standard(lists.depth), "phi")
    samples = [lists.select(topics=rng.integers(lists.n_topics, size=n_topics)) for _ in range(_FITS)]
    gains = {}
    for options in _options(lists):
        fits = [fitter.at(lists.depth, options)(sample) for sample in samples]
        own = [stability(lists, fit.gain, fit.discount, "phi") for fit in fits]
        gains[fitter.name(options)] = float(np.mean(own)) - standard
    return gains


def _options(lists: GradedLists) -> list[FitOptions]:
    """What is fitted unasked: where there is one relevant grade only, the discount alone."""
    every: tuple[FitOptions, ...] = (FitOptions("discount"), FitOptions("gain"), FitOptions("both"))
    return list(every if lists.grades.size > 1 else every[:1])


def _true_gain(facts: Facts) -> float:
    """That of the variant which is called the best."""
    return list(true_gains(facts.population.name, facts.n_topics).values())[-1]


def _true_gains(truth: CollectionTruth, n_topics: int) -> dict[Key, float]:
    """By variant and statistic; only that of Phi is known."""
    gains = true_gains(truth.name, n_topics)
    others = ("e_rho2", "power", "topics_90", "topics_95")
    known: dict[Key, float] = {(name, "phi"): gain for name, gain in gains.items()}
    return known | {(name, of): np.nan for name in gains for of in others}


_GAIN = "what weights fitted to samples of as many topics gain over log2 in Phi on the whole population, in the mean"
_ENDS = ("difference", "low", "high")
_OWN = ("variant",)
_FITTED = (
    "less than its level: what is fitted jumps from sample to sample, on few grades and runs most of all; read it as "
    "how far fits are spread"
)
INTERVALS: tuple[IntervalCheck, ...] = (
    IntervalCheck("weights: phi", "weights", None, _OWN, "phi", "low", "high"),
    IntervalCheck(
        "weights: held-out gain in Phi", "weights", "held_out", ("variant", "statistic"), *_ENDS, _GAIN, _true_gains
    ),
    IntervalCheck("weights: held-out difference", "weights", "held_out", ("variant", "statistic"), *_ENDS),
    IntervalCheck("weights: topics needed", "weights", "topics", ("variant", "target"), "n_topics", "low", "high"),
    IntervalCheck("weights: ratio of gains", "weights", "cutoffs", ("depth",), "log2", "low", "high", label=_FITTED),
    IntervalCheck("weights: tau of variants", "weights", "likeness", ("variant", "other"), "tau", "low", "high"),
    IntervalCheck("weights: power", "weights", "powers", ("variant", "runs"), "power", "low", "high"),
    IntervalCheck(
        "weights: difference of power",
        "weights",
        "powers",
        ("variant", "runs"),
        *("difference", "difference_low", "difference_high"),
    ),
    IntervalCheck("weights: levels", "weights", "asl_shares", ("variant", "statistic"), "value", "low", "high"),
    IntervalCheck(
        "weights: difference of levels",
        "weights",
        "asl_shares",
        ("variant", "statistic"),
        *("difference", "difference_low", "difference_high"),
    ),
    IntervalCheck("weights: tau as gains rise", "weights", "sweep", ("ratio",), "tau", "low", "high"),
    IntervalCheck(
        "weights: stability and power",
        "weights",
        "thesis",
        ("stability", "power_of"),
        "tau",
        "low",
        "high",
        label="a tau of few variants, which takes few values: an interval reaches the next one",
    ),
    IntervalCheck(
        "weights: discount band", "weights", "discount_bands", ("rank",), "discount", "low", "high", label=_FITTED
    ),
    IntervalCheck("weights: gain band", "weights", "gain_bands", ("grade",), "gain", "low", "high", label=_FITTED),
)
NOT_STUDIED: tuple[NotStudied, ...] = (
    NotStudied(
        "weights",
        "contest",
        "low",
        "only where power is maximised (--coefficient power), which takes minutes a sample; the same two intervals "
        "as those of the held-out differences",
    ),
    NotStudied(
        "weights",
        "ridge",
        "low",
        "only with --ridge; the same interval as that of the held-out gain in Phi, of weights that are shrunk",
    ),
)


def _lasting(result: Result) -> float | None:
    gain = gain_in(result.tables.get("held_out"), str(result.settings["best"]))
    return gain.difference if gain is not None and said(result, "lasting_weights") else None


def _lost(result: Result) -> str | None:
    """The verdict of the warning: lost or inconclusive."""
    gain = gain_in(result.tables.get("held_out"), str(result.settings["best"]))
    return gain.verdict if gain is not None and gain.verdict != SURVIVES and said(result, "lost_gain") else None


def _edge(result: Result) -> int | None:
    edge = edge_of(result.tables.get("pool_edge"))
    return edge.rank if edge is not None and said(result, "discount_follows_pool") else None


def _true_edge(facts: Facts) -> int | None:
    """The rank after which the judged share of the whole population falls."""
    return edge_rank(judged_share(_lists(facts.population.name).grade))


SENTENCES: tuple[SentenceCheck, ...] = (
    SentenceCheck(
        "lasting_weights",
        "weights",
        _lasting,
        lambda _, facts: _true_gain(facts) <= 0,
        lambda facts: _true_gain(facts) > 0,
    ),
    SentenceCheck(
        "lost_gain",
        "weights",
        _lost,
        lambda verdict, facts: verdict == "lost" and _true_gain(facts) > 0,
        lambda facts: _true_gain(facts) <= 0,
    ),
    SentenceCheck(
        "discount_follows_pool",
        "weights",
        _edge,
        lambda rank, facts: rank != _true_edge(facts),
        lambda facts: _true_edge(facts) is not None,
    ),
)
