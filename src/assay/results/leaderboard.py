"""A leaderboard: runs by their means, with the ranks and the tiers that the topics support; and it as one table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.arrays import Array
from assay.results import schemas
from assay.scoring.scores import Scores
from assay.stats.best import best_first
from assay.stats.significance.rank_sets import Lead, mean_known, rank_sets

_COUNTS = dict.fromkeys(("rank", "rank_low", "rank_high", "tier"), pl.Int64)
_RANKED = schemas.schema(
    "measure",
    "rank",
    "run",
    "mean",
    "rank_low",
    "rank_high",
    "tier",
    "may_be_best",
    may_be_best=pl.Boolean,
    **_COUNTS,
)
_FIRST = ("rank", "run", "low", "high")
_LEADS = schemas.schema("measure", "run", "second", "lead", "low", "high", second=pl.String)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Runs by every measure, best first, and by how much the first of each is ahead."""

    runs: pl.DataFrame  # measure, rank, run, mean, rank_low, rank_high, tier, may_be_best
    leads: pl.DataFrame  # measure, run, second, lead, low, high


def leaderboard(data: Scores, *, level: float, seed: int) -> Leaderboard:
    """Rank runs by every measure; where runs lack topics, each pair is compared on those that both have.

    Ties of the means go by name. A lead is that over the best of the other runs, on the scale of differences
    between runs, higher is better; a measure by which no two runs can be compared has none.
    """
    every = [
        _ranked(measure, data.runs, x, mean, level, seed)
        for measure, x, mean in zip(data.conditions, data.working(), data.mean(), strict=True)
    ]
    leads = [lead for _, lead in every if lead is not None]
    return Leaderboard(pl.concat([runs for runs, _ in every]), schemas.table(leads, _LEADS))


def ranking(data: Scores, low: Array, high: Array, *, beside: pl.DataFrame | None = None) -> pl.DataFrame:
    """Lay runs out by the first measure, best first: rank, run, its mean, low, high, then the other means.

    `low` and `high` are [measure, run]; `beside` has columns to stand before the other means, one row per run. A
    measure that is named like another column has its name twice.
    """
    mean, order = data.mean(), best_first(mean_known(data.working()[0]), data.runs)
    ahead = pl.DataFrame() if beside is None else beside.select(pl.all().gather(order))
    first, *others = _column_names(data.conditions, (*_FIRST, *ahead.columns))
    columns = {"rank": np.arange(1, order.size + 1), "run": [data.runs[i] for i in order]}
    columns |= {first: mean[0, order], "low": low[0, order], "high": high[0, order], **ahead.to_dict(as_series=True)}
    columns |= {name: of[order] for name, of in zip(others, mean[1:], strict=True)}
    return schemas.without_nan(pl.DataFrame(columns))


def _column_names(measures: Sequence[str], taken: Collection[str]) -> Iterator[str]:
    """Name a column for every measure, none of them like one that is taken, or like another measure."""
    for measure in measures:
        name = measure
        while name in taken or (name != measure and name in measures):
            name = f"{name} {measure}"
        yield name


def _ranked(
    measure: str, names: tuple[str, ...], x: Array, mean: Array, level: float, seed: int
) -> tuple[pl.DataFrame, tuple[object, ...] | None]:
    order = best_first(mean_known(x), names)
    sets = rank_sets(x, order=order, level=level, seed=seed)
    rows = [
        (measure, rank, names[i], mean[i], sets.low[i], sets.high[i], sets.tier[i], sets.may_be_best[i])
        for rank, i in enumerate(order.tolist(), 1)
    ]
    return schemas.table(rows, _RANKED), _ahead(measure, names, sets.lead)


def _ahead(measure: str, names: tuple[str, ...], lead: Lead | None) -> tuple[object, ...] | None:
    if lead is None:
        return None
    return measure, names[lead.first], names[lead.second], lead.value, lead.low, lead.high
