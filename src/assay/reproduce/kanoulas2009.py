"""kanoulas2009: which gain and discount make nDCG most stable? TREC 9 and 10 web, TREC 12 robust.

The runs of its three collections are not public, so its tables are listed as published, compared where the data is
given, and computed on whatever graded runs are given instead. Readings where the paper says nothing: the ideal
ranking is sorted by gain; both together means that gain and discount maximise one Phi, where the paper's minimax
takes several objectives that it does not name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import polars as pl

from assay.charts import Chart, category, field, lines, thin
from assay.reproduce import Cell, Number, Sources, Tables
from assay.reproduce.evidence import SEED, Evidence, MissingError
from assay.reproduce.kanoulas2009_claims import CLAIMS, GIVEN, SHOWN, given
from assay.reproduce.kanoulas2009_fits import BOTH, DISCOUNT, GAIN, Array, Fits, Variant, fits
from assay.reproduce.kanoulas2009_tables import (
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

__all__ = ["CELLS", "MAIN", "NAMES", "SETTINGS", "TOPICS", "figures"]

MAIN = GIVEN
NAMES = {key: name for key, (name, _, _) in COLLECTIONS.items()} | {GIVEN: "the runs given"}
TOPICS: dict[str, Callable[[str], bool]] = {}
SETTINGS: dict[str, object] = {"ideal": "sorted by gain", "folds": 5, "rng": SEED}

_HERE = "not in the paper: the runs that are given"
_CAPTION = f"for Phi = {TARGET:.2f}, which the numbers fit; the caption says .95"
_CURVES = {"optimal": DISCOUNT} | {name: Variant(discount=name) for name in ("log2", "zipf", "linear")}


def _of(key: str, sources: Sources) -> Fits:
    return fits(given(sources) if key == GIVEN else _named(key, sources))


def _named(key: str, sources: Sources) -> Evidence:
    if key not in sources.given:
        raise MissingError(f"{NAMES[key]}, runs and judgments: --data {key}=RUNS,QRELS")
    return sources.of(key)


def _sizes() -> Iterator[Number]:
    for key, (name, n_runs, n_topics) in COLLECTIONS.items():
        yield Number("section 3", f"runs of {name}", n_runs, 0, partial(_size, key, "runs"))
        yield Number("section 3", f"topics of {name}", n_topics, 0, partial(_size, key, "topics"))


def _size(key: str, what: str, sources: Sources) -> int:
    return len(getattr(_named(key, sources), what))


def _topics_needed(item: str, printed: dict[str, tuple[int, ...]], names: dict[str, Variant]) -> Iterator[Number]:
    """Topics needed on every collection; off by one is rounding."""
    for key in NAMES:
        for i, (name, variant) in enumerate(names.items()):
            value, tolerance, note = (None, None, _HERE) if key == GIVEN else (printed[key][i], 1.0, _CAPTION)
            yield Number(item, f"{NAMES[key]}: {name}", value, tolerance, partial(_needed, key, variant), note)


def _needed(key: str, variant: Variant, sources: Sources) -> Array:
    return np.asarray(_of(key, sources).topics(DEPTH, variant, TARGET))


def _table_2() -> Iterator[Number]:
    for key in NAMES:
        for i, k in enumerate(CUTOFFS):
            for j, name in enumerate(RATIOS):
                value, tolerance, note = (None, None, _HERE) if key == GIVEN else (TABLE_2[key][i][j], 0.05, "")
                cell = f"{NAMES[key]}: nDCG@{k}, {name}"
                yield Number("table 2", cell, value, tolerance, partial(_ratio, key, k, name), note)


def _ratio(key: str, k: int, name: str, sources: Sources) -> Array | float:
    found = _of(key, sources)
    if not found.reaches(k):
        raise MissingError(f"lists of {k} documents")
    if name == RATIOS[0]:
        return found.free_ratio(k)
    return found.ratio(k, GAIN if name == RATIOS[1] else BOTH)


def _table_4() -> Iterator[Number]:
    for key in NAMES:
        for one, other in TABLE_4["T9"]:
            value, tolerance, note = (None, None, _HERE) if key == GIVEN else (TABLE_4[key][one, other], 0.00005, "")
            cell = f"{NAMES[key]}: {one}, {other}"
            yield Number("table 4", cell, value, tolerance, partial(_tau, key, one, other), note)
    (key, (one, other)), value = OTHER_TRIANGLE
    note = f"a slip: the other triangle has {TABLE_4[key][one, other]:.4f}, and tau is symmetric"
    yield Number(
        "slip", f"table 4, {NAMES[key]}: {other}, {one}", value, 0.00005, partial(_tau, key, one, other), note
    )


def _tau(key: str, one: str, other: str, sources: Sources) -> Array:
    a, b = (Variant(discount=DISCOUNTS[name]) for name in (one, other))
    return _of(key, sources).tau(DEPTH, a, b)


def _section_3_4() -> Iterator[Number]:
    key, value = TAU_OF_GAINS
    for where in (GIVEN, key):
        printed, tolerance, note = (value, 0.005, "") if where == key else (None, None, _HERE)
        cell = f"{NAMES[where]}: tau of optimal and exponential gains"
        yield Number("section 3.4", cell, printed, tolerance, partial(_tau_of_gains, where), note)


def _tau_of_gains(key: str, sources: Sources) -> Array:
    return _of(key, sources).tau(DEPTH, GAIN, Variant(gain="exp"))


def _slips() -> Iterator[Number]:
    note = "a slip: figure 1 wants disc(r) - disc(r + 1) <= 0; not even log2 meets it; the text says non-increasing"
    yield Number("slip", "figure 1: disc(1) - disc(2) of log2", None, None, lambda _: 1 - 1 / np.log2(3), note)
    for ideal in ("gain", "grade"):
        cell = f"ratio of gains at 20, unconstrained, the ideal sorted by {ideal}"
        note = "the paper does not say how the ideal ranking is sorted; below a ratio of 1 it matters"
        yield Number("slip", cell, None, None, partial(_by_ideal, ideal), note)


def _by_ideal(ideal: str, sources: Sources) -> float:
    return _of(GIVEN, sources).free_ratio(20, "grade" if ideal == "grade" else "gain")


def figures(sources: Sources) -> tuple[Tables, tuple[Chart, ...]]:
    """Figure 2 on the runs that are given: the optimal discount beside the others, at three cutoffs."""
    try:
        found = fits(given(sources))
    except MissingError:
        return {}, ()
    parts = []
    for k in SHOWN:
        for name, variant in _CURVES.items():
            discount = found.weights(k, variant)[0][1]
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


CELLS: tuple[Cell, ...] = (
    *_sizes(),
    *_topics_needed("table 1", TABLE_1, {name: Variant(discount=of) for name, of in DISCOUNTS.items()}),
    *_table_2(),
    *_topics_needed("table 3", TABLE_3, {name: Variant(gain=of) for name, of in GAINS.items()}),
    *_table_4(),
    *_section_3_4(),
    *_slips(),
    *CLAIMS,
)
"""Every number and claim of the paper that can be computed, in the paper's order."""
