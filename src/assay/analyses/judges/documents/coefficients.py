"""What two judges can be compared by: every statistic of how their grades meet that their scales allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.analyses.judges.documents.chance_corrected import (
    Difference,
    GradeTables,
    Statistic,
    agreed,
    alpha,
    average_of,
    both_ways,
    contingency,
    from_grade,
    kappa,
    linear,
    precision,
    quadratic,
    recall,
    same,
    tau_b,
)
from assay.analyses.judges.documents.scales import Scales
from assay.core.arrays import Array, Index
from assay.core.thresholds import Threshold

FEW_GRADES = Threshold(
    "few_grades",
    12,
    unit="different grades",
    meaning="up to which it is asked how often two judges give equal ones",
)


@dataclass(frozen=True, slots=True)
class TwoJudges:
    """What one judge (columns) says against what another says (rows), where both say something."""

    a: int
    b: int
    crossed: GradeTables  # by topics in common
    topics: Index  # [topic in common] its position among all topics
    is_one_scale: bool

    @property
    def n_common(self) -> int:
        """The number of pairs of topic and document that both labelled."""
        return int(self.crossed.count.sum())

    @property
    def has_few_grades(self) -> bool:
        """Whether equal grades mean something: grades with many fractions are hardly ever equal."""
        return self.crossed.values.size <= FEW_GRADES.value


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A statistic of a table of grades, with its range."""

    name: str
    of: Statistic
    grade: float | None = None  # from which a document counts as relevant
    lowest: float = -1.0
    highest: float = 1.0


def two_judges(scales: Scales, a: int, b: int) -> TwoJudges:
    """Cross the grades of judge `b` with those of judge `a`."""
    labels = scales.labels
    crossed = contingency(labels.topic, labels.grade[a], labels.grade[b])
    topics = np.unique(labels.topic[~np.isnan(labels.grade[a]) & ~np.isnan(labels.grade[b])])
    return TwoJudges(a, b, crossed, topics, scales.one_scale(a, b))


def coefficients(scales: Scales, two: TwoJudges) -> Iterator[Coefficient]:
    """What two judges can be compared by: their order where scales differ, equal grades where there are few."""
    if two.is_one_scale:
        if two.has_few_grades:
            yield from _of_equal_grades(two.crossed.values)
        yield from _of_distances(two.crossed.values)
        for grade in _thresholds(scales):
            yield from _of_relevance(two.crossed.values, grade)
    yield Coefficient("tau_b", tau_b)


def _of_equal_grades(values: Array) -> Iterator[Coefficient]:
    yield Coefficient("agreement", agreed, lowest=0.0)
    yield Coefficient("kappa", lambda tables: kappa(tables, same(values)))
    yield Coefficient("alpha_nominal", alpha_of(values, "nominal"))


def _of_distances(values: Array) -> Iterator[Coefficient]:
    yield Coefficient("kappa_linear", lambda tables: kappa(tables, linear(values)))
    yield Coefficient("kappa_quadratic", lambda tables: kappa(tables, quadratic(values)))
    yield Coefficient("alpha_ordinal", alpha_of(values, "ordinal"))
    yield Coefficient("alpha_interval", alpha_of(values, "interval"))
    less = values - values[:, None]  # columns, the judge, less rows
    span = max(float(values[-1] - values[0]), 1.0)
    yield Coefficient("leniency", lambda tables: average_of(tables, less), lowest=-span, highest=span)
    yield Coefficient("graded_higher", lambda tables: average_of(tables, (less > 0).astype(np.float64)), lowest=0.0)
    yield Coefficient("graded_lower", lambda tables: average_of(tables, (less < 0).astype(np.float64)), lowest=0.0)


def _of_relevance(values: Array, grade: float) -> Iterator[Coefficient]:
    def of_binary(statistic: Statistic) -> Statistic:
        return lambda tables: statistic(from_grade(tables, values, grade))

    yield Coefficient("kappa", of_binary(lambda binary: kappa(binary, same(np.arange(2.0)))), grade)
    yield Coefficient("precision", of_binary(precision), grade, lowest=0.0)
    yield Coefficient("recall", of_binary(recall), grade, lowest=0.0)


def alpha_of(values: Array, difference: Difference) -> Statistic:
    """Alpha of two judges from how often their grades meet."""
    return lambda tables: alpha(both_ways(tables), values, difference)


def _thresholds(scales: Scales) -> list[float]:
    """The grades from which documents may count as relevant: the reference's, whole ones of many."""
    values = scales.values(0)
    if values.size > FEW_GRADES.value:
        values = np.arange(np.floor(values[0]), np.floor(values[-1]) + 1)
    return [float(value) for value in values[1:]]
