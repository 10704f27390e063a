"""Odd judges: those whose labels cannot mean what they seem to mean, said first.

What is odd about a judge is one finding: a flag in the table of judges, and a note in words with what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.analyses.judges.documents.coefficients import FEW_GRADES
from assay.analyses.judges.documents.scales import Scales
from assay.core.arrays import Array
from assay.core.notes import Note, Severity
from assay.core.text import counted, listed
from assay.core.thresholds import Threshold
from assay.data.judgments.labels import Labels
from assay.results.schemas import schema, table

NEAR_DUPLICATES = Threshold(
    "near_duplicate_kappa", 0.98, unit="kappa", meaning="from which two judges are as good as one, asked twice"
)
FEW_COMMON = Threshold(
    "few_common_pairs", 100, unit="pairs in common", meaning="below which two judges hardly can be compared"
)

_PROFILES = schema(
    "judge", "n_labels", "n_topics", "lowest", "highest", "mean", "n_values", "n_repeated", "flags",
    judge=pl.String, n_labels=pl.Int64, n_values=pl.Int64, n_repeated=pl.Int64, flags=pl.String,
)  # fmt: skip
_MAPPED = 12  # grades above 0 in a mapping that is handed over
_NAMED = 4  # judges in a note
_REVERSED = -1 + 1e-9  # tau of labels in reverse, of which there is no interval

Tables = Mapping[str, pl.DataFrame]  # of `documents.agreement_on_documents`


@dataclass(frozen=True, slots=True)
class Finding:
    """Something odd about some judges."""

    flag: str
    judges: tuple[str, ...]
    note: Note


def findings(labels: Labels, scales: Scales, tables: Tables) -> list[Finding]:
    """Say what is odd about judges, from their labels as they were read, their scales and their agreement.

    inverted: grades fall where the reference's rise: tau-b is negative, with its whole interval. constant: one grade
    only. stray_grades: a few grades above the scale, left out of agreement. other_scale: all that needs one scale is
    left out. near_duplicate: another judge says nearly the same, of enough pairs. nothing_in_common: not one pair
    that the reference judged, too. few_pairs: few of them. one_topic: no intervals, which are over topics.
    unused_grades: grades of the reference that the judge never gives. fractions: not whole.
    """
    return [
        *_on_overlap(labels, tables),
        *_on_inverted(labels, tables),
        *_on_constant(labels),
        *_on_stray(labels, scales),
        *_on_scales(labels, scales),
        *_on_duplicates(labels, tables),
        *_on_unused(labels, scales),
        *_on_fractions(labels),
    ]


def notes_on_judges(found: Sequence[Finding]) -> Iterator[Note]:
    """What is odd about judges, in words."""
    yield from (one.note for one in found)


def profile_table(labels: Labels, found: Sequence[Finding]) -> dict[str, pl.DataFrame]:
    """Describe the labels of every judge as they were read.

    profiles
        Labels and topics, lowest, highest and mean grade, how many different grades, how many pairs have several
        labels, and what is odd about the judge.
    """
    rows = []
    for j, name in enumerate(labels.names):
        there = ~np.isnan(labels.grade[j])
        grade, topics = labels.grade[j][there], np.unique(labels.topic[there])
        flags = dict.fromkeys(one.flag for one in found if name in one.judges)
        ends = (float(grade.min()), float(grade.max()), float(grade.mean())) if grade.size else (None,) * 3
        n_repeated = np.unique(labels.repeats[j].pair).size
        rows.append((name, grade.size, topics.size, *ends, np.unique(grade).size, n_repeated, ", ".join(flags)))
    return {"profiles": table(rows, _PROFILES)}


def _finding(flag: str, severity: Severity, judges: Sequence[str], text: str) -> Finding:
    return Finding(flag, tuple(judges), Note(flag, severity, text))


def _on_overlap(labels: Labels, tables: Tables) -> Iterator[Finding]:
    """Judges with nothing or little in common with the reference, or with one topic."""
    reference = labels.names[0]
    pairs = tables["judge_pairs"].filter(pl.col("judge_a") == reference)
    for judge, n, n_topics in pairs.select("judge_b", "n_common", "n_topics").iter_rows():
        if n == 0:
            what = f"no {labels.what} of one topic that {reference} labelled, too"
            text = f"{judge}: {what}, so nothing can be compared; ids may be written differently"
            yield _finding("nothing_in_common", "warning", [judge], text)
            continue
        if n < FEW_COMMON.value:
            text = f"{judge}: {counted(n, 'pair')} in common with {reference}, too few to rely on"
            yield _finding("few_pairs", "caution", [judge], text)
        if n_topics == 1:
            text = f"{judge}: one topic in common with {reference}; intervals are over topics, so there are none"
            yield _finding("one_topic", "caution", [judge], text)


def _on_inverted(labels: Labels, tables: Tables) -> Iterator[Finding]:
    """Judges who grade high what the reference grades low."""
    order = tables["documents"].filter(pl.col("statistic") == "tau_b")
    for judge, tau, high in order.select("judge", "value", "high").iter_rows():
        if tau is not None and (tau if high is None and tau <= _REVERSED else high or 0.0) < 0:
            why = f"its grades fall where those of {labels.names[0]} rise (tau-b {tau:.2f})"
            text = f"{judge}: {why}; if its scale is inverted, map it: {_mapping(judge, _inverted(labels, judge))}"
            yield _finding("inverted", "warning", [judge], text)


def _inverted(labels: Labels, judge: str) -> dict[float, float]:
    """The grades of a judge in reverse, on the same scale."""
    grade = labels.grade[labels.names.index(judge)]
    values = np.unique(grade[~np.isnan(grade)])
    return {float(value): float(values[0] + values[-1] - value) for value in values}


def _on_constant(labels: Labels) -> Iterator[Finding]:
    for name, grade in zip(labels.names, labels.grade, strict=True):
        values = np.unique(grade[~np.isnan(grade)])
        if values.size == 1:
            text = f"{name}: grade {values[0]:g} for every {labels.what}, which agrees with anybody by chance only"
            yield _finding("constant", "warning", [name], text)


def _on_stray(labels: Labels, scales: Scales) -> Iterator[Finding]:
    """Judges with a few grades above the scale."""
    for j, stray in enumerate(scales.stray):
        if stray.size:
            top = scales.top[0] if scales.on_reference[j] else scales.top[j]
            values = np.unique(stray)
            which = listed([f"{value:g}" for value in values], last="or")
            mapped = {float(v): float(v) for v in scales.values(j) if v > 0} | {float(v): top for v in values}
            what = f"{counted(stray.size, 'label')} of grade {which}, above the scale that ends at {top:g}"
            text = f"{labels.names[j]}: {what}; left out of agreement on documents unless mapped"
            yield _finding(
                "stray_grades", "warning", [labels.names[j]], f"{text}: {_mapping(labels.names[j], mapped)}"
            )


def _on_scales(labels: Labels, scales: Scales) -> Iterator[Finding]:
    """Judges who grade on another scale than the reference."""
    top = scales.top[0]
    for j in np.flatnonzero(~scales.on_reference):
        name, own = labels.names[j], scales.top[j]
        how = _mapping(name, _onto(scales.values(int(j)), own, top))
        if scales.labels.judged()[j].any():
            whole = f"; if it grades 0-{top:g} but never so high, say --grades {name}:0-{top:g}" if own < top else ""
            unlike = f"its grades end at {own:g}, those of {labels.names[0]} at {top:g}"
            left = "kappa, alpha and leniency need one scale and are left out"
            text = f"{name}: {unlike}; {left}; map it, as in {how}{whole}"
            yield _finding("other_scale", "warning", [name], text)


def _onto(values: Array, own: float, top: float) -> dict[float, float]:
    """Map grades from 0 or 1 to a scale with another top: in proportion, but a plain yes to its upper middle."""
    if own <= 1 < top:
        return {float(value): float(np.ceil(top / 2)) if value >= 0.5 else 0.0 for value in values}
    start = 1.0 if values[0] >= 1 and values.size > 1 else 0.0
    return {float(value): float(np.floor((value - start) / (own - start) * top + 0.5)) for value in values}


def _mapping(name: str, mapped: Mapping[float, float]) -> str:
    """Write a mapping as it is typed; of many grades say only what to do."""
    stated = {value: grade for value, grade in mapped.items() if value or grade}
    if len(stated) > _MAPPED:
        return f"--grades {name}:VALUE=GRADE for each of its {len(stated)} grades, or whole grades in the file"
    return f"--grades {name}:" + ",".join(f"{value:g}={grade:g}" for value, grade in sorted(stated.items()))


def _on_duplicates(labels: Labels, tables: Tables) -> Iterator[Finding]:
    """Judges who say nearly the same, those together of whom each is a near duplicate of another."""
    pairs = tables["judge_pairs"].with_columns(pl.coalesce("kappa", "kappa_quadratic").alias("kappa"))
    alike = pairs.filter((pl.col("kappa") >= NEAR_DUPLICATES.value) & (pl.col("n_common") >= FEW_COMMON.value))
    groups: list[set[str]] = []
    for pair in alike.select("judge_a", "judge_b").iter_rows():
        joined = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in joined] + [set(pair).union(*joined)]
    for group in groups:
        names = [name for name in labels.names if name in group]
        least = float(alike.filter(pl.col("judge_a").is_in(names))["kappa"].to_numpy().min())
        text = (
            f"{listed(names, most=_NAMED)}: nearly the same labels (kappa {least:.3f} or more), so no separate judges"
        )
        yield _finding("near_duplicate", "caution", names, text)


def _on_unused(labels: Labels, scales: Scales) -> Iterator[Finding]:
    """Judges on the reference's scale who never give some of its grades; who share that are named together."""
    by_grades: dict[tuple[float, ...], list[str]] = {}
    for j in np.flatnonzero(scales.on_reference[1:]) + 1:
        values = scales.values(int(j))
        missing = np.setdiff1d(scales.values(0), values)
        if missing.size and values.size > 1:
            by_grades.setdefault(tuple(missing.tolist()), []).append(labels.names[j])
    for grades, names in by_grades.items():
        which = listed([f"{grade:g}" for grade in grades], most=_NAMED, last="or")
        text = f"{listed(names, most=_NAMED)}: never grade {which}, taken as grades on the scale of {labels.names[0]}"
        if grades[0] == 0:
            text += "; map them if their scale begins above 0"
        yield _finding("unused_grades", "caution" if grades[0] == 0 else "info", names, text)


def _on_fractions(labels: Labels) -> Iterator[Finding]:
    for name, grade in zip(labels.names, labels.grade, strict=True):
        values = np.unique(grade[~np.isnan(grade)])
        if (values % 1 != 0).any():
            what = f"{counted(values.size, 'different grade')}, fractions among them"
            many = "too many for plain kappa and nominal alpha, which ask for equal grades and are left out"
            few = "plain kappa and nominal alpha take each value for a grade of its own"
            text = f"{name}: {what}; {many if values.size > FEW_GRADES.value else few}"
            yield _finding("fractions", "info", [name], text)
