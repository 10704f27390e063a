"""What `compare` says: differences of all pairs at once, queries needed, slices at random, gates, the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.compare.comparisons import BETTER, EQUIVALENT, INCONCLUSIVE, WORSE
from assay.analyses.compare.families import SIMULTANEOUS
from assay.analyses.compare.gate import PASS, VIOLATED
from assay.analyses.compare.slices import AGAINST
from assay.results.result import Result
from assay.stats.paired.sample_size import topics_for
from bench.validity.checks.power import true_variances
from bench.validity.checks.score import ALIKE, true_means
from bench.validity.declare import Descriptive, Facts, IntervalCheck, Key, SentenceCheck, spoken_of
from bench.validity.truths import Truth

SIZES = (10, 25, 50, 200)
TRUTHS = (
    "blog 2008, few runs",
    "one mean, RR",
    "one mean, S@1",
    "robust 2004, few runs",
    "one mean, P@10",
    "one mean, S@1, robust 2004",
)
ALPHA, DIFFERENCE, MARGIN = 0.05, 0.02, 0.01
PAIRS = (("difference", DIFFERENCE), ("margin", MARGIN))
SLICES = str(Path("bench") / "validity" / "slices.tsv")  # languages at random: no slice truly moves
GATE = "> -0.01"
GATED = (("baseline", ("r00",)), ("gate", tuple(f"{m} {GATE}" for m in ("AP",))), ("slices", SLICES))

SEQUENTIAL = (("sequential", True),)
THESE = (("estimand", "these"), ("sequential", True))
GATED_WATCH = (("baseline", ("r00",)), ("gate", tuple(f"{m} {GATE}" for m in ("AP",))), ("sequential", True))

# --- what is true


def _true_differences(truth: Truth, n_topics: int) -> dict[Key, float]:
    mean = true_means(truth, n_topics)
    runs = truth.runs
    return {(m, a, b): mean[a, m] - mean[b, m] for m in truth.measures for a in runs for b in runs if a != b}


def _true_slices(truth: Truth, n_topics: int) -> dict[Key, float]:
    """Slices at random have the differences of all topics."""
    every = _true_differences(truth, n_topics)
    return {(m, name, a, b): d for (m, a, b), d in every.items() for name in ("de", "en", "fr")}


def _true_at_all_times(truth: Truth, n_topics: int) -> dict[Key, float]:
    """The differences do not change, however many queries were watched."""
    every = _true_differences(truth, n_topics)
    return {(*pair, str(n)): d for pair, d in every.items() for n in range(1, n_topics + 1)}


def _true_ratios(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The queries that every measure truly needs for each one that the first needs; 0 where no run differs."""
    means, i, j = truth.means(), *np.triu_indices(truth.n_runs, 1)
    signal = [
        (mean[i] - mean[j]) @ (mean[i] - mean[j]) / true_variances(truth, m)[i, j].sum()
        for m, mean in zip(truth.measures, means, strict=True)
    ]
    every = dict(zip(truth.measures, signal, strict=True))
    first = truth.measures[0]
    return {(first, m): every[first] / own if own > 0 else 0.0 for m, own in every.items() if m != first}


def _no_interaction(truth: Truth, n_topics: int) -> dict[Key, float]:
    return dict.fromkeys(_true_slices(truth, n_topics), 0.0)


def _no_error(truth: Truth, n_topics: int) -> dict[Key, float]:
    """The mean over the queries of a sample is what it is after the last of them, which the sample itself says."""
    return dict.fromkeys(_true_at_all_times(truth, n_topics), 0.0)


