"""robertson2007: how do measures change on samples of documents? Its tables need no data.

The paper drew one population and sampled it 10,000 times at each of five rates. Here 100 populations are simulated
(a minute or two), and a printed number must lie in the range that {claim_level:.0%} of them give: low and high are
that range, and for claims the interval of the mean over populations; the tolerance is off the range. Claims of
consistency are more exacting: cells must be within {consistent_z} standard deviations of what populations with the
All of their table let expect. What a measure is expected to show over all populations and samples is exact, by
quadrature. It has come to 1 within {near_one}, and is stable if it changes by less than {stable_mean}; a few of the
relevant documents are at most {few_documents:.0%}. Claims of section 5 are about real collections: they are decided
on the runs that are given (--runs, --qrels), thinned to 50, 20 and 10% of their documents.

Conventions that the paper leaves open: scores at or above a threshold count; precision of nothing retrieved is 0;
the ranks of method 2 in table 3 are 160, 80, 40, 20 and 10.

tables.cells: cells, measure, n (samples at the rate 2^-n; 0 is All), n_relevant, published, expected (exactly, over
all populations and samples), mean, low, high (over simulated populations), z_expected (mean less expected, in
standard errors), given_all (expected given the table's All), z (published less given_all, in standard deviations
that include rounding), published_sd, sd (mean over populations).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import ceil, floor, sqrt

import numpy as np
import polars as pl

from assay.analyses.population.analysis import population
from assay.analyses.population.expected import precision_at_rank_poisson
from assay.analyses.reproduce.decisions import CLAIM_LEVEL
from assay.core.arrays import Array
from assay.papers.robertson2007.claims import (
    CLAIMS,
    CONSISTENT,
    DEPTH,
    ERRORS,
    LARGE,
    LEVEL_Z,
    beyond,
    large,
    lifted,
)
from assay.papers.robertson2007.published import AP, DIGIT, HALVINGS, NDCG, PRINTED, RECALL_BY_SCORE, PrintedColumn
from assay.papers.robertson2007.real_collections import EVERYWHERE
from assay.papers.robertson2007.simulation import (
    FIRST,
    PAIRS,
    POPULATIONS,
    SAMPLES,
    SEED,
    PopulationRange,
    best_fit,
    conditional_cell,
    deviations,
    expectations,
    means,
    model_of,
    others_between,
    simulated_populations,
    spread_beyond_rounding,
)
from assay.results.charts import Chart, category, field, scatter
from assay.results.papers import ERROR, Number, Paper, Sources, Tables, paper, without_data
from assay.stats.document_population import DocumentPopulation

_HALF = 64  # relevant documents at 50% recall
_NEEDED = 26  # other documents between the 64th and the 65th relevant one that make All of table 4 0.116


def _table(printed: PrintedColumn, *, whole: bool) -> Iterator[Number]:
    """All, means and standard deviations of a measure."""
    half, item, command = DIGIT / 2, printed.item, printed.command
    if whole:
        at, compute = ("All", printed.heading), without_data(_mean, printed, 0)
        yield Number(item, "All", printed.whole, half, compute, inside=True, at=at, command=command)
    for n in HALVINGS:
        cell, at = f"{printed.before}mean, n = {n}", (str(n), printed.heading)
        compute = without_data(_mean, printed, n)
        yield Number(item, cell, printed.mean[n - 1], half, compute, inside=True, at=at, command=command)
    for n in HALVINGS:
        cell, at = f"{printed.before}SD, n = {n}", (str(n), printed.sd_heading)
        compute = without_data(_deviation, printed, n)
        yield Number(item, cell, printed.sd[n - 1], half, compute, inside=True, at=at, command=command)


def _mean(printed: PrintedColumn, n: int) -> PopulationRange:
    return PopulationRange(means(printed)[n])


def _deviation(printed: PrintedColumn, n: int) -> PopulationRange:
    return PopulationRange(deviations(printed)[n])


def _tables() -> Iterator[Number]:
    seen: set[str] = set()
    for printed in PRINTED:
        yield from _table(printed, whole=printed.item not in seen)
        seen.add(printed.item)


def _errors() -> Iterator[Number]:
    """Table 4, All = 0.116: both explanations, neither of which can be shown to be the right one."""
    note = (
        "either All is a misprint: the ten cells of method 1 come out, to the last digit, with 64 relevant documents "
        "and 506 others above the threshold"
    )
    compute = without_data(_whole_of_method_1)
    whole = RECALL_BY_SCORE.whole
    yield Number(
        ERROR, "table 4, All, if method 1 has the score of the 64th document", whole, DIGIT / 2, compute, note
    )
    note = (
        "or method 1 has the threshold one document too far: 65 / (65 + 514) = 0.112 gives its means, and with 26 of "
        "these 514 below the 64th relevant document All is right"
    )
    compute = without_data(_whole_if_too_far)
    yield Number(
        ERROR, "table 4, All, if method 1 has the score of the 65th document", whole, DIGIT / 2, compute, note
    )
    note = "of the ten printed, five of them means"
    for hits in (_HALF, _HALF + 1):
        cell = f"table 4, digits of method 1 that come out with the score of document {hits}"
        yield Number(ERROR, cell, None, None, without_data(_digits, hits), note)
    note = "in standard errors of 10,000 samples, rounding taken off"
    for hits in (_HALF, _HALF + 1):
        cell = f"table 4, how far SDs of method 1 are off with the score of document {hits}, at most"
        yield Number(ERROR, cell, None, None, without_data(_off, hits), note)
    note = f"{_NEEDED} are needed; the number has nearly an exponential distribution"
    cell = "table 4, others expected between the 64th and the 65th relevant document"
    yield Number(ERROR, cell, None, None, without_data(others_between, _HALF), note)


def _whole_of_method_1() -> float:
    false, _ = best_fit(_HALF, RECALL_BY_SCORE.mean, RECALL_BY_SCORE.sd)
    return _HALF / (_HALF + false)


def _whole_if_too_far() -> float:
    false, _ = best_fit(_HALF + 1, RECALL_BY_SCORE.mean, RECALL_BY_SCORE.sd)
    return _HALF / (_HALF + false - _NEEDED)


def _digits(hits: int) -> float:
    return float(best_fit(hits, RECALL_BY_SCORE.mean, RECALL_BY_SCORE.sd)[1])


def _off(hits: int) -> float:
    false, _ = best_fit(hits, RECALL_BY_SCORE.mean, RECALL_BY_SCORE.sd)
    return spread_beyond_rounding(hits, false, RECALL_BY_SCORE.sd)


def _sections() -> Iterator[Number]:
    exact = "assay population --table exact"
    note, cell = "the paper calls the integral intractable", "J, 128 relevant of 12,800,000"
    yield Number("exact", cell, None, None, lambda _: _j(), note, command=exact)
    note = "what AP of the population, which the paper takes as true, is expected to be"
    cell = "AP of 128 relevant documents"
    yield Number("exact", cell, None, None, lambda _: float(expectations(AP)[0]), note, command="assay population")
    note = "minus the mean logarithm of precision: what is left of nDCG in a large collection"
    yield Number("exact", "L", None, None, lambda _: model_of("fixed").log_precision(), note, command=exact)
    note = "not 1: the tail of a normal distribution is thinner than that of an exponential one"
    cell = "highest P@10 of all sizes of collection"
    yield Number("exact", cell, None, None, lambda _: _highest(), note, command="assay population --table growth")
    note = f"scores {FIRST}, whose upper end the paper excludes (section 4)"
    for measure in ("P@10", "S@10", "nDCG@10"):
        cell, compute = f"{measure} of a collection 2^{LARGE} times as large", without_data(large, measure, FIRST)
        yield Number("exact", cell, None, None, compute, note, command="assay population --table measures")
    cell = "lift from rank 2000 to 1000, as a multiple of one from 2 to 1"
    command = "assay population --table moves"
    yield Number("section 3.2", cell, 1000, DIGIT, without_data(lifted, "AUC"), "of pairwise error", command=command)
    note, cell = "of 128; the paper says a few", "relevant documents beyond rank 1,000 of the population"
    yield Number("section 4.2", cell, None, None, lambda _: PopulationRange(beyond()), note)
    note, cell = "the paper says very little", "what these add to AP of the population"
    yield Number("section 4.2", cell, None, None, lambda _: PopulationRange(_added()), note)
    note = "rounded outwards"
    for end, published, way, sign in (("low", 0.486, floor, -1), ("high", 0.494, ceil, 1)):
        compute = without_data(_end, way, sign)
        yield Number("section 4.5", f"interval of mean nDCG, n = 5, {end}", published, 1e-6, compute, note)


def _j() -> float:
    return DocumentPopulation(PAIRS[FIRST], 128 / 12_800_000).average_precision()


def _highest() -> float:
    of = model_of("fixed")
    return max(precision_at_rank_poisson(of, 128 * 2.0**x, 10) for x in np.linspace(-2, 4, 241))


def _added() -> Array:
    """AP of every population less what it is without documents beyond the depth. [population]"""
    k = np.arange(1, 129)
    shallow = [(k / one.rank)[one.rank <= DEPTH].sum() / k.size for one in simulated_populations("fixed")]
    return np.asarray(means(AP)[0] - np.array(shallow))


def _end(way: Callable[[float], int], sign: int) -> float:
    return way((NDCG.mean[-1] + sign * LEVEL_Z * NDCG.sd[-1] / sqrt(SAMPLES)) / DIGIT) * DIGIT


def figures(_: Sources) -> tuple[Tables, tuple[Chart, ...]]:
    """Figures 1 and 2; every printed mean beside its exact expectation, its range and what All lets expect."""
    rows = [_row(printed, n) for printed in PRINTED for n in (0, *HALVINGS)]
    table = pl.DataFrame(rows, infer_schema_length=None)
    shown = table.filter(pl.col("z").is_not_null()).select("cells", "n", "published", "given_all", "z")
    scale = {"domain": [-4, 4], "clamp": True}
    x = field("z", title="printed less expected given All, in standard deviations (4: or more)", scale=scale)
    y = category("cells", [printed.name for printed in PRINTED], title="cells of")
    drawing = scatter(x, y, colour=category("n"), tooltip=shown.columns) | {"height": {"step": 30}, "width": 400}
    own = Chart("given_all", "Printed means, given All of their table", shown, drawing)
    return {"cells": table}, (*_redrawn(), own)


def _redrawn() -> Iterator[Chart]:
    """The paper's two figures, of one population, as `assay population` draws them."""
    charts = {chart.name: chart for chart in population(populations=1, rng=SEED).charts}
    for number, name in ((1, "curves"), (2, "ap")):
        yield replace(charts[name], name=f"figure_{number}")


