"""Scores of other tools as cells (run, topic, measure, value), merged from any number of sources into `Scores`.

Sources are never laid over each other: what two of them say of one run, topic and measure must agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from assay.core.arrays import Array, Counts
from assay.core.errors import InputError, UsageError
from assay.core.notes import Note, gathered, on_data
from assay.core.text import counted, listed
from assay.data.formats.fields import ids, stripped
from assay.data.provenance import Basis, shown_path
from assay.measures.declare import Measure
from assay.measures.grammar import recognised
from assay.scoring.scores import Scores

MISSING = ("", "-", "na", "n/a", "nan", "null", "none")
"""How a missing score is written, in any case."""

AVERAGE = "all"
"""What trec_eval, and who follows it, writes in the topic's place beside an average."""

VECTORS = r"relstring(_\d+)?"  # trec_eval's word for the grades of the first ranks
_NAMES = ("run", "topic", "measure")
_MOST_CELLS = 2**29  # 4 GB
_SPARSE = (2**24, 1000)  # cells, and cells for one score: what is both larger and emptier holds next to nothing


@dataclass(frozen=True, slots=True)
class Cells:
    """One row per score: run, topic, measure, value and the row of the source in which it stands."""

    source: str
    layout: str
    frame: pl.DataFrame
    where: Callable[[int], str]
    notes: tuple[Note, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)  # what each measure is called here, once that is settled

    def keep(self, rows: pl.Series, *notes: Note) -> Cells:
        """Keep some of the cells, and say why others are gone."""
        return replace(self, frame=self.frame.filter(rows), notes=self.notes + notes)

    def of_run(self, name: str) -> Cells:
        """Give the run the name that the user gives it; where there are several, in front of their own."""
        several = self.frame["run"].n_unique() > 1
        run = pl.lit(f"{name}/") + pl.col("run").cast(pl.String) if several else pl.lit(name)
        return replace(self, frame=self.frame.with_columns(run=run))


def settled(cells: Cells, name: str | None) -> Cells:
    """Make names text and values numbers; leave out averages and what is no number; call measures by our names.

    `name` is what to call the one measure of the source.
    """
    cells = _only_numbers(_without_averages(_named_throughout(cells)))
    measures = cells.frame["measure"].unique(maintain_order=True).to_list()
    if name is not None and len(measures) > 1:
        raise UsageError(f"--name {name}: a name is for one measure, and {cells.source} holds {len(measures)}")
    texts = measures if name is None else [name]
    return replace(cells, labels=dict(zip(measures, _labels(texts), strict=True)))


def merged(parts: Sequence[Cells]) -> Scores:
    """Merge the cells of all sources, and fill the cube."""
    frame = pl.concat(
        [
            part.frame.select("run", "topic", "measure", "row", "number", part=pl.lit(i, dtype=pl.Int64))
            for i, part in enumerate(parts)
        ]
    )
    labels = tuple(dict.fromkeys(label for part in parts for label in part.labels.values()))
    at_label = np.concatenate([_label_of_row(part, labels) for part in parts])
    runs, at_run = _index(frame["run"])
    topics, at_topic = _index(frame["topic"])
    source = _named([part.source for part in parts])
    shape = len(labels), len(runs), len(topics)
    most, emptiest = _SPARSE
    if math.prod(shape) > min(_MOST_CELLS, max(most, emptiest * frame.height)):
        size = f"{counted(len(labels), 'measure')} x {counted(len(runs), 'run')} x {counted(len(topics), 'topic')}"
        need = f"{8 * math.prod(shape) / 2**30:.1f} GB"
        doubt = "are run and topic the right columns?"
        raise InputError(f"{source}: {size} would take {need} for {frame.height:,} scores; {doubt}")
    cell = np.ravel_multi_index((at_label, at_run, at_topic), shape)
    number = frame["number"].fill_null(np.nan).to_numpy()
    repeats = _repeats(parts, frame, cell, number) if np.bincount(cell).max() > 1 else ()
    value = np.full(math.prod(shape), np.nan)
    there = ~np.isnan(number)
    value[cell[there]] = number[there]
    known = tuple(map(recognised, labels))
    return Scores(
        conditions=labels,
        runs=runs,
        topics=topics,
        value=_floored(value.reshape(shape), known),
        averages=tuple(m.declaration.average if m else "mean" for m in known),
        basis=Basis(runs=len(runs), topics=len(topics), scores=source, layout=_layout(parts)),
        notes=on_data(
            [
                *gathered((note for part in parts for note in part.notes), {part.source for part in parts}),
                *repeats,
            ]
        ),
    )


def _named(sources: Sequence[str]) -> str:
    """Name one source as it is, and several by what may be shown of them."""
    return sources[0] if len(sources) == 1 else listed([shown_path(source) for source in sources], most=3)


def _layout(parts: Sequence[Cells]) -> str:
    return listed(list(dict.fromkeys(part.layout for part in parts)), most=3)


def _repeats(parts: Sequence[Cells], frame: pl.DataFrame, cell: Counts, number: Array) -> tuple[Note, ...]:
    """Refuse a score that one source has twice, and two sources that contradict each other; count what is alike."""
    order = np.lexsort((frame["row"].to_numpy(), frame["part"].to_numpy(), cell))
    again = np.flatnonzero(cell[order][1:] == cell[order][:-1]) + 1
    here, before = order[again], order[again - 1]
    part = frame["part"].to_numpy()
    twice = part[here] == part[before]
    other = ~np.isnan(number[here]) & ~np.isnan(number[before]) & (number[here] != number[before])
    if (wrong := np.flatnonzero(twice | other)).size:
        first = wrong[np.lexsort((frame["row"].to_numpy()[here[wrong]], part[here[wrong]]))[0]]
        raise _repeated(parts, frame, int(here[first]), int(before[first]), twice=bool(twice[first]))
    text = f"{counted(int(again.size), 'score')} given by more than one of {counted(len(parts), 'source')}, all alike"
    return (Note("repeated_scores", "info", text),)


