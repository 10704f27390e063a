"""What `predictivity` says: predictive power, redundancy, conflicts, and the measure of an outcome.

The outcome is a file of numbers for the runs of every truth, by their names: near the true AP of the runs of terabyte
2006, and unrelated to those of the other truths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.analyses.predictivity.comparisons import AS_WELL, REDUNDANT
from assay.analyses.predictivity.sentences import by_target, is_correlated, may_correlate_most
from assay.results.result import Result
from assay.results.sentences import level_of
from bench.validity.declare import (
    Descriptive,
    Facts,
    IntervalCheck,
    NotStudied,
    SentenceCheck,
    Settings,
    said,
)
from bench.validity.known import is_null

OUTCOMES = Path(__file__).parents[1] / "outcomes.csv"
_REPORT: Settings = (("splits", 500), ("target", str(OUTCOMES.relative_to(Path(__file__).parents[3]))))
"""As many splits as a report takes."""

_PAIR, _CELL, _SIDES = ("predictor", "target"), ("measure", "given"), ("measure_a", "measure_b")
_DIFFERENCE = ("difference", "low", "high")
INTERVALS = (
    IntervalCheck("predictivity: phi", "predictivity", None, _PAIR, "phi", "low", "high", settings=_REPORT),
    IntervalCheck(
        "predictivity: phi by topics",
        "predictivity",
        "curve",
        (*_PAIR, "n_topics"),
        "phi",
        "low",
        "high",
        settings=_REPORT,
    ),
    IntervalCheck(
        "predictivity: difference by topics",
        "predictivity",
        "curve",
        (*_PAIR, "n_topics"),
        "difference",
        "difference_low",
        "difference_high",
        settings=_REPORT,
    ),
    IntervalCheck(
        "predictivity: difference",
        "predictivity",
        "redundancy",
        _CELL,
        *_DIFFERENCE,
        settings=_REPORT,
        label="its variance is kept from falling below a quarter of what subsets of the topics show",
    ),
    IntervalCheck(
        "predictivity: gain", "predictivity", "redundancy", _CELL, "gain", "gain_low", "gain_high", settings=_REPORT
    ),
    *(
        IntervalCheck(
            f"predictivity: conflicts by {side}",
            "predictivity",
            "conflicts",
            _SIDES,
            f"by_{side}",
            f"by_{side}_low",
            f"by_{side}_high",
            settings=_REPORT,
        )
        for side in "ab"
    ),
    IntervalCheck(
        "predictivity: phi with an outcome",
        "predictivity",
        "target",
        ("measure", "target"),
        "phi",
        "low",
        "high",
        settings=_REPORT,
    ),
    IntervalCheck(
        "predictivity: behind the best for an outcome",
        "predictivity",
        "target",
        ("measure", "target"),
        "behind",
        "behind_low",
        "behind_high",
        settings=_REPORT,
    ),
)
NOT_STUDIED = (
    NotStudied(
        "predictivity",
        "halving",
        "low",
        "a Monte-Carlo interval: the topics at hand are the population, so that no sample of topics has a truth",
    ),
)


def _cells(result: Result, name: str, verdict: str) -> list[list[str]] | None:
    """Measure and given of every cell with a verdict: more than the sentence names."""
    if not said(result, name):
        return None
    table = result.tables["redundancy"]
    return [[*row] for row in table.filter(table["verdict"] == verdict).select("measure", "given").iter_rows()]


def _redundant(result: Result) -> list[list[str]] | None:
    return _cells(result, "redundant_measures", REDUNDANT)


def _as_well(result: Result) -> list[list[str]] | None:
    return _cells(result, "measures_predicted_as_well", AS_WELL)


MARGIN = 0.01


def is_as_well(measure: str, given: str, facts: Facts) -> bool:
    """Whether a measure is truly predicted as well by another, at this number of topics."""
    return facts.expected["predictivity: difference"][measure, given] > -MARGIN


def is_redundant(measure: str, given: str, facts: Facts) -> bool:
    """Whether a measure is truly redundant given another, at this number of topics."""
    return is_as_well(measure, given, facts) and facts.expected["predictivity: gain"][measure, given] < MARGIN


def _some(holds: Callable[[str, str, Facts], bool], facts: Facts) -> bool:
    cells = [(a, b) for a in facts.truth.measures for b in facts.truth.measures if a != b]
    return any(holds(a, b, facts) for a, b in cells)


Outcome = tuple[str, Sequence[str], bool]


def _outcomes(result: Result) -> list[Outcome] | None:
    """Every outcome with the measures that may correlate most with it, and whether some is said to at all."""
    if not said(result, "measure_of_an_outcome"):
        return None
    alpha = 1 - level_of(result)
    parts = [part.to_dicts() for part in by_target(result.tables["target"])]
    every = [(rows[0]["target"], may_correlate_most(rows, alpha), is_correlated(rows, alpha)) for rows in parts]
    return [one for one in every if one[2]] or None  # that none is shown to correlate infers nothing


def _outcome_is_wrong(outcomes: Sequence[Outcome], facts: Facts) -> bool:
    """Whether the measure that truly correlates most is excluded, or none truly correlates.

    Where all runs have one mean, an outcome of theirs has nothing to correlate with.
    """
    if is_null(facts.truth):
        return True
    phi = facts.expected["predictivity: phi with an outcome"]
    for target, leaders, _ in outcomes:
        of = {measure: value for (measure, name), value in phi.items() if name == target}
        best = max(of.values())
        if best <= 0 or all(of[name] < best - 1e-12 for name in leaders):
            return True
    return False


def _some_outcome(facts: Facts) -> bool:
    correlates = max(facts.expected["predictivity: phi with an outcome"].values(), default=0.0) > 0
    return correlates and not is_null(facts.truth)


SENTENCES = (
    SentenceCheck(
        "redundant_measures",
        "predictivity",
        _redundant,
        lambda cells, facts: not all(is_redundant(measure, given, facts) for measure, given in cells),
        lambda facts: _some(is_redundant, facts),
        _REPORT,
    ),
    SentenceCheck(
        "measures_predicted_as_well",
        "predictivity",
        _as_well,
        lambda cells, facts: not all(is_as_well(measure, given, facts) for measure, given in cells),
        lambda facts: _some(is_as_well, facts),
        _REPORT,
    ),
    SentenceCheck("measure_of_an_outcome", "predictivity", _outcomes, _outcome_is_wrong, _some_outcome, _REPORT),
)
DESCRIPTIVE = (
    Descriptive(
        "unsettled_redundancy", "it names tests that were not significant, and claims nothing of their truth"
    ),
)
