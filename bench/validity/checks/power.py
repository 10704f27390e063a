"""What `power` says: shares of significant pairs, differences between measures, pairs of runs, ranks, leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.power.analysis import SIMULTANEOUS_RUNS
from assay.analyses.power.comparisons import RunPairs, compare_measures, measure_of_runs, run_pairs
from assay.core.arrays import Array
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS
from assay.stats.paired.sample_size import topics_for
from bench.validity.checks.score import ALIKE, AT_ONCE, RANK, ranks_in, true_means, true_ranks
from bench.validity.declare import Facts, IntervalCheck, Key, NotStudied, SentenceCheck, said, spoken_of
from bench.validity.truths import Truth

SIZES = (10, 25, 50, 200)
ALPHA, DIFFERENCE = 0.05, 0.02
STATED = (("difference", DIFFERENCE),)  # so that one call has every table

# --- what is true


def _true_differences(truth: Truth, n_topics: int) -> dict[Key, float]:
    mean = true_means(truth, n_topics)
    runs = truth.runs
    pairs = [(a, b) for i, a in enumerate(runs) for b in runs[i + 1 :]]
    return {(m, a, b): mean[a, m] - mean[b, m] for m in truth.measures for a, b in pairs}


def _true_leads(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """By how much every run is ahead of the best of the others."""
    leads: dict[Key, float] = {}
    for measure, mean in zip(truth.measures, truth.means(), strict=True):
        leads |= {(measure, run): mean[i] - np.delete(mean, i).max() for i, run in enumerate(truth.runs)}
    return leads


def true_variances(truth: Truth, measure: str) -> Array:
    """The variance of the differences of every two runs over the topics of a population. [run, run]"""
    x = truth.population[truth.measures.index(measure)]
    if truth.exchanged:  # any two runs are any other two, and their mean difference is 0
        square = x.var(0, ddof=1).mean() * 2
        return np.full((len(x), len(x)), square)
    covariance = np.cov(x, aweights=truth.weight, ddof=0)
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own - 2 * covariance)


def _true_topics(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The topics that the stated difference truly needs, of a pair with the median variance."""
    pairs = np.triu_indices(truth.n_runs, 1)
    medians = {m: float(np.median(true_variances(truth, m)[pairs])) for m in truth.measures}
    return {(m,): topics_for(DIFFERENCE / np.sqrt(variance), ALPHA) for m, variance in medians.items()}


