"""The figures of kanoulas2009, redrawn on the runs that are given, with the tables and charts of `assay weights`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from assay.analyses.weights.charts import fitted_chart, means_chart, ranks_chart, stability_chart
from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.power import best_pair_levels
from assay.analyses.weights.tables import (
    discounts_table,
    likeness_table,
    means_table,
    ranks_table,
    stability_table,
    variant_stability,
)
from assay.analyses.weights.variants import NdcgVariant, variant_scores
from assay.core.arrays import Array
from assay.papers.kanoulas2009.claims import EXP, LINEAR, SHOWN, ZIPF, graded_runs
from assay.papers.kanoulas2009.fits import DISCOUNT, GAIN, SEED, STANDARD, NdcgFits, Weighting, fits
from assay.papers.kanoulas2009.published import DEPTH, POWER_DEPTH
from assay.results.charts import Chart, asl_chart, category, field, lines, thin
from assay.results.papers import Sources, Tables
from assay.scoring.scored_collection import MissingDataError
from assay.stats.intervals import jackknife_interval

_CURVES = {"optimal": DISCOUNT, "log2": STANDARD, "zipf": ZIPF, "linear": LINEAR}
_LEVEL = 0.95
_EXPLORED = (3, 5, 10, 15, 20, 30, 50, 100, 200)  # cutoffs

SAID: dict[str, str] = {
    "figure_2": "The optimal discount is the least steep; log2 is closest to it, zipf drops much faster, linear is "
    "close at the top ranks. At 100 the first ranks matter, up to 10 or 20; the rest are constant, not 0.",
    "figure_3": "Without the constraint the optimal discount is not strictly decreasing: lower ranks help, too.",
    "figure_4": "With the optimal discount nDCG@100 is most stable, then with log2, least with zipf and linear.",
    "figure_5": "Highly relevant documents are few, stand at the very top and are almost absent from deeper ranks.",
    "figure_6": "Fitted together with the gain, the discount is almost equal to the one fitted with linear gains.",
    "figure_7": "Log2 and linear rank runs very much like the optimal discount; zipf does not, least on TREC 12.",
    "figure_8": "Optimal and exponential gains rank runs almost identically.",
    "figure_9": "The optimum separates most pairs of runs, log2 with either gain comes next, linear is last.",
}
"""What the paper says that its figures show."""


def figures(sources: Sources) -> tuple[Tables, tuple[Chart, ...]]:
    """All figures but the first, which draws nothing, on the runs given; and the ratio of gains by cutoff."""
    try:
        runs = graded_runs(sources)
        of = fits(runs)
    except MissingDataError:
        return {}, ()
    table = _figure_2_table(of)
    shallow = _Variants(of, of.at_most(POWER_DEPTH), runs.runs)
    deep = _Variants(of, of.at_most(DEPTH), runs.runs)
    charts = [_figure_2(table), shallow.figure_3(), deep.figure_4(), deep.figure_5()]
    charts += [shallow.figure_6()] if of.graded else []
    charts += [deep.scatter("figure_7", "discount", DISCOUNT, (STANDARD, ZIPF, LINEAR))]
    charts += [deep.scatter("figure_8", "gain", GAIN, (EXP,))] if of.graded else []
    charts += [shallow.figure_9()]
    if not of.graded:
        return {"figure_2": table}, tuple(charts)
    explored = ratio_by_cutoff(of)
    return {"figure_2": table, "ratio_by_cutoff": explored}, (*charts, _explored_chart(explored))


# --- figure 2


def _figure_2_table(of: NdcgFits) -> pl.DataFrame:
    parts = []
    for k in sorted({of.at_most(k) for k in SHOWN}):
        for name, weighting in _CURVES.items():
            discount = of.weights(k, weighting)[0][1]
            names = {"depth": [k] * k, "curve": [name] * k}
            parts.append(pl.DataFrame({**names, "rank": np.arange(1, k + 1), "discount": discount / discount.sum()}))
    return pl.concat(parts)


def _figure_2(table: pl.DataFrame) -> Chart:
    """All cutoffs side by side."""
    curve = lines(
        field("rank"), field("discount", title="discount (sum 1)"), category("curve", list(_CURVES), title=None)
    )
    depths = table["depth"].unique(maintain_order=True).to_list()
    panels = [f"nDCG@{k}" for k in depths]
    rows = table.with_columns(panel=pl.format("nDCG@{}", "depth"))
    facet = {**category("panel", panels), "title": None}
    resolve = {"scale": {"x": "independent", "y": "independent"}}
    drawing = {"facet": facet, "columns": 3, "spec": {**curve, "width": 230, "height": 230}, "resolve": resolve}
    title = "Optimal and standard discounts of nDCG (figure 2)"
    return Chart("figure_2", title, thin(rows, by=["panel", "curve"]), drawing)


# --- the others


@dataclass
class _Variants:
    """The variants of nDCG@k that the figures show, with their scores."""

    of: NdcgFits
    k: int
    runs: Sequence[str]

    @property
    def lists(self) -> GradedLists:
        return self.of.lists(self.k)

    @cached_property
    def named(self) -> dict[str, NdcgVariant]:
        graded = (GAIN, self.of.optimum, EXP) if self.of.graded else ()
        return {str(one): self._variant(one) for one in (STANDARD, ZIPF, LINEAR, DISCOUNT, *graded)}

    def _variant(self, of: Weighting) -> NdcgVariant:
        return NdcgVariant(of.gain, of.discount, *self.of.weights(self.k, of)[0])

    @cached_property
    def x(self) -> Array:
        return variant_scores(self.lists, list(self.named.values()))  # [variant, run, topic]

    def figure_3(self) -> Chart:
        free = NdcgVariant(
            "linear", "unconstrained", np.arange(self.lists.top + 1.0), self.of.free_discounts(self.k)[0]
        )
        shown = [free, self._variant(DISCOUNT)]
        chart = fitted_chart(discounts_table(shown), [one.name for one in shown])
        return replace(
            chart, name="figure_3", title=f"The discount without and with constraint, nDCG@{self.k} (figure 3)"
        )

    def figure_4(self) -> Chart:
        table = stability_table(variant_stability(list(self.named.values()), self.x, _LEVEL))
        chart = stability_chart(table, [str(one) for one in _CURVES.values()])
        return replace(chart, name="figure_4", title=f"Stability of nDCG@{self.k} by the number of topics (figure 4)")

    def figure_5(self) -> Chart:
        chart = ranks_chart(ranks_table(self.lists))
        return replace(chart, name="figure_5", title="Judged and relevant documents by rank (figure 5)")

    def figure_6(self) -> Chart:
        shown = [self.named[str(one)] for one in (self.of.optimum, DISCOUNT)]
        chart = fitted_chart(discounts_table(shown), [one.name for one in shown])
        title = f"The discount fitted with the gain and alone, nDCG@{self.k} (figure 6)"
        return replace(chart, name="figure_6", title=title)

    def scatter(self, name: str, what: str, best: Weighting, others: Sequence[Weighting]) -> Chart:
        shown = [self.named[str(one)] for one in (best, *others)]
        x = variant_scores(self.lists, shown)
        likeness = likeness_table(shown, x, _LEVEL)
        chart = means_chart(means_table(shown, self.runs, x), likeness, str(best), [str(one) for one in others])
        number = name.removeprefix("figure_")
        title = f"Means of runs by the optimal {what} and by others, nDCG@{self.k} (figure {number})"
        return replace(chart, name=name, title=title)

    def figure_9(self) -> Chart:
        names = [str(STANDARD), *([str(EXP)] if self.of.graded else []), str(LINEAR), str(self.of.optimum)]
        scores = variant_scores(self.lists, [self.named[name] for name in names])
        levels = best_pair_levels(names, scores, rng=SEED)
        chart = asl_chart(levels, by="variant", pairs="pairs of the best runs")
        title = f"Significance levels of the pairs of the best runs, nDCG@{self.k} (figure 9)"
        return replace(chart, name="figure_9", title=title)


# --- the ratio of gains, which needs to be further explored


def ratio_by_cutoff(of: NdcgFits) -> pl.DataFrame:
    """The ratio of optimal gains at many cutoffs, with its interval, and what documents stand there.

    Columns: depth, ratio, low, high (over topics, fitted again without some), top_share (of the relevant documents
    that are listed to the cutoff, those of the top grade), judged_share (of all documents listed, those judged).
    """
    rows = []
    for k in (k for k in _EXPLORED if of.reaches(k)):
        ratio, grade = of.ratio(k, GAIN), of.lists(k).grade
        low, high = jackknife_interval(ratio[0], ratio[1:], level=_LEVEL)
        relevant = max(int((grade > 0).sum()), 1)
        top = float((grade == of.lists(k).grades[-1]).sum()) / relevant
        rows.append((k, float(ratio[0]), max(float(low), 1.0), float(high), top, of.judged_share(k)))
    columns = ("ratio", "low", "high", "top_share", "judged_share")
    schema = {"depth": pl.Int64} | dict.fromkeys(columns, pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _explored_chart(table: pl.DataFrame) -> Chart:
    named = {"ratio": "ratio", "top_share": "share of the top grade"}
    rows = pl.concat(
        [
            table.select("depth", "low", "high", value=pl.col("ratio")).with_columns(of=pl.lit(named["ratio"])),
            table.select("depth", value=pl.col("top_share")).with_columns(of=pl.lit(named["top_share"])),
        ],
        how="diagonal",
    )
    x = field("depth", title="cutoff", scale={"type": "log", "nice": False})
    y = field("value", title="ratio of optimal gains; share", scale={"zero": True})
    drawing = lines(
        x, y, category("of", list(named.values()), legend={"title": None}), band=("low", "high"), points=True
    )
    return Chart("ratio_by_cutoff", "The ratio of optimal gains by the cutoff, with its interval", rows, drawing)
