"""Designs within a budget of judgments, side by side: the table, the answer in words, and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil

import numpy as np
import polars as pl

from assay.analyses.budget.designs import JudgingDesign
from assay.analyses.budget.phi import DesignPhi, extrapolated_phi, observed_phi
from assay.core.arrays import Array
from assay.core.text import Row, counted, known, score, span
from assay.results.charts import MAX_ROWS, Chart, category, field, intervals, lines, thin
from assay.results.schemas import schema, table
from assay.stats.prediction import split_jackknife
from assay.stats.splits import Splits

_GROUPS = 25  # of topics left out: what two topics change stands out twice as clearly from the noise of the splits
_DRAWN = 20  # designs of a budget that a picture shows
_MAY, _BEHIND = "may be best", "significantly behind"
_PHIS = ("phi", "low", "high", "phi_self", "self_low", "self_high")
_WHOLE = {"budget": pl.Int64, "pool_depth": pl.Int64, "depth": pl.Int64, "n_judged": pl.Int64}
_FLAGS = {"extrapolated": pl.Boolean, "best": pl.Boolean}
BUDGET = schema(
    *("budget", "measure", "pool_depth", "depth", "n_topics", "n_judged"),
    *("phi", "low", "high", "extrapolated", "best", "phi_self", "self_low", "self_high"),
    **_WHOLE,
    **_FLAGS,
)


@dataclass(frozen=True, slots=True)
class Affordable:
    """A design with as many topics as a budget allows."""

    design: int
    n_topics: int
    n_judged: int


class DesignPowers:
    """The predictive power of designs with any number of topics, each computed when it is first asked for."""

    def __init__(self, designs: Sequence[JudgingDesign], target: Array, halves: Splits, *, replicates: int) -> None:
        """`target` is [run, topic]; the first `replicates` splits carry the intervals."""
        self.designs = designs
        self.half = halves.size
        x = np.stack([design.value for design in designs])

        @cache
        def observed(size: int, chosen: tuple[int, ...]) -> DesignPhi:
            return observed_phi(x[list(chosen)], target, halves, size, replicates=replicates, groups=_GROUPS)

        self._observed = observed

    def at(self, n_topics: int, designs: Sequence[int]) -> DesignPhi:
        """Of some designs, all with this number of topics."""
        if n_topics < self.half:
            return self._observed(n_topics, tuple(designs))
        at_half = self._observed(self.half, tuple(range(len(self.designs)))).of(list(designs))
        return at_half if n_topics == self.half else extrapolated_phi(at_half, self.half, n_topics)


def affordable(designs: Sequence[JudgingDesign], per_topic: Mapping[int, float], budget: int) -> Iterator[Affordable]:
    """Each design with the most topics for at most `budget` judgments; those that not even one topic fits are out.

    `per_topic` is the mean number of judgments that a topic costs, by the depth of the pool.
    """
    for i, design in enumerate(designs):
        cost = per_topic[design.pool_depth]
        n = int(budget / cost + 1e-9) if cost else 0
        if n >= 1:
            yield Affordable(i, n, min(budget, ceil(n * cost - 1e-9)))


def compare_budget(powers: DesignPowers, choices: Sequence[Affordable], budget: int, *, level: float) -> list[Row]:
    """Lay out the designs of one budget, the highest phi first, and mark those that may be best."""
    of = [powers.at(one.n_topics, _alike(choices, one.n_topics)) for one in choices]
    at = [_alike(choices, one.n_topics).index(one.design) for one in choices]
    phi = np.array([p.value[0, k] for p, k in zip(of, at, strict=True)])
    best = may_be_best(
        phi,
        [p.changes[:, :, 0, k] for p, k in zip(of, at, strict=True)],
        exact=all(p.exact for p in of),
        level=level,
    )
    rows = [
        design_row(powers, one, p, k, level) | {"budget": budget, "best": bool(b)}
        for one, p, k, b in zip(choices, of, at, best, strict=True)
    ]
    return sorted(rows, key=lambda row: -np.nan_to_num(row["phi"], nan=-2.0))


def _alike(choices: Sequence[Affordable], n_topics: int) -> list[int]:
    """The designs that have as many topics."""
    return [one.design for one in choices if one.n_topics == n_topics]


def may_be_best(phi: Array, changes: Sequence[Array], *, exact: bool, level: float) -> Array:
    """Mark the designs that are not significantly behind the one with the highest phi. [design]

    Paired over topics, one-tailed, the level shared among the comparisons (Bonferroni): the truly best design is
    behind none, so that it is lost only where one of these tests is wrong, in at most a share 1 - level of samples.
    Where there is no interval, none is excluded.
    """
    if np.isnan(phi).all():
        return np.zeros(phi.size, dtype=bool)
    top = int(np.nanargmax(phi))
    both_tails = max(1 - 2 * (1 - level) / max(1, int((~np.isnan(phi)).sum()) - 1), 0.0)
    half = [float(split_jackknife(changes[top] - other, level=both_tails, exact=exact)) for other in changes]
    behind = phi[top] - phi
    return np.array([not np.isnan(b) and not b > h for b, h in zip(behind, half, strict=True)])


def design_row(powers: DesignPowers, one: Affordable, phi: DesignPhi, k: int, level: float) -> Row:
    """One design with a number of topics; no interval from one topic, which cannot be left out."""
    design = powers.designs[one.design]
    own = phi.of([k])
    low, high = own.interval(level=level) if one.n_topics > 1 else (np.full(own.value.shape, np.nan),) * 2
    ends = [(own.value[i, 0], max(low[i, 0], -1.0), min(high[i, 0], 1.0)) for i in range(2)]
    shown = dict(zip(_PHIS, (float(x) for end in ends for x in end), strict=True))
    return {
        "measure": str(design.measure),
        "pool_depth": design.pool_depth,
        "depth": design.measure.cutoff,
        "n_topics": one.n_topics,
        "n_judged": one.n_judged,
        "extrapolated": phi.extrapolated,
        **shown,
    }


def curve_rows(
    powers: DesignPowers, per_topic: Mapping[int, float], sizes: Sequence[int], level: float
) -> Iterator[Row]:
    """Every design with every number of topics."""
    every = list(range(len(powers.designs)))
    for n in sizes:
        phi = powers.at(n, every)
        for i, design in enumerate(powers.designs):
            cost = ceil(n * per_topic[design.pool_depth] - 1e-9)
            yield design_row(powers, Affordable(i, n, cost), phi, i, level)


def design_table(rows: Sequence[Row]) -> pl.DataFrame:
    """The table of designs."""
    return table((tuple(row.get(name) for name in BUDGET) for row in rows), BUDGET)


def answers(budgets: pl.DataFrame, target: str, level: float) -> Iterator[str]:
    """What to do with each budget, in words."""
    for part in budgets.partition_by("budget", maintain_order=True):
        yield answer(part.to_dicts(), target, level)


def answer(rows: Sequence[Row], target: str, level: float) -> str:
    """Which design is best for a budget, where all others are significantly behind; else how many may be."""
    first, *others = sorted(rows, key=lambda row: not row["best"])  # stable: the highest phi stays first
    budget = f"With {first['budget']:,} judgments"
    if not first["best"]:
        return f"{budget} no design has a predictive power on these runs."
    guess = ", extrapolated" if first["extrapolated"] else ""
    phi = f"phi {score(first['phi'])} ({span(first, score, level=level)}{guess})"
    there = [row for row in others if known(row["phi"])]
    if n := sum(row["best"] for row in there):
        some = f"{n + 1} of {counted(len(there) + 1, 'design')}"
        return f"{budget} {some} may be best; {_spent(first)} {'has' if first['n_topics'] == 1 else 'have'} {phi}."
    best = f" best of {counted(len(there) + 1, 'design')}" if there else ""
    has = "predicts" if first["n_topics"] == 1 else "predict"
    return f"{budget} {_spent(first)} {has} {target}{best}: {phi}."


def _spent(row: Row) -> str:
    return f"{counted(row['n_topics'], 'topic')} to depth {row['pool_depth']} by {row['measure']}"


def budget_chart(budgets: pl.DataFrame, target: str, level: float) -> tuple[Chart, ...]:
    """Draw the designs of every budget with their intervals, the highest phi first, and which of them may be best."""
    guess = pl.when(pl.col("extrapolated")).then(pl.lit(", extrapolated")).otherwise(pl.lit(""))
    plural = pl.when(pl.col("n_topics") == 1).then(pl.lit("topic")).otherwise(pl.lit("topics"))
    label = pl.format("{}, {} {} to depth {}{}", "measure", "n_topics", plural, "pool_depth", guess).alias("design")
    may = pl.when(pl.col("best")).then(pl.lit(_MAY)).otherwise(pl.lit(_BEHIND)).alias("verdict")
    title = pl.col("budget").map_elements("{:,} judgments".format, return_dtype=pl.String).alias("panel")
    rows = budgets.drop_nulls("phi").with_columns(label, may, title)
    rows = rows.filter(pl.int_range(pl.len()).over("budget") < _DRAWN)
    panels = rows["panel"].unique(maintain_order=True).to_list()[: MAX_ROWS // _DRAWN]
    rows = rows.filter(pl.col("panel").is_in(panels))
    rows = rows.sort("phi", descending=True, maintain_order=True)
    y = category("design", axis={"labelLimit": 320, "title": None})
    drawing = intervals(field("phi", scale={"zero": False}), y, low="low", high="high")
    verdict = category("verdict", scale={"domain": [_MAY, _BEHIND]}, legend={"title": None})
    rule, dot = drawing["layer"]
    rule["encoding"]["color"] = dot["encoding"]["color"] = dot["encoding"]["shape"] = verdict
    by = f"Predicting {target} on new topics: what each budget buys, with {level:.0%} intervals over topics"
    text = f"phi of designs, the {_DRAWN} highest of every budget, and which of them may be best."
    spec = {**drawing, "width": 360}
    if len(panels) == 1:
        return (Chart("budget", f"{by}: {panels[0]}", rows, spec, text),)
    facet = {"field": "panel", "type": "nominal", "sort": panels, "title": None}
    drawing = {"facet": facet, "spec": spec, "columns": 2, "resolve": {"scale": {"y": "independent"}}}
    return (Chart("budget", by, rows, drawing, text),) if rows.height else ()


def design_charts(curve: pl.DataFrame, target: str, to_pool: set[str]) -> tuple[Chart, ...]:
    """Draw phi by topics and by judgments: a panel for every measure, a line for every pool depth."""
    own = pl.when(pl.col("measure").is_in(list(to_pool)) & (pl.col("depth") == pl.col("pool_depth")))
    panel = own.then(pl.col("measure").str.replace(r"@\d+$", "@pool depth")).otherwise(pl.col("measure"))
    rows = curve.with_columns(panel=panel, line=pl.col("pool_depth").cast(pl.String)).drop_nulls("phi")
    rows = thin(rows, by=["panel", "line"], rows=MAX_ROWS)
    panels = rows["panel"].unique(maintain_order=True).to_list()
    depths = [str(d) for d in sorted(rows["pool_depth"].unique())]
    charts = []
    for name, column, title in (("topics", "n_topics", "topics"), ("judgments", "n_judged", "judgments")):
        drawing = lines(
            field(column, title=title, scale={"type": "log", "nice": False}),
            field("phi", scale={"zero": False}),
            category("line", depths, title="pool depth"),
            points=True,
        )
        spec = {**drawing, "width": 220, "height": 170}
        facet = {"field": "panel", "type": "nominal", "sort": panels, "title": None}
        by = f"Predicting {target} on new topics, by the number of {title}"
        text = f"phi against {title}, a panel for every measure, a line for every pool depth."
        charts.append(Chart(name, by, rows, {"facet": facet, "spec": spec, "columns": 3}, text))
    return tuple(charts) if rows.height else ()
