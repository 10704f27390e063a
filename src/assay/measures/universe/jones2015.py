"""The rankings of jones2015 and its arithmetic: what its tables were counted from.

The paper describes all rankings of length k with at most R relevant documents. Its totals and cells come out only of
another set: lists of ten documents, cut at k, of which the first of a pair may hold at most R relevant ones in all
its ten ranks and the second in its first k only. Two measures disagree on a pair unless both prefer the same list, or
both tie, or both are undefined; scores tie when they are less than 2^-53 apart. `universe.exhaustive` has the set
that the paper describes, with exact ties.

>>> from assay.measures import AP, DCG
>>> counts = paper_counts([AP, DCG], range(1, 11), range(1, 11))
>>> int(counts.n_lists.sum()), int(counts.n_pairs.sum()), int(counts.n_disagree[:, 0, 1].sum())
(61430, 32062341, 423287)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from assay.core.arrays import Array, Counts, Grades, Index
from assay.core.errors import UsageError
from assay.data.rankings import Rankings, ratio
from assay.measures import AP, DCG, ERR, RBP, RR, SDCG, SNAP, SNDCG, SP, P, R, Rprec, nDCG
from assay.measures.declare import Measure
from assay.measures.universe.exhaustive import cut
from assay.measures.universe.features import Feature

PAPER_MEASURES = (
    *("AP", "SP", "DCG", "SDCG", "nDCG", "SNDCG", "SNAP", "RBP(p=0.85)", "RBP(p=0.95)", "RBP(p=0.5)"),
    *("RR", "ERR", "P", "R", "Rprec"),
)
"""The fifteen measures of the paper, each in the catalogue's default form."""

MEASURES: Mapping[str, Measure] = {
    "AP": AP,
    "DCG": DCG,
    "RR": RR,
    "P@k": P,
    "SDCG": SDCG,
    "NDCG": nDCG,
    "RBP85": RBP(p=0.85),
    "RBP95": RBP(p=0.95),
    "RBP50": RBP(p=0.5),
    "ERR": ERR(stop=1.0),
    "R-Prec": Rprec(form="recall"),
    "SP": SP,
    "R@k": R,
    "SN-AP": SNAP,
    "SNDCG": SNDCG,
}
"""The metrics of table 2 by their names there, in its order, as they were run."""

LENGTH = 10
"""Documents in every list of the paper, whatever k is."""

EPSILON = 2.0**-53
"""Scores that differ by less are tied."""

_CHUNK = 1 << 16  # pairs of lists at a time: 60 MB for fifteen measures
_States = Grades


@dataclass(frozen=True, slots=True)
class PaperCounts:
    """Pairs of lists on which measures disagree, one cell for every depth k and number of relevant documents R."""

    depth: Index  # [cell]
    n_rel: Index  # [cell]
    n_lists: Index  # [cell]
    n_pairs: Index  # [cell]
    n_disagree: Index  # [cell, measure, measure]
    n_opposite: Index  # [cell, measure, measure]: of these, one measure prefers one list, the other the other
    n_undefined: Index  # [cell, measure, measure]: of these, one measure has no score for a list, the other has


def paper_counts(measures: Sequence[Measure], depths: Iterable[int], n_rels: Iterable[int]) -> PaperCounts:
    """Count the pairs of the paper's lists on which measures disagree, for every depth and R."""
    cells = list(product(depths, n_rels))
    for k, n_rel in cells:
        _check(k, n_rel)
    at = {k: [(cut(m, k).cutoff or k) - 1 for m in measures] for k in dict.fromkeys(k for k, _ in cells)}
    scores = {r: np.stack([paper_scores(m, r) for m in measures]) for r in dict.fromkeys(r for _, r in cells)}
    rows = np.arange(len(measures))
    pairs = [_count(scores[n_rel][rows, :, at[k]], k, n_rel) for k, n_rel in cells]
    disagree, opposite, undefined, every = np.stack(pairs, axis=1)
    return PaperCounts(
        depth=np.array([k for k, _ in cells]),
        n_rel=np.array([n_rel for _, n_rel in cells]),
        n_lists=np.array([int((n_relevant() <= n_rel).sum()) for _, n_rel in cells]),
        n_pairs=every[:, 0, 0],
        n_disagree=disagree,
        n_opposite=opposite,
        n_undefined=undefined,
    )


