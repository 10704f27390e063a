"""Outcomes outside the collection as targets for measures: one for every run, or for every run and topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.core.arrays import Array
from assay.core.errors import InputError, UsageError, suggestion
from assay.core.notes import Note
from assay.core.text import counted
from assay.data.files import read_bytes
from assay.data.formats.delimited import RawTable, is_number, read_table
from assay.data.formats.fields import ROLES, plain_column
from assay.scoring.direction import DIRECTION, with_direction
from assay.scoring.missing import on_common_topics
from assay.scoring.score_files import read_scores
from assay.scoring.scores import Scores

_NAMED = 3  # names in a message


@dataclass(frozen=True, slots=True)
class ScoresAndTargets:
    """Scores and outcomes of the same runs on the same topics, without gaps."""

    measures: tuple[str, ...]
    targets: tuple[str, ...]  # outcomes, after the measures
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    value: Array  # [measure or target, run, topic]; higher is better
    notes: tuple[Note, ...]
    lower: tuple[bool, ...]  # [measure]: whether lower is better, so that the sign was changed

    @property
    def names(self) -> tuple[str, ...]:
        """Measures, then targets."""
        return self.measures + self.targets


def with_targets(data: Scores, target: str | None, lower: Sequence[str] = ()) -> ScoresAndTargets:
    """Put scores and outcomes side by side; keep the runs that have both and the topics without gaps.

    `lower` names the outcomes of which the lowest is best.
    """
    if lower and target is None:
        raise UsageError("--target-lower names outcomes; it goes with --target FILE")
    names: tuple[str, ...] = ()
    outcome: Scores | None = None
    without: list[Note] = []
    if target is not None:
        outcome = with_direction(_read(target, data), lower=lower, flags=("target-lower",))
        runs = [run for run in data.runs if run in outcome.runs]
        topics = [topic for topic in data.topics if topic in outcome.topics]
        if len(runs) < 2 or not topics:
            what = f"{len(runs)} of {counted(len(data.runs), 'run')} and {len(topics)} of {len(data.topics)} topics"
            why = _unknown(outcome.runs, data.runs) or "names must be as in the scores"
            raise UsageError(f"target {target}: it has outcomes for {what}; {why}")
        without = list(_left_out(target, data, outcome, runs, topics))
        without += [note for note in outcome.notes if note.code == DIRECTION]
        outcome, data = outcome.select(runs=runs, topics=topics), data.select(runs=runs, topics=topics)
        titles = map(outcome.basis.titled, outcome.conditions)
        names = tuple(f"{name} (target)" if name in data.conditions else name for name in titles)
    data = on_common_topics(data)
    value, notes = data.working(), [*data.notes, *without]
    if outcome is not None:
        value = np.concatenate([value, outcome.select(topics=data.topics).working()])
    holed = np.asarray(np.isnan(value).any(1))  # [measure or target, topic]
    gaps = {"a score": holed[: len(data.conditions)].any(0), "an outcome": holed[len(data.conditions) :].any(0)}
    for what, gap in gaps.items():
        if gap.any():
            n = counted(int(gap.sum()), "topic")
            text = f"left out, for all measures alike: {n} without {what} for some run"
            notes.append(Note("incomplete_topics", "info", text))
    whole = np.asarray(~holed.any(0))
    left = tuple(topic for topic, there in zip(data.topics, whole, strict=True) if there)
    directions = tuple(map(data.lower_of, range(len(data.conditions))))
    return ScoresAndTargets(data.conditions, names, data.runs, left, value[:, :, whole], tuple(notes), directions)


def _left_out(target: str, data: Scores, outcome: Scores, runs: list[str], topics: list[str]) -> Iterator[Note]:
    for what, every, shared in (("run", data.runs, runs), ("topic", data.topics, topics)):
        if gone := [name for name in every if name not in shared]:
            text = f"left out: {counted(len(gone), what)} without an outcome in {target} ({_few(gone)})"
            yield Note(f"{what}s_without_outcome", "caution", text)
    if unknown := _unknown(outcome.runs, data.runs):
        yield Note("unknown_runs", "caution", f"left out of {target}: {unknown}")


def _unknown(runs: Sequence[str], known: Sequence[str]) -> str:
    """Name the runs of a file that have no scores, and the run that the first may stand for; empty if all have."""
    gone = [run for run in runs if run not in known]
    if not gone:
        return ""
    return f"{counted(len(gone), 'run')} not among the scores ({_few(gone)}){suggestion(gone[0], known)}"


def _few(names: Sequence[str]) -> str:
    return ", ".join([*names[:_NAMED], *(["..."] if len(names) > _NAMED else [])])


def _read(path: str, data: Scores) -> Scores:
    """Read outcomes; those of runs hold for every topic."""
    sheet = read_table(read_bytes(path), path)
    at = _run_column(sheet)
    if at is None and _is_data(sheet.header, data):
        raise InputError(
            f"{path}: the first line is no header ({','.join(sheet.header)[:40]}); give a header: run,clicks"
        )
    words = {i: word for i, word in enumerate(sheet.header) if i != at}
    if (
        at is None
        or not words
        or {plain_column(w) for w in words.values()} & set(ROLES["topic"])
        or set(words.values()) & {*data.topics}
    ):
        return read_scores(path)
    runs = [str(run) for run in sheet.columns[str(at)]]
    if len(set(runs)) < len(runs):
        again = next(run for i, run in enumerate(runs) if run in runs[:i])
        raise InputError(f"{path}: a second outcome of run {again}; one row per run, or a topic column")
    outcomes = np.array([_numbers(sheet, i) for i in words])  # [outcome, run]
    value = np.repeat(outcomes[:, :, None], len(data.topics), axis=2)
    return replace(
        data, conditions=tuple(words.values()), runs=tuple(runs), value=value, averages=(), lower=(), notes=()
    )


def _is_data(words: Sequence[str], data: Scores) -> bool:
    """Say whether what stands where a header should be is a run and its outcomes."""
    return len(words) > 1 and all(map(is_number, words[1:])) and (words[0] in data.runs or len(words) == 2)


def _run_column(sheet: RawTable) -> int | None:
    return next((i for i, word in enumerate(sheet.header) if plain_column(word) in ROLES["run"]), None)


def _numbers(sheet: RawTable, column: int) -> list[float]:
    """Read a column of outcomes, every one of them a number."""
    texts = ["" if text is None else str(text).strip() for text in sheet.columns[str(column)]]
    for row, text in enumerate(texts):
        if not text:
            raise InputError(
                f"{sheet.where(row)}: empty ({sheet.header[column]}); give a number, or leave the run out"
            )
        if not is_number(text) or not np.isfinite(float(text)):
            raise InputError(f"{sheet.where(row)}: '{text[:40]}' is not a number ({sheet.header[column]})")
    return [float(text) for text in texts]
