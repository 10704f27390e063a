"""Does a property that two measures share make them agree? Groups by one (jones2015, table 3), and all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np
import polars as pl

from assay.analyses.properties.joint_model import best_sets, explained, unique
from assay.analyses.properties.pair_groups import GROUPS, group_of_pairs, one_way, relabelled, tukey_kramer
from assay.core.arrays import Array, Bools
from assay.core.thresholds import Threshold
from assay.measures.declare import Measure
from assay.measures.universe.exhaustive import UniverseName, dense_ranks, pair_counts
from assay.measures.universe.exhaustive import universe as every_ranking
from assay.measures.universe.jones2015 import paper_counts
from assay.results.charts import Chart, category, field
from assay.results.schemas import table

MEASURES_FOR_GROUPS = Threshold(
    "measures_for_groups", 4, unit="measures", meaning="below which groups of measures by a property are not compared"
)
RELABELLINGS = 9999  # that are tried where there are more of them
SET_RELABELLINGS = 999  # and where a set of properties is chosen in each
_DEPTHS = _N_RELS = range(1, 11)  # those of the paper
_GRADED_DEPTHS, _OF_A_GRADE = range(1, 7), range(1, 4)
_MOST_FOR_ALL_SETS = 8  # properties, above which only sets of up to three are tried


def disagreement_shares(measures: Sequence[Measure], universe: UniverseName, *, grades: int = 1) -> Array:
    """The percentage of pairs of rankings on which each two measures disagree. [pair]

    k and R from 1 to 10; with several grades, k from 1 to 6 and 1 to 3 documents of each grade.
    """
    pairs = list(combinations(range(len(measures)), 2))
    if universe == "paper":
        counts = paper_counts(measures, _DEPTHS, _N_RELS)
        disagree = counts.n_disagree.sum(0)
        return np.array([100 * disagree[i, j] / counts.n_pairs.sum() for i, j in pairs])
    cells: Iterable[tuple[int, tuple[int, ...]]] = (
        ((k, (n_rel,)) for k, n_rel in product(_DEPTHS, _N_RELS))
        if grades == 1
        else ((k, counts) for k in _GRADED_DEPTHS for counts in product(_OF_A_GRADE, repeat=grades))
    )
    n_disagree, n_pairs = np.zeros(len(pairs)), 0
    for k, n_rel in cells:
        lists = every_ranking(k, n_rel)
        own = pair_counts([dense_ranks(m, lists).rank for m in measures])
        n_disagree += [own[pair].n_disagree for pair in pairs]
        n_pairs += len(lists) * (len(lists) - 1) // 2
    return 100 * n_disagree / n_pairs


def group_tables(
    value: Array,
    has: Mapping[str, Bools],
    *,
    seed: int,
    alpha: float = 0.05,
    sorted_as: Mapping[str, Bools] | None = None,
) -> dict[str, pl.DataFrame]:
    """Group the shares of all pairs of measures by each property, by each two, and by all at once.

    `has` is [measure]; `sorted_as` the same as table 3 of jones2015 takes it, for the column added_up.
    """
    varying = np.ptp(value) > 0  # else there is nothing to account for
    several = {name: which for name, which in has.items() if varying and which.any() and not which.all()}
    return {
        "groups": group_means(value, has, sorted_as or has),
        "tests": table(_tests(value, has), TEST_COLUMNS),
        "anova": table(_anova(value, has, seed, alpha), ANOVA_COLUMNS),
        "combinations": table(_combinations(value, has, seed), COMBINATION_COLUMNS),
        "joint": table(_joint(value, several, seed), JOINT_COLUMNS),
        "sets": table(_sets(value, several, seed), SET_COLUMNS),
    }


def group_means(value: Array, has: Mapping[str, Bools], sorted_as: Mapping[str, Bools]) -> pl.DataFrame:
    """The mean share of each group of pairs, property by property; added up as `sorted_as` has it."""
    return table(_groups(value, has, sorted_as), GROUP_COLUMNS)


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
    "f": pl.Float64,
    "p": pl.Float64,
}
_NUMBERS_OF_TESTS = {"f": pl.Float64, "p": pl.Float64, "explained": pl.Float64, "p_relabelled": pl.Float64}
ANOVA_COLUMNS = {"property": pl.String, "n_has": pl.Int64, **_NUMBERS_OF_TESTS, "apart": pl.String}
COMBINATION_COLUMNS = {
    "property_a": pl.String,
    "property_b": pl.String,
    "n_has": pl.Int64,
    **dict.fromkeys(GROUPS, pl.Float64),
    **_NUMBERS_OF_TESTS,
}

JOINT_COLUMNS = {
    "property": pl.String,
    "n_has": pl.Int64,
    **dict.fromkeys(("explained", "by_chance", "p_relabelled", "unique", "p_unique", "both", "neither"), pl.Float64),
}
SET_COLUMNS = {
    "n_properties": pl.Int64,
    "properties": pl.String,
    "n_parameters": pl.Int64,
    **dict.fromkeys(("explained", "by_chance", "p_relabelled"), pl.Float64),
}
ALL = "all together"

Row = tuple[object, ...]


def _groups(value: Array, has: Mapping[str, Bools], sorted_as: Mapping[str, Bools]) -> Iterator[Row]:
    """The means of each property by itself, and as table 3 prints them: groups are not emptied in between."""
    sums, sizes = np.zeros(len(GROUPS)), np.zeros(len(GROUPS))
    for name, which in has.items():
        (size, total), (more, summed) = (_totals(value, own) for own in (which, sorted_as[name]))
        sums, sizes = sums + summed, sizes + more
        for g, word in enumerate(GROUPS):
            yield name, word, int(size[g]), _mean(total[g], size[g]), _mean(sums[g], sizes[g])


def _totals(value: Array, which: Bools) -> tuple[Array, Array]:
    """How many pairs each group has, and their sum. [group] each"""
    group = group_of_pairs(which)
    size = np.bincount(group, minlength=len(GROUPS)).astype(np.float64)
    return size, np.bincount(group, weights=value, minlength=len(GROUPS)).astype(np.float64)


def _mean(total: float, size: float) -> float | None:
    return float(total / size) if size else None


def _tests(value: Array, has: Mapping[str, Bools]) -> Iterator[Row]:
    for name, which in has.items():
        group = group_of_pairs(which)
        f, p, _ = one_way(value, group)
        for (a, b), (gap, p_tukey) in tukey_kramer(value, group).items():
            yield name, GROUPS[a], GROUPS[b], gap, p_tukey, f, p


def _anova(value: Array, has: Mapping[str, Bools], seed: int, alpha: float) -> Iterator[Row]:
    for name, which in has.items():
        largest = largest_p(value, which)
        apart = [word for word, p in largest.items() if p < alpha]
        yield name, int(which.sum()), *_numbers_of_tests(value, which, seed), ", ".join(apart) or None


def largest_p(value: Array, which: Bools) -> dict[str, float]:
    """For each group, the larger of the p-values of Tukey's test against the other two; nothing with fewer groups."""
    tests = tukey_kramer(value, group_of_pairs(which))
    if len(tests) < len(GROUPS):
        return {}
    return {word: max(p for pair, (_, p) in tests.items() if g in pair) for g, word in enumerate(GROUPS)}


