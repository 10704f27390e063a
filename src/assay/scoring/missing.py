"""Missing cells: topics for which a run has no list, or no score. Here alone is decided what becomes of them.

zero: a missing list scores as an empty one, a missing score is 0. pairwise: there is no score, and each comparison
uses the topics that both runs have. common: only topics on which every run has a score, under every measure. fail:
refused. A topic on which no run has a score under a measure, such as one without relevant documents under
`undefined="skip"`, is not missing; nor is a score that is undefined for a list that is there.

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
from assay.data.diagnosis.missing_topics import CODES, Kind, cheapest, cost, is_few, lacking, missing_lists, n_common
from assay.data.judged import Collection
from assay.measures.grammar import AnyMeasure
from assay.scoring.scores import Scores

Missing = Literal["zero", "pairwise", "common", "fail"]

COMMON_TOPICS = "common_topics"
"""The code of the note on topics that are left out because some run lacks them."""

_ONLY_COMMON = "only topics that every run has are used"
_NAMED = 3  # measures, or groups of them, of which a note says what is missing


def settle_missing(scores: Scores, rule: Missing, *, lists: Bools | None = None) -> Scores:
    """Apply the rule to scores in which a missing one is NaN; the basis and a note say what was done.

    `lists` are the missing lists [run, topic] of runs that were scored here: with zero they have the score of an
    empty list already. A score without a missing list is undefined, and not missing.
    """
    gone = scores.gaps() if lists is None else np.broadcast_to(lists, scores.value.shape)
    if not gone.any():
        code = CODES["list"] if lists is not None else None  # of runs that were not asked about
        there = replace(scores, notes=tuple(note for note in scores.notes if note.code != code))
        return on_common_topics(there) if rule == "common" else there
    if rule == "fail":
        raise UsageError(_refusal(scores, gone))
    if rule == "zero" and lists is None:
        _check_zero(scores, gone)
        scores = replace(scores, value=np.where(gone, _floors(scores.conditions), scores.value))
    used = replace(scores, basis=replace(scores.basis, missing=rule), notes=_noted(scores, rule, gone))
    return _without_gaps(used, gone) if rule == "common" else used.recounted()


def choose_settled(scores: Scores, measures: Sequence[AnyMeasure], rule: Missing) -> Scores:
    """Choose measures as `Scores.choose` does, and apply the rule to them alone, before any is standardised."""
    chosen = settle_missing(scores.choose(scores.sources(measures)), rule).choose(measures)
    if chosen.gaps().any() or not any(on_left_out(chosen.notes)):
        return chosen
    # all are standardised, on the topics that every run has
    return without_topics(chosen, [t for t, there in zip(chosen.topics, chosen.common(), strict=True) if there])


def settled_again(scores: Scores) -> Scores:
    """Say again of a part of scores that were settled pairwise what is missing; without gaps, nothing is."""
    if scores.basis.missing != "pairwise":
        return scores.recounted()
    gaps = scores.gaps()
    if not gaps.any():
        notes = tuple(note for note in scores.notes if note.code not in CODES.values())
        return replace(scores, basis=replace(scores.basis, missing=None), notes=notes).recounted()
    # a missing list has no score under any measure
    return settle_missing(scores, "pairwise", lists=np.asarray(gaps.all(0)) if _kind(scores) == "list" else None)


def _noted(scores: Scores, rule: Missing, gone: Bools) -> tuple[Note, ...]:
    """Put the note on what is missing in the place of an earlier one, or at the end."""
    kind = _kind(scores)
    effects = {
        "zero": "counted as empty" if kind == "list" else "counted as 0",
        "pairwise": "each comparison uses the topics that both runs have",
        "common": _ONLY_COMMON,
    }
    n = int(gone[0].sum()) if kind == "list" else int(gone.sum())
    text = f"{counted(n, kind)} missing, {effects[rule]}: {_lacking(scores, gone)}"
    if rule != "zero":
        text = f"{text} ({_cost(scores, gone)})"
    if scores.basis.scores is not None:
        text = f"{scores.basis.scores}: {text}"
    few = any(is_few(cells).any() for _, cells in _by_measure(scores, gone))
    note = Note(CODES[kind], "warning" if few else "caution", text, on_data=True)
    before = [i for i, other in enumerate(scores.notes) if other.code == note.code]
    place = before[0] if before else len(scores.notes)
    others = [other for other in scores.notes if other.code != note.code]
    return (*others[:place], note, *others[place:])


def _kind(scores: Scores) -> Kind:
    """What is missing: lists of runs that were scored here, or scores of another tool."""
    return "list" if scores.basis.judgments is not None else "score"


def _by_measure(scores: Scores, gone: Bools) -> list[tuple[list[str], Bools]]:
    """Measures that lack the same, and what they lack: [run, topic], of scores only topics that some run has."""
    if _kind(scores) == "list":
        return [(list(scores.conditions), np.asarray(gone.any(0)))]
    groups: dict[bytes, tuple[list[str], Bools]] = {}
    for name, cells, value in zip(scores.conditions, gone, scores.value, strict=True):
        there = np.asarray(~np.isnan(value) | cells).any(0)
        names, _ = groups.setdefault(cells.tobytes() + there.tobytes(), ([], np.asarray(cells[:, there])))
        names.append(name)
    return [*groups.values()]


def _lacking(scores: Scores, gone: Bools) -> str:
    """Name the runs that lack topics, and the measures under which they do where these differ."""
    groups = _by_measure(scores, gone)
    if len(groups) == 1:
        return lacking(scores.runs, groups[0][1])
    short = [(names, cells) for names, cells in groups if cells.any()]
    words = [f"{listed(names, most=_NAMED)}: {lacking(scores.runs, cells)}" for names, cells in short[:_NAMED]]
    n_more = sum(len(names) for names, _ in short[_NAMED:])
    return "; ".join([*words, *([f"{counted(n_more, 'more measure')} in other ways"] if n_more else [])])


def _cost(scores: Scores, gone: Bools) -> str:
    """How many topics are common to all runs, under all measures, and which runs cost most."""
    return cost(scores.runs, _unusable(scores, gone))


def _unusable(scores: Scores, gone: Bools) -> Bools:
    """What a run lacks under any measure, missing or undefined. [run, topic]; of scores, topics that some run has"""
    there = np.asarray((~np.isnan(scores.value) | gone).any((0, 1)))
    lost = np.asarray((gone | scores.gaps()).any(0))
    return lost[:, there] if _kind(scores) == "score" else lost | ~there


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
            ways = "choose --missing pairwise or common, or other measures by -m"
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
    """Keep the topics on which every run has a score, under all measures alike, for what needs a complete table.

    A note says how many they are, and which run costs how many. Without gaps the scores stay as they are.
    """
    gone = scores.gaps()
    if not gone.any():
        return scores
    others = (other for other in scores.notes if other.code not in (COMMON_TOPICS, *CODES.values()))
    return _without_gaps(replace(scores, notes=(*others, note_on_common(scores))), gone)


def note_on_common(scores: Scores) -> Note:
    """Say that only topics are used on which every run has a score, and which runs cost how many."""
    gone = scores.gaps()
    text = f"{_ONLY_COMMON}: {_lacking(scores, gone)} ({_cost(scores, gone)})"
    return Note(COMMON_TOPICS, _severity(_unusable(scores, gone)), text, on_data=True)


def _severity(gone: Bools) -> Severity:
    return "warning" if 2 * n_common(gone) < gone.shape[1] else "caution"


def _on_common(runs: Sequence[str], gone: Bools) -> Note:
    """Say that only common topics are used, and which runs cost how many; `gone` is [run, topic]."""
    text = f"{_ONLY_COMMON}: {lacking(runs, gone)} ({cost(runs, gone)})"
    return Note(COMMON_TOPICS, _severity(gone), text, on_data=True)


def on_left_out(notes: Iterable[Note]) -> Iterator[Note]:
    """Of all notes on data, those on topics that were left out because some run lacks them."""
    return (note for note in notes if note.code == COMMON_TOPICS)


def _without_gaps(scores: Scores, gone: Bools) -> Scores:
    """Keep the topics on which every run has a score, under every measure that has any there."""
    common = scores.common() & ~gone.any((0, 1))
    if not common.any():
        raise UsageError(_no_common_scores(scores, gone))
    left = [topic for topic, there in zip(scores.topics, common, strict=True) if there]
    return without_topics(scores, left)


def without_topics(scores: Scores, left: Sequence[str]) -> Scores:
    """Keep these topics; the basis says how many are left out."""
    kept = scores.select(topics=left)
    n_out = len(scores.topics) - len(left) + (scores.basis.topics_left_out or 0)
    if len(left) == len(scores.topics):
        return kept
    # how much of the judgments they hold is not known here
    return replace(kept, basis=replace(kept.basis, topics_left_out=n_out, judged=None, relevant=None))


def _no_common_scores(scores: Scores, gone: Bools) -> str:
    """Say that no topic is common to all runs, under which measure and whose fault it is, and what helps."""
    lost = np.asarray(gone | scores.gaps())
    there = np.asarray((~np.isnan(scores.value)).any(1) & ~lost.any(1))  # [condition, topic]
    without = [int(_common_to_all(np.delete(lost, i, 0), np.delete(scores.value, i, 0))) for i in range(len(lost))]
    alone = np.flatnonzero(lost.any((1, 2)) & ~there.any(1))
    at = int(alone[0]) if alone.size else int(np.argmax(without))
    zero = _kind(scores) == "list" or not any(scores.lower_of(i) and lost[i].any() for i in range(len(lost)))
    drop = f"measures by -m (without {scores.conditions[at]} {counted(without[at], 'topic')})" if without[at] else ""
    return _nothing_common(scores.runs, lost[at], of=scores.conditions[at], drop=drop, zero=zero)


def _common_to_all(lost: Bools, value: Array) -> int:
    """How many topics have no gap, and some score; all are [condition, run, topic]."""
    return int((~lost.any((0, 1)) & (~np.isnan(value)).any((0, 1))).sum())


def _nothing_common(runs: Sequence[str], gone: Bools, *, of: str, drop: str = "", zero: bool = True) -> str:
    """Say that no topic is common to all runs, whose fault it is, and what helps; `gone` is [run, topic].

    `drop` says which measures may go; `zero` whether to count as 0 what is missing would be an answer.
    """
    names, n_without = cheapest(runs, gone)
    gain = f"without {listed(names, most=3)} {counted(n_without, 'topic')} would be: " if n_without else ""
    ways = ["leave runs out by --select", *([drop] if drop else []), *(["choose --missing zero"] if zero else [])]
    either = ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])}, or {ways[-1]}"
    return f"{of}: no topic is common to all runs ({lacking(runs, gone)}); {gain}{either}"


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
