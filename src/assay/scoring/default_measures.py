"""The measures that suit a collection, where none is asked for: by its grades and by the depth of its lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.core.thresholds import Threshold
from assay.data.judged import Collection
from assay.measures.grammar import parse_open
from assay.scoring.scores import Scores

DEEP_LISTS = Threshold(
    "deep_lists", 100, unit="documents", meaning="lists at least this long are measured to their end, too"
)
_TOP = 10  # ranks, where most evaluations stop


def default_measures(data: Collection | Scores) -> tuple[str, ...]:
    """Choose measures that suit the grades and the depth of the typical list; of another tool's scores, all."""
    if isinstance(data, Scores):
        return data.conditions
    count = data.asked.count
    depth = int(np.median(count[count > 0])) if (count > 0).any() else 1
    return taking_grades(measures_for(depth, graded=data.qrels.top > 1 or bool(data.fractions)), data.fractions)


def taking_grades(measures: Sequence[str], fractions: Sequence[float]) -> tuple[str, ...]:
    """Keep, of the measures that are used by default, those that take the grades there are, fractions or not."""
    return tuple(name for name in measures if not fractions or parse_open(name).takes_fractions)


def measures_for(depth: int, *, graded: bool) -> tuple[str, ...]:
    """Choose measures for lists of a depth: deep ones are measured to their end and at the top, others to the end."""
    if depth >= DEEP_LISTS.value:
        top = ("nDCG@10", "ERR@10", "P@10") if graded else ("Rprec", "P@10", "nDCG@10")
        return ("AP", "nDCG", *top, "RR", "RBP(p=0.95)", "RBP(p=0.8)")
    k = min(depth, _TOP) if depth < 2 * _TOP else depth
    names = ("nDCG", "AP", "P", "RR", "RBP(p=0.8)", *(["ERR"] if graded else []))
    return (*(f"{name}@{k}" for name in names), *([f"nDCG@{k // 2}"] if k > 1 else []))
