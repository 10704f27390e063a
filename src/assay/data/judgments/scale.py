"""The scale of grades: what a user declares of it, and the small codes under which grades are stored.

A whole grade is its own code. Where some grades of a collection are fractions, codes number the different grades in
their order and a table holds their values, so that lists of documents stay arrays of one byte each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Counts, Grades
from assay.core.errors import InputError

UNJUDGED, IN_POOL, ABSENT = -1, -2, -3
MAX_GRADE = 127

GradeValues = str | Mapping[str | float, float] | None
"""A scale as people write it: `0.5=1,1=2`, `0-3`, or a mapping."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale that a user declares; one without anything in it declares none."""

    values: Mapping[str, float] = field(default_factory=dict)  # what is written -> the grade that it stands for
    top: int | None = None  # the highest grade, where a range such as 0-3 states it

    @property
    def highest(self) -> float:
        """The highest grade that is declared; 1 where none is."""
        return max([1, *self.values.values()]) if self.top is None else max(1, self.top)


UNDECLARED = Scale()


@dataclass(frozen=True, slots=True)
class CodedGrades:
    """Grades as codes."""

    code: Grades  # IN_POOL for negative grades
    top: int  # the code of the scale's highest grade
    fractions: tuple[float, ...]  # [code] its value; empty where a grade is its own code


def coded_grades(grade: NDArray[np.number], highest: float, source: str) -> CodedGrades:
    """Store grades as codes, on a scale that reaches to the highest grade."""
    if grade.dtype.kind == "f" and (grade == np.rint(grade)).all():
        grade = grade.astype(np.int64)
    if grade.dtype.kind != "f" and highest == int(highest):
        return CodedGrades(np.where(grade < 0, IN_POOL, grade).astype(np.int8), int(highest), ())
    values = np.unique(np.concatenate([[0.0], grade[grade > 0], [highest]]))
    if values.size > MAX_GRADE + 1:
        most = f"at most {MAX_GRADE} are possible: round them, or map them to fewer (--grades)"
        n = f"{values.size - 1:,} different grades above 0, the scale's highest among them"
        raise InputError(f"{source}: {n}, but {most}")
    code = np.where(grade < 0, IN_POOL, np.searchsorted(values, grade)).astype(np.int8)
    return CodedGrades(code, values.size - 1, tuple(values.tolist()))


def check_grades(grade: Counts | Array, scale: Scale, place: Callable[[int], str]) -> None:
    """Refuse what is no grade, and what is above the scale."""
    if (bad := np.flatnonzero(~np.isfinite(grade))).size:
        raise InputError(f"{place(int(bad[0]))}: grade {grade[bad[0]]:g} is not a number")
    top = MAX_GRADE if scale.top is None else scale.top
    if (high := np.flatnonzero(grade > top)).size:
        which = "the highest there is" if scale.top is None else f"the highest of --grades 0-{top}"
        raise InputError(f"{place(int(high[0]))}: grade {grade[high[0]]:.17g} is above {top}, {which}")
