"""G-studies, one per measure, and their tables: coefficients, components, topics needed, curves, comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.core.arrays import Array, Index
from assay.core.text import Row, known
from assay.results.schemas import schema, table
from assay.scoring.scores import Scores
from assay.stats.intervals import jackknife_error, jackknife_interval
from assay.stats.prediction import one_sided_p
from assay.stats.significance.pairs import corrected
from assay.stats.variance import (
    COEFFICIENTS,
    SOURCES,
    Coefficient,
    JackknifedComponents,
    MeanSquares,
    RunEffects,
    Source,
    coefficient,
    mean_squares,
    topics_needed,
    whole_topics,
)

COEFFICIENT_COLUMNS = ("e_rho2", "e_rho2_low", "e_rho2_high", "phi", "phi_low", "phi_high")
ALL, BEST = "all", "best"  # sets of runs
_VARIANCES = ("var_run", "var_topic", "var_interaction")
_STABILITY = schema("measure", "n_topics", *_VARIANCES, *COEFFICIENT_COLUMNS)
_COMPONENTS = schema(
    *("measure", "source", "dof", "mean_square", "variance", "low", "high", "share"), source=pl.String, dof=pl.Int64
)
_NEEDED = schema(
    *("measure", "coefficient", "target", "n_topics", "low", "high"),
    coefficient=pl.String,
    low=pl.Int64,
    high=pl.Int64,
)
_COMPARISONS = schema(
    *("runs", "coefficient", "measure_a", "measure_b", "times", "low", "high", "p"),
    runs=pl.String,
    coefficient=pl.String,
)
_POINTS, _STEEP = 50, 15  # of a curve; topics up to which it has them all
_FLAT = 1e-12  # scores that differ by less are the same


@dataclass(frozen=True, slots=True)
class GStudy:
    """The G-study of one measure."""

    measure: str
    x: Array  # [run, topic], without topics that have no score
    topics: Index  # [topic]: which of all topics these are
    squares: MeanSquares
    jackknife: JackknifedComponents | None  # None where there is too little to leave any out
    runs: RunEffects  # what the intervals are about
    level: float

    @classmethod
    def of(cls, measure: str, x: Array, topics: Index, *, runs: RunEffects, level: float) -> GStudy:
        """Study scores without gaps, with intervals for these runs or for runs like them; `x` is [run, topic]"""
        x = np.zeros_like(x) if _flat(x) else x
        jackknife = JackknifedComponents.of(x) if min(x.shape) > 1 else None
        return cls(measure, x, topics, mean_squares(x), jackknife, runs, level)

    def ends(self, of: Coefficient) -> tuple[float, float]:
        """The interval of the ratio, not clipped."""
        fixed = self.jackknife if self.runs == "fixed" else None
        interval = fixed.ratio_interval if fixed else self.squares.interval
        low, high = interval(of, level=self.level)
        return float(low), float(high)

    def component_ends(self, source: Source) -> tuple[float, float]:
        """The interval of a variance."""
        fixed = self.jackknife if self.runs == "fixed" else None
        interval = fixed.interval if fixed else self.squares.component_interval
        low, high = interval(source, level=self.level)
        return float(low), float(high)

    def log_ratios(self, of: Coefficient) -> tuple[float, Array]:
        """The logarithm of the ratio, and without each group of topics. The latter is [group]"""
        ratio = self.ratio(of)
        left_out = self.jackknife.log_ratios(of) if self.jackknife else np.zeros(0)
        return float(np.log(ratio)) if ratio > 0 else np.nan, left_out

    @property
    def n_topics(self) -> int:
        """The topics that have a score."""
        return self.x.shape[1]

    @property
    def is_flat(self) -> bool:
        """Whether all scores are the same."""
        return _flat(self.x)

    def ratio(self, of: Coefficient) -> float:
        """Variance of runs over the error at one topic; not clipped."""
        return float(self.squares.ratio(of))

    def at(self, n: int, of: Coefficient) -> tuple[float, float, float]:
        """A coefficient at a number of topics with its interval, as it is printed: from 0 to 1."""
        low, high = self.ends(of)
        return _printed(self.ratio(of), n), _printed(low, n), _printed(high, n)


@dataclass(frozen=True, slots=True)
class BestRuns:
    """The best three quarters of the runs, by a measure."""

    n_all: int
    n_best: int
    by: str
    studies: list[GStudy]

    @property
    def words(self) -> str:
        """Which runs they are."""
        return f"{self.n_best} of {self.n_all} by {self.by}"


def _printed(ratio: float, n: int) -> float:
    return float(coefficient(np.maximum(np.array(ratio), 0.0), n))


def _flat(x: Array) -> bool:
    return bool(x.size and x.max() - x.min() < _FLAT)


def studies(data: Scores, *, runs: RunEffects, level: float) -> list[GStudy]:
    """Study every measure, on the scale of statistics; topics without a score are left out, and no run has gaps."""
    every = []
    for measure, x in zip(data.conditions, data.working(), strict=True):
        there = np.flatnonzero(~np.isnan(x).any(0))
        every.append(GStudy.of(measure, x[:, there], there, runs=runs, level=level))
    return every


def stability_table(every: Sequence[GStudy], sizes: Sequence[int]) -> pl.DataFrame:
    """Lay out every measure at its own number of topics, then at others."""
    rows = [_stability(study, n) for study in every for n in [study.n_topics, *sizes]]
    return table(rows, _STABILITY)


def at_own_topics(stability: pl.DataFrame) -> pl.DataFrame:
    """Of a table of stability, every measure at its own number of topics."""
    return stability.unique("measure", keep="first", maintain_order=True)


def _stability(study: GStudy, n: int) -> tuple[object, ...]:
    """The components and both coefficients at a number of topics; what is below 0 as 0."""
    components = study.squares.components
    variances = [max(float(getattr(components, source)), 0.0) for source in SOURCES]
    return study.measure, n, *variances, *(x for of in COEFFICIENTS for x in study.at(n, of))


def component_table(every: Sequence[GStudy]) -> pl.DataFrame:
    """Lay out every mean square and variance, not clipped, with the share of what is above 0."""
    return table((row for study in every for row in _components(study)), _COMPONENTS)


def _components(study: GStudy) -> Iterator[tuple[object, ...]]:
    s, components = study.squares, study.squares.components
    total = sum(max(float(getattr(components, source)), 0.0) for source in SOURCES)
    squares = zip((s.dof_run, s.dof_topic, s.dof_residual), (s.run, s.topic, s.residual), strict=True)
    for source, (dof, mean) in zip(SOURCES, squares, strict=True):
        variance = float(getattr(components, source))
        share = max(variance, 0.0) / total if total > 0 else np.nan
        yield study.measure, source, dof, float(mean), variance, *study.component_ends(source), share


def needed_table(every: Sequence[GStudy], targets: Sequence[float]) -> pl.DataFrame:
    """Lay out how many topics bring each coefficient to each target; nothing where no number does."""
    rows = [
        (study.measure, of, target, *(whole_topics(needed) for needed in _needed(study, of, target)))
        for study in every
        for of in COEFFICIENTS
        for target in targets
    ]
    return table(rows, _NEEDED)


def _needed(study: GStudy, of: Coefficient, target: float) -> Array:
    low, high = study.ends(of)
    return topics_needed(np.array([study.ratio(of), high, low]), target)


def curve_table(every: Sequence[GStudy], most: int) -> pl.DataFrame:
    """Lay out both coefficients from one topic to `most`, with their intervals."""
    rows = [_stability(study, n) for study in every for n in curve_sizes(most)]
    return table(rows, _STABILITY).drop(_VARIANCES)


def curve_sizes(most: int) -> list[int]:
    """The numbers of topics on a curve, from one to `most`; close to each other where it is steep."""
    even = np.linspace(1, most, _POINTS).round().astype(int).tolist()
    return sorted({*range(1, min(most, _STEEP) + 1), *even})


def comparison_table(parts: Mapping[str, Sequence[GStudy]], level: float) -> pl.DataFrame:
    """Lay out how many times as many topics one measure needs as another, paired over topics, by set of runs."""
    rows = [
        (runs, *row) for runs, every in parts.items() for of in COEFFICIENTS for row in _comparisons(every, of, level)
    ]
    return table(rows, _COMPARISONS)


def _comparisons(every: Sequence[GStudy], of: Coefficient, level: float) -> Iterator[tuple[object, ...]]:
    ratios = [(study, *study.log_ratios(of)) for study in every]
    for (a, log_a, out_a), (b, log_b, out_b) in combinations(ratios, 2):
        moved = out_b - out_a if np.array_equal(a.topics, b.topics) else np.zeros(0)
        ends = jackknife_interval(np.array(log_b - log_a), moved, level=level)
        times = [float(np.exp(x)) for x in (log_b - log_a, *ends)]
        yield of, a.measure, b.measure, *times, _p(log_b - log_a, moved)


def _p(difference: float, left_out: Array) -> float:
    """Two-tailed p-value of a difference of 0, from its values without each group of topics; NaN without these."""
    if len(left_out) < 2:
        return np.nan
    return 2 * float(one_sided_p(np.abs(difference), jackknife_error(left_out), len(left_out) - 1))


@dataclass(frozen=True, slots=True)
class ReversedPair:
    """Two measures whose order the worst runs reverse, significantly with all runs and without them."""

    first: str  # needs fewer topics with all runs, more without the worst
    second: str
    times: float  # as many topics as the second, which the first needs without the worst runs
    low: float
    high: float


def reversed_pairs(comparisons: pl.DataFrame, coefficient: Coefficient, *, alpha: float) -> list[ReversedPair]:
    """Find measures whose order the worst runs reverse significantly, the furthest apart first.

    Both orders have to be significant (an intersection-union test, whose p-value is the larger one), corrected by
    Holm's method for all pairs of measures, since all of them are searched.
    """
    more: dict[str, dict[tuple[str, str], Row]] = {ALL: {}, BEST: {}}  # the first needs more topics than the second
    rows = comparisons.filter(coefficient=coefficient).to_dicts()
    for row in rows:
        a, b = row["measure_a"], row["measure_b"]
        if known(row["times"]) and known(row["p"]):
            more[row["runs"]][(a, b) if row["times"] > 1 else (b, a)] = row
    opposite = {(a, b): row for (a, b), row in more[ALL].items() if (b, a) in more[BEST]}
    p = np.ones(sum(row["runs"] == ALL for row in rows))
    p[: len(opposite)] = [max(row["p"], more[BEST][b, a]["p"]) for (a, b), row in opposite.items()]
    found = [one for one, own in zip(opposite, corrected(p, "holm"), strict=False) if own < alpha]
    pairs = [ReversedPair(b, a, *_more_topics(more[BEST][b, a])) for a, b in found]
    return sorted(pairs, key=lambda pair: -pair.times)


def _more_topics(row: Row) -> tuple[float, float, float]:
    """How many times as many topics the one needs that needs more, with the interval."""
    times, low, high = (float(row[name]) for name in ("times", "low", "high"))
    return (times, low, high) if times > 1 else (1 / times, 1 / high, 1 / low)
