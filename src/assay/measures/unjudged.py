"""The ways in which documents without a grade can move a score; a measure declares which of them is its own.

A score gives unjudged documents no gain. Judged after all, they may turn out to be of any grade from 0 to the
highest: a *completion*. What follows are rules that find the least and the most over all completions, each
right for formulas of a certain shape, which it names:

`Residual`   a higher grade never lowers the score, and documents elsewhere do not matter: the score, and the
             residual above it, beyond the end of the list as well
`Ends`       a higher grade never lowers the score, though the recall base grows with it
`Extremes`   the measure knows its own least and most
`Search`     only a threshold matters: try numbers of newly relevant documents, standing lowest and highest

All but the first grade the *retrieved* documents alone: relevant documents that no list holds are not imagined,
and newly relevant ones join the recall base and the ideal ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools, Index
from assay.data.rankings import Rankings, put_grade
from assay.data.tables import ABSENT

Tail = Literal["unseen", "empty"]
Kind = Literal["residual", "range"]
Bounds = tuple[Array, Array]  # the least and the most of every list
Score = Callable[[Rankings], Array]  # the formula with its parameters, undefined scores settled

_AFFORDABLE = 1 << 20  # entries for which all completions of a list are tried


class Unjudged(Protocol):
    """A rule that bounds a measure's score over all completions; None where it offers no bound."""

    @property
    def kind(self) -> Kind:
        """Whether the score itself is the least."""

    def bounds(self, score: Score, j: Rankings, parameters: Mapping[str, Any], tail: Tail) -> Bounds | None:
        """Find the least and the most."""


def _always(**_: Any) -> bool:
    return True


def completed(j: Rankings, grade: NDArray[Any]) -> Rankings:
    """Put grades in place; documents that had none before join the pool."""
    fresh = j.open & (grade >= 0)
    added = np.stack([(fresh & (grade == g)).sum(-1) for g in range(j.top + 1)], axis=-1)
    return replace(j, grade=grade.astype(np.int8), pool=j.pool + added, _memo={})


def at_highest(j: Rankings) -> Rankings:
    """Put the highest grade in every open place, as one completion of the judgments."""
    return j.memo("at highest", lambda: completed(j, put_grade(j.grade, j.open, j.top)))


def _extent(scores: list[Array]) -> Bounds:
    return np.min(scores, axis=0), np.max(scores, axis=0)


@dataclass(frozen=True, slots=True)
class Residual:
    """For formulas of the list alone in which a higher grade never lowers the score, static weights above all.

    Then all unjudged documents at one grade give the extremes. With an unseen tail the ranks after the last
    document, down to the cutoff, count as unjudged. Without a cutoff they have no end: `beyond` takes lists, a
    grade and the parameters, and says what documents of that grade from there to infinity add. `when` says for
    which parameters the rule holds.

    `partial` says that a cutoff does not end the ranking: the weights are defined to infinity, the score at k is that
    of a partial evaluation, and whatever stands below k is unassessed (RBP's residual at depth k). For all other
    measures the first k ranks are all there is, as for P@k.
    """

    kind: ClassVar[Kind] = "residual"
    beyond: Callable[..., Array] | None = None
    when: Callable[..., bool] = _always
    partial: bool = False

    def bounds(self, score: Score, j: Rankings, parameters: Mapping[str, Any], tail: Tail) -> Bounds | None:
        """Score the lists as they are, and with one grade after the other in every open place."""
        endless = tail == "unseen" and (j.depth is None or self.partial)
        if not self.when(**parameters) or (endless and self.beyond is None):
            return None
        scores = [score(j)]
        wide = j if tail == "empty" or j.depth is None else _padded(j, j.depth)
        free = wide.open if tail == "empty" else wide.open | (wide.grade == ABSENT)
        for grade in range(j.top + 1):
            full = wide.memo(("open at", grade, tail), partial(_filled, wide, free, grade))
            more = self.beyond(full, grade, **parameters) if endless and self.beyond else 0.0
            scores.append(score(full) + more)
        least, most = _extent(scores)
        return None if np.isnan(most).any() else (least, most)


def _filled(j: Rankings, free: Bools, grade: int) -> Rankings:
    """Give the documents of free places one grade."""
    return replace(j, grade=put_grade(j.grade, free, grade), _memo={})


def _padded(j: Rankings, width: int) -> Rankings:
    missing = max(0, width - j.grade.shape[1])
    return replace(j, grade=np.pad(j.grade, ((0, 0), (0, missing)), constant_values=ABSENT), _memo={})


