"""The join of rankings and judgments, done once: every measure reads its result and no measure sees a document.

Judging is a look-up of codes, so the same runs can be judged again under other judgments at little cost.
Lists of very different length are kept in blocks of similar length, so that one long list costs only itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from assay.core.arrays import Bools, Codes, Counts, Grades, Index
from assay.core.errors import InputError, UsageError
from assay.core.notes import Note, on_data
from assay.core.remembered import Remembered
from assay.core.settings import check_choice, check_depth, positions
from assay.core.text import counted, first_few
from assay.data.diagnosis.collection import diagnose
from assay.data.diagnosis.missing_topics import on_missing
from assay.data.judgments.merging import ONLY_FILES, OtherJudgments
from assay.data.lookup import Lookup, SameKeyError
from assay.data.provenance import NOWHERE, Basis, Origin, shown_path
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT, IN_POOL, UNJUDGED, Qrels, Runs

Negative = Literal["pooled", "nonrelevant"]

_CHUNK = 1 << 17  # entries handed to a measure at a time: float64 columns of this size stay in cache
_PADDING = 2.0  # one block while at most this many times the entries are stored


@dataclass(frozen=True, slots=True)
class Collection:
    """Runs and judgments, not yet joined."""

    runs: Runs
    qrels: Qrels
    negative: Negative = "pooled"
    chosen: tuple[str, ...] = ()  # the runs that are asked about; all where none is named
    origin: Origin = NOWHERE
    others: OtherJudgments = ONLY_FILES  # judgments kept apart under a name

    @property
    def fractions(self) -> tuple[float, ...]:
        """The value of each grade, where some are fractions."""
        return self.qrels.fractions

    @property
    def asked(self) -> Runs:
        """The runs that are asked about; the others may still fill pools."""
        return self.runs.select(self.chosen) if self.chosen else self.runs


@dataclass(frozen=True, slots=True)
class Block:
    """Lists of similar length, stored side by side."""

    cell: Index  # [list] run x n_topics + topic
    grade: Grades  # [list, rank]


def portions(block: Block) -> Iterator[slice]:
    """Cut the lists of a block into portions of few enough entries to stay in cache."""
    n, width = block.grade.shape
    step = max(1, _CHUNK // max(1, width))
    return (slice(i, min(i + step, n)) for i in range(0, n, step))


@dataclass(frozen=True, slots=True)
class Judged:
    """Every run's grades by topic and rank, with what the judgments say about each topic."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    blocks: tuple[Block, ...]
    pool: Counts  # [topic, grade]
    top: int
    cutoff: int | None
    source: Runs  # order, ties and retrieval scores, aligned rank by rank with the grades
    basis: Basis
    notes: tuple[Note, ...]
    fractions: tuple[float, ...] = ()  # [grade] its value, as in Qrels

    def __repr__(self) -> str:
        cut = "" if self.cutoff is None else f", cut at {self.cutoff}"
        return f"Judged({counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}{cut})"

    def head(self, k: int) -> Judged:
        """Cut every list at rank k; k stays the cutoff even where lists are shorter."""
        check_depth(k)
        k = k if self.cutoff is None else min(k, self.cutoff)
        blocks = tuple(replace(block, grade=block.grade[:, :k]) for block in self.blocks)
        return replace(self, blocks=blocks, cutoff=k)

    def select(self, *, runs: Sequence[str] | None = None, topics: Sequence[str] | None = None) -> Judged:
        """Keep these runs and topics, in this order."""
        if runs in (None, self.runs) and topics in (None, self.topics):
            return self
        by_run = np.arange(len(self.runs)) if runs is None else positions(runs, self.runs, "run")
        by_topic = np.arange(len(self.topics)) if topics is None else positions(topics, self.topics, "topic")
        new = np.full(len(self.runs) * len(self.topics), -1, dtype=np.int64)
        old = by_run[:, None] * len(self.topics) + by_topic
        new[old.ravel()] = np.arange(old.size)
        moved = [(new[block.cell], block.grade) for block in self.blocks]
        topics = tuple(self.topics[i] for i in by_topic)
        source = self.source if runs is None else self.source.select(runs)
        return replace(
            self,
            runs=source.names,
            topics=topics,
            blocks=tuple(Block(cell[cell >= 0], grade[cell >= 0]) for cell, grade in moved),
            pool=self.pool[by_topic],
            source=source,
            basis=_basis(self.basis, source, topics, self.pool[by_topic]),
        )

    def missing(self) -> Bools:
        """Say which lists are missing: the run has no document for the topic. [run, topic]"""
        gone = np.zeros(len(self.runs) * len(self.topics), dtype=bool)
        for block in self.blocks:
            gone[block.cell] = block.grade[:, 0] == ABSENT
        return gone.reshape(len(self.runs), len(self.topics))

    def cube(self, depth: int | None = None) -> Grades:
        """Lay all grades out as [run, topic, rank], to a depth or in full."""
        width = depth or max(block.grade.shape[1] for block in self.blocks)
        cube = np.full((len(self.runs) * len(self.topics), width), ABSENT, dtype=np.int8)
        for block in self.blocks:
            cube[block.cell, : block.grade.shape[1]] = block.grade[:, :width]
        return cube.reshape(len(self.runs), len(self.topics), width)

    def tied(self, depth: int) -> Bools:
        """Say which documents tie with the one before, as [run, topic, rank]; none does beyond the cutoff."""
        within = depth if self.cutoff is None else min(depth, self.cutoff)
        at = {name: i for i, name in enumerate(self.source.topics)}
        flags = np.zeros((len(self.runs), len(self.topics), depth), dtype=bool)
        for t, topic in enumerate(self.topics):
            if topic in at:
                start, count = self.source.start[:, at[topic]], self.source.count[:, at[topic]]
                rows = start[:, None] + np.arange(depth)
                there = np.arange(depth) < np.minimum(count, within)[:, None]
                flags[:, t] = self.source.tied[np.where(there, rows, 0)] & there
        return flags

    def rows(self, block: Block) -> Index:
        """Where in `source` the documents of a block stand. [list, rank]; beyond the end of a list no place."""
        return np.asarray(self.first_row(block)[:, None] + np.arange(block.grade.shape[1]))

    def first_row(self, block: Block) -> Index:
        """Where in `source` the lists of a block begin. [list]"""
        at = {name: i for i, name in enumerate(self.source.topics)}
        column = np.array([at.get(name, 0) for name in self.topics], dtype=np.int64)
        run, topic = np.divmod(block.cell, len(self.topics))
        return np.asarray(self.source.start[run, column[topic]])

    def grade_names(self) -> list[str]:
        """How the grades of the scale are written, 0 first."""
        names = map(repr, self.fractions) if self.fractions else map(str, range(self.top + 1))
        return [name.removesuffix(".0") for name in names]

    def n_rel(self, rel: int = 1) -> Counts:
        """Count the relevant documents of every topic, the recall base; where grades are fractions, those above 0."""
        return self.pool[:, rel:].sum(-1)

    def rankings(self) -> Iterator[tuple[Index, Rankings]]:
        """Hand out the lists in portions that measures digest quickly, each with its cells."""
        n_topics = len(self.topics)
        for block in self.blocks:
            for part in portions(block):
                cell = block.cell[part]
                pool = self.pool[cell % n_topics]
                yield cell, Rankings(block.grade[part], pool, self.top, self.cutoff, fractions=self.fractions)