def _joint(value: Array, has: Mapping[str, Bools], seed: int) -> Iterator[Row]:
    """All properties in one model, then each of them: by itself, and what it adds to the others."""
    if not has or value.size <= 2:
        return
    together = explained(value, list(has.values()), draws=RELABELLINGS, seed=seed)
    yield ALL, None, together.share, together.by_chance, together.p, None, None, None, None
    added = unique(value, has, draws=RELABELLINGS, seed=seed)
    for name, which in has.items():
        alone, own = explained(value, [which], draws=RELABELLINGS, seed=seed), added[name]
        p = relabelled(value, which, draws=RELABELLINGS, seed=seed)[0]  # as in anova, where all ways may be tried
        numbers = alone.share, alone.by_chance, p, own.share, own.p, own.both, own.neither
        yield name, int(which.sum()), *numbers


def _sets(value: Array, has: Mapping[str, Bools], seed: int) -> Iterator[Row]:
    """The best set of properties of every size."""
    if not has or value.size <= 2:
        return
    largest = len(has) if len(has) <= _MOST_FOR_ALL_SETS else 3
    for names, n, best in best_sets(value, has, draws=SET_RELABELLINGS, seed=seed, largest=largest):
        yield len(names), ", ".join(names), n, best.share, best.by_chance, best.p


def _combinations(value: Array, has: Mapping[str, Bools], seed: int) -> Iterator[Row]:
    """Take having both of two properties for a property."""
    for one, other in combinations(has, 2):
        which = has[one] & has[other]
        group = group_of_pairs(which)
        means = [_mean(value[group == g].sum(), (group == g).sum()) for g in range(len(GROUPS))]
        yield one, other, int(which.sum()), *means, *_numbers_of_tests(value, which, seed)


def _numbers_of_tests(value: Array, which: Bools, seed: int) -> Row:
    """F, its p-value, the share of variance between the groups, and the p-value of relabelled measures."""
    f, p, share = one_way(value, group_of_pairs(which))
    if np.isnan(f):
        return None, None, None, None
    return f, p, share, relabelled(value, which, draws=RELABELLINGS, seed=seed)[0]


def chart_of_groups(groups: pl.DataFrame) -> Chart:
    """Draw the mean disagreement of every group, property by property."""
    shown = groups.drop_nulls("disagreement").with_columns(pl.col("property").str.replace("_", " "))
    order = shown["property"].unique(maintain_order=True).to_list()
    x = field("disagreement", title="mean disagreement, percent")
    colour = category("group", title="measures with it", scale={"domain": list(GROUPS)})
    tooltip = [{"field": name} for name in ("property", "group", "n_pairs", "disagreement")]
    encoding = {"y": category("property", order), "x": x, "color": colour, "shape": colour, "tooltip": tooltip}
    mark = {"type": "point", "filled": True, "size": 90, "opacity": 1}
    drawing = {"mark": mark, "encoding": encoding, "width": 480, "height": {"step": 26}}
    return Chart("groups", "Disagreement of measures both, neither or one of which has a property", shown, drawing)


def measures_with(holds: Mapping[str, Mapping[str, bool]]) -> dict[str, Bools]:
    """Turn measure -> property -> holds into property -> which measures have it. [measure]"""
    names = next(iter(holds.values()))
    return {name: np.array([own[name] for own in holds.values()]) for name in names}
