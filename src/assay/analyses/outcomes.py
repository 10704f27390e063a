"""What users did, as a target for measures: an outcome for every run, or for every run and topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.columns import ROLES
from assay.errors import InputError, UsageError, suggestion
from assay.files import read_bytes
from assay.scorefiles import read_scores
from assay.scores import Array, Scores
from assay.sheets import Sheet, is_number, read_sheet
from assay.tables import counted

_NAMED = 3  # names in a message


@dataclass(frozen=True, slots=True)
class Study:
    """Scores and outcomes of the same runs on the same topics, without gaps."""

    measures: tuple[str, ...]
    targets: tuple[str, ...]  # outcomes, after the measures
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    value: Array  # [measure or target, run, topic]
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Measures, then targets."""
        return self.measures + self.targets


def study(data: Scores, target: str | None) -> Study:
    """Put scores and outcomes side by side; keep the runs that have both and the topics without gaps."""
    value, notes = data.working(), list(data.notes)
    names: tuple[str, ...] = ()
    if target is not None:
        outcome = _read(target, data)
        kept = [run for run in data.runs if run in outcome.runs]
        shared = [topic for topic in data.topics if topic in outcome.topics]
        if len(kept) < 2 or not shared:
            what = f"{len(kept)} of {counted(len(data.runs), 'run')} and {len(shared)} of {len(data.topics)} topics"
            why = _unknown(outcome.runs, data.runs) or "names must be as in the scores"
            raise UsageError(f"target {target}: it has outcomes for {what}; {why}")
        notes += _left_out(target, data, outcome, kept, shared)
        outcome, data = outcome.select(runs=kept, topics=shared), data.select(runs=kept, topics=shared)
        names = tuple(f"{name} (target)" if name in data.conditions else name for name in outcome.conditions)
        value = np.concatenate([data.working(), outcome.working()])
    holed = np.asarray(np.isnan(value).any(1))  # [measure or target, topic]
    gaps = {"a score": holed[: len(data.conditions)].any(0), "an outcome": holed[len(data.conditions) :].any(0)}
    for what, gap in gaps.items():
        if gap.any():
            n = counted(int(gap.sum()), "topic")
            notes.append(f"left out, for all measures alike: {n} without {what} for some run")
    whole = np.asarray(~holed.any(0))
    left = tuple(topic for topic, there in zip(data.topics, whole, strict=True) if there)
    return Study(data.conditions, names, data.runs, left, value[:, :, whole], tuple(notes))


def _left_out(target: str, data: Scores, outcome: Scores, runs: list[str], topics: list[str]) -> Iterator[str]:
    for what, every, kept in (("run", data.runs, runs), ("topic", data.topics, topics)):
        if gone := [name for name in every if name not in kept]:
            yield f"left out: {counted(len(gone), what)} without an outcome in {target} ({_few(gone)})"
    if unknown := _unknown(outcome.runs, data.runs):
        yield f"left out of {target}: {unknown}"


def _unknown(found: Sequence[str], known: Sequence[str]) -> str:
    """Name the runs of a file that have no scores, and the run that the first may stand for; empty if all have."""
    gone = [run for run in found if run not in known]
    if not gone:
        return ""
    return f"{counted(len(gone), 'run')} not among the scores ({_few(gone)}){suggestion(gone[0], known)}"


def _few(names: Sequence[str]) -> str:
    return ", ".join([*names[:_NAMED], *(["..."] if len(names) > _NAMED else [])])


def _read(path: str, data: Scores) -> Scores:
    """Read outcomes; those of runs hold for every topic."""
    sheet = read_sheet(read_bytes(path), path)
    at = _run_column(sheet)
    if at is None and _is_data(sheet.header, data):
        raise InputError(
            f"{path}: the first line is no header ({','.join(sheet.header)[:40]}); give a header: run,clicks"
        )
    words = {i: word for i, word in enumerate(sheet.header) if i != at}
    if (
        at is None
        or not words
        or {_plain(w) for w in words.values()} & set(ROLES["topic"])
        or set(words.values()) & {*data.topics}
    ):
        return read_scores(path)
    runs = [str(run) for run in sheet.columns[str(at)]]
    if len(set(runs)) < len(runs):
        again = next(run for i, run in enumerate(runs) if run in runs[:i])
        raise InputError(f"{path}: a second outcome of run {again}; one row a run, or a topic column")
    found = np.array([_numbers(sheet, i) for i in words])  # [outcome, run]
    value = np.repeat(found[:, :, None], len(data.topics), axis=2)
    return replace(data, conditions=tuple(words.values()), runs=tuple(runs), value=value, averages=(), notes=())


def _is_data(words: Sequence[str], data: Scores) -> bool:
    """Say whether what stands where a header should be is a run and its outcomes."""
    return len(words) > 1 and all(map(is_number, words[1:])) and (words[0] in data.runs or len(words) == 2)


def _plain(word: str) -> str:
    return word.strip().lower().replace("-", "_").replace(" ", "_")


def _run_column(sheet: Sheet) -> int | None:
    return next((i for i, word in enumerate(sheet.header) if _plain(word) in ROLES["run"]), None)


def _numbers(sheet: Sheet, column: int) -> list[float]:
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