def _true_topics(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """The topics that the stated difference truly needs, of every pair."""
    n = truth.n_runs
    alpha = ALPHA / (n * (n - 1) // 2)
    needed: dict[Key, float] = {}
    for m in truth.measures:
        variance = true_variances(truth, m)
        needed |= {
            (m, a, b): topics_for(DIFFERENCE / np.sqrt(variance[i, j]), alpha)
            for i, a in enumerate(truth.runs)
            for j, b in enumerate(truth.runs)
            if i < j
        }
    return needed


# --- what is said


def _at_once(result: Result) -> pl.DataFrame:
    return result.table.filter(interval=SIMULTANEOUS)


def _single(result: Result) -> pl.DataFrame:
    """By further measures; of one measure, none."""
    return result.table.filter(pl.col("interval") != SIMULTANEOUS)


def _less_that_of_these(result: Result) -> pl.DataFrame:
    """The ends of watched intervals, less the mean over all queries of the sample."""
    pair = ["measure", "run_a", "run_b"]
    in_all = result.tables["sequence"].select(*pair, "value")
    ends = result.tables["running"].join(in_all, on=pair)
    return ends.with_columns(low=pl.col("low") - pl.col("value"), high=pl.col("high") - pl.col("value"))


_PAIR = ("measure", "run_a", "run_b")
_ENDS = ("difference", "low", "high")
_TRUE = ("true difference", _true_differences)
_SLICE = ("measure", "slice", "run_a", "run_b")
INTERVALS: tuple[IntervalCheck, ...] = (
    IntervalCheck(
        "compare: all pairs",
        "compare",
        None,
        _PAIR,
        *_ENDS,
        *_TRUE,
        PAIRS,
        read=_at_once,
        counted="at once",
        label="all pairs at once, by Bonferroni's method, which allows for any dependence between them",
    ),
    IntervalCheck("compare: further measures", "compare", None, _PAIR, *_ENDS, *_TRUE, PAIRS, read=_single),
    IntervalCheck(
        "compare: queries needed",
        "compare",
        "needed",
        _PAIR,
        "n_topics",
        "low",
        "high",
        "topics that the true variance of the pair asks for",
        _true_topics,
        PAIRS,
    ),
    IntervalCheck(
        "compare: within a slice", "compare", "slices", _SLICE, *_ENDS, "true difference", _true_slices, GATED
    ),
    IntervalCheck(
        "compare: slice against the rest",
        "compare",
        "slices",
        _SLICE,
        "interaction",
        "interaction_low",
        "interaction_high",
        "true interaction: none, of slices at random",
        _no_interaction,
        GATED,
    ),
    IntervalCheck(
        "compare: efficiency",
        "compare",
        "efficiency",
        ("measure_b", "measure_a"),
        "ratio",
        "low",
        "high",
        "true ratio of the queries needed, of all further measures at once",
        _true_ratios,
        PAIRS,
        counted="at once",
    ),
    IntervalCheck(
        "compare: gate",
        "compare",
        "gates",
        ("measure", "run", "baseline"),
        "value",
        "low",
        "high",
        *_TRUE,
        GATED,
        level=0.9,
    ),
    IntervalCheck(
        "compare: watched",
        "compare",
        "running",
        (*_PAIR, "n_topics"),
        "low",  # the mean so far is not shown, and the truth is known
        "low",
        "high",
        "true difference, of all pairs at all times",
        _true_at_all_times,
        SEQUENTIAL,
        counted="at once",
        repeated_in=("sequence",),
        label="at all times and of all pairs at once, so that fewer are wrong",
    ),
    IntervalCheck(
        "compare: watched, these queries",
        "compare",
        "running",
        (*_PAIR, "n_topics"),
        "low",
        "low",
        "high",
        "mean difference over the queries of the sample, of all pairs at all times",
        _no_error,
        THESE,
        read=_less_that_of_these,
        counted="at once",
        label="at all times and of all pairs at once, so that fewer are wrong",
    ),
    IntervalCheck(
        "compare: gate, watched",
        "compare",
        "gates",
        ("measure", "run", "baseline"),
        "value",
        "low",
        "high",
        *_TRUE,
        GATED_WATCH,
        level=0.9,
        label="at all times, of which this is the last",
    ),
)


def _measure_claim(result: Result) -> list[str] | None:
    """Which measure is said to need fewer queries, and which more."""
    said = [one.action.removeprefix("Use ") for one in result.sentences if one.name == "efficient_measure"]
    if not said:
        return None
    ratios = result.tables["efficiency"]
    first = ratios["measure_b"][0]
    others = ratios.filter(pl.col("low") > 1)["measure_a"].to_list()
    return [said[0], *(others if said[0] == first else [first])]


def _measure_claim_is_false(claim: Sequence[str], facts: Facts) -> bool:
    """Whether the measure that is said to need fewer queries needs as many as one of the others, or more."""
    first = facts.truth.measures[0]
    needed = {other: ratio for (_, other), ratio in _true_ratios(facts.truth, facts.n_topics).items()} | {first: 1.0}
    best, *others = claim
    return any(needed[best] >= needed[other] for other in others)


def _systems_claim(result: Result) -> dict[str, Any] | None:
    """What is decided of every pair by the first measure, and at least how many queries the others need."""
    if not spoken_of(result, "compared_systems"):
        return None
    rows = result.table.filter(measure=result.table["measure"][0])
    decided = rows.filter(pl.col("verdict").is_in([BETTER, WORSE, EQUIVALENT]))
    needed = rows.filter((pl.col("verdict") == INCONCLUSIVE) & pl.col("topics_needed").is_not_null())
    return {
        "measure": rows["measure"][0],
        "n_pairs": rows.height,
        "decided": [list(row) for row in decided.select("run_a", "run_b", "verdict").rows()],
        "at_least": [list(row) for row in needed.select("run_a", "run_b", "topics_needed").rows()],
    }


def _systems_claim_is_false(claim: Mapping[str, Any], facts: Facts) -> bool:
    """Whether a system said to be better is not, one said to be equivalent is not, or fewer queries would do."""
    mean = facts.means(claim["measure"])
    for a, b, verdict in claim["decided"]:
        lead = mean[a] - mean[b]
        wrong = {BETTER: lead <= ALIKE, WORSE: lead >= -ALIKE, EQUIVALENT: abs(lead) >= MARGIN}
        if wrong[verdict]:
            return True
    return any(_fewer_would_do(claim, a, b, n, facts) for a, b, n in claim["at_least"])


def _fewer_would_do(claim: Mapping[str, Any], a: str, b: str, n: int, facts: Facts) -> bool:
    mean, runs = facts.means(claim["measure"]), facts.truth.runs
    lead = abs(mean[a] - mean[b])
    if lead <= ALIKE:
        return False
    variance = true_variances(facts.truth, claim["measure"])[runs.index(a), runs.index(b)]
    return topics_for(lead / np.sqrt(variance), ALPHA / claim["n_pairs"]) < n


def _slice_claim(result: Result) -> list[str] | None:
    slices = result.tables["slices"]
    if not slices.height or slices["moves"][0] != AGAINST:
        return None
    return list(slices.select("slice", "run_a", "run_b").row(0))


def _gate_claim(result: Result) -> list[list[str]] | None:
    said = result.tables["gates"].filter(pl.col("verdict").is_in([PASS, VIOLATED]))
    return [list(row) for row in said.select("measure", "run", "baseline", "verdict").rows()] or None


def _gate_claim_is_false(claim: Sequence[Sequence[str]], facts: Facts) -> bool:
    """Whether one of the conditions that are said to hold does not, or one that is said to be violated does."""
    for measure, run, baseline, verdict in claim:
        mean = facts.means(measure)
        holds = mean[run] - mean[baseline] > -0.01
        if holds is not (verdict == PASS):
            return True
    return False


SENTENCES: tuple[SentenceCheck, ...] = (
    SentenceCheck("compared_systems", "compare", _systems_claim, _systems_claim_is_false, settings=PAIRS),
    SentenceCheck("efficient_measure", "compare", _measure_claim, _measure_claim_is_false, settings=PAIRS),
    SentenceCheck("slice_against", "compare", _slice_claim, lambda *_: True, lambda _: False, GATED),
    SentenceCheck("gate_verdict", "compare", _gate_claim, _gate_claim_is_false, settings=GATED),
)
DESCRIPTIVE = (Descriptive("unjudged_shares", "counts what nobody judged"),)
