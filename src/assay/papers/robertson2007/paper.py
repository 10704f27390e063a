"""robertson2007: what do measures make of samples of documents? Needs no data.

The paper drew one population and sampled it 10,000 times at each of five rates. Here 100 populations are simulated
(about a minute), and a printed number must lie in the range that {claim_level:.0%} of them give: low and high are
that range, and for claims the interval of the mean over populations; the tolerance is off the range. Claims of
consistency are more exacting: cells must be within {consistent_z} standard deviations of what populations with the
All of their table let expect. What a measure is expected to show over all populations and samples is exact, by
quadrature. It has come to 1 within {near_one}, and is stable if it changes by less than {stable_mean}.

Conventions that the paper leaves open: scores at or above a threshold count; precision of nothing retrieved is 0;
the ranks of method 2 in table 3 are 160, 80, 40, 20 and 10.

tables.cells: cells, measure, n (samples at the rate 2^-n; 0 is All), n_relevant, published, expected (exactly, over
all populations and samples), mean, low, high (over simulated populations), z_expected (mean less expected, in
standard errors), given_all (expected given the table's All), z (published less given_all, in standard deviations
that include rounding), published_sd, sd (mean over populations).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, floor, sqrt

import numpy as np
import polars as pl

from assay.analyses.population.expected import precision_at_rank_poisson
from assay.analyses.reproduce.decisions import CLAIM_LEVEL
from assay.core.arrays import Array
from assay.papers.robertson2007.claims import CLAIMS, CONSISTENT, LEVEL_Z
from assay.papers.robertson2007.published import AP, DIGIT, HALVINGS, NDCG, PRINTED, RECALL_BY_SCORE, PrintedColumn
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
    simulated_populations,
)
from assay.results.charts import Chart, category, field, scatter
from assay.results.papers import Number, Paper, Sources, Tables, paper, without_data
from assay.stats.document_population import DocumentPopulation

_DEPTH = 1000
_HALF = 64  # relevant documents at 50% recall


def _table(printed: PrintedColumn, *, whole: bool) -> Iterator[Number]:
    """All, means and standard deviations of a measure."""
    if whole:
        yield Number(printed.item, "All", printed.whole, DIGIT / 2, without_data(_mean, printed, 0), inside=True)
    for n in HALVINGS:
        cell = f"{printed.before}mean, n = {n}"
        yield Number(printed.item, cell, printed.mean[n - 1], DIGIT / 2, without_data(_mean, printed, n), inside=True)
    for n in HALVINGS:
        cell = f"{printed.before}SD, n = {n}"
        yield Number(
            printed.item, cell, printed.sd[n - 1], DIGIT / 2, without_data(_deviation, printed, n), inside=True
        )


def _mean(printed: PrintedColumn, n: int) -> PopulationRange:
    return PopulationRange(means(printed)[n])


def _deviation(printed: PrintedColumn, n: int) -> PopulationRange:
    return PopulationRange(deviations(printed)[n])


def _tables() -> Iterator[Number]:
    seen: set[str] = set()
    for printed in PRINTED:
        yield from _table(printed, whole=printed.item not in seen)
        seen.add(printed.item)
    note = "the ten cells of method 1 come out, to the last digit, with 506 other documents above: All is a misprint"
    compute = without_data(_whole_of_method_1)
    yield Number("table 4", "All, as the cells of method 1 have it", RECALL_BY_SCORE.whole, DIGIT / 2, compute, note)


def _whole_of_method_1() -> float:
    false, _ = best_fit(_HALF, RECALL_BY_SCORE.mean, RECALL_BY_SCORE.sd)
    return _HALF / (_HALF + false)


def _sections() -> Iterator[Number]:
    note = "the paper calls the integral intractable"
    yield Number("exact", "J, 128 relevant of 12,800,000", None, None, lambda _: _j(), note)
    note = "what AP of the population, which the paper takes as true, is expected to be"
    yield Number("exact", "AP of 128 relevant documents", None, None, lambda _: float(expectations(AP)[0]), note)
    note = "minus the mean logarithm of precision: what is left of nDCG in a large collection"
    yield Number("exact", "L", None, None, lambda _: model_of("fixed").log_precision(), note)
    note = "not 1: the tail of a normal distribution is thinner than that of an exponential one"
    yield Number("exact", "highest P@10 of all sizes of collection", None, None, lambda _: _highest(), note)
    note = "of 128; the paper says a few"
    cell = "relevant documents beyond rank 1,000 of the population"
    yield Number("section 4.2", cell, None, None, lambda _: PopulationRange(_beyond()), note)
    note = "the paper says very little"
    yield Number(
        "section 4.2", "what these add to AP of the population", None, None, lambda _: PopulationRange(_added()), note
    )
    note = "rounded outwards"
    for cell, published, way, sign in (("low", 0.486, floor, -1), ("high", 0.494, ceil, 1)):
        compute = without_data(_end, way, sign)
        yield Number("section 4.5", f"interval of mean nDCG, n = 5, {cell}", published, 1e-6, compute, note)


def _j() -> float:
    return DocumentPopulation(PAIRS[FIRST], 128 / 12_800_000).average_precision()


def _highest() -> float:
    of = model_of("fixed")
    return max(precision_at_rank_poisson(of, 128 * 2.0**x, 10) for x in np.linspace(-2, 4, 241))


def _beyond() -> Array:
    return np.array([np.count_nonzero(one.rank > _DEPTH) for one in simulated_populations("fixed")], dtype=np.float64)


def _added() -> Array:
    """AP of every population less what it is without documents beyond the depth. [population]"""
    k = np.arange(1, 129)
    shallow = [(k / one.rank)[one.rank <= _DEPTH].sum() / k.size for one in simulated_populations("fixed")]
    return np.asarray(means(AP)[0] - np.array(shallow))


def _end(way: Callable[[float], int], sign: int) -> float:
    return way((NDCG.mean[-1] + sign * LEVEL_Z * NDCG.sd[-1] / sqrt(SAMPLES)) / DIGIT) * DIGIT


def figures(_: Sources) -> tuple[Tables, tuple[Chart, ...]]:
    """Every printed mean beside its exact expectation, its range and what All of its table lets expect."""
    rows = [_row(printed, n) for printed in PRINTED for n in (0, *HALVINGS)]
    table = pl.DataFrame(rows, infer_schema_length=None)
    shown = table.filter(pl.col("z").is_not_null()).select("cells", "n", "published", "given_all", "z")
    scale = {"domain": [-4, 4], "clamp": True}
    x = field("z", title="printed less expected given All, in standard deviations (4: or more)", scale=scale)
    y = category("cells", [printed.name for printed in PRINTED], title="cells of")
    drawing = scatter(x, y, colour=category("n"), tooltip=shown.columns) | {"height": {"step": 30}, "width": 400}
    return {"cells": table}, (Chart("given_all", "Printed means, given All of their table", shown, drawing),)


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
        settings={"populations": POPULATIONS, "samples": SAMPLES, "rng": SEED},
        figures=figures,
        cells=(*_tables(), *_sections(), *CONSISTENT, *CLAIMS),
    )
)
