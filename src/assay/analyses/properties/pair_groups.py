"""Values of pairs, grouped by whether both, neither or one of the two has a property, and how the groups differ."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from assay.core.arrays import Array, Bools, Index
from assay.stats.significance.tukey import studentised_range

GROUPS = ("both", "neither", "one")


def group_of_pairs(has: Bools) -> Index:
    """Which of `GROUPS` each pair i < j is in, row by row. [..., pair] from [..., item]"""
    i, j = np.triu_indices(has.shape[-1], 1)
    a, b = has[..., i], has[..., j]
    return np.where(a & b, 0, np.where(a | b, 2, 1)).astype(np.int64)


def one_way(value: Array, group: Index) -> tuple[float, float, float]:
    """One-way analysis of variance: F, its p-value, and the share of the variance that lies between the groups.

    NaN with fewer than two groups, no more values than groups, or values that are all the same. Supposes independent
    values, which pairs that share an item are not; `relabelled` does without.
    """
    from scipy.special import fdtrc

    n_groups = np.unique(group).size
    free = value.size - n_groups
    total = float(((value - value.mean()) ** 2).sum())
    if n_groups < 2 or free < 1 or np.ptp(value) == 0:
        return np.nan, np.nan, np.nan
    between = _between(value, group)
    within = max(total - between, 0.0)
    f = np.inf if within == 0 else (between / (n_groups - 1)) / (within / free)
    return float(f), float(fdtrc(n_groups - 1, free, f)), between / total


def _between(value: Array, group: Index) -> float:
    """The sum of squares between groups."""
    away = value - value.mean()
    return float(sum(away[group == g].sum() ** 2 / (group == g).sum() for g in np.unique(group)))


def _between_ways(value: Array, ways: Bools) -> Array:
    """The sum of squares between groups, for each way to give items the property: by quadratic forms.

    Twice the sum over pairs of which both have it is h'Vh, with h who has it and V the values, less their mean, as a
    symmetric matrix. [way] from [way, item]
    """
    n = ways.shape[1]
    away = np.zeros((n, n))
    away[np.triu_indices(n, 1)] = value - value.mean()
    away += away.T
    has, lacks = ways.astype(np.float64), (~ways).astype(np.float64)
    both, neither = (((own @ away) * own).sum(-1) / 2 for own in (has, lacks))
    m = ways.sum(-1).astype(np.float64)
    sums = both, neither, -(both + neither)  # all values add up to 0
    sizes = m * (m - 1) / 2, (n - m) * (n - m - 1) / 2, m * (n - m)
    squares = np.zeros(len(ways))
    for total, size in zip(sums, sizes, strict=True):
        squares += np.divide(total**2, size, out=np.zeros(size.size), where=size > 0)
    return squares


def tukey_kramer(value: Array, group: Index) -> dict[tuple[int, int], tuple[float, float]]:
    """For each two groups, the difference of their means and Tukey's p-value, for groups of unequal size.

    Supposes independent values of one variance, as the analysis of variance does.
    """
    present = [g for g in range(len(GROUPS)) if (group == g).any()]
    free = value.size - len(present)
    part = {g: value[group == g] for g in present}
    square = sum(float(((x - x.mean()) ** 2).sum()) for x in part.values())
    differences = {}
    for a, b in combinations(present, 2):
        gap = float(part[a].mean() - part[b].mean())
        error = np.sqrt(square / max(free, 1) / 2 * (1 / part[a].size + 1 / part[b].size))
        testable = free >= 1 and error != 0
        p = studentised_range(np.array([abs(gap) / error]), len(present), free)[0] if testable else np.nan
        differences[a, b] = gap, float(p)
    return differences


def relabelled(value: Array, has: Bools, *, draws: int, seed: int) -> tuple[float, bool]:
    """How often the groups differ as much when as many items, any of them, have the property; and if all were tried.

    Pairs that share an item move together, so the dependence between them is the same as in what was observed. All
    ways are tried where there are no more than `draws` + 1; else `draws` random ones, and p is (b + 1) / (n + 1).
    """
    n, m = has.size, int(has.sum())
    exact = comb(n, m) <= draws + 1
    ways = _all_ways(n, m) if exact else _some_ways(has, draws, seed)
    observed = _between_ways(value, has[None])[0]
    as_much = int((_between_ways(value, ways) >= observed * (1 - 1e-9)).sum())
    return (as_much / ways.shape[0] if exact else (as_much + 1) / (draws + 1)), exact


def _all_ways(n: int, m: int) -> Bools:
    chosen = np.array(list(combinations(range(n), m)), dtype=np.int64)
    has = np.zeros((len(chosen), n), dtype=bool)
    np.put_along_axis(has, chosen, values=True, axis=1)
    return has


def _some_ways(has: Bools, draws: int, seed: int) -> Bools:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(has, (draws, 1)), axis=-1)
