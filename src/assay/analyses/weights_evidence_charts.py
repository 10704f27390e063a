"""Pictures of what stands beside an optimum: power, ratios of gains, held-out topics, how far curves wander."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from assay.analyses.weights_charts import rank_axis
from assay.charts import FAINT, Chart, category, field, intervals, lines, scatter, thin

_NEAR = 0.15  # the p-values of interest
Tables = Mapping[str, pl.DataFrame]


def evidence_charts(tables: Tables) -> tuple[Chart, ...]:
    """Draw those tables that are there."""
    drawn: dict[str, Callable[[pl.DataFrame], Chart]] = {
        "held_out": held_out_chart,
        "discount_bands": bands_chart,
        "ridge": ridge_chart,
        "asl": asl_chart,
        "variants": thesis_chart,
        "sweep": sweep_chart,
    }
    there = {name: tables[name] for name in drawn if name in tables and tables[name].height}
    return tuple(drawn[name](table) for name, table in there.items())


def held_out_chart(table: pl.DataFrame) -> Chart:
    """Draw what every optimum gains in Phi over the standard on held-out topics, with its interval."""
    shown = table.filter(pl.col("statistic") == "phi")
    x = field("difference", title="Phi at one topic: optimum minus standard", axis={"tickCount": 6})
    dots = intervals(x, category("variant", shown["variant"].to_list(), axis={"title": None}), low="low", high="high")
    zero = {"data": {"values": [{"zero": 0}]}, "mark": {"type": "rule", "strokeDash": [2, 2], "color": FAINT}}
    zero["encoding"] = {"x": {"field": "zero", "type": "quantitative"}}
    seen = {"mark": {"type": "tick", "thickness": 2, "color": FAINT}}
    seen["encoding"] = {"y": dots["layer"][1]["encoding"]["y"], "x": {**x, "field": "in_sample_gain"}}
    title = "What is gained over the standard on held-out topics (tick: on the topics of the fit)"
    return Chart("held_out", title, shown, {**dots, "layer": [zero, *dots["layer"], seen]})


def bands_chart(table: pl.DataFrame) -> Chart:
    """Draw the best discount, the band in which it wanders, and log2."""
    log2 = 1 / np.log2(table["rank"].to_numpy() + 1.0)
    usual = table.select("rank", discount=pl.Series(log2 / log2.sum()), low=pl.lit(None), high=pl.lit(None))
    own = table.select("rank", "discount", "low", "high").with_columns(curve=pl.lit("the best"))
    rows = pl.concat([own, usual.with_columns(curve=pl.lit("log2"))], how="vertical_relaxed")
    drawing = lines(
        rank_axis(table),
        field("discount", title="discount (sum 1)"),
        category("curve", ["the best", "log2"], legend={"title": None}),
        band=("low", "high"),
    )
    title = "The best discount, and where it lies when topics are drawn anew"
    return Chart("discount_bands", title, thin(rows, by=["curve"]), drawing)


def ridge_chart(table: pl.DataFrame) -> Chart:
    """Draw Phi against the strength of shrinking, on the topics of the fit and on others."""
    names = {"in_sample": "on the topics of the fit", "held_out": "on held-out topics", "standard": "standard"}
    rows = table.unpivot(list(names), index="ridge", variable_name="of", value_name="phi")
    rows = rows.with_columns(pl.col("of").replace_strict(names), ridge=pl.format("{}", pl.col("ridge")))
    order = [f"{ridge}" for ridge in table["ridge"]]
    x = category("ridge", order, title="ridge", axis={"labelAngle": 0})
    y = field("phi", title="Phi at one topic", scale={"zero": False})
    drawing = lines(x, y, category("of", list(names.values()), legend={"title": None}), points=True)
    return Chart("ridge", "Phi as weights are shrunk towards the standard", rows, drawing)


def asl_chart(table: pl.DataFrame) -> Chart:
    """Draw p-values by falling p (figure 9); the further left a curve falls, the more it separates."""
    order = table["variant"].unique(maintain_order=True).to_list()
    n_pairs = table.height // len(order)
    most = _NEAR if (table["p"] <= _NEAR).any() else 1.0
    level = field("p", title="achieved significance level (p)", scale={"domain": [0, most], "nice": False})
    place = field("pair", title="pairs of the best runs, by falling p", scale={"domain": [0, n_pairs], "nice": False})
    shown = thin(table.filter(pl.col("p") <= most), by=["variant"])
    title = "Achieved significance levels of pairs of the best runs"
    return Chart("asl", title, shown, lines(place, level, category("variant", order)))


def thesis_chart(table: pl.DataFrame) -> Chart:
    """Draw the power of every variant against its stability."""
    part = pl.col("variant").str.split_exact(", ", 1).struct.field("field_0")
    rows = table.with_columns(gain=part)
    x = field("phi", title="Phi at one topic", scale={"zero": False})
    y = field("power", title="share of pairs of runs found different", scale={"zero": False})
    drawing = scatter(x, y, colour=category("gain"), tooltip=["variant", "phi", "e_rho2", "power", "power_top"])
    return Chart("variants", "Stability and power of many variants of nDCG", rows, drawing)


def sweep_chart(table: pl.DataFrame) -> Chart:
    """Draw how far the ranking of runs moves as the ratio of gains grows."""
    rows = table.with_columns(of=pl.lit("tau with the ranking under equal gains"))
    x = field("ratio", title="gain of the top grade over that of the lowest", scale={"type": "log"})
    y = field("tau", title="Kendall's tau-b", scale={"zero": False})
    drawing = lines(x, y, category("of", legend=None), band=("low", "high"), points=True)
    return Chart(
        "sweep", "Agreement with the ranking under equal gains, as the top grade is worth more", rows, drawing
    )
