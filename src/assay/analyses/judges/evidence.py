"""The evidence on judges, question by question: tables, and what to beware of in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from assay.analyses.judges.bias.carriers import carrier_tables
from assay.analyses.judges.bias.several import several_tables
from assay.analyses.judges.bias.tables import bias_notes, bias_tables
from assay.analyses.judges.correction import tables as corrections
from assay.analyses.judges.correction.extra_topics import extra_topics, on_extra_topics
from assay.analyses.judges.correction.planning import on_budget, topics_for_width, width_of_budget
from assay.analyses.judges.correction.sampled_labels import Inclusion, on_sampled, sampled
from assay.analyses.judges.documents.odd_judges import findings, notes_on_judges, profile_table
from assay.analyses.judges.documents.scales import scales_of
from assay.analyses.judges.documents.tables import agreement_on_documents
from assay.analyses.judges.systems.conclusions import Corrected, conclusion_notes, conclusion_tables
from assay.analyses.judges.systems.tables import system_notes, system_tables
from assay.core.errors import UsageError
from assay.core.notes import Note, on_data
from assay.scoring.judges.judges import Judges

_MOST_LOOKED_AT = 1000  # documents for each judge that are listed for people to look at


@dataclass(frozen=True, slots=True)
class JudgeEvidence:
    """Tables by name, and notes."""

    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    notes: Sequence[Note] = ()


def on_documents(judges: Judges, *, level: float) -> JudgeEvidence:
    """Agreement on documents, and what is odd about judges, which is said first."""
    if judges.labels is None:
        return JudgeEvidence()
    scales = scales_of(judges.labels)
    tables = agreement_on_documents(scales, level=level)
    odd = findings(judges.labels, scales, tables)
    return JudgeEvidence(tables | profile_table(judges.labels, odd), on_data(notes_on_judges(odd)))


def on_conclusions(
    judges: Judges, *, correction: Corrected, splits: int, alpha: float, level: float, seed: int
) -> JudgeEvidence:
    """Agreement on conclusions and on systems."""
    tables = conclusion_tables(judges, alpha=alpha, level=level, correction=correction, seed=seed)
    tables |= system_tables(judges, n_splits=splits, level=level, seed=seed)
    return JudgeEvidence(tables, [*conclusion_notes(judges), *system_notes(judges)])


def on_bias(judges: Judges, groups: pl.DataFrame | None, *, alpha: float, level: float) -> JudgeEvidence:
    """Bias, what carries the disagreement, and what the choice of judge adds."""
    tables = bias_tables(judges, groups=groups, alpha=alpha, level=level)
    notes = list(bias_notes(tables, groups))
    more = carrier_tables(judges, most=_MOST_LOOKED_AT) | several_tables(judges, level=level)
    return JudgeEvidence(tables | more, notes)


def on_correction(judges: Judges, *, level: float) -> JudgeEvidence:
    """Scores of a model put right by the reference, where the model judged more topics."""
    if not has_extra(judges):
        return JudgeEvidence()
    tables = corrections.correction(judges, level=level) | extra_topics(judges, level=level)
    return JudgeEvidence(tables, [*corrections.on_correction(judges), *on_extra_topics(judges)])


def on_plans(judges: Judges, *, width: float | None, budget: int | None, level: float) -> JudgeEvidence:
    """How many topics people are to judge for a width, and how wide intervals are for a budget."""
    for name, value in {"width": width, "budget": budget}.items():
        if value is not None and not value > 0:
            raise UsageError(f"--{name} is a number above 0; not {value:g}")
    if (width is not None or budget is not None) and not judges.scores:
        raise UsageError("--width and --budget are about scores: give runs, or --scores")
    tables = {} if width is None else topics_for_width(judges, width, level=level)
    if budget is None:
        return JudgeEvidence(tables)
    return JudgeEvidence(tables | width_of_budget(judges, budget, level=level), list(on_budget(judges, budget)))


def on_sample(judges: Judges, drawn: Inclusion | None, *, level: float) -> JudgeEvidence:
    """Scores from labels of documents that were drawn with known chances."""
    if drawn is None:
        return JudgeEvidence()
    if not judges.scores:
        raise UsageError("--inclusion is about scores: give runs")
    return JudgeEvidence(sampled(judges, drawn, level=level), list(on_sampled(judges, drawn)))


def has_extra(judges: Judges) -> bool:
    """Whether some topics were judged, but not by the reference."""
    there = [~np.isnan(scores.value).all((0, 1)) for scores in judges.scores]
    return bool(there) and bool((np.any(there[1:], axis=0) & ~there[0]).any())