def judge(runs: Runs, qrels: Qrels, *, negative: Negative = "pooled") -> Judged:
    """Give every ranked document its grade.

    Topics are those of the judgments: what runs return for other topics is ignored and counted; a topic that a
    run misses is an empty list. A negative grade is pooled but not judged, unless `negative` is "nonrelevant".
    """
    check_choice(negative, "negative", get_args(Negative))
    if not (isinstance(runs, Runs) and isinstance(qrels, Qrels)):
        kinds = f"{type(runs).__name__} and {type(qrels).__name__}"
        raise UsageError(f"judge takes Runs and Qrels, not {kinds}; read_runs and read_qrels make them")
    at = {name: i for i, name in enumerate(qrels.topics)}
    place = np.array([at.get(name, -1) for name in runs.topics], dtype=np.int64)
    if not (place >= 0).any():
        from assay.data.diagnosis.likely_reasons import on_topics

        raise InputError(
            f"{qrels.source}: no topic in common with the runs "
            f"(judged: {first_few(qrels.topics)}; retrieved: {first_few(runs.topics)}): "
            f"{on_topics(qrels.topics, runs.topics)}"
        )
    start = np.zeros((len(runs.names), len(qrels.topics)), dtype=np.int64)
    count = np.zeros_like(start)
    start[:, place[place >= 0]] = runs.start[:, place >= 0]
    count[:, place[place >= 0]] = runs.count[:, place >= 0]
    grade = settled_grades(qrels, negative)
    pool = grade_counts(qrels.topic, grade, len(qrels.topics), qrels.top)
    about = Basis(judgments=shown_path(qrels.source), negative=negative, top_grade=qrels.highest)
    blocks, odd = _joined(runs, qrels, lambda: _join(runs, qrels, grade, start, count), setting=negative)
    notes = (*runs.notes, *qrels.notes, *_judging_notes(runs, place, count == 0), *_negative_note(qrels, negative))
    return Judged(
        runs=runs.names,
        topics=qrels.topics,
        blocks=blocks,
        pool=pool,
        top=qrels.top,
        cutoff=None,
        source=runs,
        basis=_basis(about, runs, qrels.topics, pool),
        notes=on_data([*notes, *odd]),
        fractions=qrels.fractions,
    )


_joined: Remembered[tuple[tuple[Block, ...], tuple[Note, ...]]] = Remembered()


