"""All properties at once: how much of the disagreement between measures do they account for together?

The disagreement of every pair of measures is regressed on whether both, or neither, of the two have each property
(one of them is the reference). Pairs share measures, so nothing here supposes that they are independent: p-values
come from relabelling the measures, which is the quadratic assignment procedure; for the unique share of a property,
its columns are first freed of what the other properties say (double semi-partialling, dekker2007).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import factorial

import numpy as np

from assay.analyses.properties.pair_groups import group_of_pairs
from assay.core.arrays import Array, Bools, Index

_CELLS = 1 << 21  # numbers held at a time
_RANK = 1e-9  # singular values below this part of the largest are rounding


@dataclass(frozen=True, slots=True)
class Explained:
    """The share of the variance that some properties account for."""

    share: float
    by_chance: float  # its mean over relabellings of the measures
    p: float  # how often relabellings make it as large


@dataclass(frozen=True, slots=True)
class Unique:
    """What one property adds to all others."""

    share: float  # by which the explained variance falls without it
    p: float  # how often relabellings of what it alone says make that as large
    both: float  # how much more two measures disagree that both have it than two one of which has; NaN if unknown
    neither: float


def design(has: Bools) -> Array:
    """Whether both measures of a pair, and whether neither of them, have a property. [pair, 2] from [measure]"""
    group = group_of_pairs(has)
    return np.stack([group == 0, group == 1], axis=-1).astype(np.float64)


def explained(value: Array, has: Sequence[Bools], *, draws: int, seed: int) -> Explained:
    """Account for the disagreement of pairs by several properties at once. `value` is [pair]"""
    n = has[0].size
    labels, exact = relabellings(n, draws=draws, seed=seed)
    basis = _basis([design(one) for one in has])
    own = _share(value[None], basis)[0]
    shares = _shares_relabelled(value, n, [basis], labels)[0]
    return Explained(float(own), float(shares.mean()), _p(shares, own, exact=exact))


def best_sets(
    value: Array, has: Mapping[str, Bools], *, draws: int, seed: int, largest: int
) -> Iterator[tuple[tuple[str, ...], int, Explained]]:
    """The properties that account for most, for every number of them, with the number of parameters.

    The p-value is of the best set: relabellings, too, may choose.
    """
    n = next(iter(has.values())).size
    labels, exact = relabellings(n, draws=draws, seed=seed)
    columns = {name: design(one) for name, one in has.items()}
    for size in range(1, largest + 1):
        sets = list(combinations(has, size))
        bases = [_basis([columns[name] for name in names]) for names in sets]
        own = np.array([_share(value[None], basis)[0] for basis in bases])
        best = int(np.argmax(own))
        shares = _shares_relabelled(value, n, bases, labels).max(0)
        result = Explained(float(own[best]), float(shares.mean()), _p(shares, own[best], exact=exact))
        yield sets[best], bases[best].shape[1], result


def unique(value: Array, has: Mapping[str, Bools], *, draws: int, seed: int) -> dict[str, Unique]:
    """What each property adds to all others."""
    n = next(iter(has.values())).size
    labels, exact = relabellings(n, draws=draws, seed=seed)
    columns = {name: design(one) for name, one in has.items()}
    whole = np.column_stack([np.ones(value.size), *columns.values()])
    slope = np.linalg.lstsq(whole, value, rcond=_RANK)[0][1:].reshape(-1, 2)
    rank = np.linalg.matrix_rank(whole, tol=_RANK * np.linalg.norm(whole, 2))
    results = {}
    for place, name in enumerate(has):
        others = _basis([np.zeros((value.size, 0)), *(columns[other] for other in has if other != name)])
        left = _left(columns[name], others)
        own, *shares = _added(value, left, others, n, np.vstack([np.arange(n), labels]))
        known = np.linalg.matrix_rank(np.delete(whole, [1 + 2 * place, 2 + 2 * place], axis=1)) == rank - 2
        both, neither = slope[place] if known else (np.nan, np.nan)
        p = _p(np.array(shares), own, exact=exact) if own > _RANK else 1.0
        results[name] = Unique(float(own), p, float(both), float(neither))
    return results


def _left(columns: Array, others: Array) -> Array:
    """What a property alone says, beside all others. [pair, dimension]"""
    away = columns - columns.mean(0)
    left, size, _ = np.linalg.svd(_without(away.T, others).T, full_matrices=False)
    real = size > _RANK * max(float(np.linalg.norm(away)), 1.0)
    return left[:, real] * size[real]


def _added(value: Array, left: Array, others: Array, n: int, labels: Index) -> Array:
    """By how much a property raises the explained share, what it alone says being relabelled. [labelling]"""
    away = _without((value - value.mean())[None], others)[0]
    total = float(((value - value.mean()) ** 2).sum())
    place = _places(n)
    i, j = np.triu_indices(n, 1)
    added = []
    step = max(1, _CELLS // (2 * value.size))
    for start in range(0, len(labels), step):
        of = labels[start : start + step]
        moved = left[place[of[:, i], of[:, j]]]  # [labelling, pair, 2]
        moved = moved - moved.mean(1, keepdims=True)
        moved = moved - others @ (others.T @ moved)
        inner = np.swapaxes(moved, 1, 2) @ moved
        moved[np.trace(inner, axis1=1, axis2=2) < _RANK * (left**2).sum()] = 0.0
        toward = np.einsum("bpc,p->bc", moved, away)
        added.append(np.einsum("bc,bcd,bd->b", toward, np.linalg.pinv(inner, rcond=_RANK), toward) / total)
    return np.concatenate(added)


def relabellings(n: int, *, draws: int, seed: int) -> tuple[Index, bool]:
    """Orders of n measures: all of them where they are no more than `draws` + 1, else so many random ones."""
    if factorial(n) <= draws + 1:
        return np.array(list(permutations(range(n)))), True
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(n), (draws, 1)), axis=-1), False


def _p(shares: Array, own: float, *, exact: bool) -> float:
    as_much = int((shares >= own * (1 - 1e-9)).sum())
    return as_much / shares.size if exact else (as_much + 1) / (shares.size + 1)


def _places(n: int) -> Index:
    """Where each pair of measures stands in the list of pairs. [measure, measure]"""
    place = np.zeros((n, n), dtype=np.int64)
    i, j = np.triu_indices(n, 1)
    place[i, j] = place[j, i] = np.arange(i.size)
    return place


def _basis(columns: Sequence[Array]) -> Array:
    """An orthonormal basis of what columns say beside the mean. [pair, dimension]"""
    together = np.column_stack(columns)
    left, size, _ = np.linalg.svd(together - together.mean(0), full_matrices=False)
    return left[:, size > _RANK * max(float(size.max(initial=0.0)), 1.0)]


def _share(value: Array, basis: Array) -> Array:
    """The share of the variance that lies in a basis. [way] from [way, pair]"""
    away = value - value.mean(-1, keepdims=True)
    total = (away**2).sum(-1)
    return np.divide(((away @ basis) ** 2).sum(-1), total, out=np.zeros(total.size), where=total > 0)


def _shares_relabelled(value: Array, n: int, bases: Sequence[Array], labels: Index) -> Array:
    """The share of the variance in each basis when measures are relabelled. [basis, labelling]"""
    place = _places(n)
    i, j = np.triu_indices(n, 1)
    away = value - value.mean()
    together = np.column_stack(bases)
    of_basis = np.repeat(np.eye(len(bases)), [basis.shape[1] for basis in bases], axis=0)  # [dimension, basis]
    shares = np.zeros((len(bases), len(labels)))
    total = float((away**2).sum())
    step = max(1, _CELLS // value.size)
    for start in range(0, len(labels), step) if total > 0 else ():
        of = labels[start : start + step]
        moved = away[place[of[:, i], of[:, j]]]  # relabelling keeps the mean and the variance
        shares[:, start : start + step] = (((moved @ together) ** 2) @ of_basis).T / total
    return shares


def _without(rows: Array, basis: Array) -> Array:
    """Take off what lies in a basis. [row, pair]"""
    return rows - (rows @ basis) @ basis.T
