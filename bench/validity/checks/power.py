"""What `power` says: shares of significant pairs, differences between measures, pairs of runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assay.analyses.power.comparisons import compare_measures
from assay.results.result import Result
from bench.validity.checks.score import true_means
from bench.validity.declare import Facts, IntervalCheck, Key, SentenceCheck, said
from bench.validity.truths import Truth


def _true_differences(truth: Truth, n_topics: int) -> dict[Key, float]:
    mean = true_means(truth, n_topics)
    runs = truth.runs
    pairs = [(a, b) for i, a in enumerate(runs) for b in runs[i + 1 :]]
    return {(m, a, b): mean[a, m] - mean[b, m] for m in truth.measures for a, b in pairs}


_ENDS = ("difference", "low", "high")
_PAIR = ("measure", "run_a", "run_b")
INTERVALS: tuple[IntervalCheck, ...] = (
    IntervalCheck("power: power", "power", None, ("measure",), "power", "low", "high"),
    IntervalCheck("power: difference of measures", "power", "differences", ("measure_a", "measure_b"), *_ENDS),
    IntervalCheck("power: single pair", "power", "pairs", _PAIR, *_ENDS, "true difference", _true_differences),
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


def _significant_pairs(result: Result) -> list[list[str]] | None:
    """The pairs that are significant after Holm's correction, by the measure that the sentence goes by."""
    if not said(result, "different_runs"):
        return None
    measure = compare_measures(result).best["measure"]
    pairs = result.tables["pairs"].filter(pl.col("measure") == measure, "significant")
    return [[measure, row["run_a"], row["run_b"], row["better"]] for row in pairs.iter_rows(named=True)]


def _a_pair_is_wrong(pairs: Sequence[Sequence[str]], facts: Facts) -> bool:
    """Whether any run said to be better is truly not."""
    for measure, one, other, better in pairs:
        mean = facts.means(measure)
        worse = other if better == one else one
        if mean[better] <= mean[worse] + 1e-12:
            return True
    return False


def _some_runs_differ(facts: Facts) -> bool:
    return bool(np.ptp(facts.truth.means(), axis=1).max() > 1e-9)


_HOLM = (("correction", "holm"),)
SENTENCES: tuple[SentenceCheck, ...] = (
    SentenceCheck("best_measures", "power", _leaders, _best_is_missing, size=len),
    SentenceCheck("weaker_measures", "power", _weaker, _order_is_wrong),
    SentenceCheck("different_runs", "power", _significant_pairs, _a_pair_is_wrong, _some_runs_differ, _HOLM),
)
