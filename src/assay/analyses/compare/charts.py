"""Pictures of a comparison: every difference with its interval, and how slices differ from the rest."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assay.analyses.compare.comparisons import BETTER, EQUIVALENT, INCONCLUSIVE, UNRESOLVABLE, UNTESTED, WORSE
from assay.core.text import percent
from assay.data.provenance import Basis
from assay.results.charts import COLOURS, FAINT, FEW_PAIRS, GRID, MAX_ROWS, Chart, Spec, category, field, intervals

_MOST_SLICES = 30
_VERDICTS = {BETTER: COLOURS[0], WORSE: COLOURS[1], EQUIVALENT: COLOURS[2], INCONCLUSIVE: FAINT}
_VERDICTS |= {UNRESOLVABLE: GRID, UNTESTED: GRID}


def comparison_charts(
    table: pl.DataFrame, slices: pl.DataFrame | None, basis: Basis, *, level: float
) -> Iterator[Chart]:
    """Draw what is compared, where there is room for it."""
    measures = table["measure"].unique(maintain_order=True).to_list()
    n_pairs = table.height // len(measures)
    if n_pairs <= FEW_PAIRS:
        shown = measures[: MAX_ROWS // n_pairs]
        yield _differences(table.filter(pl.col("measure").is_in(shown)), shown, basis, level)
    if slices is not None and slices.height:
        yield _slices(slices, basis, level)


def _differences(table: pl.DataFrame, measures: list[str], basis: Basis, level: float) -> Chart:
    """One panel per measure; colours say what is decided."""
    shown = {name: basis.titled(name) for name in measures}
    rows = table.with_columns(pl.col("measure").replace(shown), pair=pl.format("{} \u2212 {}", "run_a", "run_b"))
    at_zero = {"condition": {"test": "datum.value === 0", "value": FAINT}, "value": GRID}
    x = field("difference", title="difference of means", axis={"gridColor": at_zero, "tickCount": 5})
    y = category("pair", rows["pair"].unique(maintain_order=True).to_list(), axis={"title": None})
    words = [word for word in _VERDICTS if word in set(rows["verdict"])]
    colour = category("verdict", words, title="the first is", scale={"domain": words})
    colour["scale"]["range"] = [_VERDICTS[word] for word in words]
    columns = ("pair", "measure", "difference", "low", "high", "p", "n_topics", "wins", "ties", "losses", "verdict")
    rule: Spec = {"mark": "rule", "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}}}
    mark = {"type": "point", "filled": True, "size": 60, "opacity": 1, "stroke": FAINT}
    dots = {
        "mark": mark,
        "encoding": {"y": y, "x": x, "color": colour, "tooltip": [{"field": name} for name in columns]},
    }
    panel: Spec = {"layer": [rule, dots], "width": 220, "height": {"step": 18}}
    drawing = {
        "facet": category("measure", list(shown.values()), header={"title": None}),
        "columns": 2 if len(shown) == 4 else 3,
        "spec": panel,
        "resolve": {"scale": {"x": "independent"}},
    }
    return Chart("differences", f"Differences between systems, with {percent_of(level)} intervals", rows, drawing)


def _slices(slices: pl.DataFrame, basis: Basis, level: float) -> Chart:
    """By how much the difference within a slice is another one than in the rest."""
    first = slices.head(_MOST_SLICES)
    rows = first.with_columns(
        row=pl.format("{} {}: {} \u2212 {}", "column", "slice", "run_a", "run_b"),
    )
    measure = basis.titled(rows["measure"][0])
    x = field("interaction", title=f"difference in the slice less that in the rest, {measure}")
    y = category("row", rows["row"].to_list(), axis={"title": None, "labelLimit": 300})
    drawing = intervals(x, y, low="interaction_low", high="interaction_high")
    title = f"Slices against the rest, with {percent_of(level)} intervals"
    return Chart("slices", title, rows, drawing)


def percent_of(level: float) -> str:
    """A level as it is spoken of.

    >>> percent_of(0.95)
    '95%'
    """
    return percent(level).replace(".0%", "%")
