"""What `reliability` says: variances, E-rho^2, Phi, topics needed, and how like unlimited topics rank the runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.analyses.reliability.tables import ALL, BEST, curve_sizes, reversed_pairs
from assay.core.arrays import Array, Index
from assay.results.result import Result
from assay.results.sentences import MANY_RUNS, level_of
from assay.results.unlimited import first_ranking
from assay.stats.unlimited_topics import TIMES
from assay.stats.variance import COEFFICIENTS, SOURCES, Coefficient, coefficient, topics_needed
from bench.validity.declare import Facts, IntervalCheck, Key, NotStudied, SentenceCheck, said
from bench.validity.known import best_runs, is_null, true_components, true_ratios, true_taus
from bench.validity.truths import Truth

TARGETS = (0.8, 0.9, 0.95)
_OF_BEST = "that of the truly best three quarters of the runs, chosen by a sample"
_TIMES, _TAU = "reliability: times", "reliability: tau with unlimited topics"
UNLIMITED = (
    "wider than its level: it reaches from the tau that halves show to that with their trend carried on, because a "
    "point between them is biased"
)
Runs = Callable[[Truth], slice | Index]


def _every_run(truth: Truth) -> slice:  # noqa: ARG001
    return slice(None)


def _by_measure(truth: Truth, values: Array) -> dict[Key, float]:
    return {(m,): float(value) for m, value in zip(truth.measures, values, strict=True)}


def _coefficients(of: Coefficient, runs: Runs) -> Callable[[Truth, int], dict[Key, float]]:
    def known(truth: Truth, n_topics: int) -> dict[Key, float]:
        return _by_measure(truth, coefficient(true_ratios(truth, of, runs(truth)), n_topics))

    return known


def _curve(of: Coefficient) -> Callable[[Truth, int], dict[Key, float]]:
    def known(truth: Truth, n_topics: int) -> dict[Key, float]:
        ratios = true_ratios(truth, of)
        values = {n: coefficient(ratios, n) for n in curve_sizes(2 * n_topics)}
        return {(m, str(n)): float(v[i]) for n, v in values.items() for i, m in enumerate(truth.measures)}

    return known


def _needed(runs: Runs) -> Callable[[Truth, int], dict[Key, float]]:
    def known(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
        return {
            (m, of, str(target)): float(n)
            for of in COEFFICIENTS
            for target in TARGETS
            for m, n in zip(truth.measures, topics_needed(true_ratios(truth, of, runs(truth)), target), strict=True)
        }

    return known


def _components(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    components = true_components(truth)
    return {
        (m, source): float(getattr(components, source)[i]) for i, m in enumerate(truth.measures) for source in SOURCES
    }


def _times(truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    """How many times as many topics one measure needs as another; 1 where no run is better than another."""
    true: dict[Key, float] = {}
    for name, runs in ((ALL, slice(None)), (BEST, best_runs(truth))):
        for of in COEFFICIENTS:
            ratios = dict(zip(truth.measures, true_ratios(truth, of, runs).tolist(), strict=True))
            for a, b in combinations(truth.measures, 2):
                true[name, of, a, b] = ratios[b] / ratios[a] if ratios[a] > 0 else 1.0
    return true


def true_unlimited(truth: Truth, n_topics: int) -> dict[Key, float]:
    """The expected tau with the true ranking, at as many topics, and at two and four times that."""
    sizes = [times * n_topics for times in TIMES]
    taus = {n: true_taus(truth, n) for n in sizes}
    return {(m, str(n)): float(taus[n][i]) for n in sizes for i, m in enumerate(truth.measures)}


def true_reversed(truth: Truth, n_topics: int) -> dict[Key, float]:
    """The expected share of pairs of runs in another order than the true one."""
    return {key: (1 - tau) / 2 for key, tau in true_unlimited(truth, n_topics).items()}


def unlimited_checks(analysis: str) -> tuple[IntervalCheck, ...]:
    """The table of n, 2n and 4n topics, which two analyses show."""
    rows = ("unlimited", ("measure", "n_topics"))
    return (
        IntervalCheck(
            f"{analysis}: tau with unlimited topics",
            analysis,
            *rows,
            "tau",
            "low",
            "high",
            "true mean tau with the true ranking",
            true_unlimited,
            label=UNLIMITED,
        ),
        IntervalCheck(
            f"{analysis}: reversed by unlimited topics",
            analysis,
            *rows,
            "reversed",
            "reversed_low",
            "reversed_high",
            "true mean share of pairs in another order than the true one",
            true_reversed,
            label=UNLIMITED,
        ),
    )


def _of_coefficients() -> list[IntervalCheck]:
    checks = []
    for of in COEFFICIENTS:
        ends = (of, f"{of}_low", f"{of}_high")
        every, best = _coefficients(of, _every_run), _coefficients(of, best_runs)
        checks += [
            IntervalCheck(
                f"reliability: {of}", "reliability", None, ("measure",), *ends, "that of these runs", every
            ),
            IntervalCheck(
                f"reliability: {of} of the best runs", "reliability", "best", ("measure",), *ends, _OF_BEST, best
            ),
            IntervalCheck(
                f"reliability: {of} by topics",
                "reliability",
                "curve",
                ("measure", "n_topics"),
                *ends,
                "that of these runs",
                _curve(of),
            ),
        ]
    return checks


@dataclass(frozen=True, slots=True)
class _NumberCheck(IntervalCheck):
    """A number of topics whose interval may have no upper end."""

    def rows(self, result: Result) -> Iterator[tuple[Key, float, float, float]]:
        """Every interval; infinite where it has no end."""
        for key, value, low, high in IntervalCheck.rows(self, result):
            yield key, value, low, math.inf if math.isnan(high) and not math.isnan(low) else high


_NEED = (("measure", "coefficient", "target"), "n_topics", "low", "high")
INTERVALS: tuple[IntervalCheck, ...] = (
    *_of_coefficients(),
    _NumberCheck(
        "reliability: topics needed",
        "reliability",
        "topics_needed",
        *_NEED,
        "true number, for these runs",
        _needed(_every_run),
    ),
    _NumberCheck(
        "reliability: topics needed of the best runs",
        "reliability",
        "topics_needed_best",
        *_NEED,
        _OF_BEST,
        _needed(best_runs),
    ),
    IntervalCheck(
        "reliability: components",
        "reliability",
        "components",
        ("measure", "source"),
        "variance",
        "low",
        "high",
        "true variance, for these runs",
        _components,
    ),
    IntervalCheck(
        _TIMES,
        "reliability",
        "comparisons",
        ("runs", "coefficient", "measure_a", "measure_b"),
        "times",
        "low",
        "high",
        "true ratio, for these runs; `best`: for the truly best three quarters",
        _times,
    ),
    *unlimited_checks("reliability"),
)
_FACET = (
    "a measure under several judgments: populations with two sets of judgments are those of judges, and levels are "
    "taken as given"
)
NOT_STUDIED = (
    NotStudied("reliability", "facets", "low", _FACET),
    NotStudied("reliability", "facet_stability", "e_rho2_low", _FACET),
    NotStudied("reliability", "facet_stability", "phi_low", _FACET),
)


def _stated_taus(result: Result) -> list[list[object]] | None:
    """The interval of the first measure's tau at as many topics: that, or that of the pairs reversed, is stated."""
    if not said(result, "topics_for_stability"):
        return None
    now, *_ = first_ranking(result.tables["unlimited"])
    return [[now["measure"], str(now["n_topics"]), now["low"], now["high"]]]


