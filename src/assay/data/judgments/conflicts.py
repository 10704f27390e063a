"""Several judgments of one document for one topic: where they differ, and the rule that makes one grade of them.

A negative grade says that a document was pooled but not judged, so it has no say beside a grade: it neither lowers a
mean nor wins a vote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Bools, Codes, Index

Conflicts = Literal["error", "first", "max", "min", "mean", "majority"]
Values = NDArray[np.number]  # grades as they are written, whole or not

CONFLICT_RULES: dict[str, str] = {
    "error": "an error",
    "first": "the first one counts",
    "max": "the highest counts",
    "min": "the lowest counts",
    "mean": "their mean counts",
    "majority": "the most frequent counts, and of equally frequent ones the lowest",
}
"""What becomes of different grades of one document."""


@dataclass(frozen=True, slots=True)
class PairGrades:
    """One grade for each pair of topic and document."""

    first: Bools  # [row] whether the row is the first of its pair
    grade: Values  # [pair] in the order of the first rows
    n_repeated: int  # rows that say what an earlier one says of their pair
    n_conflicts: int  # pairs with different grades
    example: tuple[int, int] | None  # the first row that contradicts an earlier one, and that one
    repeated: tuple[Index, Array] | None  # [label] pair and grade of all labels of pairs with several of them


def settle(pair: Codes, grade: Values, how: Conflicts) -> PairGrades:
    """Give each pair one grade; `pair` [row] is equal where topic and document are.

    Under "error" the grades that are returned are the first ones, and `example` says whether that is an error.
    """
    order = np.argsort(pair, kind="stable")  # pairs side by side, each in the order of its rows
    again = np.concatenate([[False], pair[order][1:] == pair[order][:-1]])
    first = np.ones(pair.size, dtype=bool)
    first[order[again]] = False
    said = np.maximum(grade[order], -1)  # all negative grades say the same
    repeated = _repeated(order, again, first, said) if again.any() else None
    differs = again & np.concatenate([[False], said[1:] != said[:-1]])
    if not differs.any():
        return PairGrades(first, grade[first], int(again.sum()), 0, None, repeated)
    group = np.cumsum(~again) - 1
    rows = np.isin(group, group[differs])  # all rows of the pairs in which some differ
    chosen = grade.astype(np.float64) if how == "mean" else grade.copy()
    if how in _RULES:
        has_a_say = rows & (said >= 0)
        chosen[order[rows & ~again]] = _RULES[how](group[has_a_say], said[has_a_say])
    at = np.flatnonzero(differs)[np.argmin(order[differs])]
    return PairGrades(
        first=first,
        grade=chosen[first],
        n_repeated=int((again & ~rows).sum()),
        n_conflicts=int((rows & ~again).sum()),
        example=(int(order[at]), int(order[at - 1])),
        repeated=repeated,
    )


def _repeated(order: Index, again: Bools, first: Bools, said: Values) -> tuple[Index, Array]:
    """All labels of the pairs that have several, in the order of the pairs; a negative grade is NaN."""
    many = again | np.append(again[1:], False)
    start = order[np.flatnonzero(~again)[(np.cumsum(~again) - 1)[many]]]  # the first row of the pair
    pair = (np.cumsum(first) - 1)[start]
    return pair, np.where(said[many] < 0, np.nan, said[many].astype(np.float64))


def _starts(group: Index) -> Index:
    """Where each group starts; equal numbers stand together."""
    return np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))


def _highest(group: Index, grade: Values) -> Values:
    return np.maximum.reduceat(grade, _starts(group))


def _lowest(group: Index, grade: Values) -> Values:
    return np.minimum.reduceat(grade, _starts(group))


def _mean(group: Index, grade: Values) -> Array:
    """Average sorted grades, so that the order of the files does not reach the last digit."""
    start = _starts(group)
    total = np.add.reduceat(grade[np.lexsort((grade, group))].astype(np.float64), start)
    return np.asarray(total / np.diff(np.append(start, group.size)))


def _most_frequent(group: Index, grade: Values) -> Values:
    """The grade that most rows of a group have; of equally frequent ones the lowest."""
    order = np.lexsort((grade, group))
    group, grade = group[order], grade[order]
    start = np.flatnonzero(np.concatenate([[True], (group[1:] != group[:-1]) | (grade[1:] != grade[:-1])]))
    votes = np.diff(np.append(start, group.size))
    by_votes = np.lexsort((grade[start], -votes, group[start]))
    return grade[start][by_votes][_starts(group[start][by_votes])]


_RULES: dict[str, Callable[[Index, Values], Values]] = {
    "max": _highest,
    "min": _lowest,
    "mean": _mean,
    "majority": _most_frequent,
}
