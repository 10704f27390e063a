"""Figures 1 to 4 of webber2010, drawn by the commands that answer the same questions on any runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from assay.analyses.agreement.analysis import agreement
from assay.analyses.depth.analysis import depth
from assay.analyses.measures.rank_weights import rank_weights
from assay.analyses.power.placebo import of_measures
from assay.data.judged import Collection
from assay.papers.webber2010.published import EVALUATION_DEPTHS, POOL_DEPTHS
from assay.papers.webber2010.single_runs import ndcg_at
from assay.results.charts import Chart
from assay.results.papers import Sources, Tables
from assay.scoring.scored_collection import MissingDataError, ScoredCollection, judged_lists, judgments
from assay.scoring.scores import Scores

SAID_OF_FIGURES = {
    "figure_1": (
        "DCG's weights decline steeply at high ranks but are almost flat thereafter; those of RBP decline by the "
        "same proportion at each rank."
    ),
    "figure_2": (
        "Deep and extended evaluation go together very strongly (tau 0.939), more than shallow and extended (0.874) "
        "or shallow and deep (0.857); the best runs drop back under extended evaluation."
    ),
    "figure_3": (
        "With expanded normalisation the pool lines come to the line of full assessment from below and rise above "
        "it; with abbreviated normalisation they stay on it."
    ),
    "figure_4_precision": (
        "Precision falls when evaluation goes far beyond the pool; of all measures here only recall strongly loses "
        "power as the pool gets deeper."
    ),
    "figure_4": (
        "Power under full assessment rises strongly with depth for all measures; beyond the pool nDCG and AP level "
        "off at worst, RBP falls."
    ),
}

_WEIGHED = ("DCG(discount='jk')", "RBP(p=0.8)", "RBP(p=0.95)", "RBP(p=0.977)", "RBP(p=0.9977)")
_DEPTHS = ",".join(map(str, EVALUATION_DEPTHS))
_POOLS = ",".join(map(str, POOL_DEPTHS))


def figures(sources: Sources) -> tuple[Tables, tuple[Chart, ...]]:
    """Figure 1, which needs no data, and the others where there are runs and judgments."""
    tables, charts = _figure_1()
    for draw in (_figure_2, _figure_3, _figure_4_precision, _figure_4):
        try:
            more_tables, more_charts = draw(sources.of())
        except MissingDataError:
            continue
        tables, charts = tables | more_tables, (*charts, *more_charts)
    return tables, charts


def _named(name: str, title: str, chart: Chart) -> Chart:
    return replace(chart, name=name, title=title)


def _figure_1() -> tuple[Tables, tuple[Chart, ...]]:
    result = rank_weights(list(_WEIGHED), 1000)
    title = "Rank weights of DCG and of RBP with various p (figure 1)"
    return {"figure_1": result.table}, (_named("figure_1", title, result.charts[0]),)


def _figure_2(c: ScoredCollection) -> tuple[Tables, tuple[Chart, ...]]:
    at = ndcg_at(c)
    value = np.stack([c.scores(condition) for condition in at.values()])
    result = agreement(Scores(tuple(at), c.runs, c.topics, value))
    chart = next(chart for chart in result.charts if chart.name == "means")
    title = "Mean nDCG of runs at different pooling and evaluation depths (figure 2)"
    return {"figure_2": result.tables["means"]}, (_named("figure_2", title, chart),)


def _figure_3(c: ScoredCollection) -> tuple[Tables, tuple[Chart, ...]]:
    title = "Power with expanded and with abbreviated normalisation (figure 3)"
    return _grid(c, "figure_3", title, {"AP": "AP", "nDCG": "nDCG(discount='jk')"}, ["expanded", "abbreviated"])


def _figure_4_precision(c: ScoredCollection) -> tuple[Tables, tuple[Chart, ...]]:
    title = "Power of precision and recall beyond, and before, the pooling depth (figure 4, first row)"
    return _grid(c, "figure_4_precision", title, {"P": "P"}, ["raw", "expanded", "standardised"])


def _figure_4(c: ScoredCollection) -> tuple[Tables, tuple[Chart, ...]]:
    title = "Power beyond, and before, the pooling depth (figure 4)"
    rows = {"DCG": "DCG(discount='jk')", "AP": "AP", "RBP": "RBP(residual=0.1)"}
    return _grid(c, "figure_4", title, rows, ["raw", "abbreviated", "standardised"])


def _grid(
    c: ScoredCollection, name: str, title: str, rows: Mapping[str, str], normalization: list[str]
) -> tuple[Tables, tuple[Chart, ...]]:
    """Draw the panels as the paper does: its rows under its names, normalisations from left to right as named."""
    lists = judged_lists(c)
    result = depth(
        Collection(lists.source, judgments(c)),
        measure=list(rows.values()),
        depth=_DEPTHS,
        pool_depth=_POOLS,
        normalization=normalization,
    )
    (chart,) = result.charts
    facet = chart.drawing["facet"]
    panels = {**facet, "row": {**facet["row"], "sort": list(rows)}}
    named = chart.table.with_columns(pl.col("family").replace(list(rows.values()), list(rows)))
    drawn = replace(chart, name=name, title=title, table=named, drawing={**chart.drawing, "facet": panels})
    return {name: of_measures(result.table)}, (drawn,)
