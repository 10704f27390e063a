"""What `topics` says: how many topics a design truly needs, how small a difference so many show; the cheapest mix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.topics.analysis import topics
from assay.analyses.topics.designs import Design, Name
from assay.analyses.topics.mix import Aim, PoolEstimate, Prices
from assay.analyses.topics.pilot import Pilot
from assay.data.judged import Collection
from assay.results.result import Result
from assay.scoring.loaders import as_scores
from assay.scoring.scores import Scores
from bench.validity.checks.power import true_variances
from bench.validity.collections import CollectionTruth
from bench.validity.declare import Facts, IntervalCheck, Key, SentenceCheck, Settings, said
from bench.validity.populations import population
from bench.validity.truths import Kind, Truth

_DIFFERENCE, _WIDTH = 0.05, 0.1
_SETTINGS: Settings = (("difference", _DIFFERENCE), ("width", _WIDTH), ("n_topics", "50,500"))
_DESIGNS: tuple[Name, ...] = ("paired", "anova", "interval")
_CAUTIOUS = (
    "made for variances that few topics carry, as they often are: cautious where many do; ends are whole topics"
)
_TITLES = {"paired": "two runs", "anova": "all runs", "interval": "a width"}


def _design(name: Name, truth: Truth) -> Design:
    n = truth.n_runs if name == "anova" else 2
    return Design(name, n, _WIDTH if name == "interval" else _DIFFERENCE, 0.05, 0.8, 0.95)


def _true_variance(name: Name, truth: Truth, measure: str) -> float:
    pairs = true_variances(truth, measure)[np.triu_indices(truth.n_runs, 1)]
    return float(np.mean(pairs) if name == "anova" else np.median(pairs))


def _true_topics(name: Name, truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    design = _design(name, truth)
    return {(m,): float(design.topics(np.array(_true_variance(name, truth, m)))) for m in truth.measures}


def _true_smallest(name: Name, truth: Truth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    design, found = _design(name, truth), dict[Key, float]()
    for m in truth.measures:
        variance = np.array(_true_variance(name, truth, m))
        found |= {(m, str(n)): float(design.smallest(variance, n)) for n in (50, 500)}
    return found


def _rows(table: str, name: Name) -> Callable[[Result], pl.DataFrame]:
    return lambda result: result.tables[table].filter(design=name)


def _needed(name: Name) -> IntervalCheck:
    known = partial(_true_topics, name)
    columns = ("n_topics", "low", "high", "that of the true variance", known, _SETTINGS)
    own = f"topics: topics for {_TITLES[name]}"
    return IntervalCheck(
        own,
        "topics",
        None,
        ("measure",),
        *columns,
        read=_rows("needed", name),
        repeated_in=("needed",),
        label="" if name == "anova" else _CAUTIOUS,
    )


def _smallest(name: Name) -> IntervalCheck:
    known = partial(_true_smallest, name)
    columns = ("size", "low", "high", "that of the true variance", known, _SETTINGS)
    own = f"topics: smallest difference, {_TITLES[name]}"
    return IntervalCheck(own, "topics", "curve", ("measure", "n_topics"), *columns, read=_rows("curve", name))


_MEASURES = ("AP", "nDCG@10", "P@10")
_POOLS, _PRICES, _SPEND = "5,10,20", Prices(1.0, 400.0), 50000.0  # topics so dear that no depth is far ahead
_AIM = Aim(_DIFFERENCE, 0.05, 0.8, 0.95)
_MIX: Settings = (
    ("difference", _DIFFERENCE),
    ("cost_per_judgment", _PRICES.judgment),
    ("cost_per_topic", _PRICES.topic),
    ("pool_depth", _POOLS),
    ("spend", _SPEND),
    ("n_topics", "50"),
)
KINDS: dict[Settings, Kind] = {_MIX: "collection"}


def ask(data: Scores | Collection, **settings: Any) -> Result:
    """Ask about scores, or about runs and judgments as they are scored for the mix."""
    return topics(as_scores(data, measure=_MEASURES) if isinstance(data, Collection) else data, **settings)


@cache
def _true_pools(name: str) -> dict[tuple[str, str], PoolEstimate]:
    """What pools show on all topics of a population; its variance is that of a population, not of a sample."""
    truth = population(name)
    assert isinstance(truth, CollectionTruth)
    data = as_scores(truth.whole(), measure=_MEASURES)
    assert data.made_of is not None
    pilot, n = Pilot.of(data, data.made_of, _POOLS), len(data.topics)
    return {
        (measure, str(depth)): replace(pool, log_noise=pool.log_noise + np.log((n - 1) / n))
        for measure, pools in pilot.estimates(_PRICES)
        for depth, pool in zip(pilot.depths, pools, strict=True)
    }


def _true_costs(truth: CollectionTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    return {key: pool.cost(_AIM)[0] for key, pool in _true_pools(truth.name).items()}


def _true_counts(truth: CollectionTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    return {key: pool.topics(_AIM)[0] for key, pool in _true_pools(truth.name).items()}


def _true_sizes(truth: CollectionTruth, n_topics: int) -> dict[Key, float]:  # noqa: ARG001
    return {key: pool.smallest(_SPEND, _AIM)[1][0] for key, pool in _true_pools(truth.name).items()}


_OF_ALL = "that of all topics of the population, same runs"
_AT = ("measure", "pool_depth")
_COUNT, _COST = ("n_topics", "low", "high"), ("cost", "cost_low", "cost_high")
_OF_MIX = (
    IntervalCheck("topics: topics in a pool", "topics", "mix", _AT, *_COUNT, _OF_ALL, _true_counts, _MIX),
    IntervalCheck("topics: cost in a pool", "topics", "mix", _AT, *_COST, _OF_ALL, _true_costs, _MIX),
    IntervalCheck(
        "topics: smallest difference in a pool",
        "topics",
        "spend",
        _AT,
        "size",
        "low",
        "high",
        _OF_ALL,
        _true_sizes,
        _MIX,
    ),
)
INTERVALS = (*map(_needed, _DESIGNS), *map(_smallest, _DESIGNS), *_OF_MIX)


def _planned(result: Result) -> list[list[Any]] | None:
    """The topics that are said to do, by design, for the first measure."""
    if not said(result, "topics_to_plan"):
        return None
    first = result.table["measure"][0]
    endless = pl.col("low").is_not_null() & pl.col("high").is_null()  # said to be inconclusive
    rows = result.table.filter(~endless, measure=first).drop_nulls("n_topics").iter_rows(named=True)
    return [[first, row["design"], row["high"] if row["high"] is not None else row["n_topics"]] for row in rows]


def _too_few(planned: list[list[Any]], facts: Facts) -> bool:
    """Whether the first design, that of two runs, truly needs more topics than is said: each is its own sentence."""
    measure, design, n = planned[0]
    return _true_topics(design, facts.truth, 0)[measure,] > n


def _cheapest(result: Result) -> list[str] | None:
    """The pool depths that may cost least, for the first measure."""
    if not said(result, "cheapest_mix"):
        return None
    mix = result.tables["mix"]
    return [str(depth) for depth in mix.filter(pl.col("cheapest"), measure=mix["measure"][0])["pool_depth"]]


def _cheapest_is_missing(depths: list[str], facts: Facts) -> bool:
    """Whether the depth that truly costs least is not among those that may."""
    assert isinstance(facts.population, CollectionTruth)
    costs = {depth: cost for (m, depth), cost in _true_costs(facts.population, 0).items() if m == _MEASURES[0]}
    return min(costs, key=costs.__getitem__) not in depths


SENTENCES = (
    SentenceCheck("topics_to_plan", "topics", _planned, _too_few, settings=_SETTINGS),
    SentenceCheck("cheapest_mix", "topics", _cheapest, _cheapest_is_missing, settings=_MIX, size=len),
)
