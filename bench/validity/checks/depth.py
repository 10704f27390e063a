"""What `depth` says: power, what shallower depths and pools lose of it, tau; how deep to evaluate and to pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from assay.analyses.depth.analysis import depth
from assay.analyses.depth.sufficiency import POWER_MARGIN, By, deepest_judged, sufficient_depths
from assay.analyses.power.placebo import PLACEBO_TAU, of_measures
from assay.results.result import Result
from assay.results.sentences import EQUIVALENT_TAU
from bench.validity.collections import CollectionTruth
from bench.validity.declare import Facts, IntervalCheck, Key, NotStudied, SentenceCheck, Settings, said

SIZES = (25, 50)
_ASKED: Settings = (
    ("measure", ("AP", "nDCG")),
    ("normalization", ("abbreviated", "expanded")),
    ("pool_depth", "5,20,100"),
)
_CELL = ("measure", "normalization", "pool_depth", "depth")
_NEAR_ONE = "taus near 1, whose spread between halves of the topics is larger than that of all of them"
_LOST, _TAU = "depth: power lost, to a judged pool", "depth: tau, to a judged pool"


def _edges(result: Result) -> pl.DataFrame:
    """The cells along the deepest judged pool, with that pool: it may differ from sample to sample."""
    edges = result.tables["edges"]
    return edges.with_columns(deepest=pl.lit(edges["pool_depth"].max()))


def _of(name: str, table: str | None, value: str, low: str, high: str) -> IntervalCheck:
    return IntervalCheck(name, "depth", table, _CELL, value, low, high, settings=_ASKED)


INTERVALS: tuple[IntervalCheck, ...] = (
    _of("depth: power", None, "power", "low", "high"),
    _of("depth: power lost", None, "lost", "lost_low", "lost_high"),
    _of("depth: tau", None, "tau", "tau_low", "tau_high"),
    *(
        IntervalCheck(
            name,
            "depth",
            "edges",
            (*_CELL, "deepest"),
            *columns,
            settings=_ASKED,
            read=_edges,
            label=_NEAR_ONE if name == _TAU else "",
        )
        for name, columns in (
            (_LOST, ("lost", "lost_low", "lost_high")),
            (_TAU, ("tau", "tau_low", "tau_high")),
            ("depth: tau with permuted grades", ("tau_placebo", "tau_placebo_low", "tau_placebo_high")),
        )
    ),
    _of("depth: phi, table reliability", "reliability", "phi", "phi_low", "phi_high"),
    _of("depth: e_rho2, table reliability", "reliability", "e_rho2", "e_rho2_low", "e_rho2_high"),
)
_SAME = "the same intervals as in the grid, of other cells of it"
NOT_STUDIED: tuple[NotStudied, ...] = (
    *(NotStudied("depth", "full", low, _SAME) for low in ("low", "lost_low", "tau_low")),
    NotStudied("depth", "edges", "low", "the same intervals as in the grid"),
    *(NotStudied("depth", None, low, "the numbers of table reliability") for low in ("phi_low", "e_rho2_low")),
    *(NotStudied("depth", "full", low, _SAME) for low in ("phi_low", "e_rho2_low")),
    *(
        NotStudied("depth", "draws", low, "always empty: contributors and topics both vary")
        for low in ("low", "lost_low", "tau_low", "phi_low", "e_rho2_low")
    ),
)


def _stops(result: Result, by: By) -> list[list[Any]]:
    """The depths that are advised: measure, the cell, the pool it is compared with, and how deep is judged."""
    judged = deepest_judged(result.tables["pools"])[0]
    deepest = result.tables["edges"]
    pool, last = (int(deepest[name].max()) for name in ("pool_depth", "depth"))  # type: ignore[arg-type]
    return [
        [one.measure, *((pool, one.cell["depth"]) if by == "depth" else (one.cell["pool_depth"], last)), pool, judged]
        for one in sufficient_depths(result, by)
        if one.exists and (by == "pool_depth" or one.advised <= judged or not one.is_doubted)
    ]


def _evaluation(result: Result) -> list[list[Any]] | None:
    return (_stops(result, "depth") or None) if said(result, "evaluation_depth") else None


def _pool(result: Result) -> list[list[Any]] | None:
    """The pools that are advised; where no pool is judged well enough, none is."""
    if not said(result, "pool_depth") or not deepest_judged(result.tables["pools"])[0]:
        return None
    return _stops(result, "pool_depth") or None


def _loses(measure: str, pool: int, k: int, deepest: int, facts: Facts) -> bool:
    """Whether the expected loss of a cell is above the margin, or its expected tau below that of equal rankings."""
    cell = measure, str(pool), str(k), str(deepest)
    lost, tau = (_expected(facts.expected[name])[cell] for name in (_LOST, _TAU))
    return lost > POWER_MARGIN.value or tau < EQUIVALENT_TAU.value


def _expected(of: Mapping[Key, float]) -> dict[Key, float]:
    """By measure, pool, depth and the deepest pool: a reported measure has one form."""
    return {(measure, *cell): value for (measure, _, *cell), value in of.items()}


_TAU_PLACEBO: dict[str, dict[Key, float]] = {}  # by population


def _placebo(truth: CollectionTruth) -> dict[Key, float]:
    """Tau with permuted grades on all topics of a population, under every pool that may be the deepest judged."""
    if truth.name not in _TAU_PLACEBO:
        table = of_measures(depth(truth.whole(), **dict(_ASKED)).table)
        rows = table.select("measure", "pool_depth", "depth", "tau_placebo").rows()
        _TAU_PLACEBO[truth.name] = {(m, str(pool), str(k)): tau for m, pool, k, tau in rows}
    return _TAU_PLACEBO[truth.name]


def _evaluation_is_false(stops: list[list[Any]], facts: Facts) -> bool:
    """Whether a depth loses too much, or lies beyond the judged one where permuted grades rank runs alike."""
    assert isinstance(facts.population, CollectionTruth)
    placebo = _placebo(facts.population)
    return any(
        _loses(measure, pool, k, deepest, facts)
        or (k > judged and (placebo[measure, str(pool), str(k)] or 0.0) >= PLACEBO_TAU.value)
        for measure, pool, k, deepest, judged in stops
    )


def _pool_is_false(stops: list[list[Any]], facts: Facts) -> bool:
    return any(_loses(measure, pool, k, deepest, facts) for measure, pool, k, deepest, _ in stops)


def _can_stop(facts: Facts, by: By) -> bool:
    """Whether something shallower truly suffices."""
    cells = [(m, int(pool), int(k), int(deepest)) for m, _, pool, k, deepest in facts.expected[_LOST]]
    last = max(k for _, _, k, _ in cells)
    if by == "depth":
        return any(
            pool == deepest and k < last and not _loses(m, pool, k, deepest, facts) for m, pool, k, deepest in cells
        )
    return any(
        pool < deepest and k == last and not _loses(m, pool, k, deepest, facts) for m, pool, k, deepest in cells
    )


SENTENCES: tuple[SentenceCheck, ...] = (
    SentenceCheck(
        "evaluation_depth",
        "depth",
        _evaluation,
        _evaluation_is_false,
        lambda facts: _can_stop(facts, "depth"),
        _ASKED,
    ),
    SentenceCheck("pool_depth", "depth", _pool, _pool_is_false, lambda facts: _can_stop(facts, "pool_depth"), _ASKED),
)
