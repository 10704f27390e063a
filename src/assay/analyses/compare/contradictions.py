"""Where a further measure contradicts the first on a pair of systems, on which queries, and what differs there.

Whichever two measures contradict each other, one of them contradicts the first: of two means with opposite signs one
has a sign opposite to that of the first. A query adds to a contradiction what the difference by the first measure,
over its deviation, exceeds that by the other: these add up to n times the difference of the two effects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from assay.analyses.compare.comparisons import Comparisons
from assay.analyses.compare.evidence import MOST_PAIRS, Lists, depth_of
from assay.analyses.compare.families import Family
from assay.core.arrays import Array, Index
from assay.core.notes import Note
from assay.core.text import listed
from assay.core.thresholds import Threshold
from assay.results.schemas import schema, table
from assay.scoring.scores import Scores

SIGNIFICANT, SIGN_ONLY = "significant", "sign only"
SHOWN_CONTRADICTIONS = Threshold(
    "shown_contradictions", 3, unit="queries", meaning="that are named of two measures that contradict each other"
)
_NAMED = 3  # contradictions that a note names
_COLUMNS = ("status", "topic", "query", "grades_a", "grades_b")
_SCHEMA = schema(
    "measure_a", "measure_b", "run_a", "run_b", "difference_a", "difference_b", "status", "topic", "query",
    "topic_difference_a", "topic_difference_b", "grades_a", "grades_b", **dict.fromkeys(_COLUMNS, pl.String),
)  # fmt: skip


def contradiction_table(data: Scores, lists: Lists | None, family: Family, texts: Mapping[str, str]) -> pl.DataFrame:
    """One row per query that adds most to a contradiction; significant contradictions first.

    Without a query where systems are many and the contradiction is not significant.
    """
    depth = max(map(depth_of, data.conditions))
    named = family.pairing.first.size <= MOST_PAIRS
    rows = []
    for m, i, a, b, status in _contradictions(family):
        signs = [-1 if data.lower_of(k) else 1 for k in (0, m)]
        about = (data.conditions[0], data.conditions[m], a, b)
        means = [sign * family.of[k].mean[i] for sign, k in zip(signs, (0, m), strict=True)]
        topics = _contributing(family.of[0], family.of[m], i) if named or status == SIGNIFICANT else ()
        for t in topics:
            differences = [sign * family.of[k].of_pair(i)[t] for sign, k in zip(signs, (0, m), strict=True)]
            runs = [int(run[i]) for run in (family.pairing.first, family.pairing.second)]
            grades = [None if lists is None else _written(lists.grades_of(run, int(t), depth)) for run in runs]
            name = data.topics[t]
            rows.append((*about, *means, status, name, texts.get(name), *differences, *grades))
        if not len(topics):
            rows.append((*about, *means, status, *[None] * 6))
    return table(rows, _SCHEMA)


def _contradictions(family: Family) -> list[tuple[int, int, str, str, str]]:
    """Measure, pair, names and status of every contradiction; the significant ones first."""
    found = []
    for m in range(1, len(family.of)):
        for i, a, b in family.pairing:
            if family.of[0].mean[i] * family.of[m].mean[i] < 0:
                both = family.decisions[0].is_decided[i] and family.decisions[m].is_decided[i]
                found.append((m, i, a, b, SIGNIFICANT if both else SIGN_ONLY))
    return sorted(found, key=lambda one: one[-1] != SIGNIFICANT)


def _contributing(first: Comparisons, other: Comparisons, i: int) -> Index:
    """The queries that add most to a contradiction, those of opposite signs before others."""
    sign = np.sign(first.mean[i])
    ours, theirs = (sign * _standardised(of, i) for of in (first, other))
    adds = np.nan_to_num(ours - theirs, nan=-np.inf)
    opposite = (ours > 0) & (theirs < 0)
    order = np.lexsort((-adds, ~opposite))[: int(SHOWN_CONTRADICTIONS.value)]
    return order[adds[order] > 0]


def _standardised(of: Comparisons, i: int) -> Array:
    """The differences of a pair over their deviation. [query]"""
    return of.of_pair(i) / of.sd[i] if of.sd[i] > 0 else of.of_pair(i)


def _written(grades: Sequence[str]) -> str:
    """The grades of a list by rank: a document that is not relevant is a dot."""
    return " ".join("." if grade == "0" else grade for grade in grades)


def contradiction_notes(contradictions: pl.DataFrame) -> Iterator[Note]:
    """Say which measures contradict each other significantly, and on which systems."""
    rows = contradictions.filter(status=SIGNIFICANT)
    named = rows.select("measure_a", "measure_b", "run_a", "run_b", "difference_a").unique(maintain_order=True).rows()
    if named:
        each = [f"{b} on {run_a} against {run_b}" for _, b, run_a, run_b, _ in named]
        who = listed(each, most=_NAMED)
        text = f"{named[0][0]} is contradicted significantly by {who}: see the table contradictions"
        yield Note("contradictions", "caution", text)
