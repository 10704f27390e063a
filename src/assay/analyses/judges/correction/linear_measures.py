"""What a document adds to a measure at each rank, for measures that are sums over ranks of what documents are worth.

Labels of sampled documents correct such measures without bias. Others they do not: the ideal ranking of nDCG and the
recall of AP need the labels of all documents of a topic, and RR and ERR those of all documents above.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import Array, Index
from assay.core.errors import MeasureError
from assay.data.judgments.scale import UNJUDGED
from assay.data.rankings import Rankings
from assay.measures.declare import Measure
from assay.scoring.placebo import is_linear

_LISTS, _RANKS = 32, 8  # random lists on which a formula is tried


@dataclass(frozen=True, slots=True)
class GradeScale:
    """The grades of one judge: the highest, and the values of codes where some are fractions."""

    top: int
    fractions: tuple[float, ...] = ()

    @classmethod
    def of(cls, grade: Array, highest: float) -> GradeScale:
        """The scale of these grades; NaN left out."""
        known = np.unique(grade[~np.isnan(grade)])
        if (known == np.round(known)).all() and highest == round(highest):
            return cls(max(1, int(highest)))
        fractions = tuple(np.unique([0.0, *known, highest]).tolist())
        return cls(len(fractions) - 1, fractions)

    def codes(self, grade: Array) -> Index:
        """The code of each grade; 0 for none."""
        filled = np.nan_to_num(grade, nan=0.0)
        return np.asarray(np.searchsorted(self.fractions, filled) if self.fractions else filled, dtype=np.int64)

    def lists(self, grade: NDArray[np.integer], pool: int) -> Rankings:
        """Lists of codes, [list, rank], of topics with so many documents of each grade."""
        counts = np.full((len(grade), self.top + 1), pool)
        return Rankings(grade.astype(np.int8), counts, self.top, None, fractions=self.fractions)


def why_not(measure: Measure, scale: GradeScale) -> str | None:
    """Why labels of sampled documents do not correct a measure without bias; None where they do."""
    if not is_linear(measure, scale.top, scale.fractions):
        return "it is not a sum over ranks of what each document is worth"
    rng = np.random.default_rng(0)
    grade = rng.integers(scale.top + 1, size=(_LISTS, _RANKS))
    grade[0] = scale.top
    values = _scored(measure, scale, grade, _RANKS)
    if not np.allclose(values, _scored(measure, scale, grade, 4 * _RANKS), rtol=0, atol=1e-12):
        return "it depends on the documents of a topic that are not in the list, whose labels are not all known"
    if np.allclose(values, values[0]):
        return "no grade enters it"
    unjudged = np.where(grade == 0, UNJUDGED, grade)
    if not np.allclose(values, _scored(measure, scale, unjudged, _RANKS), rtol=0, atol=1e-12):
        return "it takes unjudged documents for something else than nonrelevant ones"
    return None


def check_linear(measure: Measure, scale: GradeScale) -> None:
    """Refuse a measure that labels of sampled documents cannot correct, and say why."""
    if reason := why_not(measure, scale):
        raise MeasureError(f"{measure} from labels of sampled documents: {reason}; P@k and DCG@k have no such need")


def worth(measure: Measure, scale: GradeScale, depth: int) -> tuple[Array, float]:
    """What a document of each grade adds at each rank to a list of nonrelevant ones, and what that list scores.

    The first is [rank, grade].
    """
    lists = np.zeros((depth * (scale.top + 1) + 1, depth), dtype=np.int8)
    rank, grade = np.divmod(np.arange(depth * (scale.top + 1)), scale.top + 1)
    lists[np.arange(rank.size), rank] = grade
    values = _scored(measure, scale, lists, depth)
    return (values[:-1] - values[-1]).reshape(depth, scale.top + 1), float(values[-1])


def depends_on_highest(measure: Measure) -> bool:
    """Whether what a grade is worth depends on the highest grade of its scale, as where it is divided by that."""
    one, other = (worth(measure, GradeScale(top), 4)[0][:, :3] for top in (2, 3))
    return not np.allclose(one, other, rtol=0, atol=1e-12)


def _scored(measure: Measure, scale: GradeScale, grade: NDArray[np.integer], pool: int) -> Array:
    return measure.compute(scale.lists(grade, pool))