def _check(k: int, n_rel: int) -> None:
    if not 1 <= k <= LENGTH:
        raise UsageError(f"depth {k}: the lists of the paper's universe hold {LENGTH} documents; 1 to {LENGTH}")
    if n_rel < 1:
        raise UsageError(f"n-rel {n_rel} is not a whole number from 1 up, such as 1-10")


@cache
def paper_lists() -> Grades:
    """All lists of ten; list x has a relevant document at rank i where bit i - 1 of x is 1. [list, rank]"""
    return (np.arange(2**LENGTH)[:, None] >> np.arange(LENGTH) & 1).astype(np.int8)


def n_relevant() -> Index:
    """How many relevant documents each list holds. [list]"""
    return paper_lists().sum(-1, dtype=np.int64)


def paper_scores(m: Measure, n_rel: int) -> Array:
    """Score every list at every depth, adding up from rank 1 down; NaN where undefined or there are too many.

    [list, depth]
    """
    top = max(1, m.rel)
    legal = np.flatnonzero(n_relevant() <= n_rel)
    pool = np.zeros((legal.size, top + 1), dtype=np.int64)
    pool[:, 0], pool[:, top] = max(LENGTH, n_rel), n_rel  # non-relevant documents never run out
    lists = Rankings(paper_lists()[legal] * np.int8(top), pool, top=top)
    score = np.full((2**LENGTH, LENGTH), np.nan)
    score[legal] = _ROUNDED.get(replace(m, cutoff=None), _curve)(m, lists)
    return score


def _curve(m: Measure, lists: Rankings) -> Array:
    """Score lists cut at every depth; one depth at a time where the formula gives no curve."""
    try:
        return m.curve(lists, LENGTH)
    except Exception:  # a user's formula that gives one depth only fails in any way
        return np.stack([replace(m, cutoff=k).compute(lists) for k in range(1, LENGTH + 1)], axis=-1)


def _sndcg(_: Measure, lists: Rankings) -> Array:
    """SN-DCG with the roundings of the paper, on which its ties hang.

    Natural logarithms divided, and the ideal added up from its last rank to its first: then perfect lists with
    four and five hits score a little less than 1.
    """
    # math.log is the platform's; numpy's own depends on the processor in its last bit
    weight = np.array([1 / (math.log(rank + 1) / math.log(2)) for rank in range(1, LENGTH + 1)])
    ideal = np.array([sum(weight[:n][::-1], start=0.0) for n in range(LENGTH + 1)])
    return ratio(np.cumsum(lists.grade * weight, axis=-1), ideal[np.cumsum(lists.grade, axis=-1)])


_ROUNDED: dict[Measure, Callable[[Measure, Rankings], Array]] = {SNDCG: _sndcg}


UNDEFINED = 2
"""The state of a pair one of whose scores does not exist; others are 1, 0 and -1."""


def compared(a: Array, b: Array) -> _States:
    """Say which score is higher: 1, -1, 0 for a tie, UNDEFINED where one is missing."""
    gap = a - b
    state = (gap >= EPSILON).astype(np.int8) - (gap <= -EPSILON).astype(np.int8)
    state[np.isnan(gap)] = UNDEFINED
    return state


