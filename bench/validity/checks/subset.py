"""What `subset` says: how like all topics, and like unlimited ones, a part of them ranks the runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.results.result import Result
from assay.results.unlimited import first_ranking, known_rows
from assay.stats.unlimited_topics import TIMES
from bench.validity.checks.reliability import UNLIMITED, outside, some_ranking_holds, unlimited_checks
from bench.validity.declare import Facts, IntervalCheck, Key, NotStudied, SentenceCheck, said
from bench.validity.known import is_null, true_taus
from bench.validity.truths import Truth

TAU = 0.9  # that rankings are asked to have
_STEPS = 12  # sizes up to four times the topics at which the true tau is looked at
_RANGE = "subset: topics for tau"


def _true_halves(truth: Truth, n_topics: int) -> dict[Key, float]:
    return {(m,): float(tau) for m, tau in zip(truth.measures, true_taus(truth, n_topics // 2), strict=True)}


def _true_sizes(truth: Truth, n_topics: int) -> dict[Key, float]:
    """How many topics the tau takes, read off between a few sizes; infinite beyond four times as many."""
    sizes = [max(1, round(TIMES[-1] * n_topics * step / _STEPS)) for step in range(1, _STEPS + 1)]
    taus = [true_taus(truth, n) for n in sizes]
    return {(m,): _first(sizes, [float(tau[i]) for tau in taus]) for i, m in enumerate(truth.measures)}


def _first(sizes: list[int], taus: list[float]) -> float:
    before, lower = 0.0, 0.0
    for n, tau in zip(sizes, taus, strict=True):
        if tau >= TAU:
            return before + (TAU - lower) / (tau - lower) * (n - before)
        before, lower = float(n), tau
    return math.inf


@dataclass(frozen=True, slots=True)
class _RangeCheck(IntervalCheck):
    """A range of topics, of which an end may be beyond four times as many as there are."""

    def rows(self, result: Result) -> Iterator[tuple[Key, float, float, float]]:
        """Every range; without an end where it has none."""
        known = known_rows(result.tables["unlimited"])
        for row in result.tables["sizes"].to_dicts():
            low, high = row[self.low], row[self.high]
            if row["measure"] not in known:
                low = high = math.nan
            most = float(TIMES[-1] * row["n_topics"])
            yield (row["measure"],), math.nan, most if low is None else low, math.inf if high is None else high


INTERVALS: tuple[IntervalCheck, ...] = (
    IntervalCheck(
        "subset: tau of halves with unlimited topics",
        "subset",
        None,
        ("measure",),
        "tau_unlimited",
        "low",
        "high",
        "true mean tau of half of the topics with the true ranking",
        _true_halves,
        label=UNLIMITED,
    ),
    *unlimited_checks("subset"),
    _RangeCheck(
        _RANGE,
        "subset",
        "sizes",
        ("measure",),
        "unlimited_low",
        "unlimited_low",
        "unlimited_high",
        "true number of topics for a mean tau of .9 with the true ranking",
        _true_sizes,
        label=UNLIMITED,
    ),
)
NOT_STUDIED = (
    NotStudied("subset", "curve", "low", "the middle 90% of random subsets of these topics: no sampling error"),
)


def _stated(result: Result) -> dict[str, Any] | None:
    """The interval of the first measure's tau, and the least and the most topics that are said to be needed."""
    if not said(result, "topics_enough"):
        return None
    size = result.tables["sizes"].row(0, named=True)
    now, *_ = first_ranking(result.tables["unlimited"])
    n, low, high = size["n_topics"], size["unlimited_low"], size["unlimited_high"]
    least = TIMES[-1] * n if low is None else low
    if high is not None:
        least = n if low is not None and low > n else 0  # "are too few", which "may be too few" is not
    return {"tau": [now["measure"], str(now["n_topics"]), now["low"], now["high"]], "topics": [least, high]}


def _is_outside(claim: dict[str, Any], facts: Facts) -> bool:
    """Whether the true tau is outside its interval, or the number of topics not as said."""
    if is_null(facts.truth):
        return True
    least, most = claim["topics"]
    true = facts.expected[_RANGE][claim["tau"][0],]
    in_range = least - 1 <= true and (most is None or true <= most)
    return outside([claim["tau"]], dict(facts.expected["subset: tau with unlimited topics"])) or not in_range


SENTENCES = (SentenceCheck("topics_enough", "subset", _stated, _is_outside, some_ranking_holds),)
