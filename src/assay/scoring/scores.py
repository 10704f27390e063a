"""Scores: a number for every measure, run and topic, with the rules by which it came about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from assay.core.arrays import Array, Bools
from assay.core.errors import UsageError, suggestion
from assay.core.notes import Note
from assay.core.settings import positions
from assay.core.text import counted, first_few
from assay.data.provenance import NOWHERE, Basis, Origin
from assay.measures.declare import Average
from assay.measures.grammar import AnyMeasure

if TYPE_CHECKING:
    from assay.scoring.conditions import Ingredients

Undefined = Literal["zero", "skip"]
Orient = Literal["topic-by-run", "run-by-topic"]
"""What the rows and columns of a matrix of scores are."""

_SHOWN = 6  # conditions listed in a message
_STANDARDISED, STANDARDISED = re.compile(r"(.+)/standardi[sz]ed"), "/standardised"


def check_ranking(runs: Sequence[str]) -> None:
    """Refuse runs that cannot be ranked."""
    if len(runs) < 2:
        raise UsageError("one run has no ranking; give at least two")


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
    basis: Basis = field(default_factory=Basis)
    notes: tuple[Note, ...] = ()
    origin: Origin = NOWHERE
    lower: tuple[bool, ...] = ()  # [condition] whether lower is better; all higher is better where empty
    made_of: Ingredients | None = field(default=None, repr=False, compare=False)  # None where another tool scored
    others: Mapping[str, Scores] = field(default_factory=dict, repr=False, compare=False)  # by other judges, by name

    def __post_init__(self) -> None:
        """Let the basis, which every result shows, name the conditions of which the lowest is best."""
        if self.lower and len(self.lower) != len(self.conditions):
            raise ValueError(f"{len(self.lower)} directions of {len(self.conditions)} conditions")
        names = tuple(name for name, lower in zip(self.conditions, self.lower, strict=False) if lower)
        if (names or None) != self.basis.lower_is_better:
            object.__setattr__(self, "basis", replace(self.basis, lower_is_better=names or None))

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}"
        return f"Scores({', '.join(self.conditions)}: {sizes})"

    def average_of(self, condition: int) -> Average:
        """How a condition's topics become one number."""
        return self.averages[condition] if self.averages else "mean"

    def lower_of(self, condition: int) -> bool:
        """Whether lower is better under a condition."""
        return bool(self.lower) and self.lower[condition]

    def gaps(self) -> Bools:
        """Which scores a run lacks on topics where another run has one. [condition, run, topic]"""
        missing = np.isnan(self.value)
        return np.asarray(missing & ~missing.all(1, keepdims=True))

    def recounted(self) -> Scores:
        """Let the basis say on how many topics every run has all scores, where runs lack some."""
        n_common = int(self.common().sum()) if self.gaps().any() else None
        return replace(self, basis=replace(self.basis, common_topics=n_common))

    def common(self) -> Bools:
        """Which topics have a score of every run, under every measure that has any score there. [topic]"""
        return np.asarray((~np.isnan(self.value)).any((0, 1)) & ~self.gaps().any((0, 1)))

    def scaled(self) -> Array:
        """Return the scores on the scale on which they are averaged: the logarithm for a geometric mean."""
        scaled = self.value.copy()
        for i in range(len(self.conditions)):
            if self.average_of(i) == "geometric":
                scaled[i] = np.log(scaled[i])
        return scaled

    def working(self) -> Array:
        """Return the scores on the scale on which statistics are done: `scaled`, and higher is always better."""
        return self.oriented(self.scaled())

    def oriented(self, x: Array) -> Array:
        """Change the sign where lower is better, so that higher is, or change it back. [condition, ...]"""
        if not any(self.lower):
            return x
        return np.where(np.reshape(self.lower, (-1, *[1] * (x.ndim - 1))), -x, x)

    def quality(self) -> Array:
        """Average over topics as `mean` does, with the sign changed where lower is better. [condition, run]"""
        return self.oriented(self.mean())

    def interval(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Turn the ends of intervals on the working scale back, the lower one first. Two of [condition, run]"""
        ends = self.summarise(low), self.summarise(high)
        return np.minimum(*ends), np.maximum(*ends)

    def summarise(self, x: Array) -> Array:
        """Turn numbers on the working scale back: [condition, run] means, or the ends of their intervals."""
        return self._unscaled(self.oriented(x))

    def _unscaled(self, x: Array) -> Array:
        back = x.copy()
        for i in range(len(self.conditions)):
            if self.average_of(i) == "geometric":
                back[i] = np.exp(back[i])
            elif self.average_of(i) == "sum":
                back[i] = back[i] * (~np.isnan(self.value[i])).sum(-1)
        return back

    def mean(self) -> Array:
        """Average over the topics that a run has, each condition in its own way. [condition, run]

        Where runs lack different topics (see `gaps`), their means cannot be compared.
        """
        there = ~np.isnan(self.value)
        total = np.where(there, self.scaled(), 0.0).sum(-1)
        n = there.sum(-1)
        average = self._unscaled(np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0))
        summed = [i for i in range(len(self.conditions)) if self.average_of(i) == "sum"]
        # the sum itself: n times the mean is not always a whole number
        average[summed] = np.where(n[summed] > 0, total[summed], np.nan)
        return average

    def select(self, *, runs: Sequence[str] | None = None, topics: Sequence[str] | None = None) -> Scores:
        """Keep these runs and topics, in this order."""
        by_run = np.arange(len(self.runs)) if runs is None else positions(runs, self.runs, "run")
        by_topic = np.arange(len(self.topics)) if topics is None else positions(topics, self.topics, "topic")
        return replace(
            self,
            runs=tuple(self.runs[i] for i in by_run),
            topics=tuple(self.topics[i] for i in by_topic),
            value=self.value[:, by_run][:, :, by_topic],
            basis=_basis_of_part(self.basis, len(by_run), len(by_topic)),
        )._settled_again()

    def choose(self, measures: Sequence[AnyMeasure]) -> Scores:
        """Keep the conditions of these measures, in this order; all of them where none is named.

        AP/standardised is computed from AP, by the runs that are here.
        """
        if not measures:
            return self
        names = [self._label(m) for m in measures]
        here = self._with_standardised([name for name in dict.fromkeys(names) if name not in self.conditions])
        for name in names:
            if name not in here.conditions:
                there = first_few(self.conditions, most=_SHOWN)
                raise UsageError(f"no measure '{name}' (there is {there}){suggestion(name, self.conditions)}")
        rows = positions(names, here.conditions, "measure")
        return replace(
            here,
            conditions=tuple(here.conditions[i] for i in rows),
            value=here.value[rows],
            averages=tuple(here.averages[i] for i in rows) if here.averages else (),
            lower=tuple(here.lower_of(i) for i in rows) if here.lower else (),
            notes=tuple(note for note in here.notes if _is_about(note, names)),
        )._settled_again()

    def _settled_again(self) -> Scores:
        """Let basis and notes of a part say what is missing in it, and not what was in the whole."""
        from assay.scoring.missing import settled_again

        return settled_again(self)

    def sources(self, measures: Sequence[AnyMeasure]) -> list[str]:
        """The measures themselves, and in place of those that are standardised here what they come from."""
        names = list(map(self._label, measures))
        raw = [name.removesuffix(STANDARDISED) for name in names]
        return list(
            dict.fromkeys(
                own if name not in self.conditions and own in self.conditions else name
                for name, own in zip(names, raw, strict=True)
            )
        )

    def _label(self, measure: AnyMeasure) -> str:
        """What a measure is called here, or will be once it is standardised; else as it is written."""
        if (name := spelled_as(measure, self.conditions)) is not None:
            return name
        parts = _STANDARDISED.fullmatch(str(measure))
        source = parts and spelled_as(parts[1], self.conditions)
        return f"{source}{STANDARDISED}" if source and not source.endswith(STANDARDISED) else str(measure)

    def _with_standardised(self, names: Sequence[str]) -> Scores:
        """Add the standardised conditions among these, where those they come from are here."""
        sources = [source for name in names if (source := name.removesuffix(STANDARDISED)) in self.conditions]
        if not sources:
            return self
        from assay.scoring.normalisation import standardised

        scores = standardised(self.choose(sources))
        return replace(
            self,
            conditions=(*self.conditions, *(f"{source}{STANDARDISED}" for source in sources)),
            value=np.concatenate([self.value, scores.value]),
            averages=(
                *map(self.average_of, range(len(self.conditions))),
                *map(scores.average_of, range(len(sources))),
            ),
            lower=(
                *map(self.lower_of, range(len(self.conditions))),
                *map(scores.lower_of, range(len(sources))),
            ),
            notes=tuple(dict.fromkeys((*self.notes, *scores.notes))),
        )

    def __getitem__(self, measure: AnyMeasure | Sequence[AnyMeasure]) -> Scores:
        """Keep one measure, or some: `scores["AP"]`, `scores["AP", "nDCG@10"]`."""
        if isinstance(measure, str) or not isinstance(measure, Sequence):
            return self.choose([measure])
        if not measure:
            raise UsageError("no measure is named; scores['AP'] is one, scores itself all of them")
        return self.choose(measure)

    def __iter__(self) -> Iterator[str]:
        """Go through the measures, as through the keys of a mapping."""
        return iter(self.conditions)

    def __contains__(self, measure: object) -> bool:
        return isinstance(measure, AnyMeasure) and spelled_as(measure, self.conditions) is not None

    def means(self) -> pl.DataFrame:
        """Lay the averages over topics out as a table: a row per run, a column per measure.

        Each is over the topics that the run has a score on; where runs lack different topics, as with
        `missing="pairwise"`, these means cannot be compared.

        >>> Scores(("AP",), ("bm25", "dense"), ("1", "2"), np.array([[[0.5, 1.0], [0.25, 0.5]]])).means().rows()
        [('bm25', 0.75), ('dense', 0.375)]
        """
        return self._beside({"run": list(self.runs)}, self.mean())

    def wide(self) -> pl.DataFrame:
        """Lay the scores out as a table with a row per run and topic, and a column per measure.

        >>> Scores(("AP", "RR"), ("bm25",), ("1", "2"), np.array([[[0.5, 1.0]], [[1.0, 1.0]]])).wide().rows()
        [('bm25', '1', 0.5, 1.0), ('bm25', '2', 1.0, 1.0)]
        """
        run = [run for run in self.runs for _ in self.topics]
        keys = {"run": run, "topic": list(self.topics) * len(self.runs)}
        return self._beside(keys, self.value.reshape(len(self.conditions), -1))

    def _beside(self, keys: Mapping[str, list[str]], value: Array) -> pl.DataFrame:
        """Put a column per measure beside the names of runs and topics; `value` is [condition, row]."""
        names = [f"{name} (measure)" if name in keys else name for name in self.conditions]
        columns = [pl.Series(name, x).fill_nan(None) for name, x in zip(names, value, strict=True)]
        return pl.DataFrame(keys, schema=dict.fromkeys(keys, pl.String)).hstack(columns)

    def to_pandas(self) -> Any:
        """Lay the scores out as `frame` does, as a dataframe of pandas; pyarrow need not be there."""
        from assay.data.formats.objects import to_pandas

        return to_pandas(self.frame())

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


def mean_where_scored(x: Array) -> Array:
    """Average over the topics that have a score, NaN where none has; `x` is [..., topic]."""
    n = (~np.isnan(x)).sum(-1)
    return np.divide(np.nansum(x, axis=-1), n, out=np.full(n.shape, np.nan), where=n > 0)


def _is_about(note: Note, conditions: Sequence[str]) -> bool:
    """Whether a note is about some of these conditions, or about those that they are standardised from."""
    own = {*conditions, *(name.removesuffix(STANDARDISED) for name in conditions)}
    return not note.measures or not own.isdisjoint(note.measures)


def _basis_of_part(basis: Basis, n_runs: int, n_topics: int) -> Basis:
    """Say how much is left; where ties were is no longer known."""
    cells = None if basis.cells is None else n_runs * n_topics
    return replace(basis, runs=n_runs, topics=n_topics, tied_cells=None, cells=cells)


def spelled_as(measure: AnyMeasure, labels: Sequence[str]) -> str | None:
    """The label of a measure among others: as it is written, or under another spelling; None where it has none.

    >>> spelled_as("map", ["RBP", "AP"]), spelled_as("RBP(p=0.8)", ["RBP", "AP"]), spelled_as("P@5", ["AP"])
    ('AP', 'RBP', None)
    """
    from assay.scoring.conditions import recognised_condition

    if str(measure) in labels:
        return str(measure)
    wanted = recognised_condition(measure)
    return next((label for label in labels if wanted is not None and recognised_condition(label) == wanted), None)
