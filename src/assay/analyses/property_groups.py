"""Does a property that two measures share make them agree? Groups of properties (jones2015, table 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.analyses.preferences import distinct
from assay.catalogue import PROPERTIES, Measure
from assay.charts import Chart, category, field
from assay.numeric.groups import GROUPS, group_of_pairs, one_way, relabelled, tukey_kramer
from assay.paper_universe import paper_counts
from assay.rankings import Array
from assay.tables import Bools
from assay.universe import count, dense_ranks
from assay.universe import universe as every_ranking

Universe = Literal["distinct", "paper"]

FEWEST = 4
"""Measures below which no group can be compared with another."""

DRAWS = 9999  # ways to give a property to other measures, where not all of them are tried
_DEPTHS = _N_RELS = range(1, 11)  # those of the paper


def shares(measures: Sequence[Measure], universe: Universe) -> Array:
    """The percentage of pairs of rankings on which each two measures disagree, k and R from 1 to 10. [pair]"""
    pairs = list(combinations(range(len(measures)), 2))
    if universe == "paper":
        found = paper_counts(measures, _DEPTHS, _N_RELS)
        disagree = found.n_disagree.sum(0)
        return np.array([100 * disagree[i, j] / found.n_pairs.sum() for i, j in pairs])
    apart, n_pairs = np.zeros(len(pairs)), 0
    for k, n_rel in product(_DEPTHS, _N_RELS):
        lists = every_ranking(k, n_rel)
        orders, which = distinct([dense_ranks(m, lists).rank for m in measures])
        once = {(i, j): count(orders[i], orders[j]).n_disagree for i, j in combinations(range(len(orders)), 2)}
        apart += [once.get((min(which[i], which[j]), max(which[i], which[j])), 0) for i, j in pairs]
        n_pairs += len(lists) * (len(lists) - 1) // 2
    return 100 * apart / n_pairs


def group_tables(value: Array, has: Mapping[str, Bools], *, seed: int) -> dict[str, pl.DataFrame]:
    """Group the shares of all pairs of measures by each property, and by each two. `has` is [measure]."""
    return {
        "groups": pl.DataFrame(_groups(value, has), schema=GROUP_COLUMNS, orient="row"),
        "tests": pl.DataFrame(_tests(value, has), schema=TEST_COLUMNS, orient="row"),
        "anova": pl.DataFrame(_anova(value, has, seed), schema=ANOVA_COLUMNS, orient="row"),
        "combinations": pl.DataFrame(_combinations(value, has, seed), schema=COMBINATION_COLUMNS, orient="row"),
    }


GROUP_COLUMNS = {
    "property": pl.String,
    "group": pl.String,
    "n_pairs": pl.Int64,
    "disagreement": pl.Float64,
    "added_up": pl.Float64,
}
TEST_COLUMNS = {
    "property": pl.String,
    "group_a": pl.String,
    "group_b": pl.String,
    "difference": pl.Float64,
    "p_tukey": pl.Float64,
}
_TESTED = {"f": pl.Float64, "p": pl.Float64, "explained": pl.Float64, "p_relabelled": pl.Float64}
ANOVA_COLUMNS = {"property": pl.String, "n_has": pl.Int64, **_TESTED}
COMBINATION_COLUMNS = {
    "property_a": pl.String,
    "property_b": pl.String,
    "n_has": pl.Int64,
    **dict.fromkeys(GROUPS, pl.Float64),
    **_TESTED,
}

Row = tuple[object, ...]


def _groups(value: Array, has: Mapping[str, Bools]) -> Iterator[Row]:
    """The means of each property by itself, and as table 3 prints them: groups are not emptied in between."""
    sums, sizes = np.zeros(len(GROUPS)), np.zeros(len(GROUPS))
    for name, which in has.items():
        group = group_of_pairs(which)
        size = np.bincount(group, minlength=len(GROUPS))
        total = np.bincount(group, weights=value, minlength=len(GROUPS))
        sums, sizes = sums + total, sizes + size
        for g, word in enumerate(GROUPS):
            yield name, word, int(size[g]), _mean(total[g], size[g]), _mean(sums[g], sizes[g])


def _mean(total: float, size: float) -> float | None:
    return float(total / size) if size else None


def _tests(value: Array, has: Mapping[str, Bools]) -> Iterator[Row]:
    for name, which in has.items():
        for (a, b), (gap, p) in tukey_kramer(value, group_of_pairs(which)).items():
            yield name, GROUPS[a], GROUPS[b], gap, _number(p)


def _anova(value: Array, has: Mapping[str, Bools], seed: int) -> Iterator[Row]:
    for name, which in has.items():
        yield name, int(which.sum()), *_tested(value, which, seed)


def _combinations(value: Array, has: Mapping[str, Bools], seed: int) -> Iterator[Row]:
    """Take having both of two properties for a property."""
    for one, other in combinations(has, 2):
        which = has[one] & has[other]
        group = group_of_pairs(which)
        means = [_mean(value[group == g].sum(), (group == g).sum()) for g in range(len(GROUPS))]
        yield one, other, int(which.sum()), *means, *_tested(value, which, seed)


def _tested(value: Array, which: Bools, seed: int) -> Row:
    """F, its p-value, the share of variance between the groups, and the p-value of relabelled measures."""
    f, p, explained = one_way(value, group_of_pairs(which))
    if np.isnan(f):
        return None, None, None, None
    return f, p, explained, relabelled(value, which, draws=DRAWS, seed=seed)[0]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def chart_of_groups(groups: pl.DataFrame) -> Chart:
    """Draw the mean disagreement of every group, property by property."""
    shown = groups.drop_nulls("disagreement").with_columns(pl.col("property").str.replace("_", " "))
    order = [name.replace("_", " ") for name in PROPERTIES]
    x = field("disagreement", title="mean disagreement, percent")
    colour = category("group", title="measures with it", scale={"domain": list(GROUPS)})
    tooltip = [{"field": name} for name in ("property", "group", "n_pairs", "disagreement")]
    encoding = {"y": category("property", order), "x": x, "color": colour, "shape": colour, "tooltip": tooltip}
    mark = {"type": "point", "filled": True, "size": 90, "opacity": 1}
    drawing = {"mark": mark, "encoding": encoding, "width": 480, "height": {"step": 26}}
    return Chart("groups", "Disagreement of measures both, neither or one of which has a property", shown, drawing)


def holding(found: Mapping[str, Mapping[str, bool]]) -> dict[str, NDArray[np.bool_]]:
    """Turn measure -> property -> holds into property -> which measures have it. [measure]"""
    return {name: np.array([held[name] for held in found.values()]) for name in PROPERTIES}
