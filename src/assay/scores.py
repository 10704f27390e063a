"""Scores: a number for every measure, run and topic, with the rules by which it came about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.catalogue import Average, Measure
from assay.errors import MeasureError, UsageError, suggestion
from assay.grammar import parse
from assay.judged import AS_EMPTY, Judged
from assay.origin import NOWHERE, Origin
from assay.tables import ABSENT, check_choice, counted, pick

Array = NDArray[np.float64]
Undefined = Literal["zero", "skip"]
Missing = Literal["empty", "skip"]
_SHOWN = 6  # conditions listed in a message


@dataclass(frozen=True, slots=True)
class Scores:
    """A number for every condition, run and topic.

    A condition is a measure, a measure under other judgments or another depth, or any per-topic number that
    another tool computed. NaN marks a topic that has no score.
    """

    conditions: tuple[str, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    value: Array  # [condition, run, topic]
    averages: tuple[Average, ...] = ()  # [condition]; all means where empty
    basis: dict[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    origin: Origin = NOWHERE

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}"
        return f"Scores({', '.join(self.conditions)}: {sizes})"

    def average_of(self, condition: int) -> Average:
        """How a condition's topics become one number."""
        return self.averages[condition] if self.averages else "mean"

    def working(self) -> Array:
        """Return the scores on the scale on which statistics are done: the logarithm for a geometric mean."""
        scaled = self.value.copy()
        for i in range(len(self.conditions)):
            if self.average_of(i) == "geometric":
                scaled[i] = np.log(scaled[i])
        return scaled

    def summarise(self, x: Array) -> Array:
        """Turn numbers on the working scale back: [condition, run] means, or the ends of their intervals."""
        back = x.copy()
        for i in range(len(self.conditions)):
            if self.average_of(i) == "geometric":
                back[i] = np.exp(back[i])
            elif self.average_of(i) == "sum":
                back[i] = back[i] * (~np.isnan(self.value[i])).sum(-1)
        return back

    def mean(self) -> Array:
        """Average over topics, each condition in its own way. [condition, run]"""
        there = ~np.isnan(self.value)
        total = np.where(there, self.working(), 0.0).sum(-1)
        n = there.sum(-1)
        average = self.summarise(np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0))
        summed = [i for i in range(len(self.conditions)) if self.average_of(i) == "sum"]
        # the sum itself: n times the mean is not always a whole number
        average[summed] = np.where(n[summed] > 0, total[summed], np.nan)
        return average

    def select(self, *, runs: Sequence[str] | None = None, topics: Sequence[str] | None = None) -> Scores:
        """Keep these runs and topics, in this order."""
        by_run = np.arange(len(self.runs)) if runs is None else pick(runs, self.runs, "run")
        by_topic = np.arange(len(self.topics)) if topics is None else pick(topics, self.topics, "topic")
        return replace(
            self,
            runs=tuple(self.runs[i] for i in by_run),
            topics=tuple(self.topics[i] for i in by_topic),
            value=self.value[:, by_run][:, :, by_topic],
            basis=_basis_of_part(self.basis, len(by_run), len(by_topic)),
        )

    def choose(self, measures: Sequence[str | Measure]) -> Scores:
        """Keep the conditions of these measures, in this order; all of them where none is named."""
        if not measures:
            return self
        names = [_named(m, self.conditions) for m in measures]
        for name in names:
            if name not in self.conditions:
                there = ", ".join(self.conditions[:_SHOWN]) + (", ..." if len(self.conditions) > _SHOWN else "")
                raise UsageError(f"no measure '{name}' (there is {there}){suggestion(name, self.conditions)}")
        rows = pick(names, self.conditions, "measure")
        return replace(
            self,
            conditions=tuple(self.conditions[i] for i in rows),
            value=self.value[rows],
            averages=tuple(self.averages[i] for i in rows) if self.averages else (),
        )

    def frame(self) -> pl.DataFrame:
        """Lay the scores out as a long table: run, topic, measure, value."""
        n_conditions, n_runs, n_topics = self.value.shape
        return pl.DataFrame(
            {
                "run": pl.Series(np.repeat(self.runs, n_topics * n_conditions)).cast(pl.String),
                "topic": pl.Series(np.tile(np.repeat(self.topics, n_conditions), n_runs)).cast(pl.String),
                "measure": pl.Series(np.tile(self.conditions, n_runs * n_topics)).cast(pl.String),
                "value": self.value.transpose(1, 2, 0).ravel(),
            }
        ).with_columns(pl.col("value").fill_nan(None))