def _repeated(parts: Sequence[Cells], frame: pl.DataFrame, here: int, before: int, *, twice: bool) -> InputError:
    """Say which score is there twice, and where."""
    one, other = (frame.row(i, named=True) for i in (here, before))
    place, earlier = (parts[row["part"]].where(row["row"]) for row in (one, other))
    if twice:
        what = f"run {one['run']}, topic {one['topic']}, {one['measure']}"
        return InputError(f"{place}: a second score for {what}, after {earlier}")
    label = parts[one["part"]].labels[one["measure"]]
    what = f"run {one['run']}, topic {one['topic']}, {label}"
    return InputError(f"{place}: {what} is {one['number']:g} here, but {other['number']:g} at {earlier}")


def _named_throughout(cells: Cells) -> Cells:
    """Make names text, and refuse a row that lacks one; our CSV files keep names from being formulas by a '."""
    row = cells.frame["row"]
    names = [ids(cells.frame[of], of, cells.source, lambda i: cells.where(row[i])) for of in _NAMES]
    guarded = [name.str.replace("^'([=+@-])", "$1") for name in names if name.str.starts_with("'").any()]
    return replace(cells, frame=cells.frame.with_columns(names).with_columns(guarded))


def _without_averages(cells: Cells) -> Cells:
    """Leave out the averages that tools print beside the topics."""
    average = cells.frame["topic"] == AVERAGE
    if average.all():
        raise InputError(f"{cells.source}: only averages (topic '{AVERAGE}'); trec_eval -q prints every topic")
    n = int((average & (cells.frame["measure"] != "runid")).sum())
    note = Note("averages_left_out", "info", f"{cells.source}: {counted(n, 'average')} (topic '{AVERAGE}') left out")
    return cells.keep(~average, *([note] if n else []))


def _only_numbers(cells: Cells) -> Cells:
    """Turn values into numbers, missing ones into null; leave out measures that have none."""
    number, wrong = as_numbers(cells.frame["value"])
    cells = replace(cells, frame=cells.frame.with_columns(number=number, wrong=wrong))
    text = (
        cells.frame.group_by("measure", maintain_order=True)
        .agg(text=pl.col("wrong").any() & pl.col("number").is_null().all())
        .filter(pl.col("text") | pl.col("measure").str.contains(f"^(runid|{VECTORS})$"))["measure"]
        .to_list()
    )
    numeric = ~cells.frame["measure"].is_in(text)
    if text and numeric.any():
        note = Note("not_numbers", "caution", f"{cells.source}: not numbers, so left out: {', '.join(text)}")
        cells = cells.keep(numeric, note)
    elif text and not cells.frame["wrong"].any():
        raise InputError(f"{cells.source}: no scores, only {', '.join(text)}")
    if (bad := cells.frame.filter("wrong")).height:
        row = bad.sort("row").row(0, named=True)
        what = f"run {row['run']}, topic {row['topic']}, {row['measure']}"
        raise InputError(
            f"{cells.where(row['row'])}: {str(row['value'])[:40]!r} is not a number ({what}); a missing one is NA"
        )
    return cells


def as_numbers(value: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Read numbers; null is a missing one. The second series marks what is neither."""
    value = stripped(value)
    number = value.cast(pl.Float64, strict=False)
    wrong = number.is_infinite().fill_null(value=False)
    if value.dtype == pl.String and number.null_count():
        word = value.str.to_lowercase()
        number = number.fill_null(word.replace_strict({"true": 1.0, "false": 0.0}, default=None))
        wrong |= number.is_null() & ~word.fill_null("").is_in(MISSING)
    return number.fill_nan(None), wrong


def _label_of_row(cells: Cells, labels: Sequence[str]) -> Counts:
    """The position of each score's measure among all labels."""
    at = {label: i for i, label in enumerate(labels)}
    measures, row = _index(cells.frame["measure"])
    return np.array([at[cells.labels[measure]] for measure in measures], dtype=np.int64)[row]


def _labels(texts: Sequence[str]) -> list[str]:
    """Call measures by our names; where two of them are one measure of ours, the later keeps its own."""
    known = [recognised(text) for text in texts]
    taken = {text for text, m in zip(texts, known, strict=True) if str(m) == text}
    labels = []
    for text, m in zip(texts, known, strict=True):
        label = text if m is None or str(m) in taken else str(m)
        taken.add(label)
        labels.append(label)
    return labels


def _floored(value: Array, known: Sequence[Measure | None]) -> Array:
    """Raise scores to the floor of a geometric mean, below which they have no logarithm; 4 decimals lose it."""
    geometric = [m is not None and m.declaration.average == "geometric" for m in known]
    floor = [m.declaration.low if m and of else -np.inf for m, of in zip(known, geometric, strict=True)]
    return np.maximum(value, np.array(floor)[:, None, None])


def _index(names: pl.Series) -> tuple[tuple[str, ...], Counts]:
    """Number names in the order of their first appearance."""
    distinct = names.unique(maintain_order=True)
    return tuple(distinct), names.cast(pl.Enum(distinct)).to_physical().cast(pl.Int64).to_numpy()
