"""All rankings of one length, and the exact order in which a measure puts them.

The universe of a depth k and a number of relevant documents R holds every ranking of k documents with at most R
relevant ones once; with several grades, at most so many documents of each. Non-relevant documents never run out. The
order is all that disagreement depends on, so scores become dense ranks, and no rounding may decide about a tie:

- where the formula's scores are fractions, the least difference of two of them is known (`SEPARATION`), and scores
  closer than half of it are equal: rounding is far smaller;
- elsewhere scores are equal where they differ by at most 2^-48 of the largest, which is what rounding can do, and
  different from 2^-45 of it up. A difference between the two is taken for one, and counted as ambiguous.

A ranking without a score (SNAP of one that has nothing relevant) is tied with every other: a measure that cannot
score it has no preference.

>>> lists = universe(2, 1)
>>> lists.grade.tolist()
[[0, 0], [1, 0], [0, 1]]
>>> from assay.measures import AP, SNAP
>>> dense_ranks(AP, lists).rank.tolist(), dense_ranks(SNAP, lists).rank.tolist()
([0, 2, 1], [-1, 1, 0])
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay import measures as m
from assay.core.arrays import Array, Bools, Grades
from assay.core.errors import UsageError
from assay.core.thresholds import Threshold
from assay.data.rankings import Rankings
from assay.measures.declare import Formula, Measure
from assay.stats.correlation.discordance import PairCounts, compare_pairs
from assay.stats.pair_preferences import SURE, TIED

UniverseName = Literal["distinct", "paper"]
"""Every ranking once, or the lists that the tables of jones2015 come from (`universe.jones2015`)."""

Levels = NDArray[np.int32]  # [list]: dense ranks, 0 for the lowest score; -1 where there is none

UNIVERSE_MEMORY = Threshold(
    "universe_memory", 4, unit="GB", meaning="above which a universe of rankings is refused, before it is laid out"
)

_LIST_BYTES = 160  # arrays of one number per list that live at once: scores, orders, keys being merged
_CHUNK = 1 << 19  # grades scored at a time: what stays in cache


@dataclass(frozen=True, slots=True)
class TopicRankings:
    """Rankings of one length, of one topic."""

    grade: Grades  # [list, rank]
    pool: tuple[int, ...]  # documents of each grade 0, 1, ... in the topic

    def __len__(self) -> int:
        return self.grade.shape[0]

    @property
    def k(self) -> int:
        """The length."""
        return self.grade.shape[1]

    @property
    def n_rel(self) -> int:
        """How many relevant documents there are."""
        return sum(self.pool[1:])

    def n_above(self, rel: int) -> int:
        """How many documents of a grade, or a higher one, there are; of binary grades, how many relevant."""
        return self.n_rel if len(self.pool) == 2 else sum(self.pool[max(rel, 0) :])

    def rankings(self, rel: int = 1) -> Rankings:
        """The same as measures see it; of binary grades, what is relevant is just relevant enough."""
        if len(self.pool) == 2 and rel > 1:
            return replace(self, grade=self.grade * np.int8(rel), pool=_raised(self.pool, rel)).rankings()
        pool = np.broadcast_to(np.array(self.pool, dtype=np.int64), (len(self), len(self.pool)))
        return Rankings(self.grade, pool, top=len(self.pool) - 1)

    def score(self, measure: Measure) -> Array:
        """Score every ranking with a measure cut at k, NaN where it has no score; higher is better. [list]"""
        own = cut(measure, self.k)
        step = max(1, _CHUNK // self.k)
        parts = [replace(self, grade=self.grade[i : i + step]) for i in range(0, len(self), step)]
        return np.concatenate([own.quality(part.rankings(own.rel)) for part in parts])


def _raised(pool: tuple[int, ...], rel: int) -> tuple[int, ...]:
    return (pool[0], *(0 for _ in range(1, rel)), pool[1])


@dataclass(frozen=True, slots=True)
class Ranks:
    """The order of a universe by one measure."""

    rank: Levels  # [list], equal where scores are
    n_ambiguous: int = 0  # differences that rounding might have made


def cut(measure: Measure, k: int) -> Measure:
    """Cut a measure at k, unless it has a cutoff of its own, which k must reach."""
    if measure.cutoff is not None and measure.cutoff > k:
        instead = f"give {replace(measure, cutoff=None)}, which is cut at each depth"
        raise UsageError(f"{measure} needs {measure.cutoff} ranks; there are rankings of {k}: {instead}")
    return (measure if measure.cutoff is not None else replace(measure, cutoff=k)).ready()


def n_lists(k: int, n_rel: int | Sequence[int]) -> int:
    """Count the rankings of a universe.

    >>> n_lists(10, 10), n_lists(20, 10), n_lists(3, (1, 1))
    (1024, 616666, 13)
    """
    ways = {0: 1}  # relevant documents -> ways to place them
    for most in _counts(n_rel):
        grown: dict[int, int] = {}
        for used, n in ways.items():
            for more in range(min(most, k - used) + 1):
                grown[used + more] = grown.get(used + more, 0) + n * math.comb(k - used, more)
        ways = grown
    return sum(ways.values())


def memory(k: int, n_rel: int | Sequence[int], n_measures: int) -> int:
    """Say how many bytes a universe and the ranks of so many measures take at most."""
    return n_lists(k, n_rel) * (2 * k + 4 * n_measures + _LIST_BYTES)


def fits(k: int, n_rel: int | Sequence[int], n_measures: int = 1) -> bool:
    """Whether a universe takes no more memory than it may."""
    return memory(k, n_rel, n_measures) <= _most_bytes()


def check_size(k: int, n_rel: int | Sequence[int], n_measures: int = 1) -> None:
    """Refuse a universe that is empty, or does not fit."""
    if k < 1:
        raise UsageError(f"depth {k} is not a whole number from 1 up, such as 10")
    counts = _counts(n_rel)
    if min(counts, default=0) < 0 or sum(counts) < 1:
        raise UsageError(f"n-rel {sum(counts)}: with nothing relevant all rankings are alike; give 1 or more")
    if not fits(k, n_rel, n_measures):
        needed = memory(k, n_rel, n_measures)
        what = f"depth {k} with {sum(counts)} relevant has {n_lists(k, n_rel):,} rankings, {needed / 1e9:,.0f} GB"
        raise UsageError(f"{what}; {UNIVERSE_MEMORY} GB are the limit: {_fitting(k, counts)}")


def _most_bytes() -> float:
    return UNIVERSE_MEMORY.value * 1e9


def _fitting(k: int, counts: tuple[int, ...]) -> str:
    """Say what would fit."""
    deep = next(d for d in range(k - 1, 0, -1) if memory(d, counts, 15) <= _most_bytes())
    return f"a depth of {deep} fits, or fewer relevant documents"


def universe(k: int, n_rel: int | Sequence[int]) -> TopicRankings:
    """Lay out every ranking of k documents with at most `n_rel` relevant ones, or so many of each grade from 1 up.

    They are numbered from the last rank: binary ranking number x has bit i of x at rank i + 1 where R >= k.
    """
    check_size(k, n_rel)
    counts = _counts(n_rel)
    grade, left = np.zeros((1, 0), dtype=np.int8), np.array([[min(n, k) for n in counts]], dtype=np.int16)
    for _ in range(k):
        rows = [np.arange(len(grade)), *(np.flatnonzero(left[:, g] > 0) for g in range(len(counts)))]
        last = np.repeat(np.arange(len(rows), dtype=np.int8), [r.size for r in rows])
        before = np.concatenate(rows)
        grade, left = np.column_stack([grade[before], last]), left[before]
        used = np.flatnonzero(last)
        left[used, last[used] - 1] -= 1
    return TopicRankings(grade, (max(k, sum(counts)), *counts))


def extremes(k: int, n_rel: int | Sequence[int]) -> TopicRankings:
    """The worst and the best ranking of a universe, to try a measure on."""
    counts = _counts(n_rel)
    best = [g for g in range(len(counts), 0, -1) for _ in range(min(counts[g - 1], k))][:k]
    grade = np.array([[0] * k, best + [0] * (k - len(best))], dtype=np.int8)
    return TopicRankings(grade, (max(k, sum(counts)), *counts))


def _counts(n_rel: int | Sequence[int]) -> tuple[int, ...]:
    return (n_rel,) if isinstance(n_rel, int) else tuple(n_rel)


def dense_ranks(measure: Measure, lists: TopicRankings) -> Ranks:
    """Order rankings by a measure cut at their length, exactly: see the rules above."""
    score = lists.score(measure)
    known = np.flatnonzero(~np.isnan(score))
    rank = np.full(score.size, -1, dtype=np.int32)
    if not known.size:
        return Ranks(rank)
    order = known[np.argsort(score[known], kind="stable")]
    value = score[order]
    if np.isinf(value[[0, -1]]).any():
        raise UsageError(f"{measure} scores a ranking infinitely high or low: such scores cannot be compared")
    size = np.maximum(np.abs(value[1:]), np.abs(value[:-1]))
    gap = np.diff(value)
    least = separation(measure, lists)
    if least is not None and least >= SURE * float(np.abs(value[[0, -1]]).max()):
        new, doubtful, most = gap > least / 2, (gap > least / 2) & (gap < 0.75 * least), np.full(gap.size, least / 4)
    else:
        new, most = gap > TIED * size, TIED * size
        doubtful = new & (gap < SURE * size)
        if least is not None:  # finer than rounding: what looks like a tie may be none
            doubtful |= ~new
    rank[order[1:]] = np.cumsum(new)
    rank[order[:1]] = 0
    return Ranks(rank, int(doubtful.sum()) + _stretched(value, new, most))


def _stretched(value: Array, new: Bools, most: Array) -> int:
    """Count the ties that reach further than rounding can: chains of small steps."""
    ends = np.flatnonzero(np.append(new, True))
    starts = np.concatenate([[0], ends[:-1] + 1])
    wide = np.append(most, 0.0)[np.maximum(ends - 1, 0)]
    return int(np.count_nonzero((value[ends] - value[starts] > wide) & (ends > starts)))


def distinct_orders(ranks: Sequence[Levels]) -> tuple[list[Levels], list[int]]:
    """Keep each order once, and say which of them every measure has."""
    seen: dict[bytes, int] = {}
    which = [seen.setdefault(rank.tobytes(), len(seen)) for rank in ranks]
    return [ranks[which.index(i)] for i in range(len(seen))], which


def pair_counts(ranks: Sequence[Levels]) -> dict[tuple[int, int], PairCounts]:
    """Count the pairs of rankings that each two measures order differently; equal orders are compared once.

    Both measures are named by their place, the earlier one first.
    """
    orders, which = distinct_orders(ranks)
    once = {(i, j): compare_pairs(orders[i], orders[j]) for i, j in combinations(range(len(orders)), 2)}
    n = ranks[0].size
    same = PairCounts(0, 0, n * (n - 1) // 2)
    pairs = combinations(range(len(ranks)), 2)
    return {(i, j): once.get((min(which[i], which[j]), max(which[i], which[j])), same) for i, j in pairs}


def separation(measure: Measure, lists: TopicRankings) -> float | None:
    """The least difference of two scores that are not equal; None where it is not known."""
    least_difference = SEPARATION.get(measure.declaration.formula)
    if least_difference is None:
        return None
    least = least_difference(cut(measure, lists.k), lists)
    return None if least is None else float(least)


LeastDifference = Callable[[Measure, TopicRankings], Fraction | None]


def _whole(*_: object) -> Fraction:
    """Scores are whole numbers."""
    return Fraction(1)


def _by_depth(denominator: Callable[[int], int]) -> LeastDifference:
    """Scores are whole numbers over what k gives."""
    return lambda x, lists: Fraction(1, denominator(x.cutoff or lists.k))


def _by_rel(x: Measure, lists: TopicRankings) -> Fraction:
    """Scores are whole numbers over the number of relevant documents."""
    return Fraction(1, max(1, lists.n_above(x.rel)))


def _sums(divisor: Callable[[int, int], int]) -> LeastDifference:
    """Scores are sums of precisions, whole numbers over lcm(1 .. k), over what k and R give."""

    def least(x: Measure, lists: TopicRankings) -> Fraction:
        k = x.cutoff or lists.k
        return Fraction(1, _lcm(k) * max(1, divisor(k, lists.n_above(x.rel))))

    return least


def _lcm(k: int) -> int:
    return math.lcm(*range(1, k + 1))


def _rprec(x: Measure, lists: TopicRankings) -> Fraction:
    depth = math.ceil(x.parameters["mult"] * lists.n_above(x.rel) - 1e-9)
    capped = min(depth, x.cutoff or lists.k) if x.parameters["form"] == "capped" else depth
    return Fraction(1, max(1, capped))


def _err(x: Measure, lists: TopicRankings) -> Fraction:
    """Each relevant document divides what is left by a whole number, by default a power of 2; each rank a term."""
    top = x.parameters["max_rel"] or len(lists.pool) - 1
    k, stop = x.cutoff or lists.k, x.parameters["stop"]
    divisor = 2**top if stop is None else Fraction(str(stop)).denominator * (2**top - 1)
    return Fraction(1, divisor ** min(k, lists.n_rel) * _lcm(k))


def _rbp(x: Measure, lists: TopicRankings) -> Fraction | None:
    """With p = a / b the score is a whole number over b^k times the highest grade."""
    if x.parameters["residual"] is not None:
        return None
    p = Fraction(str(x.parameters["p"]))
    worth = len(lists.pool) - 1 if x.parameters["rel"] is None else 1
    return Fraction(1, p.denominator ** (x.cutoff or lists.k) * worth)


SEPARATION: dict[Formula, LeastDifference] = {
    m.P.declaration.formula: _by_depth(int),
    m.SetP.declaration.formula: _by_depth(int),
    m.RR.declaration.formula: _by_depth(lambda k: k * k),
    m.SP.declaration.formula: _by_depth(_lcm),
    m.R.declaration.formula: _by_rel,
    m.SetR.declaration.formula: _by_rel,
    m.Success.declaration.formula: _whole,
    m.NumRelRet.declaration.formula: _whole,
    m.Rprec.declaration.formula: _rprec,
    m.AP.declaration.formula: _sums(lambda _, n_rel: n_rel),
    m.aAP.declaration.formula: _sums(min),
    m.SNAP.declaration.formula: _sums(lambda k, n_rel: min(k, n_rel) ** 2),  # each over its own number of hits
    m.ERR.declaration.formula: _err,
    m.RBP.declaration.formula: _rbp,
}
"""Formula -> the least difference of two unequal scores, where these are fractions."""
