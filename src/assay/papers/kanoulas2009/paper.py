"""kanoulas2009: which gain and discount make nDCG most stable? TREC 9 and 10 web, TREC 12 robust.

The runs are any graded ones, for those of its three collections are not public: its tables are listed as published,
compared where the data is given (--data T9=DIR,QRELS), and computed on whatever graded runs are given instead.
Readings where the paper says nothing: the ideal ranking is sorted by gain; both together means that gain and
discount maximise one Phi, where the paper's minimax takes several objectives that it does not name; discounts are
very close if less than {close_discounts:.0%} of their weight differs, and rankings almost identical from a tau of
{equivalent_tau} on. The item error is of what is wrong in the paper itself.

tables.figure_2: depth, curve, rank, discount: optimal and standard discounts on the runs given.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.measures.gain import log2_discount
from assay.papers.kanoulas2009.claims import CLAIMS, MAIN, SHOWN, graded_runs
from assay.papers.kanoulas2009.fits import BOTH, DISCOUNT, GAIN, SEED, NdcgFits, Weighting, fits
from assay.papers.kanoulas2009.published import (
    COLLECTIONS,
    CUTOFFS,
    DEPTH,
    DISCOUNTS,
    GAINS,
    OTHER_TRIANGLE,
    RATIOS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TARGET,
    TAU_OF_GAINS,
)
from assay.results.charts import Chart, category, field, lines, thin
from assay.results.papers import Number, Paper, Sources, Tables, paper, sizes
from assay.scoring.scored_collection import MissingDataError

NAMES = {key: name for key, (name, _, _) in COLLECTIONS.items()} | {MAIN: "the runs given"}

ERROR = "error"  # the item of what is wrong, or missing, in the paper itself
_HERE = "not in the paper: the runs that are given"
_CAPTION = f"for Phi = {TARGET:.2f}, which the numbers fit; the caption says .95"
_CURVES = {"optimal": DISCOUNT} | {name: Weighting(discount=name) for name in ("log2", "zipf", "linear")}


def _of(key: str, sources: Sources) -> NdcgFits:
    return fits(graded_runs(sources) if key == MAIN else sources.of(key))


def _topics_needed(item: str, printed: dict[str, tuple[int, ...]], names: dict[str, Weighting]) -> Iterator[Number]:
    """Topics needed on every collection; off by one is rounding."""
    for key in NAMES:
        for i, (name, weighting) in enumerate(names.items()):
            value, tolerance, note = (None, None, _HERE) if key == MAIN else (printed[key][i], 1.0, _CAPTION)
            yield Number(item, f"{NAMES[key]}: {name}", value, tolerance, partial(_needed, key, weighting), note)


def _needed(key: str, weighting: Weighting, sources: Sources) -> Array:
    return np.asarray(_of(key, sources).topics(DEPTH, weighting, TARGET))


def _table_2() -> Iterator[Number]:
    for key in NAMES:
        for i, k in enumerate(CUTOFFS):
            for j, name in enumerate(RATIOS):
                value, tolerance, note = (None, None, _HERE) if key == MAIN else (TABLE_2[key][i][j], 0.05, "")
                cell = f"{NAMES[key]}: nDCG@{k}, {name}"
                yield Number("table 2", cell, value, tolerance, partial(_ratio, key, k, name), note)


def _ratio(key: str, k: int, name: str, sources: Sources) -> Array | float:
    of = _of(key, sources)
    if not of.reaches(k):
        raise MissingDataError(f"lists of {k} documents")
    if name == RATIOS[0]:
        return of.free_ratio(k)
    return of.ratio(k, GAIN if name == RATIOS[1] else BOTH)


def _table_4() -> Iterator[Number]:
    for key in NAMES:
        for one, other in TABLE_4["T9"]:
            value, tolerance, note = (None, None, _HERE) if key == MAIN else (TABLE_4[key][one, other], 0.00005, "")
            cell = f"{NAMES[key]}: {one}, {other}"
            yield Number("table 4", cell, value, tolerance, partial(_tau, key, one, other), note)
    (key, (one, other)), value = OTHER_TRIANGLE
    note = f"an error: the other triangle has {TABLE_4[key][one, other]:.4f}, and tau is symmetric"
    yield Number(
        ERROR, f"table 4, {NAMES[key]}: {other}, {one}", value, 0.00005, partial(_tau, key, one, other), note
    )


def _tau(key: str, one: str, other: str, sources: Sources) -> Array:
    a, b = (Weighting(discount=DISCOUNTS[name]) for name in (one, other))
    return _of(key, sources).tau(DEPTH, a, b)


def _section_3_4() -> Iterator[Number]:
    key, value = TAU_OF_GAINS
    for where in (MAIN, key):
        printed, tolerance, note = (value, 0.005, "") if where == key else (None, None, _HERE)
        cell = f"{NAMES[where]}: tau of optimal and exponential gains"
        yield Number("section 3.4", cell, printed, tolerance, partial(_tau_of_gains, where), note)


def _tau_of_gains(key: str, sources: Sources) -> Array:
    return _of(key, sources).tau(DEPTH, GAIN, Weighting(gain="exp"))


def _first_fall(_: Sources) -> float:
    first, second = log2_discount(np.array([1.0, 2.0]))
    return float(first - second)


def _errors() -> Iterator[Number]:
    note = "an error: figure 1 wants disc(r) - disc(r + 1) <= 0; not even log2 meets it; the text says non-increasing"
    yield Number(ERROR, "figure 1: disc(1) - disc(2) of log2", None, None, _first_fall, note)
    for ideal in ("gain", "grade"):
        cell = f"ratio of gains at 20, unconstrained, the ideal sorted by {ideal}"
        note = "the paper does not say how the ideal ranking is sorted; below a ratio of 1 it matters"
        yield Number(ERROR, cell, None, None, partial(_by_ideal, ideal), note)


def _by_ideal(ideal: str, sources: Sources) -> float:
    return _of(MAIN, sources).free_ratio(20, "grade" if ideal == "grade" else "gain")


def figures(sources: Sources) -> tuple[Tables, tuple[Chart, ...]]:
    """Figure 2 on the runs that are given: the optimal discount beside the others, at three cutoffs."""
    try:
        of = fits(graded_runs(sources))
    except MissingDataError:
        return {}, ()
    parts = []
    for k in SHOWN:
        for name, weighting in _CURVES.items():
            discount = of.weights(k, weighting)[0][1]
            names = {"depth": [k] * k, "curve": [name] * k}
            parts.append(pl.DataFrame({**names, "rank": np.arange(1, k + 1), "discount": discount / discount.sum()}))
    table = pl.concat(parts)
    x, colour = field("rank"), category("curve", list(_CURVES), title=None)
    curve = lines(x, field("discount", title="discount (sum 1)"), colour)
    charts = []
    for k in SHOWN:
        shown = thin(table.filter(pl.col("depth") == k), by=["curve"])
        charts.append(Chart(f"figure_2_{k}", f"Optimal and standard discounts of nDCG@{k} (figure 2)", shown, curve))
    return {"figure_2": table}, tuple(charts)


paper(
    Paper(
        key="kanoulas2009",
        about=__doc__,
        main=MAIN,
        collections=NAMES,
        ranked_lists=True,
        settings={"ideal": "sorted by gain", "folds": 5, "rng": SEED},
        figures=figures,
        cells=(
            *sizes("section 3", COLLECTIONS),
            *_topics_needed("table 1", TABLE_1, {name: Weighting(discount=of) for name, of in DISCOUNTS.items()}),
            *_table_2(),
            *_topics_needed("table 3", TABLE_3, {name: Weighting(gain=of) for name, of in GAINS.items()}),
            *_table_4(),
            *_section_3_4(),
            *_errors(),
            *CLAIMS,
        ),
    )
)
