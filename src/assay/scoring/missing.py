"""Missing cells: topics for which a run has no list, or no score. Here alone is decided what becomes of them.

zero: a missing list scores as an empty one, a missing score is 0. pairwise: there is no score, and each comparison
uses the topics that both runs have. common: only topics on which every run has a score. fail: refused. A topic on
which no run has a score, such as one without relevant documents under `undefined="skip"`, is not missing.

A command that cannot do with gaps takes the common topics by `on_common_topics`, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from assay.core.arrays import Array, Bools
from assay.core.errors import UsageError
from assay.core.notes import Note, Severity
from assay.core.text import counted, listed
from assay.data.diagnosis import CODES, Kind, cheapest, cost, lacking, missing_lists, n_common, on_missing
from assay.data.judged import Collection
from assay.scoring.scores import Scores

Missing = Literal["zero", "pairwise", "common", "fail"]

COMMON_TOPICS = "common_topics"
"""The code of the note on topics that are left out because some run lacks them."""

_ONLY_COMMON = "only topics that every run has are used"


def settle_missing(scores: Scores, rule: Missing, *, lists: Bools | None = None) -> Scores:
    """Apply the rule to scores in which a missing one is NaN; the basis and a note say what was done.

    `lists` are the missing lists [run, topic] of runs that were scored here: with zero they have the score of an
    empty list already.
    """
    gone = scores.gaps() if lists is None else np.broadcast_to(lists, scores.value.shape)
    if not gone.any():
        code = CODES["list"] if lists is not None else None  # of runs that were not asked about
        return replace(scores, notes=tuple(note for note in scores.notes if note.code != code))
    if rule == "fail":
        raise UsageError(_refusal(scores, gone))
    if rule == "zero" and lists is None:
        _check_zero(scores, gone)
        scores = replace(scores, value=np.where(gone, _floors(scores.conditions), scores.value))
    used = replace(scores, basis=replace(scores.basis, missing=rule), notes=_noted(scores, rule, gone))
    return _without_gaps(used, gone) if rule == "common" else used.recounted()


def _noted(scores: Scores, rule: Missing, gone: Bools) -> tuple[Note, ...]:
    """Put the note on what is missing in the place of an earlier one, or at the end."""
    kind, by_run = _kind(scores), np.asarray(gone.any(0))
    effects = {
        "zero": "counted as empty" if kind == "list" else "counted as 0",
        "pairwise": "each comparison uses the topics that both runs have",
        "common": _ONLY_COMMON,
    }
    note = on_missing(kind, scores.runs, by_run, effects[rule], n=None if kind == "list" else int(gone.sum()))
    if rule != "zero":
        note = replace(note, text=f"{note.text} ({cost(scores.runs, by_run)})")
    if scores.basis.scores is not None:
        note = replace(note, text=f"{scores.basis.scores}: {note.text}")
    note = replace(note, on_data=True)
    before = [i for i, other in enumerate(scores.notes) if other.code == note.code]
    place = before[0] if before else len(scores.notes)
    others = [other for other in scores.notes if other.code != note.code]
    return (*others[:place], note, *others[place:])


def _kind(scores: Scores) -> Kind:
    """What is missing: lists of runs that were scored here, or scores of another tool."""
    return "list" if scores.basis.judgments is not None else "score"


def _floors(conditions: Sequence[str]) -> Array:
    """What counts as 0: the floor of a geometric mean, below which there is no logarithm. [condition, 1, 1]"""
    from assay.scoring.conditions import recognised_condition

    known = [recognised_condition(name) for name in conditions]
    floors = [0.0 if c is None or c.normalization != "raw" else max(0.0, c.measure.declaration.low) for c in known]
    return np.array(floors)[:, None, None]


def _check_zero(scores: Scores, gone: Bools) -> None:
    """Refuse to count missing scores as 0 where that would be the best of all."""
    for i, name in enumerate(scores.conditions):
        if scores.lower_of(i) and gone[i].any():
            ways = "choose --missing pairwise or common"
            raise UsageError(f"--missing zero: of {name} lower is better, and 0 would be the best score; {ways}")


def _refusal(scores: Scores, gone: Bools) -> str:
    """Say what `fail` fails for."""
    if _kind(scores) == "list":
        return _first_missing("list", scores.runs, scores.topics, np.asarray(gone.any(0)), n=int(gone.any(0).sum()))
    condition = int(gone.any((1, 2)).argmax())
    first = _first_missing("score", scores.runs, scores.topics, gone[condition], n=int(gone.sum()))
    return f"{scores.conditions[condition]}: {first}"


def _first_missing(kind: Kind, runs: Sequence[str], topics: Sequence[str], gone: Bools, *, n: int) -> str:
    """Say how many are missing, which is the first, and what would be right; `gone` is [run, topic]."""
    run, topic = np.argwhere(gone)[0].tolist()
    first = f"the first that of run '{runs[run]}' for topic {topics[topic]}"
    return f"{counted(n, kind)} missing, {first}; give all, or choose --missing zero, pairwise or common"


# --- what needs a complete table


def only_common(scores: Scores) -> Scores:
    """Take the scores of topics away, measure by measure, that some run lacks; all topics stay."""
    return replace(scores, value=np.where(np.isnan(scores.value).any(1, keepdims=True), np.nan, scores.value))


def on_common_topics(scores: Scores) -> Scores:
    """Keep the topics on which every run has a score, measure by measure, for what needs a complete table.

    A note says how many they are, and which run costs how many. Without gaps the scores stay as they are.
    """
    gone = scores.gaps()
    if not gone.any():
        return scores
    note = _on_common(scores.runs, np.asarray(gone.any(0)))
    others = (other for other in scores.notes if other.code not in (COMMON_TOPICS, *CODES.values()))
    return _without_gaps(replace(scores, notes=(*others, note)), gone)


def _on_common(runs: Sequence[str], gone: Bools) -> Note:
    """Say that only common topics are used, and which runs cost how many; `gone` is [run, topic]."""
    severity: Severity = "warning" if 2 * n_common(gone) < gone.shape[1] else "caution"
    return Note(COMMON_TOPICS, severity, f"{_ONLY_COMMON}: {lacking(runs, gone)} ({cost(runs, gone)})", on_data=True)


def on_left_out(notes: Iterable[Note]) -> Iterator[Note]:
    """Of all notes on data, those on topics that were left out because some run lacks them."""
    return (note for note in notes if note.code == COMMON_TOPICS)


def _without_gaps(scores: Scores, gone: Bools) -> Scores:
    """Drop the topics that some run lacks, measure by measure, and those that then have no score at all."""
    complete = only_common(scores)
    scored = np.asarray(~np.isnan(complete.value).any(1))  # [condition, topic]
    for name, cells, there in zip(scores.conditions, gone, scored, strict=True):
        if cells.any() and not there.any():
            raise UsageError(_nothing_common(scores.runs, cells, of=name))
    left = [topic for topic, there in zip(scores.topics, np.asarray(scored.any(0)), strict=True) if there]
    kept = complete.select(topics=left)
    if not (n_out := len(scores.topics) - len(left)):
        return kept
    # how much of the judgments they hold is not known here
    return replace(kept, basis=replace(kept.basis, topics_left_out=n_out, judged=None, relevant=None))


def _nothing_common(runs: Sequence[str], gone: Bools, *, of: str) -> str:
    """Say that no topic is common to all runs, whose fault it is, and what helps; `gone` is [run, topic]."""
    names, n_without = cheapest(runs, gone)
    gain = f"without {listed(names, most=3)} {counted(n_without, 'topic')} would be: " if n_without else ""
    ways = "leave runs out by --select, or choose --missing zero"
    return f"{of}: no topic is common to all runs ({lacking(runs, gone)}); {gain}{ways}"


# --- runs and judgments that are not scored yet


def settle_lists(data: Collection, rule: Missing) -> Collection:
    """Apply the rule to runs and judgments, for what cannot do with gaps: pairwise, too, means the common topics."""
    runs = data.asked
    gone = missing_lists(runs, data.qrels.topics)
    if rule == "zero" or not gone.any():
        return data
    if rule == "fail":
        raise UsageError(_first_missing("list", runs.names, data.qrels.topics, gone, n=int(gone.sum())))
    left = [topic for topic, out in zip(data.qrels.topics, np.asarray(gone.any(0)), strict=True) if not out]
    if not left:
        raise UsageError(_nothing_common(runs.names, gone, of=data.qrels.source))
    notes = (*data.qrels.notes, _on_common(runs.names, gone))
    qrels = replace(data.qrels.select(left), notes=notes, is_whole=data.qrels.is_whole)
    out = set(data.qrels.topics).difference(left)
    columns = [i for i, topic in enumerate(data.runs.topics) if topic not in out]
    topics = tuple(data.runs.topics[i] for i in columns)
    start, count = data.runs.start[:, columns], data.runs.count[:, columns]
    return replace(data, qrels=qrels, runs=replace(data.runs, topics=topics, start=start, count=count))
