"""The pictures of `weights`: discounts, topics needed, means against means, held-out gains, power and stability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import polars as pl

from assay.analyses.weights.optimise.cross_validation import TARGETS
from assay.analyses.weights.variants import STANDARD, variant_name
from assay.measures.gain import log2_discount
from assay.results.charts import FAINT, Chart, Spec, asl_chart, category, field, intervals, lines, scatter, thin

_FAR = 50  # ranks from which on the axis is logarithmic
_TARGET = TARGETS["topics_95"]
_FIGURES_7_8 = (
    STANDARD,
    variant_name("linear", "zipf"),
    variant_name("linear", "linear"),
    variant_name("exp", "log2"),
)

Tables = Mapping[str, pl.DataFrame]


def charts(table: pl.DataFrame, tables: Tables, best: str, gains: Mapping[str, str]) -> tuple[Chart, ...]:
    """Draw the optimum, the variant `best`, then the evidence beside it; `gains` names the gain of each variant."""
    return (*optimum_charts(table, tables, best), *evidence_charts(tables, gains))


# --- the figures of kanoulas2009 that show one optimum


def optimum_charts(table: pl.DataFrame, tables: Tables, best: str) -> tuple[Chart, ...]:
    """Draw the discounts, the topics needed, the stability, what stands at a rank, and means against means."""
    usual = table.filter(pl.col("kkt").is_null() & (pl.col("gain") == "linear"))["variant"].to_list()
    free = table.filter(pl.col("kkt").is_not_null() & (pl.col("discount") != "log2"))["variant"].to_list()
    named = dict(table.select("variant", "discount").iter_rows())
    return (
        _discounts(tables["discounts"], {name: named[name] for name in [best, *usual]}),
        fitted_chart(tables["discounts"], [*free, STANDARD]),
        _needed(tables["topics"], table["variant"].to_list()),
        stability_chart(tables["stability"], [best, *usual]),
        ranks_chart(tables["ranks"]),
        means_chart(tables["means"], tables["likeness"], best),
    )


def _rank_axis(table: pl.DataFrame) -> Spec:
    """Lay out the ranks: by their logarithm where there are many."""
    deep = table["rank"].to_numpy().max() > _FAR
    return field("rank", scale={"type": "log"} if deep else {"zero": False, "nice": False})


def _discounts(table: pl.DataFrame, named: Mapping[str, str]) -> Chart:
    """Draw the discount of each rank by the best and by the standard functions (figure 2)."""
    rows = table.filter(pl.col("variant").is_in(list(named)))
    rows = rows.with_columns(of=pl.col("variant").replace_strict(named))
    order = list(dict.fromkeys(named.values()))
    drawing = lines(
        _rank_axis(rows), field("discount", title="discount (sum 1)"), category("of", order, title="discount")
    )
    return Chart("discounts", "The best discount, and the standard ones", thin(rows, by=["variant"]), drawing)


def fitted_chart(table: pl.DataFrame, names: Sequence[str]) -> Chart:
    """Draw the discounts that were fitted, with and without constraint, alone and with the gain (figures 3 and 6)."""
    rows = table.filter(pl.col("variant").is_in(list(names)))
    drawing = lines(_rank_axis(rows), field("discount", title="discount (sum 1)"), category("variant", list(names)))
    return Chart("fitted", "The discounts that were fitted", thin(rows, by=["variant"]), drawing)


def _needed(table: pl.DataFrame, order: Sequence[str]) -> Chart:
    """Draw the topics that every variant needs, with intervals (tables 1 and 3)."""
    rows = table.filter((pl.col("target") == _TARGET) & pl.col("n_topics").is_not_null())
    y = category("variant", order, axis={"title": None})
    drawing = intervals(field("n_topics", title=f"topics for a Phi of {_TARGET}"), y, low="low", high="high")
    return Chart("topics", f"Topics needed for a Phi of {_TARGET}", rows, drawing)


def stability_chart(table: pl.DataFrame, names: Sequence[str]) -> Chart:
    """Draw Phi by the number of topics (figure 4)."""
    rows = table.filter(pl.col("variant").is_in(list(names)) & pl.col("phi").is_not_null())
    most = table["n_topics"].max()
    x = field("n_topics", title="topics", scale={"type": "log", "domain": [1, most]})
    y = field("phi", title="Phi", scale={"zero": False})
    drawing = lines(x, y, category("variant", list(names)))
    return Chart("stability", "Stability of scores by the number of topics", rows, drawing)


def ranks_chart(table: pl.DataFrame) -> Chart:
    """Draw what stands at each rank (figure 5)."""
    order = table["of"].unique(maintain_order=True).to_list()
    y = field("share", title="share of the documents at the rank", scale={"domain": [0, 1]})
    drawing = lines(_rank_axis(table), y, category("of", order, title="documents"))
    return Chart("ranks", "Judged and relevant documents by rank", thin(table, by=["of"]), drawing)


def means_chart(
    table: pl.DataFrame, likeness: pl.DataFrame, best: str, others: Sequence[str] = _FIGURES_7_8
) -> Chart:
    """Draw the means of runs by the best variant against those by others, a panel each (figures 7 and 8)."""
    own = table.filter(pl.col("variant") == best).select("run", best=pl.col("mean"))
    shown = [name for name in others if name in set(table["variant"]) and name != best]
    panels = {name: _panel(likeness, name, best) for name in shown}
    rows = table.filter(pl.col("variant").is_in(shown)).join(own, on="run", maintain_order="left")
    rows = thin(rows.with_columns(panel=pl.col("variant").replace_strict(panels)), by=["variant"])
    x = field("best", title=f"mean nDCG: {best}")
    encoding: Spec = {"x": x, "y": field("mean", title="mean nDCG: the other")}
    encoding["tooltip"] = [{"field": name} for name in ("run", "variant", "best", "mean")]
    points = {"mark": {"type": "point", "filled": True, "size": 20, "opacity": 0.6}, "encoding": encoding}
    most = max(float(rows[name].to_numpy().max()) for name in ("best", "mean")) if rows.height else 1.0
    ends = {"values": [{"best": end, "mean": end} for end in (0, most)]}
    equal = {"data": ends, "mark": {"type": "line", "color": FAINT, "strokeDash": [2, 2]}}
    equal["encoding"] = {side: {"field": encoding[side]["field"], "type": "quantitative"} for side in ("x", "y")}
    panel = {"layer": [equal, points], "width": 220, "height": 220}
    facet = {**category("panel", list(panels.values())), "title": None}
    columns = len(panels) if len(panels) <= 3 else 2
    drawing = {"facet": facet, "columns": columns, "spec": panel}
    return Chart("means", "Means of runs by the best and by the standard functions", rows, drawing)


def _panel(likeness: pl.DataFrame, name: str, best: str) -> str:
    """Say above a panel how alike two variants are."""
    pair = pl.concat_list("variant", "other").list.sort() == pl.lit(sorted([name, best]))
    tau, rms = likeness.filter(pair).select("tau", "rms").row(0)
    return f"{name}: tau {tau:.2f}, RMS {rms:.3f}" if tau is not None else name


# --- the evidence beside it


def evidence_charts(tables: Tables, gains: Mapping[str, str]) -> tuple[Chart, ...]:
    """Draw those tables that are there; `gains` names the gain of each variant."""
    makers: dict[str, Callable[[pl.DataFrame], Chart]] = {
        "held_out": _held_out_chart,
        "contest": _contest_chart,
        "cutoffs": _cutoffs_chart,
        "discount_bands": _bands_chart,
        "ridge": _ridge_chart,
        "asl": partial(asl_chart, by="variant", pairs="pairs of the best runs"),
        "variants": partial(_thesis_chart, gains=gains),
        "sweep": _sweep_chart,
    }
    there = {name: tables[name] for name in makers if name in tables and tables[name].height}
    return tuple(makers[name](table) for name, table in there.items())


def _held_out_chart(table: pl.DataFrame) -> Chart:
    """Draw what every optimum gains in Phi over the standard on held-out topics, with its interval."""
    shown = table.filter(pl.col("statistic") == "phi")
    x = field("difference", title="Phi at one topic: optimum minus standard", axis={"tickCount": 6})
    dots = intervals(x, category("variant", shown["variant"].to_list(), axis={"title": None}), low="low", high="high")
    seen = {"mark": {"type": "tick", "thickness": 2, "color": FAINT}}
    seen["encoding"] = {"y": dots["layer"][1]["encoding"]["y"], "x": {**x, "field": "in_sample_gain"}}
    title = "What is gained over the standard on held-out topics (tick: on the topics of the fit)"
    return Chart("held_out", title, shown, {**dots, "layer": [_zero_line(), *dots["layer"], seen]})


def _zero_line() -> Spec:
    zero: Spec = {"data": {"values": [{"zero": 0}]}, "mark": {"type": "rule", "strokeDash": [2, 2], "color": FAINT}}
    return {**zero, "encoding": {"x": {"field": "zero", "type": "quantitative"}}}


def _contest_chart(table: pl.DataFrame) -> Chart:
    """Draw how many more pairs the weights fitted for power separate than others on held-out topics."""
    shown = table.filter(pl.col("statistic") == "power")
    x = field("difference", title="power: fitted for power minus the other", axis={"tickCount": 6})
    y = category("other", shown["other"].to_list(), axis={"title": None})
    dots = intervals(x, y, low="low", high="high")
    title = "What weights fitted for power gain over others on held-out topics"
    return Chart("contest", title, shown, {**dots, "layer": [_zero_line(), *dots["layer"]]})


def _cutoffs_chart(table: pl.DataFrame) -> Chart:
    """Draw the ratio of optimal gains by the cutoff: with its interval for log2, and with the optimal discount."""
    log2 = table.select("depth", "low", "high", ratio=pl.col("log2")).with_columns(of=pl.lit("with log2"))
    joint = table.select("depth", ratio=pl.col("optimal")).with_columns(of=pl.lit("with the optimal discount"))
    free = table.select("depth", ratio=pl.col("unconstrained")).with_columns(of=pl.lit("with log2, unconstrained"))
    rows = pl.concat([log2, joint, free], how="diagonal")
    x = field("depth", title="cutoff", scale={"type": "log", "nice": False})
    y = field("ratio", title="gain of the highest grade over that of the lowest", scale={"zero": False})
    order = rows["of"].unique(maintain_order=True).to_list()
    drawing = lines(x, y, category("of", order, legend={"title": None}), band=("low", "high"), points=True)
    return Chart("cutoffs", "The ratio of optimal gains by the cutoff", rows, drawing)


def _bands_chart(table: pl.DataFrame) -> Chart:
    """Draw the best discount, its bootstrap band, and log2."""
    log2 = log2_discount(table["rank"].to_numpy())
    usual = table.select("rank", discount=pl.Series(log2 / log2.sum()), low=pl.lit(None), high=pl.lit(None))
    own = table.select("rank", "discount", "low", "high").with_columns(curve=pl.lit("the best"))
    rows = pl.concat([own, usual.with_columns(curve=pl.lit("log2"))], how="vertical_relaxed")
    drawing = lines(
        _rank_axis(table),
        field("discount", title="discount (sum 1)"),
        category("curve", ["the best", "log2"], legend={"title": None}),
        band=("low", "high"),
    )
    title = "The best discount, and its band over bootstrap samples of topics"
    return Chart("discount_bands", title, thin(rows, by=["curve"]), drawing)


def _ridge_chart(table: pl.DataFrame) -> Chart:
    """Draw Phi against the strength of shrinking, on the topics of the fit and on held-out ones."""
    names = {"in_sample": "on the topics of the fit", "held_out": "on held-out topics", "standard": "standard"}
    rows = table.unpivot(list(names), index="ridge", variable_name="of", value_name="phi")
    rows = rows.with_columns(pl.col("of").replace_strict(names), ridge=pl.format("{}", pl.col("ridge")))
    order = [f"{ridge}" for ridge in table["ridge"]]
    x = category("ridge", order, title="ridge", axis={"labelAngle": 0})
    y = field("phi", title="Phi at one topic", scale={"zero": False})
    drawing = lines(x, y, category("of", list(names.values()), legend={"title": None}), points=True)
    return Chart("ridge", "Phi as weights are shrunk towards the standard", rows, drawing)


def _thesis_chart(table: pl.DataFrame, gains: Mapping[str, str]) -> Chart:
    """Draw the power of every variant against its stability."""
    rows = table.with_columns(gain=pl.Series([f"{gains[variant]} gain" for variant in table["variant"]]))
    x = field("phi", title="Phi at one topic", scale={"zero": False})
    y = field("power", title="share of pairs of runs that differ significantly", scale={"zero": False})
    drawing = scatter(x, y, colour=category("gain"), tooltip=["variant", "phi", "e_rho2", "power", "power_top"])
    return Chart("variants", "Stability and power of many variants of nDCG", rows, drawing)


def _sweep_chart(table: pl.DataFrame) -> Chart:
    """Draw how far the ranking of runs moves as the ratio of gains grows."""
    rows = table.with_columns(of=pl.lit("tau with the ranking under equal gains"))
    x = field("ratio", title="gain of the top grade over that of the lowest", scale={"type": "log"})
    y = field("tau", title="Kendall's tau-b", scale={"zero": False})
    drawing = lines(x, y, category("of", legend=None), band=("low", "high"), points=True)
    return Chart(
        "sweep", "Agreement with the ranking under equal gains, as the top grade is worth more", rows, drawing
    )
