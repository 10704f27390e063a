"""Agreement on documents: each judge against the reference, with itself, with every other, and all together.

Every interval is over topics. Statistics that need one scale of grades are left out for judges on unlike scales.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import get_args

import numpy as np
import polars as pl

from assay.analyses.judges.documents.chance_corrected import (
    Difference,
    GradeTables,
    IntervalEstimate,
    agreed,
    alpha,
    average_of,
    coincidences,
    estimate,
    kappa,
    quadratic,
    same,
    without_each,
)
from assay.analyses.judges.documents.coefficients import FEW_GRADES, TwoJudges, alpha_of, coefficients, two_judges
from assay.analyses.judges.documents.scales import Scales
from assay.core.arrays import Bools
from assay.results.schemas import Schema, schema, table

_TWO = {"judge": pl.String, "reference": pl.String}
_INTERVAL = ("value", "low", "high")
_DOCUMENTS = schema(
    "judge", "reference", "statistic", "grade", *_INTERVAL, "n_pairs", "n_topics",
    **_TWO, statistic=pl.String, n_pairs=pl.Int64,
)  # fmt: skip
_OVERLAPS = (
    "n_common",
    "only_judge",
    "only_reference",
    "topics_common",
    "topics_only_judge",
    "topics_only_reference",
)
_OVERLAP = schema("judge", "reference", *_OVERLAPS, **_TWO, **dict.fromkeys(_OVERLAPS, pl.Int64))
_GRADES = schema("judge", "reference", "grade_judge", "grade_reference", "n", **_TWO)
_BY_GRADE = schema("judge", "reference", "grade", "mean", "low", "high", "n", "n_topics", **_TWO)
_BY_TOPIC = schema("judge", "reference", "topic", "n_pairs", "kappa", "leniency", **_TWO, n_pairs=pl.Int64)
_SELF = schema(
    "judge", "statistic", *_INTERVAL, "n_pairs", "labels_per_pair", "n_topics",
    judge=pl.String, statistic=pl.String, n_pairs=pl.Int64,
)  # fmt: skip
_PAIRED = ("kappa", "kappa_quadratic", "alpha_ordinal")
_JUDGE_PAIRS = schema(
    "judge_a", "judge_b", "n_common", "n_topics",
    *(f"{name}{end}" for name in _PAIRED for end in ("", "_low", "_high")),
    judge_a=pl.String, judge_b=pl.String, n_common=pl.Int64,
)  # fmt: skip
_ALL_JUDGES = schema(
    "judges", "statistic", *_INTERVAL, "n_judges", "n_pairs", "n_topics",
    judges=pl.String, statistic=pl.String, n_judges=pl.Int64, n_pairs=pl.Int64,
)  # fmt: skip

Row = tuple[object, ...]


def agreement_on_documents(scales: Scales, *, level: float) -> dict[str, pl.DataFrame]:
    """The tables on documents, by name, for the labels of judges of whom the first is the reference.

    documents
        Of each judge against the reference: statistic, the grade from which documents count as relevant where it is
        about relevance, value with its interval over topics, the pairs and topics that both judged. kappa (Cohen's;
        with a grade, of relevant against not), kappa_linear, kappa_quadratic, alpha_nominal, alpha_ordinal,
        alpha_interval (Krippendorff's), agreement (share of equal grades), precision and recall (of what the
        reference finds relevant), leniency (mean grade of the judge less that of the reference), graded_higher and
        graded_lower (shares of pairs), tau_b (of the grades; the only one that needs no common scale).
    overlap
        Pairs and topics that both judged, and that only one did; a stray grade is none.
    grades
        How often each grade of the judge meets each of the reference; pairs of grades that never meet are left out.
    by_grade
        The judge's mean grade of documents to which the reference gives `grade`. A noisy judge is pulled to the
        middle at both ends, and so is the reference seen from the judge: that alone is no leniency.
    by_topic
        Kappa and leniency in each topic.
    self
        What a judge says who is asked again, of pairs with several labels: the share of pairs of labels that agree,
        each label counting once, and alpha over all labels of a pair.
    judge_pairs
        Kappa, quadratic kappa and ordinal alpha of all judges with each other, the reference among them.
    all_judges
        Alpha of all judges on the reference's scale together, with and without the reference.
    """
    crossed = [two_judges(scales, 0, j) for j in range(1, len(scales.labels.names))]
    each = partial(_each, scales, crossed)
    rows: Mapping[str, tuple[Schema, Iterator[Row]]] = {
        "documents": (_DOCUMENTS, each(partial(_document_rows, scales, level))),
        "overlap": (_OVERLAP, _overlap_rows(scales)),
        "grades": (_GRADES, each(_grade_rows)),
        "by_grade": (_BY_GRADE, each(partial(_by_grade_rows, level))),
        "by_topic": (_BY_TOPIC, each(partial(_by_topic_rows, scales))),
        "self": (_SELF, _self_rows(scales, level)),
        "judge_pairs": (_JUDGE_PAIRS, _judge_pair_rows(scales, level)),
        "all_judges": (_ALL_JUDGES, _all_rows(scales, level)),
    }
    return {name: table(found, columns) for name, (columns, found) in rows.items()}


def _each(scales: Scales, crossed: list[TwoJudges], rows: Callable[[TwoJudges], Iterator[Row]]) -> Iterator[Row]:
    """The rows of each judge with anything in common with the reference, after its name and the reference's."""
    names = scales.labels.names
    for two in crossed:
        for row in rows(two) if two.n_common else ():
            yield (names[two.b], names[two.a], *row)


