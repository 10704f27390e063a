"""One measure's G-study, and the rows that show it: coefficients, components, topics needed, curves, comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.numeric.jackknife import deletions, jackknife_interval
from assay.numeric.variance import (
    COEFFICIENTS,
    SOURCES,
    Coefficient,
    MeanSquares,
    coefficient,
    fitted_mean_squares,
    mean_squares,
    topics_needed,
)
from assay.scores import Array, Scores
from assay.tables import Index

ROW = "measure n_topics var_run var_topic var_interaction e_rho2 e_rho2_low e_rho2_high phi phi_low phi_high"
_KINDS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("n_topics", "n_levels", "dof"), pl.Int64),
    **dict.fromkeys(
        ("measure", "measure_a", "measure_b", "coefficient", "source", "facet", "effect", "runs"), pl.String
    ),
}
_POINTS, _STEEP = 50, 15  # of a curve; topics up to which it has them all
_FLAT = 1e-12  # scores that differ by less are the same


@dataclass(frozen=True, slots=True)
class Study:
    """The G-study of one measure."""

    measure: str
    x: Array  # [run, topic], without runs and topics that have no score at all
    topics: Index  # [topic]: which of all topics these are
    squares: MeanSquares

    @property
    def n_topics(self) -> int:
        """The topics that have a score."""
        return self.x.shape[1]

    @property
    def n_missing(self) -> int:
        """Cells without a score."""
        return int(np.isnan(self.x).sum())

    @property
    def is_flat(self) -> bool:
        """Whether all scores are the same."""
        return _flat(self.x)

    def ratio(self, of: Coefficient) -> float:
        """Variance of runs over the error at one topic; not clipped."""
        return float(self.squares.ratio(of))

    def ends(self, of: Coefficient, level: float) -> tuple[float, float]:
        """The interval of that ratio; not clipped."""
        low, high = self.squares.interval(of, level=level)
        return float(low), float(high)

    def at(self, n: int, of: Coefficient, level: float) -> tuple[float, float, float]:
        """A coefficient at a number of topics with its interval, as it is printed: from 0 to 1."""
        low, high = self.ends(of, level)
        return _printed(self.ratio(of), n), _printed(low, n), _printed(high, n)

    def left_out(self, of: Coefficient) -> Array:
        """The logarithm of the ratio without each group of topics. [group]"""
        kept = list(deletions(self.n_topics))
        if self.n_missing or len({topics.size for topics in kept}) > 1:
            ratios = np.array([float(_squares(self.x[:, topics]).ratio(of)) for topics in kept])
        else:
            ratios = mean_squares(np.stack([self.x[:, topics] for topics in kept])).ratio(of)
        return _log(ratios)


@dataclass(frozen=True, slots=True)
class Best:
    """The best three quarters of the runs, by a measure."""

    n_all: int
    n_best: int
    by: str
    found: list[Study]

    @property
    def words(self) -> str:
        """Say which runs they are."""
        return f"{self.n_best} of {self.n_all} by {self.by}"


def _printed(ratio: float, n: int) -> float:
    return float(coefficient(np.maximum(np.array(ratio), 0.0), n))


def _flat(x: Array) -> bool:
    return bool(x.size and np.nanmax(x) - np.nanmin(x) < _FLAT)


def _log(ratio: Array) -> Array:
    return np.log(np.where(ratio > 0, ratio, np.nan))


def _squares(x: Array) -> MeanSquares:
    return fitted_mean_squares(x) if np.isnan(x).any() else mean_squares(x)


def studies(data: Scores) -> list[Study]:
    """Study every measure, on the scale of statistics; runs and topics without a score are left out."""
    found = []
    for measure, x in zip(data.conditions, data.working(), strict=True):
        there = ~np.isnan(x)
        x = x[there.any(1)][:, there.any(0)]
        squares = _squares(np.where(np.isnan(x), np.nan, 0.0) if _flat(x) else x)
        found.append(Study(measure, x, np.flatnonzero(there.any(0)), squares))
    return found


def frame(columns: str, rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    """Lay rows out as a table; NaN is no value."""
    schema = {name: _KINDS.get(name, pl.Float64) for name in columns.split()}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.selectors.float().fill_nan(None))


def row(study: Study, n: int, level: float) -> tuple[object, ...]:
    """Show the components and both coefficients at a number of topics; what is below 0 as 0."""
    found = study.squares.components
    variances = [max(float(getattr(found, source)), 0.0) for source in SOURCES]
    return study.measure, n, *variances, *(x for of in COEFFICIENTS for x in study.at(n, of, level))


def component_table(found: Sequence[Study], level: float) -> pl.DataFrame:
    """Lay out every mean square and variance, not clipped, with the share of what is above 0."""
    rows = [line for study in found for line in _components(study, level)]
    return frame("measure source dof mean_square variance low high share", rows)


def _components(study: Study, level: float) -> Iterator[tuple[object, ...]]:
    s, found = study.squares, study.squares.components
    total = sum(max(float(getattr(found, source)), 0.0) for source in SOURCES)
    told = zip((s.dof_run, s.dof_topic, s.dof_residual), (s.run, s.topic, s.residual), strict=True)
    for source, (dof, mean) in zip(SOURCES, told, strict=True):
        variance = float(getattr(found, source))
        ends = (float(end) for end in s.component_interval(source, level=level))
        share = max(variance, 0.0) / total if total > 0 else np.nan
        yield study.measure, source, dof, float(mean), variance, *ends, share


def needed_table(found: Sequence[Study], targets: Sequence[float], level: float) -> pl.DataFrame:
    """Lay out how many topics bring each coefficient to each target; nothing where no number does."""
    rows = [
        (study.measure, of, target, *(_whole(needed) for needed in _needed(study, of, target, level)))
        for study in found
        for of in COEFFICIENTS
        for target in targets
    ]
    found_by = frame("measure coefficient target n_topics low high", rows)
    return found_by.with_columns(pl.col("low", "high").cast(pl.Int64))


def _needed(study: Study, of: Coefficient, target: float, level: float) -> Array:
    low, high = study.ends(of, level)
    return topics_needed(np.array([study.ratio(of), high, low]), target)


def _whole(n: float) -> int | None:
    return int(n) if np.isfinite(n) else None


def curve_table(found: Sequence[Study], most: int, level: float) -> pl.DataFrame:
    """Lay out both coefficients from one topic to `most`, with their intervals."""
    sizes = sorted({*range(1, min(most, _STEEP) + 1), *np.linspace(1, most, _POINTS).round().astype(int).tolist()})
    rows = [row(study, n, level) for study in found for n in sizes]
    return frame(ROW, rows).drop("var_run", "var_topic", "var_interaction")


def comparison_table(parts: Mapping[str, Sequence[Study]], level: float) -> pl.DataFrame:
    """Lay out how many times as many topics one measure needs as another, paired over topics, by set of runs."""
    rows = [
        (runs, *line)
        for runs, found in parts.items()
        for of in COEFFICIENTS
        for line in _comparisons(found, of, level)
    ]
    return frame("runs coefficient measure_a measure_b times low high", rows)


def _comparisons(found: Sequence[Study], of: Coefficient, level: float) -> Iterator[tuple[object, ...]]:
    known = [(study, _log(np.array(study.ratio(of))), study.left_out(of)) for study in found]
    for (a, log_a, out_a), (b, log_b, out_b) in combinations(known, 2):
        moved = out_b - out_a if np.array_equal(a.topics, b.topics) else np.zeros(0)
        ends = jackknife_interval(log_b - log_a, moved, level=level)
        yield of, a.measure, b.measure, float(np.exp(log_b - log_a)), *(float(np.exp(end)) for end in ends)
