"""What is checked: every interval against its estimand, every sentence against what is true.

An interval is read off a table of its analysis. Its estimand is the mean of the statistic over samples of as many
topics, runs fixed, unless the truth is known outright, as that of a mean is. A sentence is reduced to its claim, a
few names or numbers, and the claim is compared with the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.power.comparisons import compare_measures
from assay.analyses.power.placebo import of_measures
from assay.results.result import Result
from bench.validity.truths import Truth

Key = tuple[str, ...]
Claim = Any  # names and numbers only: it is stored


@dataclass(frozen=True, slots=True)
class IntervalCheck:
    """An interval of a table: which columns hold it, and what it is an interval of."""

    name: str
    analysis: str
    table: str | None  # None is the answer itself
    key: tuple[str, ...]
    value: str
    low: str
    high: str
    estimand: str
    known: Callable[[Truth], Mapping[Key, float]] | None = None  # the truth; else the mean of the statistic

    def rows(self, result: Result) -> Iterator[tuple[Key, float, float, float]]:
        """The estimates of a result with their intervals; NaN where there is none."""
        table = of_measures(result.table) if self.table is None else result.tables[self.table]
        for row in table.iter_rows(named=True):
            value, low, high = (_number(row[name]) for name in (self.value, self.low, self.high))
            yield tuple(str(row[name]) for name in self.key), value, low, high


def _number(cell: float | None) -> float:
    return float("nan") if cell is None else float(cell)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is true of a population: its means, and the expected statistics of a sample of some topics."""

    truth: Truth
    expected: Mapping[str, Mapping[Key, float]]  # by the name of an interval

    def means(self, measure: str) -> dict[str, float]:
        """The true mean of every run."""
        at = self.truth.measures.index(measure)
        return dict(zip(self.truth.runs, self.truth.means()[at].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class SentenceCheck:
    """A sentence: what it claims, when that is false, and when it could have been said."""

    name: str  # of the sentence
    analysis: str
    claim: Callable[[Result], Claim | None]  # None where nothing is said
    is_false: Callable[[Claim, Facts], bool]
    is_possible: Callable[[Facts], bool] = lambda _: True
    settings: tuple[tuple[str, Any], ...] = ()


def _true_means(truth: Truth) -> dict[Key, float]:
    means = truth.means()
    return {(run, m): means[i, j] for i, m in enumerate(truth.measures) for j, run in enumerate(truth.runs)}


def _true_differences(truth: Truth) -> dict[Key, float]:
    mean = _true_means(truth)
    runs = truth.runs
    pairs = [(a, b) for i, a in enumerate(runs) for b in runs[i + 1 :]]
    return {(m, a, b): mean[a, m] - mean[b, m] for m in truth.measures for a, b in pairs}


_SAME_SIZE = "its mean over samples of as many topics, runs fixed"
INTERVALS: tuple[IntervalCheck, ...] = (
    IntervalCheck("score: mean", "score", None, ("run", "measure"), "mean", "low", "high", "true mean", _true_means),
    IntervalCheck("power: power", "power", None, ("measure",), "power", "low", "high", _SAME_SIZE),
    IntervalCheck(
        "power: difference of measures",
        "power",
        "differences",
        ("measure_a", "measure_b"),
        "difference",
        "low",
        "high",
        _SAME_SIZE,
    ),
    IntervalCheck(
        "power: single pair of runs",
        "power",
        "pairs",
        ("measure", "run_a", "run_b"),
        "difference",
        "low",
        "high",
        "true difference",
        _true_differences,
    ),
    IntervalCheck(
        "agreement: correlation",
        "agreement",
        None,
        ("measure_a", "measure_b"),
        "correlation",
        "low",
        "high",
        _SAME_SIZE,
    ),
    IntervalCheck(
        "reliability: e_rho2", "reliability", None, ("measure",), "e_rho2", "e_rho2_low", "e_rho2_high", _SAME_SIZE
    ),
    IntervalCheck("reliability: phi", "reliability", None, ("measure",), "phi", "phi_low", "phi_high", _SAME_SIZE),
    IntervalCheck("swap: needed", "swap", None, ("measure",), "needed", "needed_low", "needed_high", _SAME_SIZE),
)
"""Every interval that is studied."""


def _said(result: Result, name: str) -> bool:
    return any(sentence.name == name for sentence in result.sentences)


def _leaders(result: Result) -> list[str] | None:
    if not _said(result, "best_measures"):
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
    if not _said(result, "weaker_measures"):
        return None
    compared = compare_measures(result)
    return [[compared.best["measure"], row["measure"]] for row in compared.weaker]


def _order_is_wrong(pairs: Sequence[Sequence[str]], facts: Facts) -> bool:
    """Whether a measure said to separate fewer pairs truly separates as many."""
    expected = _powers(facts)
    return any(expected[weaker] >= expected[best] for best, weaker in pairs)


def _significant_pairs(result: Result) -> list[list[str]] | None:
    """The pairs that are significant after Holm's correction, by the measure that the sentence goes by."""
    if not _said(result, "different_runs"):
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
    SentenceCheck("best_measures", "power", _leaders, _best_is_missing),
    SentenceCheck("weaker_measures", "power", _weaker, _order_is_wrong),
    SentenceCheck("different_runs", "power", _significant_pairs, _a_pair_is_wrong, _some_runs_differ, _HOLM),
)
"""Every sentence that is studied."""