def _best_runs(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """0 for every run that is truly best, alone or with others; nothing for the rest."""
    best: dict[Key, float] = {}
    for measure, mean in zip(truth.measures, truth.means(), strict=True):
        is_best = mean >= mean.max() - ALIKE
        best |= {(measure, run): 0.0 if is_best[i] else np.nan for i, run in enumerate(truth.runs)}
    return best


# --- what is said


def _first_run(result: Result) -> pl.DataFrame:
    """The pairs of one run with every other: all pairs would be more of the same."""
    pairs = result.tables["pairs"]
    return pairs.filter(pl.col("run_a") == pairs["run_a"][0])


def _named(result: Result) -> pl.DataFrame:
    """The pairs that are named: by the measure of the sentence, those that are significant."""
    measure = measure_of_runs(result)
    pairs = result.tables["pairs"].filter(pl.col("measure") == measure)
    if (result.basis.runs or 0) > SIMULTANEOUS_RUNS:
        return pairs.filter("significant")
    found = run_pairs(result, measure).pairs.filter("significant")
    both = {frozenset(pair) for pair in found.select("better", "worse").rows()}
    return pairs.filter(
        pl.Series([frozenset(p) in both for p in pairs.select("run_a", "run_b").rows()], dtype=pl.Boolean)
    )


def _of_few_runs(result: Result) -> pl.DataFrame:
    """All pairs of up to ten runs, whose intervals are said to hold at once; of more, none."""
    return result.tables["pairs"].filter(pl.lit((result.basis.runs or 0) <= SIMULTANEOUS_RUNS))


def _outside(result: Result) -> pl.DataFrame:
    """1 for the runs outside the set of those that may be best, to 1: only an interval from 0 on holds a best run."""
    return result.tables["best_runs"].with_columns(outside=1 - pl.col("may_be_best").cast(pl.Float64), one=1.0)


_ENDS = ("difference", "low", "high")
_SELECTED = ("difference", "selected_low", "selected_high")
_PAIR = ("measure", "run_a", "run_b")
_TRUE = ("true difference", _true_differences, STATED)
INTERVALS: tuple[IntervalCheck, ...] = (
    IntervalCheck("power: power", "power", None, ("measure",), "power", "low", "high", settings=STATED),
    IntervalCheck(
        "power: difference of measures", "power", "differences", ("measure_a", "measure_b"), *_ENDS, settings=STATED
    ),
    IntervalCheck("power: single pair", "power", "pairs", _PAIR, *_ENDS, *_TRUE, read=_first_run),
    IntervalCheck("power: named pair", "power", "pairs", _PAIR, *_SELECTED, *_TRUE, read=_named, counted="selected"),
    IntervalCheck(
        "power: all pairs of few runs",
        "power",
        "pairs",
        _PAIR,
        *_SELECTED,
        *_TRUE,
        read=_of_few_runs,
        counted="at once",
    ),
    IntervalCheck(
        "power: ranks",
        "power",
        "best_runs",
        *RANK,
        true_ranks,
        STATED,
        read=ranks_in("best_runs"),
        counted="at once",
        label=AT_ONCE,
    ),
    IntervalCheck(
        "power: runs that may be best",
        "power",
        "best_runs",
        ("measure", "run"),
        "outside",
        "outside",
        "one",
        "a best run is in the set, each of several by itself",
        _best_runs,
        STATED,
        read=_outside,
    ),
    IntervalCheck(
        "power: lead",
        "power",
        "leads",
        ("measure", "run"),
        "lead",
        "low",
        "high",
        "true mean of the top run less the highest of the others",
        _true_leads,
        STATED,
        label="valid whichever run came out on top: wide, and holding more often, where many runs are close",
    ),
    IntervalCheck(
        "power: topics needed",
        "power",
        "needed",
        ("measure",),
        "n_topics",
        "low",
        "high",
        "topics that the median variance of a pair asks for",
        _true_topics,
        STATED,
    ),
)
NOT_STUDIED = (
    NotStudied(
        "power",
        "truth",
        "low",
        "needs the truth.json of a synthetic collection, so the populations of the study do not have it",
    ),
)


def _leaders(result: Result) -> list[str] | None:
    if not said(result, "best_measures"):
        return None
    return [row["measure"] for row in compare_measures(result).leaders]


def _powers(facts: Facts) -> dict[str, float]:
    return {key[0]: value for key, value in facts.expected["power: power"].items()}


def _best_is_missing(leaders: Sequence[str], facts: Facts) -> bool:
    """Whether the measure that truly separates most pairs is not among those said to be best."""
    expected = _powers(facts)
    most = max(expected.values())
    return not any(expected[name] >= most - 1e-12 for name in leaders)


def _weaker(result: Result) -> list[list[str]] | None:
    if not said(result, "weaker_measures"):
        return None
    compared = compare_measures(result)
    return [[compared.best["measure"], row["measure"]] for row in compared.weaker]


def _order_is_wrong(pairs: Sequence[Sequence[str]], facts: Facts) -> bool:
    """Whether a measure said to separate fewer pairs truly separates as many."""
    expected = _powers(facts)
    return any(expected[weaker] >= expected[best] for best, weaker in pairs)


def _runs_claim(result: Result) -> dict[str, Any] | None:
    """The pairs called different, the runs that may be best, and how many topics a difference needs at least."""
    if not spoken_of(result, "different_runs"):  # how many topics would settle it is a claim, too
        return None
    measure = measure_of_runs(result)
    compared = run_pairs(result, measure)
    different = compared.pairs.filter("significant").select("better", "worse").rows()
    many = (result.basis.runs or 0) >= MANY_RUNS.value
    return {
        "measure": measure,
        "different": [list(pair) for pair in different],
        "may_be_best": compared.may_be_best if many else None,
        "at_least": None if many or different else _at_least(compared),
    }


def _at_least(compared: RunPairs) -> list[Any]:
    """The largest difference, and how many topics it is said to need at least."""
    largest = compared.pairs.row(0, named=True)
    needed = compared.topics_needed(largest, ALPHA)
    return [largest["better"], largest["worse"], compared.pairs.height, needed or 0]


def _runs_claim_is_false(claim: Mapping[str, Any], facts: Facts) -> bool:
    """Whether a run said to be better is not, every best run is missing, or fewer topics would do than at least."""
    measure = claim["measure"]
    mean = facts.means(measure)
    if any(mean[better] <= mean[worse] + ALIKE for better, worse in claim["different"]):
        return True
    most = max(mean.values())
    if claim["may_be_best"] is not None and all(mean[run] < most - ALIKE for run in claim["may_be_best"]):
        return True
    return claim["at_least"] is not None and _fewer_would_do(measure, claim["at_least"], facts)


def _fewer_would_do(measure: str, claim: Sequence[Any], facts: Facts) -> bool:
    better, worse, n_pairs, needed = claim
    mean, runs = facts.means(measure), facts.truth.runs
    difference = mean[better] - mean[worse]
    if difference <= ALIKE:  # "if it is real": it is not
        return False
    variance = true_variances(facts.truth, measure)[runs.index(better), runs.index(worse)]
    return topics_for(difference / np.sqrt(variance), ALPHA / n_pairs) < needed


def _some_runs_differ(facts: Facts) -> bool:
    return bool(np.ptp(facts.truth.means(), axis=1).max() > ALIKE)


SENTENCES: tuple[SentenceCheck, ...] = (
    SentenceCheck("best_measures", "power", _leaders, _best_is_missing, settings=STATED, size=len),
    SentenceCheck("weaker_measures", "power", _weaker, _order_is_wrong, settings=STATED),
    SentenceCheck("different_runs", "power", _runs_claim, _runs_claim_is_false, _some_runs_differ, STATED),
)
