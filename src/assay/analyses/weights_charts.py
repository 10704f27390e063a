"""Pictures of the optimum itself: curves of discounts, topics needed, what stands at a rank, means against means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from assay.charts import FAINT, Chart, Spec, category, field, intervals, lines, thin

_FAR = 50  # ranks from which on the axis is logarithmic
_MOST = 100  # topics of a curve of stability
_TARGET = 0.95
_COMPARED = ("linear gain, log2", "linear gain, zipf", "linear gain, linear", "exp gain, log2")  # figures 7 and 8
_LOG2 = "linear gain, log2"


def charts(table: pl.DataFrame, tables: Mapping[str, pl.DataFrame], best: str) -> tuple[Chart, ...]:
    """Draw the figures of kanoulas2009 that show one optimum; `best` is its variant."""
    usual = table.filter(pl.col("kkt").is_null() & (pl.col("gain") == "linear"))["variant"].to_list()
    free = table.filter(pl.col("kkt").is_not_null() & (pl.col("discount") != "log2"))["variant"].to_list()
    named = dict(table.select("variant", "discount").iter_rows())
    drawn = [
        _discounts(tables["discounts"], {name: named[name] for name in [best, *usual]}),
        _fitted(tables["discounts"], [*free, _LOG2]),
        _needed(tables["topics"], table["variant"].to_list()),
        _stability(table, [best, *usual]),
        _ranks(tables["ranks"]),
        _means(tables["means"], tables["likeness"], best),
    ]
    return tuple(drawn)


def rank_axis(table: pl.DataFrame) -> Spec:
    """Lay out the ranks: by their logarithm where there are many."""
    deep = table["rank"].to_numpy().max() > _FAR
    return field("rank", scale={"type": "log"} if deep else {"zero": False, "nice": False})


def _discounts(table: pl.DataFrame, named: Mapping[str, str]) -> Chart:
    """Draw the weight of each rank by the best and by what people use (figure 2)."""
    rows = table.filter(pl.col("variant").is_in(list(named)))
    rows = rows.with_columns(of=pl.col("variant").replace_strict(named))
    order = list(dict.fromkeys(named.values()))
    drawing = lines(
        rank_axis(rows), field("discount", title="discount (sum 1)"), category("of", order, title="discount")
    )
    return Chart("discounts", "The best discount, and those that people use", thin(rows, by=["variant"]), drawing)


def _fitted(table: pl.DataFrame, names: Sequence[str]) -> Chart:
    """Draw the discounts that were fitted, with and without constraint, alone and with the gain (figures 3 and 6)."""
    rows = table.filter(pl.col("variant").is_in(list(names)))
    drawing = lines(rank_axis(rows), field("discount", title="discount (sum 1)"), category("variant", list(names)))
    return Chart("fitted", "The discounts that were fitted", thin(rows, by=["variant"]), drawing)


def _needed(table: pl.DataFrame, order: Sequence[str]) -> Chart:
    """Draw the topics that every variant needs, with intervals (tables 1 and 3)."""
    rows = table.filter((pl.col("target") == _TARGET) & pl.col("n_topics").is_not_null())
    y = category("variant", order, axis={"title": None, "labelLimit": 260})
    drawing = intervals(field("n_topics", title=f"topics for a Phi of {_TARGET}"), y, low="low", high="high")
    return Chart("topics", f"Topics needed for a Phi of {_TARGET}", rows, drawing)


def _stability(table: pl.DataFrame, names: Sequence[str]) -> Chart:
    """Draw Phi by the number of topics (figure 4)."""
    n = np.unique(np.geomspace(1, _MOST, 60).round())
    chosen = table.filter(pl.col("variant").is_in(list(names)) & pl.col("phi").is_finite())
    parts = []
    for variant, phi in chosen.select("variant", "phi").iter_rows():
        value = n * phi / (1 + (n - 1) * phi)
        parts.append(pl.DataFrame({"variant": [variant] * n.size, "n_topics": n, "phi": value}))
    rows = pl.concat(parts) if parts else pl.DataFrame(schema={"variant": pl.String, "n_topics": pl.Int64})
    x = field("n_topics", title="topics", scale={"type": "log", "domain": [1, _MOST]})
    y = field("phi", title="Phi", scale={"zero": False})
    drawing = lines(x, y, category("variant", list(names)))
    return Chart("stability", "Stability of scores by the number of topics", rows, drawing)


def _ranks(table: pl.DataFrame) -> Chart:
    """Draw what stands at each rank (figure 5)."""
    order = table["of"].unique(maintain_order=True).to_list()
    y = field("share", title="share of the documents at the rank", scale={"domain": [0, 1]})
    drawing = lines(rank_axis(table), y, category("of", order, title="documents"))
    return Chart("ranks", "Judged and relevant documents by rank", thin(table, by=["of"]), drawing)


def _means(table: pl.DataFrame, likeness: pl.DataFrame, best: str) -> Chart:
    """Draw the means of runs by the best variant against those by others, a panel each (figures 7 and 8)."""
    own = table.filter(pl.col("variant") == best).select("run", best=pl.col("mean"))
    shown = [name for name in _COMPARED if name in set(table["variant"]) and name != best]
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
    drawing = {"facet": facet, "columns": 2, "spec": panel}
    return Chart("means", "Means of runs by the best and by what people use", rows, drawing)


def _panel(likeness: pl.DataFrame, name: str, best: str) -> str:
    """Say above a panel how alike two variants are."""
    pair = pl.concat_list("variant", "other").list.sort() == pl.lit(sorted([name, best]))
    tau, rms = likeness.filter(pair).select("tau", "rms").row(0)
    return f"{name}: tau {tau:.2f}, RMS {rms:.3f}" if tau is not None else name
