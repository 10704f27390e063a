"""Pictures of judges: the means of runs under both, the differences that change, and which grades meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from assay.analyses.compare.charts import percent_of
from assay.core.text import counted
from assay.data.provenance import Basis
from assay.results.charts import (
    COLOURS,
    FAINT,
    FEW_PAIRS,
    GRID,
    MAX_RUNS,
    Chart,
    Spec,
    category,
    field,
    heat,
    intervals,
    scatter,
)

_MOST_JUDGES = 8  # in one picture
_MOST_GRADES = 12  # of a judge, in one picture
_MARGIN = 0.04  # of the range of means, so that no point is cut
_WHO = ("reference", "judge")
_CHANGES = {"significant": COLOURS[1], "not significant": FAINT}


def judge_charts(tables: Mapping[str, pl.DataFrame], basis: Basis, *, level: float) -> Iterator[Chart]:
    """Draw the first measure: the means of many runs first, of few runs what changes; then a few grades."""
    if "pairs" in tables and "ranks" in tables:
        first = tables["conclusions"].row(0, named=True)
        measure, reference = first["measure"], first["reference"]
        ranks = tables["ranks"].filter(measure=measure).drop_nulls(["mean_reference", "mean_judge"])
        pairs = tables["pairs"].filter(pl.col("interaction").is_not_null(), measure=measure)
        means = [_means(ranks, reference, basis.titled(measure))] if ranks.height else []
        changes = [_interactions(pairs, basis.titled(measure), level)] if pairs.height else []
        yield from (*changes, *means) if first["n_pairs"] <= FEW_PAIRS else (*means, *changes)
    few = pl.all_horizontal(pl.col(f"grade_{who}").n_unique().over("judge") <= _MOST_GRADES for who in _WHO)
    if "grades" in tables and (grades := tables["grades"].filter(few)).height:
        yield _grades(grades)


def _means(ranks: pl.DataFrame, reference: str, measure: str) -> Chart:
    """A point per run and judge: on the dotted line both judges give the same mean."""
    judges = ranks["judge"].unique(maintain_order=True).to_list()
    rows = ranks.filter(pl.col("judge").is_in(judges[:_MOST_JUDGES]))
    both = pl.concat([rows["mean_reference"], rows["mean_judge"].rename("mean_reference")]).to_numpy()
    margin = _MARGIN * float(both.max() - both.min()) or 1e-3
    least, most = float(both.min()) - margin, float(both.max()) + margin
    domain = {"zero": False, "domain": [least, most], "nice": False}
    points = scatter(
        field("mean_reference", title=f"{measure}, by {reference}", scale=domain),
        field("mean_judge", title=f"{measure}, by {_named(judges)}", scale=domain),
        colour=category("judge", judges[:_MOST_JUDGES]) if len(judges) > 1 else None,
        tooltip=("judge", "run", "mean_reference", "mean_judge", "rank_reference", "rank_judge"),
    )
    line: Spec = {
        "data": {"values": [{"at": least}, {"at": most}]},
        "mark": {"type": "line", "strokeDash": [2, 3], "color": FAINT},
        "encoding": {
            side: {"field": "at", "type": "quantitative", "title": points["encoding"][side]["title"]} for side in "xy"
        },
    }
    own = {name: points.pop(name) for name in ("mark", "encoding", *(["params"] if "params" in points else []))}
    drawing = {**points, "layer": [own, line]}
    text = "The mean of every run by each judge against that by the reference; on the dotted line both are equal."
    more = f", the first {_MOST_JUDGES} of {len(judges)} judges" if len(judges) > _MOST_JUDGES else ""
    return Chart("means", f"Means of the runs under both judges{more}; dotted: equal means", rows, drawing, text)


def _named(judges: list[str]) -> str:
    return judges[0] if len(judges) == 1 else "the judge"


def _interactions(pairs: pl.DataFrame, measure: str, level: float) -> Chart:
    """The pairs whose difference changes most; colours say which do so significantly."""
    judges = pairs["judge"].unique(maintain_order=True).to_list()
    names = pl.format("{} \u2212 {}", "run_a", "run_b")
    rows = pairs.head(MAX_RUNS).with_columns(
        pair=names if len(judges) == 1 else pl.format("{}: {}", "judge", names),
        change=pl.when("changes").then(pl.lit("significant")).otherwise(pl.lit("not significant")),
    )
    at_zero = {"condition": {"test": "datum.value === 0", "value": FAINT}, "value": GRID}
    title = f"difference by {_named(judges)} less that by {pairs['reference'][0]}, {measure}"
    x = field("interaction", title=title, axis={"gridColor": at_zero})
    y = category("pair", rows["pair"].to_list(), axis={"title": None, "labelLimit": 300})
    words = [word for word in _CHANGES if word in set(rows["change"])]
    colours = {"domain": words, "range": [_CHANGES[word] for word in words]}
    drawing = intervals(x, y, low="low", high="high")
    drawing["layer"][1]["encoding"]["color"] = category("change", words, title="the change is", scale=colours)
    which = (
        f" ({rows.height} of {counted(pairs.height, 'pair')}, changed conclusions first)"
        if len(rows) < len(pairs)
        else ""
    )
    head = f"How much differences between runs change{which}, with {percent_of(level)} intervals of single pairs"
    return Chart("interactions", head, rows, drawing)


def _grades(grades: pl.DataFrame) -> Chart:
    """Which grades of the first of these judges stand beside which of the reference, as shares of the reference's."""
    own = grades.filter(pl.col("judge") == grades["judge"][0])
    share = own.with_columns(share=pl.col("n") / pl.col("n").sum().over("grade_reference"))
    by, judge = (share[f"grade_{who}"].unique().sort().to_list() for who in _WHO)
    shown = {grade: f"{grade:g}" for grade in (*by, *judge)}
    names = (f"grade_{who}" for who in _WHO)
    rows = share.with_columns(pl.col(name).replace_strict(shown, return_dtype=pl.String) for name in names)
    drawing = heat(
        category("grade_judge", [shown[one] for one in judge], title=f"grade by {own['judge'][0]}"),
        category("grade_reference", [shown[one] for one in reversed(by)], title=f"grade by {own['reference'][0]}"),
        field("share", title="share of the row"),
    )
    return Chart("grades", "What the judge says of documents of each grade", rows, drawing)
