"""Comparisons within slices of the queries, such as languages, and whether a slice moves against the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from assay.analyses.compare.comparisons import Comparisons
from assay.analyses.compare.evidence import Pairing
from assay.core.arrays import Array, Bools
from assay.core.notes import Note
from assay.core.text import first_few
from assay.core.thresholds import Threshold
from assay.results.schemas import schema, table
from assay.stats.paired.clusters import clustered_mean
from assay.stats.significance.pairs import EPSILON, corrected

MOST_SLICES = Threshold(
    "most_slices", 50, unit="values", meaning="of a column with more, such as the text of a query, no slices are made"
)
AGAINST, OTHERWISE = "against", "otherwise"
"""How a slice moves that differs significantly from the rest: the other way, or the same way by more or less."""

_ALIKE = 1e-6  # by which two p-values differ that are the same but for rounding
_ORDER = (AGAINST, OTHERWISE, "")
SCHEMA = schema(
    "measure", "column", "slice", "run_a", "run_b", "n_topics", "difference", "low", "high", "p", "rest",
    "interaction", "interaction_low", "interaction_high", "p_interaction", "moves",
    **dict.fromkeys(("column", "slice", "moves"), pl.String),
)  # fmt: skip


def slice_table(
    measure: str, attributes: pl.DataFrame, of: Comparisons, pairing: Pairing, *, alpha: float, sign: int
) -> pl.DataFrame:
    """Compare every pair within every slice, and the slice with the rest; those that move against it first.

    p-values are corrected by Holm, those of differences and those of interactions each over all rows. Whenever the
    next slice differs significantly, it no longer counts as the rest of the other slices of its column: else one
    large slice that moves would make all the others seem to move the other way. `sign` turns differences back into
    the units of a measure of which lower is better.
    """
    rows = [
        _Row(column, name, i, a, b, inside, one)
        for column, name, inside in slices_of(attributes)
        for i, a, b in pairing
        if (one := _compared(of, i, inside, ~inside, alpha)) is not None
    ]
    p = corrected(np.array([row.of.p for row in rows]), "holm").tolist()
    moved = _by_steps(rows, of, alpha)
    order = sorted(range(len(rows)), key=lambda k: (_ORDER.index(moved[k][1]), moved[k][0] if moved[k][1] else 0.0))
    return table(((measure, *rows[k].cells(sign, p[k], moved[k][0]), moved[k][1]) for k in order), SCHEMA)


def _by_steps(rows: list[_Row], of: Comparisons, alpha: float) -> list[tuple[float, str]]:
    """Test whether slices differ from the rest, the clearest first (Holm): p after correction, and how each moves.

    A slice that differs is set aside from the rest of its column; where too little is left, the others are not
    compared again and do not move. Of slices that differ alike, as two that are all queries do, the one that goes
    against the whole comes first.
    """
    found = [(1.0, "")] * len(rows)
    p = np.array([row.of.joint_p for row in rows])
    whole = np.array([row.of.difference * of.mean[row.pair] > 0 for row in rows])
    siblings: dict[tuple[str, int], list[int]] = {}
    for k, row in enumerate(rows):
        siblings.setdefault((row.column, row.pair), []).append(k)
    aside = {key: np.zeros(of.x.shape[1], dtype=np.bool_) for key in siblings}
    floor, n_left = 0.0, len(rows)
    while n_left and floor < alpha and np.isfinite(p).any():
        least = np.flatnonzero(p <= p.min() * (1 + _ALIKE))
        k = int(least[np.argmin(whole[least])])
        row, floor = rows[k], max(floor, min(p[k] * n_left, 1.0))
        if not floor < alpha:
            break
        key = row.column, row.pair
        found[k] = floor, AGAINST if row.of.difference * row.of.rest < 0 else OTHERWISE
        p[k], n_left = np.inf, n_left - 1
        aside[key] |= row.inside
        for other in siblings[key]:
            if np.isfinite(p[other]):
                again = _compared(of, row.pair, rows[other].inside, ~rows[other].inside & ~aside[key], alpha)
                found[other] = min(p[other] * n_left, 1.0), ""
                p[other] = np.inf if again is None else again.joint_p
                rows[other] = rows[other] if again is None else replace(rows[other], of=again)
    left = np.flatnonzero(np.isfinite(p))
    for other, own in zip(left.tolist(), corrected(p[left], "holm").tolist(), strict=True):
        found[other] = max(floor, own), ""
    return found


def slices_of(attributes: pl.DataFrame) -> Iterator[tuple[str, str, Bools]]:
    """Every slice: its column, its value, and which queries are in it; not those of columns with too many values."""
    for column in attributes.columns[1:]:
        values = attributes[column].drop_nulls().unique(maintain_order=True).to_list()
        if len(values) <= MOST_SLICES.value:
            for value in values:
                yield column, value, (attributes[column] == value).fill_null(value=False).to_numpy()


def slice_notes(path: str, attributes: pl.DataFrame) -> Iterator[Note]:
    """Say which columns make no slices, and how many queries are in none."""
    many = [name for name in attributes.columns[1:] if attributes[name].n_unique() > MOST_SLICES.value]
    if many:
        text = f"{path}: no slices by {first_few(many)}: more than {MOST_SLICES} different values"
        yield Note("many_slices", "info", text)
    n = attributes.select(pl.all_horizontal(pl.exclude("topic").is_null())).to_series().sum()
    if n:
        text = f"{path}: {n:,} of {attributes.height:,} queries in no slice"
        yield Note("in_no_slice", "caution", text)


@dataclass(frozen=True, slots=True)
class _Compared:
    """A pair within a slice and in the rest; higher is better."""

    n: int
    difference: float
    low: float
    high: float
    p: float
    rest: float
    joint_low: float
    joint_high: float
    joint_p: float


@dataclass(frozen=True, slots=True)
class _Row:
    column: str
    name: str
    pair: int
    run_a: str
    run_b: str
    inside: Bools  # [query]
    of: _Compared

    def cells(self, sign: int, p: float, joint: float) -> tuple[object, ...]:
        """What it is about, and the numbers in the units of the measure."""
        one = self.of
        ends = sorted((sign * one.low, sign * one.high))
        joint_ends = sorted((sign * one.joint_low, sign * one.joint_high))
        interaction = sign * (one.difference - one.rest)
        about = (self.column, self.name, self.run_a, self.run_b, one.n)
        return (*about, sign * one.difference, *ends, p, sign * one.rest, interaction, *joint_ends, joint)


def _compared(of: Comparisons, i: int, inside: Bools, outside: Bools, alpha: float) -> _Compared | None:
    """Compare a slice with the rest, by Welch's t test; nothing where either has fewer than two queries."""
    own, rest = (_mean(of, i, part) for part in (inside, outside))
    if own is None or rest is None:
        return None
    low, high, p = _interval(*own[:3], alpha)
    differing = int((np.nan_to_num(np.where(inside, of.of_pair(i), 0.0)) != 0).sum())
    p = max(p, min(2.0 ** (1 - differing), 1.0))  # as of all queries: no test of so few gives less
    error = float(np.hypot(own[1], rest[1]))
    parts = own[1] ** 4 / own[2] + rest[1] ** 4 / rest[2]
    dof = error**4 / parts if parts > 0 else 1.0
    joint = _interval(own[0] - rest[0], error, dof, alpha)
    return _Compared(own[3], own[0], low, high, p, rest[0], *joint)


def _mean(of: Comparisons, i: int, part: Bools) -> tuple[float, float, float, int] | None:
    """The mean difference over some queries, its error, degrees of freedom, and the number of queries."""
    d: Array = np.where(part, of.of_pair(i), np.nan)
    there = ~np.isnan(d)
    cluster = np.arange(d.size) if of.clusters is None else of.clusters
    _, cluster = np.unique(cluster[there], return_inverse=True)
    mean, error, dof = clustered_mean(d[there], cluster)
    if np.isnan(error):
        return None
    error = 0.0 if error <= EPSILON * of.largest[i] else error
    return mean, error, dof, int(there.sum())


def _interval(mean: float, error: float, dof: float, alpha: float) -> tuple[float, float, float]:
    """Student's interval at 1 - alpha, and p; what does not vary is not tested."""
    from scipy.special import stdtr, stdtrit

    half = float(-stdtrit(dof, alpha / 2)) * error
    p = float(2 * stdtr(dof, -abs(mean) / error)) if error > 0 else 1.0
    return mean - half, mean + half, p
