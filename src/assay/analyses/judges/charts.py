"""Pictures of judges: the means of runs under both, the differences that change, and which grades meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from assay.analyses.compare.charts import percent_of
from assay.data.provenance import Basis
from assay.results.charts import MAX_RUNS, Chart, category, field, heat, intervals, scatter

_MOST_JUDGES = 8  # in one picture


def judge_charts(tables: Mapping[str, pl.DataFrame], basis: Basis, *, level: float) -> Iterator[Chart]:
    """Draw the first measure, and the first of many judges."""
    if "ranks" in tables:
        yield _means(tables["ranks"], basis)
    if "pairs" in tables:
        yield _interactions(tables["pairs"], basis, level)
    if "grades" in tables:
        yield _grades(tables["grades"])


def _means(ranks: pl.DataFrame, basis: Basis) -> Chart:
    """A point per run and judge: on the dotted line both judges give the same mean."""
    measure = ranks["measure"][0]
    judges = ranks["judge"].unique(maintain_order=True).to_list()[:_MOST_JUDGES]
    rows = ranks.filter(pl.col("judge").is_in(judges), measure=measure)
    ends = [float(end) for one in ("mean_reference", "mean_judge") for end in (rows[one].min(), rows[one].max())]  # type: ignore[arg-type]
    least, most = min(ends), max(ends)
    domain = {"zero": False, "domain": [least, most], "nice": False}
    shown = basis.titled(measure)
    points = scatter(
        field("mean_reference", title=f"{shown}, by the reference", scale=domain),
        field("mean_judge", title=f"{shown}, by the judge", scale=domain),
        colour=category("judge", judges),
        tooltip=("judge", "run", "mean_reference", "mean_judge", "rank_reference", "rank_judge"),
    )
    line = {
        "data": {"values": [{"at": least}, {"at": most}]},
        "mark": {"type": "line", "strokeDash": [2, 3]},
        "encoding": {"x": {"field": "at", "type": "quantitative"}, "y": {"field": "at", "type": "quantitative"}},
    }
    own = {name: points.pop(name) for name in ("mark", "encoding", *(["params"] if "params" in points else []))}
    drawing = {**points, "layer": [own, line]}
    text = "The mean of every run by each judge against that by the reference; on the dotted line both are equal."
    return Chart("means", "Means of the runs under both judges", rows, drawing, text)


def _interactions(pairs: pl.DataFrame, basis: Basis, level: float) -> Chart:
    """The pairs whose difference changes most, by the first measure."""
    measure = pairs["measure"][0]
    rows = pairs.filter(pl.col("interaction").is_not_null(), measure=measure).head(MAX_RUNS)
    rows = rows.with_columns(pair=pl.format("{}: {} − {}", "judge", "run_a", "run_b"))
    x = field(
        "interaction", title=f"difference under the judge less that under the reference, {basis.titled(measure)}"
    )
    y = category("pair", rows["pair"].to_list(), axis={"title": None, "labelLimit": 300})
    drawing = intervals(x, y, low="low", high="high")
    title = f"How much differences between runs change, with {percent_of(level)} intervals of single pairs"
    return Chart("interactions", title, rows, drawing)


def _grades(grades: pl.DataFrame) -> Chart:
    """Which grades of the first judge stand beside which of the reference, as shares of the reference's."""
    own = grades.filter(pl.col("judge") == grades["judge"][0])
    share = own.with_columns(share=pl.col("n") / pl.col("n").sum().over("grade_reference"))
    share = share.with_columns(pl.format("{}", pl.col(f"grade_{who}")).alias(f"grade_{who}") for who in _WHO)
    by, judge = (sorted(share[f"grade_{who}"].unique().to_list(), key=float) for who in _WHO)
    drawing = heat(
        category("grade_judge", judge, title=f"grade by {grades['judge'][0]}"),
        category("grade_reference", by[::-1], title=f"grade by {grades['reference'][0]}"),
        field("share", title="share of the row"),
    )
    return Chart("grades", "What the judge says of documents of each grade", share, drawing)


_WHO = ("reference", "judge")
