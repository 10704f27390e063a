"""robertson2007: what measures make of samples of documents; tables 1 to 6, and what is said of them.

The paper drew one population and sampled it 10,000 times at each of five rates. Here 100 populations are drawn, and a
printed number must lie in the range that 95% of them give. Sharper, the numbers of a table must fit its own All. What
a measure is expected to show over all populations and samples is exact, by quadrature.

Conventions that the paper leaves open: scores at or above a threshold count; precision of nothing retrieved is 0; the
ranks of method 2 in table 3 are 160, 80, 40, 20 and 10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil, floor, sqrt

import numpy as np
import polars as pl

from assay.charts import Chart, category, field, scatter
from assay.numeric.expected import precision_at_rank_poisson
from assay.numeric.population import Model
from assay.reproduce import LEVEL, Cell, Number, Sources, Tables
from assay.reproduce.robertson2007_claims import CLAIMS, CONSISTENT, LEVEL_Z
from assay.reproduce.robertson2007_draws import (
    FIRST,
    PAIRS,
    POPULATIONS,
    SAMPLES,
    SEED,
    Array,
    Drawn,
    best_fit,
    deviations,
    drawn_populations,
    expectations,
    given_whole,
    means,
    model_of,
)
from assay.reproduce.robertson2007_tables import AP, DIGIT, HALVINGS, NDCG, PRINTED, RECALL_BY_SCORE, Printed

MAIN = ""
NAMES: dict[str, str] = {}  # none of it needs data
TOPICS: dict[str, Callable[[str], bool]] = {}
SETTINGS: dict[str, object] = {"populations": POPULATIONS, "samples": SAMPLES, "rng": SEED}

_DEPTH = 1000
_HALF = 64  # relevant documents at 50% recall


def _free(how: Callable[..., Drawn | float], *given: object) -> Callable[[Sources], Drawn | float]:
    """Compute what needs no data."""
    return partial(_ignoring, how, given)


def _ignoring(how: Callable[..., Drawn | float], given: tuple[object, ...], _: Sources) -> Drawn | float:
    return how(*given)


def _table(printed: Printed, *, whole: bool) -> Iterator[Number]:
    """All, means and standard deviations of a measure."""
    if whole:
        yield Number(printed.item, "All", printed.whole, DIGIT / 2, _free(_mean, printed, 0), inside=True)
    for n in HALVINGS:
        cell = f"{printed.before}mean, n = {n}"
        yield Number(printed.item, cell, printed.mean[n - 1], DIGIT / 2, _free(_mean, printed, n), inside=True)
    for n in HALVINGS:
        cell = f"{printed.before}SD, n = {n}"
        yield Number(printed.item, cell, printed.sd[n - 1], DIGIT / 2, _free(_deviation, printed, n), inside=True)


def _mean(printed: Printed, n: int) -> Drawn:
    return Drawn(means(printed)[n])


def _deviation(printed: Printed, n: int) -> Drawn:
    return Drawn(deviations(printed)[n])


def _tables() -> Iterator[Number]:
    seen: set[str] = set()
    for printed in PRINTED:
        yield from _table(printed, whole=printed.item not in seen)
        seen.add(printed.item)
    note = "the ten cells of method 1 come out, to the last digit, with 506 other documents above: All is a misprint"
    how = _free(_whole_of_method_1)
    yield Number("table 4", "All, as the cells of method 1 have it", RECALL_BY_SCORE.whole, DIGIT / 2, how, note)


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
    yield Number("section 4.2", cell, None, None, lambda _: Drawn(_beyond()), note)
    note = "the paper says very little"
    yield Number("section 4.2", "what these add to AP of the population", None, None, lambda _: Drawn(_added()), note)
    note = "rounded outwards"
    for cell, published, way, sign in (("low", 0.486, floor, -1), ("high", 0.494, ceil, 1)):
        how = _free(_end, way, sign)
        yield Number("section 4.5", f"interval of mean nDCG, n = 5, {cell}", published, 1e-6, how, note)


def _j() -> float:
    return Model(PAIRS[FIRST], 128 / 12_800_000).average_precision()


def _highest() -> float:
    of = model_of("fixed")
    return max(precision_at_rank_poisson(of, 128 * 2.0**x, 10) for x in np.linspace(-2, 4, 241))


def _beyond() -> Array:
    return np.array([np.count_nonzero(one.rank > _DEPTH) for one in drawn_populations("fixed")], dtype=np.float64)


def _added() -> Array:
    """AP of every population less what it is without documents beyond the depth. [population]"""
    k = np.arange(1, 129)
    shallow = [(k / one.rank)[one.rank <= _DEPTH].sum() / k.size for one in drawn_populations("fixed")]
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


def _row(printed: Printed, n: int) -> dict[str, object]:
    """One size of samples of one measure."""
    drawn, spread = means(printed)[n], deviations(printed)[n]
    low, high = Drawn(drawn).interval(LEVEL) or (np.nan, np.nan)
    exact = float(expectations(printed)[n])
    error = float(drawn.std(ddof=1) / sqrt(drawn.size))
    given = given_whole(printed, drawn, printed.mean[n - 1], printed.whole) if n else None
    return {
        "cells": printed.name,
        "measure": printed.measure,
        "n": n,
        "n_relevant": 128 // 2**n,
        "published": printed.mean[n - 1] if n else printed.whole,
        "expected": exact,
        "mean": float(drawn.mean()),
        "low": low,
        "high": high,
        "z_expected": (float(drawn.mean()) - exact) / error,
        "given_all": given.expected if given else None,
        "z": given.z if given else None,
        "published_sd": printed.sd[n - 1] if n else None,
        "sd": float(spread.mean()) if n else None,
    }


CELLS: tuple[Cell, ...] = (*_tables(), *_sections(), *CONSISTENT, *CLAIMS)
"""Every number and claim of the paper that can be computed, and what the numbers say of each other."""