def _document_rows(scales: Scales, level: float, two: TwoJudges) -> Iterator[Row]:
    tables = without_each(two.crossed.count)
    for one in coefficients(scales, two):
        e = estimate(one.of(tables), level=level, lowest=one.lowest, highest=one.highest)
        yield one.name, one.grade, e.value, e.low, e.high, two.n_common, two.crossed.n_topics


def _overlap_rows(scales: Scales) -> Iterator[Row]:
    labels = scales.labels
    judged = labels.judged()
    topics = np.array([np.bincount(labels.topic[own], minlength=len(labels.topics)) > 0 for own in judged])
    for j in range(1, len(labels.names)):
        counts = [n for of in (judged, topics) for n in _shared(of[j], of[0])]
        yield labels.names[j], labels.names[0], *counts


def _shared(own: Bools, other: Bools) -> tuple[int, int, int]:
    """How many are of both, of one only and of the other only."""
    return int((own & other).sum()), int((own & ~other).sum()), int((other & ~own).sum())


def _grade_rows(two: TwoJudges) -> Iterator[Row]:
    total, values = two.crossed.total, two.crossed.values
    for b, a in zip(*np.nonzero(total.T), strict=True):
        yield float(values[b]), float(values[a]), int(total[a, b])


def _by_grade_rows(level: float, two: TwoJudges) -> Iterator[Row]:
    values = two.crossed.values
    given = values[two.crossed.total.sum(0) > 0]
    for a, grade in enumerate(values):
        rows = two.crossed.count[:, a]
        there = rows.sum(1) > 0
        if not there.any():
            continue
        tables = without_each(rows[there][:, None])
        means = average_of(tables, values[None])
        e = estimate(means, level=level, lowest=float(given[0]), highest=float(max(given[-1], given[0] + 1)))
        yield float(grade), e.value, e.low, e.high, int(rows.sum()), int(there.sum())


def _by_topic_rows(scales: Scales, two: TwoJudges) -> Iterator[Row]:
    values, count = two.crossed.values, two.crossed.count
    nothing = np.full(two.topics.size, np.nan)
    is_compared = two.is_one_scale and two.has_few_grades
    kappas = kappa(count, same(values)) if is_compared else nothing
    lenient = average_of(count, values - values[:, None]) if two.is_one_scale else nothing
    for t, topic in enumerate(two.topics):
        yield scales.labels.topics[topic], int(count[t].sum()), float(kappas[t]), float(lenient[t])


def _self_rows(scales: Scales, level: float) -> Iterator[Row]:
    labels = scales.labels
    for name, repeats in zip(labels.names, labels.repeats, strict=True):
        again = coincidences(labels.topic, repeats.pair, repeats.grade)
        if not again.n_topics:
            continue
        there = ~np.isnan(repeats.grade)
        n = np.bincount(repeats.pair[there])
        n = n[n > 1]
        equal = estimate(agreed(without_each(again.count)), level=level, lowest=0.0)
        has_few = again.values.size <= FEW_GRADES.value
        for statistic, e in {**({"agreement": equal} if has_few else {}), **_alphas(again, level)}.items():
            yield name, statistic, e.value, e.low, e.high, n.size, float(n.mean()), again.n_topics


def _alphas(counted: GradeTables, level: float) -> dict[str, IntervalEstimate]:
    """Alpha of coincidences with every difference that their grades allow."""
    tables, values = without_each(counted.count), counted.values
    return {
        f"alpha_{difference}": estimate(alpha(tables, values, difference), level=level)
        for difference in get_args(Difference)
        if difference != "nominal" or values.size <= FEW_GRADES.value
    }


def _judge_pair_rows(scales: Scales, level: float) -> Iterator[Row]:
    names = scales.labels.names
    for a, b in combinations(range(len(names)), 2):
        two = two_judges(scales, a, b)
        found = _paired(two, level)
        ends = [end for name in _PAIRED for end in _ends(found.get(name))]
        yield names[a], names[b], two.n_common, two.crossed.n_topics, *ends


def _paired(two: TwoJudges, level: float) -> dict[str, IntervalEstimate]:
    if not (two.n_common and two.is_one_scale):
        return {}
    tables, values = without_each(two.crossed.count), two.crossed.values
    found = {
        "kappa_quadratic": estimate(kappa(tables, quadratic(values)), level=level),
        "alpha_ordinal": estimate(alpha_of(values, "ordinal")(tables), level=level),
    }
    if two.has_few_grades:
        found["kappa"] = estimate(kappa(tables, same(values)), level=level)
    return found


def _ends(e: IntervalEstimate | None) -> tuple[float | None, ...]:
    return (None, None, None) if e is None else (e.value, e.low, e.high)


def _all_rows(scales: Scales, level: float) -> Iterator[Row]:
    """Alpha of all judges on one scale, the reference among them, and of all others."""
    labels, on = scales.labels, np.flatnonzero(scales.on_reference)
    for name, judges in {"all": on, "all but the reference": on[on > 0]}.items():
        if judges.size < 2:
            continue
        grade = labels.grade[judges]
        unit = np.broadcast_to(np.arange(labels.topic.size), grade.shape)
        counted = coincidences(labels.topic, unit.ravel(), grade.ravel())
        n_pairs = int(((~np.isnan(grade)).sum(0) > 1).sum())
        for statistic, e in _alphas(counted, level).items() if n_pairs else ():
            yield name, statistic, e.value, e.low, e.high, int(judges.size), n_pairs, counted.n_topics