@dataclass(frozen=True, slots=True)
class Ends:
    """For formulas in which a higher grade never lowers the score, although the recall base grows with it."""

    kind: ClassVar[Kind] = "range"

    def bounds(self, score: Score, j: Rankings, parameters: Mapping[str, Any], tail: Tail) -> Bounds | None:  # noqa: ARG002
        """Score the lists with one grade after the other in every open place."""
        labels = [np.where(j.open, np.int8(grade), j.grade) for grade in range(j.top + 1)]
        return _extent([score(j), *(score(completed(j, grade)) for grade in labels)])


@dataclass(frozen=True, slots=True)
class Extremes:
    """For formulas whose extremes are known: `find` takes what the formula takes and returns least and most."""

    kind: ClassVar[Kind] = "range"
    find: Callable[..., Bounds | None]

    def bounds(self, score: Score, j: Rankings, parameters: Mapping[str, Any], tail: Tail) -> Bounds | None:  # noqa: ARG002
        """Ask the measure; the score itself is within."""
        extremes = self.find(j, **parameters)
        if extremes is None:
            return None
        base = score(j)
        return np.minimum(extremes[0], base), np.maximum(extremes[1], base)


def ideal_bounds(
    j: Rankings, value: Array, weigh: Callable[[int], Array], *, depth: float, retrieved: bool = False
) -> Bounds | None:
    """Bound a weighted sum of gains over that of the ideal ranking, whose ranks count to a depth.

    `value` is the gain of each grade, `weigh(n)` the weight of n ranks. The ideal ranking holds what is in the
    pool, or in the list alone. None where a bound is not known: for gains below 0 or a gain of grade 0, and for
    weights that rise with the rank.
    """
    from assay.measures.bounds.ratio import ideal_ratio

    grades = range(j.top + 1)
    count = np.stack([(j.grade == g).sum(-1) for g in grades], axis=-1) if retrieved else j.pool
    longest = int((count[:, value > 0].sum(-1) + j.open.sum(-1)).max(initial=0))
    ideal = weigh(max(longest, j.rank.size))
    if value[0] or value.min() < 0 or ideal.min(initial=0) < 0 or (np.diff(ideal) > 0).any():
        return None
    mass = np.concatenate([[0.0], np.cumsum(ideal * (np.arange(ideal.size) < depth))])
    level = np.unique(value[value > 0])
    above = np.array([count[:, value >= x].sum(-1) for x in level], dtype=np.int64)
    return ideal_ratio(j.gain(value), j.open, ideal[: j.rank.size], mass, np.diff(level, prepend=0.0), above)


@dataclass(frozen=True, slots=True)
class Search:
    """For formulas that ask only which documents reach the threshold `rel`, if two things hold of them.

    For a given pool the score never falls when a document becomes relevant or a relevant one moves up; for a given
    list it never rises when the pool gains a relevant document. Then for each number of newly relevant documents
    those that stand lowest and highest give the extremes, and most numbers can be ruled out unseen.
    """

    kind: ClassVar[Kind] = "range"

    def bounds(self, score: Score, j: Rankings, parameters: Mapping[str, Any], tail: Tail) -> Bounds | None:  # noqa: ARG002
        """Find the extremes over the number of newly relevant documents."""
        from assay.measures.bounds.ratio import extremes_by_number

        base = score(j)
        if int(parameters.get("rel") or 1) > j.top:
            return base, base

        def value(rows: Index, new: Bools, paid: Index) -> Array:
            pool = j.pool[rows]
            pool[:, j.top] += paid
            return score(replace(j, grade=np.where(new, np.int8(j.top), j.grade[rows]), pool=pool, _memo={}))

        least, most = extremes_by_number(value, value, j.open)
        return np.minimum(least, base), np.maximum(most, base)


def tried(score: Score, j: Rankings, bounds: Bounds) -> Bounds:
    """Replace bounds by the extremes over all completions where there are few."""
    from assay.measures.bounds.ratio import in_portions

    least, most = bounds[0].copy(), bounds[1].copy()
    count, width = j.open.sum(-1), j.grade.shape[1]
    few = (count > 0) & (count * np.log(j.top + 1) <= np.log(_AFFORDABLE / width))
    for row in np.flatnonzero(few):
        labels = np.indices((j.top + 1,) * int(count[row]), dtype=np.int8).reshape(count[row], -1).T
        scores = []
        for part in in_portions(len(labels), width):
            same = np.full(len(labels[part]), row)
            one = replace(j, grade=j.grade[same], pool=j.pool[same], _memo={})
            grade = one.grade.copy()
            grade[:, j.open[row]] = labels[part]
            scores.append(score(completed(one, grade)))
        least[row], most[row] = np.concatenate(scores).min(), np.concatenate(scores).max()
    return least, most
