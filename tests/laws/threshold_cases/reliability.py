"""Examples just inside and just outside the thresholds of `reliability`."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from assay.analyses.reliability.analysis import reliability
from assay.analyses.reliability.sentences import topics_for_stability
from tests.builders.reliability import needed, noisy_scores, studied
from tests.laws.threshold_cases.case import Case


def named_target(lower: float, higher: float) -> str:
    """Which of two targets the sentence on stability names."""
    targets = {"lower": (lower, 17), "higher": (higher, 40)}
    rows = [needed({"AP": (n, 1, 99)}, {}, target) for target, n in targets.values()]
    sentence = topics_for_stability(replace(studied(), tables={"topics_needed": pl.concat(rows)}))
    assert sentence is not None
    return next(name for name, (_, n) in targets.items() if n == sentence.value)


def few_levels(n: int) -> bool:
    """Whether a note says that a facet of n levels has few."""
    names = tuple(f"AP/shard={i}" for i in range(n))
    return "few_levels" in {note.code for note in reliability(noisy_scores(4, 5, names=names)).notes}


CASES: dict[str, Case] = {
    "stable_coefficient": Case(
        lambda: named_target(0.90, 0.99), lambda: named_target(0.91, 1.0), moved=0.94, rule="topics_for_stability"
    ),
    "many_levels": Case(lambda: few_levels(5), lambda: few_levels(4), moved=6, rule="reliability"),
}