def _basis_of_part(basis: dict[str, object], n_runs: int, n_topics: int) -> dict[str, object]:
    """Say how much is left; where ties were is no longer known."""
    kept = {name: fact for name, fact in basis.items() if name != "tied_cells"} | {"runs": n_runs, "topics": n_topics}
    return kept | ({"cells": n_runs * n_topics} if "cells" in kept else {})


def _named(measure: str | Measure, conditions: Sequence[str]) -> str:
    """Name a measure as the conditions do: as it was written, or in the canonical way."""
    if isinstance(measure, str) and measure in conditions:
        return measure
    try:
        name = str(parse(measure))
    except MeasureError:
        return str(measure)
    return name if name in conditions else str(measure)


def score(
    judged: Judged,
    measures: str | Measure | Iterable[str | Measure],
    *,
    undefined: Undefined = "zero",
    missing: Missing = "empty",
) -> Scores:
    """Score every run on every topic.

    A topic that a run misses scores as an empty list does; with `missing="skip"` it has no score. A score that is
    undefined (nothing relevant) is 0, as in trec_eval; with `undefined="skip"` topics without relevant documents have
    no score.
    """
    check_choice(undefined, "undefined", get_args(Undefined))
    check_choice(missing, "missing", get_args(Missing))
    if not isinstance(judged, Judged):
        raise UsageError(f"score takes Judged, not {type(judged).__name__}; judge(runs, qrels) makes it")
    chosen = [parse(m) for m in ([measures] if isinstance(measures, str | Measure) else measures)]
    if not chosen:
        raise UsageError("no measure to score with (-m nDCG@10)")
    repeated = [str(m) for i, m in enumerate(chosen) if m in chosen[:i]]
    if repeated:
        raise UsageError(f"measure {repeated[0]} is asked for twice")
    value = np.zeros((len(chosen), len(judged.runs), len(judged.topics)))
    gone = np.zeros(value.shape[1:], dtype=bool)
    by_cell = value.reshape(len(chosen), -1)
    for cell, lists in judged.rankings():
        gone.flat[cell] = lists.grade[:, 0] == ABSENT
        for i, m in enumerate(chosen):
            by_cell[i, cell] = m.compute(lists)
    empty = np.stack([judged.n_rel(m.rel) == 0 for m in chosen])
    zero = np.array([max(0.0, m.declaration.low) for m in chosen])
    return Scores(
        conditions=tuple(str(m) for m in chosen),
        runs=judged.runs,
        topics=judged.topics,
        value=np.where(gone & (missing == "skip"), np.nan, _settle_undefined(value, empty, zero, undefined)),
        averages=tuple(m.declaration.average for m in chosen),
        basis=judged.basis | {"undefined": undefined} | ({"missing": missing} if missing == "skip" else {}),
        notes=(
            *_notes_on_missing(judged.notes, missing),
            *_notes_on_empty(chosen, empty, undefined),
            *dict.fromkeys(_notes_on_weights(chosen)),
        ),
    )


def _settle_undefined(value: Array, empty: NDArray[np.bool_], zero: Array, undefined: Undefined) -> Array:
    """Apply the one policy for undefined scores. `empty` is [condition, topic]; `zero`, GMAP's floor, [condition]."""
    floor = np.where(np.isnan(value), zero[:, None, None], value)
    return np.where(empty[:, None, :], np.nan, floor) if undefined == "skip" else floor


def _notes_on_missing(notes: Iterable[str], missing: Missing) -> Iterator[str]:
    for note in notes:
        yield note if missing == "empty" else note.replace(AS_EMPTY, "without a score")


def _notes_on_weights(chosen: Iterable[Measure]) -> Iterator[str]:
    for m in chosen:
        if (weights := dict(m.settings).get("weights")) is not None:
            n = len(weights.discount)
            short = f" for {counted(n, 'rank')}; ranks below count nothing" if (m.cutoff or np.inf) > n else ""
            yield f"{weights}: weights with SHA-256 {weights.sha256[:12]}...{short}"


def _notes_on_empty(chosen: list[Measure], empty: NDArray[np.bool_], undefined: Undefined) -> Iterator[str]:
    what = "have no score" if undefined == "skip" else "count as 0"
    for rel, topics in {m.rel: topics for m, topics in zip(chosen, empty, strict=True)}.items():
        if n := int(topics.sum()):
            grade = f" of grade {rel} or higher" if rel > 1 else ""
            yield f"{counted(n, 'topic')} without a relevant document{grade}; undefined scores there {what}"
