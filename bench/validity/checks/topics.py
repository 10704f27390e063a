"""What `topics` says: how many topics a design truly needs, and how small a difference so many truly show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.topics.designs import Design, Name
from assay.results.result import Result
from bench.validity.checks.power import true_variances
from bench.validity.declare import Facts, IntervalCheck, Key, SentenceCheck, Settings, said
from bench.validity.truths import Truth

_DIFFERENCE, _WIDTH = 0.05, 0.1
_SETTINGS: Settings = (("difference", _DIFFERENCE), ("width", _WIDTH), ("n_topics", "50,500"))
_DESIGNS: tuple[Name, ...] = ("paired", "anova", "interval")
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
        own, "topics", None, ("measure",), *columns, read=_rows("needed", name), repeated_in=("needed",)
    )


def _smallest(name: Name) -> IntervalCheck:
    known = partial(_true_smallest, name)
    columns = ("size", "low", "high", "that of the true variance", known, _SETTINGS)
    own = f"topics: smallest difference, {_TITLES[name]}"
    return IntervalCheck(own, "topics", "curve", ("measure", "n_topics"), *columns, read=_rows("curve", name))


INTERVALS = (*map(_needed, _DESIGNS), *map(_smallest, _DESIGNS))


def _planned(result: Result) -> list[list[Any]] | None:
    """The topics that are said to do, by design, for the first measure."""
    if not said(result, "topics_to_plan"):
        return None
    first = result.table["measure"][0]
    rows = result.table.filter(measure=first).drop_nulls("n_topics").iter_rows(named=True)
    return [[first, row["design"], row["high"] if row["high"] is not None else row["n_topics"]] for row in rows]


def _too_few(planned: list[list[Any]], facts: Facts) -> bool:
    """Whether the first design, that of two runs, truly needs more topics than is said: each is its own sentence."""
    measure, design, n = planned[0]
    return _true_topics(design, facts.truth, 0)[measure,] > n


SENTENCES = (SentenceCheck("topics_to_plan", "topics", _planned, _too_few, settings=_SETTINGS),)