def outside(stated: Sequence[tuple[str, str, float, float]], expected: dict[Key, float]) -> bool:
    """Whether the truth is outside of any of some intervals."""
    return any(not low - 1e-12 <= expected[m, n] <= high + 1e-12 for m, n, low, high in stated)


def _a_tau_is_outside(stated: Sequence[tuple[str, str, float, float]], facts: Facts) -> bool:
    return is_null(facts.truth) or outside(stated, dict(facts.expected[_TAU]))


def some_ranking_holds(facts: Facts) -> bool:
    """Whether unlimited topics have a ranking at all, that others could come near to."""
    return not is_null(facts.truth)


def _reversed(result: Result) -> list[str] | None:
    if not said(result, "worst_runs_decide"):
        return None
    pair = reversed_pairs(result.tables["comparisons"], "phi", alpha=1 - level_of(result))[0]
    return [pair.first, pair.second]


def _needs_less(facts: Facts, runs: str, a: str, b: str) -> bool:
    """Whether the first measure truly needs fewer topics than the second."""
    times = facts.expected[_TIMES]
    key = (runs, "phi", a, b)
    return times[key] < 1 if key in times else times[runs, "phi", b, a] > 1


def _is_not_reversed(pair: tuple[str, str], facts: Facts) -> bool:
    """Whether the first is not more stable with all runs, or not less stable without the worst."""
    a, b = pair
    return not (_needs_less(facts, ALL, a, b) and _needs_less(facts, BEST, b, a))


def _some_are_reversed(facts: Facts) -> bool:
    truth = facts.truth
    if truth.n_runs < MANY_RUNS.value:
        return False
    whole, best = (np.argsort(true_ratios(truth, "phi", runs)) for runs in (slice(None), best_runs(truth)))
    return whole.tolist() != best.tolist()


SENTENCES = (
    SentenceCheck("topics_for_stability", "reliability", _stated_taus, _a_tau_is_outside, some_ranking_holds),
    SentenceCheck("worst_runs_decide", "reliability", _reversed, _is_not_reversed, _some_are_reversed),
)
