"""Pictures of a population: AP of ever smaller samples, recall and precision, and how measures change with size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from assay.results.charts import INK, Chart, Spec, category, field, lines, thin

_RELEVANT = "relevant documents in the sample"


def charts(table: pl.DataFrame, tables: Mapping[str, pl.DataFrame]) -> tuple[Chart, ...]:
    """Draw AP by the size of samples, curves of recall and precision, all measures, and growing collections."""
    return (_ap(table), _curves(tables["curves"]), _sizes(table), _growth(tables["growth"]))


def _ap(table: pl.DataFrame) -> Chart:
    """Figure 2 of robertson2007: means and standard deviations of AP, and what is exact beside them."""
    own = table.filter(pl.col("measure") == "AP").drop_nulls("mean")
    sd, value = pl.col("sd").fill_nan(0.0).fill_null(0.0), pl.col("expected") - pl.col("bias")
    ends = {"low": (pl.col("mean") - sd).clip(0.0), "high": pl.col("mean") + sd, "population": value}
    rows = own.select("n", "n_relevant", "mean", "expected", **ends)
    x = field("n_relevant", title=_RELEVANT, scale={"type": "log", "base": 2, "padding": 20, "nice": False})
    y = field("mean", title="AP")
    marks = [
        _mark({"type": "rule"}, x, {**y, "field": "low"}, y2={"field": "high"}),
        _mark({"type": "line"}, x, {**y, "field": "expected"}),
        _mark({"type": "line", "strokeDash": [4, 4], "color": INK}, x, {**y, "field": "population"}),
        _mark({"type": "point", "filled": True, "size": 60, "opacity": 1, "tooltip": True}, x, y),
    ]
    caption = "Dots are means over samples, with a standard deviation either way."
    title = "AP by the size of the sample: mean and deviation (dots), exact (line), the population's (broken line)"
    return Chart("ap", title, rows, {"layer": marks, "width": 480, "height": 300}, caption)


def _mark(mark: Spec, x: Spec, y: Spec, **more: Spec) -> Spec:
    return {"mark": mark, "encoding": {"x": x, "y": y, **more}}


def _curves(table: pl.DataFrame) -> Chart:
    """Figure 1: recall and precision of the population, of one draw of it, and of one sample of every size."""
    rows = thin(table, by=["of"])
    x = field("recall", scale={"domain": [0, 1]})
    y = field("precision", scale={"domain": [0, 1]})
    drawing = lines(x, y, category("of", table["of"].unique(maintain_order=True).to_list(), title="ranking"))
    title = "Recall and precision: the population, one draw of it, and a sample of each size"
    return Chart("curves", title, rows, drawing)


def _sizes(table: pl.DataFrame) -> Chart:
    """What measures show by the size of the sample."""
    names: Sequence[str] = table["measure"].unique(maintain_order=True).to_list()
    rows = table.select("measure", "n_relevant", shown=pl.coalesce("expected", "mean")).drop_nulls()
    x = field("n_relevant", title=_RELEVANT, scale={"type": "log", "base": 2})
    drawing = lines(x, field("shown", title="expected score"), category("measure", names), points=True)
    return Chart("sizes", "What measures are expected to show, by the size of the sample", rows, drawing)


def _growth(table: pl.DataFrame) -> Chart:
    """How measures change as the collection grows beyond all bounds."""
    names = [name for name in table.columns if name not in ("log10_relevant", "bias", "nDCG_left", "L")]
    rows = table.filter(pl.col("log10_relevant") > 0).unpivot(names, index="log10_relevant", variable_name="measure")
    scale = {"type": "log", "domain": [0.3, rows["log10_relevant"].max()], "nice": False}
    ticks = {"values": [0.3, 1, 2, 3, 5, 10, 20, 50, 100]}
    x = field("log10_relevant", title="relevant documents, as a power of ten", scale=scale, axis=ticks)
    y = field("value", title="expected score", scale={"domain": [0, 1]})
    drawing = lines(x, y, category("measure", names), points=True)
    return Chart("growth", "A growing collection: AP converges, nDCG slowly goes to 1", rows, drawing)
