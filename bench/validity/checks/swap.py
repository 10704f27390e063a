"""What `swap` says: how often an order is reversed, and from which difference on new topics rarely reverse it."""

from __future__ import annotations

import math

from assay.analyses.swap.analysis import WIDTH
from assay.analyses.swap.swaps import needed_difference
from assay.results.result import Result
from bench.validity.declare import Facts, IntervalCheck, Key, SentenceCheck, said
from bench.validity.known import is_null, true_swaps
from bench.validity.truths import Truth

RATE = 0.05
_NEEDED = "swap: needed"


def _true_needed(truth: Truth, n_topics: int) -> dict[Key, float]:
    """The difference on one sample from which on another reverses at most the rate; infinite where none is."""
    true: dict[Key, float] = {}
    for measure, swaps in zip(truth.measures, true_swaps(truth, n_topics, width=WIDTH), strict=True):
        needed = needed_difference(swaps.rates, swaps.n, width=WIDTH, target=RATE)
        true[measure,] = math.inf if is_null(truth) or math.isnan(needed) else needed
    return true


def _true_rates(truth: Truth, n_topics: int) -> dict[Key, float]:
    """The share of decisions on half of the topics that as many others reverse."""
    swaps = true_swaps(truth, n_topics // 2, width=WIDTH)
    return {(measure,): own.rate for measure, own in zip(truth.measures, swaps, strict=True)}


INTERVALS = (
    IntervalCheck(
        _NEEDED,
        "swap",
        None,
        ("measure",),
        "needed",
        "needed_low",
        "needed_high",
        "true difference at which as many new topics reverse 5%",
        _true_needed,
    ),
    IntervalCheck(
        "swap: rate",
        "swap",
        None,
        ("measure",),
        "swap_rate",
        "low",
        "high",
        "true share reversed by as many new topics, with half of the topics",
        _true_rates,
        label="a rate near 0, whose logarithm varies more as topics are left out than from sample to sample",
    ),
)


def _stated(result: Result) -> list[object] | None:
    """The measure, and the difference from which on new topics are said to reverse at most the rate."""
    if not said(result, "lasting_differences"):
        return None
    row = result.table.row(0, named=True)
    return [row["measure"], row["needed_high"]]


def _is_too_small(claim: tuple[str, float], facts: Facts) -> bool:
    """Whether new topics truly reverse more at that difference."""
    measure, difference = claim
    return difference < facts.expected[_NEEDED][measure,]


def _some_difference_lasts(facts: Facts) -> bool:
    return not is_null(facts.truth)


SENTENCES = (SentenceCheck("lasting_differences", "swap", _stated, _is_too_small, _some_difference_lasts),)