def _row(printed: PrintedColumn, n: int) -> dict[str, object]:
    """One size of samples of one measure."""
    mean, spread = means(printed)[n], deviations(printed)[n]  # [population]
    low, high = PopulationRange(mean).interval(CLAIM_LEVEL.value) or (np.nan, np.nan)
    exact = float(expectations(printed)[n])
    error = float(mean.std(ddof=1) / sqrt(mean.size))
    conditional = conditional_cell(printed, mean, printed.mean[n - 1], printed.whole) if n else None
    return {
        "cells": printed.name,
        "measure": printed.measure,
        "n": n,
        "n_relevant": 128 // 2**n,
        "published": printed.mean[n - 1] if n else printed.whole,
        "expected": exact,
        "mean": float(mean.mean()),
        "low": low,
        "high": high,
        "z_expected": (float(mean.mean()) - exact) / error,
        "given_all": conditional.expected if conditional else None,
        "z": conditional.z if conditional else None,
        "published_sd": printed.sd[n - 1] if n else None,
        "sd": float(spread.mean()) if n else None,
    }


paper(
    Paper(
        key="robertson2007",
        about=__doc__,
        main="runs",
        collections={"runs": "runs and judgments of a real collection"},
        ranked_lists=True,
        public_files={"runs": "cranfield-runs/runs", "qrels": "cranfield-runs/qrels.graded.txt"},
        stand_in="Cranfield, a stand-in: the paper has no real collection of its own",
        settings={"populations": POPULATIONS, "samples": SAMPLES, "rng": SEED},
        figures=figures,
        said_of_figures={
            "figure_1": "a perfectly reasonable recall-precision graph; smaller samples tend to over-estimate "
            "precision at fixed recall levels",
            "figure_2": "standard deviation and mean of AP increase with n: smaller samples are less precise, and "
            "biased on the high side",
        },
        everywhere=EVERYWHERE,
        cells=(*_tables(), *_sections(), *CONSISTENT, *CLAIMS, *ERRORS, *_errors()),
    )
)