def _count(scores: Array, k: int, n_rel: int) -> Index:
    """Count the pairs of one cell on which measures disagree, are opposite, or one is undefined; and all.

    Pairs with the same first k ranks differ in their tails only; tails are counted, not compared.
    [kind, measure, measure], from [measure, list]
    """
    x, y, tails = _pairs(k, n_rel)
    total = np.zeros((4, len(scores), len(scores)), dtype=np.int64)
    for start in range(0, tails.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        states = compared(scores[:, x[part]], scores[:, y[part]])
        total += _differing(states, tails[part])
    return total


def _differing(states: _States, weight: Index) -> Index:
    """Add up the weights of pairs whose states differ, are opposite, or one of which is undefined; and of all."""
    better, worse, tied, none = ((states == state).astype(np.float64) for state in (1, -1, 0, UNDEFINED))
    w = weight.astype(np.float64)  # sums of whole numbers far below 2^53 are exact
    agree = sum((same * w) @ same.T for same in (better, worse, tied, none))
    across = (better * w) @ worse.T
    missing = (none * w) @ (1 - none).T
    every = np.full_like(across, w.sum())
    return np.rint([every - agree, across + across.T, missing + missing.T, every]).astype(np.int64)


def _pairs(k: int, n_rel: int) -> tuple[Index, Index, Index]:
    """All pairs of first k ranks x <= y, and how many pairs of lists have them. [pair] each

    List A comes before list B in the paper's loop when its tail s is before the tail t of B, or equal and x < y.
    """
    legal = np.flatnonzero(n_relevant()[: 2**k] <= n_rel)
    x, y = (legal[side] for side in np.triu_indices(legal.size))
    n_rising, n_equal = _n_tails(k, n_rel)
    at_x, at_y = n_relevant()[x], n_relevant()[y]
    return x, y, n_rising[at_x] + np.where(x < y, n_equal[at_x] + n_rising[at_y], 0)


def _n_tails(k: int, n_rel: int) -> Index:
    """Count the ways to go on after k ranks, the first list of a pair having so many relevant documents in them.

    Row 0: pairs of tails s < t, row 1: pairs of equal tails. The first list may hold R relevant documents in all its
    ranks, and the second in its first k: its tail is free. [way, relevant]
    """
    tail = n_relevant()[: 2 ** (LENGTH - k)]
    greater = np.arange(tail.size)[::-1]  # tails t above each s
    fits = tail[None, :] <= n_rel - np.arange(LENGTH + 1)[:, None]
    return np.stack([(fits * greater).sum(-1), fits.sum(-1)])


def paper_levels(features: Iterable[Feature]) -> Index:
    """How much of each feature the lists of ten have, with ten relevant documents, as in table 4. [list, feature]"""
    grade = paper_lists()
    lists = Rankings(grade, np.full((len(grade), 2), LENGTH), top=1)
    return np.stack([one.levels(lists) for one in features], axis=-1)


def paper_preferences(measures: Sequence[Measure], features: Counts, *, n_rel: int = LENGTH) -> Array:
    """How often a measure prefers the list with more of a feature, in percent of the pairs on which two disagree.

    At depth ten, as in table 4. A preference must be by more than 2^-53, where to be apart it is enough to be no
    less: so the paper's numbers come out. [measure, against, feature], from features [list, feature]
    """
    legal = np.flatnonzero(n_relevant() <= n_rel)
    a, b = (legal[side] for side in np.triu_indices(legal.size, 1))
    scores = [paper_scores(m, n_rel)[:, LENGTH - 1] for m in measures]
    states = [compared(score[a], score[b]) for score in scores]
    more = np.sign(features[a] - features[b])  # [pair, feature]
    prefers = [np.sign(np.where(np.abs(gap) > EPSILON, gap, 0)) for gap in (s[a] - s[b] for s in scores)]
    n = len(measures)
    share = np.full((n, n, features.shape[1]), np.nan)
    for i, j in product(range(n), range(n)):
        apart = states[i] != states[j]
        if apart.any():
            share[i, j] = 100 * (prefers[i][apart, None] * more[apart] == 1).mean(0)
    return share
