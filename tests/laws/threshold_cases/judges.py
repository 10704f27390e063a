"""Examples just inside and just outside the thresholds of `judges`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.analyses.judges.documents.odd_judges import findings
from assay.analyses.judges.documents.scales import scales_of
from assay.analyses.judges.documents.tables import agreement_on_documents
from assay.results.sentences import RULES
from tests.builders.judged_results import documents, scored
from tests.builders.labels import labelled
from tests.laws.threshold_cases.case import Case


def flags(*grades: NDArray[Any]) -> set[str]:
    """What is odd about judges of ten topics."""
    labels = labelled({f"judge{i}": grade for i, grade in enumerate(grades)}, topics=np.arange(grades[0].size) % 10)
    scales = scales_of(labels)
    return {one.flag for one in findings(labels, scales, agreement_on_documents(scales, level=0.95))}


def strays(n: int) -> bool:
    """Whether n of 1,000 grades above the scale are strays."""
    grade = np.arange(1000) % 4.0
    model = grade.copy()
    model[:n] = 5
    return "stray_grades" in flags(grade, model)


def duplicates(n_changed: int) -> bool:
    """Whether judges who differ in n of 200 labels, half of them 1, are near duplicates: kappa is 1 - n / 100."""
    grade = np.arange(200) % 2.0
    model = grade.copy()
    model[:n_changed] = 1 - model[:n_changed]
    return "near_duplicate" in flags(grade, model)


def few(n: int) -> bool:
    """Whether n pairs in common are few."""
    return "few_pairs" in flags(np.arange(n) % 2.0, np.arange(n) // 2 % 2.0)


def equal_grades(n: int) -> bool:
    """Whether judges with n different grades, halves among them, are asked for equal ones."""
    grade = np.tile(np.arange(n) / 2, 2)
    labels = labelled({"a": grade, "b": grade[::-1]}, topics=np.arange(2 * n) % 3)
    documents = agreement_on_documents(scales_of(labels), level=0.95)["documents"]
    return "alpha_nominal" in documents["statistic"].to_list()


def unreliable(n_wrong: int) -> bool:
    """Whether labels of which n in 400 are wrong are said to agree too little."""
    return any(one.name == "unreliable_labels" for one in documents(n_wrong).sentences)


def survives(low: float) -> bool:
    """Whether conclusions are said to survive where the interval of the share that is kept begins there."""
    made = scored()
    counts = made.tables["conclusions"].with_columns(low=pl.lit(low))
    spoken = RULES["conclusions_survive"].speak(replace(made, tables={**made.tables, "conclusions": counts}))
    return spoken[0].status == "decided"


CASES: dict[str, Case] = {
    "least_alpha": Case(lambda: unreliable(200), lambda: unreliable(4), moved=0.1, rule="unreliable_labels"),
    "kept_conclusions": Case(lambda: survives(0.9), lambda: survives(0.899), moved=0.95, rule="conclusions_survive"),
    "stray_share": Case(lambda: strays(10), lambda: strays(11), moved=0.005),
    "near_duplicate_kappa": Case(lambda: duplicates(2), lambda: duplicates(4), moved=0.99),
    "few_common_pairs": Case(lambda: few(99), lambda: few(100), moved=90),
    "few_grades": Case(lambda: equal_grades(12), lambda: equal_grades(13), moved=11),
}
