"""Does a property that two measures share make them agree? Groups of properties (jones2015, table 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np
import polars as pl

from assay.analyses.properties.pair_groups import GROUPS, group_of_pairs, one_way, relabelled, tukey_kramer
from assay.core.arrays import Array, Bools
from assay.core.thresholds import Threshold
from assay.measures.declare import PROPERTIES, Measure
from assay.measures.universe.exhaustive import UniverseName, dense_ranks, pair_counts
from assay.measures.universe.exhaustive import universe as every_ranking
from assay.measures.universe.jones2015 import paper_counts
from assay.results.charts import Chart, category, field

MEASURES_FOR_GROUPS = Threshold(
    "measures_for_groups", 4, unit="measures", meaning="below which groups of measures by a property are not compared"
)
RELABELLINGS = 9999  # that are tried where there are more of them
_DEPTHS = _N_RELS = range(1, 11)  # those of the paper


def disagreement_shares(measures: Sequence[Measure], universe: UniverseName) -> Array:
    """The percentage of pairs of rankings on which each two measures disagree, k and R from 1 to 10. [pair]"""
    pairs = list(combinations(range(len(measures)), 2))
    if universe == "paper":
        counts = paper_counts(measures, _DEPTHS, _N_RELS)
        disagree = counts.n_disagree.sum(0)
        return np.array([100 * disagree[i, j] / counts.n_pairs.sum() for i, j in pairs])
    n_disagree, n_pairs = np.zeros(len(pairs)), 0
    for k, n_rel in product(_DEPTHS, _N_RELS):
        lists = every_ranking(k, n_rel)
        own = pair_counts([dense_ranks(m, lists).rank for m in measures])
        n_disagree += [own[pair].n_disagree for pair in pairs]
        n_pairs += len(lists) * (len(lists) - 1) // 2
    return 100 * n_disagree / n_pairs


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
    return f, p, explained, relabelled(value, which, draws=RELABELLINGS, seed=seed)[0]


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


def measures_with(holds: Mapping[str, Mapping[str, bool]]) -> dict[str, Bools]:
    """Turn measure -> property -> holds into property -> which measures have it. [measure]"""
    return {name: np.array([own[name] for own in holds.values()]) for name in PROPERTIES}