def _join(
    runs: Runs, qrels: Qrels, grade: Grades, start: Index, count: Index
) -> tuple[tuple[Block, ...], tuple[Note, ...]]:
    """Look up every document, and say what is odd about the outcome."""
    blocks = _blocks(_Grader(runs, qrels, qrels.look_up(grade, missing=UNJUDGED), qrels.salts()), start, count)
    for block in blocks:
        block.grade.flags.writeable = False  # all who judge the same share them
    odd = diagnose(runs, qrels, [(block.cell, block.grade) for block in blocks], count) if qrels.is_whole else ()
    return blocks, tuple(odd)


def _basis(about: Basis, runs: Runs, topics: Sequence[str], pool: Counts) -> Basis:
    chosen = set(topics)
    here = np.array([name in chosen for name in runs.topics], dtype=bool)
    return replace(
        about,
        runs=len(runs.names),
        topics=len(topics),
        judged=int(pool.sum()),
        relevant=int(pool[:, 1:].sum()),
        order=runs.order,
        tied_cells=int((runs.n_tied()[:, here] > 0).sum()),
        cells=len(runs.names) * len(topics),
    )


def _judging_notes(runs: Runs, place: Index, missing: Bools) -> Iterator[Note]:
    if n := int((place < 0).sum()):
        n_lists = int((runs.count[:, place < 0] > 0).sum())
        text = f"{counted(n, 'topic')} not in the judgments, ignored ({counted(n_lists, 'list')})"
        yield Note("unjudged_topics", "caution", text)
    if missing.any():
        yield on_missing("list", runs.names, missing, "counted as empty")


def _negative_note(qrels: Qrels, negative: Negative) -> Iterator[Note]:
    """Say how many judgments are negative, and what they count as."""
    if n := int((qrels.grade == IN_POOL).sum()):
        other = "pooled" if negative == "nonrelevant" else "nonrelevant"
        counts = "judged, of grade 0" if negative == "nonrelevant" else "pooled, but not judged"
        text = f"{counted(n, 'judgment')} of a negative grade, taken as {counts} (see --negative {other})"
        yield Note("negative_grades", "info", text)


def settled_grades(qrels: Qrels, negative: Negative) -> Grades:
    """The grades of judgments, with what negative ones count as. [judgment]"""
    return qrels.grade if negative == "pooled" else np.where(qrels.grade == IN_POOL, np.int8(0), qrels.grade)


def grade_counts(topic: Index, grade: Grades, n_topics: int, top: int) -> Counts:
    """How many documents of each grade the judgments hold. [topic, grade]"""
    judged = grade >= 0
    cell = topic[judged] * (top + 1) + grade[judged]
    return np.bincount(cell, minlength=n_topics * (top + 1)).reshape(n_topics, top + 1).astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Grader:
    """Grades the documents of lists; one that has the code of a judged document but not its id is refused."""

    runs: Runs
    qrels: Qrels
    table: Lookup[np.int8]
    salts: Codes  # [topic]

    def __call__(self, start: Index, length: Index, topic: Index) -> Grades:
        """Grade the documents of some lists, end to end."""
        at = _end_to_end(start, length)
        try:
            return self.table(self.runs.doc[at] ^ np.repeat(self.salts[topic], length), self.runs.check[at])
        except SameKeyError as problem:
            place = int(_rows(start, length)[problem.at])
            raise self.runs.same_code(place, self.qrels.ids[problem.row]) from None


def _blocks(graded: _Grader, start: Index, count: Index) -> tuple[Block, ...]:
    """Group lists by length; look each group up, some runs' worth at a time."""
    length = count.ravel()
    longest = int(length.max(initial=1))
    if length.size * longest <= _PADDING * max(int(length.sum()), _CHUNK):
        groups = [np.arange(length.size)]
    else:
        power = np.ceil(np.log2(np.maximum(length, 1))).astype(np.int64)
        groups = [np.flatnonzero(power == p) for p in np.unique(power)]
    topic = np.arange(length.size) % count.shape[1]
    return tuple(Block(cell, _look_up(graded, start.ravel()[cell], length[cell], topic[cell])) for cell in groups)


def _look_up(graded: _Grader, start: Index, length: Index, topic: Index) -> Grades:
    """Grade the documents of some lists, as [list, rank].

    Topic by topic, since runs return the same documents: their entries in the table then are in cache.
    """
    width = max(1, int(length.max(initial=1)))
    grade = np.full((length.size, width), ABSENT, dtype=np.int8)
    by_topic = np.argsort(topic, kind="stable")
    step = max(1, _CHUNK // width)
    for i in range(0, length.size, step):
        part = by_topic[i : i + step]
        lists = np.full((part.size, width), ABSENT, dtype=np.int8)
        lists[np.arange(width) < length[part, None]] = graded(start[part], length[part], topic[part])
        grade[part] = lists
    return grade


def _end_to_end(start: Index, length: Index) -> Index | slice:
    """Where the entries of some lists are, end to end: a slice where they lie so already."""
    end = start + length
    if (start[1:] == end[:-1]).all():
        return slice(int(start[0]), int(end[-1]))
    return _rows(start, length)


def _rows(start: Index, length: Index) -> Index:
    """Where the entries of some lists are, end to end."""
    row = np.repeat(start + length - np.cumsum(length), length)
    return row + np.arange(row.size)
